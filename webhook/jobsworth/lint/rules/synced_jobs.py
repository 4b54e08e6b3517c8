"""Rules for Jobs that a release tool keeps as they are in a repository or chart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.hooks import (
    ARGO_HOOK,
    FORCE,
    HELM_HOOK,
    REPLACE,
    SYNC_OPTIONS,
    recreation_of,
    values_of,
)
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import APPLICATION, FLUX_KUSTOMIZATION, part
from jobsworth.lint.rules.lifetime import synchronizing_tool

NOT_RECONCILED = (
    ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
    ("kustomize.toolkit.fluxcd.io/ssa", "Ignore"),
)
"""Annotations for which Flux leaves an object alone."""

NOT_UPDATED = (*NOT_RECONCILED, ("kustomize.toolkit.fluxcd.io/ssa", "IfNotPresent"))
"""Annotations with which Flux leaves an object alone that exists
(https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources)."""
MARKS_OF_HELM = ("helm.sh/chart", "meta.helm.sh/release-name")
MIN_VERSION_LENGTH = 2
"""A shorter tag is found in any name."""
_REVISION = re.compile(r"-\d+$")
_VERSIONED = re.compile(r"-v?\d+([.-]\d+)+|-(?=[0-9a-f]*\d)[0-9a-f]{5,}$|-\d{4,}|-v\d+")


@lint_rule(
    "JW244",
    "ttl-of-synced-job",
    severity="warning",
    summary="A TTL deletes a Job that Argo CD or Flux creates again.",
    fixable="unsafe",
    needs=needs.a_job,
)
def ttl_of_synced_job(job: LintedJob) -> Iterator[Diagnostic]:
    if "ttlSecondsAfterFinished" not in job.spec:
        return
    annotations = job.annotations
    if ARGO_HOOK in annotations or HELM_HOOK in annotations or not job.name:
        return
    if _has_any(annotations, NOT_RECONCILED):
        return
    tool = synchronizing_tool(job.written.get("metadata", {})) or _tool_beside(job)
    if not tool:
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    how = (
        "make the Job a hook (argocd.argoproj.io/hook)"
        if tool == "Argo CD"
        else "keep the finished Job"
    )
    yield Diagnostic(
        at,
        f"{tool} creates the Job again, and runs its work again, whenever the TTL has deleted it; without "
        f"automatic syncs it reports the Job as missing. Remove the TTL, and {how}.",
        Fix("Remove ttlSecondsAfterFinished", Edit("delete", at), safe=False),
    )


@lint_rule(
    "JW291",
    "replace-without-force",
    severity="warning",
    summary="Argo CD replaces a Job without deleting it: a change of its Pod template is rejected.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_job_with_annotations,
)
def replace_without_force(job: LintedJob) -> Iterator[Diagnostic]:
    options = values_of(job.annotations, SYNC_OPTIONS)
    if REPLACE not in options or FORCE in options or ARGO_HOOK in job.annotations:
        return
    at = f"metadata.annotations[{SYNC_OPTIONS}]"
    wanted = ",".join([*options, FORCE])
    yield Diagnostic(
        at,
        "Replace=true replaces the Job by an update, and the API server rejects each change of its Pod "
        "template. Add Force=true, with which Argo CD deletes and creates the Job.",
        Fix(f"Set {SYNC_OPTIONS}: {wanted}", Edit("set", at, wanted), safe=False),
    )


def _has_any(annotations: dict[str, str], pairs: Iterable[tuple[str, str]]) -> bool:
    return any(annotations.get(key) == value for key, value in pairs)


def _tool_beside(job: LintedJob) -> str:
    """Return the tool of which an object beside a Job syncs its namespace; empty if there is none."""
    if job.neighbors is None:
        return ""
    for kind, tool, path in (
        (APPLICATION, "Argo CD", ("spec", "destination", "namespace")),
        (FLUX_KUSTOMIZATION, "Flux", ("spec", "targetNamespace")),
    ):
        for each in job.neighbors.of_kind(kind):
            target = part(each.value, *path)
            if not job.namespace or target in (None, job.namespace):
                return tool
    return ""


@lint_rule(
    "JW257",
    "changed-under-one-name",
    severity="warning",
    summary="A release tool updates a Job in place, and a Job's template cannot change.",
    needs=needs.a_job,
)
def changed_under_one_name(job: LintedJob) -> Iterator[Diagnostic]:
    annotations = job.annotations
    if not job.name or "ttlSecondsAfterFinished" in job.spec:
        return
    if ARGO_HOOK in annotations or HELM_HOOK in annotations:
        return
    if REPLACE in values_of(annotations, SYNC_OPTIONS):
        return  # replace_without_force reports it
    if _has_any(annotations, NOT_UPDATED):
        return
    metadata = job.written.get("metadata", {})
    if recreation_of(metadata, job.neighbors) is not None:
        return
    tool = synchronizing_tool(metadata) or _tool_beside(job)
    helm = any(
        mark in metadata.get(part, {})
        for part in ("labels", "annotations")
        for mark in MARKS_OF_HELM
    )
    if not tool and not helm:
        return
    version = _version(job)
    if not version or _is_in(version, job.name) or _VERSIONED.search(job.name):
        return
    if tool != "Argo CD" and _REVISION.search(job.name):
        return  # the revision of the release, which is always 1 under Argo CD
    yield Diagnostic(
        "metadata.name",
        f"The template of a Job cannot change, and {tool or 'Helm'} updates this Job in place: the first "
        f"release with another image than {version[:60]} fails (field is immutable) until the Job is "
        "deleted. Put the version into the name, or make the Job a hook that is deleted before it is "
        "created.",
    )


def _version(job: LintedJob) -> str:
    """Return the tag of the image of a Job that is a version; empty if there is none."""
    for container in job.pod.get("containers", ()):
        name = container.get("image", "").partition("@")[0]
        tag: str = name.rpartition("/")[2].partition(":")[2]
        if len(tag) >= MIN_VERSION_LENGTH and any(each.isdigit() for each in tag):
            return tag
    return ""


def _is_in(version: str, name: str) -> bool:
    """Return True if a name contains a version, in any form that a name can have.

    >>> _is_in("v1.9.4", "shop-migrate-v1-9-4"), _is_in("v1.9.4", "shop-migrate")
    (True, False)
    """
    return re.sub(r"[^a-z0-9]+", "-", version.lower()).strip("-") in name.replace(".", "-")
