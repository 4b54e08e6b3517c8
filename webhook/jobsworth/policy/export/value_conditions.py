"""The checks of one value in CEL: the counterpart of :mod:`jobsworth.policy.limits.value_checks`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from jobsworth.api.field_errors import Printed
from jobsworth.policy.export.cel_text import HOLE, Condition, literal, negated
from jobsworth.policy.export.match_conditions import is_among
from jobsworth.policy.limits.value_checks import BOUNDS, denied, not_allowed, out_of_bound
from jobsworth.policy.violation import NOT_ALLOWED

VALUE = Printed(HOLE)
OPERATORS = {"minimum": "<", "maximum": ">"}
"""The comparison that is true for a value beyond a bound."""


@dataclass(frozen=True, slots=True)
class ValueCheck:
    """A check of a value that is set.

    Attributes:
        code: the code of the violation.
        error: the error, with a hole for the value.
        is_bad: returns the condition that the value of an expression violates the limit.
    """

    code: str
    error: str
    is_bad: Callable[[str], Condition]


def checks_of(limit: Mapping[str, Any], *, is_text: bool) -> Iterator[ValueCheck]:
    """Yield the checks of a limit, without those of a percentage of the completions."""
    for name, (code, _, _) in BOUNDS.items():
        bound = limit.get(name)
        if isinstance(bound, int):
            error = out_of_bound(name, bound, VALUE).message
            yield ValueCheck(code, error, partial(_is_beyond, OPERATORS[name], bound))
    if "allowed" in limit:
        values = limit["allowed"]
        yield ValueCheck(
            NOT_ALLOWED,
            not_allowed(values, VALUE).message,
            lambda value: negated(
                is_among(value, values) if is_text else f"{value} in {literal(values)}"
            ),
        )
    if "denied" in limit:
        patterns = limit["denied"]
        error = denied(patterns, VALUE).message
        yield ValueCheck(NOT_ALLOWED, error, lambda value: is_among(value, patterns))


def _is_beyond(operator: str, bound: int, value: str) -> Condition:
    return f"{value} {operator} {bound}"
