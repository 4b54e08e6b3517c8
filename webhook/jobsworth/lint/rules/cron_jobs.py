"""Rules for CronJobs: overlapping runs, skipped runs and the history of finished Jobs."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.command_line import base_name
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.parallelism import QUEUE_MARKS
from jobsworth.wording import duration

_MIN_STARTING_DEADLINE = 10
_A_MINUTE = 60
_AN_HOUR = 3600
_PRINTING = frozenset(
    ("cat", "date", "echo", "false", "hostname", "id", "ls", "printf", "sleep", "true", "whoami")
)
"""Programs that only print or wait."""


@lint_rule(
    "JW409",
    "forbid-without-deadline",
    severity="warning",
    summary="A CronJob forbids concurrent runs, and its Jobs have no deadline.",
    needs=needs.a_cron_job,
)
def forbid_without_deadline(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.starts_runs("Forbid") or _has_deadline(job):
        return
    if all(does_work is False for does_work in _command_lines(job)):
        return
    yield Diagnostic(
        "spec.concurrencyPolicy",
        "One hanging run blocks all later runs, because concurrencyPolicy is Forbid. Set "
        f"{job.path}.activeDeadlineSeconds.",
    )


@lint_rule(
    "JW410",
    "overlap",
    severity="warning",
    summary="A CronJob allows concurrent runs, and its Jobs may run longer than its interval.",
    fixable="unsafe",
    needs=needs.a_cron_job,
)
def overlap(job: LintedJob) -> Iterator[Diagnostic]:
    deadline = job.spec.get("activeDeadlineSeconds")
    if deadline is None or not job.starts_runs("Allow"):
        return
    gap = job.shortest_gap
    if gap is None or deadline <= gap:
        return
    yield Diagnostic(
        _concurrency_field(job),
        f"Runs can overlap: a run may take {duration(deadline)}, and the next run may start after "
        f"{duration(gap)}. Set concurrencyPolicy: Forbid to skip the later run.",
        Fix(
            "Set concurrencyPolicy: Forbid",
            Edit("set", "spec.concurrencyPolicy", "Forbid"),
            safe=False,
        ),
    )


@lint_rule(
    "JW420",
    "overlap-without-deadline",
    severity="warning",
    summary="A CronJob starts runs more often than hourly beside earlier ones, which have no deadline.",
    needs=needs.a_cron_job,
)
def overlap_without_deadline(job: LintedJob) -> Iterator[Diagnostic]:
    if _has_deadline(job) or not job.starts_runs("Allow"):
        return
    gap = job.shortest_gap
    if gap is None or gap >= _AN_HOUR or not any(_command_lines(job)):
        return
    yield Diagnostic(
        _concurrency_field(job),
        f"A run that hangs never ends, and the next one starts beside it after {duration(gap)}. Set "
        f"{job.path}.activeDeadlineSeconds; to skip runs meanwhile, also concurrencyPolicy: Forbid.",
    )


def _command_lines(job: LintedJob) -> Iterator[bool | None]:
    """Yield, for each container, True if its command line does more than print or wait.

    Yield None if it has none. Among real manifests, those that only print or wait are mostly examples and
    test data, and so are those without a command line that run more often than hourly.
    """
    from jobsworth.lint import shell_script

    for start in job.starts:
        words = start.line.words
        if start.script is not None:
            commands = start.script.commands
            # A script that the reader cannot follow has no commands.
            yield not commands or any(
                command.assigns or command.name not in shell_script.HARMLESS for command in commands
            )
        else:
            yield base_name(words[0]) not in _PRINTING if words else None


@lint_rule(
    "JW421",
    "replaced-runs",
    severity="warning",
    summary="A CronJob replaces runs that its deadline does not end before the next one.",
    needs=needs.a_cron_job,
)
def replaced_runs(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.starts_runs("Replace"):
        return
    deadline = job.spec.get("activeDeadlineSeconds")
    gap = job.shortest_gap
    if gap is None or (deadline is not None and deadline <= gap):
        return
    effect = (
        f"The next run deletes one that still runs after {duration(gap)}, with its logs, so a slow or "
        "hanging run is never recorded as failed."
    )
    if deadline is not None:
        advice = f"A run may take {duration(deadline)}: set concurrencyPolicy: Forbid, which lets it finish."
    else:
        advice = (
            f"Set {job.path}.activeDeadlineSeconds to less than {duration(gap)}, or concurrencyPolicy: "
            "Forbid if a run may take longer."
        )
    yield Diagnostic(_concurrency_field(job), f"{effect} {advice}")


def _has_deadline(job: LintedJob) -> bool:
    return "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod


def _concurrency_field(job: LintedJob) -> str:
    return (
        "spec.concurrencyPolicy" if "concurrencyPolicy" in job.written["spec"] else "spec.schedule"
    )


@lint_rule(
    "JW411",
    "starting-deadline-too-small",
    severity="warning",
    summary="startingDeadlineSeconds is below 10.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_cron_job,
)
def starting_deadline_too_small(job: LintedJob) -> Iterator[Diagnostic]:
    deadline = (job.cron or {}).get("startingDeadlineSeconds")
    if deadline is None or deadline >= _MIN_STARTING_DEADLINE:
        return
    message = (
        f"The CronJob controller skips a run that it processes {deadline} s late. Set 10 s or more."
    )
    if deadline == 0:
        message = "No run can start within 0 s. Set 10 s or more."
    field = "spec.startingDeadlineSeconds"
    yield Diagnostic(
        field,
        message,
        Fix(f"Set startingDeadlineSeconds: {_A_MINUTE}", Edit("set", field, _A_MINUTE), safe=False),
    )


@lint_rule(
    "JW412",
    "missed-runs-start",
    severity="info",
    summary="A suspended CronJob has no startingDeadlineSeconds.",
    needs=needs.a_cron_job,
)
def missed_runs_start(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is None or not job.cron.get("suspend"):
        return
    if job.schedule is not None and not job.schedule.fires_ever():
        return  # no run is missed
    if "startingDeadlineSeconds" not in job.cron:
        yield Diagnostic(
            "spec.suspend",
            "When suspend is set to false, the most recent missed run starts immediately, at any time "
            "of day. Set startingDeadlineSeconds to limit how late a run may start.",
        )


@lint_rule(
    "JW413",
    "no-failed-history",
    severity="warning",
    summary="failedJobsHistoryLimit is 0.",
    fixable="unsafe",
    needs=needs.a_cron_job,
)
def no_failed_history(job: LintedJob) -> Iterator[Diagnostic]:
    if (job.cron or {}).get("failedJobsHistoryLimit") == 0:
        field = "spec.failedJobsHistoryLimit"
        yield Diagnostic(
            field,
            "A failed Job is deleted immediately, with its Pods and their logs. Keep at least one failed "
            "Job (the default is 1).",
            Fix(
                "Remove failedJobsHistoryLimit: the default keeps one failed Job",
                Edit("delete", field),
                safe=False,
            ),
        )


@lint_rule(
    "JW414",
    "template-suspended",
    severity="warning",
    summary="A CronJob creates suspended Jobs.",
    needs=needs.a_cron_job,
)
def template_suspended(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is None or not job.spec.get("suspend") or "managedBy" in job.spec:
        return
    metadata = job.object["spec"]["jobTemplate"]["metadata"]
    keys = (*metadata.get("labels", {}), *metadata.get("annotations", {}))
    if any(mark in key for key in keys for mark in QUEUE_MARKS):
        return
    effect = "Each Job is created suspended and waits until a user resumes it"
    if job.cron.get("concurrencyPolicy") == "Forbid":
        effect += "; no other Job is created while it waits"
    yield Diagnostic(
        f"{job.path}.suspend", f"{effect}. To stop the CronJob itself, set spec.suspend."
    )


@lint_rule(
    "JW415",
    "ttl-beside-history",
    severity="info",
    summary="ttlSecondsAfterFinished deletes Jobs that the history limits of the CronJob would keep.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_cron_job,
)
def ttl_beside_history(job: LintedJob) -> Iterator[Diagnostic]:
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
        yield Diagnostic(
            f"{job.path}.ttlSecondsAfterFinished",
            f"Each finished Job is deleted after {duration(ttl)}, even if {' and '.join(limits)} would "
            "keep it. Use either the TTL or the history limits.",
            Fix(
                "Remove ttlSecondsAfterFinished: the history limits clean up",
                Edit("delete", f"{job.path}.ttlSecondsAfterFinished"),
                safe=False,
            ),
        )
