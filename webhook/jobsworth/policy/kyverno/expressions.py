"""CEL of Kyverno's policies as expressions of a JobPolicy: other paths, and no variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jobsworth.policy.kyverno.untranslatable import Untranslatable
from kube_cel.lexer import CelSyntaxError, Token, tokens

MAX_CHARACTERS = 4096
"""The longest expression of a JobPolicy."""

_IN_TEMPLATE = ("spec", "metadata")
_OF_JOB = ("name", "generateName", "namespace")
"""The metadata that a Pod template does not have; the Job's stands for it."""

_CRON_JOBS = {"object": "cronJob", "oldObject": "oldCronJob"}


def translated(source: str, root: str, variables: Mapping[str, str]) -> str:
    """Return an expression about a Pod, Job or CronJob as one of a JobPolicy.

    Args:
        source: the expression.
        root: the kind of ``object`` in it.
        variables: the translated variables by name.

    Raises:
        Untranslatable: it reads something that a JobPolicy does not have, or becomes too long.
    """
    try:
        found = tokens(source)
    except CelSyntaxError as error:
        raise Untranslatable(f"it is not CEL: {error.message}") from None
    made, at, index = "", 0, 0
    while index < len(found):
        token = found[index]
        end = token.at + len(token.text)
        before = found[index - 1].text if index else ""
        if (
            token.kind == "name"
            and before != "."
            and not (before == "?" and found[index - 2].text == ".")
        ):
            if token.text == "variables":
                index += 2
                name = found[index]
                if name.text not in variables:
                    raise Untranslatable(
                        f"it reads the variable {name.text}, which has no translation"
                    )
                made += f"{source[at : token.at]}({variables[name.text]})"
                at = name.at + len(name.text)
            elif token.text in _CRON_JOBS and found[index + 1].text != ":":
                made += source[at : token.at] + _root(token, found[index + 1 :], root)
                at = end
        index += 1
    made += source[at:]
    if len(made) > MAX_CHARACTERS:
        raise Untranslatable(f"it is longer than {MAX_CHARACTERS:,} characters without variables")
    return made.strip()


def _root(token: Token, rest: Sequence[Token], root: str) -> str:
    """Return what stands for ``object`` or ``oldObject`` in front of other tokens."""
    if root == "CronJob":
        return _CRON_JOBS[token.text]
    names = [each.text for each in rest[:6] if each.text not in (".", "?")]
    first = names[0] if rest[0].text == "." else ""
    if root == "Job" or (first == "metadata" and names[1:2] and names[1] in _OF_JOB):
        return token.text
    if first not in _IN_TEMPLATE:
        if rest[0].text in ("==", "!="):
            return token.text
        raise Untranslatable(f"it reads {token.text}.{first or '…'} of a Pod")
    return f"{token.text}.spec.template"


def translated_variables(
    variables: Any, root: str, known: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the translated variables by name, and the reasons for those without a translation."""
    found, left = dict(known), {}
    for each in variables or ():
        name = str(each.get("name"))
        try:
            found[name] = translated(str(each.get("expression")), root, found)
        except Untranslatable as error:
            left[name] = str(error)
    return found, left


def guarded(expression: str, conditions: Sequence[str], root: str) -> str:
    """Return an expression that counts only under conditions, and of a CronJob for CronJobs."""
    guards = [f"({each})" for each in conditions]
    if root == "CronJob":
        guards.insert(0, "cronJob != null")
    if not guards:
        return expression
    skipped = f"!({' && '.join(guards)})"
    return skipped if expression == "false" else f"{skipped} || ({expression})"
