"""`jobsworth schedule`, run as a user runs it."""

from __future__ import annotations

import pytest

from support.cli.command_runs import Command


def lines(command: Command, *arguments: str) -> list[str]:
    done = command("schedule", *arguments)
    assert done.code == 0
    return done.out.splitlines()


def test_the_night_in_which_clocks_go_forward_has_no_run(command: Command) -> None:
    arguments = (
        "30 2 * * *",
        "--time-zone",
        "Europe/Berlin",
        "--from",
        "2027-03-27",
        "--count",
        "2",
    )
    assert lines(command, *arguments) == [
        "30 2 * * *  (Europe/Berlin), after Sat 2027-03-27 00:00:00 +01:00",
        "Sat 2027-03-27 02:30:00 +01:00  2027-03-27 01:30:00 UTC",
        "  -- clocks go forward by 1 h --",
        "Mon 2027-03-29 02:30:00 +02:00  2027-03-29 00:30:00 UTC",
    ]


def test_the_night_in_which_clocks_go_back_has_two(command: Command) -> None:
    arguments = (
        "30 2 * * *",
        "--time-zone",
        "Europe/Berlin",
        "--from",
        "2027-10-31",
        "--count",
        "2",
    )
    assert lines(command, *arguments)[1:] == [
        "Sun 2027-10-31 02:30:00 +02:00  2027-10-31 00:30:00 UTC",
        "  -- clocks go back by 1 h --",
        "Sun 2027-10-31 02:30:00 +01:00  2027-10-31 01:30:00 UTC",
    ]


def test_without_a_zone_it_is_utc_and_without_a_time_it_is_now(command: Command) -> None:
    found = lines(command, "@hourly")
    assert len(found) == 11
    assert found[0].startswith("@hourly  (UTC), after ")


def test_the_time_may_have_an_offset(command: Command) -> None:
    arguments = ("0 0 * * *", "--from", "2027-01-01T00:30:00+02:00", "--count", "1")
    assert (
        lines(command, *arguments)[1] == "Fri 2027-01-01 00:00:00 +00:00  2027-01-01 00:00:00 UTC"
    )


def test_the_zone_may_be_in_the_expression(command: Command) -> None:
    arguments = ("TZ=Asia/Tokyo 0 9 * * *", "--from", "2027-01-01", "--count", "1")
    assert lines(command, *arguments)[1].endswith("2027-01-01 00:00:00 UTC")


def test_json(command: Command) -> None:
    done = command("schedule", "0 0 29 2 *", "--from", "2027-01-01", "--count", "3", "-o", "json")
    assert done.loaded["time_zone"] == "UTC"
    assert done.loaded["runs"] == [
        {"local": "2028-02-29T00:00:00+00:00", "utc": "2028-02-29T00:00:00Z"},
        {"local": "2032-02-29T00:00:00+00:00", "utc": "2032-02-29T00:00:00Z"},
        {"local": "2036-02-29T00:00:00+00:00", "utc": "2036-02-29T00:00:00Z"},
    ]


def test_a_schedule_that_never_fires_exits_with_1(command: Command) -> None:
    done = command("schedule", "0 0 30 2 *")
    assert (done.code, done.err) == (1, "no run within five years\n")


def test_runs_end_where_none_follows_within_five_years(command: Command) -> None:
    done = command("schedule", "0 0 29 2 *", "--from", "2095-01-01", "--count", "3")
    assert (done.code, done.err) == (0, "no further run within five years\n")
    assert done.out.splitlines()[1:] == ["Wed 2096-02-29 00:00:00 +00:00  2096-02-29 00:00:00 UTC"]


def test_a_wrong_schedule_has_the_words_of_the_api_server(command: Command) -> None:
    done = command("schedule", "60 * * * *")
    assert done.code == 1
    assert done.err.startswith(
        "error: invalid schedule: end of range (60) above maximum (59): 60\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a schedule in quotes, files with CronJobs, or -A"),
        (("30", "2", "*", "*", "*"), 'quote the expression: jobsworth schedule "30 2 * * *"'),
        (("@daily", "--time-zone", "Europe/Belin"), "--time-zone: unknown time zone Europe/Belin"),
        (("@daily", "--time-zone", "Local"), "must be an explicit time zone"),
        (("@daily", "--time-zone", "../etc/passwd"), "unknown time zone"),
        (("TZ=UTC @daily", "--time-zone", "UTC"), "write only one"),
        (("@daily", "--from", "tomorrow"), '--from: "tomorrow" is not a time'),
        (("@daily", "--from", "9999-12-31"), "--from: the year must be from 1971 to 2199"),
        (("@daily", "--from", "0001-01-01T00:00+14:00"), "--from: the year must be"),
        (("@daily", "--count", "0"), "--count"),
        (("@daily", "--count", "10001"), "--count must be at most 10000"),
    ],
)
def test_wrong_options_are_reported(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = command("schedule", *arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("expression", "lines"),
    [
        ("0 6 * * 7", ["fix: Set schedule: 0 6 * * 0 (safe)"]),
        ("0 6 * * sat-sun", ["fix: Set schedule: 0 6 * * sat,sun (safe)"]),
        ("0 0 6 * * *", ['fix: Set schedule: "0 6 * * *" (safe)']),
    ],
)
def test_a_broken_expression_has_the_advice_of_validate(
    expression: str, lines: list[str], command: Command
) -> None:
    done = command("schedule", expression)
    error, hint, *fixes = done.err.splitlines()
    assert done.code == 1
    assert error.startswith("error: invalid schedule: ")
    assert hint.startswith("hint: ")
    assert fixes == lines


def test_an_unknown_time_zone_has_the_advice_of_validate(command: Command) -> None:
    done = command("schedule", "@daily", "--time-zone", "Europe/Munich")
    assert done.code == 2
    assert done.err == (
        "Error: --time-zone: unknown time zone Europe/Munich; hint: there is no such zone; Munich is in "
        "Europe/Berlin; fix: Set timeZone: Europe/Berlin (unsafe)\n"
    )
