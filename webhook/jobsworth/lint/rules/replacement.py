"""Rules for podReplacementPolicy: a replacement that starts while its predecessor terminates (KEP-3939)."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.repeated_work import SERIAL
from jobsworth.lint.rules.waiting import DEFAULT_GRACE
from jobsworth.wording import duration

MAX_NAME_LENGTH = 300
"""The number of characters of a command line in which the word migrate is looked for."""

MAX_WORDS = 4
"""The number of words of a command in which it is looked for."""

MAX_SHOWN = 60
"""The number of characters of a file name in a message."""

LEADERSHIP = frozenset(
    ("leader_file", "leader_lock", "lease_file", "lock_file", "lockfile", "lock_path", "pid_file", "pidfile")
)  # fmt: skip
"""Options with the file by which one process keeps others away."""


@lint_rule(
    "JW123",
    "implied-replacement",
    severity="info",
    summary="A failure policy changes the default of podReplacementPolicy, which the manifest does not set.",
    fixable="safe",
    needs=needs.early_replacement,
)
def implied_replacement(job: LintedJob) -> Iterator[Diagnostic]:
    at = f"{job.path}.podReplacementPolicy"
    if (
        "podFailurePolicy" in job.spec
        and job.rules
        and "podReplacementPolicy" in job.spec
        and "podReplacementPolicy" not in job.written_spec
    ):
        yield Diagnostic(
            at,
            "Nothing is wrong: with a failure policy the default is Failed, so a Pod is replaced only after "
            "it has terminated. Write podReplacementPolicy: Failed, so that readers see it.",
            Fix("Set podReplacementPolicy: Failed", Edit("set", at, "Failed"), safe=True),
        )


@lint_rule(
    "JW210",
    "duplicate-index-pods",
    severity="warning",
    summary="An index that must have one Pod at a time can have two.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.early_replacement,
)
def duplicate_index_pods(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.indexed or job.spec.get("podReplacementPolicy") != "TerminatingOrFailed":
        return
    if not job.may_retry():
        return
    why = _identity(job)
    if why or "podReplacementPolicy" in job.written_spec:
        at = f"{job.path}.podReplacementPolicy"
        yield Diagnostic(
            at,
            f"A replacement starts while its predecessor terminates, so an index can have two Pods{why}. Set "
            "podReplacementPolicy: Failed.",
            Fix("Set podReplacementPolicy: Failed", Edit("set", at, "Failed"), safe=False),
        )


@lint_rule(
    "JW231",
    "replacement-overlaps",
    severity="info",
    summary="The only Pod of a Job writes to shared data, and its replacement may start before it has ended.",
    fixable="unsafe",
    needs=needs.early_replacement,
)
def replacement_overlaps(job: LintedJob) -> Iterator[Diagnostic]:
    if (
        _grace(job) <= DEFAULT_GRACE
        and job.spec.get("completions") == 1
        and "podReplacementPolicy" not in job.written_spec
    ):
        yield from _overlap(job, "")


@lint_rule(
    "JW233",
    "long-overlap",
    severity="warning",
    summary="The only Pod of a Job writes to shared data, and may run beside its replacement for minutes.",
    fixable="unsafe",
    needs=needs.early_replacement,
)
def long_overlap(job: LintedJob) -> Iterator[Diagnostic]:
    grace = _grace(job)
    if grace > DEFAULT_GRACE:
        yield from _overlap(job, f" for up to {duration(grace)} (terminationGracePeriodSeconds)")


def _overlap(job: LintedJob, how_long: str) -> Iterator[Diagnostic]:
    """Yield a diagnostic if the one Pod at a time of a Job may have a replacement beside it."""
    spec = job.spec
    if job.indexed or spec.get("podReplacementPolicy") != "TerminatingOrFailed":
        return
    if spec.get("parallelism") != 1 or not job.may_retry():
        return
    why = _identity(job).removeprefix(", which both ") or _work_of_one(job)
    if why:
        at = f"{job.path}.podReplacementPolicy"
        yield Diagnostic(
            at,
            f"After an eviction the replacement starts while its predecessor terminates{how_long}, and both "
            f"{why}. Set podReplacementPolicy: Failed.",
            Fix("Set podReplacementPolicy: Failed", Edit("set", at, "Failed"), safe=False),
        )


def _grace(job: LintedJob) -> int:
    seconds: int = job.pod.get("terminationGracePeriodSeconds", DEFAULT_GRACE)
    return seconds


def _work_of_one(job: LintedJob) -> str:
    """Return the effect of two Pods on work that one process must do; empty for other work.

    It is known by the name of the Job, by its programs, and by the options that name a file which says who
    leads: a lock, a lease or the number of a process.
    """
    words = [job.name]
    for command in job.commands:
        if command.name in SERIAL:
            return f"run {command.name} on the same data"
        words += command.words[:MAX_WORDS]
    for _, container in job.containers:
        words += (*container.get("command", ())[:3], *container.get("args", ())[:3])
    if any("migrat" in word[:MAX_NAME_LENGTH] for word in words):
        return "migrate the same data"
    for command in job.commands:
        for name, value in command.options:
            if name in LEADERSHIP and value:
                return f"believe that {value[:MAX_SHOWN]} is theirs"
    return ""


def _identity(job: LintedJob) -> str:
    """Return the reason why each index must have one Pod at a time; empty if there is no sign of one."""
    pod = job.pod
    if job.indexed and pod.get("subdomain"):
        return f", both with its hostname in {pod['subdomain']}"
    claims = {
        volume.get("name")
        for volume in pod.get("volumes", ())
        if "name" in volume
        and "persistentVolumeClaim" in volume
        and not volume["persistentVolumeClaim"].get("readOnly")
    }
    if claims:
        for _, container in job.containers:
            for mount in container.get("volumeMounts", ()):
                if mount.get("name") in claims and not mount.get("readOnly"):
                    return f", which both may write to the volume {mount['name']}"
    return ""
