"""The types of arguments, checked when a function is called: an expression's may be dynamic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.values import NoOverload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Function = Callable[..., Any]


def check(wanted: type | tuple[type, ...], *values: Any) -> None:
    """Check that all values have a type.

    Raises:
        NoOverload: one has not.
    """
    for value in values:
        if type(value) is not wanted and not (isinstance(wanted, tuple) and type(value) in wanted):
            raise NoOverload


def of_strings(function: Function) -> Function:
    """Return a function that takes only strings."""

    def checked(*values: Any) -> Any:
        check(str, *values)
        return function(*values)

    return checked
