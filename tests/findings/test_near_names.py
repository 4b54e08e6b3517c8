"""Names that are nearly known."""

from __future__ import annotations

import pytest

from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.batch.pod_failure_policy import ACTIONS
from jobsworth.findings.near_names import near, slips


@pytest.mark.parametrize(
    ("name", "known", "found", "sure"),
    [
        ("failjob", ACTIONS, "FailJob", True),
        ("FAIL_JOB", ACTIONS, "FailJob", True),
        ("fail-index", ACTIONS, "FailIndex", True),
        ("FialJob", ACTIONS, "FailJob", True),
        ("Ignored", ACTIONS, "Ignore", True),
        ("Ignroes", ACTIONS, "Ignore", False),
        ("Cnt", ACTIONS, None, False),
        ("Fail", ACTIONS, None, False),
        ("x", ACTIONS, None, False),
        ("", ACTIONS, None, False),
        ("backofLimit", JobSpec.fields, "backoffLimit", True),
        ("ttlSecondsAfterFinish", JobSpec.fields, "ttlSecondsAfterFinished", True),
        ("maxFailIndexes", JobSpec.fields, "maxFailedIndexes", True),
        ("limit", JobSpec.fields, None, False),
        ("ab", ["aB", "Ab"], None, False),
        ("abcdex", ["abcdey", "abcdez"], None, False),
    ],
)
def test_a_name_is_found_where_one_is_near(
    name: str, known: tuple[str, ...], found: str | None, sure: bool
) -> None:
    meant = near(name, known)
    assert (meant.name if meant else None) == found
    assert meant is None or meant.sure == sure


def test_no_known_name_is_near_enough_to_another_to_be_taken_for_it() -> None:
    for name in JobSpec.fields:
        meant = near(name, [other for other in JobSpec.fields if other != name])
        assert meant is None or not meant.sure, name


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("abc", "abc", 0), ("abc", "ab", 1), ("abc", "acb", 1), ("abc", "xbc", 1), ("abcd", "badc", 2), ("abc", "xyz", 3)],
)  # fmt: skip
def test_slips_are_counted(one: str, other: str, distance: int) -> None:
    assert slips(one, other, 9) == distance
    assert slips(other, one, 9) == distance
