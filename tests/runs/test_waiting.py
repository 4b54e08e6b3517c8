"""An unfinished Job says what it waits for, since when, and what ends the wait."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.jobs import read_job
from jobsworth.controller.plan import Memory
from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import BUILT_IN, OURS
from jobsworth.controller.times import write_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.pending_pods import PendingReason
from jobsworth.runs.waiting import Observations, Waiting, waiting_of
from support.controller.job_syncs import NOW, a_job, a_pod, pods, with_condition

STARTED = NOW - 600


def waits(job: Any, some: Any = (), seen: Observations | None = None, **more: Any) -> Waiting:
    job["spec"].setdefault("managedBy", None)
    if job["spec"]["managedBy"] == OURS.manager:
        job["spec"]["managedBy"] = None
    found = waiting_of(
        read_job(job, BUILT_IN),
        [read_pod(pod, BUILT_IN) for pod in some],
        NOW,
        seen=seen or Observations(),
        **more,
    )
    assert found is not None
    return found


def test_a_suspended_job_waits_to_be_resumed_since_it_was_suspended() -> None:
    suspended = {**with_condition("Suspended"), "lastTransitionTime": write_time(NOW - 60)}
    found = waits(a_job(suspend=True, status={"conditions": [suspended]}, activeDeadlineSeconds=9))
    assert (found.since, found.hangs) == (NOW - 60, True)
    assert found.sentence(lambda time: f"{NOW - time} s ago") == (
        "waiting since 60 s ago for the Job to be resumed (spec.suspend is true); this ends when "
        "spec.suspend is set to false; nothing else ends it"
    )


def test_a_parallelism_of_0_has_to_be_raised() -> None:
    found = waits(a_job(parallelism=0))
    assert found.waiting_for == "a parallelism above 0"
    assert (found.since, found.hangs) == (STARTED, True)


def test_pending_pods_wait_since_the_first_was_created() -> None:
    found = waits(a_job(parallelism=2), pods((2, "Pending")))
    assert found.waiting_for == "a start of its Pods"
    assert found.since is not None
    assert found.hangs


def test_a_deadline_ends_the_wait_of_pending_pods() -> None:
    found = waits(a_job(activeDeadlineSeconds=3600), pods((1, "Pending")))
    assert (found.deadline, found.hangs) == (STARTED + 3600, False)
    assert "activeDeadlineSeconds fails the Job at" in found.sentence(str)


@pytest.mark.parametrize("cause", [Cause.IMAGE_PULL, Cause.UNSCHEDULABLE, Cause.VOLUME])
def test_the_cause_for_which_pods_are_pending_is_named(cause: Cause) -> None:
    seen = Observations(pending={"train-a": PendingReason(cause, "Why", "a message")})
    found = waits(a_job(), [a_pod("Pending", name="train-a")], seen)
    assert (found.cause, found.detail) == (cause, "Pod train-a: Why: a message")
    assert (found.waiting_for, found.ended_by) == (cause.waits_for, cause.ends)


def test_of_several_causes_for_which_pods_are_pending_that_of_most_is_named() -> None:
    pending = {"a": Cause.IMAGE_PULL, "b": Cause.VOLUME, "c": Cause.VOLUME}
    seen = Observations(
        pending={name: PendingReason(each, each, "") for name, each in pending.items()}
    )
    found = waits(a_job(parallelism=3), [a_pod("Pending", name=name) for name in pending], seen)
    assert (found.cause, found.detail) == (Cause.VOLUME, "2 of 3 active Pods: Volume")


def test_a_lost_node_with_replacement_after_termination_needs_somebody() -> None:
    job = a_job(podReplacementPolicy="Failed")
    found = waits(job, [a_pod(deleted=True, finished=NOW - 900)])
    assert found.detail == "podReplacementPolicy is Failed: they are replaced only then"
    assert "when its Node object is deleted" in found.ended_by
    assert "--force" not in found.ended_by
    assert found.hangs


@pytest.mark.parametrize(
    ("kind", "then"), [("FailureTarget", "Failed"), ("SuccessCriteriaMet", "Complete")]
)
def test_a_job_whose_end_is_decided_waits_for_its_terminating_pods(kind: str, then: str) -> None:
    found = waits(a_job(status={"conditions": [with_condition(kind)]}), [a_pod(deleted=True)])
    assert found.waiting_for == f"terminating Pods before it is {then}"


def test_rejected_pods_name_the_message_of_the_api_server() -> None:
    seen = Observations(rejected="exceeded quota: small", rejected_since=NOW - 30)
    found = waits(a_job(), (), seen)
    assert (found.waiting_for, found.detail) == (
        "room in ResourceQuota small",
        "exceeded quota: small",
    )
    assert found.since == NOW - 30
    assert "ResourceQuota" in found.ended_by


def test_a_backoff_ends_by_itself() -> None:
    failed = a_pod("Failed", finished=NOW - 4)
    found = waits(a_job(), [failed])
    assert (found.since, found.ends_at, found.hangs) == (NOW - 4, NOW + 6, False)
    memory = Memory(backoff=BackoffRecord(2, NOW - 5))
    assert waits(a_job(), (), memory=memory).ends_at == NOW + 15


def test_another_controller_has_to_act() -> None:
    found = waits(a_job(managedBy="kueue.x-k8s.io/multikueue"))
    assert found.waiting_for == (
        "the controller kueue.x-k8s.io/multikueue, which spec.managedBy names"
    )


def test_a_stopped_controller_has_to_run_again() -> None:
    found = waits(a_job(), (), Observations(away_since=NOW - 5))
    assert (found.waiting_for, found.since) == ("its controller, which does not run", NOW - 5)


def test_running_pods_have_to_exit() -> None:
    found = waits(a_job(), pods((1, "Ready")))
    assert found.waiting_for == "running Pods to exit"


def test_a_finished_job_waits_for_nothing() -> None:
    job = read_job(a_job(status={"conditions": [with_condition("Complete")]}), BUILT_IN)
    assert waiting_of(job, (), NOW) is None


@given(
    suspended=st.booleans(),
    parallelism=st.integers(0, 3),
    policy=st.sampled_from(["Failed", "TerminatingOrFailed"]),
    phases=st.lists(st.sampled_from(["Pending", "Running", "Terminating", "Failed"]), max_size=4),
    deadline=st.none() | st.integers(601, 9999),
)
def test_every_unfinished_job_has_a_wait_that_begins_before_now_and_ends_after_it(
    suspended: bool, parallelism: int, policy: str, phases: list[str], deadline: int | None
) -> None:
    spec: dict[str, Any] = {"suspend": suspended, "parallelism": parallelism}
    if deadline is not None:
        spec["activeDeadlineSeconds"] = deadline
    job = read_job(a_job(podReplacementPolicy=policy, managedBy=None, **spec), BUILT_IN)
    some = [read_pod(pod, BUILT_IN) for phase in phases for pod in pods((1, phase))]
    found = waiting_of(job, some, NOW, settings=BUILT_IN)
    assert found is not None
    assert found.waiting_for
    assert found.ended_by
    assert found.since is None or found.since <= NOW
    assert all(time is None or time >= NOW for time in (found.ends_at, found.deadline))
    assert waiting_of(replace(job, deleting=True), some, NOW) is not None
