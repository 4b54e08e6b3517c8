"""Schema errors of a policy document, as problems with a message and a hint."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from jobsworth.api.field_errors import quoted
from jobsworth.findings.near_names import did_you_mean
from jobsworth.policy.documents.policy_schema import NAME_PATTERN, schema
from jobsworth.policy.language.schema_parts import SHARE_PATTERN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

    from jobsworth.policy.language.problems import Problems

    MessageAndHint = tuple[str, str]
    """The problem, and how to fix it."""

_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_PATTERNS = {
    NAME_PATTERN: "must be lower case letters, digits and hyphens, at most 63, "
    "that begin and end with a letter or digit",
    SHARE_PATTERN: "must be a whole number, or a percentage from 0% to 100%",
}
_MAPS = (
    "spec.rules", ".labels", ".annotations", ".matchLabels", ".requests", ".resources.limits",
)  # fmt: skip
"""Suffixes of paths to maps whose keys are not field names."""

_LONGEST_CHOICE = 12
"""The maximum number of enumeration values that a message lists."""


@cache
def validator() -> Draft202012Validator:
    """Return the compiled schema of a JobPolicy."""
    from jsonschema import Draft202012Validator  # an extra, and slow to import
    from jsonschema.validators import extend

    strict: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, {"pattern": _check_pattern}
    )
    return strict(schema())


def _check_pattern(
    validator: Validator, pattern: str, instance: object, schema: object
) -> Iterator[ValidationError]:
    """Check a pattern as ECMA 262 does: in Python, ``$`` also matches before a final line feed."""
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not re.search(pattern.removesuffix("$") + r"\Z", instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def check(document: object, problems: Problems) -> None:
    """Report every schema error of a document, in the order of the document."""
    # jsonschema goes through the keys of a map in the order of a set, which differs from run to run.
    for error in sorted(
        validator().iter_errors(document),
        key=lambda error: _position(document, error.absolute_path),
    ):
        at = field_path(error.absolute_path)
        if error.validator == "additionalProperties":
            _unknown_fields(error, at, problems)
        elif error.validator == "required":
            # jsonschema reports each missing field by itself, and names it in the message only.
            name = error.message.partition("' is")[0].removeprefix("'")
            problems.add(f"{at}.{name}" if at else name, "must be set")
        else:
            problems.add(at, *_DESCRIBERS.get(str(error.validator), _otherwise)(error))


def _position(document: Any, steps: Iterable[str | int]) -> list[int]:
    """Return the position of a place: its index in the document, and in each part that holds it."""
    position = []
    for step in steps:
        position.append(step if isinstance(step, int) else list(document).index(step))
        document = document[step]
    return position


def field_path(steps: Iterable[str | int]) -> str:
    """Return a path as Kubernetes writes it: keys of maps, other than fields, in brackets.

    >>> field_path(["spec", "limits", "labels", "team", "allowed", 0])
    'spec.limits.labels[team].allowed[0]'
    """
    path = ""
    for step in steps:
        if isinstance(step, int) or path.endswith(_MAPS):
            path += f"[{step}]"
        else:
            path += f".{step}" if path else step
    return path


def _unknown_fields(error: ValidationError, at: str, problems: Problems) -> None:
    holder: Any = error.schema
    known: dict[str, Any] = holder["properties"]
    instance: Any = error.instance
    for name in instance:
        if name not in known:
            problems.add(
                field_path([*error.absolute_path, str(name)]),
                "unknown field",
                _unknown_field_hint(str(name), at, known),
            )


def _unknown_field_hint(name: str, at: str, known: dict[str, Any]) -> str:
    spec = schema()["properties"]["spec"]["properties"]
    groups = [group for group, below in known.items() if name in below.get("properties", ())]
    if groups:
        places = " or ".join(f"{at}.{group}" if at else group for group in groups)
        return f"this field belongs in {places}"
    if name in spec and (not at or at.count(".") == 1):
        return "this field belongs in spec"
    return did_you_mean(name, known) or f"known fields: {', '.join(known)}"


def _schema_value(error: ValidationError) -> Any:
    """Return the value of the violated schema keyword."""
    return error.validator_value


def _wrong_type(error: ValidationError) -> MessageAndHint:
    expected = _schema_value(error)
    names = [expected] if isinstance(expected, str) else list(expected)
    words = " or ".join(_TYPES[name] for name in names)
    value: Any = error.instance
    if isinstance(value, str) and "integer" in names and value.isdecimal():
        return f"must be {words}, but {quoted(value)} is a string", "remove the quotes"
    if "string" in names and isinstance(value, int | float | bool):
        return f"must be {words}, but is {quoted(value)}", "put it in quotes"
    if "array" in names and not isinstance(value, dict | list):
        return f"must be {words}", f"write [{_shown(value)}]"
    return f"must be {words}, but is {_kind(value)}", ""


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool | int | float | str):
        return quoted(value)
    return _TYPES["object"] if isinstance(value, dict) else _TYPES["array"]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else quoted(value)


def _not_in(error: ValidationError) -> MessageAndHint:
    values = [
        str(value) if not isinstance(value, bool) else quoted(value)
        for value in _schema_value(error)
    ]
    message = f"unsupported value {quoted(error.instance)}"
    hint = did_you_mean(error.instance, values) if isinstance(error.instance, str) else ""
    if hint:
        return message, hint
    if len(values) > _LONGEST_CHOICE:
        values = [*values[:_LONGEST_CHOICE], "…"]
    return message, f"supported values: {', '.join(values)}"


def _not_const(error: ValidationError) -> MessageAndHint:
    return f"unsupported value {quoted(error.instance)}", f"it must be {_schema_value(error)}"


def _too_small(error: ValidationError) -> MessageAndHint:
    return f"{quoted(error.instance)} must be greater than or equal to {_schema_value(error)}", ""


def _too_great(error: ValidationError) -> MessageAndHint:
    return f"{quoted(error.instance)} must be less than or equal to {_schema_value(error)}", ""


def _no_match(error: ValidationError) -> MessageAndHint:
    return f"{quoted(error.instance)} {_PATTERNS[_schema_value(error)]}", ""


def _duplicate(error: ValidationError) -> MessageAndHint:
    seen: list[Any] = []
    values: Any = error.instance
    for value in values:
        if value in seen:
            return f"{quoted(value)} is listed twice", "remove one of the two"
        seen.append(value)
    return "an entry is listed twice", "remove one of the two"


def _empty(error: ValidationError) -> MessageAndHint:
    return "must not be empty", "set a value or remove the field"


def _too_many(error: ValidationError) -> MessageAndHint:
    values: Any = error.instance
    return f"must have at most {_schema_value(error)} entries, but has {len(values)}", ""


def _otherwise(error: ValidationError) -> MessageAndHint:
    return error.message, ""


_DESCRIBERS: dict[str, Callable[[ValidationError], MessageAndHint]] = {
    "type": _wrong_type,
    "enum": _not_in,
    "const": _not_const,
    "minimum": _too_small,
    "maximum": _too_great,
    "pattern": _no_match,
    "uniqueItems": _duplicate,
    "minItems": _empty,
    "minProperties": _empty,
    "minLength": _empty,
    "maxItems": _too_many,
}
