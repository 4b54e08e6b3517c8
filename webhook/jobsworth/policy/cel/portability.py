"""The expressions of policies that a release of Kubernetes would refuse in a ValidatingAdmissionPolicy.

A JobPolicy accepts more than an API server: what it accepts alone cannot be moved there, or exported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.cel.checking.environment import NEWEST_RELEASE, OLDEST_RELEASE
from jobsworth.cel.compiling import Refused, compile_expression
from jobsworth.policy.cel.positions import place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.cel.compiling import Returned
    from jobsworth.policy.cel.expressions import Expressions

_ADVICE: tuple[tuple[str, str], ...] = (
    ("must evaluate to bool but got dyn", "compare it: write (…) == true"),
    ("must evaluate to bool", "write a condition that is true or false"),
    ("must evaluate to string but got dyn", "write string(…)"),
    ("must evaluate to string", "write string(…), or a text"),
    (
        r"undeclared reference to 'math'",
        "write [a, b].max(), [a, b].min(), x < 0 ? -x : x, or int(x)",
    ),
    (r"undeclared reference to '(greatest|least)'", "write [a, b].max() or [a, b].min()"),
    (r"undeclared reference to '(abs|ceil|floor|round)'", "write x < 0 ? -x : x, or int(x)"),
    (r"undeclared reference to '(ip|cidr|isIP|isCIDR)'", "Kubernetes has them since 1.31"),
    (r"undeclared reference to '(semver|isSemver)'", "Kubernetes has them since 1.34"),
    (
        r"undeclared reference to '(lists|range|distinct|sort|sortBy|flatten|slice|reverse)'",
        "Kubernetes has it since 1.35",
    ),
    (r"undeclared reference to 'format'", "Kubernetes has named formats since 1.32"),
    (
        r"undeclared reference to '(transformList|transformMap|transformMapEntry|existsOne)'",
        "macros with two variables are in Kubernetes since 1.33: write map, filter or exists_one",
    ),
    (r"found no matching overload for 'sign'", "write sign(quantity)"),
    (r"undeclared reference to 'sign'", "write sign(quantity)"),
    (r"undeclared reference to '(first|last)'", "write list[0], or list[size(list) - 1]"),
    (
        r"found no matching overload for '_\?_:_'",
        "give both results one type, or write dyn(…) around both",
    ),
    (r"found no matching overload for '_[!=]=_'", "convert one side: string(…), int(…)"),
    (r"found no matching overload", "convert the arguments: string(…), int(…), double(…)"),
    (r"expected type '.*' but found", "give all items one type, or write dyn(…) around each"),
    (r"invalid (duration|timestamp|matches) argument", "correct the text"),
)
"""The expression to write instead, by the beginning of the API server's answer."""

_MACROS_WITH_TWO_VARIABLES = re.compile(r"undeclared reference to '(all|exists|exists_one)'")


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
        text = f"{where}Kubernetes {_listed(self.releases)} refuses it: {self.message}"
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
    found: dict[tuple[int, int, str], list[str]] = {}
    for release in releases:
        try:
            compile_expression(source, release, returns=returns)
        except Refused as error:
            first = error.refusals[0]
            line, column = place(source, first.at or 0)
            found.setdefault((line, column, first.message), []).append(release)
    for (line, column, message), refusing in found.items():
        yield Unportable(field, line, column, tuple(refusing), message, advice(message))


def advice(message: str) -> str:
    """Return what to write instead of an expression that an API server refuses with a message."""
    if _MACROS_WITH_TWO_VARIABLES.match(message):
        return "macros with two variables are in Kubernetes since 1.33: use one variable"
    return next((text for pattern, text in _ADVICE if re.match(pattern, message)), "")


def _listed(releases: Sequence[str]) -> str:
    """Return releases as text: ``1.30 to 1.32``."""
    if len(releases) == 1:
        return releases[0]
    consecutive = _minor(releases[-1]) - _minor(releases[0]) == len(releases) - 1
    return f"{releases[0]} to {releases[-1]}" if consecutive else ", ".join(releases)
