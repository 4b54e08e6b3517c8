"""What the declared types of Job and CronJob say against an expression, for ``policy check``.

To an expression, ``object`` and ``cronJob`` are dynamic: a misspelled field is an error only when it is read,
of each Job anew. kube-apiserver has the same two views: after it has accepted a ValidatingAdmissionPolicy, it
checks the types again, as those of the matched kinds, and writes warnings into ``status.typeChecking``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jobsworth.api.declare import ListOf, MapOf, Pointer, Struct
from jobsworth.api.declared_types import structs_below
from jobsworth.api.kinds import kinds
from jobsworth.findings.near_names import did_you_mean
from jobsworth.policy.cel.expressions import Expressions
from jobsworth.policy.cel.programs import VARIABLES, Program, advice
from kube_cel.checker import Checker
from kube_cel.environment import JOB_POLICY, environment
from kube_cel.nodes import Call, Literal, Node, Select, walk
from kube_cel.refusals import Refusal, in_order, place
from kube_cel.types import Type

_TYPED = {"object": "Job", "oldObject": "Job", "cronJob": "CronJob", "oldCronJob": "CronJob"}
_VARIABLES = {**VARIABLES, **{name: Type(kind) for name, kind in _TYPED.items()}}
_SCALARS = {"string": "string", "boolean": "bool", "int32": "int", "int64": "int"}
"""The types of scalars; those of a quantity or a time depend on what an expression does with it."""
_CONTAINERS = {"InitContainer": "Container", "EphemeralContainer": "Container"}
"""Lists of the three are added to each other."""


def type_problems(expressions: Expressions, path: str) -> Iterator[tuple[str, str]]:
    """Yield the path of each expression with a problem, and its first one with what to write instead.

    Args:
        expressions: of the policy.
        path: their path in the document.
    """
    for index, each in enumerate(expressions.items):
        named = {"expression": each.program, "messageExpression": each.message_program}
        for name, program in named.items():
            problem = None if program is None else next(_problems(program), None)
            if problem is not None:
                yield f"{path}[{index}].{name}", problem


def _problems(program: Program) -> Iterator[str]:
    known = environment(JOB_POLICY)
    checkers = Checker(known, VARIABLES), Checker(known, _VARIABLES, messages=_fields())
    for checker in checkers:
        checker.type_of(program.tree)
    untyped, typed = checkers
    before = {(each.at, each.kind) for each in untyped.errors}
    for found in in_order(typed.errors):
        node = _node(program, found)
        null = isinstance(node, Call) and any(map(_is_null, node.arguments))
        # A comparison with null is a mistake; orValue(null) is not, although no field has the type of null.
        if (found.at, found.kind) in before or (null and found.name not in ("_==_", "_!=_")):
            continue
        hint = advice(found, "any")
        if null:
            hint = "an unset field is not null: use has(…)"
        elif isinstance(node, Select):
            fields = _fields().get(typed.type_name_of(node.operand), {})
            hint = did_you_mean(node.field, fields)
        line, column = place(program.source, found.at or 0)
        text = f"at line {line}, column {column} of the expression: {found.message}"
        yield f"{text} ({hint})" if hint else text


def _node(program: Program, refusal: Refusal) -> Node | None:
    return next((node for node in walk(program.tree) if node.at == refusal.at), None)


def _is_null(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is None


@cache
def _fields() -> Mapping[str, Mapping[str, str]]:
    """Return the type of each field of each declared type, as the type checker reads it."""
    found: dict[str, dict[str, str]] = {}
    for struct in structs_below(*(kind for _, kind in kinds())):
        fields = {name: _type(field.type) for name, field in struct.fields.items()}
        found.setdefault(_type(struct), {}).update(fields)
    return found


def _type(declared: Any) -> str:
    if isinstance(declared, Pointer):
        return _type(declared.target)
    if isinstance(declared, ListOf):
        return f"list({_type(declared.item)})"
    if isinstance(declared, MapOf):
        return f"map(string, {_type(declared.value)})"
    if isinstance(declared, Struct):
        return _CONTAINERS.get(declared.name, declared.name)
    return _SCALARS.get(declared.name, "dyn")
