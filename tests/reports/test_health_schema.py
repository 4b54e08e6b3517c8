"""The JSON report of health is what its published schema says, and the schema describes each of its keys."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from jobsworth.reports.health_report import health_schema, render
from support.cli.command_processes import ROOT
from support.health.health_objects import (
    HOUR,
    NOON,
    a_cron_job,
    a_job,
    a_job_without_cron_job,
    a_pod,
    health,
)
from support.reports.described_keys import undescribed

CHECKER = Draft202012Validator(health_schema())


def reports() -> list[dict[str, Any]]:
    job = a_job(NOON - 5 * HOUR, "", active=1)
    active = (job["metadata"]["name"],)
    blocked = a_cron_job(last=NOON - 5 * HOUR, active=active, concurrencyPolicy="Forbid")
    found = (
        health(),
        health(a_cron_job(schedule="nonsense"), pods=None, events=None),
        health(blocked, jobs=(job,), pods=(a_pod(job),)),
        health(a_cron_job(suspend=True), since=NOON - HOUR),
        health(jobs=(a_job_without_cron_job("train"),)),
        health(jobs=(a_job_without_cron_job("train-0", owner="JobSet/train"),)),
    )
    return [json.loads(render(each, "test")) for each in found]


def test_reports_are_what_the_schema_says() -> None:
    for each in reports():
        CHECKER.validate(each)


def test_the_schema_describes_every_key() -> None:
    for report in reports():
        assert undescribed(report, health_schema()) == []


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "schemas/health.json").read_text(encoding="utf-8")
    assert json.loads(published) == health_schema()
