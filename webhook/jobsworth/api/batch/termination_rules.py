"""Failure-policy rules on the termination reason of a container: an extension of Kubernetes.

An OOM-killed container ends with exit code 137, like a container that a user stopped. Exit codes
cannot distinguish the two; the reason ``OOMKilled`` can (KEP-3329 leaves this to the future). An
annotation of the Job adds such rules, in JSON::

    jobsworth.dev/pod-failure-policy: |
      {"rules": [{"action": "FailJob",
                  "onTerminationReasons": {"operator": "In", "values": ["OOMKilled"]}}]}

Only the Job controller of jobsworth applies them; the built-in controller ignores them. They come
before the rules of ``spec.podFailurePolicy``, since a reason is more specific than an exit code. Like
those, they match containers that just ended with an exit code other than 0, app containers first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from jobsworth.api.field_errors import (
    OMIT,
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from jobsworth.record import Record

Action = Literal["FailJob", "FailIndex", "Ignore", "Count"]
Operator = Literal["In", "NotIn"]

ANNOTATION = "jobsworth.dev/pod-failure-policy"
PATH = f"metadata.annotations[{ANNOTATION}]"

ACTIONS: tuple[Action, ...] = ("FailJob", "FailIndex", "Ignore", "Count")
OPERATORS: tuple[Operator, ...] = ("In", "NotIn")
MAX_RULES = 20
MAX_REASONS = 255
MAX_REASON_LENGTH = 256

_RULE_FIELDS = ("action", "onTerminationReasons")
_REQUIREMENT_FIELDS = ("containerName", "operator", "values")


class TerminationRule(Record):
    """A rule on the termination reason of a container.

    Attributes:
        action: the action of a matching rule.
        operator: ``In`` or ``NotIn``.
        reasons: the kubelet's reasons: ``OOMKilled``, ``Error``, ``ContainerCannotRun`` ….
        container: the name of the container, None for any.
    """

    action: Action
    operator: Operator
    reasons: tuple[str, ...]
    container: str | None = None


def rules_of(job: dict[str, Any]) -> tuple[tuple[TerminationRule, ...], tuple[str, ...]]:
    """Return the rules that a Job's annotation adds, and its errors.

    Returns:
        The rules, empty if there is any error; and each error as a message with its field path.
    """
    if ANNOTATION not in (job["metadata"].get("annotations") or {}):
        return (), ()
    errors = tuple(repr(error) for error in check_termination_rules(job))
    if errors:
        return (), errors
    document = _read(job["metadata"]["annotations"][ANNOTATION])
    return tuple(_rule(rule) for rule in document["rules"]), ()


def check_termination_rules(job: dict[str, Any]) -> Iterator[FieldError]:
    """Validate the annotation, also against the rest of its Job.

    Args:
        job: a Job with metadata and spec, with or without defaults. A CronJob's Jobs take
            their annotations from ``spec.jobTemplate.metadata``: pass the template with its spec.

    Yields:
        Nothing if the Job has no such annotation.
    """
    text = (job.get("metadata", {}).get("annotations") or {}).get(ANNOTATION)
    if text is None:
        return
    document = _read(text)
    if isinstance(document, str):
        yield invalid(PATH, text, document)
        return
    yield from _unknown_fields(document, ("rules",), PATH)
    rules = document.get("rules")
    if not isinstance(rules, list) or not rules:
        yield required(f"{PATH}.rules", "must be a list of at least one rule")
        return
    if len(rules) > MAX_RULES:
        yield too_many(f"{PATH}.rules", len(rules), MAX_RULES)
    spec = job.get("spec") or {}
    names = _container_names(spec)
    for index, rule in enumerate(rules):
        yield from _check_rule(rule, f"{PATH}.rules[{index}]", spec, names)
    yield from _check_with_spec(spec)


def _read(text: object) -> Any:
    """Return the document of an annotation, or an error detail if it is not an object."""
    import json  # only few Jobs have the annotation

    if not isinstance(text, str):
        return "must be a string that contains JSON"
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"must be JSON: {error}"
    return document if isinstance(document, dict) else 'must be an object: {"rules": [...]}'


def _rule(rule: dict[str, Any]) -> TerminationRule:
    requirement = rule["onTerminationReasons"]
    return TerminationRule(
        rule["action"],
        requirement["operator"],
        tuple(requirement["values"]),
        requirement.get("containerName"),
    )


def _check_rule(
    rule: object, path: str, spec: dict[str, Any], names: set[str]
) -> Iterator[FieldError]:
    if not isinstance(rule, dict):
        yield invalid(path, rule, "must be an object with action and onTerminationReasons")
        return
    yield from _unknown_fields(rule, _RULE_FIELDS, path)
    action = rule.get("action")
    yield from _check_one_of(action, ACTIONS, f"{path}.action")
    if action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        yield invalid(f"{path}.action", action, "requires the backoffLimitPerIndex to be set")
    at = f"{path}.onTerminationReasons"
    requirement = rule.get("onTerminationReasons")
    if not isinstance(requirement, dict):
        yield required(at, "must be an object with operator and values")
        return
    yield from _unknown_fields(requirement, _REQUIREMENT_FIELDS, at)
    yield from _check_one_of(requirement.get("operator"), OPERATORS, f"{at}.operator")
    yield from _check_reasons(requirement.get("values"), f"{at}.values")
    if "containerName" in requirement:
        yield from _check_container(requirement["containerName"], f"{at}.containerName", names)


def _check_reasons(reasons: object, path: str) -> Iterator[FieldError]:
    if not isinstance(reasons, list) or not reasons:
        yield required(path, "must be a list of at least one reason, such as OOMKilled")
        return
    if len(reasons) > MAX_REASONS:
        yield too_many(path, len(reasons), MAX_REASONS)
    seen: set[str] = set()
    for index, reason in enumerate(reasons):
        at = f"{path}[{index}]"
        if not isinstance(reason, str) or not reason:
            yield invalid(
                at, reason, "must be a termination reason of the kubelet, such as OOMKilled"
            )
        elif len(reason) > MAX_REASON_LENGTH:
            yield invalid(at, OMIT, f"must be at most {MAX_REASON_LENGTH} characters long")
        elif reason in seen:
            yield duplicate(at, reason)
        else:
            seen.add(reason)


def _container_names(spec: dict[str, Any]) -> set[str]:
    pod = (spec.get("template") or {}).get("spec") or {}
    return {
        name
        for field in ("containers", "initContainers")
        for container in pod.get(field) or ()
        if isinstance(name := container.get("name"), str)
    }


def _check_container(name: object, path: str, names: set[str]) -> Iterator[FieldError]:
    if not isinstance(name, str) or name not in names:
        yield invalid(
            path, name, "must be one of the container or initContainer names in the pod template"
        )


def _check_with_spec(spec: dict[str, Any]) -> Iterator[FieldError]:
    """Apply the API's requirements on a Job with a podFailurePolicy, for the same reasons."""
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy")
    if policy != "Never":
        yield invalid(
            "spec.template.spec.restartPolicy",
            policy,
            f'must be set to "Never" when the annotation {ANNOTATION} is used',
        )
    replacement = spec.get("podReplacementPolicy")
    if "podFailurePolicy" not in spec and replacement != "Failed":
        yield invalid(
            "spec.podReplacementPolicy",
            replacement,
            f'must be set to "Failed" when the annotation {ANNOTATION} is used without '
            "podFailurePolicy: the reason is known only once a Pod has ended",
        )


def _check_one_of(value: object, allowed: tuple[str, ...], path: str) -> Iterator[FieldError]:
    if value is None or value == "":
        names = " ".join(f'"{name}"' for name in allowed)
        yield required(path, f"valid values: [{names}]")
    elif value not in allowed:
        yield not_supported(path, value, allowed)


def _unknown_fields(
    value: dict[str, Any], known: tuple[str, ...], path: str
) -> Iterator[FieldError]:
    for key in value:
        if key not in known:
            yield invalid(f"{path}.{key}", OMIT, f"unknown field; use {', '.join(known)}")
