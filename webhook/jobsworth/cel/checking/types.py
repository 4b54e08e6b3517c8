"""The types of expressions, as the type checker compares and prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z_.@]+|<[A-Za-z0-9_]+>|[(),]")
_SHOWN = {
    "google.protobuf.Timestamp": "timestamp",
    "google.protobuf.Duration": "duration",
    "null_type": "null",
    "error": "!error!",
}


@dataclass(frozen=True, slots=True)
class Type:
    """A type.

    Attributes:
        name: such as ``int`` or ``list``; of a type parameter, ``<A>``.
        parameters: of a list, map, type or optional.
    """

    name: str
    parameters: tuple[Type, ...] = ()

    @property
    def is_parameter(self) -> bool:
        """The type is a parameter, which stands for any type."""
        return self.name.startswith("<")

    @property
    def is_dynamic(self) -> bool:
        """The type is known only when the expression is evaluated, or not at all after an error."""
        return self.name in ("dyn", "error")

    def __str__(self) -> str:
        """Return the type as an error of kube-apiserver prints it."""
        return _printed(self, _SHOWN)

    @property
    def full_name(self) -> str:
        """The type as kube-apiserver prints that of a whole expression."""
        return _printed(self, {})


def _printed(of: Type, names: dict[str, str]) -> str:
    name = names.get(of.name, of.name)
    if not of.parameters:
        return name
    return f"{name}({', '.join(_printed(each, names) for each in of.parameters)})"


DYN = Type("dyn")
ERROR = Type("error")
BOOL = Type("bool")
INT = Type("int")
STRING = Type("string")


MAX_PARTS = 64
"""The parts of a type; a larger one has dynamic parameters, so that no expression doubles it without end."""


def composed(name: str, *parameters: Type) -> Type:
    """Return a type with parameters."""
    if sum(map(_parts, parameters)) >= MAX_PARTS:
        return Type(name, (DYN,) * len(parameters))
    return Type(name, parameters)


def _parts(of: Type) -> int:
    return 1 + sum(map(_parts, of.parameters))


def list_of(item: Type) -> Type:
    """Return the type of a list with such items."""
    return composed("list", item)


def map_of(key: Type, value: Type) -> Type:
    """Return the type of a map with such keys and values."""
    return composed("map", key, value)


def optional_of(value: Type) -> Type:
    """Return the type of an optional value."""
    return composed("optional_type", value)


def unwrapped(of: Type) -> tuple[Type, bool]:
    """Return the type of the value in an optional, and whether it was one."""
    return (of.parameters[0], True) if of.name == "optional_type" else (of, False)


@lru_cache(maxsize=1024)
def parsed(text: str) -> Type:
    """Return the type that a text such as ``map(<K>, list(string))`` stands for."""
    found, rest = _parsed(_WORD.findall(text))
    if rest:
        raise ValueError(f"{text!r} is no type")
    return found


def _parsed(words: list[str]) -> tuple[Type, list[str]]:
    name, rest = words[0], words[1:]
    parameters = []
    if rest[:1] == ["("]:
        while rest[0] != ")":
            parameter, rest = _parsed(rest[1:])
            parameters.append(parameter)
        rest = rest[1:]
    return Type(name, tuple(parameters)), rest
