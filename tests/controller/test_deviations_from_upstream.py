"""Cases in which Kubernetes 1.36 is known to go wrong, and this controller does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.settings import BUILT_IN, ControllerSettings
from jobsworth.controller.times import write_time
from support.controller.job_syncs import (
    LONG_AGO,
    NOW,
    Synced,
    a_job,
    a_pod,
    an_indexed_job,
    pods,
    sync,
    with_condition,
)

STARTED = {"startTime": write_time(NOW - 600)}


@pytest.mark.parametrize("kind", ["FailureTarget", "SuccessCriteriaMet"])
def test_an_interim_condition_that_was_false_is_replaced_in_place(kind: str) -> None:
    status = {"conditions": [with_condition(kind, "False")], **STARTED}
    ended = "Failed" if kind == "FailureTarget" else "Succeeded"
    done = sync(a_job(completions=1, backoffLimit=0, status=status), pods((1, ended)))
    types = [entry["type"] for entry in done.status["conditions"]]
    assert types == [kind, "Failed" if ended == "Failed" else "Complete"]


def test_a_rejected_creation_counts_once() -> None:
    counts = sync(a_job(parallelism=4, completions=4), creatable=1).counts
    assert counts["job_pods_creation_total new succeeded"] == 1
    assert counts["job_pods_creation_total new failed"] == 1


def test_of_several_pods_that_fail_the_job_the_first_to_finish_is_named() -> None:
    policy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [5]}}]}
    job = a_job(parallelism=3, completions=3, podFailurePolicy=policy)
    given = [
        a_pod("Failed", name="late", exit_code=5, finished=LONG_AGO + 2),
        a_pod("Failed", name="b", exit_code=5),
        a_pod("Failed", name="a", exit_code=5),
    ]
    for order in (given, given[::-1]):
        assert "pod default/a failed" in sync(job, order).message


def test_the_failure_target_is_stored_before_pods_are_deleted_for_it() -> None:
    rules = {"rules": [{"succeededIndexes": "0"}]}
    job = an_indexed_job(2, backoffLimit=0, successPolicy=rules)
    done = sync(job, [a_pod("Succeeded", 0), a_pod("Running", 1, ready=True)])
    assert done.plan.interim is not None
    interim = done.writes[0]
    assert [entry["type"] for entry in interim["conditions"]] == ["SuccessCriteriaMet"]
    assert "active" not in interim  # no other event is emitted: nothing else has been done
    # The next leader sees a Pod that is being deleted, and a stored failure target.
    job["status"] = interim
    taken_over = sync(job, [a_pod("Succeeded", 0), a_pod("Running", 1, deleted=True)])
    taken_over.shows(conditions=["SuccessCriteriaMet"], S=1, T=1)


def test_a_limit_of_restarts_is_not_forgotten_with_the_pod_that_restarted() -> None:
    job = a_job(restart_policy="OnFailure", backoffLimit=2)
    done = sync(job, [a_pod(restarts=2)])
    job["status"] = done.writes[0]
    sync(job, [a_pod(deleted=True)]).shows(conditions=["FailureTarget"], create=0)


def test_a_stored_failure_target_is_not_stored_again() -> None:
    status = {"conditions": [with_condition("FailureTarget")], **STARTED}
    done = sync(a_job(status=status), pods((1, "Running")))
    assert done.plan.interim is None
    assert len(done.plan.deletions) == 1


def test_without_running_pods_the_failure_target_takes_no_write_of_its_own() -> None:
    assert sync(a_job(backoffLimit=0), pods((1, "Failed"))).plan.interim is None


def test_a_pod_keeps_its_finalizer_until_the_failure_target_that_rests_on_it_is_stored() -> None:
    policy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [5]}}]}
    job = a_job(parallelism=2, completions=2, podFailurePolicy=policy)
    fatal = a_pod("Failed", name="fatal", exit_code=5)
    given = [fatal, a_pod("Failed", name="other", exit_code=1)]
    lagging = sync(job, given, observed=False)
    assert lagging.stripped == ["other"]
    lagging.shows(conditions=[], F=1)
    job["status"] = lagging.status
    sync(job, [fatal]).shows(conditions=["FailureTarget", "Failed"], F=2)


def test_a_job_that_waits_still_says_how_many_pods_run() -> None:
    job = a_job(parallelism=3, completions=3)
    done = sync(job, pods((2, "Ready"), (1, "Failed"), finished=NOW))
    done.shows(A=2, R=2, create=0, requeue=10.0)


def test_an_index_that_waits_leaves_its_turn_to_the_next() -> None:
    job = an_indexed_job(3, 2, backoffLimitPerIndex=3)
    given = [a_pod("Failed", 0, failures=0, finished=NOW), a_pod("Running", 1, failures=0)]
    sync(job, given).shows(indexes=[2], A=2, requeue=10.0)


def test_in_kubernetes_an_index_that_waits_keeps_its_place() -> None:
    kubernetes = ControllerSettings(waiting_index_keeps_place=True)
    job = an_indexed_job(3, 2, backoffLimitPerIndex=3)
    given = [a_pod("Failed", 0, failures=0, finished=NOW), a_pod("Running", 1, failures=0)]
    sync(job, given, settings=kubernetes).shows(indexes=[], A=1, requeue=10.0)


def test_the_wait_of_an_index_is_not_forgotten_when_another_starts() -> None:
    job = an_indexed_job(3, backoffLimitPerIndex=3)
    given = [a_pod("Failed", 0, failures=0, finished=NOW - 4)]
    sync(job, given).shows(indexes=[1, 2], requeue=6.0)


def test_pods_that_were_released_but_not_deleted_go_first() -> None:
    given = [
        a_pod("Pending", name="pending"),
        a_pod("Running", name="left", tracked=False, ready=True),
        a_pod("Pending", name="other"),
    ]
    done = sync(a_job(parallelism=2, completions=5), given)
    assert done.deleted == ["left"]
    assert done.stripped == []


def test_a_backoff_that_was_forgotten_is_worked_out_from_the_pods() -> None:
    job = a_job(completions=9, backoffLimit=9, status={"failed": 3, **STARTED})
    counted = [
        a_pod("Succeeded", tracked=False, finished=NOW - 30),
        a_pod("Failed", tracked=False, finished=NOW - 40),
        a_pod("Failed", tracked=False, finished=NOW - 20),
        a_pod("Failed", tracked=False, finished=NOW - 5),
    ]
    done = sync(job, counted, backoff=None)
    assert done.backoff == BackoffRecord(2, NOW - 5, NOW - 30)
    done.shows(create=0, requeue=15.0)
    untracked = a_pod("Failed", tracked=False, deleted=True, finished=NOW)
    assert sync(job, [*counted, untracked], backoff=None).backoff == BackoffRecord(
        2, NOW - 5, NOW - 30
    )
    assert sync(job, [], backoff=None).backoff == BackoffRecord(0, None)


def test_a_suspended_job_that_ends_gets_a_start_time() -> None:
    suspended = with_condition("Suspended", reason="JobSuspended", message="Job suspended")
    for more, given in (({"backoffLimit": 0}, "Failed"), ({}, "Succeeded")):
        status = {"conditions": [suspended]}
        job = a_job(completions=1, suspend=True, status=status, **more)
        done = sync(job, pods((1, given)))
        assert done.finished
        assert done.status["startTime"] == write_time(NOW)


def test_no_job_ends_before_it_started() -> None:
    job = a_job(completions=1, status={"startTime": write_time(NOW + 40)})
    done = sync(job, pods((1, "Succeeded")))
    assert done.status["completionTime"] == write_time(NOW + 40)


# A Pod may leave Succeeded or Failed: old kubelets evicted Pods that had succeeded (Kubernetes issue
# 125410), and whoever may update Pods can write any phase. Kubernetes' controller then adds the UID to
# both lists, and the API server rejects the status in every sync.
CHANGED = {
    "Failed": {"phase": "Failed"},
    "Failed, with an exit code": {"phase": "Failed", "exit_code": 5},
    "Failed and deleted": {"phase": "Failed", "deleted": True},
    "Running and deleted": {"deleted": True},
    "Pending and deleted": {"phase": "Pending", "deleted": True},
}
FAIL_JOB = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [5]}}]}


def recorded(outcome: str, **more: Any) -> dict[str, Any]:
    """A status in which the Pod ``once`` is recorded, and waits for the removal of its finalizer."""
    return {"uncountedTerminatedPods": {outcome: ["uid-once"]}, **STARTED, **more}


@pytest.mark.parametrize("policy", [{}, {"podReplacementPolicy": "Failed"}], ids=str)
@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_pod_that_is_recorded_as_succeeded_stays_so(change: Any, policy: Any) -> None:
    job = a_job(completions=2, backoffLimit=0, status=recorded("succeeded"), **policy)
    done = sync(job, [a_pod(name="once", **change)])
    done.shows(S=1, F=0, strip=1, conditions=[])
    assert done.backoff == BackoffRecord()
    assert "failed" not in done.writes[0]["uncountedTerminatedPods"]


def test_nor_does_it_fail_the_job_by_a_rule() -> None:
    job = a_job(completions=2, podFailurePolicy=FAIL_JOB, status=recorded("succeeded"))
    sync(job, [a_pod("Failed", name="once", exit_code=5)]).shows(S=1, F=0, conditions=[], events=[])


def test_one_that_runs_again_is_counted_once_and_in_the_way_of_the_next() -> None:
    job = a_job(completions=2, status=recorded("succeeded"))
    sync(job, [a_pod(name="once")]).shows(A=1, create=0, strip=1, S=1, F=0, conditions=[])
    last = a_job(completions=1, status=recorded("succeeded"))
    sync(last, [a_pod(name="once")]).shows(delete=1, S=1, F=0)


def test_nor_does_the_end_of_the_job_record_it_a_second_time() -> None:
    status = recorded("succeeded", conditions=[with_condition("FailureTarget")])
    for change in (*CHANGED.values(), {}):
        done = sync(a_job(completions=2, status=status), [a_pod(name="once", **change)])
        done.shows(S=1, F=0, strip=1)


@pytest.mark.parametrize("policy", [{}, {"podReplacementPolicy": "Failed"}], ids=str)
@pytest.mark.parametrize("phase", ["Succeeded", "Running", "Pending"])
def test_a_pod_that_is_recorded_as_failed_stays_so(phase: str, policy: Any) -> None:
    job = a_job(completions=2, status=recorded("failed"), **policy)
    sync(job, [a_pod(phase, name="once", deleted=True)]).shows(S=0, F=1, strip=1)


def test_its_index_goes_on_from_its_failures() -> None:
    job = an_indexed_job(1, backoffLimitPerIndex=3, status=recorded("failed"))
    given = [a_pod("Succeeded", 0, name="once", failures=1)]
    done = sync(job, given)
    done.shows(CI="", S=0, create=1)
    assert done.plan.creations[0].failure_count == 2


def test_the_recorded_result_of_an_index_is_final() -> None:
    status = {"failedIndexes": "0", "completedIndexes": "1", "succeeded": 1, **STARTED}
    job = an_indexed_job(3, backoffLimitPerIndex=0, status=status)
    given = [a_pod("Succeeded", 0), a_pod("Failed", 1), a_pod("Running", 2)]
    sync(job, given).shows(FI="0", CI="1", S=1, F=0, strip=2, conditions=[])


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("more", [{}, {"podFailurePolicy": FAIL_JOB}], ids=["", "policy"])
def test_a_pod_of_a_completed_index_does_not_fail_the_job(change: Any, more: Any) -> None:
    status = {"completedIndexes": "1", "succeeded": 1, **STARTED}
    job = an_indexed_job(2, backoffLimit=0, status=status, **more)
    done = sync(job, [a_pod(index=1, **change), a_pod("Running", 0)])
    done.shows(CI="1", S=1, F=0, strip=1, conditions=[])
    assert not any(reason.startswith("PodFailurePolicy") for reason in reported(done))
    assert done.backoff == BackoffRecord()


def test_the_failures_of_an_index_are_recorded_before_its_success() -> None:
    given = [a_pod("Succeeded", 0), a_pod("Failed", 0, name="before"), a_pod("Running", 1)]
    job = an_indexed_job(2)
    first = sync(job, given, settings=ControllerSettings(max_uncounted=1))
    first.shows(CI="", F=1, strip=1)
    job["status"] = first.status
    sync(job, [given[0], given[2]], settings=ControllerSettings(max_uncounted=1)).shows(CI="0", F=1)


def test_an_index_that_fails_and_succeeds_at_once_has_succeeded() -> None:
    job = an_indexed_job(2, backoffLimitPerIndex=0)
    given = [a_pod("Succeeded", 0), a_pod("Failed", 0), a_pod("Running", 1)]
    sync(job, given).shows(FI="", CI="0", conditions=[])


def test_a_success_that_is_stored_keeps_failure_out_of_the_conditions() -> None:
    conditions = [with_condition("SuccessCriteriaMet"), with_condition("FailureTarget", "False")]
    job = a_job(completions=1, backoffLimit=0, status={"conditions": conditions, **STARTED})
    sync(job, pods((1, "Failed"), (1, "Succeeded"))).shows(
        conditions=["SuccessCriteriaMet", "Complete"]
    )


def resumed(**spec: Any) -> dict[str, Any]:
    suspended = with_condition("Suspended", reason="JobSuspended", message="Job suspended")
    status = {"conditions": [suspended], "startTime": write_time(NOW - 500)}
    return a_job(activeDeadlineSeconds=10, status=status, **spec)


def test_a_resumed_job_has_its_deadline_ahead() -> None:
    done = sync(resumed())
    done.shows(conditions=[], create=1, requeue=10.0)
    assert done.status["startTime"] == write_time(NOW)
    sync(resumed(), observed=False).shows(conditions=["Suspended"], requeue=10.0)


def test_conditions_and_fields_of_others_are_kept() -> None:
    custom = {"type": "example.com/Custom", "status": "True", "observedGeneration": 4}
    status = {"conditions": [custom], "futureField": {"a": 1}, **STARTED}
    done = sync(a_job(completions=1, status=status), pods((1, "Succeeded")))
    assert done.status["conditions"][0] == custom
    assert done.status["futureField"] == {"a": 1}


def test_a_finished_pod_is_not_adopted() -> None:
    from jobsworth.controller.jobs import read_job
    from jobsworth.controller.ownership import claim
    from jobsworth.controller.pods import read_pod

    settings = ControllerSettings()
    orphans = [a_pod(phase) for phase in ("Succeeded", "Failed", "Running")]
    for orphan in orphans:
        orphan["metadata"]["ownerReferences"] = []
    claims = claim(read_job(a_job(), settings), [read_pod(pod, settings) for pod in orphans])
    assert [pod.phase for pod in claims.adopt] == ["Running"]


def test_lists_that_are_full_do_not_keep_their_own_pods_waiting() -> None:

    given = [a_pod("Succeeded", name=name) for name in "abc"]
    lists = {"succeeded": ["uid-a", "uid-b"]}
    job = a_job(completions=9, status={"uncountedTerminatedPods": lists, **STARTED})
    done = sync(job, given, settings=ControllerSettings(max_uncounted=2))
    assert done.stripped == ["a", "b"]
    done.shows(S=2)


EVICTED = {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]}


def reported(done: Synced) -> dict[str, str]:
    """Messages of events by their reason."""
    return {event.reason: event.message for event in done.events}


def test_a_failure_that_no_rule_can_match_is_reported_once() -> None:
    job = a_job(parallelism=1, completions=1, podFailurePolicy=EVICTED)
    evicted = a_pod("Failed", name="evicted", exit_code=0)
    done = sync(job, [evicted])
    assert "Pod evicted failed" in reported(done)["PodFailurePolicyNotMatched"]
    job["status"] = done.writes[0]
    assert "PodFailurePolicyNotMatched" not in reported(sync(job, [evicted]))


@pytest.mark.parametrize(
    ("policy", "code"),
    [(None, 0), (EVICTED, 1), (EVICTED, 42)],
    ids=["no policy", "a container failed", "a rule matches"],
)
def test_other_failures_are_not_reported(policy: Any, code: int) -> None:
    job = a_job(parallelism=1, completions=1, **({"podFailurePolicy": policy} if policy else {}))
    assert "PodFailurePolicyNotMatched" not in reported(
        sync(job, [a_pod("Failed", exit_code=code)])
    )


def test_the_pods_that_restarted_too_often_are_named_before_they_go() -> None:
    job = a_job(restart_policy="OnFailure", backoffLimit=2, parallelism=3, completions=3)
    given = [a_pod(name="twice", restarts=2), a_pod(name="once", restarts=1), a_pod(name="never")]
    done = sync(job, given)
    reason = "RestartsExceedBackoffLimit"
    assert [event.message for event in done.events if event.reason == reason] == [
        "Deleting pod twice: its containers restarted 2 times",
        "Deleting pod once: its containers restarted 1 times",
    ]
    job["status"] = done.writes[0]
    assert reason not in reported(sync(job, given))


def leaving(name: str, since: int) -> dict[str, Any]:
    """A Pod that should have been gone so many seconds ago."""
    return a_pod(name=name, deleted=True, finished=NOW - since - 30)


@pytest.mark.parametrize("policy", ["Failed", "TerminatingOrFailed"])
def test_a_pod_whose_termination_is_overdue_is_reported(policy: str) -> None:
    job = a_job(parallelism=2, completions=2, podReplacementPolicy=policy)
    done = sync(job, [leaving("lost", 300), leaving("slow", 100)])
    overdue = [event.message for event in done.events if event.reason == "PodTerminationOverdue"]
    if policy == "TerminatingOrFailed":  # which waits for no Pod
        assert overdue == []
        return
    since = write_time(NOW - 300)
    assert overdue == [
        f"Waiting for pod lost on node node-1, which should have terminated by {since}. "
        "Check its node and its finalizers"
    ]
    assert done.requeue_after == 200


def test_so_it_is_at_the_end_of_a_job() -> None:
    status = {"conditions": [with_condition("FailureTarget")], **STARTED}
    done = sync(a_job(status=status), [leaving("lost", 3600)])
    assert "pod lost" in reported(done)["PodTerminationOverdue"]
    done.shows(conditions=["FailureTarget"])


@pytest.mark.parametrize(
    ("job", "given"),
    [
        (
            a_job(restart_policy="OnFailure", backoffLimit=2, managedBy=None),
            [a_pod(restarts=3)],
        ),
        (a_job(podReplacementPolicy="Failed", managedBy=None), [leaving("lost", 900)]),
    ],
    ids=["restarted too often", "overdue"],
)
def test_the_built_in_controller_has_none_of_these_events(job: Any, given: Any) -> None:
    ours = {"RestartsExceedBackoffLimit", "PodTerminationOverdue", "PodFailurePolicyMatched"}
    assert ours.isdisjoint(reported(sync(job, given, settings=BUILT_IN)))
    assert not ours.isdisjoint(
        reported(sync(job, given, settings=replace(BUILT_IN, extra_events=True)))
    )
