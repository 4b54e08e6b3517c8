"""The requests to which an exported policy applies: rules, selectors and conditions of its admission policy.

Match conditions cannot read the namespace, so a condition on its labels becomes the namespaceSelector if one
is enough, else a part of the validations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobsworth.policy.export.cel_text import Condition, all_of, any_of, literal, negated
from jobsworth.policy.export.match_conditions import USER, of_criterion, of_labels
from jobsworth.policy.matching import NAMESPACE_NAME, Criterion, Matcher, Matching
from jobsworth.policy.patterns import compiled_names, compiled_selector
from jobsworth.policy.request import OPERATIONS, UPDATE

SPEC_CHANGES = "object.spec != oldObject.spec"
"""The condition that an update changes the spec."""

CHANGES = " || ".join(
    (
        f"request.operation != {literal(UPDATE)}",
        SPEC_CHANGES,
        *(
            f"object.metadata.?{each}.orValue({{}}) != oldObject.metadata.?{each}.orValue({{}})"
            for each in ("labels", "annotations")
        ),
    )
)
"""The condition that a request changes what users write: controllers update the rest."""

NOT_BEING_DELETED = "!has(object.metadata.deletionTimestamp)"
"""The condition that no finalizer delays the deletion of the object."""

_BUILT_IN_CONTROLLERS = [
    "system:kube-controller-manager",
    *(
        f"system:serviceaccount:kube-system:{name}"
        for name in (
            "job-controller",
            "cronjob-controller",
            "ttl-after-finished-controller",
            "generic-garbage-collector",
            "namespace-controller",
        )
    ),
]
NOT_BY_BUILT_IN_CONTROLLERS = (
    f"request.operation != {literal(UPDATE)} || !({USER} in {literal(_BUILT_IN_CONTROLLERS)})"
)
"""The condition that no controller of Kubernetes makes the update, which no policy may block."""

NAMESPACE_LABELS = "namespaceObject.metadata.labels"
"""The labels of the namespace of a request."""


@dataclass(frozen=True, slots=True)
class RequestConditions:
    """The requests to which a policy applies.

    Attributes:
        operations: their operations.
        namespace_selector: a LabelSelector of their namespaces; empty for all.
        condition: the condition that a match condition can express.
        with_namespace: the condition that also reads the labels of the namespace; True if there is none.
    """

    operations: tuple[str, ...]
    namespace_selector: Mapping[str, Any]
    condition: Condition
    with_namespace: Condition = True


def request_conditions(matching: Matching, kind: str) -> RequestConditions:
    """Return the requests on objects of a kind to which a policy applies."""
    operations = tuple(one for one in OPERATIONS if one in matching.operations)
    match = [one for one in matching.match if _can_match(one, kind)]
    selectors = [
        one for each in (*match, *matching.exempt) for one in each.criteria if _reads_labels(one)
    ]
    if not selectors:
        return RequestConditions(operations, {}, _applies(match, matching, kind))
    if len(selectors) == 1 and len(match) == 1 and selectors[0] in match[0].criteria:
        return RequestConditions(
            operations, selectors[0].value, _applies(match, matching, kind, without=selectors[0])
        )
    return RequestConditions(operations, {}, True, _applies(match, matching, kind))


def _can_match(matcher: Matcher, kind: str) -> bool:
    return all(one.name != "kinds" or compiled_names(one.value)(kind) for one in matcher.criteria)


def _reads_labels(criterion: Criterion) -> bool:
    if criterion.name != "namespaceSelector":
        return False
    keys = {*(criterion.value.get("matchLabels") or ())}
    keys |= {each["key"] for each in criterion.value.get("matchExpressions") or ()}
    return keys != {NAMESPACE_NAME}


def _applies(
    match: list[Matcher], matching: Matching, kind: str, without: Criterion | None = None
) -> Condition:
    def of_matcher(matcher: Matcher, exempting: bool) -> Condition:
        return all_of(
            _of_criterion(one, kind, exempting) for one in matcher.criteria if one is not without
        )

    matched = any_of(of_matcher(one, False) for one in match) if matching.match else True
    return all_of([matched, negated(any_of(of_matcher(one, True) for one in matching.exempt))])


def _of_criterion(criterion: Criterion, kind: str, exempting: bool) -> Condition:
    if criterion.name == "kinds":
        return compiled_names(criterion.value)(kind)
    if criterion.name != "namespaceSelector":
        return of_criterion(criterion, exempting=exempting)
    if _reads_labels(criterion):
        return of_labels(NAMESPACE_LABELS, criterion.value)
    return _of_name(criterion.value)


def _of_name(selector: Mapping[str, Any]) -> Condition:
    """Return the condition that a selector matches the label of a namespace that is its name."""
    parts: list[Condition] = []
    for key, value in (selector.get("matchLabels") or {}).items():
        parts.append(f"request.namespace in {literal([value])}" if key == NAMESPACE_NAME else False)
    for each in selector.get("matchExpressions") or ():
        if each["operator"] in ("In", "NotIn"):
            named = f"request.namespace in {literal(list(each['values']))}"
            parts.append(named if each["operator"] == "In" else negated(named))
        else:
            parts.append(compiled_selector({"matchExpressions": [each]})({NAMESPACE_NAME: "any"}))
    return all_of(parts)
