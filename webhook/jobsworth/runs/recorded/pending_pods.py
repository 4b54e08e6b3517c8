"""The wait of a Pod that does not start: by its status, and by Events after it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.controller.times import write_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.messages import DENIED, NODE_COMES, OVER_QUOTA, TOO_SMALL, meaning_of
from jobsworth.runs.recorded.pod_facts import CRASH_LOOP, PodFacts, WaitingContainer, short
from jobsworth.runs.recorded.recorded_events import CLAIM
from jobsworth.wording import count
from kube_cel.formats.quantity import BadQuantity, parse

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
_NO_SCALE_UP, _SCALE_UP = "NotTriggerScaleUp", "TriggeredScaleUp"
"""Reasons of the Events of cluster-autoscaler about a Pod without a node (1.33)."""
_NO_CAPACITY = "Failed to schedule pod, "
"""Begins Karpenter's message about a Pod without a node (1.6), whose reason is that of the scheduler."""
_NO_CLAIM, _NO_PULL_SECRET = "FailedResourceClaimCreation", "FailedToRetrieveImagePullSecret"
"""Reasons of Events that name a cause of which the Pod shows only the consequence: of the controller of
ResourceClaims (pkg/controller/resourceclaim), and of the kubelet (pkg/kubelet/kubelet_pods.go, 1.36)."""
EVENT_REASONS = (
    *("FailedMount", "FailedAttachVolume", _ATTACHED),
    *(*_SANDBOX_REASONS, BACK_OFF, NODE_NOT_READY),
    *(_NO_SCALE_UP, _SCALE_UP, "FailedScheduling"),
    *(_NO_CLAIM, _NO_PULL_SECRET),
)
"""Reasons of the Events of a Pod that say what its conditions and container statuses do not."""
CLAIM_REASONS = ("ProvisioningFailed", "FailedBinding", "ExternalProvisioning")
"""Reasons of the Events of a claim that is not bound (pkg/controller/volume/events/event.go, 1.36)."""
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
        message = _without_preemption(message)
        claims = list(_unbound(events)) if _UNBOUND.search(message) else []
        text = _sentence(message, *claims, _last(events, _NO_CLAIM), _scaling(events))
        return _unschedulable(reason or "Unschedulable", text)
    for container in facts.waiting:
        found = _of_container(container, events)
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
        return _of_sidecar(facts, facts.unstarted_sidecar, events)
    if facts.awaited_scheduler:
        # The scheduler does not report on a Pod while it waits for its volumes or ResourceClaims.
        awaited = "; ".join(filter(None, (*_unbound(events), _last(events, _NO_CLAIM))))
        if awaited:
            return _unschedulable("", awaited)
        detail = f"it has no node, and scheduler {facts.awaited_scheduler} has not reported on it"
        return PendingReason(Cause.NO_SCHEDULER, "", detail)
    return _of_events(events, facts.prepared) or PendingReason(Cause.PENDING, "", "")


def _of_sidecar(facts: PodFacts, name: str, events: Sequence[RecordedEvent]) -> PendingReason:
    """Return the reason of a Pod that waits for the startup probe of a sidecar, which may restart it."""
    probes = [
        each for each in events if each.reason == "Unhealthy" and "tartup probe" in each.message
    ]
    said = max(probes, key=lambda each: each.at or 0).message if probes else ""
    restarts = next((each.restarts for each in facts.last_runs if each.container == name), 0)
    detail = f"the startup probe of its sidecar {name} has not succeeded"
    detail += f" ({count(restarts, 'restart')})" if restarts else ""
    detail += f": {said}" if said else ""
    cause = Cause.PENDING if restarts else Cause.INITIALIZING
    return PendingReason(
        cause, "", detail, ends="the probe succeeds", waits_for=f"sidecar {name} to start"
    )


def _unschedulable(reason: str, message: str) -> PendingReason:
    return _read(Cause.UNSCHEDULABLE, reason, _without_preemption(message))


def _sentence(message: str, *more: str) -> str:
    """Return a message with what others say of the same wait."""
    added = [each for each in more if each]
    return "; ".join(filter(None, (message.rstrip(". "), *added))) if added else message


def _unbound(events: Sequence[RecordedEvent]) -> Iterator[str]:
    """Yield what Events say about each claim of a Pod that is not bound."""
    for each in events:
        if each.kind == CLAIM and each.reason in CLAIM_REASONS:
            yield f"{CLAIM} {each.name}: {short(each.message)}"


def _last(events: Sequence[RecordedEvent], reason: str) -> str:
    """Return the message of the last Event of a reason; empty without one."""
    found = [each for each in events if each.reason == reason]
    return short(max(found, key=lambda each: each.at or 0).message) if found else ""


def _scaling(events: Sequence[RecordedEvent]) -> str:
    """Return what the autoscaler last said about a Pod; empty if it said nothing."""
    said = [
        each
        for each in events
        if each.reason in (_NO_SCALE_UP, _SCALE_UP) or _of_karpenter(each.message)
    ]
    if not said:
        return ""
    last = max(said, key=lambda each: each.at or 0)
    if text := _of_karpenter(last.message):
        return text
    does = "the autoscaler adds no node" if last.reason == _NO_SCALE_UP else NODE_COMES
    return f"{does}: {last.message.partition(': ')[2] or last.message}"


def _of_karpenter(message: str) -> str:
    """Return why Karpenter adds no node; empty for the message of another component."""
    why = message.removeprefix(_NO_CAPACITY)
    return "" if why == message else f"Karpenter adds no node: {short(why)}"


def _read(cause: Cause, reason: str, message: str, image: str = "") -> PendingReason:
    """Return the reason with what its message means."""
    found = meaning_of(cause, message or reason)
    waits_for = found.entry.waits_for
    if cause == Cause.IMAGE_PULL:
        waits_for = waits_for if image else ""
    ends = found.fill(found.entry.ends)
    return PendingReason(cause, reason, message, image, ends, found.fill(waits_for, image=image))


_ALL_NODES = re.compile(r"0/(\d+) nodes are available: ")


def _without_preemption(message: str) -> str:
    """Return a message of the scheduler without its end about the Pods that might go for this one.

    The scheduler knows that no preemption helps where a Pod requests more than the node has in all
    (pkg/scheduler/framework/plugins/noderesources/fit.go, 1.36).
    """
    text, nodes = _PREEMPTION.sub("", message), _ALL_NODES.match(message)
    helpless = nodes is not None and f": {nodes[1]} Preemption is not helpful" in message
    return _sentence(text, TOO_SMALL) if helpless and text.count("Insufficient") == 1 else text


_UNBOUND = re.compile(r"unbound immediate|binding volumes")
_PREEMPTION = re.compile(r"(?<=\S)(?: no new claims to deallocate,)? preemption: .*", re.DOTALL)
"""The end of the scheduler's message: that no other Pod would have to go for this one."""


def gone_reason(events: Sequence[RecordedEvent]) -> PendingReason | None:
    """Return what a Pod waited for that is gone, by its last Events; None if they do not say, or it ran."""
    ran = any(each.reason in ("Started", "Killing") for each in events)
    return None if ran else _of_events(events)


def _of_container(
    container: WaitingContainer, events: Sequence[RecordedEvent]
) -> PendingReason | None:
    reason, message = container.reason, container.message
    if reason in _IMAGE_REASONS:
        denied = DENIED.search(message)
        text = _sentence(message, _last(events, _NO_PULL_SECRET)) if denied else message
        return _read(Cause.IMAGE_PULL, reason, text, container.image)
    if reason == _CONFIG_REASON and (not message or _NAMES_CONFIG.search(message)):
        return _read(Cause.MISSING_CONFIG, reason, message)
    if reason == _CONFIG_REASON or reason in _START_REASONS:
        return PendingReason(Cause.START_ERROR, reason, message)
    if reason == CRASH_LOOP:
        return PendingReason(Cause.CRASH_LOOP, reason, message)
    return None


_ABSENT_KEY = "references non-existent "
_NAMES_CONFIG = re.compile(r"(?i)configmap|secret")


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
        return _unschedulable(reason, _of_karpenter(message) or message), _PLACED
    if reason in ("FailedMount", "FailedAttachVolume"):
        named = "not found" in message and ("configmap" in message or "secret" in message)
        if named or _ABSENT_KEY in message:
            return _read(Cause.MISSING_CONFIG, reason, message), _MOUNTED
        return _read(Cause.VOLUME, reason, message), _MOUNTED
    if reason in _SANDBOX_REASONS:
        return PendingReason(Cause.SANDBOX, reason, message), _MOUNTED
    if reason in _IMAGE_REASONS or (
        reason in ("Failed", BACK_OFF, "InspectFailed", "ErrImageNeverPull")
        and ("image" in message or "ImagePull" in message)
        and "restarting" not in message
    ):
        image = re.search(r'image "([^"]+)"', message)
        found = _read(Cause.IMAGE_PULL, reason, message, image[1] if image else "")
        return found, _IMAGE_PRESENT
    if reason == "Failed" and ("configmap" in message or "secret" in message):
        return _read(Cause.MISSING_CONFIG, reason, message), _CREATED
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


_INVALID = " is invalid: "


def rejection_cause(message: str) -> Cause:
    """Return the cause that the message of a rejection shows."""
    return Cause.QUOTA if "quota" in message else Cause.PODS_REJECTED


def _exceeds_quota(message: str) -> Iterator[bool]:
    """Yield for each resource that a quota names if one Pod requests more than the whole quota."""
    found = _OF_QUOTA.search(message)
    if found is None:
        return
    requested, limited = (
        dict(each.partition("=")[::2] for each in part.split(",")) for part in found.groups()
    )
    for name, amount in requested.items():
        try:
            yield parse(amount).compare(parse(limited[name])) > 0
        except (KeyError, BadQuantity):
            continue


_OF_QUOTA = re.compile(
    r"exceeded quota: [^,]+, requested: (\S+), used: \S+, limited: (\S+?)(?=;|$)"
)


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
    if any(_exceeds_quota(message)):
        message = f"{message}; {OVER_QUOTA}"
    since = min((at for each in failed if (at := each.first or each.at) is not None), default=None)
    return Rejection(message, since, last.at, sum(each.times for each in failed))
