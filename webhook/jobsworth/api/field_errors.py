"""Field errors, worded as the API server words them.

Each constructor returns one type of error of ``k8s.io/apimachinery/pkg/util/validation/field``, with its
reason (machine-readable) and message (``Invalid value: "x": must be …``).

    >>> invalid("spec.parallelism", -1, "must be greater than or equal to 0").message
    'Invalid value: -1: must be greater than or equal to 0'
    >>> required("metadata.name", "name or generateName is required").reason
    'FieldValueRequired'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jobsworth.record import Record

OMIT: Any = object()
"""Marks a bad value that the message omits (``field.OmitValueType`` upstream)."""


class Printed(Record):
    """A bad value that is already formatted for the message.

    Attributes:
        text: as Kubernetes 1.36 prints it.
        former: as earlier releases do, perhaps as an empty text; None if they print it alike.
        since, until: the first and the last minor version that do.
    """

    text: str
    former: str | None = None
    since: int = 0
    until: int = 33


class Former(Record):
    """The message of an error in earlier releases.

    Attributes:
        since, until: the first and the last minor version with it.
        message: the message.
    """

    since: int
    until: int
    message: str


class FieldError(Record):
    """An error at one field.

    Attributes:
        field: the field path, as Kubernetes writes it: ``spec.podFailurePolicy.rules[0].action``.
        reason: ``FieldValueInvalid``, ``FieldValueRequired`` …
        rule: the key of the rule that reports it. For a rule of a type the type and the name of its function,
            ``JobSpec.max_failed_indexes_need_limit``; for a declaration the field and the argument of
            :class:`~jobsworth.api.declare.Field`, ``parallelism.bounds``; for a value that cannot be decoded
            ``type`` or ``quantity``. Fixes and hints are found by it, not by the message.
        supported: the values that an enumeration has instead.
        entry: the path below `field` of what the error is about, such as ``[app]``, if the server names only
            the map or list that has it; empty if `field` is the whole path.
        parts: the message in parts. Where the API server repeats a long list in the message of every
            item, the errors share that part; otherwise their size would grow with the product of both.
        former: the message of earlier releases, if a rule knows that they have another one.
    """

    reason: str
    field: str
    parts: tuple[str, ...]
    rule: str
    supported: tuple[str, ...]
    entry: str
    former: Former | None

    def __init__(
        self,
        reason: str,
        field: str,
        *message: str,
        rule: str = "",
        supported: tuple[str, ...] = (),
        entry: str = "",
        former: Former | None = None,
    ) -> None:
        fields: Any = self  # which is frozen for type checkers
        fields.reason = reason
        fields.field = field
        fields.parts = message
        fields.rule = rule
        fields.supported = supported
        fields.entry = entry
        fields.former = former

    @property
    def message(self) -> str:
        """The message: type of error, bad value, detail."""
        return "".join(self.parts)

    def of_rule(self, rule: str) -> FieldError:
        """Return the error with the key of its rule; an error that already has one keeps it."""
        if self.rule:
            return self
        return FieldError(
            self.reason,
            self.field,
            *self.parts,
            rule=rule,
            supported=self.supported,
            entry=self.entry,
            former=self.former,
        )

    def _reported(self) -> tuple[str, str, tuple[str, ...]]:
        return self.reason, self.field, self.parts

    def __eq__(self, other: object) -> bool:
        # The API server reports an error once, even if several rules find it.
        return isinstance(other, FieldError) and self._reported() == other._reported()

    def __hash__(self) -> int:
        return hash(self._reported())

    def __repr__(self) -> str:
        return f"{self.field}: {self.message}"


def _sentence(kind: str, value: Any, detail: str) -> str:
    if value is not OMIT:
        kind = f"{kind}: {quoted(value)}"
    return f"{kind}: {detail}" if detail else kind


_NULL = Printed("null", former='"null"')
"""An unset value, which releases before 1.34 print as a text."""


def _former(kind: str, value: Any, detail: str) -> Former | None:
    """Return the message of releases that print the value differently; None if there are none."""
    if value is None:
        value = _NULL
    if not isinstance(value, Printed) or value.former is None:
        return None
    message = _sentence(kind, Printed(value.former), detail)
    return Former(value.since, value.until, message)


IMMUTABLE = "immutable"
"""The rule of :func:`immutable`."""
WEBHOOK = "webhook"
"""The rule of errors that the webhook of an operator reports."""


def invalid(
    field: str,
    value: Any,
    detail: str,
    rule: str = "",
    *,
    entry: str = "",
    former: Former | None = None,
) -> FieldError:
    """Return the error for a value that is malformed or out of bounds.

    Args:
        field: the field path.
        value: the bad value.
        detail: the problem.
        rule: the key of the rule, if a function reports errors of several rules.
        entry: the path below `field` of the value, if the server names only the map or list that has it.
        former: the message of earlier releases with other details.
    """
    kind = "Invalid value"
    text = _sentence(kind, value, detail)
    former = former or _former(kind, value, detail)
    return FieldError("FieldValueInvalid", field, text, rule=rule, entry=entry, former=former)


def immutable(field: str, value: Any) -> FieldError:
    """Return the error for a changed value that an update may not change."""
    return invalid(field, value, "field is immutable", IMMUTABLE)


def required(field: str, detail: str = "", rule: str = "") -> FieldError:
    """Return the error for a value that is missing, empty or null."""
    text = _sentence("Required value", OMIT, detail)
    return FieldError("FieldValueRequired", field, text, rule=rule)


def forbidden(field: str, detail: str, rule: str = "") -> FieldError:
    """Return the error for a value that is not allowed in this context."""
    text = _sentence("Forbidden", OMIT, detail)
    return FieldError("FieldValueForbidden", field, text, rule=rule)


def not_supported(field: str, value: Any, supported: Iterable[str], rule: str = "") -> FieldError:
    """Return the error for a value outside its enumeration, listing the supported values in order.

    Enumerations are separate Go types in Kubernetes, and Go prints their values as JSON.
    """
    if isinstance(value, str):
        value = named_string(value)
    supported = tuple(supported)
    names = ", ".join(quoted(name) for name in supported)
    detail = f"supported values: {names}" if names else ""
    kind = "Unsupported value"
    text, former = _sentence(kind, value, detail), _former(kind, value, detail)
    return FieldError(
        "FieldValueNotSupported", field, text, rule=rule, supported=supported, former=former
    )


def named_string(value: str) -> Any:
    """Return a bad value as JSON, as Go prints named string types and pointers to strings.

    >>> invalid("spec.x", named_string("<"), "is bad").message
    'Invalid value: "\\\\u003c": is bad'
    """
    if value.isalnum() and _is_plain(value):
        return value
    return Printed(go_json(value), former=quoted(value))


def resource_name_value(name: str, unquoted_since: int = 29) -> Printed:
    """Return the name of a resource as a bad value: JSON; until 1.33 unquoted, as its type is a Stringer.

    Args:
        name: the name.
        unquoted_since: the first minor version that prints it so.
    """
    return Printed(go_json(name), former=name, since=unquoted_since)


def duplicate(field: str, value: Any) -> FieldError:
    """Return the error for a repeated value that must be unique."""
    kind = "Duplicate value"
    former = _former(kind, value, "")
    return FieldError("FieldValueDuplicate", field, _sentence(kind, value, ""), former=former)


def not_found(field: str, value: Any, rule: str = "") -> FieldError:
    """Return the error for a reference to something that does not exist."""
    kind = "Not found"
    former = _former(kind, value, "")
    text = _sentence(kind, value, "")
    return FieldError("FieldValueNotFound", field, text, rule=rule, former=former)


TOO_LONG_UNTIL = 31
"""The last minor version with other words for strings that are too long."""


def too_long(
    field: str, limit: int, unit: str = "byte", *, former: str = "must have at most {} bytes"
) -> FieldError:
    """Return the error for a string longer than `limit` units.

    Args:
        field: the field path.
        limit: the limit.
        unit: its unit.
        former: the detail in releases until :data:`TOO_LONG_UNTIL`, with a hole for the limit.
    """
    units = unit if limit == 1 else f"{unit}s"
    return FieldError(
        "FieldValueTooLong",
        field,
        f"Too long: may not be more than {limit} {units}",
        former=Former(0, TOO_LONG_UNTIL, f"Too long: {former.format(limit)}"),
    )


BY_CHARACTERS = "may not be longer than {}"
"""The former detail about strings that were counted in characters."""


def too_many(field: str, count: int, limit: int, rule: str = "") -> FieldError:
    """Return the error for a list of more than `limit` items."""
    items = "item" if limit == 1 else "items"
    detail = f"must have at most {limit} {items}"
    return FieldError("FieldValueTooMany", field, f"Too many: {count}: {detail}", rule=rule)


def type_invalid(field: str, value: Any, detail: str, rule: str = "type") -> FieldError:
    """Return the error for a value of the wrong type."""
    kind = "Invalid value"
    text, former = _sentence(kind, value, detail), _former(kind, value, detail)
    return FieldError("FieldValueTypeInvalid", field, text, rule=rule, former=former)


def quoted(value: Any) -> str:
    """Format a value as Go prints it in an error: strings quoted, objects as compact JSON.

    >>> quoted("a\\nb"), quoted(True), quoted([1, 2]), quoted({"b": None, "a": "<"})
    ('"a\\\\nb"', 'true', '[1,2]', '{"a":"\\\\u003c","b":null}')
    """
    if isinstance(value, str):
        return _go_string(value)
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, Printed):
        return value.text
    return go_json(value)


def go_json(value: Any, *, sort_keys: bool = True) -> str:
    """Encode a value as Go's ``json.Marshal`` does: compact, map keys sorted, ``<>&`` escaped.

    Args:
        value: any JSON value.
        sort_keys: False if the objects are structs, whose fields are already in Go's order.
    """
    import json  # imported only for an error, since it would double the start-up time

    text = json.dumps(value, separators=(",", ":"), sort_keys=sort_keys, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        if character in text:
            text = text.replace(character, f"\\u{ord(character):04x}")
    return text


_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


def _is_plain(text: str) -> bool:
    """Return True if Go's ``%q`` escapes nothing; JSON then escapes only ``<>&``."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


def _go_string(text: str) -> str:
    """Quote a string as Go's ``%q`` does: printable characters unchanged, the others escaped."""
    if _is_plain(text):
        return f'"{text}"'
    return '"' + "".join(map(_go_character, text)) + '"'


def _go_character(character: str) -> str:
    escape = _ESCAPES.get(character)
    if escape is not None:
        return escape
    code = ord(character)
    if character.isprintable():
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
