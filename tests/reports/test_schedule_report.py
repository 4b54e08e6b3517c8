"""The JSON reports of schedules are what their published schema says, and it describes each of their keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jobsworth.reports.schedule_report import schedule_schema
from support.cli.command_runs import Command
from support.reports.described_keys import undescribed

ROOT = Path(__file__).parents[2]
SCHEMA = schedule_schema()
CHECKER = Draft202012Validator(SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("30 2 * * *", "--time-zone", "Europe/Berlin", "--from", "2027-03-26"),
        ("0 0 30 2 *",),
        (str(ROOT / "examples"), "--from", "2027-10-25", "--days", "7"),
        (str(ROOT / "examples/scenarios"), "--from", "2027-10-29", "--time-zone", "Europe/Berlin"),
    ],
    ids=lambda arguments: " ".join(Path(each).name for each in arguments),
)
def test_a_report_is_valid_and_described(command: Command, arguments: tuple[str, ...]) -> None:
    done = command("schedule", *arguments, "-o", "json")
    assert done.out, done.err
    CHECKER.validate(done.loaded)
    assert undescribed(done.loaded, SCHEMA) == []


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "schemas/schedule.json").read_text(encoding="utf-8")
    assert json.loads(published) == SCHEMA
    Draft202012Validator.check_schema(SCHEMA)
