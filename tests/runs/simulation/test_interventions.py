"""Edits, rejections, absent controllers and causes of waiting: what they do, and that the timeline shows them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.well_known_names import OUR_MANAGER
from jobsworth.reports.timelines.timeline_lines import timeline
from jobsworth.reports.timelines.timeline_text import outcome_lines
from jobsworth.runs.run_record import RunRecord
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    indexed,
    job,
    on_exit,
    outcome,
    run,
    scenario,
)

SECOND, MINUTE = 1000, 60_000


def words(record: RunRecord) -> list[tuple[int, str]]:
    return [(line.at // SECOND, line.text) for line in timeline(record)]


def headline(record: RunRecord) -> str:
    return next(iter(outcome_lines(record)))


def test_a_deadline_is_on_time_while_pods_are_rejected() -> None:
    record = run(
        job(activeDeadlineSeconds=545), scenario(rejections=[{"from": "0s", "until": "30m"}])
    )
    assert outcome(record) == ("Failed", "DeadlineExceeded")
    assert record.job.finished == 545 * SECOND


AWAY = {"controllerAway": [{"from": "2m20s", "until": "2m25s"}]}
FOUR_FAILURES = {"attempts": "1-4", "exitCode": 1, "duration": "10s"}


def test_the_built_in_controller_forgets_the_backoff_at_a_restart() -> None:
    record = run(job(), scenario(FOUR_FAILURES, **AWAY))
    assert record.job.pods[4].created == 145 * SECOND


def test_our_controller_and_a_backoff_per_index_survive_a_restart() -> None:
    ours = run(job(managedBy=OUR_MANAGER), scenario(FOUR_FAILURES, **AWAY))
    assert ours.job.pods[4].created == 210 * SECOND
    per_index = run(indexed(size=1, backoffLimitPerIndex=9), scenario(FOUR_FAILURES, **AWAY))
    assert per_index.job.pods[4].created == 210 * SECOND


def test_a_restart_forgets_no_failure_that_is_not_counted_yet() -> None:
    away = [{"from": "10s", "until": "30s"}]
    record = run(
        job(), scenario({"attempts": 1, "exitCode": 1, "duration": "10s"}, controllerAway=away)
    )
    assert record.job.pods[1].created == 30 * SECOND


def test_an_edit_is_a_line_with_the_old_and_the_new_value() -> None:
    changes = [{"at": "4m", "spec": {"backoffLimit": 1, "activeDeadlineSeconds": 600}}]
    record = run(job(backoffLimit=6), scenario({"exitCode": 1, "duration": "1m"}, changes=changes))
    assert (
        240,
        "Job edited: backoffLimit 6 -> 1, activeDeadlineSeconds set to 600",
    ) in words(record)
    assert outcome(record) == ("Failed", "BackoffLimitExceeded")


def test_edits_after_the_end_of_the_job_are_not_lines() -> None:
    record = run(job(), scenario(changes=[{"at": "4h", "spec": {"parallelism": 2}}]))
    assert not any("edited" in text for _, text in words(record))


def test_absent_controllers_rejections_and_capacity_are_lines() -> None:
    record = run(
        indexed(size=3),
        scenario(
            controllerAway=[{"from": "1m", "until": "2m"}],
            rejections=[{"from": "0s", "until": "10s", "message": "no"}],
            capacity=[{"at": "0s", "pods": 1}, {"at": "5m", "pods": 3}],
        ),
    )
    lines = words(record)
    assert (0, "API server rejects new Pods: no") in lines
    assert (60, "Job and CronJob controllers do not run") in lines
    assert any(at == 120 and "run again" in text for at, text in lines)
    assert (300, "the cluster has room for 3 Pods") in lines


def test_a_third_controller_is_named_once() -> None:
    record = run(job(managedBy="example.com/other"), scenario())
    assert words(record)[0] == (
        0,
        "managedBy example.com/other: simulated as Kubernetes' own controller would run the Job",
    )


@pytest.mark.parametrize(("manager", "shown"), [(None, False), (OUR_MANAGER, True)])
def test_events_of_our_controller_are_shown_for_its_jobs_only(manager: Any, shown: bool) -> None:
    managed = {} if manager is None else {"managedBy": manager}
    restarts = run(
        job(restart="OnFailure", backoffLimit=2, **managed),
        scenario({"exitCode": 1, "duration": "5s"}),
    )
    lost = run(
        job(IGNORE_DISRUPTIONS, **managed),
        scenario(disruptions=({"cause": "NodeLost", "at": "5m"},), until="2h"),
    )
    reasons = {event.reason for record in (restarts, lost) for event in record.job.events}
    ours = {"RestartsExceedBackoffLimit", "PodTerminationOverdue"}
    assert ours.issubset(reasons) if shown else ours.isdisjoint(reasons)


@pytest.mark.parametrize(
    ("manifest", "given", "begin"),
    [
        (job(suspend=True), scenario(until="1h"), "waiting since 0:00:00 for the Job to be resumed"),
        (
            job(parallelism=0, completions=3),
            scenario(until="1h"),
            "waiting since 0:00:00 for a parallelism above 0",
        ),
        (
            job(),
            scenario(pods={"startup": "never"}, until="1h"),
            "waiting since 0:00:00 for a start of its Pods",
        ),
        (
            job(podReplacementPolicy="Failed"),
            scenario(disruptions=({"cause": "NodeLost", "at": "5m"},), until="4h"),
            "waiting since 0:10:50 for terminating Pods to terminate (podReplacementPolicy is Failed",
        ),
        (
            job(),
            scenario(rejections=[{"from": "0s", "until": "9h"}], until="1h"),
            "waiting since 0:00:00 for the API server to accept its Pods (exceeded quota)",
        ),
        (
            indexed(size=2),
            scenario(capacity=[{"at": "0s", "pods": 0}], until="1h"),
            "waiting since 0:00:00 for a node with room for its Pods",
        ),
        (
            job(),
            scenario(pods={"duration": "never"}, until="1h"),
            "waiting since 0:00:05 for running Pods to exit",
        ),
        (
            job(),
            scenario(controllerAway=[{"from": "1m", "until": "9h"}], until="1h"),
            "waiting since 0:01:00 for its controller, which does not run",
        ),
    ],
    ids=[
        "suspended", "parallelism 0", "Pending", "node lost", "quota", "no room", "hangs", "away",
    ],
)  # fmt: skip
def test_an_unfinished_run_ends_in_a_sentence(manifest: Any, given: Any, begin: str) -> None:
    record = run(manifest, given)
    assert record.job.outcome == "Unfinished"
    assert headline(record).partition(": ")[2].startswith(begin)
    assert "as many Pods" not in record.job.reason


@pytest.mark.parametrize(
    ("policy", "shown"), [({"gang": {"minCount": 8}}, True), ({"basic": {}}, False)]
)
def test_gang_scheduling_is_named_as_not_simulated(policy: Any, shown: bool) -> None:
    value = job()
    value["spec"]["scheduling"] = {"schedulingPolicy": policy}
    notes = [each.words for each in run(value, scenario(until="1h")).occurrences]
    assert any("not simulated: gang scheduling (minCount 8)" in each for each in notes) is shown


def test_a_deadline_is_named_as_the_end_of_a_wait() -> None:
    record = run(job(activeDeadlineSeconds=7200), scenario(pods={"startup": "never"}, until="1h"))
    assert headline(record).endswith("; activeDeadlineSeconds fails the Job at 2:00:00")


def test_a_disruption_that_meets_no_pod_is_a_line() -> None:
    disruption = {"cause": "EvictionAPI", "at": "11s"}
    record = run(job(), scenario(disruptions=(disruption,), capacity=[{"at": "0s", "pods": 0}]))
    assert (11, "EvictionAPI meets no Pod on a node: nothing happens") in words(record)


@pytest.mark.parametrize(
    ("cause", "counted"),
    [("EvictionAPI", "ignored"), ("NodePressure", "ignored"), ("Deletion", "failed")],
)
def test_a_pending_pod_on_a_node_can_be_disrupted(cause: str, counted: str) -> None:
    manifest = job(IGNORE_DISRUPTIONS, podReplacementPolicy="Failed")
    disruption = {"cause": cause, "at": "1m"}
    record = run(manifest, scenario({"startup": "5m"}, disruptions=(disruption,)))
    first, second = record.job.pods
    assert (first.started, first.cause, first.counted) == (None, cause, counted)
    assert (first.exit_code, first.reason) == (
        137,
        "ContainerStatusUnknown",
    ) or first.reason == "Evicted"
    assert second.counted == "succeeded"


def test_a_user_can_delete_a_pod_without_a_node() -> None:
    disruption = {"cause": "Deletion", "at": "1m"}
    record = run(job(), scenario(disruptions=(disruption,), capacity=[{"at": "0s", "pods": 0}]))
    assert record.job.pods[0].cause == "Deletion"


SUSPENDED = [{"at": "5m", "spec": {"suspend": True}}, {"at": "45m", "spec": {"suspend": False}}]
OLDER = [
    (ApiServer("1.33"), "DeadlineExceeded"),
    (ApiServer("1.36", {"MutableSchedulingDirectivesForSuspendedJobs": False}), "DeadlineExceeded"),
    (ApiServer("1.36"), "CompletionsReached"),
]


@pytest.mark.parametrize(("server", "reason"), OLDER)
def test_a_resumed_job_has_its_deadline_anew_since_1_36(server: ApiServer, reason: str) -> None:
    given = replace(scenario({"duration": "20m"}, changes=SUSPENDED), server=server)
    record = run(job(activeDeadlineSeconds=1800), given)
    assert record.job.reason == reason
    notes = [text for at, text in words(record) if "startTime is kept over a suspension" in text]
    assert len(notes) == (reason == "DeadlineExceeded")


@pytest.mark.parametrize(
    ("server", "minute"),
    [
        (ApiServer("1.30"), 5),
        (ApiServer("1.31"), 30),
        (ApiServer("1.31", {"JobPodReplacementPolicy": False}), 5),
        (ApiServer("1.37"), 30),
    ],
)
def test_a_job_is_failed_before_its_pods_have_terminated_up_to_1_30(
    server: ApiServer, minute: int
) -> None:
    slow = {"termination": "25m", "duration": "1h"}
    given = scenario({"indexes": 0, "exitCode": 1, "duration": "5m"}, slow, until="3h")
    pod = {"terminationGracePeriodSeconds": 3600}
    record = run(indexed(size=2, backoffLimit=0, pod=pod), replace(given, server=server))
    assert record.job.finished is not None
    assert record.job.finished // MINUTE == minute
    assert record.job.counters[-1].failed == 2
    kinds = [condition.type for condition in record.job.conditions]
    assert kinds == (["Failed"] if minute == 5 else ["FailureTarget", "Failed"])


def test_up_to_1_30_the_failure_target_of_a_failure_policy_is_stored_all_the_same() -> None:
    given = scenario({"indexes": 0, "exitCode": 1, "duration": "5m"})
    record = run(indexed(on_exit("FailJob", 1), size=2), replace(given, server=ApiServer("1.30")))
    assert [condition.type for condition in record.job.conditions] == ["FailureTarget", "Failed"]


def test_so_are_the_success_criteria_of_a_success_policy() -> None:
    given = scenario({"indexes": 1, "duration": "2h"})
    rules = {"rules": [{"succeededIndexes": "0"}]}
    record = run(indexed(size=2, successPolicy=rules), replace(given, server=ApiServer("1.30")))
    assert [condition.type for condition in record.job.conditions] == [
        "SuccessCriteriaMet",
        "Complete",
    ]


def test_in_1_25_the_kubelet_leaves_no_disruption_target() -> None:
    for server, counted in (
        (ApiServer("1.25", {"PodDisruptionConditions": True}), "failed"),
        (ApiServer("1.26"), "ignored"),
    ):
        given = scenario(disruptions=({"cause": "NodePressure", "at": "1m"},))
        record = run(job(IGNORE_DISRUPTIONS), replace(given, server=server))
        assert record.job.pods[0].counted == counted


def test_a_disruption_after_the_end_of_the_run_is_a_line() -> None:
    record = run(job(), scenario(disruptions=({"cause": "EvictionAPI", "at": ["3m", "3d"]},)))
    note = "EvictionAPI at 72:00:00 does not happen: the run has ended"
    assert (record.end // SECOND, note) in words(record)
    assert record.job.pods[0].cause == "EvictionAPI"


@pytest.mark.parametrize(
    ("release", "says"),
    [
        ("1.26", "the first failed Pod is replaced at once"),
        ("1.32", "kubernetes/kubernetes#139428, failed Pods keep their finalizer"),
        ("1.36", "kubernetes/kubernetes#139428 (in 1.36.3)"),
        ("1.25", "not every disruption leaves DisruptionTarget"),
    ],
)
def test_what_is_not_simulated_of_a_release_is_said(release: str, says: str) -> None:
    (note,) = [
        text
        for _, text in words(run(job(), replace(scenario(), server=ApiServer(release))))
        if says in text
    ]
    assert note.startswith(f"Kubernetes {release} is taken to decide as 1.36.3, but for this: ")


def test_up_to_1_26_the_second_failure_is_the_first_with_a_delay() -> None:
    failing = scenario({"exitCode": 1}, pods={"startup": "0s", "duration": "1m"})
    times = {
        release: [
            pod.created // SECOND
            for pod in run(job(), replace(failing, server=ApiServer(release))).job.pods
        ]
        for release in ("1.26", "1.27")
    }
    assert [later - first for first, later in pairwise(times["1.26"])][:3] == [61, 70, 80]
    assert [later - first for first, later in pairwise(times["1.27"])][:3] == [70, 80, 100]


def test_the_newest_release_has_no_note() -> None:
    record = run(job(), replace(scenario(), server=ApiServer("1.37")))
    assert not any("taken to decide" in text for _, text in words(record))
