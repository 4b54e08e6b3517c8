"""The wait of a Pod that does not start: by its status, and by Events after it is gone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.controller.times import write_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.pod_facts import CRASH_LOOP, PodFacts, WaitingContainer, short

if TYPE_CHECKING:
    from jobsworth.runs.recorded.recording import RecordedEvent

HOPELESS_REASONS = ("InvalidImageName",)
"""Reasons that no retry of the kubelet removes: the image is part of the template, which is immutable."""
_IMAGE_REASONS = (
    "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
    "RegistryUnavailable", "SignatureValidationFailed",
)  # fmt: skip
"""Reasons of a waiting container (pkg/kubelet/images/types.go and pkg/kubelet/kuberuntime, 1.36)."""
_CONFIG_REASON = "CreateContainerConfigError"
_START_REASONS = ("CreateContainerError", "RunContainerError", "PostStartHookError")
"""Reasons of a container that the runtime does not start, whose message has the cause
(pkg/kubelet/kuberuntime/kuberuntime_container.go, 1.36)."""
_SANDBOX_REASONS = ("FailedCreatePodSandBox", "FailedPrepareDynamicResources", "NetworkNotReady")
"""Reasons of Events before the first container: network and devices (pkg/kubelet/events/event.go, 1.36)."""
_ATTACHED, BACK_OFF, NODE_NOT_READY = "SuccessfulAttachVolume", "BackOff", "NodeNotReady"
EVENT_REASONS = (
    *("FailedMount", "FailedAttachVolume", _ATTACHED),
    *(*_SANDBOX_REASONS, BACK_OFF, NODE_NOT_READY),
)
"""Reasons of the Events of a Pod that say what its conditions and container statuses do not."""
_PROGRESS = {"Scheduled": 1, "Pulling": 2, "Pulled": 3, "Created": 4, "Started": 4}
"""Reasons of the Events of a Pod that starts, by the step that they report."""
_PLACED, _MOUNTED, _IMAGE_PRESENT, _CREATED = 1, 2, 3, 4
"""The steps with which a failure to schedule, to prepare the Pod, to pull, or to create is over."""
_SCHEDULING_GATED = "SchedulingGated"
_FAILED_CREATES = ("FailedCreate", "FailedWorkloadCreate", "FailedWorkloadCompilation")
"""Reasons of Events about a Job that gets no Pods: the last two from its spec.scheduling (1.37)."""
_UNMOUNTED = "Unable to attach or mount volumes: "
"""The start of the message of a kubelet that waited in vain for all volumes (pkg/kubelet/kubelet.go).

Its end is "timed out waiting for the condition" or "context deadline exceeded", depending on the release."""
_PREFIX = re.compile(r"Error creating: ")
_GENERATED_NAME = re.compile(r'^pods "[^"]*" is forbidden: ')


MAX_REJECTION = 1000
"""Characters that are kept of the message of a rejection: Pod Security names each field to set."""


class PendingReason(NamedTuple):
    """The reason for which a Pod does not run.

    Attributes:
        cause: ``PENDING`` if the Pod shows none.
        reason: as the kubelet or the scheduler calls it.
        detail: its message; may be empty.
        image: the image that cannot be pulled; empty for another cause.
        ends: what ends the wait, as a clause after "when"; empty if the cause says it.
        waits_for: what the Pod waits for, as a noun phrase; empty if the cause says it.
    """

    cause: Cause
    reason: str
    detail: str
    image: str = ""
    ends: str = ""
    waits_for: str = ""

    @property
    def words(self) -> str:
        """Reason and message in one phrase."""
        detail = self.detail
        if self.image and self.image not in detail:
            detail = f"image {self.image}: {detail}" if detail else f"image {self.image}"
        return ": ".join(filter(None, (self.reason, detail)))

    @property
    def hopeless(self) -> bool:
        """True if the Pod cannot start whatever is supplied later."""
        return self.reason in HOPELESS_REASONS


def pending_reason(facts: PodFacts, events: Sequence[RecordedEvent] = ()) -> PendingReason:
    """Return why a Pod is Pending.

    Args:
        events: those about the Pod, by which a failed mount is known.
    """
    if facts.gates:
        return PendingReason(Cause.SCHEDULING_GATED, _SCHEDULING_GATED, ", ".join(facts.gates))
    reason, message = facts.unscheduled
    if reason or message:
        return _unschedulable(reason or "Unschedulable", message)
    for container in facts.waiting:
        found = _of_container(container)
        if found is not None:
            return found
    if facts.initializing:
        restarted = any(facts.initializing == last.container for last in facts.last_runs)
        since = facts.initializing_since
        running = "runs" if since is None else f"runs since {write_time(since)}"
        detail = f"its init container {facts.initializing} {running}"
        cause = Cause.PENDING if restarted else Cause.INITIALIZING
        return PendingReason(cause, "", detail, ends=f"{facts.initializing} succeeds")
    if facts.unstarted_sidecar:
        detail = f"the startup probe of its sidecar {facts.unstarted_sidecar} has not succeeded"
        return PendingReason(
            Cause.INITIALIZING,
            "",
            detail,
            ends="the probe succeeds",
            waits_for="a sidecar to start",
        )
    if facts.awaited_scheduler:
        detail = f"it has no node, and scheduler {facts.awaited_scheduler} has not reported on it"
        return PendingReason(Cause.NO_SCHEDULER, "", detail)
    return _of_events(events, facts.prepared) or PendingReason(Cause.PENDING, "", "")


def _unschedulable(reason: str, message: str) -> PendingReason:
    found = PendingReason(Cause.UNSCHEDULABLE, reason, _PREEMPTION.sub("", message))
    if _CLAIMS.search(message) is None:
        if not message.partition("preemption:")[0] or _ROOM.search(message) is not None:
            return found
        ends = "a node fits: nodes are added, or their labels, taints or volumes change"
        return found._replace(ends=ends, waits_for="a node that takes its Pods")
    ends = "they exist and are bound: the scheduler tries again by itself"
    return found._replace(ends=ends, waits_for="the PersistentVolumeClaims of its Pods")


_PREEMPTION = re.compile(r"(?<=\S)(?: no new claims to deallocate,)? preemption: .*", re.DOTALL)
"""The end of the scheduler's message: that no other Pod would have to go for this one."""
_ROOM = re.compile(r"Insufficient|Too many pods|free ports|nodes are available: *$")
_CLAIMS = re.compile(r"(?i)persistentvolumeclaim|didn't find available persistent volumes")
"""A part of the scheduler's message about a Pod whose claims are missing or not bound."""


def gone_reason(events: Sequence[RecordedEvent]) -> PendingReason | None:
    """Return what a Pod waited for that is gone, by its last Events; None if they do not say, or it ran."""
    ran = any(each.reason in ("Started", "Killing") for each in events)
    return None if ran else _of_events(events)


def _of_container(container: WaitingContainer) -> PendingReason | None:
    reason, message = container.reason, container.message
    if reason in _IMAGE_REASONS:
        waits_for = _image(container.image, message)
        return PendingReason(
            Cause.IMAGE_PULL, reason, message, container.image, waits_for=waits_for
        )
    if reason == _CONFIG_REASON and (not message or _NAMES_CONFIG.search(message)):
        return _missing_config(reason, message)
    if reason == _CONFIG_REASON:
        return PendingReason(Cause.START_ERROR, reason, message)
    if reason in _START_REASONS:
        return PendingReason(Cause.START_ERROR, reason, message)
    if reason == CRASH_LOOP:
        return PendingReason(Cause.CRASH_LOOP, reason, message)
    return None


_MISSING_OBJECT = re.compile(r'(configmap|secret) "([^"]+)" not found')
MISSING_KEY = re.compile(r"couldn't find key (\S+) in (ConfigMap|Secret) (?:[^\s/]*/)?([^\s,]+)")
"""Its groups are the key, the kind and the name of the object."""
_ABSENT_KEY = re.compile(r"references non-existent (?:config|secret) key: (\S+)")
_NAMES_CONFIG = re.compile(r"(?i)configmap|secret")
_KINDS = {"configmap": "ConfigMap", "secret": "Secret"}


def _missing_config(reason: str, message: str) -> PendingReason:
    waits_for = ""
    if found := _MISSING_OBJECT.search(message):
        waits_for = f"{_KINDS[found[1]]} {found[2]}"
    elif found := MISSING_KEY.search(message):
        waits_for = f"key {found[1]} of {found[2]} {found[3]}"
    elif found := _ABSENT_KEY.search(message):
        waits_for = f"key {found[1]} of a ConfigMap or Secret"
    return PendingReason(Cause.MISSING_CONFIG, reason, message, waits_for=waits_for)


_PULLS = (
    (r"toomanyrequests|rate limit|\b429\b", "rate limit"),
    (r"unauthorized|denied|authentication required|no basic auth|\b40[13]\b", "access denied"),
    (r"no match for platform", "not for this platform"),
    (r"no such host|timeout|connection refused|timed out|x509", "registry not reached"),
    (r"not found|manifest unknown", "not found"),
    (r"couldn't parse|invalid reference", "invalid name"),
)
"""Why an image cannot be pulled, in a few words, by the message of the container runtime."""


def _image(image: str, message: str) -> str:
    """Return what a Pod waits for whose image cannot be pulled; empty if the image is unknown."""
    if not image:
        return ""
    why = next((words for pattern, words in _PULLS if re.search(pattern, message, re.I)), "")
    return f"image {image} ({why})" if why else f"image {image}"


def _of_events(events: Sequence[RecordedEvent], prepared: bool = False) -> PendingReason | None:
    """Return the last failure that Events report, unless a later one shows that it is over.

    Args:
        prepared: the volumes of the Pod are mounted, so that failures to mount them are over.
    """
    step = _MOUNTED if prepared else 0
    for _, same_time in groupby(sorted(events, key=_newest_first), key=_newest_first):
        found = list(same_time)
        for each in found:
            reason, over = _failure(_root_of(each, events))
            # A Pod that is scheduled stays so; else, of the same second, the failure counts.
            placed = over == _PLACED and any(other.reason in _PROGRESS for other in found)
            if reason is not None and step < over and not placed:
                return reason
        step = max([step, *(_PROGRESS.get(each.reason, 0) for each in found)])
    return None


def _root_of(event: RecordedEvent, events: Sequence[RecordedEvent]) -> RecordedEvent:
    """Return the Event that says why volumes were not mounted in time, for one that says only that."""
    if not _waited_in_vain(event):
        return event
    attached = max((each.at or 0 for each in events if each.reason == _ATTACHED), default=-1)
    causes = [
        each
        for each in events
        if (each.reason == "FailedMount" and not _waited_in_vain(each))
        or (each.reason == "FailedAttachVolume" and (each.at or 0) > attached)
    ]
    return max(causes, key=lambda each: each.at or 0, default=event)


def _newest_first(event: RecordedEvent) -> int:
    return -(event.at or 0)


def _waited_in_vain(event: RecordedEvent) -> bool:
    """Return True for an Event that says that volumes were not mounted in time, and not why."""
    return event.reason == "FailedMount" and event.message.startswith(_UNMOUNTED)


def _failure(event: RecordedEvent) -> tuple[PendingReason | None, int]:
    """Return the failure that an Event reports, if it does, and the step with which it is over."""
    reason, message = event.reason, event.message
    if reason == "FailedScheduling":
        return _unschedulable(reason, message), _PLACED
    if reason in ("FailedMount", "FailedAttachVolume"):
        named = "not found" in message and ("configmap" in message or "secret" in message)
        if named or _ABSENT_KEY.search(message):
            return _missing_config(reason, message), _MOUNTED
        return PendingReason(Cause.VOLUME, reason, message), _MOUNTED
    if reason in _SANDBOX_REASONS:
        return PendingReason(Cause.SANDBOX, reason, message), _MOUNTED
    if reason in _IMAGE_REASONS or (
        reason in ("Failed", BACK_OFF, "InspectFailed", "ErrImageNeverPull")
        and ("image" in message or "ImagePull" in message)
        and "restarting" not in message
    ):
        image = re.search(r'image "([^"]+)"', message)
        waits_for = _image(image[1], message) if image else ""
        found = PendingReason(Cause.IMAGE_PULL, reason, message, waits_for=waits_for)
        return found, _IMAGE_PRESENT
    if reason == "Failed" and ("configmap" in message or "secret" in message):
        return _missing_config(reason, message), _CREATED
    return None, 0


class Rejection(NamedTuple):
    """The API server rejects the Pods of the Job.

    Attributes:
        message: that of the API server.
        since: when it first did, if known.
        last: when it last did.
        times: how often.
    """

    message: str
    since: int | None
    last: int | None
    times: int

    @property
    def cause(self) -> Cause:
        """The kind of the rejection."""
        return rejection_cause(self.message)

    @property
    def hopeless(self) -> bool:
        """True if the Pods are invalid: the template is immutable, so no retry can succeed."""
        return _INVALID in self.message


_INVALID, _VIOLATION = " is invalid: ", "violates PodSecurity"


def needs_new_job(message: str) -> bool:
    """Return True if the message of a rejection is about the Pod template, which is immutable."""
    return _INVALID in message or _VIOLATION in message


_REJECTIONS = (
    (r"exceeded quota: ([^,\s]+)", "room in ResourceQuota {0}"),
    (
        r"failed quota: ([^:\s]+): must specify",
        "requests and limits that ResourceQuota {0} requires",
    ),
    (r'violates PodSecurity "([^:"]+)', "Pods that Pod Security {0} permits"),
    (r'serviceaccount "([^"]+)" not found', "ServiceAccount {0}"),
    (r"because it is being terminated", "a namespace that is not being deleted"),
    (r"ValidatingAdmissionPolicy '([^']+)'", "ValidatingAdmissionPolicy {0} to accept its Pods"),
    (r"no PriorityClass with name (\S+) was found", "PriorityClass {0}"),
    (r'failed calling webhook "([^"]+)"', "webhook {0} to answer"),
    (r'admission webhook "([^"]+)" denied', "webhook {0} to accept its Pods"),
    (r"(?:minimum|maximum) \S+ (?:usage|limit|request)\S* per ", "Pods within the LimitRange"),
    (r"limit to request ratio per ", "Pods within the LimitRange"),
    (_INVALID, "a valid Pod template"),
)
"""What a Job waits for whose Pods are rejected, by the message; ``{0}`` is the group of the pattern."""


def rejection_waits_for(message: str) -> str:
    """Return what a rejection makes the Job wait for, as a noun phrase; empty if its cause says it."""
    for pattern, words in _REJECTIONS:
        found = re.search(pattern, message)
        if found is not None:
            return words.format(*found.groups())
    return ""


def rejection_ends(message: str) -> str:
    """Return what ends a rejection, as a clause after "when"; empty if its cause says it."""
    if _VIOLATION in message:
        label = "pod-security.kubernetes.io/enforce"
        return f"the namespace permits such Pods (label {label}), or the Job is created anew"
    if ": must specify " in message:
        return "a LimitRange sets them, or the ResourceQuota no longer requires them"
    if _INVALID in message:
        return "the Job is created anew with a corrected Pod template: the template is immutable"
    return ""


def rejection_cause(message: str) -> Cause:
    """Return the cause that the message of a rejection shows."""
    return Cause.QUOTA if "quota" in message else Cause.PODS_REJECTED


def rejection(events: Sequence[RecordedEvent]) -> Rejection | None:
    """Return the rejection of Pods that the last Events about a Job report.

    None if the controller created a Pod after it.
    """
    failed = [each for each in events if each.reason in _FAILED_CREATES]
    if not failed:
        return None
    last = max(failed, key=lambda each: each.at or 0)
    created = [each.at or 0 for each in events if each.reason == "SuccessfulCreate"]
    if created and max(created) > (last.at or 0):
        return None
    message = short(_GENERATED_NAME.sub("", _PREFIX.sub("", last.message)), MAX_REJECTION)
    since = min((at for each in failed if (at := each.first or each.at) is not None), default=None)
    return Rejection(message, since, last.at, sum(each.times for each in failed))
