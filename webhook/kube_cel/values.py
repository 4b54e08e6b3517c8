"""The values of CEL.

``bool``, ``int``, ``double``, ``string``, ``bytes``, ``null``, lists and maps are Python's; the others are
classes of this module and of :mod:`kube_cel.functions`, with a ``type_name``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Function = Callable[..., Any]

MIN_INT, MAX_INT = -(2**63), 2**63 - 1
MAX_UINT = 2**64 - 1


class CelError(Exception):
    """An expression has no value; the message is the API server's where it has one."""


class NoOverload(CelError):
    """A function or operator has no variant for the types of its arguments."""

    def __init__(self, message: str = "no such overload") -> None:
        super().__init__(message)


class NoSuchKey(CelError):
    """A part of a value does not exist.

    Attributes:
        container: the value without the part; may be null.
        key: the name of the part.
        at: the offset of the node that reads it; -1 if it is not known.
    """

    def __init__(self, container: Any, key: Any, shown: str) -> None:
        super().__init__(f"no such key: {shown}")
        self.container = container
        self.key = key
        self.at = -1


class UnknownValue(CelError):
    """An expression depends on a value that is not known here; the message says which one, and why.

    Like an error, it is absorbed where another operand decides.
    """


class NestedTooDeeply(UnknownValue):
    """Python's stack does not hold the calls of an expression: its value is not known here."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A field or variable whose value is not known here; reading it raises :class:`UnknownValue`.

    Attributes:
        reason: which value it is, and why it is not known.
    """

    type_name = "unknown"

    reason: str


class Uint(int):
    """An unsigned integer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value: the result of ``type(x)``."""

    type_name = "type"

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time.

    Attributes:
        nanoseconds: negative if it goes back.
    """

    type_name = "google.protobuf.Duration"

    nanoseconds: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A point in time.

    Attributes:
        nanoseconds: since 1970 in UTC.
    """

    type_name = "google.protobuf.Timestamp"

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may be missing.

    Attributes:
        present: there is a value.
        value: it; None if there is none.
    """

    type_name = "optional_type"

    present: bool
    value: Any = None


NONE = Optional(False)


@dataclass(frozen=True, slots=True)
class Struct:
    """A message that an expression of a policy that mutates makes: ``Object.spec{suspend: true}``.

    Attributes:
        type_name: such as ``Object.spec`` or ``JSONPatch``.
        fields: the values of the fields that are set.
    """

    type_name: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BoolKey:
    """A key of a map that is a boolean: to Python, ``True`` and 1 are one key."""

    value: bool


def key_of(value: Any) -> Any:
    """Return a value as a key of a map."""
    return BoolKey(value) if isinstance(value, bool) else value


def value_of(key: Any) -> Any:
    """Return a key of a map as a value."""
    return key.value if isinstance(key, BoolKey) else key


_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    dict: "map",
}


def type_name(value: Any) -> str:
    """Return the name of the type of a value.

    >>> type_name(True), type_name(Uint(1)), type_name(NONE)
    ('bool', 'uint', 'optional_type')
    """
    return _NAMES.get(type(value)) or str(value.type_name)


def is_number(value: Any) -> bool:
    """Return True for an int, uint or double."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check(wanted: type | tuple[type, ...], *values: Any) -> None:
    """Check that all values have a type.

    Raises:
        NoOverload: one has not.
    """
    for value in values:
        if type(value) is not wanted and not (isinstance(wanted, tuple) and type(value) in wanted):
            raise NoOverload


def of_strings(function: Function) -> Function:
    """Return a function that takes only strings."""

    def checked(*values: Any) -> Any:
        check(str, *values)
        return function(*values)

    return checked
