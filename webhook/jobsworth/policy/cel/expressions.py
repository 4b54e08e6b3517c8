"""The CEL expressions of a policy, with the semantics of ValidatingAdmissionPolicy (KEP-3488).

An expression is true for every object that satisfies it. It reads ``object``, ``oldObject`` (null on create)
and ``request``. An expression that does not compile, or uses an unknown variable or function, makes the
policy invalid. An expression that has no value for an object (for example because it reads an unset field) is
a violation with a code of its own, whose effect ``onInternalError`` decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.policy.cel.programs import BadExpression, CannotEvaluate, Program
from jobsworth.policy.violation import EXPRESSION_FAILED, EXPRESSION_FALSE, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from jobsworth.cel.budget import Steps
    from jobsworth.cel.compiling import Returned
    from jobsworth.policy.problems import Problems
    from jobsworth.policy.request import PolicyRequest

_MAX_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A CEL expression with its message and field.

    Attributes:
        program: the compiled condition.
        message: the message of a violation; empty for the text of the expression.
        message_program: the compiled ``messageExpression``; None if there is none.
        field: the field path of a violation; empty for the whole object.
    """

    program: Program
    message: str
    message_program: Program | None
    field: str

    def violations(self, variables: Mapping[str, Any], steps: Steps) -> Iterator[Violation]:
        """Yield a violation if the expression is false or has no value."""
        try:
            if self.program.truth(variables, steps):
                return
        except CannotEvaluate as error:
            message = f"cannot evaluate {_short(self.program.source)}: {error}"
            yield Violation(EXPRESSION_FAILED, self.field, "ExpressionFailed", message)
            return
        yield Violation(
            EXPRESSION_FALSE, self.field, "FieldValueInvalid", self._message(variables, steps)
        )

    def _message(self, variables: Mapping[str, Any], steps: Steps) -> str:
        """Return the message, chosen as the API server does."""
        if self.message_program is not None:
            try:
                made = self.message_program.text(variables, steps).strip()
            except CannotEvaluate:
                made = ""
            if made and "\n" not in made:
                return made
        return self.message or f"failed expression: {self.program.source.strip()}"


class Expressions:
    """The expressions of a policy."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Expression, ...]) -> None:
        self.items = items

    def violations(self, request: PolicyRequest, steps: Steps) -> Iterator[Violation]:
        """Yield the violations of a request, in the order of the expressions.

        Args:
            request: the request.
            steps: what the expressions of all policies may take.
        """
        variables = {
            "object": request.object,
            "oldObject": request.old,
            "request": _described(request),
        }
        for expression in self.items:
            yield from expression.violations(variables, steps)


def read(value: Sequence[Mapping[str, str]], path: str, problems: Problems) -> Expressions:
    """Compile the expressions of a policy.

    Args:
        value: the expressions, valid against the schema.
        path: the path of the expressions in the document.
        problems: collects the expressions that do not compile.
    """
    items = (_read_item(item, f"{path}[{index}]", problems) for index, item in enumerate(value))
    return Expressions(tuple(item for item in items if item is not None))


def _read_item(value: Mapping[str, str], path: str, problems: Problems) -> Expression | None:
    program = _compiled(value["expression"], "bool", f"{path}.expression", problems)
    made: Program | None = None
    if "messageExpression" in value:
        text = value["messageExpression"]
        made = _compiled(text, "string", f"{path}.messageExpression", problems)
    if program is None:
        return None
    return Expression(
        program=program,
        message=value.get("message", ""),
        message_program=made,
        field=value.get("field", ""),
    )


def _compiled(source: str, returns: Returned, field: str, problems: Problems) -> Program | None:
    try:
        return Program(source, returns)
    except BadExpression as error:
        place = f"line {error.line}, column {error.column}"
        problems.add(field, f"at {place} of the expression: {error.message}", error.hint)
        return None


def _described(request: PolicyRequest) -> dict[str, Any]:
    """Return the request as expressions see it: the known fields of an AdmissionRequest."""
    user: dict[str, Any] = {"username": request.user or "", "groups": list(request.groups)}
    resource = "jobs" if request.kind == "Job" else "cronjobs"
    return {
        "kind": {"group": "batch", "version": "v1", "kind": request.kind},
        "resource": {"group": "batch", "version": "v1", "resource": resource},
        "subResource": "",
        "name": request.name,
        "namespace": request.namespace,
        "operation": request.operation,
        "userInfo": user,
        "dryRun": request.dry_run,
        "options": dict(request.options),
    }


def _short(source: str) -> str:
    text = " ".join(source.split())
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
