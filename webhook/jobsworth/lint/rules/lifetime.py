"""Rules for deadlines, restarts and cleanup of a Job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.hooks import ARGO_HOOK, HELM_HOOK, HELM_POLICY, values_of
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.wording import duration, rounded_duration

DAY, HOUR, MINUTE = 86400, 3600, 60
LONGEST_DELAY = 10 * MINUTE
"""The longest delay of the Job controller before it replaces a failed Pod."""
FOR_EVER = 3_650
"""The number of days of retries above which the number says nothing."""
MAX_DAYS_OF_RETRIES = 3
FAILS_AFTER_ITS_PODS_SINCE = 31
"""The minor version since which a Job gets its last condition only after its Pods (issue 123775)."""
DELETION_MARKS = (HELM_HOOK, ARGO_HOOK)
"""Annotations of Jobs that a deployment tool deletes when they have finished."""
RUN_BY_ARGO = ("pre-install", "post-install", "pre-upgrade", "post-upgrade")
"""The hooks of Helm that Argo CD runs as PreSync and PostSync when it installs a chart."""
SYNCHRONIZING_TOOLS = (("argocd.argoproj.io/", "Argo CD"), ("fluxcd.io/", "Flux"))
"""Tools that create a deleted Job again, by a substring of their labels and annotations."""


@lint_rule(
    "JW201",
    "no-deadline",
    severity="info",
    summary="A Job has no activeDeadlineSeconds.",
)
def no_deadline(job: LintedJob) -> Iterator[Diagnostic]:
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    if job.starts_runs("Forbid"):
        return  # forbid-without-deadline reports it, with its effect
    yield Diagnostic(
        f"{job.path}.activeDeadlineSeconds",
        "A Pod that hangs or cannot start keeps the Job running forever. Set activeDeadlineSeconds.",
    )


@lint_rule(
    "JW236",
    "retries-for-days",
    severity="warning",
    summary="A Pod that fails each time is retried for days, and no deadline ends it.",
    confidence="certain",
)
def retries_for_days(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: the delay between failures grows to ten minutes (MaxJobBackOff, Kubernetes 1.36)."""
    limit = job.spec.get("backoffLimit", 0)
    if "activeDeadlineSeconds" in job.spec or "backoffLimitPerIndex" in job.spec:
        return
    days = limit * LONGEST_DELAY // DAY
    if days >= MAX_DAYS_OF_RETRIES:
        often = f"{limit:,} times: for about {days:,} days, with a delay of 10 min"
        yield Diagnostic(
            f"{job.path}.backoffLimit",
            "A Pod that fails each time, because of a wrong argument for example, is retried "
            f"{often if days < FOR_EVER else 'practically forever'}. Set a lower backoffLimit, or "
            "activeDeadlineSeconds.",
        )


@lint_rule(
    "JW202",
    "pod-level-deadline",
    severity="warning",
    summary="activeDeadlineSeconds is set for the Pod, not for the Job.",
    fixable="unsafe",
)
def pod_level_deadline(job: LintedJob) -> Iterator[Diagnostic]:
    deadline = job.pod.get("activeDeadlineSeconds")
    if deadline is None or "activeDeadlineSeconds" in job.spec or not job.may_retry():
        return
    at = f"{job.pod_path}.activeDeadlineSeconds"
    yield Diagnostic(
        at,
        f"This deadline ends each Pod after {rounded_duration(deadline * 1000)}, and the Job then "
        f"starts another Pod. Set {job.path}.activeDeadlineSeconds to limit the Job.",
        Fix(
            "Move activeDeadlineSeconds to the Job",
            Edit("move", at, f"{job.path}.activeDeadlineSeconds"),
            safe=False,
        ),
    )


@lint_rule(
    "JW203",
    "deadline-zero",
    severity="warning",
    summary="activeDeadlineSeconds is 0.",
    confidence="certain",
)
def deadline_zero(job: LintedJob) -> Iterator[Diagnostic]:
    if job.spec.get("activeDeadlineSeconds") == 0:
        yield Diagnostic(
            f"{job.path}.activeDeadlineSeconds",
            "The Job fails immediately, because its deadline is 0 s. Remove the field for no deadline, or "
            "set a positive number of seconds.",
        )


@lint_rule(
    "JW204",
    "no-ttl",
    severity="info",
    summary="A Job that no CronJob manages has no ttlSecondsAfterFinished.",
    fixable="unsafe",
)
def no_ttl(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is not None or "ttlSecondsAfterFinished" in job.spec:
        return
    meta = job.written.get("metadata", {})
    marked = any(key.startswith(DELETION_MARKS) for key in meta.get("annotations", {}))
    if marked or meta.get("ownerReferences"):
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    tool = synchronizing_tool(meta)
    if tool:
        yield Diagnostic(
            at,
            f"The finished Job and its Pods are never cleaned up. {tool} would create a Job that a TTL "
            "deletes again: make the Job a hook, or delete it by hand.",
        )
        return
    yield Diagnostic(
        at,
        "The finished Job and its Pods are never cleaned up. Set ttlSecondsAfterFinished.",
        Fix(f"Set ttlSecondsAfterFinished: {DAY} (one day)", Edit("set", at, DAY), safe=False),
    )


def synchronizing_tool(meta: dict[str, Any]) -> str:
    """Return the tool that keeps the Job as it is in a repository; empty if none has left a mark."""
    for key in (*meta.get("labels", {}), *meta.get("annotations", {})):
        for mark, tool in SYNCHRONIZING_TOOLS:
            if mark in key:
                return tool
    return ""


@lint_rule(
    "JW205",
    "ttl-too-short",
    severity="warning",
    summary="ttlSecondsAfterFinished is less than a minute.",
    fixable="unsafe",
)
def ttl_too_short(job: LintedJob) -> Iterator[Diagnostic]:
    ttl = job.spec.get("ttlSecondsAfterFinished")
    if ttl is None or ttl >= MINUTE:
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    when = "immediately" if ttl == 0 else f"{ttl} s"
    yield Diagnostic(
        at,
        f"The Job is deleted {when} after it finishes, with its Pods, logs, exit codes and status. Set 60 s "
        "or more.",
        Fix(f"Set ttlSecondsAfterFinished: {HOUR} (one hour)", Edit("set", at, HOUR), safe=False),
    )


@lint_rule(
    "JW206",
    "onfailure-logs-lost",
    severity="info",
    summary="backoffLimit is set, but failed containers restart inside their Pods.",
    confidence="certain",
)
def onfailure_logs_lost(job: LintedJob) -> Iterator[Diagnostic]:
    limit = job.written_spec.get("backoffLimit")
    if limit is None or job.pod.get("restartPolicy") != "OnFailure":
        return
    # Never fails at limit + 1 failures, OnFailure at as many restarts (pastBackoffLimitOnFailure).
    restarts = max(limit, 1)
    number = "the first restart" if restarts == 1 else f"restart {restarts}"
    yield Diagnostic(
        f"{job.pod_path}.restartPolicy",
        f"With OnFailure, backoffLimit counts the restarts of all containers: {number} fails the Job and "
        "deletes its running Pods and their logs. Set restartPolicy: Never to keep failed Pods.",
    )


@lint_rule(
    "JW215",
    "grace-exceeds-deadline",
    severity="warning",
    summary="terminationGracePeriodSeconds is longer than activeDeadlineSeconds.",
    confidence="certain",
)
def grace_exceeds_deadline(job: LintedJob) -> Iterator[Diagnostic]:
    deadline = job.spec.get("activeDeadlineSeconds")
    grace = job.written_spec["template"]["spec"].get("terminationGracePeriodSeconds")
    if deadline and grace and grace > deadline:
        waits = job.server.minor >= FAILS_AFTER_ITS_PODS_SINCE
        effect = "and the Job fails only then" if waits else "although the Job has failed"
        yield Diagnostic(
            f"{job.pod_path}.terminationGracePeriodSeconds",
            f"After the deadline of {duration(deadline)} a Pod may take {duration(grace)} more to terminate, "
            f"{effect}. Set a shorter grace period.",
        )


@lint_rule(
    "JW228",
    "hook-ttl",
    severity="info",
    summary="A hook that Argo CD runs has a ttlSecondsAfterFinished of less than an hour.",
    fixable="unsafe",
)
def hook_ttl(job: LintedJob) -> Iterator[Diagnostic]:
    ttl = job.spec.get("ttlSecondsAfterFinished")
    if job.cron is not None or ttl is None or not MINUTE <= ttl < HOUR:
        return  # ttl-too-short reports less than a minute
    if ARGO_HOOK in job.annotations:
        who, policy = "Argo CD before 3.0", f"{ARGO_HOOK}-delete-policy"
    elif any(event in RUN_BY_ARGO for event in values_of(job.annotations, HELM_HOOK)):
        who = "Argo CD before 3.0, which runs the hooks of charts as its own,"
        policy = HELM_POLICY
    else:
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    yield Diagnostic(
        at,
        f"The TTL deletes the Job {duration(ttl)} after its end, and {who} waits forever for a hook that is "
        f"gone before its result is recorded. Set an hour or more, or remove the TTL; {policy} cleans up.",
        Fix(f"Set ttlSecondsAfterFinished: {HOUR} (one hour)", Edit("set", at, HOUR), safe=False),
    )
