"""Rules for the end of a container: waits without a limit, signals, and the time to stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.agents import NATIVE_SIDECARS
from jobsworth.lint.command_line import base_name
from jobsworth.lint.container_start import container_starts, option_values
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_text import line_of
from jobsworth.wording import duration

DEFAULT_GRACE = 30
"""The terminationGracePeriodSeconds of a Pod that sets none."""

GRACE_ON_TOP = 30
"""Seconds for the program itself, beside those of its preStop hook."""

MAX_SECONDS = 10**6

LIMITS = (
    "((", "-ge", "-gt", "-le", "-lt", "SECONDS", "attempt", "break", "count", "exit", "return", "tries",
)  # fmt: skip
"""Marks of a loop that gives up."""

PROXY_ENDS = ("/quitquitquit", "3500/v1.0/shutdown", ":4191/shutdown")
"""Addresses that end the proxies of Istio and the SQL proxy of Google, of Dapr, and of Linkerd."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@lint_rule(
    "JW250",
    "pre-stop-exceeds-grace",
    severity="warning",
    summary="A preStop hook takes as long as the grace period, so the program is killed at once.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.scripts_or_hooks,
)
def pre_stop_exceeds_grace(job: LintedJob) -> Iterator[Diagnostic]:
    grace = job.pod.get("terminationGracePeriodSeconds", DEFAULT_GRACE)
    for path, container in job.containers:
        hook = container.get("lifecycle", {}).get("preStop")
        if hook is None:
            continue
        at, seconds = _pre_stop_seconds(f"{path}.lifecycle.preStop", hook)
        if not seconds or seconds < grace:
            continue
        wanted = seconds + GRACE_ON_TOP
        edit = Edit("set", f"{job.pod_path}.terminationGracePeriodSeconds", wanted)
        yield Diagnostic(
            at,
            f"The hook takes {duration(seconds)} of a grace period of {duration(grace)}, which starts before "
            "it: the program is killed without the time to stop. Set terminationGracePeriodSeconds to more "
            "than both need.",
            Fix(f"Set terminationGracePeriodSeconds: {wanted}", edit, safe=False),
        )


def _pre_stop_seconds(path: str, hook: dict[str, Any]) -> tuple[str, int]:
    """Return the field and the seconds of a hook that sleeps; 0 for another."""
    if "sleep" in hook:
        return f"{path}.sleep.seconds", int(hook["sleep"].get("seconds", 0))
    (start,) = container_starts([(path, hook.get("exec", {}))], {})
    words = [each.words for each in start.commands if each.step is None or each.step.depth == 0]
    return f"{path}.exec.command", sum(map(_sleep_seconds, words))


def _sleep_seconds(words: Sequence[str]) -> int:
    """Return the seconds of a ``sleep`` with constant arguments; 0 for another command.

    >>> _sleep_seconds(["sleep", "1m", "5"]), _sleep_seconds(["sleep", "$N"]), _sleep_seconds(["run", "5"])
    (65, 0, 0)
    """
    if not words or base_name(words[0]) != "sleep":
        return 0
    return sum(_seconds(word) for word in words[1:])


def _seconds(text: str) -> int:
    number = text[:-1] if text[-1:] in _UNITS else text
    if not (number.isascii() and number.isdecimal()) or len(number) > 6:
        return 0
    return min(int(number) * _UNITS.get(text[-1:], 1), MAX_SECONDS)


@lint_rule(
    "JW237",
    "timeout-beyond-deadline",
    severity="warning",
    summary="A command may wait longer than the Job's deadline, which then kills it in the middle.",
    needs=needs.a_program("helm", "kubectl", "oc"),
)
def timeout_beyond_deadline(job: LintedJob) -> Iterator[Diagnostic]:
    deadline = job.spec.get("activeDeadlineSeconds")
    for command in job.commands:
        if deadline is None or command.name not in WAITING:
            continue
        options = dict(option_values(command.words))
        seconds = _seconds(options.get("timeout", ""))
        if seconds > deadline and not WAITING[command.name].isdisjoint(command.words):
            yield Diagnostic(
                command.field,
                f"{command.name} may wait {duration(seconds)}, and the Job is ended after "
                f"{duration(deadline)}, in the middle of it. Set activeDeadlineSeconds to more than both.",
                line=command.line,
            )
            return


WAITING = {
    "helm": frozenset(("install", "rollback", "upgrade", "uninstall")),
    "kubectl": frozenset(("wait", "rollout", "delete")),
    "oc": frozenset(("wait", "rollout", "delete")),
}
"""Subcommands that wait as long as their option ``--timeout`` says."""


@lint_rule(
    "JW251",
    "signal-not-forwarded",
    severity="info",
    summary="A shell does not pass SIGTERM on to the program that has a long grace period to stop.",
    needs=needs.scripts_or_hooks,
)
def signal_not_forwarded(job: LintedJob) -> Iterator[Diagnostic]:
    if job.pod.get("terminationGracePeriodSeconds", DEFAULT_GRACE) <= DEFAULT_GRACE:
        return
    if job.pod.get("shareProcessNamespace"):
        return
    for start, script in job.scripts:
        if start.is_init or "trap" in script.text or "exec " in script.text:
            continue
        work = [command for command in script.commands if command.works and not command.assigns]
        # A shell replaces itself by the only command of a script (dash since 0.5.11, bash, busybox).
        if not work or len(script.commands) == 1 or any(each.background for each in work):
            continue
        yield Diagnostic(
            start.field,
            "The shell is process 1 of the container and does not pass SIGTERM on: "
            f"{work[-1].name[:40]} runs until it is killed at the end of the grace period, and saves "
            "nothing. Start it with exec, as the last command.",
        )


@lint_rule(
    "JW252",
    "wait-without-limit",
    severity="warning",
    summary="A container waits for something in a loop without end, and the Job has no deadline.",
    needs=needs.scripts_or_hooks,
)
def wait_without_limit(job: LintedJob) -> Iterator[Diagnostic]:
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    for start, script in job.scripts:
        endless = [
            loop for loop in script.waiting_loops if not any(mark in loop for mark in LIMITS)
        ]
        if endless:
            yield Diagnostic(
                start.field,
                "The loop waits forever if what it waits for never comes, and the Job stays active: "
                "backoffLimit counts failures, and a container that waits does not fail. Set "
                "activeDeadlineSeconds, or let the loop give up.",
                line=line_of(script.text, endless[0]),
            )


@lint_rule(
    "JW255",
    "deadline-below-timeouts",
    severity="warning",
    summary="activeDeadlineSeconds is shorter than the waiting times in a container's own commands.",
    confidence="certain",
    needs=needs.scripts_or_hooks,
)
def deadline_below_timeouts(job: LintedJob) -> Iterator[Diagnostic]:
    deadline = job.spec.get("activeDeadlineSeconds")
    if not deadline:
        return
    for field, total in _constant_waits(job):
        if total > deadline:
            yield Diagnostic(
                field,
                f"The commands may wait {duration(total)}, but the Job is terminated after "
                f"{duration(deadline)} (activeDeadlineSeconds), before their own timeouts report what is "
                "missing. Set a longer deadline.",
            )


def _constant_waits(job: LintedJob) -> Iterator[tuple[str, int]]:
    """Yield the field of each container's commands and the seconds of their sleeps and waits."""
    for start, script in job.scripts:
        if not start.is_init:
            words = [command.words for command in script.commands if command.depth == 0]
            yield start.field, sum(map(_sleep_seconds, words)) + sum(map(_kubectl_wait, words))


def _kubectl_wait(words: Sequence[str]) -> int:
    if words[:1] != ["kubectl"] or "wait" not in words:
        return 0
    return sum(_seconds(value) for name, value in option_values(words) if name == "timeout")


@lint_rule(
    "JW259",
    "proxy-stopped-before-retry",
    severity="warning",
    summary="A script stops the proxy of its Pod, and runs again in the same Pod when it fails.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.scripts_or_hooks,
)
def proxy_stopped_before_retry(job: LintedJob) -> Iterator[Diagnostic]:
    if job.pod.get("restartPolicy") != "OnFailure" or _asks_for_native_sidecar(job):
        return
    for command in job.commands:
        if any(word.rstrip("/").endswith(PROXY_ENDS) for word in command.words):
            at = f"{job.pod_path}.restartPolicy"
            yield Diagnostic(
                at,
                "The script stops the proxy of the Pod. If it fails then, its container starts again "
                "in the same Pod (restartPolicy OnFailure), without a network. Set restartPolicy: "
                "Never, so that a retry is a new Pod.",
                Fix("Set restartPolicy: Never", Edit("set", at, "Never"), safe=False),
            )
            return


def _asks_for_native_sidecar(job: LintedJob) -> bool:
    """Return True if the proxy is to be a native sidecar, which the kubelet starts again."""
    annotations = job.template_metadata.get("annotations", {})
    return any(annotations.get(key) == "true" for keys in NATIVE_SIDECARS.values() for key in keys)
