"""Preconditions and ``deny.conditions`` of Kyverno, as far as they are simple, as CEL."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from jobsworth.policy.export.cel_text import literal
from jobsworth.policy.kyverno.expressions import translated
from jobsworth.policy.kyverno.patterns import all_of, like
from jobsworth.policy.kyverno.untranslatable import Untranslatable

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
