"""One sync of a Job: the Pods that it creates and deletes, and the status that it writes.

The cases are those of ``TestControllerSyncJob`` and its neighbors in ``pkg/controller/job``, Kubernetes 1.36.
"""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller import well_known_names
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.jobs import read_job
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.sync_context import SyncDecision, decide_sync
from jobsworth.controller.times import write_time
from support.controller.job_syncs import (
    LONG_AGO,
    NOW,
    a_job,
    a_pod,
    an_indexed_job,
    pods,
    sync,
    with_condition,
)

DELETED = {"deletionTimestamp": write_time(NOW)}

MANAGING: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
    "nothing runs: as many Pods as may run in parallel": (
        a_job(parallelism=2, completions=5),
        [],
        {"create": 2, "A": 2, "delete": 0},
    ),
    "a work queue starts as many": (a_job(parallelism=2), [], {"create": 2, "A": 2}),
    "what is pending is enough": (
        a_job(parallelism=2, completions=5),
        pods((2, "Pending")),
        {"create": 0, "delete": 0, "A": 2},
    ),
    "ready Pods are counted": (
        a_job(parallelism=3, completions=5),
        pods((1, "Running"), (2, "Ready")),
        {"A": 3, "R": 2, "create": 0},
    ),
    "a success is counted and followed by a new Pod": (
        a_job(parallelism=2, completions=5),
        pods((1, "Running"), (1, "Succeeded")),
        {"create": 1, "S": 1, "strip": 1, "A": 2},
    ),
    "one too many is let go of, then deleted": (
        a_job(parallelism=2, completions=5),
        pods((3, "Pending")),
        {"delete": 1, "strip": 1, "A": 2, "T": 1, "create": 0},
    ),
    "of three that are ready two are left": (
        a_job(parallelism=2, completions=5),
        pods((3, "Ready")),
        {"delete": 1, "A": 2, "R": 2, "T": 1},
    ),
    "with Failed, a terminating Pod is not replaced": (
        a_job(completions=2, podReplacementPolicy="Failed"),
        pods((1, "Running"), (1, "Failed"), (1, "Terminating")),
        {"A": 1, "T": 1, "F": 1, "strip": 1, "create": 0},
    ),
    "with TerminatingOrFailed, it has failed": (
        a_job(completions=2),
        pods((1, "Running"), (1, "Failed"), (1, "Terminating")),
        {"A": 1, "T": 1, "F": 2, "strip": 2},
    ),
    "with Failed, what is too much goes all the same": (
        a_job(completions=1, podReplacementPolicy="Failed"),
        pods((2, "Running"), (4, "Terminating")),
        {"delete": 1, "A": 1, "T": 5},
    ),
    "an empty failure policy waits like Failed": (
        a_job(completions=1, podFailurePolicy={"rules": []}),
        pods((2, "Running"), (4, "Terminating")),
        {"delete": 1, "A": 1, "T": 5},
    ),
    "a failure policy waits whatever the replacement policy says": (
        a_job(completions=1, podFailurePolicy={"rules": []}, podReplacementPolicy=None),
        pods((1, "Terminating")),
        {"create": 0, "F": 0, "T": 1},
    ),
    "with Failed, a terminating Pod takes a place even without an index": (
        an_indexed_job(5, 2, podReplacementPolicy="Failed"),
        pods((1, "Terminating")),
        {"indexes": [0], "T": 1},
    ),
    "with TerminatingOrFailed it does not": (
        an_indexed_job(5, 2),
        pods((1, "Terminating")),
        {"indexes": [0, 1], "T": 1},
    ),
    "with Failed, the index of a terminating Pod is not started again": (
        an_indexed_job(3, 2, podReplacementPolicy="Failed"),
        [a_pod(index=0, deleted=True)],
        {"indexes": [1], "T": 1},
    ),
    "all have succeeded": (
        a_job(completions=5),
        pods((5, "Succeeded")),
        {"S": 5, "strip": 5, "conditions": ["SuccessCriteriaMet", "Complete"], "writes": 2},
    ),
    "a work queue with a success starts nothing more": (
        a_job(parallelism=2),
        pods((1, "Running"), (1, "Succeeded")),
        {"A": 1, "S": 1, "create": 0},
    ),
    "a work queue is complete when nothing runs any more": (
        a_job(parallelism=2),
        pods((2, "Succeeded")),
        {"S": 2, "conditions": ["SuccessCriteriaMet", "Complete"]},
    ),
    "a failure beside a success does not matter to a work queue": (
        a_job(parallelism=2),
        pods((1, "Succeeded"), (1, "Failed")),
        {"S": 1, "F": 1, "conditions": ["SuccessCriteriaMet", "Complete"]},
    ),
    "eight of ten are too many": (
        a_job(parallelism=2, completions=5),
        pods((10, "Pending")),
        {"delete": 8, "A": 2},
    ),
    "no more run than are still to succeed": (
        a_job(parallelism=3, completions=4),
        pods((3, "Running"), (2, "Succeeded")),
        {"delete": 1, "S": 2, "strip": 3, "A": 2},
    ),
    "enough run": (
        a_job(parallelism=2, completions=5),
        pods((2, "Running"), (2, "Succeeded")),
        {"A": 2, "S": 2, "create": 0, "delete": 0},
    ),
    "a Job that is deleted lets go of all Pods and counts what has ended": (
        a_job(parallelism=2, completions=5, metadata=DELETED),
        pods((1, "Pending"), (1, "Running"), (1, "Succeeded")),
        {"create": 0, "delete": 0, "strip": 3, "A": 2, "S": 1, "F": 0},
    ),
    "so does one that is suspended": (
        a_job(parallelism=2, suspend=True, metadata=DELETED),
        pods((2, "Running")),
        {"strip": 2, "delete": 0, "conditions": []},
    ),
    "a Job that is deleted can still fail": (
        a_job(backoffLimit=0, metadata=DELETED),
        pods((1, "Failed")),
        {"F": 1, "conditions": ["FailureTarget", "Failed"]},
    ),
}


@pytest.mark.parametrize(("job", "given", "expected"), MANAGING.values(), ids=MANAGING)
def test_managing(
    job: dict[str, Any], given: list[dict[str, Any]], expected: dict[str, Any]
) -> None:
    sync(job, given).shows(**expected)


def test_u6_a_deletion_that_fails_leaves_the_pod_counted_as_active() -> None:
    given = pods((3, "Pending"))
    everyone = [pod["metadata"]["name"] for pod in given]
    sync(a_job(parallelism=2, completions=5), given, undeletable=everyone).shows(A=3, T=0)


def test_u7_where_every_call_fails_nothing_is_counted() -> None:
    job = a_job(parallelism=2, completions=5)
    given = pods((1, "Running"), (1, "Succeeded"))
    everyone = [pod["metadata"]["name"] for pod in given]
    done = sync(job, given, creatable=0, unstrippable=everyone)
    done.shows(A=1, S=0, create=1, strip=0)


def test_u8_creations_beyond_a_failed_batch_are_not_active() -> None:
    sync(a_job(parallelism=100, completions=100), creatable=10).shows(A=10)


def test_u12_after_a_failure_just_now_nothing_is_created() -> None:
    job = a_job(completions=1)
    sync(job, backoff=BackoffRecord(1, NOW)).shows(create=0, requeue=10.0)
    sync(job, backoff=BackoffRecord(0, None)).shows(create=1, requeue=None)
    sync(job, backoff=BackoffRecord(1, NOW), now=NOW + 9.5).shows(create=0, requeue=1.0)


def test_u13_a_success_after_the_failure_ends_the_wait() -> None:
    given = [a_pod(), a_pod("Succeeded", finished=LONG_AGO + 1), a_pod("Failed")]
    done = sync(a_job(parallelism=2, completions=5), given, backoff=BackoffRecord(3, LONG_AGO))
    done.shows(create=1, S=1, F=1)
    assert done.backoff == BackoffRecord(0, None, LONG_AGO + 1)


def test_u14_a_failure_of_long_ago_is_replaced_at_once() -> None:
    done = sync(a_job(parallelism=2, completions=5), pods((1, "Failed")))
    done.shows(create=2, F=1)
    assert done.backoff == BackoffRecord(1, LONG_AGO)


def test_u22_no_condition_while_the_watch_lags_behind() -> None:
    job = a_job(backoffLimit=0, metadata=DELETED)
    sync(job, pods((1, "Failed")), observed=False).shows(F=1, conditions=[])


INDEXED: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
    "every index has succeeded, one after a failure": (
        an_indexed_job(3),
        [a_pod("Succeeded", 0), a_pod("Succeeded", 1), a_pod("Succeeded", 2), a_pod("Failed", 1)],
        {"S": 3, "F": 1, "CI": "0-2", "conditions": ["SuccessCriteriaMet", "Complete"]},
    ),
    "one failure too many while others run": (
        an_indexed_job(3, backoffLimit=0),
        [a_pod("Succeeded", 0), a_pod("Failed", 1), a_pod("Running", 2)],
        {"delete": 1, "S": 1, "F": 2, "T": 1, "CI": "0", "conditions": ["FailureTarget"]},
    ),
    "an index that succeeded twice counts once": (
        an_indexed_job(5, 2),
        [a_pod("Succeeded", 1), a_pod("Succeeded", 1), a_pod("Succeeded", 0)],
        {"create": 2, "CI": "0,1", "S": 2},
    ),
    "the lowest indexes that are free are next": (
        an_indexed_job(20, 8),
        [a_pod("Running", 0), a_pod("Pending", 3)]
        + [a_pod("Succeeded", index) for index in (2, 4, 5, 7, 8, 9)],
        {"indexes": [1, 6, 10, 11, 12, 13], "CI": "2,4,5,7-9"},
    ),
    "failed indexes are tried again": (
        an_indexed_job(4, 3),
        [a_pod("Failed", 0), a_pod("Pending", 1), a_pod("Failed", 2)],
        {"indexes": [0, 2], "F": 2},
    ),
    "Pods without an index go and do not count": (
        an_indexed_job(5, 2),
        [
            a_pod("Running"),
            a_pod("Pending"),
            a_pod("Running"),
            a_pod("Succeeded"),
            a_pod("Failed"),
            a_pod("Succeeded"),
            a_pod("Failed"),
            a_pod("Succeeded", 0),
            a_pod("Running", 1),
            a_pod("Running", 2),
        ],
        {"delete": 3, "strip": 8, "A": 2, "S": 1, "F": 0, "CI": "0"},
    ),
    "doubles go before anything is created": (
        an_indexed_job(5),
        [
            a_pod("Succeeded", 0),
            a_pod("Running", 1),
            a_pod("Running", 2),
            a_pod("Pending", 2),
            a_pod("Running"),
        ],
        {"delete": 2, "create": 0, "A": 2, "CI": "0"},
    ),
    "indexes beyond the completions go and do not count": (
        an_indexed_job(5),
        [
            a_pod("Succeeded", 0),
            a_pod("Running", 5),
            a_pod("Pending", 6),
            a_pod("Succeeded", 7),
            a_pod("Failed", 8),
        ],
        {"delete": 2, "strip": 5, "S": 1, "F": 0, "CI": "0", "create": 0},
    ),
}


@pytest.mark.parametrize(("job", "given", "expected"), INDEXED.values(), ids=INDEXED)
def test_indexed(
    job: dict[str, Any], given: list[dict[str, Any]], expected: dict[str, Any]
) -> None:
    sync(job, given).shows(**expected)


def test_u25_pods_that_are_deleted_for_a_failure_count_as_failed() -> None:
    done = sync(
        a_job(parallelism=3, completions=3, backoffLimit=0), pods((2, "Ready"), (1, "Failed"))
    )
    done.shows(F=3, R=0, A=0, delete=2)


def test_u32_a_suspension_deletes_without_counting() -> None:
    job = a_job(parallelism=2, suspend=True, status={"startTime": write_time(NOW - 60)})
    done = sync(job, pods((2, "Ready")))
    done.shows(
        strip=2, delete=2, A=0, R=0, T=2, F=0, conditions=["Suspended"], events=["Suspended"]
    )
    assert "startTime" not in done.status


def test_u33_a_suspension_waits_for_the_watch() -> None:
    done = sync(a_job(parallelism=3, suspend=True), pods((3, "Ready")), observed=False)
    done.shows(delete=0, A=3, R=3, conditions=[])


def test_u34_a_resumed_job_runs_at_once() -> None:
    suspended = with_condition("Suspended", reason="JobSuspended", message="Job suspended")
    job = a_job(parallelism=2, completions=4, status={"conditions": [suspended]})
    done = sync(job)
    done.shows(create=2, conditions=[], events=["Resumed"])
    assert done.status["conditions"][0]["reason"] == "JobResumed"
    assert done.status["startTime"] == write_time(NOW)


@pytest.mark.parametrize("kind", ["FailureTarget", "SuccessCriteriaMet"])
def test_u35_an_interim_condition_that_is_false_has_no_effect(kind: str) -> None:
    job = a_job(status={"conditions": [with_condition(kind, "False")]})
    done = sync(job, pods((1, "Running")))
    done.shows(A=1, delete=0, conditions=[])
    assert [entry["type"] for entry in done.status["conditions"]] == [kind]


def late_job(**spec: Any) -> dict[str, Any]:
    started = spec.pop("started", NOW - 15)
    return a_job(activeDeadlineSeconds=10, status={"startTime": write_time(started)}, **spec)


def test_u36_a_job_that_ran_for_too_long_fails() -> None:
    done = sync(late_job(completions=2), pods((1, "Running")))
    done.shows(delete=1, F=1, T=1, conditions=["FailureTarget"])
    assert done.reason == "DeadlineExceeded"
    assert done.message == "Job was active longer than specified deadline"
    sync(late_job(completions=2), pods((1, "Running"), (1, "Succeeded"))).shows(S=1, F=1)


def test_u36_exactly_at_its_deadline_it_has_failed() -> None:
    done = sync(late_job(completions=2, started=NOW - 10))
    done.shows(conditions=["FailureTarget", "Failed"], events=["DeadlineExceeded"])


def test_u36_the_backoff_limit_is_evaluated_first() -> None:
    done = sync(late_job(completions=2, backoffLimit=0), pods((1, "Failed")))
    assert done.reason == "BackoffLimitExceeded"


def test_u36_a_suspended_job_has_no_deadline() -> None:
    sync(late_job(suspend=True)).shows(conditions=["Suspended"], requeue=None)


def test_u37_the_job_is_synced_again_exactly_when_it_is_due() -> None:
    sync(late_job(started=NOW - 4)).shows(requeue=6.0)
    fresh = a_job(activeDeadlineSeconds=10)
    fresh["status"] = {}
    sync(fresh).shows(requeue=10.0)


def test_u38_a_condition_that_is_there_is_flipped_in_place() -> None:
    job = a_job(backoffLimit=0, status={"conditions": [with_condition("Failed", "False")]})
    done = sync(job, pods((1, "Failed")))
    assert [entry["type"] for entry in done.status["conditions"]] == ["Failed", "FailureTarget"]
    done.shows(conditions=["Failed", "FailureTarget"])


@pytest.mark.parametrize(
    ("job", "decision"),
    [
        (a_job(status={"conditions": [with_condition("Complete")]}), SyncDecision.FINISHED),
        (a_job(status={"conditions": [with_condition("Failed")]}), SyncDecision.FINISHED),
        (a_job(status={"conditions": [with_condition("Failed", "False")]}), SyncDecision.SYNC),
        (a_job(managedBy="example.com/other"), SyncDecision.NOT_OURS),
        (a_job(managedBy=None), SyncDecision.NOT_OURS),
        (a_job(managedBy=well_known_names.RESERVED_MANAGER), SyncDecision.NOT_OURS),
        (a_job(completionMode="Shuffled"), SyncDecision.UNKNOWN_MODE),
        (a_job(), SyncDecision.SYNC),
    ],
)
def test_u39_jobs_that_are_synced_and_jobs_that_are_skipped(
    job: dict[str, Any], decision: SyncDecision
) -> None:
    settings = ControllerSettings()
    assert decide_sync(read_job(job, settings), settings) is decision


@pytest.mark.parametrize(
    "managed_by", [None, well_known_names.RESERVED_MANAGER, well_known_names.OUR_MANAGER]
)
def test_where_there_is_no_built_in_controller_its_jobs_can_be_taken(
    managed_by: str | None,
) -> None:
    settings = ControllerSettings(adopt_unmanaged=True)
    assert (
        decide_sync(read_job(a_job(managedBy=managed_by), settings), settings) is SyncDecision.SYNC
    )


def test_the_pods_of_jobs_without_managed_by_have_the_reserved_finalizer() -> None:
    settings = ControllerSettings(adopt_unmanaged=True)
    reserved = {
        "metadata": {**a_pod()["metadata"], "finalizers": [well_known_names.RESERVED_FINALIZER]}
    }
    done = sync(a_job(managedBy=None), [{**a_pod("Succeeded"), **reserved}], settings=settings)
    done.shows(S=1, strip=1)


def test_one_sync_creates_or_deletes_so_many_and_no_more() -> None:
    few = ControllerSettings(max_pods_per_sync=2)
    sync(a_job(parallelism=5, completions=5), settings=few).shows(create=2)
    sync(an_indexed_job(5), settings=few).shows(indexes=[0, 1])
    sync(an_indexed_job(5, backoffLimitPerIndex=1), settings=few).shows(indexes=[0, 1])
    sync(a_job(parallelism=0), pods((5, "Running")), settings=few).shows(delete=2, A=3)
    sync(a_job(suspend=True), pods((5, "Running")), settings=few).shows(delete=5)
    sync(a_job(backoffLimit=0), pods((5, "Running"), (1, "Failed")), settings=few).shows(delete=5)
