"""The audit that runs continuously: metrics and Events of each audit, what is new, and what a failure leaves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.audit import unchanged_objects
from jobsworth.audit.audited_objects import AuditScope
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.selection import Selection
from jobsworth.policy.policy_set import PolicySet
from support.api_server.fake_list_server import FakeListServer, status
from support.api_server.in_process_lists import InProcessLists
from support.api_server.stored_objects import cron_manifest, ended, manifest, owned, stored
from support.fake_clock import FakeClock
from support.policy.policy_requests import document, policies

pytest.importorskip("prometheus_client")

from jobsworth.audit.audit_events import AuditEvents
from jobsworth.audit.audit_metrics import AuditMetrics
from jobsworth.audit.cluster_audit import AuditSettings
from jobsworth.audit.continuous_audit import Clocks, ContinuousAudit
from jobsworth.client.rate_limit import TokenBucket

FEW_RETRIES = {"limits": {"backoffLimit": {"maximum": 3}}}
RETRIES = document("few-retries", **FEW_RETRIES)
JOBS = "/apis/batch/v1/jobs"


class Audited:
    """A cluster, the policies, and the audit of both; a test repeats the audit."""

    def __init__(self, *documents: dict[str, Any], interval: float = 300.0) -> None:
        self.server = FakeListServer()
        self.policies: PolicySet | None = policies(*documents) if documents else None
        self.clock = FakeClock()
        self.stop = threading.Event()
        self.logged: list[str] = []
        self.changes: Iterator[bool] = iter(())
        self.limit = TokenBucket(10, 300, clock=self.clock)
        self.start(interval)

    def start(self, interval: float = 300.0) -> None:
        """Start as a new process does."""
        api = InProcessLists(self.server)
        self.events = AuditEvents(api, self.clock, self.limit)
        self.metrics = AuditMetrics(interval, self.events)
        self.audit = ContinuousAudit(
            StoredObjects(api),
            AuditScope([None], exempt_namespaces={"kube-system"}),
            lambda: AuditSettings(
                Evaluator(ApiServer("1.36"), Selection(), self.policies), Selection(), {}
            ),
            lambda: next(self.changes, False),
            interval=interval,
            events=self.events,
            metrics=self.metrics,
            clocks=Clocks(self.clock, self.clock),
            stop=self.stop,
            log=self.logged.append,
        )

    def values(self, metric: str) -> dict[tuple[str, ...], float]:
        """The samples of a metric by the values of their labels."""
        return {
            tuple(sample.labels.values()): sample.value
            for family in self.metrics.collect()
            for sample in family.samples
            if sample.name == metric
        }

    def new_violations(self) -> float:
        return sum(self.values("jobsworth_audit_new_violations_total").values())


def job(name: str, namespace: str = "batch", **spec: Any) -> dict[str, Any]:
    return stored(manifest(name, **spec), namespace)


def change(stored_job: dict[str, Any], backoff_limit: int) -> None:
    """Change a stored Job as its API server does, which counts up the resourceVersion."""
    stored_job["spec"]["backoffLimit"] = backoff_limit
    metadata = stored_job["metadata"]
    metadata["resourceVersion"] = str(int(metadata["resourceVersion"]) + 1)


def test_jobs_and_cron_jobs_are_counted_by_policy_enforcement_and_namespace() -> None:
    audited = Audited(
        RETRIES, document("quiet", enforcement="audit", match=[{"namespaces": ["none"]}])
    )
    nightly = stored(cron_manifest(), "reports")  # its jobs have the default, 6
    audited.server.cron_jobs = [nightly]
    audited.server.jobs = [
        job("sound", backoffLimit=1),
        job("poor"),
        owned(job("made", "reports"), nightly),
        {**job("over"), "status": ended("Failed")},
    ]
    assert audited.audit.audit()
    assert audited.values("jobsworth_audit_objects") == {("Job",): 2, ("CronJob",): 1}
    assert audited.values("jobsworth_audit_policy_objects") == {
        ("few-retries", "deny", "compliant"): 1,
        ("few-retries", "deny", "violating"): 2,
        ("quiet", "audit", "compliant"): 0,
        ("quiet", "audit", "violating"): 0,
    }
    assert audited.values("jobsworth_audit_violations") == {
        ("few-retries", "deny", "batch"): 1,
        ("few-retries", "deny", "reports"): 1,
    }


def test_an_exempt_namespace_is_not_audited() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("poor", "kube-system")]
    audited.audit.audit()
    assert audited.values("jobsworth_audit_violations") == {}


def test_findings_that_are_no_violations_are_counted_by_code() -> None:
    audited = Audited()
    audited.server.jobs = [job("hangs", activeDeadlineSeconds=None), job("sound")]
    audited.audit.audit()
    assert audited.values("jobsworth_audit_findings") == {("lint", "info", "JW201"): 1}


def test_one_hundred_namespaces_are_named_and_the_others_are_counted_together() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("poor", f"team-{index:03}") for index in range(130)]
    audited.audit.audit()
    shown = audited.values("jobsworth_audit_violations")
    assert len(shown) == 101
    assert shown["few-retries", "deny", "other"] == 30
    assert sum(shown.values()) == 130


@pytest.mark.slow
def test_a_named_namespace_keeps_its_series_while_it_has_violations() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("poor", f"team-{index:03}") for index in range(100)]
    audited.audit.audit()
    audited.server.jobs += [job(name, "busy") for name in ("a", "b")]
    audited.audit.audit()
    assert ("few-retries", "deny", "busy") not in audited.values("jobsworth_audit_violations")
    del audited.server.jobs[0]
    audited.audit.audit()
    assert audited.values("jobsworth_audit_violations")["few-retries", "deny", "busy"] == 2


def test_a_violation_is_new_if_the_object_did_not_violate_the_policy_in_the_audit_before() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("old")]
    audited.audit.audit()
    assert audited.values("jobsworth_audit_new_violations_total") == {("few-retries", "deny"): 0}
    audited.server.jobs += [job("new"), job("sound", backoffLimit=0)]
    audited.audit.audit()
    audited.audit.audit()
    assert audited.values("jobsworth_audit_new_violations_total") == {("few-retries", "deny"): 1}


def test_the_first_audit_of_a_policy_is_its_baseline() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("old", parallelism=9)]
    audited.audit.audit()
    small = document("small", enforcement="audit", limits={"parallelism": {"maximum": 2}})
    audited.policies = policies(RETRIES, small)
    audited.audit.audit()
    assert audited.new_violations() == 0
    assert audited.values("jobsworth_audit_policy_objects")["small", "audit", "violating"] == 1


def test_a_stricter_enforcement_is_not_a_new_violation() -> None:
    audited = Audited(document("few-retries", enforcement="warn", **FEW_RETRIES))
    audited.server.jobs = [job("old")]
    audited.audit.audit()
    audited.policies = policies(RETRIES)
    audited.audit.audit()
    assert audited.new_violations() == 0
    assert audited.values("jobsworth_audit_violations") == {("few-retries", "deny", "batch"): 1}


def test_a_failed_audit_keeps_the_last_result() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("poor")]
    assert audited.audit.unready() == "the first audit is not complete"
    audited.audit.audit()
    assert audited.audit.unready() is None
    audited.server.jobs = [job("another")]
    audited.server.faults.append(
        lambda path, query: (500, status(500, "InternalError", "boom")) if path == JOBS else None
    )
    assert not audited.audit.audit()
    assert audited.values("jobsworth_audit_violations") == {("few-retries", "deny", "batch"): 1}
    assert audited.values("jobsworth_audit_runs_total") == {("complete",): 1, ("failed",): 1}
    assert "the audit failed and is retried: boom" in audited.logged


def test_an_object_whose_evaluation_fails_does_not_end_the_audit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("odd"), job("poor")]
    evaluate = Evaluator.evaluate

    def failing(self: Evaluator, subject: Subject) -> Evaluation:
        if subject.value["metadata"]["name"] == "odd":
            raise KeyError("spec")
        return evaluate(self, subject)

    monkeypatch.setattr(Evaluator, "evaluate", failing)
    assert audited.audit.audit()
    assert audited.values("jobsworth_audit_violations") == {("few-retries", "deny", "batch"): 1}
    assert audited.values("jobsworth_audit_unevaluated_objects") == {(): 1}
    assert (
        audited.logged[0] == "internal error in the evaluation of batch/Job/odd: KeyError: 'spec'"
    )


# Objects that have not changed


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the objects that were evaluated."""
    names: list[str] = []
    evaluate = Evaluator.evaluate

    def noting(self: Evaluator, subject: Subject) -> Evaluation:
        names.append(subject.value["metadata"]["name"])
        return evaluate(self, subject)

    monkeypatch.setattr(Evaluator, "evaluate", noting)
    return names


def test_an_object_is_evaluated_again_only_if_it_or_a_policy_has_changed(
    evaluated: list[str],
) -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("poor"), job("sound", backoffLimit=0)]
    audited.audit.audit()
    audited.audit.audit()
    assert evaluated == ["poor", "sound"]
    change(audited.server.jobs[1], 9)
    audited.audit.audit()
    assert evaluated[2:] == ["sound"]
    audited.policies = policies(RETRIES)
    audited.audit.audit()
    assert evaluated[3:] == ["poor", "sound"]


def test_a_failed_audit_forgets_no_result(evaluated: list[str]) -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("poor"), job("sound", backoffLimit=0)]
    audited.audit.audit()
    audited.server.faults.append(
        lambda path, query: (500, status(500, "InternalError", "boom")) if path == JOBS else None
    )
    assert not audited.audit.audit()
    audited.server.faults.clear()
    audited.audit.audit()
    assert evaluated == ["poor", "sound"]


def test_results_beyond_the_bound_are_not_kept(
    evaluated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unchanged_objects, "MOST_DISTINCT", 1)
    audited = Audited(RETRIES)
    audited.server.jobs = [job("first"), job("second"), job("sound", backoffLimit=0)]
    for _ in range(2):
        audited.audit.audit()
    assert evaluated[3:] == ["sound"]
    assert audited.values("jobsworth_audit_violations") == {("few-retries", "deny", "batch"): 2}


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("create"), st.integers(0, 5)),
        st.tuples(st.just("change"), st.integers(0, 5)),
        st.tuples(st.just("delete"), st.integers(0, 5)),
        st.tuples(st.just("limit"), st.integers(1, 4)),
    ),
    max_size=4,
)


@pytest.mark.slow
@given(st.lists(CHANGES, min_size=2, max_size=5))
def test_a_later_audit_finds_what_the_first_of_another_process_does(
    histories: list[list[tuple[str, int]]],
) -> None:
    audited = Audited(RETRIES)
    for changes in histories:
        jobs = audited.server.jobs
        for what, number in changes:
            if what == "create":
                jobs.append(job(f"job-{number}", f"team-{number % 2}", backoffLimit=number))
            elif what == "limit":
                limits = {"backoffLimit": {"maximum": number}}
                audited.policies = policies(document("few-retries", limits=limits))
            elif jobs and what == "change":
                change(jobs[number % len(jobs)], number)
            elif jobs:
                del jobs[number % len(jobs)]
        assert audited.audit.audit()
        fresh = Audited()
        fresh.server, fresh.policies = audited.server, audited.policies
        fresh.start()
        assert fresh.audit.audit()
        assert vars(audited.metrics.result) == vars(fresh.metrics.result)


# Events


def test_an_object_gets_one_event_for_a_set_of_findings_also_from_the_next_process() -> None:
    audited = Audited(RETRIES)
    poor, nightly = job("poor"), stored(cron_manifest(), "reports")
    audited.server.jobs, audited.server.cron_jobs = [poor], [nightly]
    for _ in range(2):
        audited.audit.audit()
    audited.start()
    audited.audit.audit()
    of_cron_job, of_job = audited.server.events.values()
    assert of_job["involvedObject"] == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "namespace": "batch",
        "name": "poor",
        "uid": poor["metadata"]["uid"],
    }
    assert of_cron_job["involvedObject"]["kind"] == "CronJob"
    assert (of_job["type"], of_job["reason"]) == ("Warning", "AuditFindings")
    assert "spec.backoffLimit" in of_job["message"]
    assert "policy few-retries" in of_job["message"]


def test_other_findings_are_another_event() -> None:
    audited = Audited(RETRIES)
    poor = job("poor")
    audited.server.jobs = [poor]
    audited.audit.audit()
    change(poor, 8)
    audited.audit.audit()
    assert len(audited.server.events) == 2


@pytest.mark.parametrize(("enforcement", "events"), [("audit", 0), ("warn", 1), ("deny", 1)])
def test_a_policy_that_only_audits_writes_no_events(enforcement: str, events: int) -> None:
    audited = Audited(document("few-retries", enforcement=enforcement, **FEW_RETRIES))
    audited.server.jobs = [job("poor", activeDeadlineSeconds=None)]
    audited.audit.audit()
    assert len(audited.server.events) == events
    assert audited.values("jobsworth_audit_violations") == {
        ("few-retries", enforcement, "batch"): 1
    }


@pytest.mark.slow
def test_events_over_the_rate_are_written_by_later_audits() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job(f"poor-{index:03}") for index in range(350)]
    audited.audit.audit()
    assert len(audited.server.events) == 300
    assert audited.values("jobsworth_audit_events_total")[("deferred",)] == 50
    audited.clock.now += 300
    audited.audit.audit()
    assert len(audited.server.events) == 350
    assert audited.values("jobsworth_audit_events_total")[("created",)] == 350


def test_an_event_that_cannot_be_written_is_logged_and_tried_again() -> None:
    audited = Audited(RETRIES)
    audited.server.jobs = [job("poor")]
    forbidden = (403, status(403, "Forbidden", "cannot create resource events"))
    audited.server.faults.append(
        lambda path, query: forbidden if path.endswith("/events") else None
    )
    assert audited.audit.audit()
    assert "batch/Job/poor: cannot create resource events" in audited.logged[0]
    audited.server.faults.clear()
    audited.audit.audit()
    assert len(audited.server.events) == 1


# The loop


def test_the_audit_is_repeated_at_the_interval_and_at_once_when_a_policy_changes() -> None:
    audited = Audited(RETRIES, interval=300)
    begun: list[float] = []

    def wait(seconds: float) -> bool:
        audited.clock.now += seconds
        return len(begun) == 4

    def record(path: str, query: dict[str, str]) -> None:
        if path == JOBS:
            begun.append(audited.clock.now)

    audited.server.faults.append(record)  # type: ignore[arg-type]
    audited.stop.wait = wait  # type: ignore[method-assign, assignment]
    audited.stop.is_set = lambda: len(begun) == 4 and audited.clock.now > begun[3]  # type: ignore[method-assign]
    audited.changes = iter([False] * 4 + [True])
    first = audited.clock.now
    audited.audit.run()
    assert [each - first for each in begun] == [0, 5, 305, 605]
