"""Check a document against its JSON Schema (2020-12), and word each error: the problem, then what to do.

Policies and scenarios are checked here. The package jsonschema evaluates the schema; it is imported for the
first document, because the import takes longer than a run that needs no schema.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from jobsworth.api.field_errors import quoted
from jobsworth.findings.durations import seconds_of
from jobsworth.findings.near_names import did_you_mean

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


Schema = dict[str, Any]
Described = tuple[str, str]
"""The problem, and how to fix it."""

MAX_SHOWN = 60
"""The maximum number of characters of a value that a message shows."""

MAX_CHOICES = 12
"""The maximum number of enumeration values that a message lists."""

MAX_DEPTH = 64
"""The maximum number of levels of nesting that are checked; the schemas describe fewer."""

_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_WORDS_OF = {False: ("off", "no"), True: ("on", "yes")}
"""The words that YAML 1.1 reads as a boolean."""
_NUMBERS = {"integer": r"-?[0-9]+", "number": r"-?[0-9]+(\.[0-9]+)?"}


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """A problem of one field of a document.

    Attributes:
        field: the field path as Kubernetes writes it; empty for the whole document.
        message: the problem.
        hint: how to fix it; may be empty.
    """

    field: str
    message: str
    hint: str = ""

    @property
    def text(self) -> str:
        """The message, and the hint in parentheses."""
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __str__(self) -> str:
        return f"{self.field}: {self.text}" if self.field else self.text


def problems(
    document: object, schema: Schema, patterns: Mapping[str, str]
) -> Iterator[SchemaProblem]:
    """Yield the schema errors of a document, in the order of the document.

    Args:
        document: any JSON value.
        schema: a JSON Schema whose keywords are among :data:`KEYWORDS`, in which each object has either
            ``properties`` and no other fields, or ``additionalProperties`` with the schema of all its values.
        patterns: a phrase for each pattern of the schema, which completes "must be …". In a pattern, ``$`` is
            always the end of the string.
    """
    checked = _without_depth(document, MAX_DEPTH)
    errors = _validator_class()(schema).iter_errors(checked)
    # jsonschema goes through the keys of a map in the order of a set, which differs from run to run.
    wrong_types = set()
    for error in sorted(errors, key=_Positions(checked).of):
        field, keyword = _field_path(error), str(error.validator)
        if field in wrong_types:
            continue  # a condition of the schema repeats the type
        if keyword == "additionalProperties":
            message, hint = "unknown field", _unknown_field_hint(error, schema)
        elif keyword == "pattern":
            message = f"{shown(error.instance)} must be {patterns[_limit(error)]}"
            odd = next(
                (each for each in _instance(error) if not (each.isprintable() or each in "\n\t")),
                "",
            )
            hint = f"remove the character {quoted(odd)}" if odd else ""
        elif keyword == "type":
            message, hint = _wrong_type(error, patterns)
            wrong_types.add(field)
        else:
            message, hint = _DESCRIBERS[keyword](error)
        yield SchemaProblem(field, message, hint)


def shown(value: object) -> str:
    """Return a value as a message shows it: quoted, or its type if it is a mapping or a list.

    >>> shown("5m"), shown(True), shown({"a": 1})
    ('"5m"', 'true', 'a mapping')
    """
    if isinstance(value, dict | list):
        return _TYPES["object" if isinstance(value, dict) else "array"]
    text = quoted(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _without_depth(value: Any, depth: int) -> Any:
    """Return a copy in which containers below a depth are empty: jsonschema formats values recursively."""
    if isinstance(value, dict):
        return {k: _without_depth(each, depth - 1) for k, each in value.items()} if depth else {}
    if isinstance(value, list):
        return [_without_depth(each, depth - 1) for each in value] if depth else []
    return value


@cache
def _validator_class() -> type[Draft202012Validator]:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    types = Draft202012Validator.TYPE_CHECKER.redefine(
        # As in Go, which decodes no 1.0 into an integer.
        "integer",
        lambda _, value: isinstance(value, int) and not isinstance(value, bool),
    )
    keywords = {
        "additionalProperties": _check_names,
        "items": _check_items,
        "pattern": _check_pattern,
        "required": _check_required,
    }
    strict: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, keywords, type_checker=types
    )
    return strict


def _check_names(
    validator: Validator, allowed: object, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    """Check the fields of an object, or the values of a map: each unknown field is an error of its own."""
    from jsonschema.exceptions import ValidationError

    if allowed is not False:
        yield from _standard(validator, "additionalProperties", allowed, instance, schema)
    elif isinstance(instance, dict):
        for name in instance:
            if name not in schema["properties"]:
                yield ValidationError("unknown field", path=[name])


def _check_required(
    validator: Validator, names: list[str], instance: object, schema: Schema
) -> Iterator[ValidationError]:
    """Check that an object has its required fields: the error is at the path of the missing field."""
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError("missing field", path=[name])


def _check_items(
    validator: Validator, items: object, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    """Check the items of a list, unless it has too many."""
    if isinstance(instance, list) and len(instance) <= schema.get("maxItems", len(instance)):
        yield from _standard(validator, "items", items, instance, schema)


def _check_pattern(
    validator: Validator, pattern: str, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    """Check a pattern as ECMA 262 does: in Python, ``$`` also matches before a final line feed."""
    from jsonschema.exceptions import ValidationError

    if not isinstance(instance, str) or len(instance) > schema.get("maxLength", len(instance)):
        return
    if not _matches(pattern, instance):
        yield ValidationError("no match")


def _standard(
    validator: Validator, keyword: str, value: object, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    from jsonschema import Draft202012Validator

    found: Iterable[ValidationError] | None = Draft202012Validator.VALIDATORS[keyword](
        validator, value, instance, schema
    )
    yield from found or ()


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern.replace("$", r"\Z"), text) is not None


class _Positions:
    """The positions of errors: for each step of a path, the index in the list or mapping that holds it."""

    def __init__(self, document: object) -> None:
        self._document = document
        self._indexes: dict[int, dict[object, int]] = {}

    def of(self, error: ValidationError) -> list[int]:
        """Return the position of an error. A missing field precedes the fields beside it."""
        position: list[int] = []
        holder: Any = self._document
        for step in error.absolute_path:
            if isinstance(holder, list):
                position.append(int(step))
            else:
                indexes = self._indexes.get(id(holder))
                if indexes is None:
                    indexes = {name: index for index, name in enumerate(holder)}
                    self._indexes[id(holder)] = indexes
                if step not in indexes:
                    return [*position, -1]
                position.append(indexes[step])
            holder = holder[step]
        return position


def _field_path(error: ValidationError) -> str:
    """Return the path of an error as Kubernetes writes it: keys of maps, other than fields, in brackets."""
    path, keywords = "", deque(error.absolute_schema_path)
    for step in error.absolute_path:
        keyword = keywords.popleft()
        while keyword in ("then", "else"):
            keyword = keywords.popleft()
        if keyword == "properties":
            keywords.popleft()  # the name of the field
        # An unknown field is an error of the keyword additionalProperties itself, the last of the path.
        is_key = keyword == "items" or (keyword == "additionalProperties" and keywords)
        path += f"[{step}]" if is_key else f".{step}" if path else str(step)
    return path


def _unknown_field_hint(error: ValidationError, whole: Schema) -> str:
    holder: Any = error.schema
    known: Schema = holder["properties"]
    name = str(error.path[-1])
    at = _field_path(error).removesuffix(name).removesuffix(".")
    groups = [
        group
        for group, below in known.items()
        if name in below.get("items", below).get("properties", ())
    ]
    if groups:
        places = " or ".join(f"{at}.{group}" if at else group for group in groups)
        return f"this field belongs in {places}"
    spec = whole["properties"].get("spec", {}).get("properties", {})
    if name in spec and (not at or at.count(".") == 1):
        return "this field belongs in spec"
    meant = MEANT_FIELDS.get(name, "")
    if meant in known or " " in meant:
        return f"did you mean {meant}?"
    return did_you_mean(name, known) or f"known fields: {', '.join(known)}"


MEANT_FIELDS = {
    "cel": "expressions",
    "validations": "expressions",
    "require": "limits",
    "operation": "oldManifest of the case, which makes the request an update",
}
"""Names that people try first, and what our documents have instead."""


def _limit(error: ValidationError) -> Any:
    """Return the value of the violated schema keyword."""
    return error.validator_value


def _is_in_seconds(error: ValidationError) -> bool:
    """Return True for a value at or below a field such as ``activeDeadlineSeconds``."""
    return any(str(name).endswith("Seconds") for name in error.path)


def _wrong_type(error: ValidationError, patterns: Mapping[str, str]) -> Described:
    expected, schema, value = _limit(error), _schema(error), _instance(error)
    names = [expected] if isinstance(expected, str) else list(expected)
    words = " or ".join(_TYPES[name] for name in names)
    if isinstance(value, str) and any(
        re.fullmatch(_NUMBERS[name], value) for name in names if name in _NUMBERS
    ):
        return f"must be {words}, but {shown(value)} is a string", "remove the quotes"
    message = f"must be {words}, but is {'empty' if value is None else shown(value)}"
    if "integer" in names and isinstance(value, str) and _is_in_seconds(error):
        seconds = seconds_of(value)
        if seconds is not None:
            return message, f"write {seconds}, which is {shown(value)} in seconds"
    if "string" in names and isinstance(value, int | float):
        pattern = schema.get("pattern")
        if pattern is None or _matches(pattern, quoted(value)):
            return message, "put it in quotes"
        return message, f"write {patterns[pattern]}"
    if "array" in names and isinstance(value, dict) and schema["items"].get("type") == "object":
        return message, "write it as the first item of a list, after a hyphen"
    scalar = isinstance(value, str | int | float)
    required = schema.get("required", ())
    if "object" in names and scalar and len(required) == 1 and error.path:
        allowed = schema["properties"][required[0]].get("type", ())
        if _TYPE_NAMES[type(value)] in ([allowed] if isinstance(allowed, str) else allowed):
            return message, f"write {{{required[0]}: {shown(value)}}}"
    if "array" in names and scalar and schema["items"].get("type") != "object":
        item = value if isinstance(value, str) else quoted(value)
        if len(item) <= MAX_SHOWN:
            return f"must be {words}", f"write [{item}]"
    return message, ""


def _schema(error: ValidationError) -> Schema:
    """Return the schema that the value violates."""
    schema: Any = error.schema
    return dict(schema)


def _instance(error: ValidationError) -> Any:
    """Return the value with the error."""
    return error.instance


def _not_in(error: ValidationError) -> Described:
    value = _instance(error)
    values = [each if isinstance(each, str) else quoted(each) for each in _limit(error)]
    message = _unsupported(value)
    for word in _WORDS_OF.get(value, ()) if isinstance(value, bool) else ():
        if word in values:
            return message, f'write "{word}" in quotes: without them, YAML reads {shown(value)}'
    hint = did_you_mean(value, values) if isinstance(value, str) else ""
    if hint:
        return message, hint
    if len(values) > MAX_CHOICES:
        values = [*values[:MAX_CHOICES], "…"]
    return message, f"supported values: {', '.join(values)}"


def _not_const(error: ValidationError) -> Described:
    return _unsupported(error.instance), f"it must be {_limit(error)}"


def _unsupported(value: object) -> str:
    return (
        f"{'must not be' if isinstance(value, dict | list) else 'unsupported value'} {shown(value)}"
    )


def _too_small(error: ValidationError) -> Described:
    return f"{shown(error.instance)} must be greater than or equal to {_limit(error)}", ""


def _too_great(error: ValidationError) -> Described:
    return f"{shown(error.instance)} must be less than or equal to {_limit(error)}", ""


def _duplicate(error: ValidationError) -> Described:
    seen: list[Any] = []
    for value in _instance(error):
        if value in seen:
            return f"{shown(value)} is listed twice", "remove one of the two"
        seen.append(value)
    return "an entry is listed twice", "remove one of the two"


def _empty(error: ValidationError) -> Described:
    return "must not be empty", "set a value or remove the field"


def _too_long(error: ValidationError) -> Described:
    return f"must have at most {_limit(error)} characters, but has {len(_instance(error))}", ""


def _too_many(error: ValidationError) -> Described:
    return f"must have at most {_limit(error)} entries, but has {len(_instance(error))}", ""


def _too_many_fields(error: ValidationError) -> Described:
    limit, known = _limit(error), ", ".join(_schema(error)["properties"])
    return f"must have at most {limit} of the fields {known}", "remove the others"


def _missing(error: ValidationError) -> Described:
    return "must be set", ""


_DESCRIBERS: dict[str, Callable[[ValidationError], Described]] = {
    "enum": _not_in,
    "const": _not_const,
    "minimum": _too_small,
    "maximum": _too_great,
    "uniqueItems": _duplicate,
    "minItems": _empty,
    "minProperties": _empty,
    "minLength": _empty,
    "maxItems": _too_many,
    "maxLength": _too_long,
    "maxProperties": _too_many_fields,
    "required": _missing,
}
ANNOTATIONS = frozenset(("$schema", "$id", "title", "description", "default"))
KEYWORDS = frozenset((
    *_DESCRIBERS, *ANNOTATIONS, "type", "properties", "additionalProperties", "items", "pattern",
    "if", "then", "else",
))  # fmt: skip
"""The keywords that a schema may use."""
