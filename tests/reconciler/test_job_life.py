"""A Job from its creation to its end, step by step, in one thread and on a clock of the test's own."""

from __future__ import annotations

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import pods_path
from jobsworth.controller.controller_settings import ControllerSettings
from support.api_server.fake_job_api import Call
from support.controller.simulated_reconciler import NAMESPACE, SimulatedReconciler, job


@pytest.fixture
def world() -> SimulatedReconciler:
    return SimulatedReconciler()


def test_an_indexed_job_runs_to_completion_with_the_calls_that_keps_allow(
    world: SimulatedReconciler,
) -> None:
    world.create(completionMode="Indexed", completions=4, parallelism=4)
    world.run(2)
    assert world.status()["active"] == 4
    for pod in world.running():
        world.end(pod)
    world.run(2)
    assert world.conditions() == {
        "SuccessCriteriaMet": "CompletionsReached",
        "Complete": "CompletionsReached",
    }
    assert world.status()["completedIndexes"] == "0-3"
    assert world.tracked() == []
    assert world.made("POST", "pods") == world.made("PATCH", "pods") == 4
    # active 4; completed indexes and the criteria met; complete.
    assert world.made("PUT", "jobs/status") == 3
    assert world.told.reasons() == [*["SuccessfulCreate"] * 4, "Completed"]


def test_a_failed_pod_is_replaced_after_a_backoff_and_counted_once(
    world: SimulatedReconciler,
) -> None:
    world.create(backoffLimit=3)
    world.run(2)
    world.end(world.running()[0], exit_code=1)
    world.run(5)
    assert world.running() == []
    assert world.status()["failed"] == 1
    world.run(10)
    assert len(world.running()) == 1
    world.end(world.running()[0])
    world.run(2)
    assert world.status()["failed"] == 1
    assert world.status()["succeeded"] == 1
    assert "Complete" in world.conditions()


def test_the_backoff_survives_a_restart(world: SimulatedReconciler) -> None:
    world.create()
    world.run(2)
    world.end(world.running()[0], exit_code=1)
    world.run(2)
    world.start()
    world.run(4)
    assert world.running() == []
    world.run(10)
    assert len(world.running()) == 1


def test_a_job_of_the_same_name_inherits_no_backoff(world: SimulatedReconciler) -> None:
    world.create(backoffLimit=9)
    world.run(2)
    world.end(world.running()[0], exit_code=1)
    world.run(2)
    world.delete()
    world.api.collect_garbage()
    world.run(2)
    world.create(backoffLimit=9)
    world.run(2)
    assert len(world.running()) == 1


def test_a_job_of_another_controller_is_left_alone(world: SimulatedReconciler) -> None:
    for name, manager in (("built-in", None), ("other", "example.com/other")):
        world.api.request("POST", f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", job(name, manager))
    world.run(10)
    assert world.pods() == []
    assert world.made("PUT", "jobs/status") == 0


def test_jobs_that_name_nobody_are_adopted_when_told_to_with_the_reserved_finalizer() -> None:
    world = SimulatedReconciler(ControllerSettings(adopt_unmanaged=True))
    world.api.request("POST", f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", job("plain", None))
    world.run(2)
    assert world.pods()[0]["metadata"]["finalizers"] == ["batch.kubernetes.io/job-tracking"]
    world.end(world.running()[0])
    world.run(2)
    assert "Complete" in world.conditions("plain")
    assert world.tracked() == []


def test_suspending_deletes_the_pods_uncounted_and_resuming_makes_new_ones(
    world: SimulatedReconciler,
) -> None:
    world.create(parallelism=2, completions=2)
    world.run(2)
    world.patch(suspend=True)
    world.run(2)
    assert world.pods() == []
    assert world.conditions() == {"Suspended": "JobSuspended"}
    assert world.status()["failed"] == 0
    world.patch(suspend=False)
    world.run(2)
    assert len(world.running()) == 2
    assert "startTime" in world.status()
    assert [reason for reason in world.told.reasons() if reason in ("Suspended", "Resumed")] == [
        "Suspended",
        "Resumed",
    ]


def test_a_deadline_comes_without_any_event(world: SimulatedReconciler) -> None:
    world.create(activeDeadlineSeconds=30)
    world.run(29)
    assert world.conditions() == {}
    world.run(2)
    assert world.conditions()["Failed"] == "DeadlineExceeded"
    assert world.told.reasons()[-1] == "DeadlineExceeded"
    assert world.tracked() == []


def test_a_success_policy_is_recorded_before_the_other_pods_are_deleted(
    world: SimulatedReconciler,
) -> None:
    world.create(
        completionMode="Indexed",
        completions=3,
        parallelism=3,
        successPolicy={"rules": [{"succeededCount": 1}]},
    )
    world.run(2)
    world.end(world.running()[0])
    seen: list[str] = []

    def note(call: Call) -> None:
        if call.method == "DELETE":
            seen.append(world.conditions().get("SuccessCriteriaMet", "not yet"))

    world.api.before = note
    world.run(3)
    assert seen == ["SuccessPolicy", "SuccessPolicy"]
    assert world.conditions()["Complete"] == "SuccessPolicy"


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
def test_the_pods_of_a_deleted_job_are_set_free(world: SimulatedReconciler, policy: str) -> None:
    world.create(parallelism=2)
    world.run(2)
    for pod in world.running():
        world.ready(pod)
    world.run(2)
    world.delete(policy=policy)
    world.api.collect_garbage()
    world.run(2)
    assert world.tracked() == []


def test_the_pods_of_a_job_that_was_deleted_while_nobody_looked_are_set_free(
    world: SimulatedReconciler,
) -> None:
    world.create(parallelism=2)
    world.run(2)
    world.delete(policy="Orphan")
    world.start()
    world.run(2)
    assert world.tracked() == []
    assert len(world.pods()) == 2


def test_an_orphan_is_adopted_and_a_pod_with_other_labels_is_let_go(
    world: SimulatedReconciler,
) -> None:
    world.create(parallelism=1)
    world.run(2)
    pod = world.pods()[0]
    name = pod["metadata"]["name"]
    world.api.change("pods", NAMESPACE, name, {"metadata": {"ownerReferences": None}})
    world.run(3)
    pod = world.pods()[0]
    assert pod["metadata"]["ownerReferences"][0]["name"] == "train"
    assert world.tracked() == [name]
    world.api.change("pods", NAMESPACE, name, {"metadata": {"labels": None}})
    world.run(3)
    let_go = world.api.copy_of("pods", NAMESPACE, name)
    assert let_go is not None
    assert not let_go["metadata"]["ownerReferences"]
    assert not let_go["metadata"]["finalizers"]
    assert len(world.tracked()) == 1  # another one took its place


def test_a_pod_deleted_behind_our_back_counts_as_failed_and_is_replaced(
    world: SimulatedReconciler,
) -> None:
    world.create(parallelism=1)
    world.run(2)
    name = world.pods()[0]["metadata"]["name"]
    world.api.request("DELETE", pods_path(NAMESPACE, name))
    world.run(15)
    assert world.status()["failed"] == 1
    assert len(world.running()) == 1
    assert world.api.copy_of("pods", NAMESPACE, name) is None


def test_a_change_that_no_watch_showed_is_found_by_the_resync(world: SimulatedReconciler) -> None:
    world.create()
    world.deliver()
    assert world.reconciler.queue.take(0) == f"{NAMESPACE}/train"
    world.reconciler.queue.done(f"{NAMESPACE}/train")  # the wake-up is lost
    world.run(5)
    assert world.pods() == []
    world.reconciler.resync()
    world.run(2)
    assert len(world.pods()) == 1


def test_nothing_happens_where_nothing_is_to_be_done(world: SimulatedReconciler) -> None:
    world.create(parallelism=3)
    world.run(3)
    before = len(world.api.calls)
    world.run(200)
    world.reconciler.resync()
    world.run(10)
    assert len(world.api.calls) == before


def test_a_stale_cache_is_waited_for(world: SimulatedReconciler) -> None:
    world.create(parallelism=2)
    world.deliver()
    outcome = world.reconciler.process_next_job()
    assert outcome is not None
    assert outcome.action == "pods_created"
    # The watch shows nothing yet: another sync would create the Pods again.
    world.reconciler.queue.add(f"{NAMESPACE}/train")
    outcome = world.reconciler.process_next_job()
    assert outcome is not None
    assert outcome.stale is not None
    assert len(world.pods()) == 2
    world.run(3)
    assert len(world.pods()) == 2


def test_an_unknown_completion_mode_is_said_and_left(world: SimulatedReconciler) -> None:
    world.create()
    world.api.change("jobs", NAMESPACE, "train", {"spec": {"completionMode": "Elastic"}})
    world.run(2)
    assert set(world.told.reasons()) == {"UnknownCompletionMode"}
    assert world.pods() == []


def test_creations_go_in_batches_that_double_and_stop_after_an_error() -> None:
    sizes: list[int] = []

    def together(call: object, items: list[object]) -> list[object]:
        sizes.append(len(items))
        return [call(item) if sizes != [1, 2, 4] else ApiError(403, "Forbidden", "exceeded quota")
                for item in items]  # type: ignore[operator]  # fmt: skip

    world = SimulatedReconciler(calls=together)  # type: ignore[arg-type]
    world.create(parallelism=100, completions=100)
    (outcome,) = world.step()
    assert sizes[:3] == [1, 2, 4]
    assert len(outcome.errors) == 4
    assert world.status()["active"] == 3
    assert world.told.reasons().count("FailedCreate") == 4
