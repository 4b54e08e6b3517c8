"""A dry run in a cluster: what controllers would create, what webhooks add to a Pod, and what is refused.

Refusals become findings at the fields of the manifest, in the server's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.controller.actions import Creation
from jobsworth.controller.jobs import read_job
from jobsworth.controller.pod_body import pod_body
from jobsworth.controller.settings import settings_of
from jobsworth.findings.finding import Finding
from jobsworth.lint.linter import POD_RULES
from jobsworth.lint.neighbors import parts
from jobsworth.validation.reason_codes import CODES
from jobsworth.wording import listing

LISTS = ("initContainers", "containers")
TOKEN_VOLUME, TOKEN_PATH = "kube-api-access-", "/var/run/secrets/kubernetes.io/serviceaccount"
"""The volume that the API server itself adds, by the beginning of its name, and where it is mounted."""


def job_of_cron_job(cron_job: dict[str, Any], scheduled: int) -> dict[str, Any]:
    """Return the Job that the CronJob controller creates for a scheduled time.

    Source: ``getJobFromTemplate2`` in pkg/controller/cronjob/utils.go, Kubernetes 1.36.

    Args:
        cron_job: as the API server returns it.
        scheduled: seconds since 1970.
    """
    metadata, template = cron_job["metadata"], cron_job["spec"]["jobTemplate"]
    written = template.get("metadata") or {}
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{metadata['name']}-{scheduled // 60}",
            "namespace": metadata.get("namespace"),
            "labels": written.get("labels") or {},
            "annotations": written.get("annotations") or {},
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    }


def pod_of_job(job: dict[str, Any]) -> dict[str, Any] | None:
    """Return the first Pod that the Job controller creates; None for a Job of another controller.

    Args:
        job: as the API server returns it, with its UID and generated labels.

    Raises:
        BadTemplate: the template has no label.
    """
    managed_by = job["spec"].get("managedBy")
    settings = settings_of(managed_by)
    if not settings.manages(managed_by):
        return None
    read = read_job(job, settings)
    index = 0 if read.indexed else None
    return pod_body(read, Creation(index, 0 if read.per_index else None))


@dataclass(frozen=True, slots=True)
class InjectedContainers:
    """A manifest with the containers that webhooks add to its Pods.

    Attributes:
        manifest: with them in its Pod template.
        names: their names, in order.
        path: the field path of the PodSpec.
        places: for the lists of containers and volumes, the index of each item in the manifest as written;
            None for one that was added.
    """

    manifest: dict[str, Any]
    names: tuple[str, ...]
    path: str
    places: dict[str, list[int | None]]

    def own_field(self, field: str) -> tuple[str, bool]:
        """Return the field path in the manifest as written, and True if it is of an added item."""
        for name, places in self.places.items():
            found = re.match(rf"{re.escape(self.path)}\.{name}\[(\d+)\]", field)
            if found is None or int(found[1]) >= len(places):
                continue
            place = places[int(found[1])]
            if place is None:
                return self.path, True
            return f"{self.path}.{name}[{place}]{field[found.end() :]}", False
        return field, False


def with_injected_containers(
    manifest: dict[str, Any], pod: dict[str, Any]
) -> InjectedContainers | None:
    """Return a manifest with the containers that its Pod has beyond it; None if there are none.

    Args:
        manifest: a valid Job or CronJob, as written.
        pod: its Pod, as the API server admits it.
    """
    template = template_of(manifest)
    written, admitted = template.value["spec"], pod.get("spec") or {}
    spec = {**written}
    names: list[str] = []
    places: dict[str, list[int | None]] = {}
    for field in LISTS:
        own = {each.get("name"): index for index, each in enumerate(written.get(field) or ())}
        containers = parts(admitted, field)
        places[field] = [own.get(each.get("name")) for each in containers]
        added = [str(each.get("name")) for each in containers if each.get("name") not in own]
        if added:
            names += added
            spec[field] = [
                _without_token(each) if at is None else written[field][at]
                for each, at in zip(containers, places[field], strict=True)
            ]
    if not names:
        return None
    volumes = written.get("volumes") or []
    known = {volume.get("name") for volume in volumes}
    added_volumes = [
        volume
        for volume in parts(admitted, "volumes")
        if volume.get("name") not in known and not str(volume.get("name")).startswith(TOKEN_VOLUME)
    ]
    spec["volumes"] = volumes + added_volumes
    places["volumes"] = [*range(len(volumes)), *(None for _ in added_volumes)]
    changed = _with_template(manifest, {**template.value, "spec": spec})
    return InjectedContainers(changed, tuple(names), f"{template.path}.spec", places)


def findings_of_injected(
    injected: InjectedContainers,
    reported: Sequence[Finding],
    lint: Callable[[dict[str, Any]], Sequence[Finding]],
) -> list[Finding]:
    """Return the lint findings that only the manifest with the added containers has.

    Rules for any Pod are not reported of an added container: a user of the namespace cannot change it.

    Args:
        reported: the findings in the manifest as written.
        lint: returns the lint findings in a manifest.
    """
    known = {(finding.code, finding.field) for finding in reported}
    found = []
    for finding in lint(injected.manifest):
        field, is_added = injected.own_field(finding.field)
        if finding.source != "lint" or (finding.code, field) in known:
            continue
        if is_added and finding.code in POD_RULES:
            continue
        noun = "container is" if len(injected.names) == 1 else "containers are"
        message = (
            f"{finding.message} The {noun} injected by an admission webhook: "
            f"{listing(list(injected.names))}."
        )
        found.append(finding.changed(field=field, message=message, fix=None))
    return found


def _without_token(container: dict[str, Any]) -> dict[str, Any]:
    """Return a container without the mount of the token, which the API server adds."""
    mounts = [
        mount for mount in parts(container, "volumeMounts") if mount.get("mountPath") != TOKEN_PATH
    ]
    return {**container, "volumeMounts": mounts}


def _with_template(manifest: dict[str, Any], template: dict[str, Any]) -> dict[str, Any]:
    spec = manifest["spec"]
    if manifest["kind"] != "CronJob":
        return {**manifest, "spec": {**spec, "template": template}}
    job = spec["jobTemplate"]
    inner = {**job, "spec": {**job["spec"], "template": template}}
    return {**manifest, "spec": {**spec, "jobTemplate": inner}}


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
class StatusCause:
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
    causes: tuple[StatusCause, ...] = ()

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


def findings_of_object(refusal: Refusal, reported: Sequence[Finding]) -> list[Finding]:
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


def findings_of_job(refusal: Refusal) -> list[Finding]:
    """Return the findings about the Jobs that a CronJob cannot create."""
    if refusal.is_about_dry_run:
        return [_no_dry_run(refusal, "spec.jobTemplate")]
    if refusal.causes and all(cause.field for cause in refusal.causes):
        return [_of_cause(cause, f"spec.jobTemplate.{cause.field}") for cause in refusal.causes]
    message = f"The cluster accepts the CronJob but refuses its Jobs: {refusal.message}"
    return [_refused(message, "spec.jobTemplate")]


def findings_of_pod(refusal: Refusal, template: Template, owner: str) -> list[Finding]:
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


def _of_cause(cause: StatusCause, field: str) -> Finding:
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
