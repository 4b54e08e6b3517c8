"""What an error of each call leads to."""

from __future__ import annotations

import pytest

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.api_resources import pods_path
from support.api_server.fake_job_api import Call
from support.controller.simulated_reconciler import NAMESPACE, SimulatedReconciler

CONFLICT = ApiError(409, "Conflict", "the object has been modified")
GONE = ApiError(404, "NotFound", "not found")
REPLACED = ApiError(409, "Conflict", "the UID in the precondition (a) does not match")
QUOTA = ApiError(403, "Forbidden", "exceeded quota")
TERMINATING = ApiError(403, "Forbidden", "being terminated", causes=("NamespaceTerminating",))
LOST = ApiError(UNREACHABLE, "", "connection reset")
BROKEN = ApiError(500, "InternalError", "etcd is away")
BUSY = ApiError(429, "TooManyRequests", "busy", retry_after=7)
DENIED = ApiError(422, "Invalid", "ValidatingAdmissionPolicy 'x' denied request: no")
ALL = [CONFLICT, QUOTA, LOST, BROKEN, BUSY, DENIED]


@pytest.fixture
def world() -> SimulatedReconciler:
    return SimulatedReconciler()


@pytest.mark.parametrize("error", ALL, ids=str)
def test_a_creation_that_fails_is_made_good(world: SimulatedReconciler, error: ApiError) -> None:
    world.create(parallelism=1)
    world.refuse("POST", "pods", error)
    outcomes = world.run(0.5)
    assert [str(found) for outcome in outcomes for found in outcome.errors] == [str(error)]
    assert "FailedCreate" in world.told.reasons()
    world.run(8)
    assert len(world.running()) == 1


def test_in_a_namespace_that_is_being_deleted_nothing_is_said(world: SimulatedReconciler) -> None:
    world.create(parallelism=1)
    world.refuse("POST", "pods", TERMINATING)
    (outcome, *_) = world.run(0.5)
    assert outcome.errors == []
    assert world.told.reasons() == []


@pytest.mark.parametrize("error", ALL, ids=str)
def test_a_status_that_cannot_be_stored_stops_the_sync_before_any_finalizer_goes(
    world: SimulatedReconciler, error: ApiError
) -> None:
    world.create(parallelism=1)
    world.run(2)
    world.end(world.running()[0])
    world.refuse("PUT", "jobs/status", error)
    world.run(1.5)
    assert len(world.tracked()) == 1
    assert world.status()["succeeded"] == 0
    world.run(10)
    assert world.tracked() == []
    assert world.status()["succeeded"] == 1
    assert "Complete" in world.conditions()


@pytest.mark.parametrize("error", ALL, ids=str)
def test_a_finalizer_that_stays_is_not_counted_until_it_is_gone(
    world: SimulatedReconciler, error: ApiError
) -> None:
    world.create(parallelism=2, completions=2)
    world.run(2)
    for pod in world.running():
        world.end(pod)
    world.refuse("PATCH", "pods", error)
    world.run(1.5)
    assert ("FailedFinalizerRemoval" in world.told.reasons()) == (error.code in (403, 422))
    assert world.status()["succeeded"] == 1
    assert len(world.status()["uncountedTerminatedPods"]["succeeded"]) == 1
    world.run(10)
    assert world.tracked() == []
    assert world.status()["succeeded"] == 2


@pytest.mark.parametrize(
    "error", [GONE, ApiError(422, "Invalid", "metadata.uid: Invalid value")], ids=str
)
def test_a_pod_that_is_gone_counts_as_freed(world: SimulatedReconciler, error: ApiError) -> None:
    world.create(parallelism=1)
    world.run(2)
    pod = world.running()[0]
    world.end(pod)
    world.refuse("PATCH", "pods", error)
    world.run(1.5)
    assert world.status()["succeeded"] == 1
    world.run(5)
    assert world.status()["succeeded"] == 1
    # The cache still shows it with its finalizer: it is not counted a second time, and let go in the end.
    assert world.tracked() == []


@pytest.mark.parametrize(
    ("error", "deleted"),
    [(GONE, True), (REPLACED, True), (LOST, False), (BROKEN, False), (BUSY, False)],
    ids=str,
)
def test_a_deletion_that_fails_is_tried_again(
    world: SimulatedReconciler, error: ApiError, deleted: bool
) -> None:
    world.create(parallelism=2)
    world.run(2)
    world.patch(parallelism=1)
    world.refuse("DELETE", "pods", error)
    outcomes = world.run(0.5)
    failed = any(outcome.errors for outcome in outcomes)
    assert failed != deleted
    assert ("FailedDelete" in world.told.reasons()) != deleted
    world.run(10)
    assert len(world.running()) == 1


def test_errors_of_a_job_delay_it_ever_more_and_no_other(world: SimulatedReconciler) -> None:
    world.create("sick", parallelism=1)
    world.refuse("POST", "pods", BROKEN, times=3)
    world.run(0.5)
    assert world.reconciler.queue.failures(f"{NAMESPACE}/sick") == 1
    world.run(6)
    assert world.reconciler.queue.failures(f"{NAMESPACE}/sick") == 3
    world.create("sound", parallelism=1)
    world.run(0.1)
    assert len(world.running()) == 1
    world.run(4)
    assert len(world.running()) == 2
    assert world.reconciler.queue.failures(f"{NAMESPACE}/sick") == 0


def test_freeing_a_pod_of_nobody_is_tried_again(world: SimulatedReconciler) -> None:
    world.create(parallelism=1)
    world.run(2)
    world.delete(policy="Orphan")
    world.refuse("PATCH", "pods", BROKEN, times=2)
    world.run(0.5)
    assert len(world.tracked()) == 1
    world.run(5)
    assert world.tracked() == []


def test_an_orphan_is_not_adopted_for_a_job_that_was_replaced(world: SimulatedReconciler) -> None:
    world.create(parallelism=1)
    world.run(2)
    name = world.pods()[0]["metadata"]["name"]
    world.api.change("pods", NAMESPACE, name, {"metadata": {"ownerReferences": None}})
    world.refuse("GET", "jobs", GONE, times=1)
    outcomes = world.run(1.5)
    assert any(outcome.errors for outcome in outcomes)
    world.run(5)
    assert len(world.tracked()) == 1


def test_after_a_write_without_an_answer_nothing_is_decided_by_what_was_known_before(
    world: SimulatedReconciler,
) -> None:
    world.create(completionMode="Indexed", completions=2, parallelism=2)
    world.run(2)
    first, _ = world.running()
    world.end(first)

    def lose_the_status(call: Call) -> None:
        if call.method == "PUT":
            world.api.after = lambda call: None
            raise LOST

    world.api.after = lose_the_status
    world.deliver()
    world.now += 1
    outcome = world.reconciler.process_next_job()
    assert outcome is not None
    assert outcome.errors == [LOST]
    assert world.status()["completedIndexes"] == "0"
    # The Pod goes, by force, and the caches hear of that before they hear of the status.
    name = first["metadata"]["name"]
    world.api.change("pods", NAMESPACE, name, {"metadata": {"finalizers": None}})
    world.api.request("DELETE", pods_path(NAMESPACE, name), {"gracePeriodSeconds": 0})
    pods = world.reconciler.pods
    for change in world.news("pods", pods):
        pods.apply(change.kind, change.object)
    world.now += 60
    created = world.made("POST", "pods")
    assert world.reconciler.process_next_job() is not None
    assert world.made("POST", "pods") == created
    world.run(60)
    assert world.made("POST", "pods") == created
    assert len(world.running()) == 1
