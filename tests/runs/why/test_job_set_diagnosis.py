"""The Job of a JobSet that decides, and the reason for its state."""

from __future__ import annotations

from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.runs.why.owners.job_set_diagnosis import JobSetDiagnosis
from jobsworth.runs.why.saved_objects import SavedObjects
from support.replay.recorded_jobs import at, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]


def job_set(*conditions: Object, restarts: int = 0, **spec: Any) -> Object:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "pretrain", "uid": "set", "namespace": "batch"},
        "spec": {"replicatedJobs": [], **spec},
        "status": {"conditions": list(conditions), "restarts": restarts},
    }


def child(name: str, end: tuple[int, str, str] | None = None, **status: Any) -> Object:
    value = stored({**job(backoffLimit=0), "metadata": {"name": name}}, end, **status)
    value["metadata"] |= {
        "namespace": "batch",
        "uid": name,
        "labels": {
            "jobset.sigs.k8s.io/jobset-name": "pretrain",
            "jobset.sigs.k8s.io/replicatedjob-name": "workers",
        },
        "ownerReferences": [
            {"kind": "JobSet", "name": "pretrain", "uid": "set", "controller": True}
        ],
    }
    return value


def pod_of(name: str, code: int | None, **more: Any) -> Object:
    value = pod(f"{name}-x", 0, None if code is None else 8, code, job=name, **more)
    value["metadata"]["ownerReferences"][0]["uid"] = name
    return value


def condition(kind: str, reason: str, message: str) -> Object:
    return {"type": kind, "status": "True", "reason": reason, "message": message}


def diagnosed(*objects: Object) -> JobSetDiagnosis:
    saved = SavedObjects()
    for each in objects:
        assert saved.add(each) is None
    (chosen,) = saved.to_diagnose()
    found = saved.diagnosis(chosen, ApiServer("1.36"), lambda value, codes: ())
    assert isinstance(found, JobSetDiagnosis)
    return found


def test_the_first_failed_job_decides() -> None:
    failed = "jobset failed due to one or more job failures (first failed job: pretrain-workers-1)"
    found = diagnosed(
        job_set(condition("Failed", "FailedJobs", failed), restarts=2),
        child("pretrain-workers-0", (30, "Failed", "BackoffLimitExceeded"), failed=1),
        child("pretrain-workers-1", (20, "Failed", "BackoffLimitExceeded"), failed=1),
        child("pretrain-leader-0", active=1, ready=1),
        pod_of("pretrain-workers-0", 1),
        pod_of("pretrain-workers-1", 42),
    )
    assert (found.outcome, found.reason, found.cause) == ("Failed", "FailedJobs", "ExitCode")
    assert found.sentence == (
        "JobSet pretrain failed after 2 restarts (FailedJobs): Job pretrain-workers-1 failed after 20 s: Pod "
        "pretrain-workers-1-x failed with exit code 42; backoffLimit 0 was exceeded."
    )
    assert len(found.jobs) == 3


def test_the_job_whose_pods_do_not_run_decides_while_it_goes_on() -> None:
    waiting = pod_of("pretrain-workers-1", None)
    waiting["status"] = {
        "phase": "Pending",
        "conditions": [
            {
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": "0/3 nodes are available",
            }
        ],
    }  # fmt: skip
    found = diagnosed(
        job_set(),
        child("pretrain-workers-0", active=1, ready=1),
        child("pretrain-workers-1", active=1, ready=0),
        child("pretrain-leader-0", (9, "Complete", "CompletionsReached")),
        waiting,
    )
    assert (found.outcome, found.cause) == ("Unfinished", "Unschedulable")
    assert "1 of 3 Jobs complete" in found.sentence
    assert "0/3 nodes are available" in found.sentence


def test_a_failed_one_without_jobs_has_the_words_of_its_condition() -> None:
    found = diagnosed(
        job_set(condition("Failed", "FailedJobs", "first failed job: pretrain-workers-1"))
    )
    assert (found.cause, found.job) == ("PodsGone", None)
    assert (
        "its Jobs are gone; its condition says: first failed job: pretrain-workers-1"
        in found.sentence
    )


def test_suspended_complete_and_new_ones() -> None:
    assert diagnosed(job_set(suspend=True)).cause == "Suspended"
    complete = diagnosed(job_set(condition("Completed", "AllJobsCompleted", "all done")))
    assert (complete.outcome, complete.cause) == ("Complete", "Complete")
    assert "JobSet's controller has created none" in diagnosed(job_set()).sentence
    assert at(0)


def test_one_that_is_being_deleted_says_so() -> None:
    deleted = job_set()
    deleted["metadata"] |= {"deletionTimestamp": at(60), "finalizers": ["foregroundDeletion"]}
    found = diagnosed(deleted)
    assert (found.outcome, found.cause) == ("Unfinished", "Deleting")
    assert "is being deleted (held by finalizer foregroundDeletion)." in found.sentence


def test_the_controller_that_has_created_no_job_is_named() -> None:
    assert "JobSet's controller has created none" in diagnosed(job_set()).sentence
    found = diagnosed(job_set(managedBy="example.com/x"))
    assert (
        "the controller example.com/x, which spec.managedBy names, has created none"
        in found.sentence
    )
