"""CEL and conditions of Kyverno's policies as expressions of a JobPolicy: other paths, no variables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jobsworth.policy.export.cel_text import literal
from jobsworth.policy.kyverno.patterns import all_of, like
from jobsworth.policy.kyverno.untranslatable import Untranslatable
from kube_cel.lexer import CelSyntaxError, Token, tokens

MAX_CHARACTERS = 4096
"""The longest expression of a JobPolicy."""

_IN_TEMPLATE = ("spec", "metadata")
_OF_JOB = ("name", "generateName", "namespace")
"""The metadata that a Pod template does not have; the Job's stands for it."""

_CRON_JOBS = {"object": "cronJob", "oldObject": "oldCronJob"}

_KEY = re.compile(
    r"""\{\{\s*request\.(?P<path>operation|namespace|name|(?:object|oldObject)(?:\.\w+|\."[^"]+"|\[\d+\])+)"""
    r"""\s*(?:\|\|\s*(?P<default>`[^`]*`|'[^']*'))?\s*\}\}"""
)
_STEP = re.compile(r"""\.(\w+)|\."([^"]+)"|\[(\d+)\]""")
_POSITIVE = {
    "Equals": True,
    "In": True,
    "AnyIn": True,
    "NotEquals": False,
    "NotIn": False,
    "AnyNotIn": False,
}
_NUMERIC = {
    "GreaterThan": ">",
    "GreaterThanOrEquals": ">=",
    "LessThan": "<",
    "LessThanOrEquals": "<=",
}


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


def condition_of(written: Any, root: str) -> str:
    """Return the expression for conditions: ``any``, ``all``, or a list that must hold.

    Raises:
        Untranslatable: a key is not a simple path, or the operator has no translation.
    """
    if isinstance(written, Mapping):
        parts = []
        if written.get("all"):
            parts.append(all_of([_one(each, root) for each in written["all"]]))
        if written.get("any"):
            parts.append(" || ".join(f"({_one(each, root)})" for each in written["any"]))
        return all_of(parts)
    return all_of([_one(each, root) for each in written or ()])


def _one(each: Mapping[str, Any], root: str) -> str:
    key, operator, value = each.get("key"), str(each.get("operator")), each.get("value")
    match = _KEY.fullmatch(str(key).strip())
    if match is None:
        raise Untranslatable(f"a condition of it reads {key}")
    path = match["path"]
    steps = [_step(*groups) for groups in _STEP.findall(path)]
    read = f"request.{path}"
    default: Any = None
    if path.startswith(("object", "oldObject")):
        if match["default"] is None:
            raise Untranslatable(f"a condition of it reads {key} without a default")
        default = _default(match["default"])
        start = translated(f"{path.partition('.')[0]}.{steps[0].lstrip('.?')}", root, {})
        read = f"{start.rpartition('.')[0]}{''.join(steps)}.orValue({_cel(default)})"
    return _compared(read, operator, value, default)


def _step(name: str, quoted: str, index: str) -> str:
    if index:
        return f"[?{index}]"
    return f"[?{literal(quoted)}]" if quoted else f".?{name}"


def _default(written: str) -> Any:
    if written.startswith("'"):
        return written[1:-1]
    try:
        return json.loads(written[1:-1])
    except ValueError:
        raise Untranslatable(f"a condition of it has the default {written}") from None


def _cel(value: Any) -> str:
    if isinstance(value, str):
        return literal(value)
    if value is None or isinstance(value, (bool, int, float, list, dict)):
        return json.dumps(value)
    raise Untranslatable("a condition of it compares with an unusual value")


def _compared(read: str, operator: str, value: Any, default: Any) -> str:
    if "{{" in str(value):
        raise Untranslatable("a condition of it compares with a variable")
    if operator in _NUMERIC and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{read} {_NUMERIC[operator]} {value}"
    if operator not in _POSITIVE:
        raise Untranslatable(f"a condition of it has the operator {operator}")
    if isinstance(default, (list, dict)):
        if value not in ([], {}) or operator not in ("Equals", "NotEquals"):
            raise Untranslatable("a condition of it compares a list")
        return f"size({read}) {'==' if operator == 'Equals' else '!='} 0"
    values = value if isinstance(value, list) else [value]
    equal = [
        like(each, f"string({read})" if "*" in each or "?" in each else read)
        if isinstance(each, str)
        else f"{read} == {_cel(each)}"
        for each in values
    ]
    found = equal[0] if len(equal) == 1 else " || ".join(f"({each})" for each in equal)
    return found if _POSITIVE[operator] else f"!({found})"
