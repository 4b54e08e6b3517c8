"""The JSON Schema of a CronJob's schedule and time zone."""

from __future__ import annotations

import jsonschema_rs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.formats import cron
from jobsworth.validation.json_schema import json_schema

FIELD = st.text("0123456789*/,-?+ LHW#\u00a0\x85", max_size=5) | st.sampled_from(
    ("*", "*/5", "0", "59", "1-5", "MON-FRI", "sat", "DEC", "1,15", "7", "2-12/5", "*-x")
)


@given(st.lists(FIELD, min_size=1, max_size=6).map(" ".join))
@example("*-5 , ?/5 jan-mar SUN")
@example("+05,0007 1-23/2 01,,31 JAN-dec fr\u0130-6/3,")
@example("TZ= 0 3 * * *")
@example("CRON_TZ=Europe/Rome @daily")
@example("@every 1h30m")
@example(" 0\u00a03\t* * * ")
def test_the_pattern_rejects_no_schedule_that_can_be_parsed(schedule: str) -> None:
    try:
        cron.parse(schedule)
    except cron.BadSchedule:
        return
    for schema, detail in cron.SCHEMA_CONDITIONS:
        assert jsonschema_rs.is_valid(schema, schedule), detail


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schedule", ""),
        ("schedule", "0 0 10 * * ?"),
        ("schedule", "0 3 * *"),
        ("schedule", "H 3 * * *"),
        ("schedule", "0 0 L * *"),
        ("schedule", "cron(0 12 * * ? *)"),
        ("schedule", "@reboot"),
        ("schedule", "60 3 * * *"),
        ("schedule", "0 24 * * *"),
        ("schedule", "0 3 0 * *"),
        ("schedule", "0 3 32 * *"),
        ("schedule", "0 3 * 13 *"),
        ("schedule", "0 3 * * 7"),
        ("schedule", "0 3 * * FRI-MON"),
        ("schedule", "*/0 3 * * *"),
        ("schedule", "TZ=Europe/Rome 0 3 * * *"),
        ("timeZone", ""),
        ("timeZone", "Local"),
    ],
)
def test_an_editor_marks_what_people_mistype_most(field: str, value: str) -> None:
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1"}]}
    spec = {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}
    schema = jsonschema_rs.Draft202012Validator(
        json_schema(CronJob, "batch/v1", ApiServer("1.36"), {})
    )
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "a"},
        "spec": spec,
    }
    assert schema.is_valid(manifest)
    assert not schema.is_valid({**manifest, "spec": {**spec, field: value}})
