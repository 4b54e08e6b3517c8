"""The CEL expressions of a policy: as they are, where the API server accepts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.compiling import Refused, compile_expression
from jobsworth.cel.syntax.nodes import Name
from jobsworth.cel.syntax.walk import bound_names, walk
from jobsworth.policy.cel.advice import advice
from jobsworth.policy.export.cel_text import HOLE, all_of, negated
from jobsworth.policy.export.object_view import IS_UPDATE
from jobsworth.policy.export.requirement import NotExpressible, Requirement, wording
from jobsworth.policy.violation import EXPRESSION_FALSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobsworth.cel.compiling import Returned

OBJECT, STORED = "object", "oldObject"


def of_expression(expression: Mapping[str, str], minor: int) -> Requirement:
    """Return the requirement that an expression is true, or was false for the stored object, too.

    Args:
        expression: its entry in the policy.
        minor: the minor version of the oldest release that must accept the result.

    Raises:
        NotExpressible: the API server does not accept the expression.
    """
    condition = expression["expression"]
    is_true = f"{_operand(condition)} == true"
    _check(is_true, "bool", minor)
    made = expression.get("messageExpression")
    same = []
    if made is None:
        fixed = expression.get("message") or f"failed expression: {condition.strip()}"
        text = wording(expression.get("field", ""), fixed, EXPRESSION_FALSE, "")
    else:
        new = f"string({_operand(made)})"
        _check(new, "string", minor)
        same = [f"{new} == string({_operand(_of_stored(made, minor))})"]
        text = wording(expression.get("field", ""), HOLE, EXPRESSION_FALSE, "", _on_one_line(new))
    was_false = f"{_operand(_of_stored(condition, minor))} == false"
    known = all_of([IS_UPDATE, was_false, *same])
    return Requirement(
        violated=all_of([negated(is_true), negated(known)]),
        text=text,
        variables={},
    )


def _operand(source: str) -> str:
    """Return an expression as an operand: a comment at its end must not hide the bracket."""
    return f"({source}\n)"


def _check(source: str, returns: Returned, minor: int) -> None:
    """Check that an API server accepts an expression.

    Raises:
        NotExpressible: it does not.
    """
    release = f"1.{minor}"
    try:
        compile_expression(source, release, returns=returns)
    except Refused as error:
        hint = advice(str(error))
        reason = f"kube-apiserver {release} refuses the expression: {error}"
        raise NotExpressible(f"{reason} ({hint})" if hint else reason) from None


def _of_stored(source: str, minor: int) -> str:
    """Return an expression that the API server accepts for the stored object in place of the new one."""
    nodes = [*walk(compile_expression(source, f"1.{minor}").tree)]
    if any(OBJECT in bound_names(node) for node in nodes):
        raise NotExpressible("a loop variable has the name object: rename it")
    places = {node.at for node in nodes if isinstance(node, Name) and node.name == OBJECT}
    for at in sorted(places, reverse=True):
        source = f"{source[:at]}{STORED}{source[at + len(OBJECT) :]}"
    return source


def _on_one_line(text: str) -> str:
    return f'{text}.replace("\\n", " ")'
