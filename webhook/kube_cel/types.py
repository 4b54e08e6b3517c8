"""The types of expressions, as the type checker compares and prints them, and what type parameters stand for
(cel-spec, doc/langdef.md, "Gradual Type Checking").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
        raise ValueError(f"{text!r} is not a type")
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


_MAY_BE_NULL = ("google.protobuf.Timestamp", "google.protobuf.Duration", "null_type")
_WITHOUT_PARAMETERS = frozenset(("bool", "int", "uint", "double", "string", "bytes"))


class Substitutions:
    """The type that each type parameter stands for, as far as it is known."""

    def __init__(self) -> None:
        self._found: dict[Type, Type] = {}
        self._before: list[tuple[Type, Type | None]] = []
        self._fresh = 0

    def fresh(self) -> Type:
        """Return a new type parameter."""
        self._fresh += 1
        return Type(f"<_{self._fresh}>")

    def instantiated(self, types: Sequence[Type]) -> tuple[Type, ...]:
        """Return types with new parameters for theirs, the same one for the same."""
        renamed: dict[Type, Type] = {}

        def renewed(each: Type) -> Type:
            if each.is_parameter:
                if each not in renamed:
                    renamed[each] = self.fresh()
                return renamed[each]
            return Type(each.name, tuple(map(renewed, each.parameters)))

        return tuple(map(renewed, types))

    def resolved(self, of: Type, *, free: Type | None = None) -> Type:
        """Return a type with its known parameters replaced, and the unknown ones by `free` if it is given."""
        while of.is_parameter:
            bound = self._found.get(of)
            if bound is None:
                return of if free is None else free
            of = bound
        if not of.parameters:
            return of
        return composed(of.name, *(self.resolved(each, free=free) for each in of.parameters))

    def assign(self, given: Sequence[Type], wanted: Sequence[Type]) -> bool:
        """Return True if values of the given types may be used for the wanted ones, and keep what follows."""
        self._before.clear()
        if len(given) == len(wanted) and all(map(self._assign, given, wanted)):
            return True
        for parameter, bound in reversed(self._before):
            if bound is None:
                del self._found[parameter]
            else:
                self._found[parameter] = bound
        return False

    def _keep(self, parameter: Type, to: Type) -> None:
        self._before.append((parameter, self._found.get(parameter)))
        self._found[parameter] = to

    def _assign(self, given: Type, wanted: Type) -> bool:
        if wanted.is_parameter:
            bound = wanted in self._found
            if self._bind(wanted, given):
                return True
            if bound:
                return False
        if given.is_parameter:
            return self._bind(given, wanted)
        if given.is_dynamic or wanted.is_dynamic:
            return True
        if "null_type" in (given.name, wanted.name):
            return _may_be_null(wanted if given.name == "null_type" else given)
        if given.name == "type":
            return wanted.name == "type"
        return (
            given.name == wanted.name
            and len(given.parameters) == len(wanted.parameters)
            and all(map(self._assign, given.parameters, wanted.parameters))
        )

    def _bind(self, parameter: Type, to: Type) -> bool:
        if parameter == to:
            return True
        bound = self._found.get(parameter)
        if bound is None:
            if self._occurs(parameter, to):
                return False
            self._keep(parameter, to)
            return True
        if bound == to:
            return True
        if not self._assign(to, bound):
            return False
        general = most_general(to, bound)
        if not self._occurs(parameter, general):
            self._keep(parameter, general)
        return True

    def _occurs(self, parameter: Type, within: Type) -> bool:
        if parameter == within:
            return True
        if within.is_parameter:
            bound = self._found.get(within)
            return bound is not None and self._occurs(parameter, bound)
        return any(self._occurs(parameter, each) for each in within.parameters)


def most_general(one: Type, other: Type) -> Type:
    """Return the more general of two types that agree: the one that leaves more to the evaluation."""
    return one if _not_more_specific(one, other) else other


def _not_more_specific(one: Type, other: Type) -> bool:
    if one == DYN or one.is_parameter:
        return True
    if other == DYN or other.is_parameter:
        return False
    return one.name == other.name and all(
        _not_more_specific(first, second)
        for first, second in zip(one.parameters, other.parameters, strict=False)
    )


def _may_be_null(of: Type) -> bool:
    """Return True for null and what a message holds by reference: times, and the types of the libraries."""
    if of.name in _MAY_BE_NULL:
        return True
    return of.name not in _WITHOUT_PARAMETERS and of.name not in ("list", "map", "type")
