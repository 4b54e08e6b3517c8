"""The causes for which a Pod stays Pending or is not even created: what is missing, and what supplies it.

Source: https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff, the reasons ``ErrImagePull``,
``ImagePullBackOff`` and ``CreateContainerConfigError`` of the kubelet and ``Unschedulable`` of the scheduler,
and the quota admission of Kubernetes 1.36. None of them fails a Pod: only a deadline ends the wait.
"""

from __future__ import annotations

from dataclasses import dataclass


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
