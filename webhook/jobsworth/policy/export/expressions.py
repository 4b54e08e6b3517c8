"""The CEL expressions of a policy for Jobs, and the parts of an object that each of them reads.

For CronJobs, ``object`` becomes a variable with the Job that the CronJob creates.

An expression that reads the same parts has the same value for both, or none for both. An update that changes
none of them therefore causes no violation that the stored object does not have. CEL can compare the parts,
while it cannot ask if an expression has a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from jobsworth.policy.cel.expressions import field_in
from jobsworth.policy.cel.programs import CRON_JOB_VARIABLES, advice
from jobsworth.policy.export.cel_text import HOLE, Condition, all_of, any_of, literal, negated
from jobsworth.policy.export.object_view import IS_UPDATE, JOB, JOB_VARIABLES, OLD_JOB
from jobsworth.policy.export.requirement import NotExpressible, Requirement, wording
from jobsworth.policy.violation import EXPRESSION_FALSE
from kube_cel.compiling import Returned, compile_expression
from kube_cel.nodes import (
    Call,
    ListLiteral,
    Literal,
    Loop,
    Name,
    Node,
    Select,
    bound_names,
    children,
    walk,
)
from kube_cel.refusals import Refused

OBJECT, STORED = "object", "oldObject"
_READ = (OBJECT, "cronJob")
"""The variables that differ between the evaluation of an object and that of the stored one."""

_NO_CRON_JOB = "dyn(null)"
_OF_JOB = {"cronJob": _NO_CRON_JOB, "oldCronJob": _NO_CRON_JOB}
_OF_CRON_JOB = {OBJECT: JOB, STORED: OLD_JOB, "cronJob": OBJECT, "oldCronJob": STORED}
_OF_STORED_JOB = {**_OF_JOB, OBJECT: STORED}
_OF_STORED_CRON_JOB = {OBJECT: OLD_JOB, STORED: OLD_JOB, "cronJob": STORED, "oldCronJob": STORED}
"""What the variables of a policy are in an admission policy, by name; the others keep their name."""

_INDEXES = ("_[_]", "_[?_]")
_NULL = "dyn(null)"


def of_expression(expression: Mapping[str, str], kind: str, minor: int) -> Requirement:
    """Return the requirement that an expression is true, or was false for the stored object, too.

    Args:
        expression: its entry in the policy.
        kind: ``Job`` or ``CronJob``: the kind of the objects.
        minor: the minor version of the oldest release that must accept the result.

    Raises:
        NotExpressible: the API server does not accept the expression.
    """
    condition = expression["expression"]
    of_new, of_stored = (
        (_OF_JOB, _OF_STORED_JOB) if kind == "Job" else (_OF_CRON_JOB, _OF_STORED_CRON_JOB)
    )
    _check(f"{_operand(condition)} == true", "bool", minor)
    made = expression.get("messageExpression")
    same = []
    field = field_in(kind, expression.get("field", ""))
    if made is None:
        fixed = expression.get("message") or f"failed expression: {condition.strip()}"
        text = wording(field, fixed, EXPRESSION_FALSE, "")
    else:
        _check(f"string({_operand(made)})", "string", minor)
        new = f"string({_operand(_renamed(made, of_new, minor))})"
        same = [f"{new} == string({_operand(_renamed(made, of_stored, minor))})"]
        text = wording(field, HOLE, EXPRESSION_FALSE, "", _on_one_line(new))
    was_false = f"{_operand(_renamed(condition, of_stored, minor))} == false"
    known = all_of([IS_UPDATE, was_false, *same])
    also = [] if made is None else [made]
    violated: Condition = False
    for part in _conjuncts(condition, minor):
        is_true = f"{_operand(_renamed(part, of_new, minor))} == true"
        may_be_new = _may_be_new([part, *also], of_new, of_stored, minor)
        violated = any_of([violated, all_of([may_be_new, negated(is_true)])])
    return Requirement(
        violated=all_of([violated, negated(known)]),
        text=text,
        variables=JOB_VARIABLES if kind == "CronJob" else {},
    )


def _conjuncts(source: str, minor: int) -> list[str]:
    """Return the conditions that an expression joins by ``&&``, each by itself; else the expression."""
    rest, places = [compile_expression(source, f"1.{minor}", also=CRON_JOB_VARIABLES).tree], []
    while rest:
        node = rest.pop()
        if isinstance(node, Call) and node.function == "_&&_":
            places.append(node.at)
            rest.extend(node.arguments)
    starts = [0, *(at + len("&&") for at in sorted(places))]
    ends = [*sorted(places), len(source)]
    parts = [source[start:end] for start, end in zip(starts, ends, strict=True)]
    try:
        for part in parts:
            compile_expression(f"{_operand(part)} == true", f"1.{minor}", also=CRON_JOB_VARIABLES)
    except Refused:
        return [source]  # brackets around some of them
    return parts


def _may_be_new(
    sources: Iterable[str], new: Mapping[str, str], stored: Mapping[str, str], minor: int
) -> Condition:
    """Return the condition that a request changes something that expressions read.

    Without it, an expression that has no value for a stored object would deny every update of that object.
    """
    trees: list[Node] = []
    for each in sources:  # one call less than a comprehension: the stack is bounded
        compiled = compile_expression(each, f"1.{minor}", also=CRON_JOB_VARIABLES)
        trees.append(compiled.tree)
    parts = read_parts(trees, [root for root in _READ if new.get(root) != _NO_CRON_JOB])
    if parts is None:
        return True
    names = {root: root for root in _READ}
    changes = [f"{one.text({**names, **new})} != {one.text({**names, **stored})}" for one in parts]
    return any_of([f"!{IS_UPDATE}", *changes])


def _operand(source: str) -> str:
    """Return an expression as an operand: a comment at its end must not hide the bracket."""
    return f"({source}\n)"


def _check(source: str, returns: Returned, minor: int) -> None:
    """Check that an API server accepts an expression.

    Raises:
        NotExpressible: it does not.
    """
    release = f"1.{minor}"
    try:
        compile_expression(source, release, returns=returns, also=CRON_JOB_VARIABLES)
    except Refused as error:
        hint = advice(error.refusals[0], returns)
        reason = f"kube-apiserver {release} refuses the expression: {error}"
        raise NotExpressible(f"{reason} ({hint})" if hint else reason) from None


def _renamed(source: str, names: Mapping[str, str], minor: int) -> str:
    """Return an expression that the API server accepts with other variables, by name."""
    nodes = [*walk(compile_expression(source, f"1.{minor}", also=CRON_JOB_VARIABLES).tree)]
    bound = {name for node in nodes for name in bound_names(node)}
    for name in (*names, "variables"):
        if name in bound:
            raise NotExpressible(f"a loop variable has the name {name}: rename it")
    places = {node.at: node.name for node in nodes if isinstance(node, Name) and node.name in names}
    for at, name in sorted(places.items(), reverse=True):
        source = f"{source[:at]}{names[name]}{source[at + len(name) :]}"
    return source


def _on_one_line(text: str) -> str:
    return f'{text}.replace("\\n", " ")'


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a variable.

    Attributes:
        root: the variable.
        steps: what follows it: ``.?spec``, ``[?"key"]``.
        items: what is read of the items of a list; empty for all of the part.
        item: the variable of an item.
        is_test: True if it is only read if the part is set.
    """

    root: str
    steps: tuple[str, ...]
    items: tuple[Part, ...] = ()
    item: str = ""
    is_test: bool = False

    def text(self, names: Mapping[str, str]) -> str:
        """Return the expression of the part, null if it is absent.

        Args:
            names: the variables that the roots stand for.
        """
        value = f"{names.get(self.root, self.root)}{''.join(self.steps)}"
        if self.is_test:
            return f"{value}.hasValue()"
        if not self.items:
            return f"{value}.orValue({_NULL})"
        inner = {**names, self.item: self.item}
        read = ", ".join(f"dyn({one.text(inner)})" for one in self.items)
        return f"{value}.orValue([]).map({self.item}, [{read}])"


def read_parts(trees: Iterable[Node], roots: Iterable[str]) -> list[Part] | None:
    """Return the parts of some variables that expressions read; None if they read a variable as a whole."""
    found = list(dict.fromkeys(part for tree in trees for part in _read(tree, frozenset(roots))))
    return found if all(part.steps for part in found) else None


def _read(node: Node, roots: frozenset[str]) -> Iterator[Part]:
    part = _part(node, roots)
    if part is not None:
        yield part
        return
    if _is_test_for_null(node):
        return
    hidden = roots.difference(bound_names(node))
    if isinstance(node, Loop):
        lists = _lists(node.range, roots)
        inner = [each for each in (node.condition, node.body) if each is not None]
        items = list(
            dict.fromkeys(one for each in inner for one in _read(each, frozenset(node.names[:1])))
        )
        if lists and len(node.names) == 1 and items and all(_is_of_item(one) for one in items):
            for one in lists:
                yield Part(one.root, one.steps, tuple(items), node.names[0])
            for each in inner:
                yield from _read(each, hidden)
            return
    outer = getattr(node, "range", None) or getattr(node, "operand", None)
    for each in children(node):
        yield from _read(each, roots if each is outer else hidden)


def _is_test_for_null(node: Node) -> bool:
    """Return True for a comparison with null of a variable: one result for all objects of a kind."""
    return (
        isinstance(node, Call)
        and node.function in ("_==_", "_!=_")
        and isinstance(node.arguments[0], Name)
        and isinstance(node.arguments[1], Literal)
        and node.arguments[1].value is None
    )


def _is_of_item(part: Part) -> bool:
    """Return True if a part is a field, or below a field, of a loop variable: a key of a map has none."""
    return bool(part.steps) and part.steps[0].startswith(".")


def _part(node: Node, roots: frozenset[str]) -> Part | None:
    """Return the part that a node stands for; None if it is another expression."""
    match node:
        case Name() if node.name in roots:
            return Part(node.name, ())
        case Select():
            part = _below(_part(node.operand, roots), f".?{node.field}")
            return replace(part, is_test=True) if part is not None and node.test else part
        case Call(function=name, arguments=(holder, Literal(value=str() | int() as index))):
            if name in _INDEXES and not isinstance(index, bool):
                return _below(_part(holder, roots), f"[?{literal(index)}]")
    return None


def _below(part: Part | None, step: str) -> Part | None:
    return None if part is None else Part(part.root, (*part.steps, step))


def _lists(node: Node, roots: frozenset[str]) -> list[Part]:
    """Return the lists that a range joins; none if it is another expression."""
    part = _part(node, roots)
    if part is not None:
        return [part]
    match node:
        case Call(function="_+_", arguments=(one, other)):
            both = [_lists(one, roots), _lists(other, roots)]
            return [*both[0], *both[1]] if all(both) else []
        case Call(
            function="orValue", target=Node() as optional, arguments=(ListLiteral(items=()),)
        ):
            return _lists(optional, roots)
    return []
