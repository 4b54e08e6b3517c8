"""Rules about the life of a Job: when it is given up, when it is deleted, and what is left of it then."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject


DAY, HOUR, MINUTE = 86400, 3600, 60
DELETION_MARKS = ("helm.sh/hook", "argocd.argoproj.io/hook")
"""Annotations of Jobs that a deployment tool deletes when they have finished."""


@lint_rule(
    "JW201",
    "no-deadline",
    severity="info",
    summary="A Job has no activeDeadlineSeconds.",
)
def no_deadline(job: Subject) -> Iterator[Complaint]:
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    if job.cron is not None and job.cron.get("concurrencyPolicy") == "Forbid":
        return  # forbid-without-deadline says it, with what comes of it
    yield Complaint(
        f"{job.path}.activeDeadlineSeconds",
        "without a deadline a Pod that hangs, or that cannot start, keeps the Job running for ever",
    )


@lint_rule(
    "JW202",
    "pod-level-deadline",
    severity="warning",
    summary="activeDeadlineSeconds is set for the Pod, and not for the Job.",
    fixable="unsafe",
)
def pod_level_deadline(job: Subject) -> Iterator[Complaint]:
    deadline = job.pod.get("activeDeadlineSeconds")
    if deadline is None or "activeDeadlineSeconds" in job.spec:
        return
    at = f"{job.pod_path}.activeDeadlineSeconds"
    yield Complaint(
        at,
        f"this ends each Pod after {deadline} s, and the Job starts the next one; the deadline of the Job "
        f"is {job.path}.activeDeadlineSeconds",
        Fix(
            "move it to the Job",
            Edit("move", at, f"{job.path}.activeDeadlineSeconds"),
            safe=False,
        ),
    )


@lint_rule(
    "JW203",
    "deadline-zero",
    severity="warning",
    summary="activeDeadlineSeconds is 0.",
)
def deadline_zero(job: Subject) -> Iterator[Complaint]:
    if job.spec.get("activeDeadlineSeconds") == 0:
        yield Complaint(
            f"{job.path}.activeDeadlineSeconds",
            "a deadline of 0 seconds is over when the Job starts: it fails at once; leave the field out "
            "for none",
        )


@lint_rule(
    "JW204",
    "no-ttl",
    severity="info",
    summary="A Job that no CronJob manages has no ttlSecondsAfterFinished.",
    fixable="unsafe",
)
def no_ttl(job: Subject) -> Iterator[Complaint]:
    if job.cron is not None or "ttlSecondsAfterFinished" in job.spec:
        return
    meta = job.written.get("metadata", {})
    marked = any(key.startswith(DELETION_MARKS) for key in meta.get("annotations", {}))
    if marked or meta.get("ownerReferences"):
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    yield Complaint(
        at,
        "nothing deletes the Job when it has finished: it stays, with its Pods, until somebody does",
        Fix("delete it after a day", Edit("set", at, DAY), safe=False),
    )


@lint_rule(
    "JW205",
    "ttl-too-short",
    severity="warning",
    summary="ttlSecondsAfterFinished is less than a minute.",
    fixable="unsafe",
)
def ttl_too_short(job: Subject) -> Iterator[Complaint]:
    ttl = job.spec.get("ttlSecondsAfterFinished")
    if ttl is None or ttl >= MINUTE:
        return
    at = f"{job.path}.ttlSecondsAfterFinished"
    when = "at once" if ttl == 0 else f"{ttl} s later"
    yield Complaint(
        at,
        f"the Job is deleted {when} when it has finished, and with it its logs, its exit codes, and the "
        "word whether it succeeded",
        Fix("keep it for an hour", Edit("set", at, HOUR), safe=False),
    )


@lint_rule(
    "JW206",
    "onfailure-logs-lost",
    severity="warning",
    summary="backoffLimit is set for containers that are restarted inside their Pod.",
)
def onfailure_logs_lost(job: Subject) -> Iterator[Complaint]:
    limit = job.written_spec.get("backoffLimit")
    if limit is None or job.pod.get("restartPolicy") != "OnFailure":
        return
    # Never fails at limit + 1 failures, OnFailure at as many restarts (pastBackoffLimitOnFailure).
    restarts = max(limit, 1)
    number = "the first restart" if restarts == 1 else f"restart {restarts}"
    yield Complaint(
        f"{job.pod_path}.restartPolicy",
        f"with OnFailure backoffLimit counts restarts of all containers: {number} fails the Job and deletes "
        "the running Pods with their logs; Never keeps failed Pods",
    )


@lint_rule(
    "JW215",
    "grace-exceeds-deadline",
    severity="warning",
    summary="A Pod may take longer to stop than the Job may run.",
)
def grace_exceeds_deadline(job: Subject) -> Iterator[Complaint]:
    deadline = job.spec.get("activeDeadlineSeconds")
    grace = job.written_spec["template"]["spec"].get("terminationGracePeriodSeconds")
    if deadline and grace and grace > deadline:
        yield Complaint(
            f"{job.pod_path}.terminationGracePeriodSeconds",
            f"after the deadline of {deadline} s a Pod may take {grace} s more to stop, and the Job has "
            "not failed before it has",
        )
