"""`jobsworth.wait` on a real API server: the right outcome, soon after the fact, with few calls."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jobsworth
from cluster.available_beds import bed_or_skip
from cluster.test_why import BUILT_IN, OURS, manifest, prepared_namespace
from cluster.why.endings import ENDINGS, STUCK_AFTER, UNSCHEDULABLE_AFTER, Ending
from cluster.why.failures import Case

if TYPE_CHECKING:
    from cluster.bed import TestBed

ROOT = Path(__file__).parents[2]
AT_ONCE = 5
MOST_CALLS = 15
"""Calls of one wait, with those for the sentence, without watches that go on at its end."""


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    from cluster.controller.controllers import Jobsworth

    with bed_or_skip(
        controllers="job-controller,garbage-collector-controller", qps=200, burst=400
    ) as bed:
        ours = Jobsworth(bed)
        ours.as_usual()
        yield bed
        ours.kill()


class EndedAt:
    """The times at which the Jobs of the bed got their terminal conditions, by a watch."""

    def __init__(self, bed: TestBed) -> None:
        self.times: dict[str, float] = {}
        self._bed = bed
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        for event in self._bed.connection.watch("/apis/batch/v1/jobs?watch=true"):
            conditions = (event["object"].get("status") or {}).get("conditions") or ()
            if any(each["type"] in ("Complete", "Failed") for each in conditions):
                meta = event["object"]["metadata"]
                self.times.setdefault(f"{meta['namespace']}/{meta['uid']}", time.monotonic())


class Result:
    """A wait, and how long after the fact it returned."""

    def __init__(self, name: str, waited: jobsworth.Waited, late: float, calls: int) -> None:
        self.name = name
        self.waited = waited
        self.late = late
        self.calls = calls


def run(bed: TestBed, ended: EndedAt, ending: Ending, manager: str) -> Result:
    from cluster.why.played_pods import PlayedJob

    case = Case(
        ending.name, lambda job: None, (), "", ending.spec, ending.pod, False,
        ending.namespace_labels, ending.quota,
    )  # fmt: skip
    namespace = prepared_namespace(bed, case)
    found: list[Any] = []

    def wait() -> None:
        options = {"for_creation": 60.0, **ending.options}
        if ending.name in ("deleted", "suspended"):
            created.wait(60)
            options = dict(ending.options)
        waited = jobsworth.wait(
            f"job/{ending.name}",
            namespace=namespace,
            client=bed.client(),
            stuck_after=STUCK_AFTER,
            unschedulable_after=UNSCHEDULABLE_AFTER,
            **options,
        )
        found.extend([waited, time.monotonic()])

    created = threading.Event()
    waiter = threading.Thread(target=wait)
    with bed.calls() as calls:
        waiter.start()
        time.sleep(0.3)  # in most cases the Job does not exist yet
        job = PlayedJob(bed, namespace, manifest(case, manager), keep=False)
        created.set()
        if ending.name == "deleted":
            time.sleep(1)
        played = ending.play(job)
        waiter.join(90)
        assert found, f"{ending.name} by {manager}: the wait does not end"
    waited, returned = found
    fact = played + (ending.after or 0.0)
    if ending.after is None:
        fact = ended.times.get(f"{namespace}/{waited.uid}", returned)
    if ending.outcome == "Timeout":
        fact = returned
    number = sum(
        call.namespace == namespace and call.user_agent == "jobsworth"
        for call in calls.calls(user_agent="jobsworth")
    )
    return Result(f"{ending.name} {manager}", waited, returned - fact, number)


def test_each_end_and_standstill_is_reported_in_time(bed: TestBed) -> None:
    """Print the delays and the numbers of calls with ``pytest -s``."""
    ended = EndedAt(bed)
    wanted = [(ending, manager) for ending in ENDINGS for manager in (BUILT_IN, OURS)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(lambda each: run(bed, ended, *each), wanted))
    wrong = []
    for (ending, _), result in zip(wanted, results, strict=True):
        waited = result.waited
        print(
            f"\n{result.name}: {waited.outcome} ({waited.exit_code}), {result.late:.2f} s after the fact, "
            f"{result.calls} calls\n    {waited.sentence}"
        )
        if waited.outcome != ending.outcome:
            wrong.append(
                f"{result.name}: {waited.outcome}, not {ending.outcome}: {waited.sentence}"
            )
        if result.calls > MOST_CALLS:
            wrong.append(f"{result.name}: {result.calls} calls")
    late = [result.late for result in results]
    print(f"\n{len(results)} waits; at most {max(late):.2f} s after the fact")
    assert not wrong, "\n".join(wrong)


def timed_wait(bed: TestBed, namespace: str) -> tuple[jobsworth.Waited, float]:
    waited = jobsworth.wait("job/train", namespace=namespace, client=bed.client())
    return waited, time.monotonic()


def test_a_restart_of_the_api_server_loses_no_end(bed: TestBed) -> None:
    from cluster.why.played_pods import PlayedJob

    case = Case("train", lambda job: None, (), "")
    played = []
    for outcome in ("Complete", "Failed", "Complete", "Failed"):
        namespace = bed.namespace("wait")
        spec = {"backoffLimit": 0}
        job = PlayedJob(
            bed, namespace, manifest(Case("train", case.play, (), "", spec), BUILT_IN), keep=False
        )
        played.append((job, job.next_pod().runs(), outcome))
    with ThreadPoolExecutor(len(played)) as pool:
        waits = [pool.submit(timed_wait, bed, job.namespace) for job, _, _ in played]
        time.sleep(2)
        assert bed.api_server is not None
        bed.api_server.kill()
        time.sleep(3)
        bed.start_api_server()
        ended = EndedAt(bed)
        for _, pod, outcome in played:
            if outcome == "Complete":
                pod.succeeds()
            else:
                pod.fails(1)
        results = [each.result(timeout=120) for each in waits]
    assert [waited.outcome for waited, _ in results] == [outcome for _, _, outcome in played]
    late = [
        at - ended.times[f"{job.namespace}/{waited.uid}"]
        for (job, _, _), (waited, at) in zip(played, results, strict=True)
    ]
    print(f"\nthrough a restart of the API server: at most {max(late):.2f} s after the fact")


@pytest.mark.parametrize(("code", "exit_code"), [(0, 0), (3, 1)])
def test_the_command_returns_the_code_and_prints_the_sentence(
    bed: TestBed, code: int, exit_code: int
) -> None:
    from cluster.why.played_pods import PlayedJob

    namespace = bed.namespace("wait")
    case = Case("train", lambda job: None, (), "", {"backoffLimit": 0})
    job = PlayedJob(bed, namespace, manifest(case, BUILT_IN), keep=False)
    process = subprocess.Popen(
        [sys.executable, "-m", "jobsworth", "wait", "job/train", "-n", namespace],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "KUBECONFIG": str(bed.kubeconfig),
            "PYTHONPATH": str(ROOT / "webhook"),
        },
    )
    pod = job.next_pod().runs()
    if code:
        pod.fails(code)
    else:
        pod.succeeds()
    out, error = process.communicate(timeout=90)
    assert process.returncode == exit_code, error
    expected = "1 of 1 Pod" if not code else f"failed with exit code {code}"
    assert expected in out.partition("\n")[0]
    assert ("\nFix " in out) == bool(code)
    assert "train  0:00:" in error
