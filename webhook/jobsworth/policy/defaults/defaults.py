"""What a document fills in: the ``defaults`` of a JobPolicy.

Each says when it applies:

- ``ifUnset``: nobody wrote the field. Where the server's own default stands there already and it cannot be
  told whether somebody wrote it (after a plain create), the field stays as it is.
- ``ifServerDefault``: the field is unset, or has the server's own default and nobody is known to have
  written it.
- ``always``: whatever stands there.

What was written is known by :mod:`jobsworth.provenance.field_ownership`. The rules that a document adds to a
failure policy are added in any case, and are not added again where they are there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.api.server import ApiServer
from jobsworth.policy.defaults import defaults_schema, failure_policy_defaults
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from jobsworth.policy.defaults.failure_policy_defaults import FailurePolicyDefault
    from jobsworth.policy.language.problems import Problems

IF_UNSET, IF_SERVER_DEFAULT, ALWAYS = defaults_schema.WHEN

FIELDS = (
    "suspend", "managedBy", "backoffLimitPerIndex", "maxFailedIndexes", "backoffLimit",
    "podReplacementPolicy", "activeDeadlineSeconds", "ttlSecondsAfterFinished",
)  # fmt: skip
"""The fields of a JobSpec that have a default of one value, in the order in which they are filled in."""

METADATA = ("labels", "annotations")


@dataclass(frozen=True, slots=True)
class FieldDefault:
    """The default of one field, label or annotation.

    Attributes:
        value: what it becomes; of ``maxFailedIndexes`` also a percentage of the completions.
        when: ``ifUnset``, ``ifServerDefault`` or ``always``.
        at_least: the least number that a percentage becomes.
    """

    value: Any
    when: str = IF_UNSET
    at_least: int = 0


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults of a document.

    Attributes:
        fields: by the name of the field in the JobSpec.
        labels, annotations: by key.
        failure_policy: a whole failure policy, or rules of one; None where there is neither.
    """

    fields: Mapping[str, FieldDefault]
    labels: Mapping[str, FieldDefault]
    annotations: Mapping[str, FieldDefault]
    failure_policy: FailurePolicyDefault | None


def read(value: Mapping[str, Any], path: str, problems: Problems) -> Defaults:
    """The defaults of a document.

    Args:
        value: well-formed by the schema.
        path: of the defaults in the document.
        problems: takes the values that the API server would refuse.
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
    for field, message in _refused(found, value):
        problems.add(f"{path}.{field}", f"the API server refuses this default: {message}")
    return found


def _read(value: Any) -> FieldDefault:
    if not isinstance(value, dict):
        return FieldDefault(value)
    return FieldDefault(value["value"], value.get("when", IF_UNSET), value.get("atLeast", 0))


def _refused(found: Defaults, document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What an API server says to each default in a Job that suits it: field of the document, message."""
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
                # Which containers there are, only the Job knows.
                if inside and not rest.endswith("containerName"):
                    yield f"podFailurePolicy.{part}{rest}", message


def _inside(name: str, document: Mapping[str, Any]) -> str:
    return f"{name}.value" if isinstance(document[name], dict) else name


def _errors(
    spec: dict[str, Any], metadata: dict[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """The errors of a Job that has what the values need."""
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
