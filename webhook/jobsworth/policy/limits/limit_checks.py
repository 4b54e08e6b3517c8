"""The checks of one value that a limit consists of: bounds, shares, allowed and denied values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.errors import FieldError, invalid, not_supported, quoted
from jobsworth.policy.language import violation_codes
from jobsworth.policy.matching import name_patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jobsworth.policy.policy_request import JobView

    Found = tuple[str, FieldError] | None
    Check = Callable[[Any, JobView], Found]
    """Takes a value that is set, and the Job that has it; returns a code and what is wrong."""


def checks_of(limit: Mapping[str, Any]) -> tuple[Check, ...]:
    """The checks of a well-formed limit."""
    return tuple(build(limit[name]) for name, build in _BUILDERS.items() if name in limit)


def _minimum(limit: int | str) -> Check:
    return _bound(violation_codes.BELOW_MINIMUM, 1, "greater", limit)


def _maximum(limit: int | str) -> Check:
    return _bound(violation_codes.ABOVE_MAXIMUM, -1, "less", limit)


def _bound(code: str, sign: int, words: str, limit: int | str) -> Check:
    """A check of a number against a bound; `sign` is 1 for a minimum and -1 for a maximum."""
    if isinstance(limit, str):
        return _share(code, sign, words, limit)

    def check(value: Any, view: JobView) -> Found:
        if (value - limit) * sign >= 0:
            return None
        return code, invalid("", value, f"must be {words} than or equal to {limit}")

    return check


def _share(code: str, sign: int, words: str, limit: str) -> Check:
    percent = int(limit[:-1])

    def check(value: Any, view: JobView) -> Found:
        completions = view.spec.get("completions")
        if completions is None or (value * 100 - percent * completions) * sign >= 0:
            return None
        detail = f"must be {words} than or equal to {limit} of the {completions} completions"
        return code, invalid("", value, detail)

    return check


def _allowed(values: Sequence[Any]) -> Check:
    if all(isinstance(value, str) for value in values):
        return _allowed_texts(values)
    names = " or ".join(quoted(value) for value in values)

    def check(value: Any, view: JobView) -> Found:
        if value in values:
            return None
        return violation_codes.NOT_ALLOWED, invalid("", value, f"must be {names}")

    return check


def _allowed_texts(patterns: Sequence[str]) -> Check:
    matches = name_patterns.compiled(patterns)

    def check(value: Any, view: JobView) -> Found:
        if matches(value):
            return None
        return violation_codes.NOT_ALLOWED, not_supported("", value, patterns)

    return check


def _denied(patterns: Sequence[str]) -> Check:
    matches = name_patterns.compiled(patterns)
    names = ", ".join(quoted(pattern) for pattern in patterns)
    detail = f"may not be {names}" if len(patterns) == 1 else f"may not be any of {names}"

    def check(value: Any, view: JobView) -> Found:
        return (violation_codes.NOT_ALLOWED, invalid("", value, detail)) if matches(value) else None

    return check


_BUILDERS: dict[str, Callable[[Any], Check]] = {
    "minimum": _minimum,
    "maximum": _maximum,
    "allowed": _allowed,
    "denied": _denied,
}
