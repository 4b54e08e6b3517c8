"""The diagnosis of a Job: why it failed, or what it waits for, and what is not known of it.

Advice follows from the cause: a sentence for each, and the lint findings that concern it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jobsworth.findings.finding import Finding
from jobsworth.printable import printable
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import SIGKILL_CODE
from jobsworth.runs.recorded.recording import RecordedEnd, Recording, UnseenPod
from jobsworth.runs.recorded.recording_reader import DISRUPTION_TARGET
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.waiting import Waiting
from jobsworth.runs.why.clauses import finalizers
from jobsworth.runs.why.failed_job import cause_of_failure, failure_clause, gone_cause
from jobsworth.runs.why.failure_groups import FailureGroup, failure_groups
from jobsworth.runs.why.message_advice import Advice, advice_by_messages
from jobsworth.runs.why.pod_causes import cause_by_events
from jobsworth.runs.why.unfinished_job import (
    deleted_pods,
    overdue_pods,
    remaining,
    stalled_causes,
    standing,
    time_text,
)
from jobsworth.wording import count

_MAX_PODS = 5


Outcome = Literal["Complete", "Failed", "Unfinished"]


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis:
    """The reason for the state of a Job.

    Attributes:
        outcome: by its conditions; a Job whose end is decided while Pods terminate has this end.
        reason: the reason of its condition; empty while it goes on.
        cause: that of the failure, or of the wait.
        sentence: the cause in one sentence.
        groups: failed Pods by cause.
        waiting: what an unfinished Job waits for, or one whose end is decided; None if it has finished, or
            that is unknown.
        advice: what to change.
        clauses: the parts of the sentence that say why the Job ended; empty for an unfinished one.
        doomed: why an unfinished Job can only fail, as a clause; empty if it can complete.
        so_far: failures that did not end the Job, as a clause; empty without any.
    """

    recording: Recording
    outcome: Outcome
    reason: str
    cause: Cause
    sentence: str
    groups: tuple[FailureGroup, ...]
    waiting: Waiting | None
    advice: tuple[Advice, ...]
    clauses: tuple[str, ...] = ()
    doomed: str = ""
    so_far: str = ""

    def __repr__(self) -> str:
        """Return one line for a console."""
        return f"<{self.outcome}, {self.cause}: {printable(self.sentence)}>"


def no_findings(codes: frozenset[str]) -> Sequence[Finding]:
    """Return no findings, where lint rules are not run."""
    return ()


def diagnose(
    recording: Recording, findings: Callable[[frozenset[str]], Sequence[Finding]] = no_findings
) -> Diagnosis:
    """Diagnose a Job.

    Args:
        findings: returns the findings of some lint rules, by their codes, about this Job: the advice asks for
            those that concern the cause.
    """
    groups, end = failure_groups(recording), recording.end
    name = f"Job {recording.job.name}"
    clauses: tuple[str, ...] = ()
    doomed = so_far = ""
    if end is None:
        found = standing(recording)
        so_far = _so_far(groups, recording.unseen)
        sentence = f"{name} {found.sentence}{_after_semicolon(so_far)}."
        doomed = found.doomed
        cause, waiting = found.cause, found.waiting
        also: list[Cause] = []
        outcome: Outcome = "Unfinished"
    else:
        waiting = remaining(recording)
        also = [Cause.TERMINATING] if any(overdue_pods(recording)) else []
        after = _after(recording, end)
        if end.success:
            cause, outcome = Cause.COMPLETE, "Complete"
            verb = "completed" if end.finished else "is completing"
            so_far = _so_far(groups, (), "before that")
            clauses = (_success(recording),)
            text = f"{clauses[0]}{_after_semicolon(so_far)}"
        else:
            why, outcome = cause_of_failure(recording, groups, end), "Failed"
            cause = why.cause
            verb = "failed" if end.finished else "is failing"
            clauses = tuple(filter(None, why.clauses))
            text = "; ".join(clauses)
        left = "" if waiting is None else f"; it is {waiting.sentence(time_text)}"
        sentence = f"{name} {verb}{after}: {text}{left}."
    main = Cause.DEADLINE_EXCEEDED if (outcome, cause) == ("Failed", Cause.RUNNING) else cause
    causes = also if outcome == "Complete" else [*also, main, *_counted(groups)]
    if (outcome, main) == ("Unfinished", Cause.RUNNING):
        causes += stalled_causes(recording)
    if cause == Cause.PODS_GONE:
        causes = [*causes, gone_cause(recording) or cause]
    return Diagnosis(
        recording,
        outcome,
        "" if end is None else end.reason,
        cause,
        sentence,
        tuple(groups),
        waiting,
        (*advice_for(recording, causes, findings), *_held_pods(recording)),
        clauses,
        doomed,
        so_far,
    )


def _held_pods(recording: Recording) -> Iterator[Advice]:
    """Yield what to do about a Pod of a finished Job that a finalizer keeps, unless the Job waits for it."""
    held = [pod for pod in deleted_pods(recording) if pod.facts.finalizers]
    if (
        not held
        or recording.job.deleting
        or recording.end is None
        or recording.end.finished is None
    ):
        return
    names = finalizers(held[0].facts.finalizers)
    more = f" and {count(len(held) - 1, 'Pod')} alike" if len(held) > 1 else ""
    yield Advice(
        f"Pod {held[0].name}{more} stays until {names} is removed, which its owner does. If the owner is "
        "gone for good, remove it with kubectl patch."
    )


def _after_semicolon(clause: str) -> str:
    return clause and f"; {clause}"


def _counted(groups: Sequence[FailureGroup]) -> list[Cause]:
    return [each.cause.name for each in groups if each.counts]


def _after(recording: Recording, end: RecordedEnd) -> str:
    at = end.decided if end.finished is None else end.finished
    return f" after {spoken(max(0, at - recording.created) * SECOND)}"


def _success(recording: Recording) -> str:
    job, end = recording.job, recording.end
    number = job.status.succeeded
    noun = "index" if job.indexed else "Pod"
    of = "" if job.completions is None else f" of {job.completions}"
    text = f"{number}{of} {noun}{'es' if noun == 'index' else 's'} succeeded"
    if end is not None and end.reason == "SuccessPolicy":
        text += f", and the success policy is met ({end.message})"
    return text


def _so_far(
    groups: Sequence[FailureGroup], unseen: Sequence[UnseenPod], when: str = "so far"
) -> str:
    """Return the failures that did not end the Job, as a clause; empty without any.

    Args:
        unseen: Pods that are gone; those whose Events say why count.
    """
    told = [failure_clause(each) + ("" if each.counts else " (ignored)") for each in groups]
    causes = [(each, cause_by_events(each.events)) for each in unseen]
    gone = [cause.clause(f"Pod {each.name}", plural=False) for each, cause in causes if cause]
    if not told and not gone:
        return ""
    shown = [*told, *gone][:2]
    rest = sum(len(each.pods) for each in groups[2:]) + max(0, len(gone) - max(0, 2 - len(told)))
    more = [f"and {count(rest, 'other failure')}"] if rest else []
    return f"{when}, {'; '.join([*shown, *more])}"


def unknowns(recording: Recording) -> Iterator[str]:
    """Yield what is not known of a Job, in sentences."""
    unseen = sorted(recording.unseen, key=lambda each: each.created or 0, reverse=True)
    for pod in unseen[:_MAX_PODS]:
        when = "" if pod.created is None else f", created at {recording.since(pod.created)},"
        last = max(pod.events, key=lambda each: each.at or 0, default=None)
        event = "" if last is None else f" Its last Event: {last.reason}: {last.message}"
        gone = "was not read" if recording.partial else "is gone"
        yield f"Pod {pod.name}{when} {gone}; only Events name it.{event}"
    if len(unseen) > _MAX_PODS:
        yield f"{len(unseen) - _MAX_PODS} more Pods are known only by Events."
    if "Pods" in recording.denied:
        yield "The Pods of the Job cannot be listed: its numbers are those of its status."
    elif recording.partial and not recording.pods:
        within = f" -n {recording.job.namespace}" if recording.job.namespace else ""
        yield (
            "None of the Pods of the Job was read: its numbers are those of its status. See "
            f"kubectl get pods{within} -l job-name={recording.job.name}"
        )
    elif recording.partial:
        yield (
            f"The Job has more Pods than were read ({len(recording.pods)}): the numbers of its status are "
            "exact, those of Pods are not."
        )
    if "Events" in recording.denied:
        yield "The Events of the Job cannot be listed, so Pods that are gone cannot be seen."
    elif not recording.events:
        yield "There are no Events of the Job: the API server keeps them for an hour by default."


MAX_FINDINGS = 5


_CREATED_SUSPENDED = "JW219"
"""Its finding is about a Job that has never run."""
_LATE_RULE = "JW102"
"""Its finding says which rule to move, instead of the general advice about disruptions."""
_DISRUPTION_CODES = (_LATE_RULE, "JW103", "JW115", "JW116", "JW127", "JW227")
_PROGRAM_CODES = ("JW103", "JW105", "JW107", "JW126", "JW222", "JW224", "JW253", "JW259")
_PENDING_CODES = ("JW201",)
_IGNORE_DISRUPTIONS = (
    "If a retry does no harm, make a rule with action Ignore for the Pod condition DisruptionTarget the "
    "first of spec.podFailurePolicy in a new Job, so that disruptions do not count."
)
_ALLOW_DISRUPTIONS = (
    "If a retry does no harm, raise spec.backoffLimit in a new Job, or set restartPolicy: Never there, with "
    "which a rule of spec.podFailurePolicy can ignore disruptions."
)
_READ_LOG = "Read the end of the log of the failed container."
_READ_KILLED = (
    "Code 137 without OOMKilled is SIGKILL by the kubelet after a failed probe, by the node when its memory "
    "ran out, or by the program itself. Read the end of the log of the failed container."
)
_READ_MORE = "Remove the cause that the program names. Its log has more."
_LOST_NODE = (
    "Delete the Node object if the machine is gone for good: podReplacementPolicy: Failed waits until the "
    "Pod has Failed, which its deletion by force does not bring about. Remove a finalizer only if its owner "
    "is gone."
)
_NO_LOG = (
    "The Pods are gone, and their logs with them: collect the logs, or set restartPolicy: Never, which keeps "
    "failed Pods as long as the Job."
)
_DISRUPTED = (_IGNORE_DISRUPTIONS, _DISRUPTION_CODES)

_BY_CAUSE: dict[Cause, tuple[str, tuple[str, ...]]] = {
    Cause.OOM: (
        "Raise resources.limits.memory of the container in a new Job, or lower what the program uses. A "
        "retry with the same limit ends the same way.",
        ("JW106", "JW504", "JW510", "JW511"),
    ),
    Cause.STORAGE_LIMIT: (
        "Raise the ephemeral-storage limit of the container or the sizeLimit of the emptyDir in a new Job, "
        "or write less.",
        ("JW512",),
    ),
    Cause.POD_DEADLINE: (
        "Raise spec.template.spec.activeDeadlineSeconds, or move it to spec.activeDeadlineSeconds: on the "
        "Pod template it fails each Pod, not the Job.",
        ("JW202",),
    ),
    Cause.PREEMPTION: _DISRUPTED,
    Cause.CRITICAL_POD: _DISRUPTED,
    Cause.EVICTION: _DISRUPTED,
    Cause.TAINT: _DISRUPTED,
    Cause.POD_GC: _DISRUPTED,
    Cause.DISRUPTION: _DISRUPTED,
    Cause.NODE_SHUTDOWN: _DISRUPTED,
    Cause.NODE_PRESSURE: (
        "Set resources.requests, for ephemeral-storage too, so that the Pod is not among the first to be "
        "evicted. " + _IGNORE_DISRUPTIONS,
        (*_DISRUPTION_CODES, "JW502"),
    ),
    Cause.DELETION: (
        "Find who deletes the Pods: a user, a node that expires, another controller. Such a deletion sets no "
        "DisruptionTarget, so only backoffLimit can allow for it.",
        ("JW227",),
    ),
    Cause.NODE_LOST: (
        "Delete the Node object, or the Pod with kubectl delete --force, if the machine is gone for good.",
        ("JW210",),
    ),
    Cause.ADMISSION_ERROR: (
        "Look for the cause on the node (devices, CPU manager, ports). No rule of a failure policy can match "
        "a Pod that the kubelet rejects: only backoffLimit allows for it.",
        (),
    ),
    Cause.START_ERROR: (
        "Correct the command of the container, or the image, in a new Job: the program could not be started.",
        (),
    ),
    Cause.EXIT_CODE: (
        _READ_LOG,
        _PROGRAM_CODES,
    ),
    Cause.IMAGE_PULL: (
        "Push the image; if its name is wrong, delete the Job and create it anew.",
        (*_PENDING_CODES, "JW025", "JW501"),
    ),
    Cause.UNSCHEDULABLE: (
        "Add nodes, or lower requests and selectors in a new Job.",
        (*_PENDING_CODES, "JW508"),
    ),
    Cause.MISSING_CONFIG: (
        "Create the ConfigMap or Secret with its keys in the namespace of the Job.",
        (*_PENDING_CODES, "JW701", "JW702"),
    ),
    Cause.VOLUME: ("", _PENDING_CODES),
    Cause.SANDBOX: (
        "Look at the network plugin and the devices of the node, as the message names them.",
        (),
    ),
    Cause.PODS_REJECTED: (
        "Remove what the message names.",
        ("JW024", "JW416", "JW711", "JW712", "JW713", "JW714"),
    ),
    Cause.SUSPENDED: (
        "Resume the Job once nothing holds it back.",
        ("JW219", "JW235", "JW248"),
    ),
    Cause.RUNNING: ("", ("JW226", "JW252", "JW214", "JW230")),
    Cause.DEADLINE_EXCEEDED: (
        "Raise spec.activeDeadlineSeconds in a new Job, or let the work take less time.",
        ("JW226", "JW252", "JW214", "JW230"),
    ),
    Cause.CONTAINER_RUNS_ON: ("", ("JW226", "JW230")),
    Cause.TERMINATING: (
        "Delete the Node object, or the Pod with kubectl delete --force, if the machine is gone for good; "
        "remove a finalizer only if its owner is gone.",
        (),
    ),
}
"""Advice, and the codes of the lint rules that concern it."""
_ALIKE = {
    Cause.QUOTA: Cause.PODS_REJECTED,
    Cause.CRASH_LOOP: Cause.EXIT_CODE,
}


def advice_for(
    recording: Recording,
    causes: Sequence[Cause],
    findings: Callable[[frozenset[str]], Sequence[Finding]],
) -> tuple[Advice, ...]:
    """Return what to change, the advice about the cause first.

    Args:
        recording: the Job, whose messages decide the advice about some causes.
        findings: returns the findings of some lint rules, by their codes, about the Job.
        causes: what the Job failed for or waits for, the first first.
    """
    texts: list[Advice] = []
    codes: set[str] = set()
    ignored = _ignores_disruptions(recording.manifest)
    for each in dict.fromkeys(causes):
        text, of_cause = _BY_CAUSE.get(_ALIKE.get(each, each), ("", ()))
        if (
            each == Cause.TERMINATING
            and recording.job.only_replace_failed
            and recording.end is None
        ):
            text = _LOST_NODE
        if ignored:
            text = text.replace(_IGNORE_DISRUPTIONS, "").rstrip()
        elif recording.job.restarts_on_failure:
            text = text.replace(_IGNORE_DISRUPTIONS, _ALLOW_DISRUPTIONS)
        gone = all(pod.gone for pod in recording.pods) and not recording.partial
        if text == _READ_LOG:
            text = _READ_KILLED if _only_killed(recording) else text
            text = _NO_LOG if gone else _READ_MORE if _reported(recording) else text
        codes.update(of_cause)
        of_messages = advice_by_messages(recording, each) or [Advice(text)]
        texts += (advice._replace(cause=each) for advice in of_messages)
    if recording.job.status.succeeded or recording.job.status.failed:
        codes.discard(_CREATED_SUSPENDED)
    concerning = findings(frozenset(codes)) if codes else ()
    found = [_about(each) for each in concerning[:MAX_FINDINGS]]
    exact = next((each for each in found if each.code == _LATE_RULE), None)
    if exact is not None:
        texts = [exact if each.text == _IGNORE_DISRUPTIONS else each for each in texts]
    return tuple(_distinct([*texts, *found]))


def advice_without_pods(reason: str) -> str:
    """Return what to change about a failed Job of which no Pod was read; empty if its Pods decide that.

    Args:
        reason: that of its Failed condition.
    """
    late = reason == Cause.DEADLINE_EXCEEDED
    return _BY_CAUSE[Cause.DEADLINE_EXCEEDED][0] if late else ""


def _only_killed(recording: Recording) -> bool:
    """Return True if all containers that failed ended with 137, and none was killed for its memory."""
    failed = [each for pod in recording.pods for each in pod.containers if each.exit_code]
    return bool(failed) and all(
        each.exit_code == SIGKILL_CODE and each.reason != "OOMKilled" for each in failed
    )


def _ignores_disruptions(manifest: Mapping[str, Any]) -> bool:
    """Return True if the first rule of the failure policy ignores disruptions."""
    rules = (manifest["spec"].get("podFailurePolicy") or {}).get("rules") or ()
    first: Mapping[str, Any] = rules[0] if rules else {}
    conditions = first.get("onPodConditions") or ()
    return first.get("action") == "Ignore" and any(
        each.get("type") == DISRUPTION_TARGET and each.get("status") == "True"
        for each in conditions
    )


def _reported(recording: Recording) -> bool:
    """Return True if a program has written why it failed, so that the cause has its message."""
    facts = [pod.facts for pod in recording.pods]
    return any(
        any(each.termination_messages.values()) or any(last.message for last in each.last_runs)
        for each in facts
    )


def _distinct(texts: Sequence[Advice]) -> Iterator[Advice]:
    """Yield each piece of advice with a text once."""
    seen = {""}
    for each in texts:
        if each.text not in seen:
            seen.add(each.text)
            yield each


def _about(finding: Finding) -> Advice:
    hint = f" {finding.hint}" if finding.hint else ""
    return Advice(f"{finding.message}{hint}", finding.code, finding.field)
