"""Failure policies and success policies, as scenarios write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Rule = dict[str, Any]


def on_exit_codes(action: str, *codes: int, operator: str = "In") -> Rule:
    """A rule of a Pod failure policy about exit codes."""
    return {"action": action, "onExitCodes": {"operator": operator, "values": sorted(codes)}}


def on_condition(action: str, condition: str = "DisruptionTarget") -> Rule:
    """A rule of a Pod failure policy about a condition of the Pod that is True."""
    return {"action": action, "onPodConditions": [{"type": condition, "status": "True"}]}


def failure_policy(*rules: Rule) -> dict[str, Any]:
    return {"rules": list(rules)}


def success_policy(*, indexes: str | None = None, count: int | None = None) -> dict[str, Any]:
    """A success policy of one rule."""
    rule: Rule = {}
    if indexes is not None:
        rule["succeededIndexes"] = indexes
    if count is not None:
        rule["succeededCount"] = count
    return {"rules": [rule]}


def camel_case(names: dict[str, Any]) -> dict[str, Any]:
    """``backoff_limit=1`` as the API writes it."""
    return {_camel(name): value for name, value in names.items()}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.title() for part in others)


def indexes_of(text: str) -> list[int]:
    """The indexes of a list.

    >>> indexes_of("0,2-4")
    [0, 2, 3, 4]
    """
    found: list[int] = []
    for item in filter(None, text.split(",")):
        start, _, end = item.partition("-")
        found.extend(range(int(start), int(end or start) + 1))
    return found


def as_indexes(indexes: Sequence[int]) -> str:
    """A list of indexes as a Job's status writes it.

    >>> as_indexes([5, 0, 2, 3, 4]), as_indexes([0, 1, 7])
    ('0,2-5', '0,1,7')
    """
    written: list[str] = []
    run: list[int] = []
    for index in [*sorted(indexes), -1]:
        if run and index != run[-1] + 1:
            written += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(each) for each in run]
            run = []
        run.append(index)
    return ",".join(written)
