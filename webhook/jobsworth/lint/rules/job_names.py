"""Rules for the names of Jobs, and of the Jobs and Pods of a CronJob."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.api.meta.object_meta import check_lists_and_maps
from jobsworth.findings.finding import Finding
from jobsworth.lint import needs
from jobsworth.lint.hooks import ARGO_HOOK, HELM_HOOK
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import Neighbors, mapping
from jobsworth.validation.engine import engine_for
from kube_cel.formats.names import dns_label

RUN = "-29000000"
"""Suffix of a Job name that the CronJob controller adds: minutes since 1970, 8 digits until 2160."""
GENERATED_NAME_MAX_LENGTH = 58
"""Length to which the API server truncates generateName before it adds five random characters."""


@lint_rule(
    "JW290",
    "generated-name",
    severity="info",
    summary="An object has generateName and no name: tools that apply manifests reject it.",
    confidence="opinion",
    needs=needs.a_generated_name,
)
def generated_name(job: LintedJob) -> Iterator[Diagnostic]:
    """Report it unless Argo CD creates the object as a hook, which may have a generated name."""
    if job.name or not job.written["metadata"].get("generateName") or ARGO_HOOK in job.annotations:
        return
    yield Diagnostic(
        "metadata.generateName",
        "Only kubectl create accepts generateName without a name: kubectl apply, kustomize and Flux reject "
        "the manifest. Set metadata.name if one of them applies it.",
    )


@lint_rule(
    "JW416",
    "jobs-refused",
    severity="warning",
    summary="The API server accepts a CronJob but rejects its Jobs.",
    confidence="certain",
    needs=needs.a_generated_name,
)
def jobs_refused(job: LintedJob) -> Iterator[Diagnostic]:
    """Validate the Job that the controller will create; no finding if the CronJob itself is rejected."""
    if job.cron is None or not job.name:
        return
    template = job.written["spec"]["jobTemplate"]
    metadata = {
        part: template["metadata"][part]
        for part in ("labels", "annotations")
        if part in template["metadata"]
    }
    if not _may_be_refused(job, metadata):
        return
    created = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**metadata, "name": job.name + RUN},
        "spec": template["spec"],
    }
    engine = engine_for(job.server)
    rejections = _errors(engine.validate(created))
    if not rejections or _errors(engine.validate(job.written)):
        return
    for rejection in rejections:
        yield Diagnostic(
            _field_of_cron_job(rejection.field),
            f"The API server will reject each Job of this CronJob: {rejection.message}",
        )


def _may_be_refused(job: LintedJob, metadata: dict[str, Any]) -> bool:
    """Return True if a Job may have an error by its metadata: all else was validated with its CronJob."""
    pod_labels = job.written_spec["template"]["metadata"].get("labels", {})
    last = job.spec.get("completions", 0) - 1
    return (
        (job.indexed and last >= 0 and bool(dns_label(f"{job.name}{RUN}-{last}")))
        or any(label in pod_labels for label in GENERATED_LABELS)
        or any(check_lists_and_maps(metadata, "metadata", job.server))
    )


def _errors(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def _field_of_cron_job(field: str) -> str:
    """Return the path, in the CronJob, of a field of its Jobs."""
    return field if field == "metadata.name" else f"spec.jobTemplate.{field}"


@lint_rule(
    "JW417",
    "truncated-pod-names",
    severity="info",
    summary="The name of a CronJob is so long that the names of its Pods are truncated.",
    confidence="certain",
    needs=needs.a_generated_name,
)
def truncated_pod_names(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is None or not job.name:
        return
    suffix = "-"
    if job.indexed and job.spec.get("completions"):
        suffix = f"-{job.spec['completions'] - 1}-"
    surplus = len(job.name + RUN + suffix) - GENERATED_NAME_MAX_LENGTH
    # The name of a Pod without index first loses its hyphen, which does no harm.
    if surplus > (0 if job.indexed else 1):
        longest = len(job.name) - surplus + (0 if job.indexed else 1)
        yield Diagnostic(
            "metadata.name",
            "The names of the Pods are truncated and lose the end of the number that identifies the run. "
            f"Use a name of at most {longest} characters.",
        )


@lint_rule(
    "JW280",
    "name-twice-in-file",
    severity="warning",
    summary="A file has two different objects of the same kind, namespace and name.",
    needs=needs.others_in_file,
)
def name_twice_in_file(job: LintedJob) -> Iterator[Diagnostic]:
    """Report all but the first: hooks of different events may share a name, and equal copies do no harm."""
    if _is_hook(job.annotations) or not job.others_before(_is_no_hook):
        return
    effect = (
        "kubectl apply changes that one to this one, without a warning, and only this one runs"
        if job.cron is not None
        else "kubectl apply takes this one for a change of that one: no second run starts, and it fails if "
        "the Pod templates differ"
    )
    yield Diagnostic("metadata.name", _name_twice(job.kind, job.name, effect))


def other_name_twice_in_file(value: Any, neighbors: Neighbors) -> Finding | None:
    """Return the finding of the same rule about an object of another kind in the file of a Job."""
    if not _is_no_hook(value) or not neighbors.others_before(value, _is_no_hook):
        return None
    effect = (
        "kubectl apply changes that one to this one, without a warning, and only this one is left"
    )
    message = _name_twice(value["kind"], value["metadata"]["name"], effect)
    return name_twice_in_file.finding("metadata.name", message)


def _name_twice(kind: str, name: str, effect: str) -> str:
    return (
        f"Another {kind} {name} stands before this one in the same file: {effect}. Give each a name of its "
        "own, or remove one."
    )


def _is_no_hook(value: Any) -> bool:
    return not _is_hook(mapping(value, "metadata", "annotations"))


def _is_hook(annotations: Mapping[str, Any]) -> bool:
    return HELM_HOOK in annotations or ARGO_HOOK in annotations
