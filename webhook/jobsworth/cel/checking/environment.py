"""The functions, macros and variables of a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from jobsworth.cel.checking import libraries
from jobsworth.cel.checking.structures import NAMESPACE, REQUEST
from jobsworth.cel.checking.types import BOOL, DYN, Type, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMES = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration"}
_TYPE_NAMES = (
    "bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint", "dyn",
    "optional_type", "google.protobuf.Timestamp", "google.protobuf.Duration", "kubernetes.Quantity",
    "kubernetes.URL", "net.IP", "net.CIDR", "kubernetes.Semver", "kubernetes.NamedFormat",
)  # fmt: skip

VARIABLES: Mapping[str, Type] = {
    "object": DYN,
    "oldObject": DYN,
    "request": Type(REQUEST),
    "namespaceObject": Type(NAMESPACE),
}
"""The variables of every expression of an admission policy."""


@dataclass(frozen=True, slots=True)
class Overload:
    """A variant of a function.

    Attributes:
        member: it is called on its first argument.
        arguments: their types, with that of the value that it is called on.
        result: the type of what it returns.
    """

    member: bool
    arguments: tuple[Type, ...]
    result: Type


@dataclass(frozen=True, slots=True)
class Environment:
    """The functions and macros of a release.

    Attributes:
        release: such as ``1.33``.
        functions: the variants by the name of the function; of an operator, ``_+_``.
        macros: names and numbers of arguments.
        types: the names that stand for types.
        quoted_names: members may be written between backticks.
        checks_formats: the arguments of ``format`` are checked.
    """

    release: str
    functions: Mapping[str, tuple[Overload, ...]]
    macros: frozenset[tuple[str, int]]
    types: Mapping[str, Type]
    quoted_names: bool
    checks_formats: bool


OLDEST_RELEASE, NEWEST_RELEASE = "1.30", "1.38"
"""The releases whose functions are known: ValidatingAdmissionPolicy is stable since 1.30."""

JOB_POLICY = "JobPolicy"
"""The environment of a JobPolicy's expressions: that of the newest release, and some functions more."""


@lru_cache(maxsize=16)
def environment(release: str) -> Environment:
    """Return the environment of a release of Kubernetes, such as ``1.33``, or that of a JobPolicy.

    Before the oldest known release it is that of the oldest.
    """
    number = _number(NEWEST_RELEASE if release == JOB_POLICY else release)
    number = max(number, _number(OLDEST_RELEASE))
    found: dict[str, list[Overload]] = {}
    texts = [libraries.OPERATORS, libraries.NOT_IN_KUBERNETES if release == JOB_POLICY else ""]
    texts += [
        library.signatures for library in libraries.LIBRARIES if _number(library.since) <= number
    ]
    for text in texts:
        for line in text.split("\n"):
            if line.strip():
                _declare(found, line.strip())
    for operator in libraries.COMPARISONS:
        for one, other in _compared():
            found.setdefault(operator, []).append(Overload(False, (_type(one), _type(other)), BOOL))
    macros = {
        macro
        for since, each in libraries.MACROS.items()
        if _number(since) <= number
        for macro in each
    }
    types = {name: Type("type", (Type(name),)) for name in _TYPE_NAMES}
    if number < _number(libraries.TYPE_OF_OPTIONALS_SINCE):
        del types["optional_type"]
    return Environment(
        release,
        {name: tuple(each) for name, each in found.items()},
        frozenset(macros),
        types,
        quoted_names=number >= _number(libraries.QUOTED_NAMES_SINCE),
        checks_formats=number >= _number(libraries.FORMATS_CHECKED_SINCE),
    )


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])


def _compared() -> list[tuple[str, str]]:
    same = [(each, each) for each in libraries.ORDERED]
    return same + [
        (one, other) for one, other in product(libraries.NUMBERS, repeat=2) if one != other
    ]


def _declare(found: dict[str, list[Overload]], line: str) -> None:
    """Add a line such as ``string.charAt(int) -> string`` or ``strings.quote(string) -> string``."""
    called, _, result = line.rpartition(" -> ")
    depth = 0
    for at in range(len(called) - 1, -1, -1):  # the bracket that opens the arguments
        depth += {")": 1, "(": -1}.get(called[at], 0)
        if depth == 0:
            break
    name, arguments = called[:at], _split(called[at + 1 : -1])
    receiver, _, method = name.rpartition(".")
    member = bool(receiver) and receiver not in _NAMESPACES
    if member:
        name, arguments = method, [receiver, *arguments]
    types = tuple(map(_type, arguments))
    found.setdefault(name, []).append(Overload(member, types, _type(result)))


_NAMESPACES = ("strings", "sets", "optional", "lists", "format", "ip", "math")


def _split(arguments: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, character in enumerate(arguments):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(arguments[start:at].strip())
            start = at + 1
    rest = arguments[start:].strip()
    return [*parts, rest] if rest else parts


def _type(text: str) -> Type:
    return _named(parsed(text))


def _named(of: Type) -> Type:
    name = _TIMES.get(of.name, of.name)
    if name.startswith("authorization."):
        name = f"kubernetes.{name}"
    return Type(name, tuple(map(_named, of.parameters)))
