"""Checks of single values against limits: bounds, percentages, allowed and denied values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.field_errors import FieldError, invalid, not_supported, quoted
from jobsworth.policy import violation_codes
from jobsworth.policy.matching import name_patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jobsworth.policy.request import JobView

    Found = tuple[str, FieldError] | None
    ValueCheck = Callable[[Any, JobView], Found]
    """A check of a set value in a Job; returns a code and an error, or None."""


def checks_of(limit: Mapping[str, Any]) -> tuple[ValueCheck, ...]:
    """Compile the checks of a limit that is valid against the schema."""
    return tuple(build(limit[name]) for name, build in _BUILDERS.items() if name in limit)


def _minimum(limit: int | str) -> ValueCheck:
    return _bound(violation_codes.BELOW_MINIMUM, 1, "greater", limit)


def _maximum(limit: int | str) -> ValueCheck:
    return _bound(violation_codes.ABOVE_MAXIMUM, -1, "less", limit)


def _bound(code: str, sign: int, words: str, limit: int | str) -> ValueCheck:
    """Return a check against a bound; `sign` is 1 for a minimum and -1 for a maximum."""
    if isinstance(limit, str):
        return _share(code, sign, words, limit)

    def check(value: Any, view: JobView) -> Found:
        if (value - limit) * sign >= 0:
            return None
        return code, invalid("", value, f"must be {words} than or equal to {limit}")

    return check


def _share(code: str, sign: int, words: str, limit: str) -> ValueCheck:
    percent = int(limit[:-1])

    def check(value: Any, view: JobView) -> Found:
        completions = view.spec.get("completions")
        if completions is None or (value * 100 - percent * completions) * sign >= 0:
            return None
        detail = f"must be {words} than or equal to {limit} of the {completions} completions"
        return code, invalid("", value, detail)

    return check


def _allowed(values: Sequence[Any]) -> ValueCheck:
    if all(isinstance(value, str) for value in values):
        return _allowed_texts(values)
    names = " or ".join(quoted(value) for value in values)

    def check(value: Any, view: JobView) -> Found:
        if value in values:
            return None
        return violation_codes.NOT_ALLOWED, invalid("", value, f"must be {names}")

    return check


def _allowed_texts(patterns: Sequence[str]) -> ValueCheck:
    matches = name_patterns.compiled(patterns)

    def check(value: Any, view: JobView) -> Found:
        if matches(value):
            return None
        return violation_codes.NOT_ALLOWED, not_supported("", value, patterns)

    return check


def _denied(patterns: Sequence[str]) -> ValueCheck:
    matches = name_patterns.compiled(patterns)
    names = ", ".join(quoted(pattern) for pattern in patterns)
    detail = f"may not be {names}" if len(patterns) == 1 else f"may not be any of {names}"

    def check(value: Any, view: JobView) -> Found:
        return (violation_codes.NOT_ALLOWED, invalid("", value, detail)) if matches(value) else None

    return check


_BUILDERS: dict[str, Callable[[Any], ValueCheck]] = {
    "minimum": _minimum,
    "maximum": _maximum,
    "allowed": _allowed,
    "denied": _denied,
}
