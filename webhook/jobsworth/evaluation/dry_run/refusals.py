"""A cluster's refusals in a dry run, as findings at the fields of the manifest, in the server's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.findings.finding import Finding
from jobsworth.validation.reason_codes import CODES

REFUSED, PODS_REFUSED, NO_DRY_RUN = "ClusterRefusal", "PodsRefused", "DryRunUnsupported"

NO_DRY_RUN_HINT = (
    "what it would do is unknown; declare sideEffects: None or NoneOnDryRun in its configuration"
)
_HINTS = {
    "exceeded quota": "lower the requests and limits, or free or raise the quota",
    "failed quota": "set what the quota requires in resources of the containers",
    "violates PodSecurity": "set the fields that the message names in the Pod template, or use a namespace "
    "with another level",
    "error looking up service account": "create the ServiceAccount first, or name another one",
}
"""Hints by a part of the server's message."""
_NAMED_CONTAINERS = re.compile(
    r'\bcontainers? ((?:"[^"]+"(?:, )?)+)|\bmust specify [\w./,-]+ for: (\S+)'
)
"""The containers in messages of PodSecurity and ResourceQuota."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause in a refusal.

    Attributes:
        reason: such as ``FieldValueInvalid``.
        field: the field path in the refused object; may be empty.
        message: the problem.
    """

    reason: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer of an API server that refuses an object.

    Attributes:
        code: the HTTP status.
        reason: such as ``Forbidden``.
        message: the words of the server.
        causes: those of an invalid object.
    """

    code: int
    reason: str
    message: str
    causes: tuple[Cause, ...] = ()

    @property
    def is_about_dry_run(self) -> bool:
        """True if a webhook does not support dry runs, so that the object was not admitted to the end."""
        return "does not support dry run" in self.message


@dataclass(frozen=True, slots=True)
class Template:
    """The Pod template of a manifest.

    Attributes:
        path: its field path.
        value: as written.
    """

    path: str
    value: dict[str, Any]

    def place_of(self, message: str) -> str:
        """Return the field path of what a refusal of the Pod is about: a container that it names."""
        if "service account" in message:
            return f"{self.path}.spec.serviceAccountName"
        named = _NAMED_CONTAINERS.search(message)
        if named is not None:
            names = re.findall(r'"([^"]+)"', named[1]) if named[1] else named[2].split(",")
            for field in ("containers", "initContainers"):
                for index, container in enumerate(self.value["spec"].get(field) or ()):
                    if container.get("name") in names:
                        return f"{self.path}.spec.{field}[{index}]"
        return f"{self.path}.spec"


def template_of(value: dict[str, Any]) -> Template:
    """Return the Pod template of a valid Job or CronJob."""
    if value["kind"] == "CronJob":
        return Template(
            "spec.jobTemplate.spec.template", value["spec"]["jobTemplate"]["spec"]["template"]
        )
    return Template("spec.template", value["spec"]["template"])


def of_object(refusal: Refusal, reported: Sequence[Finding]) -> list[Finding]:
    """Return the findings about a Job or CronJob that the cluster refuses.

    Args:
        reported: the findings of the evaluation: what they say is not repeated.
    """
    if refusal.is_about_dry_run:
        return [_no_dry_run(refusal, "")]
    errors = [finding for finding in reported if finding.severity == "error"]
    if errors and refusal.code == 400:
        return []  # decoding: the evaluation names each field
    known = {(finding.field, finding.message) for finding in errors}
    if refusal.causes and all(cause.field for cause in refusal.causes):
        return [
            _of_cause(cause, cause.field)
            for cause in refusal.causes
            if (cause.field, cause.message) not in known
        ]
    field = "metadata.namespace" if refusal.code == 404 else ""
    return [_refused(refusal.message, field)]


def of_job(refusal: Refusal) -> list[Finding]:
    """Return the findings about the Jobs that a CronJob cannot create."""
    if refusal.is_about_dry_run:
        return [_no_dry_run(refusal, "spec.jobTemplate")]
    if refusal.causes and all(cause.field for cause in refusal.causes):
        return [_of_cause(cause, f"spec.jobTemplate.{cause.field}") for cause in refusal.causes]
    message = f"The cluster accepts the CronJob but refuses its Jobs: {refusal.message}"
    return [_refused(message, "spec.jobTemplate")]


def of_pod(refusal: Refusal, template: Template, owner: str) -> list[Finding]:
    """Return the findings about the Pods that a Job cannot create.

    Args:
        template: the Pod template of the manifest.
        owner: the kind of the manifest.
    """
    if refusal.is_about_dry_run:
        return [_no_dry_run(refusal, template.path)]
    whose = "the Pods of its Jobs" if owner == "CronJob" else "its Pods"
    begin = f"The cluster accepts the {owner} but refuses {whose}"
    if refusal.causes and all(cause.field for cause in refusal.causes):
        places = [(f"{template.path}.{cause.field}", cause.message) for cause in refusal.causes]
    else:
        places = [(template.place_of(refusal.message), refusal.message)]
    return [
        Finding(
            source="child",
            severity="error",
            code=CODES[PODS_REFUSED],
            field=field,
            reason=PODS_REFUSED,
            message=f"{begin}: {message}",
            hint=_hint(message),
        )
        for field, message in places
    ]


def _of_cause(cause: Cause, field: str) -> Finding:
    code = CODES.get(cause.reason)
    return Finding(
        source="api",
        severity="error",
        code=code or CODES[REFUSED],
        field=field,
        reason=cause.reason if code else REFUSED,
        message=cause.message,
    )


def _refused(message: str, field: str) -> Finding:
    return Finding(
        source="api",
        severity="error",
        code=CODES[REFUSED],
        field=field,
        reason=REFUSED,
        message=message,
        hint=_hint(message),
    )


def _no_dry_run(refusal: Refusal, field: str) -> Finding:
    return Finding(
        source="api",
        severity="warning",
        code=CODES[NO_DRY_RUN],
        field=field,
        reason=NO_DRY_RUN,
        message=refusal.message,
        hint=NO_DRY_RUN_HINT,
    )


def _hint(message: str) -> str:
    return next((hint for part, hint in _HINTS.items() if part in message), "")
