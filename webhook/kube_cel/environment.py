"""The functions, macros, variables and messages of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from kube_cel import libraries
from kube_cel.types import BOOL, DYN, Type, parsed

REQUEST = "kubernetes.AdmissionRequest"
NAMESPACE = "kubernetes.Namespace"
COMPOSED = "kubernetes.variables"

_KIND = "kubernetes.GroupVersionKind"
_RESOURCE = "kubernetes.GroupVersionResource"
_TEXTS = "map(string, string)"

FIELDS: dict[str, dict[str, str]] = {
    REQUEST: {
        "kind": _KIND,
        "resource": _RESOURCE,
        "subResource": "string",
        "requestKind": _KIND,
        "requestResource": _RESOURCE,
        "requestSubResource": "string",
        "name": "string",
        "namespace": "string",
        "operation": "string",
        "userInfo": "kubernetes.UserInfo",
        "dryRun": "bool",
        "options": "dyn",
    },
    _KIND: {"group": "string", "version": "string", "kind": "string"},
    _RESOURCE: {"group": "string", "version": "string", "resource": "string"},
    "kubernetes.UserInfo": {
        "username": "string",
        "uid": "string",
        "groups": "list(string)",
        "extra": "map(string, list(string))",
    },
    NAMESPACE: {
        "metadata": "kubernetes.NamespaceMetadata",
        "spec": "kubernetes.NamespaceSpec",
        "status": "kubernetes.NamespaceStatus",
    },
    "kubernetes.NamespaceMetadata": {
        "name": "string",
        "generateName": "string",
        "namespace": "string",
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "UID": "string",
        "creationTimestamp": "timestamp",
        "deletionGracePeriodSeconds": "int",
        "deletionTimestamp": "timestamp",
        "generation": "int",
        "resourceVersion": "string",
        "finalizers": "list(string)",
    },
    "kubernetes.NamespaceSpec": {"finalizers": "list(string)"},
    "kubernetes.NamespaceStatus": {
        "conditions": "list(kubernetes.NamespaceCondition)",
        "phase": "string",
    },
    "JSONPatch": {"op": "string", "path": "string", "from": "string", "value": "dyn"},
    "kubernetes.NamespaceCondition": {
        "status": "string",
        "type": "string",
        "lastTransitionTime": "timestamp",
        "message": "string",
        "reason": "string",
    },
}
"""The types of the fields, by the message (``BuildRequestType`` and so on in k8s.io/apiserver)."""


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
        patches: expressions may make objects and JSON patches.
    """

    release: str
    functions: Mapping[str, tuple[Overload, ...]]
    macros: frozenset[tuple[str, int]]
    types: Mapping[str, Type]
    quoted_names: bool
    checks_formats: bool
    patches: bool


OLDEST_RELEASE, NEWEST_RELEASE = "1.30", "1.38"
"""The releases whose functions are known: ValidatingAdmissionPolicy is stable since 1.30."""

JOB_POLICY = "JobPolicy"
"""The environment of a JobPolicy's expressions: that of the newest release, and some functions more."""


@lru_cache(maxsize=16)
def environment(release: str, *, patches: bool = False) -> Environment:
    """Return the environment of a release of Kubernetes, such as ``1.33``, or that of a JobPolicy.

    Before the oldest known release it is that of the oldest.

    Args:
        release: the release, or ``JobPolicy``.
        patches: with what the mutations of a MutatingAdmissionPolicy may use in addition.
    """
    number = _minor_of(NEWEST_RELEASE if release == JOB_POLICY else release)
    number = max(number, _minor_of(OLDEST_RELEASE))
    found: dict[str, list[Overload]] = {}
    texts = [libraries.OPERATORS, libraries.NOT_IN_KUBERNETES if release == JOB_POLICY else ""]
    texts += [libraries.OF_PATCHES] if patches else []
    texts += [
        library.signatures for library in libraries.LIBRARIES if _minor_of(library.since) <= number
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
        if _minor_of(since) <= number
        for macro in each
    }
    types = {name: Type("type", (Type(name),)) for name in _TYPE_NAMES}
    if number < _minor_of(libraries.TYPE_OF_OPTIONALS_SINCE):
        del types["optional_type"]
    return Environment(
        release,
        {name: tuple(each) for name, each in found.items()},
        frozenset(macros),
        types,
        quoted_names=number >= _minor_of(libraries.QUOTED_NAMES_SINCE),
        checks_formats=number >= _minor_of(libraries.FORMATS_CHECKED_SINCE),
        patches=patches,
    )


def is_object_type(name: str) -> bool:
    """Return True for the type of an object or of a part of it: ``Object``, ``Object.spec``."""
    return name == "Object" or name.startswith("Object.")


def _minor_of(release: str) -> tuple[int, ...]:
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


_NAMESPACES = ("strings", "sets", "optional", "lists", "format", "ip", "math", "jsonpatch")


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
