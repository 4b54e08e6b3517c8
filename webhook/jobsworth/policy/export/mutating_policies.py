"""MutatingAdmissionPolicies (KEP-3962) and their bindings, from the defaults of a JobPolicy.

The defaults of each policy are one JSON Patch. An ApplyConfiguration cannot add to a list without keys, such
as tolerations, nor change ``nodeSelector`` beside what the user wrote. The conditions are those of
:mod:`jobsworth.policy.mutation`: what the webhook would set, on a creation and on an update, is set, so that
the webhook finds nothing left to do where both run.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from jobsworth.policy.defaults import ALWAYS, METADATA
from jobsworth.policy.export.admission_policies import (
    ALWAYS_EXEMPT,
    API_VERSION,
    MANAGED_BY,
)
from jobsworth.policy.export.cel_text import Condition, all_of, any_of, literal, negated
from jobsworth.policy.export.match_conditions import is_among, of_labels
from jobsworth.policy.export.request_conditions import (
    CHANGES,
    NAMESPACE_LABELS,
    NOT_BEING_DELETED,
    request_conditions,
)
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.matching import NAMESPACE_NAME
from jobsworth.policy.places import Item, Step
from jobsworth.policy.pod_defaults import SERVER_DEFAULTS, PodDefault
from jobsworth.policy.request import CREATE, KINDS, OPERATIONS, UPDATE

Document = dict[str, Any]

POLICY, BINDING = "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"
OLDEST = 36
"""The minor version with the first MutatingAdmissionPolicy of ``admissionregistration.k8s.io/v1``."""

FIELDS = ("managedBy", "activeDeadlineSeconds", "ttlSecondsAfterFinished")
"""Fields of the JobSpec whose default neither the server nor another field decides."""

_KIND_OF_TEMPLATE = {"Job": "spec.template", "CronJob": "spec.jobTemplate.spec.template"}
_IS_CREATE = f"request.operation == {literal(CREATE)}"
_IS_OWNED = (
    "object.metadata.?ownerReferences.orValue([]).exists(owner, owner.?controller.orValue(false))"
)
_WRITER = (
    "CEL cannot tell if a client wrote the server's default: the webhook and jobsworth default can"
)
_VALID = "whether it leaves the object valid depends on other fields, which the webhook validates"


@dataclass(frozen=True, slots=True)
class LeftDefault:
    """A default that is not exported.

    Attributes:
        policy: the name of the policy.
        field: its path in the document.
        reason: the reason.
    """

    policy: str
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A default in CEL.

    Attributes:
        steps: the steps to it from its holder.
        value: the value to set.
        condition: the condition that it is set.
    """

    steps: tuple[Step, ...]
    value: Any
    condition: str


def mutating_policies(
    policies: Sequence[JobPolicy], exempt_namespaces: Sequence[str] = ()
) -> tuple[list[Document], list[LeftDefault]]:
    """Return the admission policies for the defaults of policies, and the defaults that have none.

    There is one for each kind. The API server applies its mutations in order, one for each policy, each to
    the result of the one before; the order of several admission policies is not defined.

    Args:
        policies: the policies, in order of precedence.
        exempt_namespaces: namespaces to exempt beside those that always are.
    """
    left: list[LeftDefault] = []
    mutations: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for number, policy in enumerate(policies):
        if policy.defaults is None:
            continue
        found = dict(_left(policy, policies[:number]))
        left += [LeftDefault(policy.name, *each) for each in found.items()]
        for kind in policy.matching.kinds & {*KINDS}:
            patch = _patch(policy, kind, found)
            if patch:
                condition = _condition(policy, kind)
                mutations[kind].append(
                    patch if condition is True else f"{condition} ? {patch} : []"
                )
    exempt = sorted({*ALWAYS_EXEMPT, *exempt_namespaces})
    made = [_document(kind, patches, exempt) for kind, patches in mutations.items() if patches]
    bindings = [
        {
            "apiVersion": API_VERSION,
            "kind": BINDING,
            "metadata": deepcopy(each["metadata"]),
            "spec": {"policyName": each["metadata"]["name"]},
        }
        for each in made
    ]
    return [*made, *bindings], left


def _condition(policy: JobPolicy, kind: str) -> Condition:
    """Return the condition that a policy applies to a request."""
    where = request_conditions(policy.matching, kind)
    is_all = {*where.operations} == {*OPERATIONS}
    selector = where.namespace_selector
    return all_of(
        [
            True if is_all else f"request.operation in {literal(list(where.operations))}",
            where.condition,
            where.with_namespace,
            of_labels(NAMESPACE_LABELS, selector) if selector else True,
        ]
    )


def _document(kind: str, patches: Sequence[str], exempt: list[str]) -> Document:
    plural = f"{kind.lower()}s"
    conditions = {"changes": CHANGES, "not-being-deleted": NOT_BEING_DELETED}
    own = {"key": NAMESPACE_NAME, "operator": "NotIn", "values": exempt}
    rule = {
        "apiGroups": ["batch"],
        "apiVersions": ["v1"],
        "operations": list(OPERATIONS),
        "resources": [plural],
        "scope": "Namespaced",
    }
    return {
        "apiVersion": API_VERSION,
        "kind": POLICY,
        "metadata": {"name": f"{plural}.default.jobsworth.dev", "labels": dict(MANAGED_BY)},
        "spec": {
            "failurePolicy": "Ignore",
            "reinvocationPolicy": "IfNeeded",
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": {"matchExpressions": [own]},
                "resourceRules": [rule],
            },
            "matchConditions": [
                {"name": name, "expression": text} for name, text in conditions.items()
            ],
            "mutations": [
                {"patchType": "JSONPatch", "jsonPatch": {"expression": patch}} for patch in patches
            ],
        },
    }


def _left(policy: JobPolicy, earlier: Sequence[JobPolicy]) -> Iterator[tuple[str, str]]:
    """Yield the path and reason of each default that is not exported."""
    assert policy.defaults is not None
    for name, default in policy.defaults.fields.items():
        if name not in FIELDS:
            server = name in ("backoffLimit", "suspend", "podReplacementPolicy")
            yield f"spec.defaults.{name}", _WRITER if server else _VALID
        elif default.when == ALWAYS:
            yield f"spec.defaults.{name}", "with always it also applies to updates: see the webhook"
    if policy.defaults.failure_policy is not None:
        yield "spec.defaults.podFailurePolicy", _VALID
    taken = {
        (one.containers, one.steps)
        for other in earlier
        if other.defaults is not None
        for one in other.defaults.pod
    }
    metadata = {
        (part, key)
        for other in earlier
        if other.defaults is not None
        for part in METADATA
        for key in getattr(other.defaults, part)
    }
    for part in METADATA:
        for key, value in getattr(policy.defaults, part).items():
            if value.when == ALWAYS and (part, key) in metadata:
                yield f"spec.defaults.{part}[{key}]", "a policy of higher precedence sets it, too"
    for one in policy.defaults.pod:
        path = f"spec.defaults.{one.path}"
        if UPDATE not in policy.matching.operations:
            yield path, "match leaves out updates, in which a template is restored: add UPDATE"
        elif one.field in SERVER_DEFAULTS and one.when != ALWAYS:
            yield path, _WRITER
        elif "windowsOptions" in one.steps:
            yield path, _VALID
        elif one.when == ALWAYS and (one.containers, one.steps) in taken:
            yield path, "a policy of higher precedence sets it, too"


def _patch(policy: JobPolicy, kind: str, left: Container[str]) -> str:
    """Return the expression of the JSON Patch; empty if nothing is exported."""
    assert policy.defaults is not None
    defaults = policy.defaults
    parts = []
    metadata = []
    for part in METADATA:
        for key, default in getattr(defaults, part).items():
            if f"spec.defaults.{part}[{key}]" in left:
                continue
            new, old = (
                f"{root}.metadata.?{part}[?{literal(key)}]" for root in ("object", "oldObject")
            )
            unset, value = negated(f"{new}.hasValue()"), f"optional.of({literal(default.value)})"
            condition: Condition = f"{_IS_CREATE} && {unset}"
            if default.when == ALWAYS:
                condition = f"{new} != {value} && ({_IS_CREATE} || {new} != {old})"
            metadata.append(_Leaf((part, key), default.value, f"({condition})"))
    parts += _operations(metadata, "object.metadata", '"/metadata"')
    template = f"object.{_KIND_OF_TEMPLATE[kind]}"
    of_job = template.removesuffix(".template")
    is_new = _IS_CREATE
    if kind == "CronJob":
        is_new = f"({_IS_CREATE} || object.spec.jobTemplate != oldObject.spec.jobTemplate)"
    fields = [
        _Leaf((name,), default.value, f"({is_new} && !has({of_job}.{name}))")
        for name, default in defaults.fields.items()
        if f"spec.defaults.{name}" not in left
    ]
    job_path = literal(f"/{of_job.removeprefix('object.').replace('.', '/')}")
    parts += _operations(fields, of_job, job_path)
    pod = [one for one in defaults.pod if f"spec.defaults.{one.path}" not in left]
    if pod:
        own = _pod_operations(pod, kind, template, is_new)
        if own:
            parts.append(f"({_IS_OWNED} ? [] : {' + '.join(own)})")
    return " + ".join(parts)


def _pod_operations(pod: Sequence[PodDefault], kind: str, template: str, is_new: str) -> list[str]:
    path = literal(f"/{template.removeprefix('object.').replace('.', '/')}")
    old = template.replace("object.", "oldObject.", 1)
    leaves = [
        _Leaf(one.steps, one.value, _applies(one, template, old, kind, is_new))
        for one in pod
        if not one.containers
    ]
    parts = _operations(leaves, template, path)
    for name in dict.fromkeys(one.containers for one in pod if one.containers):
        of_list = [one for one in pod if one.containers == name]
        inner = []
        for index, one in enumerate(of_list):
            others = [
                each.container
                for each in of_list[:index]
                if each.steps == one.steps and each.container != one.container
            ]
            named = all_of(
                [
                    is_among("c.name", [one.container]),
                    negated(is_among("c.name", others)) if others else True,
                ]
            )
            stored = f"{old}.spec.?{name}.orValue([]).filter(o, o.name == c.name)[?0]"
            condition = all_of([named, _applies(one, "c", stored, kind, is_new)])
            inner.append(_Leaf(one.steps, one.value, str(condition)))
        at = f'{path[:-1]}/spec/{name}/" + string(i)'
        operations = " + ".join(_operations(inner, "c", at))
        lists = f"{template}.spec.?{name}.orValue([]).transformList(i, c, {operations})"
        parts.append(f"{lists}.flatten()")
    return parts


def _applies(one: PodDefault, holder: str, old: str, kind: str, is_new: str) -> str:
    """Return the condition that a default of the Pod template is set."""
    new, value = _optional(holder, one.steps), f"optional.of(dyn({_cel(one.value)}))"
    unset: Condition = negated(f"{new}.hasValue()")
    if one.when == ALWAYS:
        unset = f"{new} != {value}"
    new_or_stored = is_new
    if kind == "Job":
        new_or_stored = f"({_IS_CREATE} || {_optional(old, one.steps)} == {value})"
    return str(all_of([new_or_stored, unset, *_guards(one, holder)]))


def _guards(one: PodDefault, holder: str) -> Iterator[Condition]:
    """Yield the conditions that the value fits the rest of the container or Pod."""
    side = one.steps[-2] if len(one.steps) > 2 else ""
    if one.steps[0] == "resources" and one.when != ALWAYS and side == "requests":
        yield f"!{_optional(holder, ('resources', 'limits', one.steps[-1]))}.hasValue()"
    if one.steps[0] == "resources" and side == "limits":
        request = _optional(holder, ("resources", "requests", one.steps[-1]))
        limit = f"quantity({literal(str(one.value))})"
        yield (f"{request}.optMap(r, quantity(string(r)).compareTo({limit}) <= 0).orValue(true)")
    if one.steps[-1] == "allowPrivilegeEscalation" and one.value is False:
        context = f"{holder}.?securityContext"
        yield f"!{context}.?privileged.orValue(false)"
        yield f"!({literal('CAP_SYS_ADMIN')} in {context}.?capabilities.?add.orValue([]))"


def _optional(holder: str, steps: Iterable[Step]) -> str:
    """Return a part of a value as an optional value."""
    text = holder
    for step in steps:
        if isinstance(step, Item):
            text = f"{text}.orValue([]).filter(e, {_is_item(step, 'e')})[?0]"
        else:
            text = f"{text}[?{literal(step)}]"
    return text


def _is_item(item: Item, name: str) -> str:
    tests = []
    for field, value in item.fields:
        found = f"{name}.?{field}.orValue({literal('')})"
        is_default = field == "operator" and value == "Equal"
        tests.append(f"{found} in {literal(['', value] if is_default else [value])}")
    return " && ".join(tests)


def _operations(leaves: Sequence[_Leaf], holder: str, path: str) -> list[str]:
    """Return the lists of operations that set leaves below a holder, with the parents that are missing."""
    if not leaves:
        return []
    found = []
    groups: dict[Step, list[_Leaf]] = {}
    for leaf in leaves:
        groups.setdefault(leaf.steps[0], []).append(leaf)
    for step, group in groups.items():
        assert isinstance(step, str)
        segment = literal(f"/{step.replace('~', '~0').replace('/', '~1')}")
        at, value = f"{path} + {segment}", _optional(holder, (step,))
        if len(group[0].steps) == 1:
            found.append(_add(group[0].condition, at, _cel(group[0].value)))
            continue
        items = isinstance(group[0].steps[1], Item)
        needed = any_of(leaf.condition for leaf in group)
        empty = "[]" if items else "{}"
        found.append(_add(f"({needed} && !{value}.hasValue())", at, f"dyn({empty})"))
        below = [_Leaf(leaf.steps[1:], leaf.value, leaf.condition) for leaf in group]
        if items:
            found += [_item(leaf, value, at) for leaf in below]
        else:
            found += _operations(below, value, at)
    return found


def _item(leaf: _Leaf, items: str, path: str) -> str:
    """Return the operation that adds an item to a list, or replaces the present one."""
    (item,) = leaf.steps
    assert isinstance(item, Item)
    same = f"{items}.orValue([]).transformList(n, e, {_is_item(item, 'e')}, n)"
    value = _cel(leaf.value)
    at = f"{path} + {literal('/')}"
    added = _add("true", f"{at} + {literal('-')}", value)
    replaced = f'[JSONPatch{{op: "replace", path: {at} + string({same}[0]), value: {value}}}]'
    return f"({leaf.condition} ? ({same}.size() == 0 ? {added} : {replaced}) : [])"


def _add(condition: str, path: str, value: str) -> str:
    operation = f'[JSONPatch{{op: "add", path: {path}, value: {value}}}]'
    return operation if condition == "true" else f"({condition} ? {operation} : [])"


def _cel(value: Any) -> str:
    """Return a JSON value in CEL, whose lists and maps have one type."""
    if isinstance(value, Mapping):
        entries = (f"{literal(key)}: dyn({_cel(part)})" for key, part in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list):
        return f"[{', '.join(f'dyn({_cel(part)})' for part in value)}]"
    return literal(value)
