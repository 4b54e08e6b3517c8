"""Single failures to explain, from options and from the Pods of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from jobsworth.cli.options import Options, option, words
from jobsworth.cli.terminal import print_note
from jobsworth.controller.pods import Termination, read_pod
from jobsworth.controller.settings import OURS
from jobsworth.files.explained_files import pods_in
from jobsworth.lint.rules.pod_conditions import (
    REASONS_OF_CONTAINERS,
    STATUSES_OF_FAILED_PODS,
    meant_condition,
)
from jobsworth.runs.explanation.explained_job import ExplainedJob
from jobsworth.runs.explanation.failure_outcome import failed_pod
from jobsworth.runs.explanation.outcome_wording import disruption_conditions
from jobsworth.runs.explanation.rule_trace import RuleTrace, causes_of, trace_pod, trace_restart
from jobsworth.runs.failure_causes import STANDING_CONDITIONS
from jobsworth.usage_error import InputError, UsageError

_MAX_CODE = 2**31
_MAX_LINUX_CODE = 255


class FailureOptions(Options):
    """Options for the failures to explain; without any, all of them."""

    heading = "Single failures"

    exit_code: tuple[str, ...] = words(
        "--exit-code",
        metavar="[CONTAINER=]CODE",
        help="Explain this exit code: in the named container, or in each container. Several containers "
        "fail together in one Pod.",
    )
    condition: tuple[str, ...] = words(
        "--condition",
        metavar="TYPE[=STATUS]",
        help="Give the failed Pod this condition, such as DisruptionTarget; the status is True by default. "
        "That of another controller must be named by a rule of the Job, or have a domain: example.com/NAME.",
    )
    pod: str | None = option(
        "--pod",
        metavar="FILE",
        help="Explain the Pods in this file, as kubectl get pod -o yaml prints them, or - for "
        "standard input.",
    )


def failure_traces(
    job: ExplainedJob, failures: FailureOptions, pods: Sequence[dict[str, Any]]
) -> Iterator[RuleTrace]:
    """Yield the explanation of each failure: of the Pods, or else of those that the options describe.

    Raises:
        UsageError: an option's value is wrong for this Job.
    """
    for value in pods:
        pod = read_pod(value, OURS)
        others = {
            each.container for each in pod.terminations if job.container(each.container) is None
        }
        if others:
            note = f"note: Pod {pod.name} has containers that the Job does not have"
            print_note(f"{note}: {', '.join(sorted(others))}. Is it another Job's Pod?")
        yield trace_pod(job, pod)
    if pods:
        return
    written = [_condition(each) for each in failures.condition]
    given_types = {each.partition("=")[0] for each in written}
    for type_ in given_types:
        _check_type(type_, job)
    if "DisruptionTarget" in given_types and job.unmarked:
        print_note(f"note: DisruptionTarget is {disruption_conditions(job)}")
    standing = [each for each in STANDING_CONDITIONS if each.partition("=")[0] not in given_types]
    conditions = (*written, *standing)
    given = f" and the Pod has {', '.join(written)}" if written else ""
    codes = [_exit_code(each) for each in failures.exit_code]
    impossible = [code for _, code in codes if not 0 <= code <= _MAX_LINUX_CODE]
    if impossible and not job.windows:
        raise UsageError(
            f"--exit-code: {impossible[0]} is impossible on Linux: exit codes are 0 to {_MAX_LINUX_CODE}. "
            "A container that a signal ends exits with 128 and its number: 137 for SIGKILL"
        )
    together = [(name, code) for name, code in codes if name is not None]
    for name, _ in together:
        if job.container(name) is None:
            names = ", ".join(each.name for each in job.containers)
            raise UsageError(f'--exit-code: the Job has no container "{name}"; it has {names}')
    if together and len(together) < len(codes):
        raise UsageError("--exit-code: name the container of each exit code, or of none")
    cases = [together] if together else [[(None, code)] for _, code in codes]
    for case in cases or [[]]:
        yield from _cases(job, case, conditions, given)


def _cases(
    job: ExplainedJob,
    case: Sequence[tuple[str | None, int]],
    conditions: tuple[str, ...],
    given: str,
) -> Iterator[RuleTrace]:
    """Yield the traces of a failure; for an unnamed container, one for all with the same decision."""
    if case and case[0][0] is None:
        code = case[0][1]
        found: dict[object, tuple[RuleTrace, list[str]]] = {}
        for container in job.containers:
            trace = _trace(job, [(container.name, code)], conditions, given)
            key = (trace.outcome, [(step.matches, step.position) for step in trace.steps])
            found.setdefault(str(key), (trace, []))[1].append(container.name)
        for trace, names in found.values():
            verb = f"exits with {code}{given}"
            causes = () if given else causes_of(job, code)
            words_ = f"container {' or '.join(names)} {verb}"
            yield replace(trace, failure=words_, causes=causes)
        return
    trace = _trace(job, [(name or "", code) for name, code in case], conditions, given)
    yield (
        replace(trace, causes=causes_of(job, case[0][1])) if len(case) == 1 and not given else trace
    )


def _trace(
    job: ExplainedJob,
    ended: Sequence[tuple[str, int]],
    conditions: tuple[str, ...],
    given: str,
) -> RuleTrace:
    if ended and all(code == 0 for _, code in ended) and not given:
        raise UsageError("--exit-code: a Pod whose containers exit with 0 has succeeded")
    words_ = " and ".join(f"container {name} exits with {code}" for name, code in ended)
    for name, code in ended:
        container = job.container(name)
        if container is not None and container.restarts(code) and len(ended) == 1 and not given:
            return trace_restart(job, name, code)
    terminations = tuple(Termination(name, code, "Error") for name, code in ended if code)
    text_ = f"{words_}{given}" if words_ else given.removeprefix(" and ")
    return trace_pod(job, failed_pod(job.job, terminations, conditions), text_)


def _exit_code(text: str) -> tuple[str | None, int]:
    name, equals, code = text.rpartition("=")
    sign, digits = (-1, code[1:]) if code.startswith("-") else (1, code)
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 10 else None
    if number is None or number >= _MAX_CODE or (equals and not name):
        raise UsageError(f'--exit-code: "{text}" is not of the form CODE or CONTAINER=CODE')
    return (name if equals else None), sign * number


def _condition(text: str) -> str:
    kind, _, status = text.partition("=")
    status = status or "True"
    if not kind or status not in ("True", "False", "Unknown"):
        raise UsageError(
            f'--condition: "{text}" is not of the form TYPE or TYPE=STATUS; the status is True, False '
            "or Unknown"
        )
    return f"{kind}={status}"


def _check_type(type_: str, job: ExplainedJob) -> None:
    """Check that a Pod may have a condition of this type.

    Raises:
        UsageError: it is misspelled, or a reason.
    """
    if type_ in STATUSES_OF_FAILED_PODS or "/" in type_:
        return
    meant = meant_condition(type_)
    if meant:
        raise UsageError(
            f'--condition: no Pod has the condition "{type_}"; did you mean "{meant}"?'
        )
    if type_ in REASONS_OF_CONTAINERS:
        raise UsageError(
            f'--condition: no Pod has the condition "{type_}": it is a reason of containers. Use '
            "--exit-code, or --pod with a Pod that failed so"
        )
    if type_ not in _types_of_rules(job):
        raise UsageError(
            f'--condition: Kubernetes sets no condition "{type_}", and no rule of the Job names it. Known '
            f"are {', '.join(STATUSES_OF_FAILED_PODS)}. Write the condition of another controller with "
            f"a domain: example.com/{type_}"
        )


def _types_of_rules(job: ExplainedJob) -> frozenset[str]:
    return frozenset(
        pattern.get("type", "")
        for rule in job.rules
        for pattern in rule.get("onPodConditions") or ()
    )


def failed_pods(path: str) -> list[dict[str, Any]]:
    """Read the Pods of a file.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    try:
        return pods_in(path)
    except InputError as error:
        raise InputError(f"--pod: {error}") from None
