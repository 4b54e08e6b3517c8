"""What is wrong with the shape of a document: the schema's errors, as problems that people can mend."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jobsworth.api.errors import quoted
from jobsworth.findings.near_names import did_you_mean
from jobsworth.policy.documents.policy_schema import NAME_PATTERN, schema
from jobsworth.policy.language.schema_parts import SHARE_PATTERN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    from jobsworth.policy.language.problems import Problems

    Said = tuple[str, str]
    """What is wrong, and what would be right."""

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
"""Ends of paths that lead to maps whose keys are no fields."""

_LONGEST_CHOICE = 12
"""Values of an enumeration that are all named."""


@cache
def validator() -> Draft202012Validator:
    """The compiled schema of a JobPolicy."""
    from jsonschema import Draft202012Validator  # an extra, and slow to import

    return Draft202012Validator(schema())


def check(document: object, problems: Problems) -> None:
    """Note everything that is wrong with the shape of a document."""
    for error in validator().iter_errors(document):
        at = field_path(error.absolute_path)
        if error.validator == "additionalProperties":
            _unknown_fields(error, at, problems)
        elif error.validator == "required":
            # jsonschema reports each missing field by itself, and names it in the message only.
            name = error.message.partition("' is")[0].removeprefix("'")
            problems.add(f"{at}.{name}" if at else name, "must be set")
        else:
            problems.add(at, *_SAYINGS.get(str(error.validator), _otherwise)(error))


def field_path(steps: Iterable[str | int]) -> str:
    """A path as Kubernetes writes it: keys of maps, other than fields, in brackets.

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
                _meant(str(name), at, known),
            )


def _meant(name: str, at: str, known: dict[str, Any]) -> str:
    spec = schema()["properties"]["spec"]["properties"]
    groups = [group for group, below in known.items() if name in below.get("properties", ())]
    if groups:
        places = " or ".join(f"{at}.{group}" if at else group for group in groups)
        return f"this field belongs in {places}"
    if name in spec and (not at or at.count(".") == 1):
        return "this field belongs in spec"
    return did_you_mean(name, known) or f"known are {', '.join(known)}"


def _wanted(error: ValidationError) -> Any:
    """What the schema says under the word that is broken."""
    return error.validator_value


def _wrong_type(error: ValidationError) -> Said:
    wanted = _wanted(error)
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    words = " or ".join(_TYPES[name] for name in names)
    value: Any = error.instance
    if isinstance(value, str) and "integer" in names and value.isdecimal():
        return f"must be {words}, and {quoted(value)} is a string", "leave the quotes out"
    if "string" in names and isinstance(value, int | float | bool):
        return f"must be {words}, and {quoted(value)} is none", "put it in quotes"
    if "array" in names and not isinstance(value, dict | list):
        return f"must be {words}", f"write [{_shown(value)}]"
    return f"must be {words}, and is {_kind(value)}", ""


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool | int | float | str):
        return quoted(value)
    return _TYPES["object"] if isinstance(value, dict) else _TYPES["array"]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else quoted(value)


def _not_in(error: ValidationError) -> Said:
    values = [
        str(value) if not isinstance(value, bool) else quoted(value) for value in _wanted(error)
    ]
    said = f"unsupported value {quoted(error.instance)}"
    hint = did_you_mean(error.instance, values) if isinstance(error.instance, str) else ""
    if hint:
        return said, hint
    if len(values) > _LONGEST_CHOICE:
        values = [*values[:_LONGEST_CHOICE], "…"]
    return said, f"supported values: {', '.join(values)}"


def _not_const(error: ValidationError) -> Said:
    return f"unsupported value {quoted(error.instance)}", f"it must be {_wanted(error)}"


def _too_small(error: ValidationError) -> Said:
    return f"{quoted(error.instance)} must be greater than or equal to {_wanted(error)}", ""


def _too_great(error: ValidationError) -> Said:
    return f"{quoted(error.instance)} must be less than or equal to {_wanted(error)}", ""


def _no_match(error: ValidationError) -> Said:
    return f"{quoted(error.instance)} {_PATTERNS[_wanted(error)]}", ""


def _twice(error: ValidationError) -> Said:
    seen: list[Any] = []
    values: Any = error.instance
    for value in values:
        if value in seen:
            return f"{quoted(value)} stands there twice", "remove one of the two"
        seen.append(value)
    return "an entry stands there twice", "remove one of the two"


def _empty(error: ValidationError) -> Said:
    return "must not be empty", "leave it out if it is to say nothing"


def _too_many(error: ValidationError) -> Said:
    values: Any = error.instance
    return f"must have at most {_wanted(error)} entries, and has {len(values)}", ""


def _otherwise(error: ValidationError) -> Said:
    return error.message, ""


_SAYINGS: dict[str, Callable[[ValidationError], Said]] = {
    "type": _wrong_type,
    "enum": _not_in,
    "const": _not_const,
    "minimum": _too_small,
    "maximum": _too_great,
    "pattern": _no_match,
    "uniqueItems": _twice,
    "minItems": _empty,
    "minProperties": _empty,
    "minLength": _empty,
    "maxItems": _too_many,
}
