"""The checks of constants: an API server refuses what would fail in every evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kube_cel.functions import formatting
from kube_cel.functions.conversions import FUNCTIONS, OF_CONSTANTS
from kube_cel.functions.strings import MissingLibrary, compiled
from kube_cel.nodes import Call, ListLiteral, Literal, Node, walk
from kube_cel.refusals import Refusal
from kube_cel.values import CelError, type_name

_SEARCHES = ("find", "findAll")


def bad_literals(
    expression: Node, type_of: Callable[[Node], str], *, formats: bool
) -> Iterator[Refusal]:
    """Yield each literal that a function cannot read: times, durations, patterns, formats.

    Args:
        expression: the whole expression.
        type_of: returns the name of the type of a node.
        formats: check the arguments of ``format``.
    """
    for node in walk(expression):
        if not isinstance(node, Call) or not node.arguments:
            continue
        argument = node.arguments[-1]
        if node.function in ("duration", "timestamp") and node.target is None:
            if isinstance(argument, Literal) and _fails(node.function, argument):
                yield _invalid(argument, node.function)
        elif node.function == "matches":
            if _is_bad_pattern(argument):
                yield _invalid(argument, node.function)
        elif formats and node.function == "format" and isinstance(node.target, Literal):
            yield from _unfilled(node, node.target, argument, type_of)


def failing_constants(expression: Node) -> Iterator[Refusal]:
    """Yield each conversion of a constant that fails, and each bad pattern."""
    for node in walk(expression):
        if not isinstance(node, Call) or not node.arguments:
            continue
        try:
            if node.target is None and node.function in OF_CONSTANTS:
                argument = _constant(node.arguments[0])
                if argument is not None:
                    FUNCTIONS[node.function](argument[0])
            elif node.function in _SEARCHES and isinstance(node.arguments[0], Literal):
                compiled(str(node.arguments[0].value))
        except MissingLibrary:
            continue
        except CelError as error:
            message = f"program instantiation failed: {error}"
            yield Refusal(node.at, "FailingConstant", message, node.function)


def _invalid(argument: Node, function: str) -> Refusal:
    return Refusal(argument.at, "InvalidLiteral", f"invalid {function} argument", function)


def _constant(node: Node) -> tuple[object] | None:
    """Return the value of a literal, also of one inside ``dyn``."""
    if isinstance(node, Call) and node.function == "dyn" and node.arguments:
        return _constant(node.arguments[0])
    if isinstance(node, Literal):
        return (node.value,)
    if isinstance(node, ListLiteral) and all(isinstance(item, Literal) for item in node.items):
        return ([item.value for item in node.items if isinstance(item, Literal)],)
    return None


def _fails(function: str, argument: Literal) -> bool:
    if not isinstance(argument.value, str):
        return False
    try:
        FUNCTIONS[function](argument.value)
    except CelError:
        return True
    return False


def _is_bad_pattern(argument: Node) -> bool:
    if not isinstance(argument, Literal) or not isinstance(argument.value, str):
        return False
    try:
        compiled(argument.value)
    except MissingLibrary:
        return False
    except CelError:
        return True
    return False


def _unfilled(
    call: Call, template: Literal, values: Node, type_of: Callable[[Node], str]
) -> Iterator[Refusal]:
    """Yield what is wrong with the arguments of ``format``, if both template and list are literals."""
    if not isinstance(template.value, str) or not isinstance(values, ListLiteral):
        return
    try:
        letters = [letter for letter, _ in formatting.clauses(template.value)]
    except formatting.BadClause as error:
        yield Refusal(call.at, "InvalidFormat", str(error))
        return
    for index, letter in enumerate(letters):
        if index >= len(values.items):
            yield Refusal(call.at, "InvalidFormat", f"index {index} out of range")
            return
        item = values.items[index]
        type_ = type_name(item.value) if isinstance(item, Literal) else type_of(item)
        if type_ not in ("dyn", "error") and type_ not in formatting.FITTING[letter]:
            yield Refusal(item.at, "InvalidFormat", formatting.unfit(letter, type_))
            return
    if len(letters) < len(values.items):
        yield Refusal(
            call.at,
            "InvalidFormat",
            "too many arguments supplied to string.format "
            f"(expected {len(letters)}, got {len(values.items)})",
        )
