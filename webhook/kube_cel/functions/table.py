"""All functions by name; those that several libraries have choose by their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kube_cel.functions import (
    conversions,
    formatting,
    lists,
    named_formats,
    network,
    numbers,
    strings,
    times,
    versions,
)
from kube_cel.values import Function, NoOverload

_MODULES = (
    conversions, strings, formatting, lists, numbers, times, network,
    versions, named_formats,
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
