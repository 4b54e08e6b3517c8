"""Defaults of policies in stored objects: what is written, in which order, and what an Event says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.client.api_errors import ApiError, ErrorDetail
from jobsworth.client.api_resources import jobs_path
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.policy.reader import read
from jobsworth.reconciler.events import ApiEventSink, EventRecorder
from jobsworth.reconciler.policy_review import ActivePolicies
from jobsworth.reconciler.prometheus_metrics import ReconcilerMetrics
from jobsworth.reconciler.stored_defaults import StoredDefaults
from support.api_server.fake_job_api import FakeJobApi, Object
from support.controller.simulated_reconciler import NAMESPACE, job

NOW = 1_800_000_000.0
TTL = {"ttlSecondsAfterFinished": {"value": 3600, "when": "ifUnset"}}
PATH = "/apis/batch/v1/namespaces/default/cronjobs"


class Killed(BaseException):
    """The end of the process."""


class Server(FakeJobApi):
    """An API server whose client can be killed before and after each call.

    Attributes:
        log: the calls that write, such as ``PATCH jobs``; a dry run has ``dry run`` before.
        at: is called before and after each of them.
    """

    def __init__(self) -> None:
        super().__init__(lambda: NOW)
        self.log: list[str] = []
        self.at: Callable[[str], None] = lambda moment: None

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Object:
        if method == "GET":
            return super().request(method, path, body, query=query, **options)
        dry = "dryRun" in (query or {})
        call = f"{'dry run ' if dry else ''}{method} {path.split('/')[6 if 'apis' in path else 5]}"
        self.at(f"before {call}")
        answer = {} if dry else super().request(method, path, body, query=query, **options)
        self.log.append(call)
        self.at(f"after {call}")
        return answer

    def ttl(self, name: str = "train") -> int | None:
        """Return a Job's ttlSecondsAfterFinished."""
        found = self.copy_of("jobs", NAMESPACE, name)
        assert found is not None
        ttl: int | None = found["spec"].get("ttlSecondsAfterFinished")
        return ttl

    def events(self) -> list[tuple[str, str]]:
        """Return the reason of each Event, and the kind of its object."""
        return [(each["reason"], each["involvedObject"]["kind"]) for each in self.all("events")]


@pytest.fixture
def server() -> Server:
    server = Server()
    server.create(jobs_path(NAMESPACE), job(suspend=True))
    server.log.clear()
    return server


def active(**spec: Any) -> ActivePolicies:
    document = {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": "cleanup"},
        "spec": {"reconcile": "apply", "defaults": TTL, **spec},
    }
    evaluator = Evaluator(ApiServer("1.36"), policies=read([document]), api=False, lint=False)
    return ActivePolicies(evaluator)


def process(server: Server, metrics: ReconcilerMetrics, **options: Any) -> StoredDefaults:
    recorder = EventRecorder(server, lambda: NOW)
    return StoredDefaults(server, ApiEventSink(recorder, metrics), TokenBucket(0, 1), **options)


@pytest.fixture
def metrics() -> ReconcilerMetrics:
    return ReconcilerMetrics()


def counted(metrics: ReconcilerMetrics, kind: str, result: str) -> float | None:
    name, labels = "job_controller_policy_defaults_total", {"kind": kind, "result": result}
    return metrics.registry.get_sample_value(name, labels)


def test_a_default_is_tried_then_set_then_reported(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    assert process(server, metrics).apply(active()) == {"applied": 1}
    assert server.log == ["dry run PATCH jobs", "PATCH jobs", "POST events"]
    assert server.ttl() == 3600
    assert server.events() == [("PolicyApplied", "Job")]
    assert counted(metrics, "Job", "applied") == 1


MOMENTS = [
    f"{when} {call}"
    for call in ("dry run PATCH jobs", "PATCH jobs", "POST events")
    for when in ("before", "after")
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_process_that_is_killed_has_said_nothing_that_it_has_not_done(
    server: Server, metrics: ReconcilerMetrics, moment: str
) -> None:
    def kill(now: str) -> None:
        if now == moment:
            raise Killed

    server.at = kill
    with pytest.raises(Killed):
        process(server, metrics).apply(active())
    said, done = ("PolicyApplied", "Job") in server.events(), server.ttl() == 3600
    assert not said or done
    server.at = lambda moment: None
    process(server, metrics).apply(active())
    assert server.ttl() == 3600
    assert server.log.count("PATCH jobs") == 1
    # A process that dies between the two writes loses its Event, and nothing else.
    lost = moment in ("after PATCH jobs", "before POST events")
    assert len(server.events()) == (0 if lost else 1)


def test_an_object_that_changes_after_the_dry_run_is_left_alone_and_not_reported(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    def change(moment: str) -> None:
        if moment == "after dry run PATCH jobs":
            server.at = lambda moment: None
            server.change("jobs", NAMESPACE, "train", {"status": {"startTime": "now"}})

    server.at = change
    assert process(server, metrics).apply(active()) == {}
    assert (server.ttl(), server.events()) == (None, [])


def test_a_default_that_the_api_server_rejects_is_reported_with_its_message(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    def reject(moment: str) -> None:
        if moment == "before dry run PATCH jobs":
            raise ApiError(422, "Invalid", "spec.ttlSecondsAfterFinished: no")

    server.at = reject
    assert process(server, metrics).apply(active()) == {"failed": 1}
    (event,) = server.all("events")
    assert (event["reason"], event["type"]) == ("PolicyNotApplied", "Warning")
    assert event["message"].startswith("Cannot set spec.ttlSecondsAfterFinished: unset → 3600")
    assert event["message"].endswith("spec.ttlSecondsAfterFinished: no")
    assert server.ttl() is None


def test_a_field_of_another_manager_is_a_conflict(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    def conflict(moment: str) -> None:
        if moment == "before dry run PATCH jobs":
            details = (ErrorDetail("FieldManagerConflict"),)
            raise ApiError(409, "Conflict", "Apply failed with 1 conflict", details=details)

    server.at = conflict
    assert process(server, metrics).apply(active()) == {"conflict": 1}
    assert server.events() == [("PolicyNotApplied", "Job")]


def test_a_dry_run_sets_nothing_also_without_the_permission_to(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    def forbid(moment: str) -> None:
        if moment == "before dry run PATCH jobs":
            raise ApiError(403, "Forbidden", "no")

    for at in (lambda moment: None, forbid):
        server.at = at
        assert process(server, metrics, dry_run=True).apply(active()) == {"planned": 1}
    assert server.events() == [("PolicyPlanned", "Job")]
    assert "PATCH jobs" not in server.log


def test_a_policy_by_namespace_labels_applies_where_the_labels_match(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    policies = active(match=[{"namespaceSelector": {"matchLabels": {"tier": "batch"}}}])
    for tier, result in (("web", {}), ("batch", {"applied": 1})):
        labels = {NAMESPACE: {"tier": tier}}
        assert process(server, metrics, namespace_labels=labels.get).apply(policies) == result


def test_cron_jobs_get_their_defaults_too_and_a_policy_that_reports_sets_none(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    cron = {
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "0 4 * * *", "jobTemplate": {"spec": job()["spec"]}},
    }
    server.create(PATH, cron)
    assert process(server, metrics).apply(active(reconcile="report")) == {}
    assert process(server, metrics).apply(active()) == {"applied": 2}
    stored = server.copy_of("cronjobs", NAMESPACE, "nightly")
    assert stored is not None
    assert stored["spec"]["jobTemplate"]["spec"]["ttlSecondsAfterFinished"] == 3600
    assert counted(metrics, "CronJob", "applied") == 1


def test_a_process_that_ends_begins_no_other_object(
    server: Server, metrics: ReconcilerMetrics
) -> None:
    assert process(server, metrics, stopped=lambda: True).apply(active()) == {}
    assert server.log == []
