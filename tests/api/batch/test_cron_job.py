"""The fields of a CronJob: schedule, time zone, names and the Job inside, in the API server's words."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import server
from support.validation.validated_jobs import Errors, cron_job, job_errors, stored

NOT_NEGATIVE = "Invalid value: -1: must be greater than or equal to 0"
ZONE_IN_SCHEDULE = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"

SCHEDULES: dict[str, str] = {
    "0 3 * * *": "",
    "*/15 9-17 * * mon-fri": "",
    "@daily": "",
    "@every 1h30m": "",
    "": "Required value",
    "0 3 * *": "expected exactly 5 fields, found 4: [0 3 * *]",
    "0 0 3 * * *": "expected exactly 5 fields, found 6: [0 0 3 * * *]",
    "60 3 * * *": "end of range (60) above maximum (59): 60",
    "0 3 0 * *": "beginning of range (0) below minimum (1): 0",
    "5-1 * * * *": "beginning of range (5) beyond end of range (1): 5-1",
    "*/0 * * * *": "step of range should be a positive number: */0",
    "1-2-3 * * * *": "too many hyphens: 1-2-3",
    "a * * * *": 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax',
    "@fortnightly": "unrecognized descriptor: @fortnightly",
    "TZ=UTC 0 3 * * *": ZONE_IN_SCHEDULE,
    "CRON_TZ=UTC 0 3 * * *": ZONE_IN_SCHEDULE,
}

TIME_ZONES: dict[str, str] = {
    "Europe/Rome": "",
    "UTC": "",
    "": "timeZone must be nil or non-empty string",
    "Europe/Roma": "unknown time zone Europe/Roma",
    "CEST": "unknown time zone CEST",
    "Local": (
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
    ),
}

SPECS: dict[str, tuple[dict[str, Any], Errors]] = {
    "a negative deadline": (
        {"startingDeadlineSeconds": -1},
        {"startingDeadlineSeconds": NOT_NEGATIVE},
    ),
    "negative histories": (
        {"successfulJobsHistoryLimit": -1, "failedJobsHistoryLimit": -1},
        {"successfulJobsHistoryLimit": NOT_NEGATIVE, "failedJobsHistoryLimit": NOT_NEGATIVE},
    ),
    "no history": ({"successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 0}, {}),
    "an empty concurrency policy is the default": ({"concurrencyPolicy": ""}, {}),
    "an unknown concurrency policy": (
        {"concurrencyPolicy": "Queue"},
        {
            "concurrencyPolicy": 'Unsupported value: "Queue": '
            'supported values: "Allow", "Forbid", "Replace"'
        },
    ),
}

INSIDE: dict[str, tuple[dict[str, Any], Errors]] = {
    "the Job's own rules": (
        {"parallelism": -1},
        {"jobTemplate.spec.parallelism": NOT_NEGATIVE},
    ),
    "a restart policy for Jobs": (
        {"pod": {"restartPolicy": "Always"}},
        {
            "jobTemplate.spec.template.spec.restartPolicy": "Required value: "
            'valid values: "OnFailure", "Never"'
        },
    ),
    "a selector": (
        {"selector": {"matchLabels": {"app": "train"}}},
        {
            "jobTemplate.spec.selector": 'Invalid value: {"matchLabels":{"app":"train"}}: '
            "`selector` will be auto-generated"
        },
    ),
    "a manual selector": (
        {"manualSelector": True},
        {
            "jobTemplate.spec.manualSelector": "Unsupported value: true: "
            'supported values: "nil", "false"'
        },
    ),
}


@pytest.mark.parametrize(("schedule", "message"), SCHEDULES.items(), ids=repr)
def test_schedules(schedule: str, message: str) -> None:
    if message and schedule:
        message = f'Invalid value: "{schedule}": {message}'
    found = job_errors(cron_job(schedule=schedule))
    assert found == ({"schedule": message} if message else {})


@pytest.mark.parametrize(("zone", "message"), TIME_ZONES.items(), ids=repr)
def test_time_zones(zone: str, message: str) -> None:
    found = job_errors(cron_job(timeZone=zone))
    assert found == ({"timeZone": f'Invalid value: "{zone}": {message}'} if message else {})


@pytest.mark.parametrize(("spec", "errors"), SPECS.values(), ids=SPECS.keys())
def test_limits_and_policies(spec: dict[str, Any], errors: Errors) -> None:
    assert job_errors(cron_job(**spec)) == errors


@pytest.mark.parametrize(("inner", "errors"), INSIDE.values(), ids=INSIDE.keys())
def test_the_job_inside(inner: dict[str, Any], errors: Errors) -> None:
    assert job_errors(cron_job(inner)) == errors


def test_a_name_leaves_11_characters_for_the_time() -> None:
    assert job_errors(cron_job(name="a" * 52)) == {}
    assert job_errors(cron_job(name="a" * 53)) == {
        "metadata.name": f'Invalid value: "{"a" * 53}": must be no more than 52 characters'
    }


def test_an_update_may_change_the_schedule_and_the_job() -> None:
    assert job_errors(cron_job(schedule="@daily"), cron_job()) == {}
    assert job_errors(cron_job({"parallelism": 2}), cron_job()) == {}


def test_an_update_keeps_what_older_servers_accepted() -> None:
    long = "a" * 60
    assert job_errors(cron_job(name=long, suspend=True), cron_job(name=long)) == {}
    zoned = cron_job(schedule="TZ=UTC 0 3 * * *")
    assert job_errors(cron_job(schedule="TZ=UTC 0 4 * * *"), zoned) == {}
    assert job_errors(cron_job(timeZone="Europe/Roma"), cron_job(timeZone="Europe/Roma")) == {}


def test_an_update_may_not_name_two_time_zones() -> None:
    both = cron_job(schedule="TZ=UTC 0 3 * * *", timeZone="UTC")
    assert job_errors(both, cron_job(schedule="TZ=UTC 0 3 * * *")) == {
        "schedule": 'Invalid value: "TZ=UTC 0 3 * * *": '
        "cannot use both timeZone field and TZ or CRON_TZ in schedule"
    }


def test_defaults_are_those_of_the_cron_job_alone() -> None:
    spec = stored(cron_job(), at=server("1.36"))
    assert {field: value for field, value in spec.items() if field != "jobTemplate"} == {
        "schedule": "0 3 * * *",
        "concurrencyPolicy": "Allow",
        "suspend": False,
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
    }
    # The server sets the Job's own defaults when it is made.
    assert spec["jobTemplate"]["spec"].keys() == {"template"}
