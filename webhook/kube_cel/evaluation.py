"""The evaluation of a syntax tree: each node becomes a function of the variables.

Errors are values of CEL in one respect: ``&&``, ``||``, ``all`` and ``exists`` absorb them when another
operand decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kube_cel import operators
from kube_cel.budget import Budget, OutOfBudget
from kube_cel.costs import FUNCTION_COSTS, OPERATOR_COSTS
from kube_cel.functions.table import FUNCTIONS
from kube_cel.loops import LOOPS, graver
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
    StructLiteral,
)
from kube_cel.values import (
    NONE,
    CelError,
    Duration,
    NestedTooDeeply,
    NoOverload,
    NoSuchKey,
    Optional,
    Struct,
    Timestamp,
    TypeValue,
    Unknown,
    UnknownValue,
    key_of,
    type_name,
    value_of,
)

Evaluate = Callable[["Scope"], Any]

_TYPES = frozenset(
    (
        "bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint",
        "optional_type", "google.protobuf.Timestamp", "google.protobuf.Duration", "kubernetes.Quantity",
        "kubernetes.URL", "net.IP", "net.CIDR", "kubernetes.Semver", "kubernetes.NamedFormat",
    )
)  # fmt: skip
_ZERO = {"google.protobuf.Duration": Duration(0), "google.protobuf.Timestamp": Timestamp(0)}


class Composed:
    """The variable ``variables``: its fields are computed when they are read."""

    type_name = "map"

    def field(self, name: str) -> Any:
        """Return the value of a variable.

        Raises:
            CelError: there is none of this name, or it has no value.
        """
        raise NotImplementedError


class Scope:
    """The variables of an evaluation, and its budget.

    Attributes:
        names: the variables, with those of the loops that are running.
    """

    __slots__ = ("budget", "names")

    def __init__(self, names: Mapping[str, Any], budget: Budget) -> None:
        self.names = dict(names)
        self.budget = budget


def compiled(node: Node) -> Evaluate:
    """Return the function that evaluates a node."""
    if isinstance(node, Call):
        return _compiler_of(node)(node)
    return _COMPILERS[type(node)](node)


def run(evaluate: Evaluate, scope: Scope) -> Any:
    """Evaluate a whole expression.

    Raises:
        CelError: it has no value; also if Python's stack does not hold its calls.
    """
    try:
        return evaluate(scope)
    except RecursionError:
        raise NestedTooDeeply(
            "it is nested too deeply, with the variables that it reads, to be evaluated here"
        ) from None


def _literal(node: Literal) -> Evaluate:
    value = node.value
    return lambda scope: value


def _name(node: Name) -> Evaluate:
    name = node.name.removeprefix(".")
    missing = TypeValue(name) if name in _TYPES else None

    def evaluate(scope: Scope) -> Any:
        scope.budget.spend()
        if name in scope.names:
            return known(scope.names[name])
        if missing is None:
            raise CelError(f"no such attribute(s): {name}")
        return missing

    return evaluate


def _select(node: Select) -> Evaluate:
    name = _dotted(node)
    if name in _TYPES:
        value = TypeValue(name)
        return lambda scope: value
    operand, field = compiled(node.operand), node.field
    read = _test if node.test else _optional_field if node.optional else _field

    def evaluate(scope: Scope) -> Any:
        scope.budget.spend()
        value = operand(scope)
        try:
            return known(read(value, field))
        except NoSuchKey as error:
            raise _placed(error, node) from None

    return evaluate


def _placed(error: NoSuchKey, node: Node) -> NoSuchKey:
    """Return an error with the place of the node that reads the part, unless it has one."""
    if error.at < 0:
        error.at = node.at
    return error


def known(value: Any) -> Any:
    """Return a value, if it is known.

    Raises:
        UnknownValue: it is not.
    """
    inner = value.value if isinstance(value, Optional) else value
    if isinstance(inner, Unknown):
        raise UnknownValue(inner.reason)
    return value


def _dotted(node: Node) -> str:
    parts: list[str] = []
    while isinstance(node, Select):
        parts.append(node.field)
        node = node.operand
    return ".".join((node.name, *reversed(parts))) if isinstance(node, Name) else ""


def _field(value: Any, field: str) -> Any:
    if isinstance(value, Struct):
        value = value.fields
    if isinstance(value, dict):
        if field in value:
            return value[field]
        raise NoSuchKey(value, field, field)
    if isinstance(value, Optional):
        return _optional_field(value, field)
    if isinstance(value, Composed):
        return value.field(field)
    if isinstance(value, list):
        raise CelError("unsupported index type 'string' in list")
    raise NoSuchKey(value, field, field)


def _optional_field(value: Any, field: str) -> Optional:
    if isinstance(value, Optional):
        return _optional_field(value.value, field) if value.present else NONE
    if isinstance(value, Struct):
        value = value.fields
    if isinstance(value, dict):
        return Optional(True, value[field]) if field in value else NONE
    if isinstance(value, Composed):
        return Optional(True, value.field(field))
    return NONE


def _test(value: Any, field: str) -> bool:
    if isinstance(value, Struct):
        value = value.fields
    if isinstance(value, dict):
        return field in value
    if isinstance(value, Optional):
        return bool(value.present and _test(value.value, field))
    return isinstance(value, Composed)


def _compiler_of(call: Call) -> Callable[[Call], Evaluate]:
    special = _SPECIAL.get((call.function, call.target is not None))
    if special is not None:
        return special
    if call.function in operators.BINARY:
        return _binary
    return _unary if call.function in operators.UNARY else _function


def _binary(node: Call) -> Evaluate:
    apply = operators.BINARY[node.function]
    one, other = map(compiled, node.arguments)
    builds, cost = node.function == "_+_", OPERATOR_COSTS.get(node.function)

    def evaluate(scope: Scope) -> Any:
        left, right = one(scope), other(scope)
        scope.budget.spend(1 if cost is None else cost(scope.budget, left, right))
        try:
            made = known(apply(left, right))
        except NoSuchKey as error:
            raise _placed(error, node) from None
        if builds:
            scope.budget.build(made)
        return made

    return evaluate


def _unary(node: Call) -> Evaluate:
    apply = operators.UNARY[node.function]
    operand = compiled(node.arguments[0])

    def evaluate(scope: Scope) -> Any:
        scope.budget.spend()
        return apply(operand(scope))

    return evaluate


def _logical(decisive: bool) -> Callable[[Call], Evaluate]:
    """Return the compiler of ``||`` or ``&&``: an operand that decides outweighs an error of another."""

    def compiler(node: Call) -> Evaluate:
        operands = tuple(map(compiled, node.arguments))

        def evaluate(scope: Scope) -> Any:
            failure: CelError | None = None
            for operand in operands:
                try:
                    value = operand(scope)
                except OutOfBudget:
                    raise
                except CelError as error:
                    failure = graver(failure, error)
                    continue
                if value is decisive:
                    return decisive
                if not isinstance(value, bool):
                    failure = failure or NoOverload()
            if failure is not None:
                raise failure
            return not decisive

        return evaluate

    return compiler


def _conditional(node: Call) -> Evaluate:
    test, chosen, other = map(compiled, node.arguments)

    def evaluate(scope: Scope) -> Any:
        value = test(scope)
        if value is True:
            return chosen(scope)
        if value is False:
            return other(scope)
        raise NoOverload

    return evaluate


def _or(node: Call) -> Evaluate:
    """Compile ``or`` and ``orValue`` of an optional, which evaluate the other when it is needed."""
    if node.target is None or len(node.arguments) != 1:
        return _function(node)
    operand, other = compiled(node.target), compiled(node.arguments[0])
    unwraps = node.function == "orValue"

    def evaluate(scope: Scope) -> Any:
        value = operand(scope)
        if not isinstance(value, Optional):
            raise NoOverload
        if value.present:
            return value.value if unwraps else value
        return other(scope)

    return evaluate


def _function(node: Call) -> Evaluate:
    name, parts = node.function, list(node.arguments)
    if node.target is not None:
        prefix = _dotted(node.target)
        if prefix and f"{prefix}.{name}" in FUNCTIONS:
            name = f"{prefix}.{name}"
        else:
            name, parts = f".{name}", [node.target, *parts]
    arguments = tuple(map(compiled, parts))
    function = FUNCTIONS.get(name)
    cost = FUNCTION_COSTS.get(name)

    def evaluate(scope: Scope) -> Any:
        values = [argument(scope) for argument in arguments]
        scope.budget.read(*values)
        if function is None:
            raise NoOverload
        if cost is not None:
            scope.budget.spend(cost(scope.budget, *values))
        try:
            made = function(*values)
        except TypeError:  # a call with another number of arguments
            raise NoOverload from None
        scope.budget.build(made)
        return made

    return evaluate


def _list(node: ListLiteral) -> Evaluate:
    items = [(compiled(item), index in node.optional) for index, item in enumerate(node.items)]

    def evaluate(scope: Scope) -> list[Any]:
        scope.budget.spend(1 + len(items))
        found = []
        for item, optional in items:
            value = item(scope)
            if not optional:
                found.append(value)
            elif not isinstance(value, Optional):
                raise CelError(_not_optional(value))
            elif value.present:
                found.append(value.value)
        return found

    return evaluate


def _not_optional(value: Any) -> str:
    return (
        f"cannot initialize optional list element from non-optional value {operators.shown(value)}"
    )


def _not_optional_entry(name: Any, value: Any) -> str:
    return (
        f"cannot initialize optional entry '{operators.shown(name)}' from non-optional value"
        f" {operators.shown(value)}"
    )


def _map(node: MapLiteral) -> Evaluate:
    entries = [
        (compiled(entry.key), compiled(entry.value), entry.optional) for entry in node.entries
    ]

    def evaluate(scope: Scope) -> dict[Any, Any]:
        scope.budget.spend(1 + len(entries))
        found: dict[Any, Any] = {}
        for key, value, optional in entries:
            name, made = key_of(key(scope)), value(scope)
            if isinstance(name, (list, dict, Optional, Struct)):
                raise CelError(f"unsupported key type: {type_name(name)}")
            if not optional:
                found[name] = made
            elif not isinstance(made, Optional):
                raise CelError(_not_optional_entry(name, made))
            elif made.present:
                found[name] = made.value
        return found

    return evaluate


def _struct(node: StructLiteral) -> Evaluate:
    zero = _ZERO.get(node.name)
    if zero is not None:
        return lambda scope: zero
    fields = [(field.name, compiled(field.value), field.optional) for field in node.fields]

    def evaluate(scope: Scope) -> Struct:
        scope.budget.spend(1 + len(fields))
        found: dict[str, Any] = {}
        for name, value, optional in fields:
            made = value(scope)
            if not optional:
                found[name] = made
            elif not isinstance(made, Optional):
                raise CelError(_not_optional_entry(name, made))
            elif made.present:
                found[name] = made.value
            else:
                found.pop(name, None)
        scope.budget.build(found)
        return Struct(node.name, found)

    return evaluate


def _loop(node: Loop) -> Evaluate:
    over = compiled(node.range)
    condition = None if node.condition is None else compiled(node.condition)
    body = None if node.body is None else compiled(node.body)
    names, run = node.names, LOOPS[node.macro]

    def evaluate(scope: Scope) -> Any:
        items = over(scope)
        if not isinstance(items, (list, dict)):
            raise CelError(f"got '{_go_type(items)}', expected iterable type")
        before = [(name, scope.names.get(name), name in scope.names) for name in names]
        try:
            return run(scope, _bound(scope, names, items), condition, body)
        finally:
            for name, value, was_there in before:
                if was_there:
                    scope.names[name] = value
                else:
                    scope.names.pop(name, None)

    return evaluate


def _bound(scope: Scope, names: tuple[str, ...], items: Any) -> Any:
    """Bind the variables of a loop to each item in turn; yield the key and the item."""
    keyed = isinstance(items, dict)
    pairs = items.items() if keyed else enumerate(items)
    for number, item in pairs:
        scope.budget.spend()
        key = value_of(number)
        if len(names) == 2:
            scope.names[names[0]], scope.names[names[1]] = key, item
            yield key, item
        else:
            scope.names[names[0]] = key if keyed else item
            yield key, key if keyed else item


def _go_type(value: Any) -> str:
    return f"types.{type_name(value).removesuffix('_type').capitalize()}"


def _optional_map(node: OptionalMap) -> Evaluate:
    operand, body, name, flat = compiled(node.operand), compiled(node.body), node.name, node.flat

    def evaluate(scope: Scope) -> Any:
        value = operand(scope)
        if not isinstance(value, Optional):
            raise NoOverload
        if not value.present:
            return NONE
        before, was_there = scope.names.get(name), name in scope.names
        scope.names[name] = value.value
        try:
            made = body(scope)
        finally:
            if was_there:
                scope.names[name] = before
            else:
                del scope.names[name]
        return made if flat else Optional(True, made)

    return evaluate


_SPECIAL: dict[tuple[str, bool], Callable[[Call], Evaluate]] = {
    ("_&&_", False): _logical(False),
    ("_||_", False): _logical(True),
    ("_?_:_", False): _conditional,
    ("or", True): _or,
    ("orValue", True): _or,
}

_COMPILERS: dict[type[Node], Callable[[Any], Evaluate]] = {
    Literal: _literal,
    Name: _name,
    Select: _select,
    ListLiteral: _list,
    MapLiteral: _map,
    StructLiteral: _struct,
    Loop: _loop,
    OptionalMap: _optional_map,
}
