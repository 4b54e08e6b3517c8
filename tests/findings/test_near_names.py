"""Names that are nearly known."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.batch.pod_failure_policy import ACTIONS
from jobsworth.api.core.pod_template import PodSpec
from jobsworth.findings.near_names import did_you_mean, fold, near, slips


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
        ("disableServiceLinks", PodSpec.fields, "enableServiceLinks", False),
        ("noAutomountServiceAccountToken", PodSpec.fields, "automountServiceAccountToken", False),
        ("automountServiceAcountTokn", PodSpec.fields, "automountServiceAccountToken", True),
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


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("backofLimit", 'did you mean "backoffLimit"?'),
        ("backoff_limit", 'did you mean "backoffLimit"?'),
        ("limit", ""),
        ("", ""),
    ],
)
def test_a_hint_suggests_the_intended_name(name: str, hint: str) -> None:
    assert did_you_mean(name, JobSpec.fields) == hint


def test_nothing_is_near_where_nothing_is_known() -> None:
    assert did_you_mean("backoffLimit", []) == ""


words = st.text("abcd-", max_size=8)


@given(words, st.lists(words, max_size=5))
def test_a_name_is_the_nearest_of_all_and_no_other_is_as_near(name: str, known: list[str]) -> None:
    folded = fold(name)
    found = near(name, known)
    distances = {each: slips(folded, fold(each), 99) for each in known}
    fewest = min(distances.values(), default=99)
    nearest = [each for each in distances if distances[each] == fewest]
    may_be_reported = fewest == 0 or (len(folded) >= 3 and fewest <= len(folded) // 3)
    assert (found.name if found else None) == (
        nearest[0] if may_be_reported and len(nearest) == 1 else None
    )


@given(words, words, st.integers(0, 9))
def test_a_count_of_slips_that_no_longer_matters_is_one_more_than_does(
    one: str, other: str, most: int
) -> None:
    assert slips(one, other, most) == min(slips(one, other, 99), most + 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["x" * 2_000_000], id="a name of two megabytes"),
        pytest.param(["backofLimit"] * 100_000, id="one name many times"),
        pytest.param([f"x{n}" * 9 for n in range(2000)], id="many names, none near"),
    ],
)
def test_the_work_for_hostile_names_is_bounded(names: list[str]) -> None:
    known = [f"{name}{number}" for number in range(10) for name in JobSpec.fields]
    began = time.process_time()
    for name in names:
        near(name, known)
    assert time.process_time() - began < 5
