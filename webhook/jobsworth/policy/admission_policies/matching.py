"""Match a request with a policy or binding (k8s.io/apiserver, ``policy/matching``, ``matchconditions``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.policy.admission_policies.policies import MatchResources, Policy, Rule
from jobsworth.policy.admission_policies.programs import MATCH_STEPS, Variables
from jobsworth.policy.patterns import compiled_selector, selector_text
from jobsworth.policy.request import PolicyRequest
from kube_cel.budget import Steps
from kube_cel.values import CelError, UnknownValue

NAME_LABEL = "kubernetes.io/metadata.name"
RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}
_GROUP, _VERSION = "batch", "v1"


def matches(match: MatchResources, request: PolicyRequest) -> bool:
    """Return True if a request matches.

    ``matchPolicy`` makes no difference: ``batch/v1`` is the only version of Jobs and CronJobs.

    Raises:
        UnknownValue: that depends on labels of the namespace, which are not known.
    """
    if any(_applies(rule, request) for rule in match.excluded):
        return False
    if match.rules and not any(_applies(rule, request) for rule in match.rules):
        return False
    return _selects_object(match, request) and _selects_namespace(match, request)


def _applies(rule: Rule, request: PolicyRequest) -> bool:
    return (
        rule.scope != "Cluster"
        and _has(rule.operations, request.operation)
        and _has(rule.groups, _GROUP)
        and _has(rule.versions, _VERSION)
        and any(_is_resource(resource, request) for resource in rule.resources)
        and (not rule.names or request.name in rule.names)
    )


def _has(values: frozenset[str], value: str) -> bool:
    return value in values or "*" in values


def _is_resource(pattern: str, request: PolicyRequest) -> bool:
    resource, _, subresource = pattern.partition("/")
    return resource in ("*", RESOURCES[request.kind]) and subresource in ("", "*")


def _selects_object(match: MatchResources, request: PolicyRequest) -> bool:
    if not _is_selective(match.object_selector):
        return True
    selects = compiled_selector(match.object_selector)
    return any(selects(_labels(value)) for value in (request.object, request.old) if value)


def _labels(value: Mapping[str, Any]) -> Mapping[str, str]:
    return (value.get("metadata") or {}).get("labels") or {}


def _is_selective(selector: Mapping[str, Any]) -> bool:
    return bool(selector.get("matchLabels") or selector.get("matchExpressions"))


def _selects_namespace(match: MatchResources, request: PolicyRequest) -> bool:
    selector = match.namespace_selector
    if not _is_selective(selector):
        return True
    labels = {**(request.namespace_labels or {}), NAME_LABEL: request.namespace}
    if request.namespace_labels is None:
        return _selects_by_name(selector, labels)
    return compiled_selector(selector)(labels)


def _selects_by_name(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Return True if the name of the namespace alone decides so.

    Raises:
        UnknownValue: it does not decide.
    """
    by_name: dict[str, Any] = {
        "matchLabels": {
            key: value
            for key, value in (selector.get("matchLabels") or {}).items()
            if key == NAME_LABEL
        },
        "matchExpressions": [
            each for each in selector.get("matchExpressions") or () if each["key"] == NAME_LABEL
        ],
    }
    if not compiled_selector(by_name)(labels):
        return False
    if by_name["matchLabels"] != (selector.get("matchLabels") or {}) or len(
        by_name["matchExpressions"]
    ) != len(selector.get("matchExpressions") or ()):
        raise UnknownValue(
            f"the labels of the namespace are not known, and it selects {selector_text(selector)}"
        )
    return True


def meets_conditions(policy: Policy, names: Mapping[str, Any], total: Steps) -> bool:
    """Return True if all match conditions hold; one that is false outweighs errors of others.

    Raises:
        UnknownValue: they depend on what is not known.
        CelError: a condition has no value, and the policy fails then.
    """
    steps = Steps(MATCH_STEPS, total)
    # The server evaluates match conditions without the namespace.
    names = {**names, "namespaceObject": None}
    names["variables"] = Variables(policy.variables, names, steps)
    unknown: UnknownValue | None = None
    errors: list[str] = []
    for condition in policy.conditions:
        try:
            if condition.value(names, steps) is False:
                return False
        except UnknownValue as error:
            unknown = error
        except CelError as error:
            errors.append(str(error))
    if unknown is not None:
        raise unknown
    if not errors:
        return True
    if policy.ignores_failures:
        return False
    different = list(dict.fromkeys(errors))
    raise CelError(different[0] if len(different) == 1 else f"[{', '.join(different)}]")
