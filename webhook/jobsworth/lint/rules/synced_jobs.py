"""Rules for Jobs that a GitOps tool keeps as they are in a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.hooks import ARGO_HOOK, HELM_HOOK
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.neighbors import APPLICATION, FLUX_KUSTOMIZATION, part
from jobsworth.lint.rules.lifetime import synchronizing_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import LintedJob

NOT_RECONCILED = (
    ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
    ("kustomize.toolkit.fluxcd.io/ssa", "Ignore"),
)
"""Annotations for which Flux leaves an object alone."""

SYNC_OPTIONS, REPLACE, FORCE = "argocd.argoproj.io/sync-options", "Replace=true", "Force=true"


def applies(job: LintedJob) -> bool:
    return job.cron is None


@lint_rule(
    "JW244",
    "ttl-of-synced-job",
    severity="warning",
    summary="A TTL deletes a Job that Argo CD or Flux creates again.",
    fixable="unsafe",
)
def ttl_of_synced_job(job: LintedJob) -> Iterator[Diagnostic]:
    if "ttlSecondsAfterFinished" not in job.spec:
        return
    annotations = job.annotations
    if ARGO_HOOK in annotations or HELM_HOOK in annotations or not job.name:
        return
    if any(annotations.get(key) == value for key, value in NOT_RECONCILED):
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
)
def replace_without_force(job: LintedJob) -> Iterator[Diagnostic]:
    written = job.annotations.get(SYNC_OPTIONS, "")
    options = [option.strip() for option in written.split(",")]
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
