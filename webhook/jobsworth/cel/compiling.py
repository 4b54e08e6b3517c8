"""Expressions: compiled for a release, and evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jobsworth.cel.budget import Budget
from jobsworth.cel.checking.checker import Checker
from jobsworth.cel.checking.constants import bad_literals, failing_constants
from jobsworth.cel.checking.environment import VARIABLES, environment
from jobsworth.cel.checking.homogeneity import mixed_literals
from jobsworth.cel.checking.structures import VARIABLES as COMPOSED
from jobsworth.cel.checking.types import DYN, Type
from jobsworth.cel.evaluation import Scope, compiled, run
from jobsworth.cel.syntax.parser import parse
from jobsworth.cel.syntax.syntax_error import CelSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from jobsworth.cel.syntax.nodes import Node

MAX_CHARACTERS = 100_000
"""The longest expression of an API server (cel-go, the default of its parser)."""

_AUTHORIZER = {
    "authorizer": Type("kubernetes.authorization.Authorizer"),
    "authorizer.requestResource": Type("kubernetes.authorization.ResourceCheck"),
}


Returned = Literal["any", "bool", "string", "annotation"]

_RETURNED = {"bool": ("bool",), "string": ("string",), "annotation": ("string", "null_type")}
_WANTED = {"bool": "bool", "string": "string", "annotation": "one of [string null_type]"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason for which a release does not accept an expression.

    Attributes:
        at: the offset in characters; None if it is about the whole expression.
        message: in the words of kube-apiserver where the text is its own.
    """

    at: int | None
    message: str


class Refused(ValueError):
    """A release does not accept an expression.

    Attributes:
        refusals: all reasons, in the order of the text.
    """

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__(refusals[0].message)
        self.refusals = refusals


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
) -> Compiled:
    """Compile an expression as a release accepts it in a new ValidatingAdmissionPolicy.

    Args:
        source: the text.
        release: such as ``1.33``.
        returns: the type that it must return; ``annotation`` stands for a string or null.
        params: it may read ``params``.
        authorizer: it may read ``authorizer``.
        variables: the types of the policy's variables before it; None without ``variables``.

    Raises:
        Refused: the release does not accept it.
    """
    known = dict(VARIABLES)
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
        raise Refused([Refusal(None, message)])
    libraries = environment(release)
    try:
        tree = parse(source, libraries.macros, quoted_names=libraries.quoted_names)
    except CelSyntaxError as error:
        raise Refused([Refusal(error.at, error.message)]) from None
    checker = Checker(libraries, known, variables)
    found = checker.type_of(tree)
    problems = sorted(_problems(tree, checker, formats=libraries.checks_formats))
    refusals = [Refusal(at, message) for at, message in problems]
    if not refusals and found.full_name not in _RETURNED.get(returns, (found.full_name,)):
        refusals = [Refusal(None, wrong_type(found, returns))]
    if refusals:
        raise Refused(refusals)
    return Compiled(source, tree, found)


def wrong_type(found: Type, returns: Returned) -> str:
    """Return the answer of kube-apiserver to an expression that returns another type than it must."""
    return f"must evaluate to {_WANTED[returns]} but got {found.full_name}"


def _problems(tree: Node, checker: Checker, *, formats: bool) -> Iterator[tuple[int, str]]:
    if checker.errors:
        yield from checker.errors
        return
    found = [
        *mixed_literals(tree, checker),
        *bad_literals(tree, checker.type_name_of, formats=formats),
    ]
    yield from found or failing_constants(tree)
