"""Rules for the annotations that make a Job a hook of Helm or Argo CD: their words, place and deletion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import near
from jobsworth.lint import needs
from jobsworth.lint.effects import backs_up
from jobsworth.lint.hooks import (
    ARGO_HOOK,
    ARGO_PHASES,
    ARGO_POLICIES,
    ARGO_POLICY,
    BEFORE_CREATION,
    HELM_EVENTS,
    HELM_HOOK,
    HELM_POLICIES,
    HELM_POLICY,
    values_of,
)
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import CLAIM
from jobsworth.lint.rules.pod_annotations import moved_mark

WORDS = (
    (HELM_HOOK, HELM_EVENTS, "Helm knows no such event and does not create the object"),
    (HELM_POLICY, HELM_POLICIES, "Helm knows no such policy and does not delete the object for it"),
    (ARGO_HOOK, ARGO_PHASES, "Argo CD knows no such phase and does not create the object for it"),
    (ARGO_POLICY, ARGO_POLICIES, "Argo CD knows no such policy and ignores it"),
)
"""The annotations of hooks, their values, and what happens with another value."""

RELEASE_IN_NAME = re.compile(r"-(r?\d+|v?\d+[-.]\d.*|[0-9a-f]{6,}|\d{6,}.*)$")
"""The end of a name that differs in each release: a revision, version, hash or time."""


@lint_rule(
    "JW242",
    "hook-left-behind",
    severity="warning",
    summary="A hook of Helm is deleted when it succeeds, but neither when it fails nor before the next one.",
    fixable="safe",
    needs=needs.any_annotations,
)
def hook_left_behind(job: LintedJob) -> Iterator[Diagnostic]:
    policies = values_of(job.annotations, HELM_POLICY)
    if HELM_HOOK not in job.annotations:
        return
    yield from _objects_left_behind(job)
    if policies != ["hook-succeeded"]:
        return
    if not job.name or RELEASE_IN_NAME.search(job.name):
        return
    field = f"metadata.annotations[{HELM_POLICY}]"
    value = ",".join(("before-hook-creation", *policies))
    yield Diagnostic(
        field,
        f"If the hook fails, {job.name} stays, and its next run fails because it exists already. "
        "Add before-hook-creation, which is the default only without this annotation.",
        Fix("Add before-hook-creation", Edit("set", field, value), safe=True),
    )


def _objects_left_behind(job: LintedJob) -> Iterator[Diagnostic]:
    """Report the objects that a hook needs, and that are hooks which are only deleted on success."""
    reported: set[tuple[str, str]] = set()
    for reference in job.references if job.neighbors is not None else ():
        kind, name = reference.kind, reference.name
        if job.neighbors is None or (kind, name) in reported or RELEASE_IN_NAME.search(name):
            continue
        reported.add((kind, name))
        for each in job.neighbors.reachable(kind, name, job.namespace):
            if HELM_HOOK not in each.annotations:
                continue
            if values_of(each.annotations, HELM_POLICY) == ["hook-succeeded"]:
                yield Diagnostic(
                    reference.field,
                    f"If a hook of this event fails, the {kind} {name}{each.place} stays, and the next run "
                    "fails because it exists already. Add before-hook-creation to its deletion policy.",
                )


@lint_rule(
    "JW279",
    "claim-of-hook-deleted",
    severity="warning",
    summary="Helm deletes the volume claim with the backups of a hook before it creates it again.",
    needs=needs.neighbors,
)
def claim_of_hook_deleted(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: Helm, "Chart Hooks": hooks are deleted before a new one, and are no part of the release."""
    if job.neighbors is None or not any(backs_up(each.words) for each in job.commands):
        return
    for reference in job.references:
        for each in job.neighbors.reachable(CLAIM, reference.name, job.namespace):
            policies = values_of(each.annotations, HELM_POLICY) or [BEFORE_CREATION[0]]
            deleted = BEFORE_CREATION[0] in policies or "hook-succeeded" in policies
            if reference.kind == CLAIM and HELM_HOOK in each.annotations and deleted:
                yield Diagnostic(
                    reference.field,
                    f"The PersistentVolumeClaim {each.name}{each.place} is a hook: Helm deletes it, with all "
                    "earlier backups, before it creates it for the next release. Make it no hook, with "
                    "helm.sh/resource-policy: keep.",
                )
                return


@lint_rule(
    "JW243",
    "failed-hook-deleted",
    severity="info",
    summary="A hook is deleted when it fails, with its log.",
    fixable="unsafe",
    needs=needs.any_annotations,
)
def failed_hook_deleted(job: LintedJob) -> Iterator[Diagnostic]:
    for key, policy, first in (
        (HELM_POLICY, "hook-failed", "before-hook-creation"),
        (ARGO_POLICY, "HookFailed", "BeforeHookCreation"),
    ):
        policies = values_of(job.annotations, key)
        if policy not in policies:
            continue
        field = f"metadata.annotations[{key}]"
        kept = [first, *(each for each in policies if each not in (policy, first))]
        ttl = " ttlSecondsAfterFinished has no effect then." if _has_ttl(job) else ""
        yield Diagnostic(
            field,
            f"{policy} deletes the Job and its Pods as soon as it fails, with the log that says why.{ttl} "
            f"Remove {policy}; {first} removes the Job before the next one.",
            Fix(f"Write {','.join(kept)}", Edit("set", field, ",".join(kept)), safe=False),
        )


def _has_ttl(job: LintedJob) -> bool:
    return "ttlSecondsAfterFinished" in job.spec


@lint_rule(
    "JW246",
    "unknown-hook",
    severity="warning",
    summary="An annotation for hooks has a value that its tool does not know.",
    fixable="unsafe",
    needs=needs.any_annotations,
)
def unknown_hook(job: LintedJob) -> Iterator[Diagnostic]:
    for key, known, effect in WORDS:
        written = values_of(job.annotations, key)
        wrong = [each for each in written if each not in known and "{" not in each]
        if not wrong:
            continue
        field = f"metadata.annotations[{key}]"
        meant = {each: near(each, known) for each in wrong}
        fix, advice = None, f"Write one of {', '.join(known)}."
        if all(each is not None for each in meant.values()):
            names = {each: found.name for each, found in meant.items() if found is not None}
            value = ",".join(names.get(each, each) for each in written)
            fix = Fix(f"Write {value}", Edit("set", field, value), safe=False)
            advice = f"Write {value} if it is meant."
        yield Diagnostic(field, f"{wrong[0]}: {effect}. {advice}", fix)


@lint_rule(
    "JW247",
    "hook-on-template",
    severity="warning",
    summary="An annotation of a release tool is on the Pod template, where the tool does not read it.",
    fixable="unsafe",
    needs=needs.any_annotations,
)
def hook_on_template(job: LintedJob) -> Iterator[Diagnostic]:
    template = f"{job.path}.template.metadata.annotations"
    for key in job.template_metadata.get("annotations", {}):
        if not key.startswith((HELM_HOOK, ARGO_HOOK, "argocd.argoproj.io/sync-")):
            continue
        if key in job.annotations:
            continue
        field = f"{template}[{key}]"
        yield Diagnostic(
            field,
            f"{key} has no effect on the Pod template, because the release tool reads it on the object that "
            "it creates. Move it to metadata.annotations.",
            Fix(
                "Move the annotation to the metadata of the object",
                *moved_mark(
                    job.template_metadata, "annotations", field, f"metadata.annotations[{key}]"
                ),
                safe=False,
            ),
        )


@lint_rule(
    "JW267",
    "suspended-hook",
    severity="warning",
    summary="A release tool waits for a hook that is created suspended.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.any_annotations,
)
def suspended_hook(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is not None or not job.spec.get("suspend"):
        return
    for key, tool in ((HELM_HOOK, "Helm"), (ARGO_HOOK, "Argo CD")):
        if key in job.annotations and values_of(job.annotations, key) != ["Skip"]:
            field = f"{job.path}.suspend"
            yield Diagnostic(
                field,
                f"{tool} waits until a hook is complete, and this one is created suspended: the release "
                "hangs until its timeout, unless something resumes the Job. Set suspend: false.",
                Fix("Set suspend: false", Edit("set", field, False), safe=False),
            )
            return
