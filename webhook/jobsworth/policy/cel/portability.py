"""The expressions of policies that a release of Kubernetes would refuse in a ValidatingAdmissionPolicy.

A JobPolicy accepts more than an API server: what it accepts alone cannot be moved there, or exported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jobsworth.policy.cel.advice import advice
from jobsworth.policy.cel.expressions import Expressions
from jobsworth.policy.cel.programs import CRON_JOB_VARIABLES
from kube_cel.compiling import Returned, compile_expression
from kube_cel.environment import NEWEST_RELEASE, OLDEST_RELEASE
from kube_cel.refusals import Refusal, Refused, place


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
