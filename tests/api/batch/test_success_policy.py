"""The rules of a success policy (KEP-3998), in the API server's words."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import server
from support.validation.validated_jobs import INDEXED, Errors, job, job_errors

RULE = "successPolicy.rules[0]"
NO_RULES = "at least one rules must be specified when the successPolicy is specified"


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"successPolicy": {"rules": [*rules]}}


def unreadable(indexes: str, detail: str) -> Errors:
    message = f'Invalid value: "{indexes}": error parsing succeededIndexes: {detail}'
    return {f"{RULE}.succeededIndexes": message}


RULES: dict[str, tuple[dict[str, Any], Errors]] = {
    "a number of indexes": ({"succeededCount": 3}, {}),
    "zero indexes": ({"succeededCount": 0}, {}),
    "certain indexes": ({"succeededIndexes": "0,2"}, {}),
    "an interval of indexes": ({"succeededIndexes": "0-2"}, {}),
    "a number of certain indexes": ({"succeededIndexes": "0-2", "succeededCount": 2}, {}),
    "neither": (
        {},
        {
            RULE: "Required value: "
            "at least one of succeededCount or succeededIndexes must be specified"
        },
    ),
    "a negative number": (
        {"succeededCount": -1},
        {f"{RULE}.succeededCount": "Invalid value: -1: must be greater than or equal to 0"},
    ),
    "more indexes than the Job has": (
        {"succeededCount": 4},
        {
            f"{RULE}.succeededCount": "Invalid value: 4: "
            "must be less than or equal to 3 (the number of specified completions)"
        },
    ),
    "more indexes than are listed": (
        {"succeededIndexes": "0,1", "succeededCount": 3},
        {
            f"{RULE}.succeededCount": "Invalid value: 3: must be less than or equal to 2 "
            "(the number of indexes in the specified succeededIndexes field)"
        },
    ),
    "an index that the Job does not have": (
        {"succeededIndexes": "0-3"},
        unreadable("0-3", 'too large index: "3"'),
    ),
    "indexes out of order": (
        {"succeededIndexes": "1,0"},
        unreadable("1,0", "non-increasing order, previous: 1, current: 0"),
    ),
    "an interval that goes backwards": (
        {"succeededIndexes": "2-1"},
        unreadable("2-1", "non-increasing order, previous: 2, current: 1"),
    ),
    "an interval of three parts": (
        {"succeededIndexes": "0-1-2"},
        unreadable(
            "0-1-2",
            'the fragment "0-1-2" violates the requirement that an index interval can have at most '
            "two parts separated by '-'",
        ),
    ),
    "a word": (
        {"succeededIndexes": "all"},
        unreadable("all", 'cannot convert string to integer for index: "all"'),
    ),
    "an index with more digits than Python reads at once": (
        {"succeededIndexes": "9" * 5000},
        unreadable("9" * 5000, f'cannot convert string to integer for index: "{"9" * 5000}"'),
    ),
    "an index with as many zeros before it": ({"succeededIndexes": "0" * 5000 + "1"}, {}),
}


@pytest.mark.parametrize(("rule", "errors"), RULES.values(), ids=RULES.keys())
def test_rules(rule: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**INDEXED, **policy(rule))) == errors


@pytest.mark.parametrize("found", [policy(), {"successPolicy": {}}], ids=["empty", "unset"])
def test_a_policy_has_a_rule(found: dict[str, Any]) -> None:
    assert job_errors(job(**INDEXED, **found)) == {
        "successPolicy.rules": f"Required value: {NO_RULES}"
    }


def test_a_policy_has_at_most_20_rules() -> None:
    rule = {"succeededCount": 1}
    assert job_errors(job(**INDEXED, **policy(*[rule] * 20))) == {}
    assert job_errors(job(**INDEXED, **policy(*[rule] * 21))) == {
        "successPolicy.rules": "Too many: 21: must have at most 20 items"
    }


def test_a_list_of_indexes_has_at_most_64_kib() -> None:
    completions = {"completionMode": "Indexed", "completions": 100_000}
    indexes = [str(index) for index in range(10_000, 100_000, 2)]
    longest = {"succeededIndexes": ",".join(indexes[:10_922])}
    too_long = {"succeededIndexes": ",".join(indexes[:10_923])}
    assert job_errors(job(**completions, **policy(longest))) == {}
    assert job_errors(job(**completions, **policy(too_long))) == {
        f"{RULE}.succeededIndexes": "Too long: may not be more than 65536 bytes"
    }


def test_a_policy_needs_indexes() -> None:
    value = job(**policy({"succeededCount": 1}))
    assert job_errors(value) == {
        "successPolicy": 'Invalid value: {"rules":[{"succeededCount":1}]}: '
        "requires indexed completion mode"
    }


def test_kubernetes_1_29_has_no_success_policies() -> None:
    value = job(**INDEXED, **policy({"succeededCount": 1}))
    assert job_errors(value, at=server("1.29")) == {
        "successPolicy": 'unknown field "spec.successPolicy"'
    }
