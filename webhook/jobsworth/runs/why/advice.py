"""Advice by the cause: a sentence for each, and the lint findings that concern it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jobsworth.findings.finding import Finding
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.recording import Recording
from jobsworth.runs.why.message_advice import NO_FAILURE, Advice, advice_by_messages

MAX_FINDINGS = 5


_DISRUPTION_CODES = ("JW102", "JW103", "JW104", "JW115", "JW116", "JW127", "JW227")
_PROGRAM_CODES = ("JW103", "JW105", "JW107", "JW126", "JW222", "JW224", "JW253", "JW259")
_PENDING_CODES = ("JW201",)
_IGNORE_DISRUPTIONS = (
    "If a retry does no harm, make a rule with action Ignore for the Pod condition DisruptionTarget the "
    "first of spec.podFailurePolicy, so that disruptions do not count."
)
_READ_LOG = "Read the end of the log of the failed container."
_NO_LOG = (
    "The Pods are gone, and their logs with them: collect the logs, or set restartPolicy: Never, which keeps "
    "failed Pods as long as the Job."
)
_DISRUPTED = (_IGNORE_DISRUPTIONS, _DISRUPTION_CODES)

_BY_CAUSE: dict[Cause, tuple[str, tuple[str, ...]]] = {
    Cause.OOM: (
        "Raise resources.limits.memory of the container, or lower what the program uses. A retry with the "
        "same limit ends the same way.",
        ("JW106", "JW504", "JW510", "JW511"),
    ),
    Cause.STORAGE_LIMIT: (
        "Raise the ephemeral-storage limit of the container or the sizeLimit of the emptyDir, or write less.",
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
        ("JW104", "JW227"),
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
        "Correct the command of the container, or the image: the program could not be started.",
        (),
    ),
    Cause.EXIT_CODE: (
        _READ_LOG,
        _PROGRAM_CODES,
    ),
    Cause.IMAGE_PULL: (
        "Correct the image or its imagePullSecrets in a new Job (the template is immutable), or push the "
        "image. " + NO_FAILURE,
        (*_PENDING_CODES, "JW025", "JW501"),
    ),
    Cause.UNSCHEDULABLE: (
        "Add nodes, or lower requests and selectors in a new Job. " + NO_FAILURE,
        (*_PENDING_CODES, "JW508"),
    ),
    Cause.MISSING_CONFIG: (
        "Create the ConfigMap or Secret with its keys in the namespace of the Job: the kubelet tries again.",
        (*_PENDING_CODES, "JW701", "JW702"),
    ),
    Cause.VOLUME: ("", _PENDING_CODES),
    Cause.PODS_REJECTED: (
        "Remove what the message names (quota, Pod Security, a webhook, a missing ServiceAccount): the "
        "controller tries again by itself. Pods that are invalid need a new Job.",
        ("JW024", "JW416", "JW711", "JW712", "JW713", "JW714"),
    ),
    Cause.SUSPENDED: (
        "Resume the Job, or see why its queue does not admit it.",
        ("JW219", "JW235", "JW248"),
    ),
    Cause.RUNNING: ("", ("JW226", "JW252", "JW214", "JW230")),
    Cause.CONTAINER_RUNS_ON: ("", ("JW214", "JW226", "JW230")),
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
    for each in dict.fromkeys(causes):
        text, of_cause = _BY_CAUSE.get(_ALIKE.get(each, each), ("", ()))
        gone = all(pod.gone for pod in recording.pods) and not recording.partial
        text = _NO_LOG if text == _READ_LOG and gone else text
        codes.update(of_cause)
        texts += advice_by_messages(recording, each) or [Advice(text)]
    concerning = findings(frozenset(codes)) if codes else ()
    return (
        *(each for each in dict.fromkeys(texts) if each.text),
        *(_about(each) for each in concerning[:MAX_FINDINGS]),
    )


def _about(finding: Finding) -> Advice:
    hint = f" {finding.hint}" if finding.hint else ""
    return Advice(f"{finding.message}{hint}", finding.code, finding.field)
