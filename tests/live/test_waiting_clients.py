"""The drivers of a wait: watches in threads, an event loop, and a client that can only get."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import jobsworth
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.live import connection
from support.live.answering_cluster import AnsweringCluster, a_job

Object = dict[str, Any]


class WatchableCluster(Api):
    """An API server in memory whose watches report what `change` stores."""

    def __init__(self) -> None:
        self.cluster = AnsweringCluster(a_job(active=1))
        self.watches: list[Mapping[str, str]] = []
        self._changed = threading.Condition()
        self._events: list[Object] = []

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        from urllib.parse import urlencode

        answer: Object = self.cluster(f"{path}?{urlencode(query or {})}")
        return answer

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        self.watches.append(query)
        if not path.endswith("/jobs"):
            with self._changed:
                self._changed.wait(30)
            return
        with self._changed:
            while not self._events:
                self._changed.wait(30)
        yield from self._events

    def change(self, value: Object) -> None:
        with self._changed:
            self.cluster.objects["jobs"] = [value]
            self._events.append({"type": "MODIFIED", "object": value})
            self._changed.notify_all()


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "JOB_SECONDS", 0.02)
    monkeypatch.setattr(connection, "OTHER_SECONDS", 0.02)


def later(action: Any, *arguments: Any) -> None:
    threading.Timer(0.2, action, arguments).start()


def test_watches_run_in_threads() -> None:
    api = WatchableCluster()
    later(api.change, a_job(version=2, end="Complete", active=1))
    waited = jobsworth.wait("job/train", namespace="batch", client=api)
    assert (waited.outcome, waited.exit_code) == ("Complete", 0)
    assert waited.sentence.startswith("Job train completed")
    assert {each.get("fieldSelector") for each in api.watches} >= {"metadata.name=train"}


def test_an_event_loop_is_not_blocked() -> None:
    api = WatchableCluster()
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    async def main() -> jobsworth.Waited:
        other = asyncio.create_task(tick())
        later(api.change, a_job(version=2, end="Failed", active=1))
        waited = await jobsworth.wait_async("job/train", namespace="batch", client=api)
        other.cancel()
        return waited

    assert asyncio.run(main()).exit_code == 1
    assert ticks >= 3


def test_a_cancelled_task_ends_at_once() -> None:
    api = WatchableCluster()

    async def main() -> None:
        waiting = asyncio.create_task(
            jobsworth.wait_async("job/train", namespace="batch", client=api)
        )
        await asyncio.sleep(0.1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_client_that_can_only_get_is_asked_again(asynchronous: bool) -> None:
    cluster = AnsweringCluster(a_job(active=1))
    cluster.objects["pods"] = cluster.objects["events"] = []
    seen: list[jobsworth.Progress] = []

    def end() -> None:
        cluster.objects["jobs"] = [a_job(version=2, end="Complete", active=1)]

    later(end)
    options: Object = {"namespace": "batch", "on_progress": seen.append}
    if asynchronous:

        async def get(path: str) -> Any:
            return cluster(path)

        waited = asyncio.run(jobsworth.wait_async("job/train", client=get, **options))
    else:
        waited = jobsworth.wait("job/train", client=cluster, **options)
    assert waited.outcome == "Complete"
    assert next(each.active for each in seen) == 1


@pytest.mark.slow
def test_a_get_that_fails_for_a_while_is_repeated() -> None:
    cluster = AnsweringCluster(a_job(active=1))
    begun = time.monotonic()

    def fail(path: str) -> None:
        if 0.1 < time.monotonic() - begun < 0.5:
            raise OSError("connection reset")

    cluster.before = fail
    later(cluster.objects.__setitem__, "jobs", [a_job(version=2, end="Complete", active=1)])
    assert jobsworth.wait("job/train", namespace="batch", client=cluster).outcome == "Complete"


def test_a_timeout_has_the_sentence_of_why() -> None:
    cluster = AnsweringCluster(a_job(active=1))
    waited = jobsworth.wait("train", namespace="batch", client=cluster, timeout=0.1)
    assert (waited.outcome, waited.exit_code) == ("Timeout", 4)
    assert waited.sentence.startswith("Timeout after 0.1 s: Job train is waiting")
    assert waited.diagnosis is not None


def test_a_timeout_without_a_job_says_that_it_was_not_created() -> None:
    cluster = AnsweringCluster(a_job(active=1))
    waited = jobsworth.wait("other", namespace="batch", client=cluster, timeout=0.1, for_creation=9)
    assert waited.sentence == "Timeout after 0.1 s: Job other was not created."


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [("", "Job train completed."), ("Policy", "Job train completed (Policy).")],
)
def test_a_job_that_is_gone_when_the_wait_ends_has_its_outcome(reason: str, sentence: str) -> None:
    cluster = AnsweringCluster(a_job(version=2, end="Complete", active=1))
    for condition in cluster.objects["jobs"][0]["status"]["conditions"]:
        condition["reason"] = reason

    def vanish(path: str) -> None:
        if "fieldSelector" not in path:  # the read for the sentence
            cluster.objects["jobs"] = []

    cluster.before = vanish
    assert jobsworth.wait("job/train", namespace="batch", client=cluster).sentence == sentence


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (["cronjob/x"], {}, "only Jobs end"),
        (["job/x"], {"timeout": -1}, "timeout must be a number of seconds from 0"),
        (["job/x"], {"stuck_after": float("nan")}, "stuck_after must be a number"),
        (["job/x"], {"suspended": "yes"}, "suspended must be 'stop' or 'ok'"),
    ],
)
def test_a_wrong_argument_is_a_value_error(
    arguments: list[str], options: Object, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        jobsworth.wait(*arguments, client=lambda path: {}, **options)


def test_a_job_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(jobsworth.JobNotFound, match=r"in namespace batch \(the given client\)"):
        jobsworth.wait("job/other", namespace="batch", client=AnsweringCluster(a_job(active=1)))


def test_a_denied_list_of_jobs_is_a_cluster_error() -> None:
    cluster = AnsweringCluster(a_job(active=1))
    cluster.denied = {"jobs"}
    with pytest.raises(jobsworth.ClusterError, match="forbidden") as raised:
        jobsworth.wait("job/train", namespace="batch", client=cluster)
    assert isinstance(raised.value.__cause__, ApiError)
