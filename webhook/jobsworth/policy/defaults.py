"""The ``defaults`` of a policy: values that the mutating webhook sets.

Each default has a condition:

- ``ifUnset``: the field is known to be unset by the client. If the field equals the server's default and it
  is unknown whether a client wrote it (after a plain create), the field stays unchanged.
- ``ifServerDefault``: the field is unset, or equals the server's default and no client is known to have
  written it.
- ``always``: always set the field.

:mod:`jobsworth.provenance.field_ownership` determines the fields that a client wrote. Rules that a policy
adds to a failure policy are always added, except rules that are already present. The first rule that matches
a failed Pod decides (KEP-3329): a rule to add before the user's rules is therefore removed from its later
position, where it no longer has an effect, and adding the same rules twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.documents.declared import json_value
from jobsworth.findings.edits import is_part_of
from jobsworth.policy import document, pod_defaults
from jobsworth.policy.places import field_path
from jobsworth.policy.pod_defaults import PodDefault, sample_job
from jobsworth.policy.problems import Problems
from jobsworth.validation.engine import engine_for

Rule = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FailurePolicyDefault:
    """The failure policy defaults of a policy.

    Attributes:
        value: a complete policy; None if there is none.
        when: the condition of the complete policy.
        before: the rules to add before the user's rules.
        after: the rules to add after the user's rules.
    """

    value: Mapping[str, Any] | None
    when: str
    before: tuple[Rule, ...]
    after: tuple[Rule, ...]

    def parts(self) -> Iterator[tuple[str, Sequence[Rule]]]:
        """Yield the lists of rules, each with its path in the document."""
        if self.value is not None:
            yield "value.rules", self.value["rules"]
        yield "rulesBefore", self.before
        yield "rulesAfter", self.after


def _failure_policy(value: document.FailurePolicyDefault) -> FailurePolicyDefault:
    whole = value.value
    return FailurePolicyDefault(
        None if whole is None else {"rules": json_value(whole.rules)},
        value.when,
        tuple(json_value(value.rules_before or ())),
        tuple(json_value(value.rules_after or ())),
    )


def merged(
    rules: Sequence[Rule], before: Iterable[Rule] = (), after: Iterable[Rule] = ()
) -> list[Rule]:
    """Return the rules of a Job with those of a policy added.

    >>> ignore = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    >>> fail = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    >>> merged([fail, ignore], before=[ignore]) == merged([fail], before=[ignore]) == [ignore, fail]
    True

    Args:
        rules: the rules of the Job.
        before: the rules to add at the start.
        after: the rules to add at the end.
    """
    found: list[Rule] = []
    _add(found, before)
    first = tuple(found)
    found += [rule for rule in rules if not is_among(rule, first)]
    _add(found, after)
    return found


def _add(found: list[Rule], rules: Iterable[Rule]) -> None:
    for rule in rules:
        if not is_among(rule, found):
            found.append(rule)


def is_among(rule: Rule, rules: Iterable[Rule]) -> bool:
    """Return True if a list contains an equivalent rule."""
    meaning = _meaning(rule)
    return any(_meaning(other) == meaning for other in rules)


def meaning(rules: Iterable[Rule]) -> list[tuple[Any, ...]]:
    """Return rules in canonical form: equal for lists with the same effect in the same order.

    Raises:
        AttributeError, TypeError: the rules have values of wrong types.
    """
    return [_meaning(rule) for rule in rules]


def _meaning(rule: Rule) -> tuple[Any, ...]:
    """Return a rule in canonical form; also for a rule that the server would reject."""
    codes = rule.get("onExitCodes") or {}
    patterns = rule.get("onPodConditions") or ()
    return (
        rule.get("action"),
        codes.get("containerName"),
        codes.get("operator"),
        sorted(codes.get("values") or ()),
        sorted(
            (pattern.get("type") or "", pattern.get("status") or "True") for pattern in patterns
        ),
    )


IF_UNSET, IF_SERVER_DEFAULT, ALWAYS = "ifUnset", "ifServerDefault", "always"

FIELDS = {
    "suspend": "suspend",
    "managedBy": "managed_by",
    "backoffLimitPerIndex": "backoff_limit_per_index",
    "maxFailedIndexes": "max_failed_indexes",
    "backoffLimit": "backoff_limit",
    "podReplacementPolicy": "pod_replacement_policy",
    "activeDeadlineSeconds": "active_deadline_seconds",
    "ttlSecondsAfterFinished": "ttl_seconds_after_finished",
}
"""The JobSpec fields with a single-value default, in the order in which they are set, and their names in
:class:`jobsworth.policy.document.Defaults`."""

METADATA = ("labels", "annotations")
SERVER_DEFAULTS = frozenset({"backoffLimit", "podReplacementPolicy", "suspend"})
"""The fields with policy defaults for which the API server has a default, too."""


@dataclass(frozen=True, slots=True)
class FieldDefault:
    """The default of one field, label or annotation.

    Attributes:
        value: the value to set; for ``maxFailedIndexes`` also a percentage of the completions.
        when: ``ifUnset``, ``ifServerDefault`` or ``always``.
        at_least: the minimum number that a percentage resolves to.
    """

    value: Any
    when: str = IF_UNSET
    at_least: int = 0


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults of a policy.

    Attributes:
        fields: by field name in the JobSpec.
        labels, annotations: by key.
        failure_policy: a complete failure policy, or rules to add; None if there is neither.
        pod: those of the Pod template.
    """

    fields: Mapping[str, FieldDefault]
    labels: Mapping[str, FieldDefault]
    annotations: Mapping[str, FieldDefault]
    failure_policy: FailurePolicyDefault | None
    pod: tuple[PodDefault, ...] = ()

    @property
    def single(self) -> dict[str, FieldDefault]:
        """The defaults with a single value, by the names of :mod:`jobsworth.policy.policy_fields`."""
        pod = {
            f"pod.{one.field}": FieldDefault(one.value, one.when) for one in self.pod if one.field
        }
        return {**self.fields, **pod}

    @property
    def set_immutable_fields(self) -> bool:
        """Return True if a default is for a field that no update of a Job changes."""
        return bool(
            self.pod
            or self.failure_policy
            or {"backoffLimitPerIndex", "managedBy"} & {*self.fields}
        )

    @property
    def depend_on_ownership(self) -> bool:
        """Return True if a default may depend on the fields that a client is known to have written."""
        return not SERVER_DEFAULTS.isdisjoint(self.fields) or any(
            one.field in pod_defaults.SERVER_DEFAULTS for one in self.pod
        )

    def with_condition(self, name: str, when: str) -> Defaults:
        """Return the defaults with another condition of the one with a name of :attr:`single`."""
        fields = {
            key: replace(one, when=when) if key == name else one for key, one in self.fields.items()
        }
        pod = tuple(
            replace(one, when=when) if name == f"pod.{one.field}" else one for one in self.pod
        )
        return replace(self, fields=fields, pod=pod)


def read(value: document.Defaults, path: str, problems: Problems) -> Defaults:
    """Read the defaults of a policy, and reject those that no API server would accept.

    Args:
        value: the defaults.
        path: the path of the defaults in the document.
        problems: collects the values that the API server would reject.
    """
    given = {name: getattr(value, attribute) for name, attribute in FIELDS.items()}
    policy = value.pod_failure_policy
    found = Defaults(
        fields={name: _field(default) for name, default in given.items() if default is not None},
        labels={key: _field(default) for key, default in (value.labels or {}).items()},
        annotations={key: _field(default) for key, default in (value.annotations or {}).items()},
        failure_policy=None if policy is None else _failure_policy(policy),
        pod=() if value.pod is None else pod_defaults.read(value.pod),
    )
    for field, message in _rejected(found):
        problems.add(f"{path}.{field}", f"the API server rejects this default: {message}")
    return found


def _field(default: document.Default[Any]) -> FieldDefault:
    at_least = default.at_least if isinstance(default, document.ShareDefault) else 0
    return FieldDefault(default.value, default.when, at_least)


def _rejected(found: Defaults) -> Iterator[tuple[str, str]]:
    """Yield the field and message of each default that the API server rejects in a suitable Job."""
    for name, default in found.fields.items():
        if isinstance(default.value, str) and name == "maxFailedIndexes":
            continue
        for field, message in _errors({name: default.value}):
            if field.startswith(f"spec.{name}"):
                yield f"{name}.value", message
    for part in METADATA:
        for key, default in getattr(found, part).items():
            for field, message in _errors({}, {part: {key: default.value}}):
                if field.startswith(f"metadata.{part}"):
                    yield f"{part}[{key}].value", message
    if found.failure_policy is not None:
        for part, rules in found.failure_policy.parts():
            for field, message in _errors({"podFailurePolicy": {"rules": [*rules]}}):
                _, inside, rest = field.partition("spec.podFailurePolicy.rules")
                # The sample Job does not have the containers of the real Job.
                if inside and not rest.endswith("containerName"):
                    yield f"podFailurePolicy.{part}{rest}", message
    if found.pod:
        template, places = pod_defaults.sample(found.pod)
        fields = [(field_path(steps, template), one.path) for one, steps in places]
        for field, message in _errors({"template": template}):
            _, inside, inner = field.partition("spec.template.")
            if inside:
                yield next((path for at, path in fields if is_part_of(inner, at)), "pod"), message


def _errors(
    spec: dict[str, Any], metadata: dict[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the errors of a Job that otherwise has everything that the values need."""
    for finding in engine_for(ApiServer()).validate(sample_job(spec, metadata)):
        if finding.severity == "error":
            yield finding.field, finding.message
