"""The CEL expressions of a policy: as they are, where the API server accepts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.policy.cel.tokens import ExpressionOutline, renamed, tokens
from jobsworth.policy.export.cel_text import HOLE, all_of, negated
from jobsworth.policy.export.object_view import IS_UPDATE
from jobsworth.policy.export.requirement import Requirement, wording
from jobsworth.policy.violation import EXPRESSION_FALSE

if TYPE_CHECKING:
    from collections.abc import Mapping

OBJECT, STORED = "object", "oldObject"


class NotExpressible(ValueError):
    """A part of a policy that the API server cannot enforce; the message gives the reason."""


def of_expression(expression: Mapping[str, str]) -> Requirement:
    """Return the requirement that an expression is true, or was false for the stored object, too.

    Raises:
        NotExpressible: the API server does not accept the expression.
    """
    condition = expression["expression"]
    made = expression.get("messageExpression")
    same = []
    if made is None:
        fixed = expression.get("message") or f"failed expression: {condition.strip()}"
        text = wording(expression.get("field", ""), fixed, EXPRESSION_FALSE, "")
    else:
        new, old = f"string({_operand(made)})", f"string({_of_stored(made)})"
        same = [f"{new} == {old}"]
        text = wording(expression.get("field", ""), HOLE, EXPRESSION_FALSE, "", _on_one_line(new))
    is_true = f"{_operand(condition)} == true"
    was_false = f"{_of_stored(condition)} == false"
    known = all_of([IS_UPDATE, was_false, *same])
    return Requirement(
        violated=all_of([negated(is_true), negated(known)]),
        text=text,
        variables={},
    )


def _operand(source: str) -> str:
    """Return an expression as an operand: a comment at its end must not hide the bracket."""
    for token in tokens(source):
        if token.kind == "name" and token.text in _UNKNOWN_TO_KUBERNETES:
            raise NotExpressible(_UNKNOWN_TO_KUBERNETES[token.text])
    return f"({source}\n)"


def _of_stored(source: str) -> str:
    """Return an expression for the update that leaves the stored object unchanged."""
    if OBJECT in ExpressionOutline(source).bound:
        raise NotExpressible("a loop variable has the name object: rename it")
    return _operand(renamed(source, OBJECT, STORED))


def _on_one_line(text: str) -> str:
    return f'{text}.replace("\\n", " ")'


_UNKNOWN_TO_KUBERNETES = {
    "math": "kube-apiserver has no functions of math: write [a, b].max() for math.greatest(a, b)"
}
"""Names that jobsworth knows and no kube-apiserver does, each with the reason."""
