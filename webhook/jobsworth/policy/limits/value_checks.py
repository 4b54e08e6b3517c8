"""Checks of one value: minimum, maximum, allowed, denied; and the words of their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jobsworth.api.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    quoted,
    required,
)
from jobsworth.policy.patterns import compiled_names
from jobsworth.policy.violation import ABOVE_MAXIMUM, BELOW_MINIMUM, NOT_ALLOWED

Found = tuple[str, FieldError] | None
ValueCheck = Callable[[Any, int | None], Found]
"""A check of a set value in a Job with some completions; returns a code and an error, or None."""


def checks_of(limit: Mapping[str, Any]) -> tuple[ValueCheck, ...]:
    """Compile the checks of a limit that is valid against the schema."""
    return tuple(build(limit[name]) for name, build in _BUILDERS.items() if name in limit)


BOUNDS = {"minimum": (BELOW_MINIMUM, 1, "greater"), "maximum": (ABOVE_MAXIMUM, -1, "less")}
"""The code of each bound, the sign of what satisfies it, and the word for that."""


def _bound(name: str) -> Callable[[int | str], ValueCheck]:
    """Return the builder of the check of a bound."""
    code, sign, _ = BOUNDS[name]

    def of_number(limit: int) -> ValueCheck:
        def check(value: Any, completions: int | None) -> Found:
            if (value - limit) * sign >= 0:
                return None
            return code, out_of_bound(name, limit, value)

        return check

    def of_share(limit: str) -> ValueCheck:
        percent = int(limit[:-1])

        def check(value: Any, completions: int | None) -> Found:
            if completions is None or (value * 100 - percent * completions) * sign >= 0:
                return None
            return code, out_of_bound(name, limit, value, completions)

        return check

    return lambda limit: of_share(limit) if isinstance(limit, str) else of_number(limit)


def out_of_bound(name: str, limit: int | str, value: Any, completions: Any = None) -> FieldError:
    """Return the error of a value that does not satisfy a bound; with the completions for a percentage."""
    of = "" if completions is None else f" of the {completions} completions"
    return invalid("", value, f"must be {BOUNDS[name][2]} than or equal to {limit}{of}")


def _allowed(values: Sequence[Any]) -> ValueCheck:
    matches = compiled_names(values) if _are_texts(values) else values.__contains__

    def check(value: Any, completions: int | None) -> Found:
        return None if matches(value) else (NOT_ALLOWED, not_allowed(values, value))

    return check


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def not_allowed(values: Sequence[Any], value: Any) -> FieldError:
    """Return the error of a value that is not among the allowed ones."""
    if _are_texts(values):
        return not_supported("", value, values)
    return invalid("", value, f"must be {' or '.join(map(quoted, values))}")


def _denied(patterns: Sequence[str]) -> ValueCheck:
    matches = compiled_names(patterns)

    def check(value: Any, completions: int | None) -> Found:
        return (NOT_ALLOWED, denied(patterns, value)) if matches(value) else None

    return check


def denied(patterns: Sequence[str], value: Any) -> FieldError:
    """Return the error of a value that is among the denied ones."""
    names = ", ".join(map(quoted, patterns))
    return invalid(
        "", value, f"may not be {names}" if len(patterns) == 1 else f"may not be any of {names}"
    )


_BUILDERS: dict[str, Callable[[Any], ValueCheck]] = {
    "minimum": _bound("minimum"),
    "maximum": _bound("maximum"),
    "allowed": _allowed,
    "denied": _denied,
}


def must_be_set(where: str) -> FieldError:
    """Return the error of a value that is required but not set."""
    return required("", f"must be set{where}")


def may_not_be_set() -> FieldError:
    """Return the error of a value that is forbidden but set."""
    return forbidden("", "may not be set")
