"""All functions by name; those that several libraries have choose by their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.functions import (
    addresses,
    conversions,
    formatting,
    lists,
    named_formats,
    numbers,
    optionals,
    quantities,
    regular_expressions,
    strings,
    times,
    urls,
    versions,
)
from jobsworth.cel.values import NoOverload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.cel.functions.arguments import Function

_MODULES = (
    conversions, strings, formatting, lists, optionals, regular_expressions, quantities, times, urls,
    addresses, versions, named_formats, numbers,
)  # fmt: skip


def _chosen(functions: Sequence[Function]) -> Function:
    def chosen(*arguments: Any) -> Any:
        for function in functions[:-1]:
            try:
                return function(*arguments)
            except NoOverload:
                continue
        return functions[-1](*arguments)

    return chosen


def _collected() -> dict[str, Function]:
    found: dict[str, list[Function]] = {}
    for module in _MODULES:
        for name, function in module.FUNCTIONS.items():
            found.setdefault(name, []).append(function)
    return {name: each[0] if len(each) == 1 else _chosen(each) for name, each in found.items()}


FUNCTIONS: dict[str, Function] = _collected()
"""A name with a dot in front is called on a value: its first argument."""
