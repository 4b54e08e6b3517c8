"""A status as the controller reads and writes it; and times, selectors and matches without fields."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.failure_policy import NO_MATCH, Match
from jobsworth.controller.jobs import Requirement, Selector, read_selector
from jobsworth.controller.status import Condition, Status, read_status, write_status
from jobsworth.controller.times import read_time, write_time

FULL: dict[str, Any] = {
    "conditions": [
        {
            "type": "Suspended",
            "status": "False",
            "reason": "JobResumed",
            "message": "Job resumed",
            "lastProbeTime": "2026-01-01T00:00:00Z",
            "lastTransitionTime": "2026-01-01T00:00:01Z",
        }
    ],
    "startTime": "2026-01-01T00:00:02Z",
    "completionTime": "2026-01-01T00:00:03Z",
    "active": 1,
    "ready": 2,
    "terminating": 3,
    "succeeded": 4,
    "failed": 5,
    "completedIndexes": "0-3",
    "failedIndexes": "4",
    "uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["b"]},
}


def test_every_field_is_read_and_none_is_left_over() -> None:
    begin = read_time("2026-01-01T00:00:00Z") or 0
    assert read_status(FULL) == Status(
        conditions=(
            Condition("Suspended", "False", "JobResumed", "Job resumed", begin, begin + 1, {}),
        ),
        start_time=begin + 2,
        completion_time=begin + 3,
        active=1,
        ready=2,
        terminating=3,
        succeeded=4,
        failed=5,
        completed_indexes="0-3",
        failed_indexes="4",
        uncounted_succeeded=("a",),
        uncounted_failed=("b",),
        other={},
    )


def test_what_is_written_is_what_was_read_with_unknown_fields() -> None:
    condition = {**FULL["conditions"][0], "observedGeneration": 7}
    status = {**FULL, "conditions": [condition], "later": {"a": 1}}
    assert write_status(read_status(status)) == status
    read = read_status(status)
    assert read.other == {"later": {"a": 1}}
    assert read.conditions[0].other == {"observedGeneration": 7}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:01:00Z", 60),
        ("1970-01-01T01:01:00+01:00", 60),
        ("1970-01-01T00:01:00.999Z", 60),
        ("1970-01-01T00:01:00", 60),
        ("", None),
        (None, None),
        ("soon", None),
    ],
)
def test_times(text: str | None, seconds: int | None) -> None:
    assert read_time(text) == seconds


def test_a_time_is_written_in_utc() -> None:
    assert write_time(1_800_000_000) == "2027-01-15T08:00:00Z"


def test_a_selector_without_fields() -> None:
    assert read_selector(None) == Selector(None, ())
    assert read_selector({}) == Selector((), ())
    assert read_selector({"matchExpressions": [{}]}) == Selector((), (Requirement("", "", ()),))


def test_no_match_counts_and_names_nothing() -> None:
    assert Match(action=None, position=0, ended=None, condition="", by_reason=False) == NO_MATCH
    assert NO_MATCH.counts
