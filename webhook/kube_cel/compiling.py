"""Expressions: compiled for a release, and evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from kube_cel.budget import Budget
from kube_cel.checker import Checker, mixed_literals
from kube_cel.constants import bad_literals, failing_constants
from kube_cel.environment import COMPOSED, VARIABLES, environment
from kube_cel.evaluation import Scope, compiled, run
from kube_cel.lexer import CelSyntaxError
from kube_cel.nodes import Node
from kube_cel.parser import parse
from kube_cel.refusals import Refusal, Refused, in_order
from kube_cel.types import DYN, Type

MAX_CHARACTERS = 100_000
"""The longest expression of an API server (cel-go, the default of its parser)."""

_AUTHORIZER = {
    "authorizer": Type("kubernetes.authorization.Authorizer"),
    "authorizer.requestResource": Type("kubernetes.authorization.ResourceCheck"),
}


Returned = Literal["any", "bool", "string", "annotation", "object", "patches"]

_RETURNED = {
    "bool": ("bool",),
    "string": ("string",),
    "annotation": ("string", "null_type"),
    "object": ("Object",),
    "patches": ("list(JSONPatch)",),
}
_WANTED = {
    "bool": "bool",
    "string": "string",
    "annotation": "one of [string null_type]",
    "object": "Object",
    "patches": "list(JSONPatch)",
}


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression that a release accepts.

    Attributes:
        source: its text.
        tree: its syntax tree.
        type: of its value.
    """

    source: str
    tree: Node
    type: Type

    def value(self, names: Mapping[str, Any], budget: Budget | None = None) -> Any:
        """Evaluate it with variables.

        Raises:
            CelError: it has no value.
        """
        return run(compiled(self.tree), Scope(names, budget or Budget()))


def compile_expression(
    source: str,
    release: str,
    *,
    returns: Returned = "any",
    params: bool = False,
    authorizer: bool = True,
    variables: Mapping[str, Type] | None = None,
    also: Mapping[str, Type] = MappingProxyType({}),
) -> Compiled:
    """Compile an expression as a release accepts it in a new admission policy.

    Args:
        source: the text.
        release: such as ``1.33``.
        returns: the type that it must return; ``annotation`` stands for a string or null. ``object`` and
            ``patches`` are those of mutations, which alone may make objects and JSON patches.
        params: it may read ``params``.
        authorizer: it may read ``authorizer``.
        variables: the types of the policy's variables before it; None without ``variables``.
        also: the types of further names that it may read.

    Raises:
        Refused: the release does not accept it.
    """
    known = {**VARIABLES, **also}
    if params:
        known["params"] = DYN
    if authorizer:
        known |= _AUTHORIZER
    if variables is not None:
        known["variables"] = Type(COMPOSED)
    if len(source) > MAX_CHARACTERS:
        message = (
            f"expression code point size exceeds limit: size: {len(source)}, limit {MAX_CHARACTERS}"
        )
        raise Refused([Refusal(None, "TooLong", message)])
    libraries = environment(release, patches=returns in ("object", "patches"))
    try:
        tree = parse(source, libraries.macros, quoted_names=libraries.quoted_names)
    except CelSyntaxError as error:
        raise Refused([Refusal(error.at, "Syntax", error.message)]) from None
    checker = Checker(libraries, known, variables)
    found = checker.type_of(tree)
    refusals = in_order([*_problems(tree, checker, formats=libraries.checks_formats)])
    if not refusals and found.full_name not in _RETURNED.get(returns, (found.full_name,)):
        refusals = [wrong_result(found, returns)]
    if refusals:
        raise Refused(refusals)
    return Compiled(source, tree, found)


def wrong_result(found: Type, returns: Returned) -> Refusal:
    """Return the refusal of an expression that returns another type than it must."""
    message = f"must evaluate to {_WANTED[returns]} but got {found.full_name}"
    return Refusal(None, "WrongResult", message, found.full_name)


def _problems(tree: Node, checker: Checker, *, formats: bool) -> Iterator[Refusal]:
    if checker.errors:
        yield from checker.errors
        return
    found = [
        *mixed_literals(tree, checker),
        *bad_literals(tree, checker.type_name_of, formats=formats),
    ]
    yield from found or failing_constants(tree)
