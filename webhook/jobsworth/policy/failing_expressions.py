"""Expressions that deny what their author did not mean to deny, for ``policy check``.

Each expression is evaluated on the smallest Job and CronJob, with the defaults of the API server and of the
policies. If it reads what they do not have, the request is denied with an error that its author did not mean.
One that fails for another reason, such as the types that it compares, denies every such object.
An expression that is false as soon as what it reads is there and empty (``has(a.b.c)`` has no value without
``a.b``) denies them on purpose.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.policy import matching
from jobsworth.policy.cel.expressions import variables_of
from jobsworth.policy.cel.parts import has_parts, path_of, range_of, text_of, variable_of
from jobsworth.policy.cel.programs import CannotEvaluate, Program
from jobsworth.policy.consistency import smallest
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.request import CREATE, KINDS, JobView, PolicyRequest
from jobsworth.policy.violation import Effect
from kube_cel.budget import MAX_STEPS, Steps
from kube_cel.nodes import Call, Literal, Node, Select, walk
from kube_cel.values import NoSuchKey

_EVERYTHING = matching.matching([], [])
_BY_OBJECT = ("objectSelector", "owners")
"""The criteria that select objects by their metadata, which the smallest Job may not satisfy."""
_BY_REQUEST = {"kinds", "operations"}
_VERBS: Mapping[Effect, str] = {
    "deny": "is denied",
    "warn": "gets a warning",
    "audit": "passes, with an entry in the audit log",
}


def failing_expressions(
    policy: JobPolicy, policies: PolicySet, server: ApiServer
) -> Iterator[tuple[str, str, Effect]]:
    """Yield the path of each expression without a value for the smallest Job or CronJob, and the problem.

    The third value is the effect on these objects; ``warn`` if they may be meant to lack what it reads.

    Args:
        policy: the policy.
        policies: the policies that are loaded together.
        server: the API server that sets the defaults.
    """
    if policy.expressions is None:
        return
    effect = _effect(policy)
    samples = [
        (kind, [_variables(kind, policy, policies, server, names) for names in _NAMES])
        for kind in KINDS
        if _judges_created(policy, kind)
    ]
    for index, expression in enumerate(policy.expressions.items):
        field = f"spec.expressions[{index}].expression"
        for kind, variables in samples:
            parts = _missing(expression.program, copy.deepcopy(variables[0]))
            errors = [_error(expression.program, each) for each in variables]
            if parts and not (parts[0].is_metadata and _selects_by_object(policy)):
                yield field, _message(parts, kind, effect), "warn"
                break
            if all(errors) and not _selects_by_object(policy):
                alone = f"even a {kind} with the required fields alone {_VERBS[effect]}"
                yield field, f"{alone}: {errors[0]}", effect
                break


_NAMES: tuple[dict[str, Any], ...] = (
    {"name": "sample", "namespace": "default", "user": ""},
    {"name": "a-b.c-1", "namespace": "a-b-1", "user": "a:b:c:d", "groups": ("a:b", "c:d")},
)
"""The names of two requests: an expression may split those of one, and not those of the other."""


def _error(program: Program, variables: dict[str, Any]) -> str:
    """Return why an expression has no value; empty if it has one, or reads what does not exist."""
    try:
        program.truth(variables, Steps(MAX_STEPS))
    except CannotEvaluate as failure:
        return "" if failure.missing else str(failure)
    return ""


def _judges_created(policy: JobPolicy, kind: str) -> bool:
    """Return True if the policy can apply to objects of a kind that are created."""
    match, exempt = policy.matching.match, policy.matching.exempt
    return (not match or any(each.admits(kind, CREATE) for each in match)) and not any(
        each.admits(kind, CREATE) and {one.name for one in each.criteria} <= _BY_REQUEST
        for each in exempt
    )


def _effect(policy: JobPolicy) -> Effect:
    if policy.on_internal_error == "allow":
        return "audit"
    return policy.enforcement


def _selects_by_object(policy: JobPolicy) -> bool:
    return any(
        criterion.name in _BY_OBJECT
        for matcher in (*policy.matching.match, *policy.matching.exempt)
        for criterion in matcher.criteria
    )


def _variables(
    kind: str,
    policy: JobPolicy,
    policies: PolicySet,
    server: ApiServer,
    names: dict[str, Any],
) -> dict[str, Any]:
    manifest, filled = smallest(kind, server)
    # Admission sees the namespace of the request in the object.
    filled["metadata"] |= {"namespace": names["namespace"], "name": names["name"]}
    request = PolicyRequest(
        operation=CREATE,
        kind=kind,
        object=filled,
        manifest=manifest,
        **names,
    )
    others = [
        each for each in policies.policies if each is not policy and each.matching.is_unconditional
    ]
    defaulting = PolicySet((replace(policy, matching=_EVERYTHING), *others))
    value = defaulting.default(request, server).object
    return variables_of(replace(request, object=value), JobView(kind, value, server), None)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part that an expression reads, and the sample does not have.

    Attributes:
        text: the part, as the expression reads it.
        path: its path below ``object``, ``cronJob`` or another variable.
        present: the condition that it exists.
        absent: the condition that it does not.
        error: the error without it.
        null: the value of which it should be a part, if that is null; else empty.
        is_in_loop: the part is one of a variable of a loop.
    """

    text: str
    path: str
    present: str
    absent: str
    error: str
    null: str
    is_in_loop: bool

    @property
    def is_metadata(self) -> bool:
        return self.path.split(".")[1:2] == ["metadata"]

    def is_in(self, outer: _Part) -> bool:
        """Return True for a part of another part."""
        return self.text.startswith((f"{outer.text}.", f"{outer.text}["))


def _missing(program: Program, variables: dict[str, Any]) -> list[_Part]:
    """Return the first part that an expression reads and a sample lacks, and what it reads in that part.

    Nothing if the expression has a value, or denies the sample on purpose.

    Args:
        program: the expression.
        variables: those of the sample; the parts are added to it, empty.
    """
    parts: list[_Part] = []
    while True:
        try:
            return parts if program.truth(variables, Steps(MAX_STEPS)) else []
        except CannotEvaluate as failure:
            error = failure.missing
        part = None if error is None else _part(program.tree, error)
        if error is None or part is None or (parts and not part.is_in(parts[-1])):
            return parts
        parts.append(part)
        if not isinstance(error.container, dict) or not has_parts(program.tree, part.text):
            return parts
        error.container[error.key] = {}


def _part(tree: Node, error: NoSuchKey) -> _Part | None:
    """Return the part that an error is about; None if it is not read from an object by names and keys."""
    node = next((each for each in walk(tree) if each.at == error.at and text_of(each)), None)
    if node is None:
        return None
    text, variable = text_of(node), variable_of(node)
    items = range_of(variable, tree)
    if items is None and variable.name == "request":
        return None
    null, present, absent = "", f"has({text})", f"!has({text})"
    match node:
        case Select(operand=whole) | Call(arguments=(whole, _)) if error.container is None:
            null = text_of(whole)
            present, absent = f"{null} != null", f"{null} == null"
        case Call(arguments=(whole, Literal(value=key))):
            present = f"{key!r} in {text_of(whole)}"
            absent = f"!({present})"
    return _Part(text, path_of(node, tree), present, absent, str(error), null, items is not None)


def _message(parts: list[_Part], kind: str, effect: Effect) -> str:
    part = parts[0]
    variable, _, path = part.path.partition(".")
    if part.null:
        what = f"a {kind}"
        because = f"{part.null} is null {'on CREATE' if part.null.startswith('old') else 'for it'}"
    else:
        what = f"a {kind} without {path if variable in ('object', 'cronJob') else part.path}"
        if variable == "object" and kind == "CronJob":
            what = f"a CronJob whose Job has no {path}"
        because = part.error
    if part.is_in_loop:
        advice = f"test {' && '.join(each.present for each in parts)} first"
    else:
        advice = f"to admit it, test first: {' || '.join(each.absent for each in parts)} || …"
    return f"{what} {_VERBS[effect]}: {because} ({advice})"
