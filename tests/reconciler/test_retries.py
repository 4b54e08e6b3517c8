"""Consequences of an error of each call."""

from __future__ import annotations

import pytest

from jobsworth.client.api_errors import UNREACHABLE, ApiError, ErrorDetail
from jobsworth.client.api_resources import pods_path
from support.api_server.fake_job_api import Call
from support.controller.simulated_reconciler import NAMESPACE, SimulatedReconciler

CONFLICT = ApiError(409, "Conflict", "the object has been modified")
GONE = ApiError(404, "NotFound", "not found")
REPLACED = ApiError(409, "Conflict", "the UID in the precondition (a) does not match")
QUOTA = ApiError(403, "Forbidden", "exceeded quota")
TERMINATING = ApiError(
    403, "Forbidden", "being terminated", details=(ErrorDetail("NamespaceTerminating"),)
)
LOST = ApiError(UNREACHABLE, "", "connection reset")
BROKEN = ApiError(500, "InternalError", "etcd is away")
BUSY = ApiError(429, "TooManyRequests", "busy", retry_after=7)
DENIED = ApiError(422, "Invalid", "ValidatingAdmissionPolicy 'x' denied request: no")
ALL = [CONFLICT, QUOTA, LOST, BROKEN, BUSY, DENIED]


@pytest.fixture
def simulation() -> SimulatedReconciler:
    return SimulatedReconciler()


@pytest.mark.parametrize("error", ALL, ids=str)
def test_a_creation_that_fails_is_made_good(
    simulation: SimulatedReconciler, error: ApiError
) -> None:
    simulation.create(parallelism=1)
    simulation.reject("POST", "pods", error)
    outcomes = simulation.run(0.5)
    assert [str(found) for outcome in outcomes for found in outcome.errors] == [str(error)]
    assert "FailedCreate" in simulation.sink.reasons()
    simulation.run(8)
    assert len(simulation.running()) == 1


def test_in_a_namespace_that_is_being_deleted_nothing_is_reported(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(parallelism=1)
    simulation.reject("POST", "pods", TERMINATING)
    (outcome, *_) = simulation.run(0.5)
    assert outcome.errors == []
    assert simulation.sink.reasons() == []


@pytest.mark.parametrize("error", ALL, ids=str)
def test_a_status_that_cannot_be_stored_stops_the_sync_before_any_finalizer_goes(
    simulation: SimulatedReconciler, error: ApiError
) -> None:
    simulation.create(parallelism=1)
    simulation.run(2)
    simulation.end(simulation.running()[0])
    simulation.reject("PUT", "jobs/status", error)
    simulation.run(1.5)
    assert len(simulation.tracked()) == 1
    assert simulation.status()["succeeded"] == 0
    simulation.run(10)
    assert simulation.tracked() == []
    assert simulation.status()["succeeded"] == 1
    assert "Complete" in simulation.conditions()


@pytest.mark.parametrize("error", ALL, ids=str)
def test_a_finalizer_that_stays_is_not_counted_until_it_is_gone(
    simulation: SimulatedReconciler, error: ApiError
) -> None:
    simulation.create(parallelism=2, completions=2)
    simulation.run(2)
    for pod in simulation.running():
        simulation.end(pod)
    simulation.reject("PATCH", "pods", error)
    simulation.run(1.5)
    assert ("FailedFinalizerRemoval" in simulation.sink.reasons()) == (error.code in (403, 422))
    assert simulation.status()["succeeded"] == 1
    assert len(simulation.status()["uncountedTerminatedPods"]["succeeded"]) == 1
    simulation.run(10)
    assert simulation.tracked() == []
    assert simulation.status()["succeeded"] == 2


@pytest.mark.parametrize(
    "error", [GONE, ApiError(422, "Invalid", "metadata.uid: Invalid value")], ids=str
)
def test_a_pod_that_is_gone_counts_as_freed(
    simulation: SimulatedReconciler, error: ApiError
) -> None:
    simulation.create(parallelism=1)
    simulation.run(2)
    pod = simulation.running()[0]
    simulation.end(pod)
    simulation.reject("PATCH", "pods", error)
    simulation.run(1.5)
    assert simulation.status()["succeeded"] == 1
    simulation.run(5)
    assert simulation.status()["succeeded"] == 1
    # The cache still shows it with its finalizer: it is not counted a second time, and untracked in the end.
    assert simulation.tracked() == []


@pytest.mark.parametrize(
    ("error", "deleted"),
    [(GONE, True), (REPLACED, True), (LOST, False), (BROKEN, False), (BUSY, False)],
    ids=str,
)
def test_a_deletion_that_fails_is_tried_again(
    simulation: SimulatedReconciler, error: ApiError, deleted: bool
) -> None:
    simulation.create(parallelism=2)
    simulation.run(2)
    simulation.patch(parallelism=1)
    simulation.reject("DELETE", "pods", error)
    outcomes = simulation.run(0.5)
    failed = any(outcome.errors for outcome in outcomes)
    assert failed != deleted
    assert ("FailedDelete" in simulation.sink.reasons()) != deleted
    simulation.run(10)
    assert len(simulation.running()) == 1


def test_errors_of_a_job_delay_it_ever_more_and_no_other(simulation: SimulatedReconciler) -> None:
    simulation.create("sick", parallelism=1)
    simulation.reject("POST", "pods", BROKEN, times=3)
    simulation.run(0.5)
    assert simulation.reconciler.queue.failures(f"{NAMESPACE}/sick") == 1
    simulation.run(6)
    assert simulation.reconciler.queue.failures(f"{NAMESPACE}/sick") == 3
    simulation.create("sound", parallelism=1)
    simulation.run(0.1)
    assert len(simulation.running()) == 1
    simulation.run(4)
    assert len(simulation.running()) == 2
    assert simulation.reconciler.queue.failures(f"{NAMESPACE}/sick") == 0


def test_releasing_an_orphan_pod_is_retried(simulation: SimulatedReconciler) -> None:
    simulation.create(parallelism=1)
    simulation.run(2)
    simulation.delete(policy="Orphan")
    simulation.reject("PATCH", "pods", BROKEN, times=2)
    simulation.run(0.5)
    assert len(simulation.tracked()) == 1
    simulation.run(5)
    assert simulation.tracked() == []


def test_an_orphan_is_not_adopted_for_a_job_that_was_replaced(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(parallelism=1)
    simulation.run(2)
    name = simulation.pods()[0]["metadata"]["name"]
    simulation.api.change("pods", NAMESPACE, name, {"metadata": {"ownerReferences": None}})
    simulation.reject("GET", "jobs", GONE, times=1)
    outcomes = simulation.run(1.5)
    assert any(outcome.errors for outcome in outcomes)
    simulation.run(5)
    assert len(simulation.tracked()) == 1


def test_after_a_write_without_an_answer_nothing_is_decided_by_what_was_known_before(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(completionMode="Indexed", completions=2, parallelism=2)
    simulation.run(2)
    first, _ = simulation.running()
    simulation.end(first)

    def lose_the_status(call: Call) -> None:
        if call.method == "PUT":
            simulation.api.after = lambda call: None
            raise LOST

    simulation.api.after = lose_the_status
    simulation.deliver()
    simulation.now += 1
    outcome = simulation.reconciler.process_next_job()
    assert outcome is not None
    assert outcome.errors == [LOST]
    assert simulation.status()["completedIndexes"] == "0"
    # The Pod goes, by force, and the caches hear of that before they hear of the status.
    name = first["metadata"]["name"]
    simulation.api.change("pods", NAMESPACE, name, {"metadata": {"finalizers": None}})
    simulation.api.request("DELETE", pods_path(NAMESPACE, name), {"gracePeriodSeconds": 0})
    pods = simulation.reconciler.pods
    for change in simulation.pending_changes("pods", pods):
        pods.apply(change.kind, change.object)
    simulation.now += 60
    created = simulation.made("POST", "pods")
    assert simulation.reconciler.process_next_job() is not None
    assert simulation.made("POST", "pods") == created
    simulation.run(60)
    assert simulation.made("POST", "pods") == created
    assert len(simulation.running()) == 1
