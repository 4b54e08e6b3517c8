"""A Job from its creation to its end, step by step, in one thread and on a clock of the test's own."""

from __future__ import annotations

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import pods_path
from jobsworth.controller.settings import ControllerSettings
from support.api_server.fake_job_api import Call
from support.controller.simulated_reconciler import MANAGER, NAMESPACE, SimulatedReconciler, job


@pytest.fixture
def simulation() -> SimulatedReconciler:
    return SimulatedReconciler()


def test_an_indexed_job_runs_to_completion_with_the_calls_that_keps_allow(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(completionMode="Indexed", completions=4, parallelism=4)
    simulation.run(2)
    assert simulation.status()["active"] == 4
    for pod in simulation.running():
        simulation.end(pod)
    simulation.run(2)
    assert simulation.conditions() == {
        "SuccessCriteriaMet": "CompletionsReached",
        "Complete": "CompletionsReached",
    }
    assert simulation.status()["completedIndexes"] == "0-3"
    assert simulation.tracked() == []
    assert simulation.made("POST", "pods") == simulation.made("PATCH", "pods") == 4
    # active 4; completed indexes and the criteria met; complete.
    assert simulation.made("PUT", "jobs/status") == 3
    assert simulation.sink.reasons() == [*["SuccessfulCreate"] * 4, "Completed"]


def test_a_failed_pod_is_replaced_after_a_backoff_and_counted_once(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(backoffLimit=3)
    simulation.run(2)
    simulation.end(simulation.running()[0], exit_code=1)
    simulation.run(5)
    assert simulation.running() == []
    assert simulation.status()["failed"] == 1
    simulation.run(10)
    assert len(simulation.running()) == 1
    simulation.end(simulation.running()[0])
    simulation.run(2)
    assert simulation.status()["failed"] == 1
    assert simulation.status()["succeeded"] == 1
    assert "Complete" in simulation.conditions()


def test_the_backoff_survives_a_restart(simulation: SimulatedReconciler) -> None:
    simulation.create()
    simulation.run(2)
    simulation.end(simulation.running()[0], exit_code=1)
    simulation.run(2)
    simulation.start()
    simulation.run(4)
    assert simulation.running() == []
    simulation.run(10)
    assert len(simulation.running()) == 1


def test_a_job_of_the_same_name_inherits_no_backoff(simulation: SimulatedReconciler) -> None:
    simulation.create(backoffLimit=9)
    simulation.run(2)
    simulation.end(simulation.running()[0], exit_code=1)
    simulation.run(2)
    simulation.delete()
    simulation.api.collect_garbage()
    simulation.run(2)
    simulation.create(backoffLimit=9)
    simulation.run(2)
    assert len(simulation.running()) == 1


def test_a_job_of_another_controller_is_left_alone(simulation: SimulatedReconciler) -> None:
    for name, manager in (("built-in", None), ("other", "example.com/other")):
        simulation.api.request(
            "POST", f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", job(name, manager)
        )
    simulation.run(10)
    assert simulation.pods() == []
    assert simulation.made("PUT", "jobs/status") == 0


def test_jobs_without_managed_by_are_adopted_with_the_reserved_finalizer_when_configured() -> None:
    simulation = SimulatedReconciler(ControllerSettings(adopt_unmanaged=True))
    simulation.api.request(
        "POST", f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", job("plain", None)
    )
    simulation.run(2)
    assert simulation.pods()[0]["metadata"]["finalizers"] == ["batch.kubernetes.io/job-tracking"]
    simulation.end(simulation.running()[0])
    simulation.run(2)
    assert "Complete" in simulation.conditions("plain")
    assert simulation.tracked() == []


def test_in_the_place_of_the_built_in_controller_it_counts_the_jobs_of_others_once() -> None:
    simulation = SimulatedReconciler(ControllerSettings(adopt_unmanaged=True))
    path = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
    others = [("built-in", "kubernetes.io/job-controller"), ("ours", MANAGER), ("plain", None)]
    for name, manager in [("kueue", "example.com/other"), *others]:
        simulation.api.request("POST", path, job(name, manager, suspend=True))
    simulation.run(2)
    simulation.patch("kueue", suspend=False)
    simulation.run(2)
    metric = "jobs_by_external_controller_total"
    counted = {key: times for key, times in simulation.sink.counts.items() if key[0] == metric}
    assert counted == {(metric, "example.com/other"): 1}


def test_beside_the_built_in_controller_it_leaves_that_count_to_it(
    simulation: SimulatedReconciler,
) -> None:
    path = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
    simulation.api.request("POST", path, job("kueue", "example.com/other"))
    simulation.run(2)
    assert simulation.sink.counts == {}


def test_a_rule_of_the_failure_policy_and_an_annotation_that_breaks_have_one_event_each() -> None:
    simulation = SimulatedReconciler()
    rule = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [5]}}
    simulation.create(completions=3, parallelism=1, podFailurePolicy={"rules": [rule]})
    for _ in range(3):
        simulation.run(900)
        simulation.end(simulation.running()[0], exit_code=5)
        simulation.run(2)
    annotations = {"jobsworth.dev/pod-failure-policy": "[]"}
    simulation.api.change("jobs", NAMESPACE, "train", {"metadata": {"annotations": annotations}})
    simulation.run(900)
    reasons = simulation.sink.reasons()
    assert reasons.count("PodFailurePolicyMatched") == 1
    assert reasons.count("InvalidAnnotation") == 1


def test_suspending_deletes_the_pods_uncounted_and_resuming_makes_new_ones(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(parallelism=2, completions=2)
    simulation.run(2)
    simulation.patch(suspend=True)
    simulation.run(2)
    assert simulation.pods() == []
    assert simulation.conditions() == {"Suspended": "JobSuspended"}
    assert simulation.status()["failed"] == 0
    simulation.patch(suspend=False)
    simulation.run(2)
    assert len(simulation.running()) == 2
    assert "startTime" in simulation.status()
    assert [
        reason for reason in simulation.sink.reasons() if reason in ("Suspended", "Resumed")
    ] == [
        "Suspended",
        "Resumed",
    ]


def test_a_deadline_comes_without_any_event(simulation: SimulatedReconciler) -> None:
    simulation.create(activeDeadlineSeconds=30)
    simulation.run(29)
    assert simulation.conditions() == {}
    simulation.run(2)
    assert simulation.conditions()["Failed"] == "DeadlineExceeded"
    assert simulation.sink.reasons()[-1] == "DeadlineExceeded"
    assert simulation.tracked() == []


def test_a_success_policy_is_recorded_before_the_other_pods_are_deleted(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(
        completionMode="Indexed",
        completions=3,
        parallelism=3,
        successPolicy={"rules": [{"succeededCount": 1}]},
    )
    simulation.run(2)
    simulation.end(simulation.running()[0])
    seen: list[str] = []

    def note(call: Call) -> None:
        if call.method == "DELETE":
            seen.append(simulation.conditions().get("SuccessCriteriaMet", "not yet"))

    simulation.api.before = note
    simulation.run(3)
    assert seen == ["SuccessPolicy", "SuccessPolicy"]
    assert simulation.conditions()["Complete"] == "SuccessPolicy"


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
def test_the_pods_of_a_deleted_job_are_set_free(
    simulation: SimulatedReconciler, policy: str
) -> None:
    simulation.create(parallelism=2)
    simulation.run(2)
    for pod in simulation.running():
        simulation.ready(pod)
    simulation.run(2)
    simulation.delete(policy=policy)
    simulation.api.collect_garbage()
    simulation.run(2)
    assert simulation.tracked() == []


def test_the_pods_of_a_job_deleted_while_the_controller_was_down_are_released(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(parallelism=2)
    simulation.run(2)
    simulation.delete(policy="Orphan")
    simulation.start()
    simulation.run(2)
    assert simulation.tracked() == []
    assert len(simulation.pods()) == 2


def test_an_orphan_is_adopted_and_a_pod_with_other_labels_is_released(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(parallelism=1)
    simulation.run(2)
    pod = simulation.pods()[0]
    name = pod["metadata"]["name"]
    simulation.api.change("pods", NAMESPACE, name, {"metadata": {"ownerReferences": None}})
    simulation.run(3)
    pod = simulation.pods()[0]
    assert pod["metadata"]["ownerReferences"][0]["name"] == "train"
    assert simulation.tracked() == [name]
    simulation.api.change("pods", NAMESPACE, name, {"metadata": {"labels": None}})
    simulation.run(3)
    released = simulation.api.copy_of("pods", NAMESPACE, name)
    assert released is not None
    assert not released["metadata"]["ownerReferences"]
    assert not released["metadata"]["finalizers"]
    assert len(simulation.tracked()) == 1  # another one took its place


def test_a_pod_deleted_by_another_client_counts_as_failed_and_is_replaced(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(parallelism=1)
    simulation.run(2)
    name = simulation.pods()[0]["metadata"]["name"]
    simulation.api.request("DELETE", pods_path(NAMESPACE, name))
    simulation.run(15)
    assert simulation.status()["failed"] == 1
    assert len(simulation.running()) == 1
    assert simulation.api.copy_of("pods", NAMESPACE, name) is None


def test_a_change_that_no_watch_showed_is_found_by_the_resync(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create()
    simulation.deliver()
    assert simulation.reconciler.queue.take(0) == f"{NAMESPACE}/train"
    simulation.reconciler.queue.done(f"{NAMESPACE}/train")  # the wake-up is lost
    simulation.run(5)
    assert simulation.pods() == []
    simulation.reconciler.resync()
    simulation.run(2)
    assert len(simulation.pods()) == 1


def test_nothing_happens_where_nothing_is_to_be_done(simulation: SimulatedReconciler) -> None:
    simulation.create(parallelism=3)
    simulation.run(3)
    before = len(simulation.api.calls)
    simulation.run(200)
    simulation.reconciler.resync()
    simulation.run(10)
    assert len(simulation.api.calls) == before


def test_a_stale_cache_is_waited_for(simulation: SimulatedReconciler) -> None:
    simulation.create(parallelism=2)
    simulation.deliver()
    outcome = simulation.reconciler.process_next_job()
    assert outcome is not None
    assert outcome.action == "pods_created"
    # The watch shows nothing yet: another sync would create the Pods again.
    simulation.reconciler.queue.add(f"{NAMESPACE}/train")
    outcome = simulation.reconciler.process_next_job()
    assert outcome is not None
    assert outcome.stale is not None
    assert len(simulation.pods()) == 2
    simulation.run(3)
    assert len(simulation.pods()) == 2


def test_an_unknown_completion_mode_is_reported_and_left_alone(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create()
    simulation.api.change("jobs", NAMESPACE, "train", {"spec": {"completionMode": "Elastic"}})
    simulation.run(2)
    assert set(simulation.sink.reasons()) == {"UnknownCompletionMode"}
    assert simulation.pods() == []


def test_creations_go_in_batches_that_double_and_stop_after_an_error() -> None:
    sizes: list[int] = []

    def together(call: object, items: list[object]) -> list[object]:
        sizes.append(len(items))
        return [call(item) if sizes != [1, 2, 4] else ApiError(403, "Forbidden", "exceeded quota")
                for item in items]  # type: ignore[operator]  # fmt: skip

    simulation = SimulatedReconciler(calls=together)  # type: ignore[arg-type]
    simulation.create(parallelism=100, completions=100)
    (outcome,) = simulation.settle()
    assert sizes[:3] == [1, 2, 4]
    assert len(outcome.errors) == 4
    assert simulation.status()["active"] == 3
    assert simulation.sink.reasons().count("FailedCreate") == 4
