"""Rules about CronJobs: how runs meet each other, which are left out, and what is kept of them."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule
from jobsworth.lint.rules.parallelism import QUEUE_MARKS
from jobsworth.lint.schedule_timing import shortest_gap, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject

_LEAST_STARTING_DEADLINE = 10
_A_MINUTE = 60


@lint_rule(
    "JW409",
    "forbid-without-deadline",
    severity="warning",
    summary="A CronJob forbids overlap, and its Jobs have no deadline.",
)
def forbid_without_deadline(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or job.cron.get("concurrencyPolicy") != "Forbid":
        return
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    yield Complaint(
        "spec.concurrencyPolicy",
        "a run that hangs keeps all later ones from starting: end it with activeDeadlineSeconds in "
        f"{job.path}",
    )


@lint_rule(
    "JW410",
    "overlap",
    severity="warning",
    summary="A CronJob allows overlap, and its Jobs may last longer than its period.",
    fixable="unsafe",
)
def overlap(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or job.cron.get("concurrencyPolicy") != "Allow":
        return
    schedule, deadline = job.schedule, job.spec.get("activeDeadlineSeconds")
    if schedule is None or deadline is None:
        return
    gap = shortest_gap(schedule)
    if gap is None or deadline <= gap:
        return
    yield Complaint(
        "spec.concurrencyPolicy" if "concurrencyPolicy" in job.written["spec"] else "spec.schedule",
        f"a run may last {spelled(deadline)}, and the next may start {spelled(gap)} after it: they "
        "run at the same time; concurrencyPolicy: Forbid leaves out the later one",
        Fix("forbid overlap", Edit("set", "spec.concurrencyPolicy", "Forbid"), safe=False),
    )


@lint_rule(
    "JW411",
    "starting-deadline-too-small",
    severity="warning",
    summary="startingDeadlineSeconds is below 10.",
    fixable="unsafe",
)
def starting_deadline_too_small(job: Subject) -> Iterator[Complaint]:
    deadline = (job.cron or {}).get("startingDeadlineSeconds")
    if deadline is None or deadline >= _LEAST_STARTING_DEADLINE:
        return
    message = (
        f"a run that the controller comes to {deadline} s late is left out: allow 10 s or more"
    )
    if deadline == 0:
        message = "no run can start in time: allow 10 s or more"
    field = "spec.startingDeadlineSeconds"
    yield Complaint(
        field, message, Fix("allow a minute", Edit("set", field, _A_MINUTE), safe=False)
    )


@lint_rule(
    "JW412",
    "missed-runs-start",
    severity="info",
    summary="A suspended CronJob has no startingDeadlineSeconds.",
)
def missed_runs_start(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or not job.cron.get("suspend"):
        return
    if "startingDeadlineSeconds" not in job.cron:
        yield Complaint(
            "spec.suspend",
            "when this is set to false, the last of the runs that were missed starts at once, at "
            "whatever time of day: startingDeadlineSeconds says until when it may",
        )


@lint_rule(
    "JW413",
    "no-failed-history",
    severity="warning",
    summary="failedJobsHistoryLimit is 0.",
    fixable="unsafe",
)
def no_failed_history(job: Subject) -> Iterator[Complaint]:
    if (job.cron or {}).get("failedJobsHistoryLimit") == 0:
        field = "spec.failedJobsHistoryLimit"
        yield Complaint(
            field,
            "a Job that fails is deleted at once with its Pods and their logs: keep one, as by default",
            Fix("keep one failed Job", Edit("delete", field), safe=False),
        )


@lint_rule(
    "JW414",
    "template-suspended",
    severity="warning",
    summary="The Jobs of a CronJob are made suspended.",
)
def template_suspended(job: Subject) -> Iterator[Complaint]:
    if job.cron is None or not job.spec.get("suspend") or "managedBy" in job.spec:
        return
    metadata = job.object["spec"]["jobTemplate"]["metadata"]
    keys = (*metadata.get("labels", {}), *metadata.get("annotations", {}))
    if any(mark in key for key in keys for mark in QUEUE_MARKS):
        return
    effect = "each Job waits until somebody resumes it"
    if job.cron.get("concurrencyPolicy") == "Forbid":
        effect += ", and none is made while one waits"
    yield Complaint(f"{job.path}.suspend", f"{effect}; spec.suspend stops the CronJob itself")


@lint_rule(
    "JW415",
    "ttl-beside-history",
    severity="info",
    summary="The Jobs of a CronJob have a time to live beside written history limits.",
    fixable="unsafe",
)
def ttl_beside_history(job: Subject) -> Iterator[Complaint]:
    ttl = job.spec.get("ttlSecondsAfterFinished")
    if job.cron is None or ttl is None:
        return
    written = job.written["spec"]
    limits = [
        f"{name}: {written[name]}"
        for name in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")
        if written.get(name)
    ]
    if limits:
        yield Complaint(
            f"{job.path}.ttlSecondsAfterFinished",
            f"a Job is deleted after {spelled(ttl)}, also one that {' and '.join(limits)} would keep",
            Fix(
                "leave it to the history limits",
                Edit("delete", f"{job.path}.ttlSecondsAfterFinished"),
                safe=False,
            ),
        )
