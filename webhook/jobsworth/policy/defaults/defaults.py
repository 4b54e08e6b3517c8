"""The ``defaults`` of a policy: values that the mutating webhook sets.

Each default has a condition:

- ``ifUnset``: the field is known to be unset by the client. If the field equals the server's default and it
  is unknown whether a client wrote it (after a plain create), the field stays unchanged.
- ``ifServerDefault``: the field is unset, or equals the server's default and no client is known to have
  written it.
- ``always``: always set the field.

:mod:`jobsworth.provenance.field_ownership` determines the fields that a client wrote. Rules that a policy
adds to a failure policy are always added, except rules that are already present.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.defaults import defaults_schema, failure_policy_defaults
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from jobsworth.policy.defaults.failure_policy_defaults import FailurePolicyDefault
    from jobsworth.policy.problems import Problems

IF_UNSET, IF_SERVER_DEFAULT, ALWAYS = defaults_schema.WHEN

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
        failure_policy=None if policy is None else failure_policy_defaults.read(policy),
    )
    for field, message in _rejected(found, value):
        problems.add(f"{path}.{field}", f"the API server rejects this default: {message}")
    return found


def _read(value: Any) -> FieldDefault:
    if not isinstance(value, dict):
        return FieldDefault(value)
    return FieldDefault(value["value"], value.get("when", IF_UNSET), value.get("atLeast", 0))


def _rejected(found: Defaults, document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the field and message of each default that the API server rejects in a suitable Job."""
    for name, default in found.fields.items():
        if isinstance(default.value, str) and name == "maxFailedIndexes":
            continue
        for field, message in _errors({name: default.value}):
            if field.startswith(f"spec.{name}"):
                yield _inside(name, document), message
    for part in METADATA:
        for key, default in getattr(found, part).items():
            for field, message in _errors({}, {part: {key: default.value}}):
                if field.startswith(f"metadata.{part}"):
                    yield f"{part}[{key}]", message
    if found.failure_policy is not None:
        for part, rules in found.failure_policy.parts():
            for field, message in _errors({"podFailurePolicy": {"rules": [*rules]}}):
                _, inside, rest = field.partition("spec.podFailurePolicy.rules")
                # The sample Job does not have the containers of the real Job.
                if inside and not rest.endswith("containerName"):
                    yield f"podFailurePolicy.{part}{rest}", message


def _inside(name: str, document: Mapping[str, Any]) -> str:
    return f"{name}.value" if isinstance(document[name], dict) else name


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
