"""The CEL expressions of a policy, by release, with the semantics of ValidatingAdmissionPolicy (KEP-3488).

An expression is true for every Job that satisfies it. It reads ``object``, the Job, ``oldObject``, the stored
one of an update, else null, and ``request``. For a CronJob, ``object`` is the Job that it creates, so that
one condition judges both; ``cronJob`` and ``oldCronJob`` are the CronJob, and null for a Job.

An expression that does not compile, or uses an unknown variable or function, makes the policy invalid. An
expression that has no value for an object (for example because it reads an unset field) is a violation with a
code of its own, whose effect ``onInternalError`` decides.

A JobPolicy accepts more than an API server: what it accepts alone cannot be moved there, or exported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.policy import document
from jobsworth.policy.cel.programs import (
    CRON_JOB_VARIABLES,
    BadExpression,
    CannotEvaluate,
    NotKnown,
    Program,
    advice,
)
from jobsworth.policy.problems import Problems
from jobsworth.policy.request import UNKNOWN_USER, JobView, PolicyRequest
from jobsworth.policy.violation import (
    EXPRESSION_FAILED,
    EXPRESSION_FALSE,
    EXPRESSION_UNKNOWN,
    Violation,
)
from jobsworth.wording import one_line
from kube_cel.budget import Steps
from kube_cel.compiling import Returned, compile_expression
from kube_cel.environment import NEWEST_RELEASE, OLDEST_RELEASE
from kube_cel.refusals import Refusal, Refused, place

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
        """Yield a violation if the expression is false, has no value, or depends on what is not known."""
        try:
            if self.program.truth(variables, steps):
                return
        except NotKnown as error:
            message = f"cannot evaluate {_short(self.program.source)}"
            yield Violation(
                EXPRESSION_UNKNOWN,
                self.field,
                "NotEvaluated",
                message,
                "warn",
                hint="Run jobsworth policy explain with --user to evaluate it.",
                cause=str(error),
            )
            return
        except CannotEvaluate as error:
            message = f"cannot evaluate {_short(self.program.source)}"
            yield Violation(
                EXPRESSION_FAILED, self.field, "ExpressionFailed", message, cause=str(error)
            )
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

    def violations(
        self, request: PolicyRequest, new: JobView, old: JobView | None, steps: Steps
    ) -> Iterator[Violation]:
        """Yield the violations of a request, in the order of the expressions.

        Args:
            request: the request.
            new: the object to evaluate.
            old: the stored object of an update; None on create.
            steps: what the expressions of all policies may take.
        """
        variables = variables_of(request, new, old)
        for expression in self.items:
            for found in expression.violations(variables, steps):
                yield replace(found, field=field_in(request.kind, found.field))


def variables_of(request: PolicyRequest, new: JobView, old: JobView | None) -> dict[str, Any]:
    """Return the variables of expressions, by name."""
    return {
        "object": new.job,
        "oldObject": None if old is None else old.job,
        "cronJob": None if new.cron is None else new.object,
        "oldCronJob": None if old is None or old.cron is None else old.object,
        "request": _described(request),
    }


_OF_CRON_JOB = "cronJob."


def field_in(kind: str, field: str) -> str:
    """Return the path in an object of a field that an expression is about.

    >>> field_in("Job", "spec.suspend"), field_in("CronJob", "spec.suspend")
    ('spec.suspend', 'spec.jobTemplate.spec.suspend')
    >>> field_in("CronJob", "cronJob.spec.schedule")
    'spec.schedule'

    Args:
        kind: ``Job`` or ``CronJob``.
        field: of the Job, or of the CronJob after ``cronJob.``, which a Job does not have.
    """
    if field.startswith(_OF_CRON_JOB):
        return field.removeprefix(_OF_CRON_JOB) if kind == "CronJob" else ""
    return f"spec.jobTemplate.{field}" if field and kind == "CronJob" else field


def read(value: Sequence[document.Expression], path: str, problems: Problems) -> Expressions:
    """Compile the expressions of a policy.

    Args:
        value: the expressions, valid against the schema.
        path: the path of the expressions in the document.
        problems: collects the expressions that do not compile.
    """
    found = []
    for index, item in enumerate(value):
        expression = _read_item(item, f"{path}[{index}]", problems)
        if expression is not None:
            found.append(expression)
    return Expressions(tuple(found))


def _read_item(value: document.Expression, path: str, problems: Problems) -> Expression | None:
    program = _compiled(value.expression, "bool", f"{path}.expression", problems)
    made: Program | None = None
    if value.message_expression is not None:
        text = value.message_expression
        made = _compiled(text, "string", f"{path}.messageExpression", problems)
    if program is None:
        return None
    return Expression(
        program=program,
        message=one_line(value.message or ""),
        message_program=made,
        field=value.field or "",
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
    user = {"username": request.user, "groups": list(request.groups)}
    resource = "jobs" if request.kind == "Job" else "cronjobs"
    return {
        "kind": {"group": "batch", "version": "v1", "kind": request.kind},
        "resource": {"group": "batch", "version": "v1", "resource": resource},
        "subResource": "",
        "name": request.name,
        "namespace": request.namespace,
        "operation": request.operation,
        "userInfo": UNKNOWN_USER if request.user is None else user,
        "dryRun": request.dry_run,
        "options": dict(request.options),
    }


def _short(source: str) -> str:
    text = " ".join(source.split())
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


@dataclass(frozen=True, slots=True)
class Unportable:
    """An expression that some releases refuse.

    Attributes:
        field: the path of the expression in the policy.
        line, column: of the problem in the expression, counted from 1.
        releases: the releases that refuse it so.
        message: the problem, in the API server's words.
        advice: what to write instead; may be empty.
    """

    field: str
    line: int
    column: int
    releases: tuple[str, ...]
    message: str
    advice: str

    def __str__(self) -> str:
        where = f"at line {self.line}, column {self.column} of the expression: "
        text = f"{where}Kubernetes {_span(self.releases)} refuses it: {self.message}"
        return f"{text} ({self.advice})" if self.advice else text


def unportable(
    expressions: Expressions, path: str, releases: Sequence[str]
) -> Iterator[Unportable]:
    """Yield what some releases refuse in the expressions of a policy, the first problem of each expression.

    Args:
        expressions: of the policy.
        path: their path in the document.
        releases: such as ``1.33``; those before the oldest known one count as that.
    """
    known = sorted({_known(release) for release in releases}, key=_minor)
    for index, expression in enumerate(expressions.items):
        field = f"{path}[{index}]"
        yield from _refused(expression.program.source, "bool", f"{field}.expression", known)
        if expression.message_program is not None:
            source = expression.message_program.source
            yield from _refused(source, "string", f"{field}.messageExpression", known)


def _known(release: str) -> str:
    return max(OLDEST_RELEASE, min(release, NEWEST_RELEASE, key=_minor), key=_minor)


def _minor(release: str) -> int:
    return int(release.split(".")[1])


def _refused(
    source: str, returns: Returned, field: str, releases: Sequence[str]
) -> Iterator[Unportable]:
    """Yield each different first refusal with the releases that refuse so."""
    found: dict[Refusal, list[str]] = {}
    for release in releases:
        try:
            compile_expression(source, release, returns=returns, also=CRON_JOB_VARIABLES)
        except Refused as error:
            found.setdefault(error.refusals[0], []).append(release)
    for first, refusing in found.items():
        line, column = place(source, first.at or 0)
        words = advice(first, returns)
        yield Unportable(field, line, column, tuple(refusing), first.message, words)


def _span(releases: Sequence[str]) -> str:
    """Return releases as text: ``1.30 to 1.32``."""
    if len(releases) == 1:
        return releases[0]
    consecutive = _minor(releases[-1]) - _minor(releases[0]) == len(releases) - 1
    return f"{releases[0]} to {releases[-1]}" if consecutive else ", ".join(releases)
