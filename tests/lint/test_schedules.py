"""Rules about cron schedules."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, cron_job, found, job


def scheduled(schedule: str, **spec: Any) -> dict[str, Any]:
    return cron_job(job(), schedule=schedule, **spec)


@pytest.mark.parametrize(
    ("code", "schedule"),
    [
        ("JW401", "0 0 30 2 *"),
        ("JW401", "0 0 31 2,4,6,9,11 *"),
        ("JW401", ", * * * *"),
        ("JW402", "0 6 31 * *"),
        ("JW402", "0 6 29-31 * *"),
        ("JW402", "0 6 31 */3 *"),
        ("JW403", "0 6 1-7 * mon"),
        ("JW403", "0 6 13 * fri"),
        ("JW403", "0 6 */2 * mon"),
        ("JW403", "0 6 1-31 * mon"),
        ("JW404", "* 3 * * *"),
        ("JW404", "* 0,12 * * *"),
        ("JW404", "*/1 3 1 * *"),
        ("JW422", "* * 1 * *"),
        ("JW422", "* * 1,15 * *"),
        ("JW422", "*/1 * * * sun"),
        ("JW422", "* * * * 1,3,5"),
        ("JW422", "* * 1 * mon"),
        ("JW426", "*/45 * * * *"),
        ("JW426", "0 */16 * * *"),
        ("JW405", "*/25 * * * *"),
        ("JW405", "*/7 9-17 * * *"),
        ("JW405", "0-59/25 * * * *"),
        ("JW405", "0 */5 * * *"),
        pytest.param("JW405", f"*/{'0' * 5000}7 * * * *", id="JW405-a step of 5,001 digits"),
        ("JW406", "@every 90m"),
        ("JW406", "@every 500ms"),
        ("JW419", "*/90 * * * *"),
        ("JW419", "0 */36 * * *"),
        ("JW419", "0 0 */45 * *"),
        ("JW419", "0 0 1 */18 *"),
    ],
)
def test_a_schedule_is_reported(code: str, schedule: str) -> None:
    (finding,) = found(code, scheduled(schedule))
    assert finding.field == "spec.schedule"


@pytest.mark.parametrize(
    ("code", "schedule"),
    [
        ("JW401", "0 0 29 2 *"),
        ("JW401", "0 0 31 1 *"),
        ("JW401", "0 0 30 2 1"),  # or a Monday
        ("JW401", "@every 1h"),
        ("JW402", "0 6 28-31 * *"),
        ("JW402", "0 6 31 1,12 *"),
        ("JW402", "0 6 31 * mon"),
        ("JW402", "0 6 29 2 *"),  # a user who writes this knows
        ("JW402", "0 6 31 2 *"),  # never fires at all
        ("JW402", "@monthly"),
        ("JW403", "0 6 * * mon"),
        ("JW403", "0 6 1 * *"),
        ("JW403", "0 6 1 * ?"),
        ("JW403", "0 6 1-31 * 0-6"),
        ("JW404", "0 3 * * *"),
        ("JW404", "*/5 3 * * *"),
        ("JW404", "* 9-17 * * *"),
        ("JW404", "* * * * *"),
        ("JW422", "* * * * *"),
        ("JW422", "* * * * 1-5"),
        ("JW422", "* * * * 0,6"),
        ("JW422", "* * 1-7 * *"),
        ("JW422", "0 * 1 * *"),
        ("JW422", "* 3 1 * *"),
        ("JW422", "* * * 1 *"),
        ("JW405", "*/5 * * * *"),
        ("JW405", "*/45 * * * *"),
        ("JW426", "*/25 * * * *"),
        ("JW426", "*/45 3 * * *"),
        ("JW426", "*/30 * * * *"),
        ("JW405", "*/60 * * * *"),
        ("JW405", "5/7 * * * *"),
        ("JW405", "0 */5 * * mon"),
        ("JW405", "0 */6 * * *"),
        ("JW405", "@hourly"),
        ("JW406", "@hourly"),
        ("JW406", "0 */2 * * *"),
        ("JW419", "*/60 */24 * * *"),
        ("JW419", "0 0 */31 */12 *"),
        ("JW419", "0 0 * * */7"),
        ("JW419", "@daily"),
    ],
)
def test_a_schedule_is_left_alone(code: str, schedule: str) -> None:
    assert found(code, scheduled(schedule)) == []


@pytest.mark.parametrize(
    "code", ["JW401", "JW402", "JW403", "JW404", "JW405", "JW406", "JW419", "JW422", "JW426"]
)
@pytest.mark.parametrize("value", [job(), scheduled("60 * * * *"), scheduled("")])
def test_a_missing_schedule_is_left_alone(code: str, value: dict[str, Any]) -> None:
    assert found(code, value) == []


def test_a_template_for_runs_by_hand_may_never_fire() -> None:
    assert found("JW401", scheduled("0 0 31 2 *", suspend=True)) == []


def test_the_months_that_are_left_out_are_named() -> None:
    (finding,) = found("JW402", scheduled("0 6 31 */3 *"))
    assert finding.message.startswith("No run in April, which has no day 31")
    (finding,) = found("JW402", scheduled("0 6 29 * *"))
    assert finding.message.startswith("No run in February of most years, which has no day 29")


def test_days_that_match_every_day_are_reported() -> None:
    (finding,) = found("JW403", scheduled("0 6 1-31 * mon"))
    assert "that is, every day" in finding.message


def test_one_run_instead_of_sixty_is_an_unsafe_fix() -> None:
    (finding,) = found("JW404", scheduled("* 3 * * mon"))
    assert finding.fix is not None
    assert not finding.fix.safe
    fixed = after_fix("JW404", scheduled("* 3 * * mon"))
    assert fixed["spec"]["schedule"] == "0 3 * * mon"
    assert found("JW404", fixed) == []


@pytest.mark.parametrize(
    ("code", "schedule", "advice"),
    [
        ("JW404", "* */3 * * *", 'Use "0 */3 * * *" for one run in each.'),
        ("JW422", "* * 2 * *", 'Use "0 0 2 * *" for one run on each.'),
    ],
)
def test_the_advice_does_not_promise_a_run_in_every_hour_or_on_every_day(
    code: str, schedule: str, advice: str
) -> None:
    (finding,) = found(code, scheduled(schedule))
    assert "that matches" in finding.message
    assert finding.message.endswith(advice)


@pytest.mark.parametrize(
    ("schedule", "advice"),
    [("*/7 * * * *", "*/6 or */10"), ("*/25 * * * *", "*/20 or */30")],
)
def test_steps_that_come_out_even_are_named(schedule: str, advice: str) -> None:
    (finding,) = found("JW405", scheduled(schedule))
    assert finding.message.endswith(f": {advice}.")


def test_an_interval_below_a_minute_loses_runs() -> None:
    (finding,) = found("JW406", scheduled("@every 10s"))
    assert finding.message.startswith("An interval of 10 s is too short")
