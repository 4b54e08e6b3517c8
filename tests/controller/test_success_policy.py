"""Success policies: the rule that the succeeded indexes meet."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import matched_rule, read_success_policy

COMPLETIONS = 10


def rule(indexes: str | None = None, count: int | None = None) -> dict[str, Any]:
    parts = {"succeededIndexes": indexes, "succeededCount": count}
    return {key: value for key, value in parts.items() if value is not None}


@pytest.mark.parametrize(
    ("rules", "succeeded", "position"),
    [
        ([rule("0-,")], "0-9", None),
        ([rule("x")], "0-9", None),
        (None, "0-9", None),
        ([], "0-9", None),
        ([rule("0-2")], "", None),
        ([rule(count=0)], "", None),
        ([rule("0-2")], "0-2,4-7", 0),
        ([rule("3")], "0-2,4-7", None),
        ([rule(count=2)], "0-2", 0),
        ([rule(count=3)], "0-2", 0),
        ([rule(count=4)], "0-2", None),
        ([rule("9"), rule("0,1")], "0-2", 1),
        ([rule("0"), rule("0,1")], "0-2", 0),
        ([rule("9"), rule("8")], "0-2", None),
        ([rule("3-6", 2)], "4-7", 0),
        ([rule("3-6", 2)], "6,7", None),
        ([rule("3-6", 4)], "3-6", 0),
        ([rule("2-4,8-12")], "2-5,7-9", 0),
        ([rule("10-12")], "0-9", None),
        ([rule("0-4,6-9")], "1-3,7,8", None),
        ([rule("0-4,6-9", 5)], "1-3,7,8", 0),
        ([rule("0-4,6-9", 6)], "1-3,7,8", None),
        ([rule("0-4")], "0-4", 0),
        ([rule("0-4")], "0-3", None),
        ([rule("0-4")], "1-4", None),
        ([rule("0-4")], "0,1,3,4", None),
        ([rule("1,3,5")], "0-6", 0),
        ([rule("1,3,5")], "1-4,6", None),
        ([rule("1,3,5")], "1,3,5", 0),
        ([rule("0-9")], "0-9", 0),
        ([rule("")], "0-9", None),
        ([rule("", 1)], "0-9", None),
    ],
)
def test_u97(rules: Any, succeeded: str, position: int | None) -> None:
    policy = read_success_policy(None if rules is None else {"rules": rules})
    assert matched_rule(policy, IndexSet.read(succeeded, COMPLETIONS), COMPLETIONS) == position
