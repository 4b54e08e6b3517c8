"""The causes for which a Pod stays Pending or is not even created: what is missing, and what supplies it.

Source: https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff, the reasons ``ErrImagePull``,
``ImagePullBackOff`` and ``CreateContainerConfigError`` of the kubelet and ``Unschedulable`` of the scheduler,
and the quota admission of Kubernetes 1.36. None of them fails a Pod: only a deadline ends the wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class PendingCause:
    """A cause.

    Attributes:
        words: what is wrong, as a clause with the Pod as its subject.
        waits_for: what a Job waits for whose active Pods are all like that, as a noun phrase.
        reason: the reason of the kubelet, the scheduler or the API server.
        ends: what supplies it, as a clause after "when".
        created: the API server creates the Pod; False if it rejects it.
        scheduled: the Pod has a node.
    """

    words: str
    waits_for: str
    reason: str
    ends: str
    created: bool = True
    scheduled: bool = True


IMAGE_PULL, UNSCHEDULABLE, MISSING_CONFIG, QUOTA = (
    "imagePull",
    "unschedulable",
    "missingConfig",
    "quota",
)
PENDING_CAUSES = {
    IMAGE_PULL: PendingCause(
        "stays Pending: its image cannot be pulled (ImagePullBackOff)",
        "an image that can be pulled",
        "ImagePullBackOff",
        "the registry has the image or the node may pull it; a wrong image name needs a new Job, because "
        "the template is immutable",
    ),
    UNSCHEDULABLE: PendingCause(
        "stays Pending: no node has room for it (Unschedulable)",
        "a node with room for its Pods",
        "Unschedulable",
        "a node fits: other Pods end, nodes are added, or labels and taints change; lower requests need a "
        "new Job, because the template is immutable",
        scheduled=False,
    ),
    MISSING_CONFIG: PendingCause(
        "stays Pending: a ConfigMap or Secret that it refers to does not exist (CreateContainerConfigError)",
        "a ConfigMap or Secret",
        "CreateContainerConfigError",
        "the object with its keys is created in the namespace of the Job: the kubelet tries again by itself",
    ),
    QUOTA: PendingCause(
        "is rejected by the API server: exceeded quota",
        "the API server to accept its Pods",
        "exceeded quota",
        "other Pods of the namespace end or the ResourceQuota is raised: the controller tries again by "
        "itself, at the latest after a minute or so",
        created=False,
        scheduled=False,
    ),
}
"""Each cause by the name that scenarios give it."""

_BY_WAITING_REASON = {
    **dict.fromkeys(
        (
            "ErrImagePull",
            "ImagePullBackOff",
            "InvalidImageName",
            "ErrImageNeverPull",
            "ImageInspectError",
            "RegistryUnavailable",
        ),
        IMAGE_PULL,
    ),
    "CreateContainerConfigError": MISSING_CONFIG,
}
"""The causes by the reason of a waiting container. Source: pkg/kubelet/images/types.go and
pkg/kubelet/kuberuntime/kuberuntime_container.go of Kubernetes 1.36."""


def pending_cause_of(pod: dict[str, Any]) -> str | None:
    """Return the cause for which a Pod of an API server is Pending; None if it shows none of these.

    >>> waiting = {"state": {"waiting": {"reason": "ErrImagePull"}}}
    >>> pending_cause_of({"status": {"containerStatuses": [waiting]}})
    'imagePull'
    """
    status = pod.get("status") or {}
    for container in _container_statuses(status):
        waiting = (container.get("state") or {}).get("waiting") or {}
        cause = _BY_WAITING_REASON.get(waiting.get("reason") or "")
        if cause is not None:
            return cause
    for condition in status.get("conditions") or ():
        shown = (condition.get("type"), condition.get("status"), condition.get("reason"))
        if shown == ("PodScheduled", "False", "Unschedulable"):
            return UNSCHEDULABLE
    return None


def _container_statuses(status: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for field in ("initContainerStatuses", "containerStatuses"):
        yield from status.get(field) or ()
