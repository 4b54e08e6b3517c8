"""After a week, the health of 50 CronJobs says what was done to each of them, from what is stored."""

from __future__ import annotations

from collections import Counter

import pytest

from jobsworth.runs.health.accounted_runs import AccountedRun
from jobsworth.runs.health.cluster_health import ClusterHealth, ListedObjects, cluster_health
from jobsworth.runs.health.cron_job_health import CronJobHealth
from jobsworth.runs.health.problems import problems_of_cron_job
from support.health.cron_job_week import AWAY, CASES, DAY, HOUR, NOW, START, played_week
from support.health.simulated_clusters import PlayedCronJob

pytestmark = pytest.mark.slow

BY_OUTCOME = {"Complete": "Succeeded", "Failed": "Failed", "Unfinished": "Running"}
SAME = {
    "Suspended": {"Suspended"},
    "ControllerAway": {"ControllerAway"},
    "JobAlreadyActive": {"JobAlreadyActive"},
    # The deadline was over because something else kept the run from starting, which counts as the reason.
    "StartingDeadline": {"StartingDeadline", "JobAlreadyActive", "ControllerAway"},
}
"""The reasons that stand for a reason of the simulator."""


@pytest.fixture(scope="module")
def week() -> dict[str, PlayedCronJob]:
    return played_week()


@pytest.fixture(scope="module")
def cluster(week: dict[str, PlayedCronJob]) -> ClusterHealth:
    played = list(week.values())
    listed = ListedObjects(
        cron_jobs=[each.cron_job() for each in played],
        jobs=[job for each in played for job in each.jobs()],
        pods=[pod for each in played for pod in each.pods()],
        events=[event for each in played for event in each.events()],
    )
    return cluster_health(listed, NOW, since=START)


@pytest.fixture(scope="module")
def health(cluster: ClusterHealth) -> dict[str, CronJobHealth]:
    return {each.evidence.name: each for each in cluster.cron_jobs}


def test_there_are_fifty() -> None:
    assert len(CASES) == 50


@pytest.mark.parametrize("name", CASES)
def test_each_run_is_accounted_for_as_it_went(
    name: str, week: dict[str, PlayedCronJob], health: dict[str, CronJobHealth]
) -> None:
    played, found = week[name], health[name]
    assert found.window is not None
    wrong = [
        f"{run}: {truth}"
        for run in found.window.runs
        if (truth := _truth(played, run.scheduled)) is not None
        and not _agrees(run, truth)
        and not _held_while_away(played, run, truth)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", CASES)
def test_a_run_is_unknown_only_where_nothing_is_stored_of_it(
    name: str, week: dict[str, PlayedCronJob], health: dict[str, CronJobHealth]
) -> None:
    played, window = week[name], health[name].window
    edited = played.start + max((at for at, _ in played.edits), default=0)
    limits = [
        played.manifest["spec"][f"{kind}JobsHistoryLimit"] for kind in ("successful", "failed")
    ]
    ttl = played.manifest["spec"]["jobTemplate"]["spec"].get("ttlSecondsAfterFinished")
    replaces = played.manifest["spec"]["concurrencyPolicy"] == "Replace"
    assert window is not None
    stored = {played.at(job.scheduled or 0) for job in played.existing()}
    for run in window.runs:
        if run.state == "Unknown":
            assert run.scheduled not in stored
            assert run.scheduled < edited or min(limits) < 100 or ttl or replaces, run


@pytest.mark.parametrize("name", CASES)
def test_late_runs_are_those_that_were_late(
    name: str, week: dict[str, PlayedCronJob], health: dict[str, CronJobHealth]
) -> None:
    played, window = week[name], health[name].window
    assert window is not None
    late = {
        played.at(job.scheduled): bool(job.late)
        for job in played.existing()
        if job.scheduled is not None and job.created - job.scheduled > 10_000
    }
    found = {run.scheduled for run in window.runs if run.late}
    assert found == {
        scheduled for scheduled in late if scheduled in {r.scheduled for r in window.runs}
    }


def _truth(played: PlayedCronJob, scheduled: int) -> tuple[str, str] | None:
    """Return the state and the reason of a scheduled time by the record; None if it was not due then."""
    for job in played.record.jobs:
        if job.scheduled is not None and played.at(job.scheduled) == scheduled:
            replaced = job.deleted is not None
            return ("replaced" if replaced else BY_OUTCOME[job.outcome]), ""
    for missed in played.record.missed:
        if played.at(missed.scheduled) == scheduled:
            # With this deadline no run starts, whether the controller is there or not.
            never = played.manifest["spec"].get("startingDeadlineSeconds") == 0
            return "missed", "StartingDeadline" if never else missed.reason
    return None


def _agrees(run: AccountedRun, truth: tuple[str, str]) -> bool:
    state, reason = truth
    if run.state == "Unknown":
        return True
    if state == "missed":
        return run.state in ("Skipped", "Waiting") and (
            run.cause in SAME.get(reason, set()) or run.cause == "NotYet"
        )
    return run.state == state or (run.state == "Started" and state != "Running")


def _held_while_away(played: PlayedCronJob, run: AccountedRun, truth: tuple[str, str]) -> bool:
    """Return True if an unfinished Job would have held back the run had the controller been there."""
    return (
        truth == ("missed", "ControllerAway")
        and run.state == "Skipped"
        and run.cause == "JobAlreadyActive"
        and any(
            job.name == run.behind
            and played.at(job.created) <= run.scheduled
            and (job.finished is None or run.scheduled < played.at(job.finished))
            for job in played.record.jobs
        )
    )


def test_the_absence_of_the_controller_is_found_once(cluster: ClusterHealth) -> None:
    (absence,) = cluster.absences
    begin, end = (START + at for at in AWAY[0])
    assert begin <= absence.begin <= begin + 300
    assert absence.end == end
    assert absence.cron_jobs > 20


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("forbid-wrong-image", "ImagePull"),
        ("forbid-unschedulable", "Unschedulable"),
        ("forbid-missing-config", "MissingConfig"),
        ("forbid-terminating", "Terminating"),
        ("forbid-quota", "Quota"),
        ("forbid-hanging", "Running"),
        ("forbid-suspended-jobs", "Suspended"),
        ("deadline-of-nothing", "StartingDeadline"),
    ],
)
def test_what_blocks_a_cron_job_is_named(
    name: str, reason: str, health: dict[str, CronJobHealth]
) -> None:
    block = health[name].block
    assert block is not None
    assert block.cause == reason
    if block.wait is not None and reason not in ("Quota", "Suspended"):
        assert block.wait.pod == f"{block.job}-1"


def test_a_pod_that_has_been_terminating_for_twelve_hours_is_named(
    health: dict[str, CronJobHealth], cluster: ClusterHealth
) -> None:
    blocked = health["forbid-terminating"]
    assert blocked.overdue_seconds(NOW) == 12 * HOUR
    words = " ".join(each.message for each in problems_of_cron_job(blocked, NOW))
    assert "no run has started for 12 h" in words
    assert (
        "terminating Pods before it is Failed (DeadlineExceeded; Pod forbid-terminating-" in words
    )
    stuck = {wait.job.owner: wait.waiting.cause for wait in cluster.stuck}
    assert stuck == {
        "CronJob/forbid-wrong-image": "ImagePull",
        "CronJob/forbid-unschedulable": "Unschedulable",
        "CronJob/forbid-missing-config": "MissingConfig",
        "CronJob/forbid-terminating": "Terminating",
        "CronJob/forbid-quota": "Quota",
    }


@pytest.mark.parametrize(
    ("name", "failures"),
    [
        ("failing", 164),
        ("failing-default-history", 1),
        ("failing-since-friday", 3),
        ("failed-once", 0),
        ("failed-on-sunday", 1),
        ("failed-and-run-by-hand", 0),
        ("failing-every-second", 1),
        ("failed-by-deadline", 164),
        ("hourly", 0),
    ],
)
def test_failures_since_the_last_success_are_counted(
    name: str, failures: int, health: dict[str, CronJobHealth]
) -> None:
    assert len(health[name].failures) == failures


def test_only_cron_jobs_that_start_nothing_are_overdue(health: dict[str, CronJobHealth]) -> None:
    overdue = {name for name, each in health.items() if each.overdue_seconds(NOW) >= 60}
    assert overdue == {
        "deadline-of-nothing",
        "forbid-hanging",
        "forbid-hanging-default-history",
        "forbid-hanging-with-deadline",
        "forbid-long",
        "forbid-long-default-history",
        "forbid-missing-config",
        "forbid-quota",
        "forbid-suspended-jobs",
        "forbid-terminating",
        "forbid-unschedulable",
        "forbid-wrong-image",
    }


def test_a_clock_change_skips_the_run_in_berlin(health: dict[str, CronJobHealth]) -> None:
    window = health["daily-berlin"].window
    assert window is not None
    assert len(window.runs) == 6
    assert START + 6 * DAY not in {run.scheduled // DAY * DAY for run in window.runs}


def test_the_sums_are_those_of_the_week(
    week: dict[str, PlayedCronJob], health: dict[str, CronJobHealth]
) -> None:
    totals: Counter[str] = Counter()
    for each in health.values():
        assert each.window is not None
        totals.update(each.window.counts())
    known = totals.total() - totals["late"] - totals["unknown"]
    print(f"\n{len(health)} CronJobs: {dict(totals)}, {known} accounted for")
    jobs = sum(len(played.existing()) for played in week.values())
    manual = sum(len(each.evidence.manual) for each in health.values())
    unscheduled = sum(each.window.unscheduled for each in health.values() if each.window)
    stored = totals["succeeded"] + totals["failed"] + totals["running"]
    assert stored >= jobs - manual - unscheduled
