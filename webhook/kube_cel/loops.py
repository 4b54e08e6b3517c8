"""The results of the macros that iterate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kube_cel.budget import OutOfBudget
from kube_cel.costs import cost_of_sorting
from kube_cel.functions.lists import sorted_by
from kube_cel.operators import has_key, shown
from kube_cel.values import CelError, NoOverload, UnknownValue, key_of

Items = Iterator[tuple[Any, Any]]
Part = Callable[[Any], Any] | None
Run = Callable[[Any, Items, Part, Part], Any]


def graver(one: CelError | None, other: CelError) -> CelError:
    """Return the error that stands for two: one of an unknown value, because that might decide."""
    if one is None or (isinstance(other, UnknownValue) and not isinstance(one, UnknownValue)):
        return other
    return one


def _chosen(scope: Any, condition: Part) -> bool:
    if condition is None:
        return True
    value = condition(scope)
    if not isinstance(value, bool):
        raise NoOverload
    return value


def _quantified(decisive: bool) -> Run:
    """Return ``exists`` or ``all``: an item that decides outweighs the error of another."""

    def run(scope: Any, items: Items, condition: Part, _body: Part) -> bool:
        failure: CelError | None = None
        for _ in items:
            try:
                if _chosen(scope, condition) is decisive:
                    return decisive
            except OutOfBudget:
                raise
            except CelError as error:
                failure = graver(failure, error)
        if failure is not None:
            raise failure
        return not decisive

    return run


def _exists_one(scope: Any, items: Items, condition: Part, _body: Part) -> bool:
    return sum(_chosen(scope, condition) for _ in items) == 1


def _collected(scope: Any, items: Items, condition: Part, body: Part) -> list[Any]:
    found = []
    for _, item in items:
        if _chosen(scope, condition):
            found.append(item if body is None else body(scope))
    scope.budget.build(found)
    return found


def _transformed(scope: Any, items: Items, condition: Part, body: Part) -> dict[Any, Any]:
    found = {}
    for key, _ in items:
        if _chosen(scope, condition) and body is not None:
            found[key_of(key)] = body(scope)
    scope.budget.build(found)
    return found


def _entries(scope: Any, items: Items, condition: Part, body: Part) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for _ in items:
        if not _chosen(scope, condition) or body is None:
            continue
        made = body(scope)
        if not isinstance(made, dict):
            raise NoOverload
        scope.budget.spend(len(made))
        for key, value in made.items():
            if has_key(found, key):
                raise CelError(f"insert failed: key {shown(key)} already exists")
            found[key] = value
    scope.budget.build(found)
    return found


def _sorted(scope: Any, items: Items, _condition: Part, body: Part) -> list[Any]:
    pairs = [(item, None if body is None else body(scope)) for _, item in items]
    scope.budget.spend(cost_of_sorting(scope.budget, [key for _, key in pairs]))
    return sorted_by([item for item, _ in pairs], [key for _, key in pairs])


LOOPS: dict[str, Run] = {
    "all": _quantified(False),
    "exists": _quantified(True),
    "exists_one": _exists_one,
    "existsOne": _exists_one,
    "filter": _collected,
    "map": _collected,
    "transformList": _collected,
    "transformMap": _transformed,
    "transformMapEntry": _entries,
    "sortBy": _sorted,
}
"""The function that makes the value of each macro from its items, by name."""
