"""`jobsworth simulate` ends with a sentence where a manifest, a scenario or an option makes it endless."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from jobsworth.runs.simulation.run_limits import SimulationTooLarge, check_runs
from jobsworth.runs.simulation.scenario_run import run_once
from support.cli.command_processes import GOOD
from support.cli.command_runs import Command
from support.simulation.simulated_runs import indexed, job, outcome, scenario
from support.simulation.simulated_runs import run as simulated

Refused = Callable[..., str]
SECONDS = 30
"""Of the processor. Each of these ran for minutes or without end; they take 1 to 3 s."""
WIDE = GOOD.replace("spec:\n", "spec:\n  parallelism: WIDTH\n  completions: WIDTH\n", 1)
EVERY_MINUTE = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}}
"""


@pytest.fixture
def refused(command: Command) -> Refused:
    """Runs the command with a manifest and options, and returns what it reports."""

    def refused(manifest: str, *options: str) -> str:
        begun = time.process_time()
        done = command("simulate", "job.yaml", *options, files={"job.yaml": manifest})
        assert time.process_time() - begun < SECONDS
        assert (done.code, done.out) == (2, "")
        assert "Traceback" not in done.err
        return done.err

    return refused


@pytest.mark.parametrize("width", [1_000_000, 2_147_483_647])
def test_more_pods_at_a_time_than_a_simulation_creates(refused: Refused, width: int) -> None:
    assert refused(WIDE.replace("WIDTH", str(width))) == (
        f"Error: not simulated: job.yaml: the Job runs {width:,} Pods at a time, and one run creates at most "
        "200,000. Set a lower parallelism\n"
    )


def test_a_job_of_a_million_completions_is_refused_before_it_starts(refused: Refused) -> None:
    size = "spec:\n  parallelism: 1000\n  completions: 1000000\n"
    manifest = GOOD.replace("spec:\n", size, 1)
    assert refused(manifest) == (
        "Error: not simulated: job.yaml: the Job needs 1,000,000 Pods, one for each completion, and one run "
        "creates at most 200,000. Simulate a smaller Job of the same shape\n"
    )


def test_a_long_run_reports_how_many_completions_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobsworth.runs.simulation.run_limits.REPORT_STEPS", 1000)
    seen: list[tuple[int, int]] = []
    run_once(
        indexed(size=50, parallelism=5), scenario(), 1, progress=lambda *each: seen.append(each)
    )
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {50}
    assert seen[-1][0] > 40


@pytest.mark.slow
def test_a_cron_job_of_every_minute_for_two_hundred_years(refused: Refused) -> None:
    assert refused(EVERY_MINUTE, "--from", "1971-01-02", "--until", "2000000h") == (
        "Error: not simulated: job.yaml: the CronJob has more than 20,000 scheduled times in the simulated "
        "period, the most that one run may. Set a shorter --until\n"
    )


def test_a_sweep_of_many_values(refused: Refused) -> None:
    values = ",".join(map(str, range(20_000)))
    assert refused(GOOD, "--sweep", f"spec.backoffLimit={values}") == (
        "Error: not simulated: --sweep and --compare make 20,000 variants, and one invocation simulates at "
        "most 1,000. Sweep fewer values\n"
    )


def test_a_billion_runs(refused: Refused) -> None:
    assert refused(GOOD, "--runs", "999999999") == (
        "Error: not simulated: 999,999,999 runs are more than the 100,000 runs that one invocation makes. "
        "Set lower --runs\n"
    )


@pytest.mark.parametrize(
    ("date", "message"),
    [
        ("9999-12-31", "--from: the year must be from 1971 to 2199"),
        ("2199-12-31", "the simulated period must begin in 1970 or later and end before 2200"),
        ("1969-12-31", "--from: the year must be from 1971 to 2199"),
    ],
)
def test_dates_that_the_calendar_does_not_have(refused: Refused, date: str, message: str) -> None:
    assert message in refused(EVERY_MINUTE, "--from", date, "--until", "48h")


@pytest.mark.parametrize(
    ("swept", "message"),
    [
        (
            ".".join("a" * 5000) + "=1",
            "has 5,000 parts, and no field is so deep. Name a field such as",
        ),
        ("spec.template.spec.containers[\N{SUPERSCRIPT TWO}].image=a", "there is no such field"),
        (f"spec.template.spec.containers[{'9' * 5000}].image=a", "there is no such field"),
        (f"spec.backoffLimit={'[' * 100_000}", "spec.backoffLimit"),
        ("spec.backoffLimit=NaN", "spec.backoffLimit"),
    ],
)
def test_a_sweep_that_leads_nowhere_is_refused(refused: Refused, swept: str, message: str) -> None:
    reported = refused(GOOD, "--sweep", swept)
    assert message in reported
    assert "internal error" not in reported


def test_variants_and_runs_are_limited_together() -> None:
    check_runs(1, 100_000)
    check_runs(1_000, 100)
    with pytest.raises(SimulationTooLarge, match="1,000 variants times 101 runs are more than"):
        check_runs(1_000, 101)


class TestALimitThatIsReachedInARun:
    def test_pods(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("jobsworth.runs.simulation.run_limits.MAX_PODS", 20)
        assert outcome(simulated(indexed(size=20), scenario()))[0] == "Complete"
        failing = scenario({"exitCode": 1})
        with pytest.raises(SimulationTooLarge, match="creates more than 20 Pods"):
            simulated(job(parallelism=4, completions=20, backoffLimit=100), failing)

    def test_an_edit_that_raises_the_parallelism(self) -> None:
        changes = [{"at": "1m", "spec": {"parallelism": 300_000}}]
        with pytest.raises(SimulationTooLarge, match="runs 300,000 Pods at a time"):
            simulated(job(parallelism=1), scenario(changes=changes))

    def test_steps(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("jobsworth.runs.simulation.run_limits.MAX_STEPS", 100_000)
        evicted = {"cause": "EvictionAPI", "every": "1s", "pods": 1}
        with pytest.raises(SimulationTooLarge, match="more than 100,000 steps"):
            simulated(job(backoffLimit=10**6), scenario(disruptions=(evicted,), until="10000h"))

    def test_scheduled_times_that_start_no_job(self, monkeypatch: pytest.MonkeyPatch) -> None:
        limit = "jobsworth.runs.simulation.run_limits.MAX_SCHEDULED_TIMES"
        manifest = cron_job("Forbid")
        hanging = scenario(pods={"duration": "never"}, until="1h", changes=NO_CHANGE)
        monkeypatch.setattr(limit, 60)
        assert len(simulated(manifest, hanging).jobs) == 1
        monkeypatch.setattr(limit, 50)
        with pytest.raises(SimulationTooLarge, match="more than 50 scheduled times"):
            simulated(manifest, hanging)

    def test_missed_times_are_counted_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        limit = "jobsworth.runs.simulation.run_limits.MAX_SCHEDULED_TIMES"
        slow = scenario(pods={"duration": "10m"}, until="1h", changes=NO_CHANGE)
        monkeypatch.setattr(limit, 60)
        assert len(simulated(cron_job("Forbid"), slow).missed) > 40


NO_CHANGE = [{"at": "1s", "spec": {"startingDeadlineSeconds": 3600}}]


def cron_job(policy: str) -> dict[str, object]:
    spec = job()["spec"]
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "report", "namespace": "batch"},
        "spec": {
            "schedule": "* * * * *",
            "concurrencyPolicy": policy,
            "jobTemplate": {"spec": spec},
        },
    }


def test_the_runs_of_an_invocation_are_limited_together(refused: Refused) -> None:
    from jobsworth.runs.simulation.run_limits import MAX_ALL_STEPS, check_all_steps

    check_all_steps(MAX_ALL_STEPS)
    with pytest.raises(SimulationTooLarge, match="all runs together take more than 2,000,000,000"):
        check_all_steps(MAX_ALL_STEPS + 1)


@pytest.mark.slow
def test_a_job_of_many_indexes_is_simulated() -> None:
    record = simulated(indexed(size=20_000), scenario())
    assert outcome(record)[0] == "Complete"
    assert record.steps < 20_000_000
