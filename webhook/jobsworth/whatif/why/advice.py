"""Advice by the cause: a sentence for each, and the lint findings that concern it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.whatif import failure_causes, pending_causes

if TYPE_CHECKING:
    from jobsworth.findings.finding import Finding
    from jobsworth.whatif.why.failure_groups import FailureGroup

MAX_FINDINGS = 5


class Advice(NamedTuple):
    """A change that helps.

    Attributes:
        code: of the lint rule; empty for advice by the cause alone.
        field: the path of the field to change; may be empty.
    """

    text: str
    code: str = ""
    field: str = ""


_DISRUPTION_CODES = ("JW102", "JW103", "JW104", "JW115", "JW116", "JW127", "JW227")
_PROGRAM_CODES = ("JW103", "JW105", "JW107", "JW126", "JW222", "JW224", "JW253", "JW259")
_PENDING_CODES = ("JW201",)
_IGNORE_DISRUPTIONS = (
    "If a retry does no harm, make a rule with action Ignore for the Pod condition DisruptionTarget the "
    "first of spec.podFailurePolicy, so that disruptions do not count."
)
_NO_FAILURE = (
    "A Pod that stays Pending is no failure: only spec.activeDeadlineSeconds ends the wait."
)
_DISRUPTED = (_IGNORE_DISRUPTIONS, _DISRUPTION_CODES)

_BY_CAUSE: dict[str, tuple[str, tuple[str, ...]]] = {
    failure_causes.OOM.name: (
        "Raise resources.limits.memory of the container, or lower what the program uses. A retry with the "
        "same limit ends the same way.",
        ("JW106", "JW504", "JW510", "JW511"),
    ),
    failure_causes.STORAGE_LIMIT.name: (
        "Raise the ephemeral-storage limit of the container or the sizeLimit of the emptyDir, or write less.",
        ("JW512",),
    ),
    failure_causes.POD_DEADLINE.name: (
        "Raise spec.template.spec.activeDeadlineSeconds, or move it to spec.activeDeadlineSeconds: on the "
        "Pod template it fails each Pod, not the Job.",
        ("JW202",),
    ),
    failure_causes.PREEMPTION.name: _DISRUPTED,
    failure_causes.KUBELET_PREEMPTION.name: _DISRUPTED,
    failure_causes.EVICTION.name: _DISRUPTED,
    failure_causes.TAINT.name: _DISRUPTED,
    failure_causes.POD_GC.name: _DISRUPTED,
    "disruption": _DISRUPTED,
    failure_causes.NODE_SHUTDOWN.name: _DISRUPTED,
    failure_causes.NODE_PRESSURE.name: (
        "Set resources.requests, for ephemeral-storage too, so that the Pod is not among the first to be "
        "evicted. " + _IGNORE_DISRUPTIONS,
        (*_DISRUPTION_CODES, "JW502"),
    ),
    "deletion": (
        "Find who deletes the Pods: a user, a node that expires, another controller. Such a deletion sets no "
        "DisruptionTarget, so only backoffLimit can allow for it.",
        ("JW104", "JW227"),
    ),
    failure_causes.NODE_UNREACHABLE.name: (
        "Delete the Node object, or the Pod with kubectl delete --force, if the machine is gone for good.",
        ("JW210",),
    ),
    failure_causes.ADMISSION_ERROR.name: (
        "Look for the cause on the node (devices, CPU manager, ports). No rule of a failure policy can match "
        "a Pod that the kubelet rejects: only backoffLimit allows for it.",
        (),
    ),
    "start-error": (
        "Correct the command of the container, or the image: the program could not be started.",
        (),
    ),
    "exit-code": (
        "Read the end of the log of the failed container.",
        _PROGRAM_CODES,
    ),
    pending_causes.IMAGE_PULL: (
        "Correct the image or its imagePullSecrets in a new Job (the template is immutable), or push the "
        "image. " + _NO_FAILURE,
        (*_PENDING_CODES, "JW025", "JW501"),
    ),
    pending_causes.UNSCHEDULABLE: (
        "Add nodes, or lower requests and selectors in a new Job. " + _NO_FAILURE,
        (*_PENDING_CODES, "JW508"),
    ),
    pending_causes.MISSING_CONFIG: (
        "Create the ConfigMap or Secret with its keys in the namespace of the Job: the kubelet tries again.",
        (*_PENDING_CODES, "JW701", "JW702"),
    ),
    "rejected": (
        "Remove what the message names (quota, Pod Security, a webhook, a missing ServiceAccount): the "
        "controller tries again by itself. Pods that are invalid need a new Job.",
        ("JW024", "JW416", "JW711", "JW712", "JW713", "JW714"),
    ),
    "suspended": (
        "Resume the Job, or see why its queue does not admit it.",
        ("JW219", "JW235", "JW248"),
    ),
    "running": ("", ("JW226", "JW252", "JW214", "JW230")),
    "terminating": (
        "Delete the Node object, or the Pod with kubectl delete --force, if the machine is gone for good; "
        "remove a finalizer only if its owner is gone.",
        (),
    ),
}
"""Advice, and the codes of the lint rules that concern it."""
_UNLABELED = {
    "volume": pending_causes.MISSING_CONFIG,
    "crash-loop": "exit-code",
    "restarts": "exit-code",
}


def advice_for(
    cause: str,
    outcome: str,
    groups: Sequence[FailureGroup],
    findings: Sequence[Finding],
) -> tuple[Advice, ...]:
    """Return what to change, the advice about the cause first.

    Args:
        cause: the name of the cause.
        outcome: that of the Job; a Job that is complete needs no change.
        findings: of the lint rules about the Job.
    """
    if outcome == "Complete":
        return ()
    return tuple(_advice(cause, groups, findings))


def _advice(
    cause: str,
    groups: Sequence[FailureGroup],
    findings: Sequence[Finding],
) -> Iterator[Advice]:
    causes = [cause, *(each.cause.name for each in groups if each.counts)]
    codes: list[str] = []
    for name in dict.fromkeys(_UNLABELED.get(each, each) for each in causes):
        text, concerned = _BY_CAUSE.get(name, ("", ()))
        codes += concerned
        if text:
            yield Advice(text)
    concerning = [each for each in findings if each.code in codes]
    for finding in concerning[:MAX_FINDINGS]:
        hint = f" {finding.hint}" if finding.hint else ""
        yield Advice(f"{finding.message}{hint}", finding.code, finding.field)
