"""The scenarios in examples/scenarios come out as their comments promise."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import jobsworth
from jobsworth.files.simulations.simulated_manifests import with_field
from jobsworth.manifests import read_file
from jobsworth.reports.timelines.local_times import local_time
from jobsworth.runs.run_record import JobRecord, RunRecord
from jobsworth.runs.run_statistics import summarize
from jobsworth.runs.simulation.scenario_reader import is_scenario, read_scenario
from jobsworth.runs.simulation.scenario_run import run_once
from support.cli.command_processes import run as run_command

FOLDER = Path(__file__).parents[3] / "examples/scenarios"
SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000


@cache
def documents(name: str) -> tuple[Any, Any]:
    found = [document.value for document in read_file(str(FOLDER / f"{name}.yaml"))]
    (scenario,) = (value for value in found if is_scenario(value))
    (manifest,) = (value for value in found if not is_scenario(value))
    return manifest, scenario


def play(name: str, seed: int = 1, **fields: Any) -> RunRecord:
    """Run a shipped scenario, with other values in some fields: ``spec__suspend=True``."""
    manifest, scenario = documents(name)
    for key, value in fields.items():
        path = re.sub(r"__(\d+)", r"[\1]", key).replace("__", ".")
        if path.startswith("scenario."):
            scenario = with_field(scenario, path.removeprefix("scenario."), value)
        else:
            manifest = with_field(manifest, path, value)
    return run_once(jobsworth.default(manifest), read_scenario(scenario), seed)


def without_policy(name: str) -> RunRecord:
    return play(name, spec__podFailurePolicy=None)


def counted(record: RunRecord) -> Counter[str]:
    return Counter(pod.counted for pod in record.job.pods)


def most_at_once(job: JobRecord) -> int:
    """Return the greatest number of Pods that exist and have not ended."""
    changes = sorted(
        change
        for pod in job.pods
        for change in ((pod.created, 1), (job.finished if pod.ended is None else pod.ended, -1))
    )
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


OUTCOMES: dict[str, tuple[Callable[[], RunRecord], str, str, int]] = {
    # how it is run; outcome, reason, Pods
    "tail-under-consolidation": (
        lambda: play("tail-under-consolidation"), "Complete", "CompletionsReached", 39),
    "two-scale-downs": (
        lambda: play("two-scale-downs"), "Failed", "BackoffLimitExceeded", 2),
    "two-scale-downs, ignored": (
        lambda: play("two-scale-downs", spec__podFailurePolicy__rules__0__action="Ignore"),
        "Complete", "CompletionsReached", 3),
    "half-a-restore": (lambda: play("half-a-restore"), "Complete", "CompletionsReached", 2),
    "half-a-restore, no rule": (
        lambda: without_policy("half-a-restore"), "Failed", "BackoffLimitExceeded", 1),
    "expiry-without-a-condition": (
        lambda: play("expiry-without-a-condition"), "Failed", "BackoffLimitExceeded", 1),
    "oom-as-infrastructure": (
        lambda: play("oom-as-infrastructure"), "Unfinished",
        "waiting for the backoff after a failure", 672),
    "oom-as-infrastructure, no retries": (
        lambda: play("oom-as-infrastructure", spec__backoffLimit=0),
        "Failed", "BackoffLimitExceeded", 1),
    "who-wins": (lambda: play("who-wins"), "Failed", "DeadlineExceeded", 6),
    "ten-or-sixty-four": (lambda: play("ten-or-sixty-four"), "Failed", "BackoffLimitExceeded", 20),
    "one-index-of-five-thousand": (
        lambda: play("one-index-of-five-thousand"), "Failed", "BackoffLimitExceeded", 5000),
    "one-index-of-five-thousand, per index": (
        lambda: play("one-index-of-five-thousand", spec__backoffLimitPerIndex=1,
                     spec__maxFailedIndexes=100, spec__backoffLimit=None),
        "Complete", "CompletionsReached", 5001),
    "dead-node": (
        lambda: play("dead-node"), "Unfinished",
        "waiting for terminating Pods to terminate", 1),
    "deadline-before-the-node": (
        lambda: play("deadline-before-the-node"), "Failed", "DeadlineExceeded", 1),
    "overshoot": (lambda: play("overshoot"), "Failed", "BackoffLimitExceeded", 40),
    "overshoot, ignored": (
        lambda: play("overshoot", spec__podFailurePolicy={"rules": [
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}),
        "Complete", "CompletionsReached", 50),
    "admission-says-no": (lambda: play("admission-says-no"), "Failed", "DeadlineExceeded", 0),
    "no-window": (lambda: play("no-window"), "Failed", "BackoffLimitExceeded", 5),
    "no-window, in minutes": (
        lambda: play("no-window", scenario__spec__disruptions__0__after="3m"),
        "Failed", "BackoffLimitExceeded", 5),
    "KEP-3329 story 1, retriable": (
        lambda: play("kep-3329-story-1"), "Complete", "CompletionsReached", 51),
    "KEP-3329 story 1, a bug": (
        lambda: play("kep-3329-story-1", scenario__spec__pods__cases__0__exitCode=1),
        "Failed", "PodFailurePolicy", 50),
    "KEP-3329 story 2": (lambda: play("kep-3329-story-2"), "Complete", "CompletionsReached", 9),
    "KEP-3329 story 2, users' errors": (
        lambda: play("kep-3329-story-2", scenario__spec__pods__cases=[{"exitCode": 1}],
                     scenario__spec__disruptions=[]),
        "Failed", "BackoffLimitExceeded", 4),
    "KEP-3329 story 3": (lambda: play("kep-3329-story-3"), "Failed", "BackoffLimitExceeded", 4),
    "KEP-3329 story 3, few disruptions": (
        lambda: play("kep-3329-story-3", scenario__spec__disruptions__0__attempts="1-3"),
        "Complete", "CompletionsReached", 4),
    "KEP-3329 story 3, a user's error": (
        lambda: play("kep-3329-story-3", scenario__spec__pods__cases=[{"exitCode": 7}],
                     scenario__spec__disruptions=[]),
        "Failed", "PodFailurePolicy", 1),
    "KEP-3850 story 1": (lambda: play("kep-3850-story-1"), "Failed", "FailedIndexes", 12),
    "KEP-3850 story 2": (lambda: play("kep-3850-story-2"), "Failed", "FailedIndexes", 11),
    "KEP-3850 story 3": (
        lambda: play("kep-3850-story-3"), "Failed", "MaxFailedIndexesExceeded", 17),
    "KEP-3850 story 3, half of them": (
        lambda: play("kep-3850-story-3", scenario__spec__pods__cases__0__indexes="0-4"),
        "Failed", "FailedIndexes", 15),
    "KEP-3939 story 1": (lambda: play("kep-3939-story-1"), "Complete", "CompletionsReached", 5),
    "KEP-3939 story 2": (lambda: play("kep-3939-story-2"), "Complete", "CompletionsReached", 8),
    "KEP-2232 story 1": (lambda: play("kep-2232-story-1"), "Complete", "CompletionsReached", 80),
    "KEP-2232 story 2": (lambda: play("kep-2232-story-2"), "Complete", "CompletionsReached", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_job_comes_out_as_promised(name: str) -> None:
    playing, outcome, reason, pods = OUTCOMES[name]
    record = playing()
    assert (record.job.outcome, record.job.reason, len(record.job.pods)) == (outcome, reason, pods)


def test_the_tail_takes_much_longer_than_a_shard_and_smaller_shards_lose_less() -> None:
    large = play("tail-under-consolidation")
    assert Counter(pod.cause for pod in large.job.pods if pod.cause)["SpotReclaim"] == 2
    assert [pod.attempt for pod in large.job.pods if pod.index == 7][-1] >= 6
    assert (large.job.finished or 0) > 2 * 27 * MINUTE
    small = play("tail-under-consolidation", scenario__spec__pods__duration="9m")
    assert summarize(small).wasted < summarize(large).wasted


def test_a_restore_starts_again_from_the_beginning() -> None:
    first, second = play("half-a-restore").job.pods
    assert (second.ended or 0) - (second.started or 0) == 4 * HOUR
    assert (first.deleted or 0) == 90 * MINUTE


@pytest.mark.parametrize(("drained", "seconds"), [(1, 10), (2, 20), (3, 40), (5, 160)])
def test_each_drained_pod_doubles_the_wait(drained: int, seconds: int) -> None:
    record = play("ignore-is-not-free", scenario__spec__disruptions__0__pods=drained)
    evicted = [pod for pod in record.job.pods if pod.cause]
    assert len(evicted) == drained
    replaced = record.job.pods[10].created
    assert (replaced - (evicted[0].ended or 0)) // SECOND == seconds
    assert record.job.outcome == "Complete"


def test_a_pod_that_expires_is_killed_at_18_minutes() -> None:
    record = play("expiry-without-a-condition")
    (pod,) = record.job.pods
    assert (pod.exit_code, pod.match and pod.match.action) == (137, None)
    assert 18 * MINUTE <= (record.job.finished or 0) < 18 * MINUTE + 10 * SECOND


@pytest.mark.slow
def test_a_week_without_memory_costs_56_pod_hours() -> None:
    assert summarize(play("oom-as-infrastructure")).wasted // HOUR == 56


@pytest.mark.slow
def test_one_failure_removes_994_running_pods() -> None:
    record = play("one-index-of-five-thousand")
    assert sum(pod.deleted is not None for pod in record.job.pods) == 994
    assert counted(record)["succeeded"] == 4005


def test_a_container_that_restarts_loses_its_pod_and_logs_after_5m46s() -> None:
    (pod, _) = (job.pods[0] for job in play("same-pod-no-logs").jobs)
    lived = (pod.deleted or 0) - (pod.started or 0)
    assert 5 * MINUTE + 40 * SECOND <= lived <= 5 * MINUTE + 52 * SECOND
    assert len(pod.restarts) == 6


def test_a_typo_blocks_two_days_and_a_deadline_ends_each_run() -> None:
    blocked = play("typo-in-an-image")
    assert (len(blocked.jobs), len(blocked.missed)) == (1, 7)
    ended = play("typo-in-an-image", spec__jobTemplate__spec__activeDeadlineSeconds=3600)
    assert (len(ended.jobs), len(ended.missed)) == (8, 0)
    assert ended.jobs[0].reason == "DeadlineExceeded"


def test_forbid_waits_for_a_wedged_pod_and_replace_does_not() -> None:
    forbid = play("wedged-reconciler")
    assert (len(forbid.jobs), len(forbid.missed)) == (1, 12)
    replace = play("wedged-reconciler", spec__concurrencyPolicy="Replace")
    assert (len(replace.jobs), len(replace.missed)) == (13, 0)


def test_on_a_dead_node_the_job_waits_or_runs_twice() -> None:
    waits = play("dead-node")
    assert waits.job.pods[0].ended is None
    twice = play("dead-node", spec__podReplacementPolicy="TerminatingOrFailed")
    lost, replacement = twice.job.pods
    assert lost.ended is None
    assert replacement.counted == "succeeded"
    assert twice.job.outcome == "Unfinished"  # Complete only when the lost Pod has ended


def test_a_deadline_is_over_before_a_container_ran() -> None:
    record = play("deadline-before-the-node")
    assert record.job.pods[0].started is None
    assert summarize(record).used == 0


def test_berlin_has_02_00_twice_in_october_and_no_02_30_in_march() -> None:
    october = play("berlin-in-october")
    times = [local_time(october, job.scheduled or 0) for job in october.jobs]
    assert times[1:3] == ["Sun 2023-10-29 02:00:00 +0200", "Sun 2023-10-29 02:00:00 +0100"]
    first, second = october.jobs[1:3]
    assert (first.finished or 0) > second.created
    march = play(
        "berlin-in-october", scenario__spec__start="2023-03-24T12:00Z", spec__schedule="30 2 * * *"
    )
    days = [local_time(march, job.scheduled or 0)[:14] for job in march.jobs]
    assert days == ["Sat 2023-03-25", "Mon 2023-03-27"]


def test_a_mail_goes_out_for_a_time_that_is_long_over() -> None:
    record = play("a-thousand-mails")
    late = [(job.created - (job.scheduled or 0)) // HOUR for job in record.jobs]
    assert late == [0, 18, 0]
    careful = play("a-thousand-mails", spec__startingDeadlineSeconds=600)
    assert [(job.created - (job.scheduled or 0)) // HOUR for job in careful.jobs] == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("deadline", [None, 200])
def test_a_controller_that_comes_back_starts_one_run(deadline: int | None) -> None:
    record = play("controller-away", spec__startingDeadlineSeconds=deadline)
    down = [job for job in record.jobs if 8 * 60 + 29 <= job.created // MINUTE < 10 * 60 + 22]
    assert len(down) == 1


@pytest.mark.slow
def test_a_weekend_of_minutes_piles_up_hundreds_of_pods() -> None:
    record = play("a-weekend-of-minutes")
    unfinished = sum(job.finished is None for job in record.jobs)
    assert 800 <= unfinished <= 900
    forbid = play("a-weekend-of-minutes", spec__concurrencyPolicy="Forbid")
    assert sum(job.finished is None for job in forbid.jobs) <= 1


def test_refused_pods_are_reported_by_events_only() -> None:
    record = play("admission-says-no")
    events = Counter(event.reason for event in record.job.events)
    assert events["FailedCreate"] > 10
    assert 15 * MINUTE <= (record.job.finished or 0) <= 15 * MINUTE + 60 * SECOND


def test_a_deadline_keeps_retries_away_from_the_next_run() -> None:
    first, second = play("retry-that-collides").jobs
    assert first.reason == "DeadlineExceeded"
    assert (first.finished or 0) < second.created
    collides = play("retry-that-collides", spec__jobTemplate__spec__activeDeadlineSeconds=None)
    assert (collides.jobs[0].finished or collides.end) > collides.jobs[1].created


def test_after_three_spot_attempts_an_index_succeeds_on_demand() -> None:
    records = [play("spot-with-escalation", seed) for seed in range(1, 6)]
    assert {record.job.outcome for record in records} == {"Complete"}
    assert max(pod.attempt for record in records for pod in record.job.pods) == 4
    assert all(summarize(record).wasted > HOUR for record in records)


@pytest.mark.slow
@pytest.mark.parametrize(("ttl", "objects"), [(None, 719), (0, 1), (3600, 7), (86400, 145)])
def test_finished_jobs_stay_until_their_time_to_live_is_over(ttl: int | None, objects: int) -> None:
    ttls = {"spec__jobTemplate__spec__ttlSecondsAfterFinished": ttl}
    record = play("three-thousand-jobs", **ttls, scenario__spec__until="120h")
    assert record.most_objects == objects


def test_a_bug_stops_thousands_of_pods_early() -> None:
    """KEP-3329, story 1."""
    record = play("kep-3329-story-1", scenario__spec__pods__cases__0__exitCode=1)
    assert (record.job.finished or 0) < 3 * HOUR


def test_preemptions_are_retried_for_ever_and_not_counted() -> None:
    """KEP-3329, story 2."""
    assert counted(play("kep-3329-story-2")) == {"ignored": 8, "succeeded": 1}


def test_a_suite_that_fails_twice_fails_alone() -> None:
    """KEP-3850, story 1."""
    record = play("kep-3850-story-1")
    assert [index for _, index in record.job.failed_indexes] == [5]
    assert counted(record) == {"succeeded": 9, "failed": 3}


def test_exit_code_42_gives_no_second_attempt() -> None:
    """KEP-3850, story 2."""
    record = play("kep-3850-story-2")
    attempts = Counter(pod.index for pod in record.job.pods)
    assert (attempts[2], attempts[5]) == (1, 2)
    assert sorted(index for _, index in record.job.failed_indexes) == [2, 5]


def test_more_than_half_of_failed_suites_end_the_job() -> None:
    """KEP-3850, story 3."""
    record = play("kep-3850-story-3")
    assert (record.job.finished or 0) < 10 * MINUTE


def test_a_worker_starts_only_when_the_one_it_replaces_has_ended() -> None:
    """KEP-3939, story 1."""
    waits = [pod for pod in play("kep-3939-story-1").job.pods if pod.index == 2]
    assert waits[1].created > (waits[0].ended or 0)
    both = play("kep-3939-story-1", spec__podReplacementPolicy="TerminatingOrFailed")
    overlap = [pod for pod in both.job.pods if pod.index == 2]
    assert overlap[1].created < (overlap[0].ended or 0)


def test_there_are_never_more_pods_than_the_parallelism() -> None:
    """KEP-3939, story 2."""
    assert most_at_once(play("kep-3939-story-2").job) == 5
    surge = play("kep-3939-story-2", spec__podReplacementPolicy="TerminatingOrFailed")
    assert most_at_once(surge.job) == 8


def test_terminating_pods_are_counted_beside_active_ones() -> None:
    """KEP-3939, story 3: the status says how many there are."""
    counters = play("kep-3939-story-2").job.counters
    assert max(each.terminating for each in counters) == 3
    assert max(each.active + each.terminating for each in counters) == 5


def test_a_suspended_night_loses_no_success_and_counts_no_failure() -> None:
    """KEP-2232, story 1."""
    record = play("kep-2232-story-1")
    assert counted(record) == {"succeeded": 60, "uncounted": 20}
    assert all(
        pod.match is None or pod.counted == "uncounted" for pod in record.job.pods if pod.deleted
    )
    days = [(10, 24), (34, 48)]
    ran = [(pod.started or 0, pod.ended or 0) for pod in record.job.pods]
    assert not any(
        begin * HOUR + MINUTE < start < end * HOUR for begin, end in days for start, _ in ran
    )


def test_the_deadline_of_a_queued_job_runs_from_its_start() -> None:
    """KEP-2232, story 2: nine hours of waiting do not count towards a deadline of two."""
    record = play("kep-2232-story-2")
    assert record.job.pods[0].created >= 9 * HOUR
    assert record.job.reason == "CompletionsReached"


def test_every_shipped_scenario_is_held_by_a_test() -> None:
    tested = set(re.findall(r'play\(\s*"([\w-]+)"', Path(__file__).read_text(encoding="utf-8")))
    assert {path.stem for path in FOLDER.glob("*.yaml")} == tested


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    sorted(
        command
        for path in FOLDER.glob("*.yaml")
        for command in re.findall(r"^#   (jobsworth simulate .*)$", path.read_text(), re.MULTILINE)
        if "--runs" not in command and not re.search("one-index|three-thousand|weekend", command)
    ),
)
def test_the_commands_in_the_comments_run(command: str) -> None:
    done = run_command(*shlex.split(command)[1:], folder=FOLDER)
    assert (done.returncode, done.stderr) == (0, "")
