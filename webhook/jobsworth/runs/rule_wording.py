"""The rules of a failure policy in words."""

from __future__ import annotations

from collections.abc import Iterable

from jobsworth.controller.failure_policy import ConditionRule, ReasonRule, Rule

_SHOWN_CODES = 12
"""At most so many exit codes of a rule are listed."""


def code_range(first: int, last: int) -> str:
    """Return a range of exit codes as text.

    >>> code_range(1, 41), code_range(1, 2), code_range(3, 3)
    ('1-41', '1, 2', '3')
    """
    if first == last:
        return str(first)
    return f"{first}, {last}" if last == first + 1 else f"{first}-{last}"


def listed_codes(codes: Iterable[int]) -> str:
    """Return exit codes as text, runs as ranges; the rest of a long list is omitted.

    >>> listed_codes([1, 2, 3, 42])
    '1-3, 42'
    """
    ranges = ranges_of(codes)
    text = ", ".join(code_range(*each) for each in ranges[:_SHOWN_CODES])
    return text if len(ranges) <= _SHOWN_CODES else f"{text}, … ({len(ranges)} ranges)"


def ranges_of(codes: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return exit codes as ranges, each with its first and last code."""
    ranges: list[tuple[int, int]] = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return tuple(ranges)


def rule_name(position: int, *, by_annotation: bool = False) -> str:
    """Return the name of a rule: ``rules[0]``, or that of a rule of the annotation."""
    return f"annotation rules[{position}]" if by_annotation else f"rules[{position}]"


def requirement(rule: Rule) -> str:
    """Return the requirement of a rule as a clause: "container main exits with 1"."""
    if isinstance(rule, ConditionRule):
        return f"the Pod has {' or '.join(sorted(rule.patterns))}"
    container = "any container" if rule.container is None else f"container {rule.container}"
    if isinstance(rule, ReasonRule):
        reasons = ", ".join(sorted(rule.reasons))
        verb = (
            "terminates with reason" if rule.operator == "In" else "fails with a reason other than"
        )
        return f"{container} {verb} {reasons}"
    codes = listed_codes(rule.codes)
    if rule.operator == "In":
        return f"{container} exits with {codes}"
    others = sorted({0, *rule.codes})
    return f"{container} exits with a code other than {listed_codes(others)}"
