"""Updates of CronJobs that start a run whose time has passed, or leave one out."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import cron_job, found_in_edit, job
from support.lint.texts_with_neighbors import EDITED_AT

HOUR = 3600


def stored(active: tuple[str, ...] = (), **spec: Any) -> dict[str, Any]:
    """A CronJob in a cluster that ran last on Fri 2027-01-01 at 23:00."""
    value = cron_job(job(), **{"schedule": "0 23 * * *", **spec})
    metadata = {**value["metadata"], "creationTimestamp": "2026-06-01T00:00:00Z"}
    status = {
        "lastScheduleTime": "2027-01-01T23:00:00Z",
        "active": [{"kind": "Job", "name": name} for name in active],
    }
    return {**value, "metadata": metadata, "status": status}


def applied(**spec: Any) -> dict[str, Any]:
    return cron_job(job(), **{"schedule": "0 23 * * *", **spec})


def codes(before: dict[str, Any], after: dict[str, Any], now: float = EDITED_AT) -> dict[str, str]:
    """The codes of the rules that report an update, and the fields."""
    return {
        finding.code: finding.field
        for code in ("JW423", "JW424", "JW425")
        for finding in found_in_edit(code, before, after, now)
    }


FORBID = {"concurrencyPolicy": "Forbid"}
AT_5 = {"schedule": "0 5 * * *"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (stored(), applied(**AT_5), {"JW423": "spec.schedule"}),
        (stored(**AT_5, suspend=True), applied(**AT_5), {"JW423": "spec.schedule"}),
        (stored(**AT_5, suspend=True), applied(**AT_5, suspend=False), {"JW423": "spec.suspend"}),
        (
            stored(**AT_5, startingDeadlineSeconds=60),
            applied(**AT_5, startingDeadlineSeconds=10 * HOUR),
            {"JW423": "spec.startingDeadlineSeconds"},
        ),
        (
            stored(("sample-1",), **AT_5, **FORBID),
            applied(**AT_5, concurrencyPolicy="Allow"),
            {"JW423": "spec.concurrencyPolicy"},
        ),
        (stored(("sample-1",), **AT_5, **FORBID), applied(**FORBID), {"JW425": "spec.schedule"}),
        (
            stored(),
            applied(schedule="0 1 * * *", startingDeadlineSeconds=60),
            {"JW425": "spec.schedule"},
        ),
        (stored(), applied(schedule="0 18 * * *"), {}),
        (stored(), applied(suspend=True), {}),
        (stored(), applied(), {}),
        (stored(**AT_5, suspend=True), applied(**AT_5, startingDeadlineSeconds=300), {}),
        (stored(suspend=True), applied(schedule="*/20 * * * *"), {}),
        (stored(), applied(schedule="never"), {}),
        (stored(schedule="never"), applied(), {}),
        (applied(), applied(**AT_5), {"JW424": "spec.schedule"}),
        (applied(suspend=True), applied(suspend=False), {"JW424": "spec.suspend"}),
        (applied(), applied(schedule="0 23 * * 1-5"), {}),
        (applied(schedule="@every 9h"), applied(), {}),
    ],
)
def test_an_update_is_reported_at_the_field_that_causes_the_run(
    before: dict[str, Any], after: dict[str, Any], expected: dict[str, str]
) -> None:
    assert codes(before, after) == expected


def test_the_hours_in_which_an_update_of_unknown_status_starts_a_run_are_named() -> None:
    night = EDITED_AT + 12 * HOUR
    (finding,) = found_in_edit("JW424", applied(), applied(**AT_5), night)
    assert "between Sun 2027-01-03 05:00 +0000 and Sun 2027-01-03 23:00 +0000" in finding.message


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (applied(), applied(**AT_5), "if the update is applied after that time, starts 18 h late"),
        (
            applied(**AT_5, suspend=True, startingDeadlineSeconds=600),
            applied(**AT_5, startingDeadlineSeconds=600),
            "is missed if the CronJob is still suspended then, and starts",
        ),
    ],
)
def test_a_run_whose_time_comes_after_that_of_the_update_has_not_passed(
    before: dict[str, Any], after: dict[str, Any], expected: str
) -> None:
    night = EDITED_AT + 12 * HOUR
    (finding,) = found_in_edit("JW424", before, after, night)
    assert expected in finding.message
    assert "has passed" not in finding.message
    assert "was missed" not in finding.message
    assert "To avoid it, apply the update before Sun 2027-01-03 05:00 +0000 or" in finding.message


def test_times_are_those_of_the_time_zone_after_the_update() -> None:
    zone = {"timeZone": "Asia/Tokyo"}
    before, after = stored(schedule="0 8 * * *", **zone), applied(schedule="0 12 * * *", **zone)
    (finding,) = found_in_edit("JW423", before, after, EDITED_AT)
    assert "Sat 2027-01-02 12:00 +0900" in finding.message


def test_a_run_that_has_just_passed_is_avoided_by_its_time_only() -> None:
    now = EDITED_AT - 7 * HOUR + 60
    (finding,) = found_in_edit("JW423", stored(), applied(**AT_5), now)
    assert "startingDeadlineSeconds" not in finding.message
    suspended = stored(**AT_5, suspend=True)
    (finding,) = found_in_edit("JW423", suspended, applied(**AT_5), now)
    assert "delete the CronJob and create it again" in finding.message


def test_a_stored_object_of_any_form_is_read() -> None:
    odd = {**stored(), "status": {"lastScheduleTime": "soon", "active": [{}]}}
    assert codes(odd, applied(**AT_5)) == {"JW423": "spec.schedule"}
    assert codes({"kind": "CronJob", "apiVersion": "batch/v1", "spec": {}}, applied(**AT_5)) == {}
    wrong = {**stored(), "spec": {**stored()["spec"], "suspend": "yes"}, "status": 7}
    assert codes(wrong, applied(**AT_5)) in ({}, {"JW423": "spec.schedule"})
