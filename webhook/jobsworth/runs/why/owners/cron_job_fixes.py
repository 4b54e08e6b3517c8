"""What removes the cause for which a CronJob has no run, or a failed one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jobsworth.runs.recorded.messages import meaning_of
from jobsworth.runs.recorded.pending_pods import rejection_cause
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.fixes import NO_FIX, Fix, kubectl, words_of
from jobsworth.runs.why.message_advice import Advice

_OF_JOB = re.compile(
    r"^(JW[0-9]+ )?spec\b|"
    r"(?<![\w.])spec(?=\.(?:template|activeDeadlineSeconds|podFailurePolicy|backoffLimit)\b)"
)
"""Advice about a field of a Job begins with it, or names one of these."""
SILENT = Fix(
    "See when the CronJob controller last renewed its Lease (a hosted control plane may have none):",
    "kubectl get lease -n kube-system kube-controller-manager -o 'jsonpath={.spec.renewTime}'",
)
"""The fix for runs that do not start although nothing shows why."""
TOO_LONG = "Give the schedule more time than a run takes, or let a run take less"
TOO_OFTEN = "Give the schedule more time than a run takes, or set concurrencyPolicy: Forbid"
DEADLINE = "Raise spec.startingDeadlineSeconds"
AT_ONCE = " (the last run that was due meanwhile then starts at once)"
SCHEDULE = "Correct spec.schedule or spec.timeZone"


def edit_of(what: str, namespace: str, name: str) -> Fix:
    """Return the fix of a CronJob that is to be edited."""
    return Fix(f"{what}:", kubectl(namespace, "edit cronjob", name))


def fix_of_long_runs(namespace: str, name: str, took: Sequence[int], age: float) -> Fix:
    """Return the fix for a CronJob whose runs are missed because each takes longer than its schedule allows.

    Empty if the run in the way has run for longer than any that completed: it may hang.

    Args:
        took: the seconds that runs took that completed.
        age: the seconds since the run in the way began.
    """
    return edit_of(TOO_LONG, namespace, name) if age <= max(took, default=-1) else NO_FIX


def fix_of_blocking(namespace: str, job: str, pod: str, *, late: bool) -> Fix:
    """Return the fix for runs that a Job holds back while it runs (concurrencyPolicy: Forbid).

    Args:
        pod: one of its active Pods; empty if none is known.
        late: a run that is late may not start any more (startingDeadlineSeconds).
    """
    deletion = kubectl(namespace, "delete job", job)
    starts = "then the last missed run starts at once"
    starts += ", if startingDeadlineSeconds allows it" if late else ""
    if not pod:
        return Fix(f"If Job {job} hangs, delete it: {starts}:", deletion)
    return Fix(
        f"If its log shows that Job {job} hangs, delete it ({deletion}): {starts}. The log:",
        kubectl(namespace, "logs", pod, "--all-containers", "--tail=20"),
    )


def fix_of_rejection(message: str, namespace: str) -> tuple[str, Fix]:
    """Return what a CronJob waits for whose Jobs the API server rejects with a message, and what to do.

    Both are empty for a message that is not known.
    """
    meaning = meaning_of(rejection_cause(message), message)
    waits_for = meaning.fill(meaning.entry.waits_for).replace("its Pods", "its Jobs")
    if not waits_for or "{job}" in meaning.entry.command:
        return "", NO_FIX
    advice, words = meaning.fill(meaning.entry.advice, request=""), words_of(meaning)
    fix = Fix(f"{advice} See:", kubectl(namespace, *words)) if words else Fix(advice)
    return waits_for, for_template(fix)


def rerun(namespace: str, name: str) -> str:
    """Return how to run a CronJob whose last run failed before its next one is due, as a sentence."""
    command = kubectl(namespace, "create job", f"--from=cronjob/{name}", f"{name[:45]}-again")
    return f"To run it before that: {command}"


def see_events(namespace: str, name: str) -> Fix:
    """Return how to see why the controller does not start a run."""
    return Fix(
        "See the Events of the next run that is due: the API server keeps them for an hour:",
        kubectl(namespace, "describe cronjob", name),
    )


def deadline_advice(job: Diagnosis) -> Iterator[Advice]:
    """Yield the advice for a Job without a deadline that holds back others."""
    if job.recording.job.active_deadline is None:
        yield Advice(
            "Set it, so that a run that hangs does not hold back the next ones forever.",
            field="spec.jobTemplate.spec.activeDeadlineSeconds",
        )


def for_template(fix: Fix) -> Fix:
    """Return the fix of a Job for the template of its CronJob."""
    return fix._replace(text=of_template(fix.text))


def of_template(text: str) -> str:
    """Return advice about a Job for the template of the CronJob."""
    text = _OF_JOB.sub(r"\1spec.jobTemplate.spec", text).replace("in a new Job", "in the CronJob")
    return text.replace(
        "delete the Job and create it anew", "correct the CronJob and delete the Job"
    )
