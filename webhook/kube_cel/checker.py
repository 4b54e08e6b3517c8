"""The type checker: whether a release accepts an expression, and its type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_cel.environment import FIELDS, Environment, Overload, is_object_type
from kube_cel.nodes import (
    Call,
    ListLiteral,
    Literal,
    Loop,
    MapLiteral,
    Name,
    Node,
    OptionalMap,
    Select,
    StructField,
    StructLiteral,
    children,
)
from kube_cel.refusals import Kind, Refusal
from kube_cel.types import (
    BOOL,
    DYN,
    ERROR,
    INT,
    Substitutions,
    Type,
    list_of,
    map_of,
    most_general,
    optional_of,
    parsed,
    unwrapped,
)
from kube_cel.values import type_name

_TIMES = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration"}


class Checker:
    """Infers the types of an expression's parts, and collects what is wrong.

    Attributes:
        errors: what is wrong.
        literals: the lists and maps of the expression, each with the types of its parts: the items, or the
            keys and the values.
    """

    def __init__(
        self,
        environment: Environment,
        variables: Mapping[str, Type],
        composed: Mapping[str, Type] | None = None,
        messages: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        """Begin.

        Args:
            environment: the functions and macros of a release.
            variables: the types of the variables.
            composed: the types of the fields of ``variables``, if there are any.
            messages: further message types, each with the types of its fields.
        """
        self._environment = environment
        self._variables = dict(variables)
        self._composed = composed or {}
        self._messages = {**FIELDS, **(messages or {})}
        self._substitutions = Substitutions()
        self.errors: list[Refusal] = []
        self.literals: list[tuple[Node, tuple[Sequence[tuple[int, Type]], ...]]] = []
        self._types: dict[int, Type] = {}

    def type_of(self, expression: Node) -> Type:
        """Return the type of a whole expression; type parameters that nothing determines are dynamic."""
        return self._substitutions.resolved(self._check(expression), free=DYN)

    def _check(self, node: Node) -> Type:
        found = self._types[id(node)] = _CHECKS[type(node)](self, node)
        return found

    def type_name_of(self, node: Node) -> str:
        """Return the name of the type of a part of the expression, without its parameters."""
        return self.resolved(self._types[id(node)]).name

    def _error(self, at: int, kind: Kind, message: str, name: str = "") -> Type:
        self.errors.append(Refusal(at, kind, message, name))
        return ERROR

    def _undeclared(self, at: int, kind: Kind, name: str) -> Type:
        return self._error(at, kind, f"undeclared reference to '{name}' (in container '')", name)

    def _mismatch(self, at: int, wanted: Type, found: Type) -> Type:
        self.errors.append(mismatch(at, wanted, found))
        return ERROR

    def _no_overload(self, at: int, name: str, applied: str) -> Type:
        message = f"found no matching overload for '{name}' applied to '{applied}'"
        return self._error(at, "NoOverload", message, name)

    # Constants, names and members

    def _literal(self, node: Literal) -> Type:
        return Type(type_name(node.value))

    def _name(self, node: Name) -> Type:
        found = self._found(node.name.removeprefix("."))
        return (
            self._undeclared(node.at, "UndeclaredVariable", node.name) if found is None else found
        )

    def _found(self, name: str) -> Type | None:
        known = self._variables.get(name) or self._environment.types.get(name)
        if known is None and self._makes(name):
            return Type("type", (Type(name),))
        return known

    def _makes(self, name: str) -> bool:
        """Return True for the name of a message that expressions may make."""
        return self._environment.patches and (name == "JSONPatch" or is_object_type(name))

    def _select(self, node: Select) -> Type:
        """Return the type of the last member of a chain such as ``object.spec.template``."""
        chain: list[Select] = []
        inner: Node = node
        found: Type | None = None
        while found is None and isinstance(inner, Select):
            found = self._qualified(inner)
            if found is None:
                chain.append(inner)
                inner = inner.operand
        found = self._types[id(inner)] = found or self._check(inner)
        for each in reversed(chain):
            found = self._types[id(each)] = self._field(each, found)
        return found

    def _qualified(self, node: Select) -> Type | None:
        """Return the type of a qualified name such as ``authorizer.requestResource``."""
        name = None if node.test or node.optional else qualified(node)
        return None if name is None else self._found(name)

    def _field(self, node: Select, operand: Type) -> Type:
        target, was_optional = unwrapped(self._substitutions.resolved(operand))
        result = self._member(node, target)
        if node.test:
            return BOOL
        if was_optional or node.optional:
            result = optional_of(result)
        return self._substitutions.resolved(result)

    def _member(self, node: Select, target: Type) -> Type:
        if target.name == "map":
            return target.parameters[1]
        if target.name in self._messages or target.name == "kubernetes.variables":
            return self._of_message(node, target.name)
        if target.is_parameter:
            self._substitutions.assign((DYN,), (target,))
        elif not target.is_dynamic and not is_object_type(target.name):
            self._error(
                node.at, "NoFieldSelection", f"type '{target}' does not support field selection"
            )
        return DYN

    def _of_message(self, node: Select, message: str) -> Type:
        if message == "kubernetes.variables":
            found = self._composed.get(node.field)
        else:
            text = self._messages[message].get(node.field)
            found = None if text is None else _field_type(text)
        if found is None:
            return self._error(
                node.at, "UndefinedField", f"undefined field '{node.field}'", node.field
            )
        return found

    # Calls

    def _call(self, node: Call) -> Type:
        arguments = [*map(self._check, node.arguments)]
        if node.function in ("_&&_", "_||_"):
            return self._logical(node, arguments)
        functions = self._environment.functions
        if node.target is None:
            if node.function not in functions:
                return self._undeclared(node.at, "UndeclaredFunction", node.function)
            return self._resolved(node.at, node.function, None, arguments)
        prefix = qualified(node.target)
        name = f"{prefix}.{node.function}"
        if prefix is not None and name in functions:
            return self._resolved(node.at, name, None, arguments)
        target = self._check(node.target)
        if node.function not in functions:
            return self._undeclared(node.at, "UndeclaredFunction", node.function)
        return self._resolved(node.at, node.function, target, arguments)

    def _logical(self, node: Call, arguments: Sequence[Type]) -> Type:
        result = BOOL
        for argument, found in zip(node.arguments, arguments, strict=True):
            if not self._substitutions.assign((found,), (BOOL,)):
                result = self._mismatch(argument.at, BOOL, found)
        return result

    def _resolved(self, at: int, name: str, target: Type | None, arguments: Sequence[Type]) -> Type:
        given = (target, *arguments) if target is not None else tuple(arguments)
        result: Type | None = None
        for overload in self._environment.functions[name]:
            if overload.member == (target is not None):
                made = self._matched(overload, given)
                if made is None:
                    continue
                if result is None:
                    result = made
                elif result not in (DYN, made):
                    result = DYN
        if result is None:
            shown = [str(self._substitutions.resolved(each, free=DYN)) for each in given]
            receiver = f"{shown.pop(0)}." if target is not None else ""
            applied = f"{receiver}({', '.join(shown)})"
            return self._no_overload(at, name, applied)
        return result

    def _matched(self, overload: Overload, given: Sequence[Type]) -> Type | None:
        *wanted, result = self._substitutions.instantiated((*overload.arguments, overload.result))
        if not self._substitutions.assign(given, wanted):
            return None
        return self._substitutions.resolved(result)

    # Lists and maps

    def _list(self, node: ListLiteral) -> Type:
        items = [
            (item.at, self._given(item, index in node.optional))
            for index, item in enumerate(node.items)
        ]
        self.literals.append((node, (items,)))
        return list_of(self._joined(items))

    def _map(self, node: MapLiteral) -> Type:
        keys = [(entry.key.at, self._check(entry.key)) for entry in node.entries]
        values = [
            (entry.value.at, self._given(entry.value, entry.optional)) for entry in node.entries
        ]
        self.literals.append((node, (keys, values)))
        return map_of(self._joined(keys), self._joined(values))

    def _given(self, item: Node, optional: bool) -> Type:
        found = self._check(item)
        if not optional:
            return found
        inner, was_optional = unwrapped(found)
        if not was_optional and inner != DYN:
            self._mismatch(item.at, optional_of(inner), inner)
        return inner

    def _joined(self, parts: Sequence[tuple[int, Type]]) -> Type:
        """Return the type of all parts; dynamic if they differ."""
        joined: Type | None = None
        for _, found in parts:
            if joined is None:
                joined = found
            elif self._substitutions.assign((joined,), (found,)):
                joined = most_general(joined, found)
            else:
                joined = DYN
        return self._substitutions.fresh() if joined is None else joined

    def resolved(self, of: Type) -> Type:
        """Return a type as it is when all is inferred."""
        return self._substitutions.resolved(of, free=DYN)

    def _struct(self, node: StructLiteral) -> Type:
        if node.name in _TIMES.values() and not node.fields:
            return Type(node.name)
        if not self._makes(node.name):
            return self._undeclared(node.at, "UndeclaredVariable", node.name)
        for field in node.fields:
            given = self._given(field.value, field.optional)
            wanted = self._type_of_field(node, field)
            if not self._substitutions.assign((given,), (wanted,)):
                shown = self._substitutions.resolved(given, free=DYN)
                message = (
                    f"expected type of field '{field.name}' is '{wanted}' "
                    f"but provided type is '{shown}'"
                )
                self._error(field.at, "TypeMismatch", message, field.name)
        return Type(node.name)

    def _type_of_field(self, node: StructLiteral, field: StructField) -> Type:
        if is_object_type(node.name):
            return DYN
        text = FIELDS[node.name].get(field.name)
        if text is None:
            message = f"undefined field '{field.name}'"
            return self._error(field.at, "UndefinedField", message, field.name)
        return _field_type(text)

    # Macros

    def _loop(self, node: Loop) -> Type:
        key, item = self._iterated(node)
        types = (key, item) if len(node.names) == 2 else (item,)
        before = self._variables
        self._variables = {**before, **dict(zip(node.names, types, strict=True))}
        result = self._loop_result(node, key, item)
        self._variables = before
        return result

    def _iterated(self, node: Loop) -> tuple[Type, Type]:
        """Return the types of the first variable of two, and of the second or only one."""
        over = self._substitutions.resolved(self._check(node.range))
        if over.name == "list":
            return INT, over.parameters[0]
        if over.name == "map":
            key, value = over.parameters
            return key, value if len(node.names) == 2 else key
        if over.is_parameter:
            self._substitutions.assign((DYN,), (over,))
        elif not over.is_dynamic:
            self._error(
                node.range.at,
                "NotIterable",
                f"expression of type '{over}' cannot be range of a comprehension "
                "(must be list, map, or dynamic)",
            )
            return ERROR, ERROR
        return DYN, DYN

    def _loop_result(self, node: Loop, key: Type, item: Type) -> Type:
        if node.macro == "sortBy":
            return self._sorted(node, item)
        quantified = node.macro in ("all", "exists")
        chosen = BOOL if quantified else self._collected(node, key, item)
        if node.condition is not None:
            found = self._check(node.condition)
            if not quantified:
                self._chosen(node, found, chosen)
            elif not self._substitutions.assign((found,), (BOOL,)):
                self._mismatch(node.condition.at, BOOL, found)
        if node.macro in ("exists_one", "existsOne"):
            return BOOL
        return self._substitutions.resolved(chosen)

    def _chosen(self, node: Loop, condition: Type, chosen: Type) -> None:
        """Report a condition that is not a boolean, as the conditional operator that the macro stands for."""
        if not self._substitutions.assign((condition,), (BOOL,)):
            shown = f"{self._substitutions.resolved(condition, free=DYN)}, {chosen}, {chosen}"
            self._no_overload(node.at, "_?_:_", f"({shown})")

    def _collected(self, node: Loop, key: Type, item: Type) -> Type:
        if node.macro in ("exists_one", "existsOne"):
            return INT
        if node.body is None:
            return list_of(item)
        body = self._check(node.body)
        if node.macro in ("map", "transformList"):
            return list_of(body)
        if node.macro == "transformMap":
            return map_of(key, body)
        return self._resolved_entry(node, body)

    def _resolved_entry(self, node: Loop, entry: Type) -> Type:
        found = self._substitutions.resolved(entry)
        if found.name == "map" or found.is_dynamic:
            return found
        made = map_of(self._substitutions.fresh(), self._substitutions.fresh())
        shown = f"{self._substitutions.resolved(made, free=DYN)}, {found}"
        return self._no_overload(node.at, "cel.@mapInsert", f"({shown})")

    def _sorted(self, node: Loop, item: Type) -> Type:
        if node.body is not None:
            found = self._substitutions.resolved(self._check(node.body))
            if not (found.is_dynamic or found.is_parameter or found.name in _SORTABLE):
                shown = f"list({item}).(list({found}))"
                self._no_overload(node.at, "@sortByAssociatedKeys", shown)
        return list_of(item)

    def _optional_map(self, node: OptionalMap) -> Type:
        operand = self._substitutions.resolved(self._check(node.operand))
        inner, was_optional = unwrapped(operand)
        if not was_optional and not operand.is_dynamic:
            self._no_overload(node.at, "hasValue", f"{operand}.()")
        before = self._variables
        self._variables = {**before, node.name: inner if was_optional else DYN}
        body = self._check(node.body)
        self._variables = before
        if not node.flat:
            return optional_of(body)
        wanted = optional_of(self._substitutions.fresh())
        if not self._substitutions.assign((body,), (wanted,)):
            shown = f"bool, {self._substitutions.resolved(body, free=DYN)}, optional_type(dyn)"
            return self._no_overload(node.at, "_?_:_", f"({shown})")
        return self._substitutions.resolved(wanted)


def mismatch(at: int, wanted: Type, found: Type) -> Refusal:
    """Return the refusal of a part that has another type than it must."""
    return Refusal(at, "TypeMismatch", f"expected type '{wanted}' but found '{found}'")


_SORTABLE = frozenset(
    (
        "bool", "int", "uint", "double", "string", "bytes", "google.protobuf.Timestamp",
        "google.protobuf.Duration",
    )
)  # fmt: skip

_CHECKS: dict[type[Node], Callable[[Checker, Any], Type]] = {
    Literal: Checker._literal,
    Name: Checker._name,
    Select: Checker._select,
    Call: Checker._call,
    ListLiteral: Checker._list,
    MapLiteral: Checker._map,
    StructLiteral: Checker._struct,
    Loop: Checker._loop,
    OptionalMap: Checker._optional_map,
}


def qualified(node: Node) -> str | None:
    """Return the name ``a.b.c`` that members of a name make; None if it is no such chain."""
    parts: list[str] = []
    while isinstance(node, Select) and not node.test and not node.optional:
        parts.append(node.field)
        node = node.operand
    if not isinstance(node, Name):
        return None
    return ".".join((node.name, *reversed(parts)))


def _field_type(text: str) -> Type:
    found = parsed(text)
    return Type(_TIMES.get(found.name, found.name), found.parameters)


def mixed_literals(expression: Node, checker: Checker) -> Iterator[Refusal]:
    """Yield each part whose type differs from that of the first.

    Args:
        expression: the whole expression.
        checker: it has inferred the types of the expression.
    """
    exempt = set(_exempt(expression))
    for literal, groups in checker.literals:
        if id(literal) in exempt:
            continue
        for parts in groups:
            types = [(at, checker.resolved(of)) for at, of in parts]
            for at, of in types[1:]:
                if of != types[0][1]:
                    yield mismatch(at, types[0][1], of)


def _exempt(expression: Node) -> Iterator[int]:
    """Yield the identities of the literals inside the arguments of ``format``."""
    rest = [(expression, False)]
    while rest:
        node, inside = rest.pop()
        if inside and isinstance(node, (ListLiteral, MapLiteral)):
            yield id(node)
        arguments = node.arguments if isinstance(node, Call) and node.function == "format" else ()
        for child in children(node):
            rest.append((child, inside or any(child is each for each in arguments)))
