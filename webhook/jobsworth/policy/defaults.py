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

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.defaults_schema import WHEN
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from jobsworth.policy.problems import Problems

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


def read_failure_policy(value: Mapping[str, Any]) -> FailurePolicyDefault:
    """Read the failure policy defaults, valid against the schema."""
    whole = value.get("value")
    return FailurePolicyDefault(
        None if whole is None else {"rules": [_complete(rule) for rule in whole["rules"]]},
        value.get("when", "ifUnset"),
        tuple(map(_complete, value.get("rulesBefore", ()))),
        tuple(map(_complete, value.get("rulesAfter", ()))),
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


def _complete(rule: Rule) -> Rule:
    """Return a rule with the server's defaults, which Kubernetes 1.33 and earlier do not set in a CronJob."""
    patterns = rule.get("onPodConditions")
    if not patterns:
        return rule
    return {**rule, "onPodConditions": [{"status": "True", **pattern} for pattern in patterns]}


IF_UNSET, IF_SERVER_DEFAULT, ALWAYS = WHEN

FIELDS = (
    "suspend", "managedBy", "backoffLimitPerIndex", "maxFailedIndexes", "backoffLimit",
    "podReplacementPolicy", "activeDeadlineSeconds", "ttlSecondsAfterFinished",
)  # fmt: skip
"""The JobSpec fields with a single-value default, in the order in which they are set."""

METADATA = ("labels", "annotations")


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
    """

    fields: Mapping[str, FieldDefault]
    labels: Mapping[str, FieldDefault]
    annotations: Mapping[str, FieldDefault]
    failure_policy: FailurePolicyDefault | None


def read(value: Mapping[str, Any], path: str, problems: Problems) -> Defaults:
    """Read the defaults of a policy, and reject those that no API server would accept.

    Args:
        value: the defaults, valid against the schema.
        path: the path of the defaults in the document.
        problems: collects the values that the API server would reject.
    """
    metadata = {
        part: {key: _read(item) for key, item in (value.get(part) or {}).items()}
        for part in METADATA
    }
    policy = value.get("podFailurePolicy")
    found = Defaults(
        fields={name: _read(value[name]) for name in FIELDS if name in value},
        labels=metadata["labels"],
        annotations=metadata["annotations"],
        failure_policy=None if policy is None else read_failure_policy(policy),
    )
    for field, message in _rejected(found):
        problems.add(f"{path}.{field}", f"the API server rejects this default: {message}")
    return found


def _read(value: Mapping[str, Any]) -> FieldDefault:
    return FieldDefault(value["value"], value.get("when", IF_UNSET), value.get("atLeast", 0))


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


def _errors(
    spec: dict[str, Any], metadata: dict[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the errors of a Job that otherwise has everything that the values need."""
    container = {"name": "main", "image": "busybox:1.36"}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sample", **(metadata or {})},
        "spec": {
            "completionMode": "Indexed",
            "completions": 100_000,
            "backoffLimitPerIndex": 1,
            **spec,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }
    for finding in engine_for(ApiServer()).validate(job):
        if finding.severity == "error":
            yield finding.field, finding.message
