"""Resource names: native ones, and extended ones such as ``example.com/gpu``.

Source: ``pkg/apis/core/helper`` and ``validateResourceName`` in ``pkg/apis/core/validation``,
Kubernetes 1.36. Containers cannot request all of these resources.
"""

from __future__ import annotations

from kube_cel.formats.names import label_key

CONTAINER_RESOURCES = frozenset(("cpu", "memory", "ephemeral-storage"))
NONE_AT_ZERO = ("cpu", "memory", "ephemeral-storage")
"""The resources for which a limit of 0 is none: ``generateLinuxContainerResources`` in
``pkg/kubelet/kuberuntime``, ``containerEphemeralStorageLimitEviction`` in ``pkg/kubelet/eviction``, 1.36."""

HUGE_PAGES_PREFIX = "hugepages-"
NATIVE_DOMAIN = "kubernetes.io/"
QUOTA_PREFIX = "requests."

_COUNTED = frozenset(
    (
        "configmaps",
        "persistentvolumeclaims",
        "pods",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "services",
        "services.loadbalancers",
        "services.nodeports",
    )
)
_STANDARD = (
    _COUNTED
    | CONTAINER_RESOURCES
    | {
        "limits.cpu",
        "limits.ephemeral-storage",
        "limits.memory",
        "requests.cpu",
        "requests.ephemeral-storage",
        "requests.memory",
        "requests.storage",
        "storage",
    }
)


def is_huge_pages(name: str) -> bool:
    """Return True for huge pages of one size: ``hugepages-2Mi``."""
    return name.startswith(HUGE_PAGES_PREFIX)


def is_native(name: str) -> bool:
    """Return True for a native resource: without a domain, or with the domain kubernetes.io."""
    return "/" not in name or NATIVE_DOMAIN in name


def is_extended(name: str) -> bool:
    """Return True for an extended resource, such as a device, which is counted in whole units.

    >>> is_extended("example.com/gpu"), is_extended("cpu"), is_extended("requests.example.com/gpu")
    (True, False, False)
    """
    return (
        not is_native(name)
        and not name.startswith(QUOTA_PREFIX)
        and not label_key(QUOTA_PREFIX + name)  # a quota must be able to name it
    )


def is_counted(name: str) -> bool:
    """Return True if amounts of the resource must be whole numbers."""
    return name in _COUNTED or is_extended(name)


def may_be_overcommitted(name: str) -> bool:
    """Return True if the request may be lower than the limit."""
    return is_native(name) and not is_huge_pages(name)


def resource_name(name: str) -> list[str]:
    """Validate a resource name: native or extended."""
    wrong = label_key(name)
    if not wrong and "/" not in name and not (name in _STANDARD or _is_quota_of_huge_pages(name)):
        wrong.append("must be a standard resource type or fully qualified")
    return wrong


def _is_quota_of_huge_pages(name: str) -> bool:
    return name.removeprefix(QUOTA_PREFIX).startswith(HUGE_PAGES_PREFIX)


def container_resource_name(name: str) -> list[str]:
    """Validate the name of a resource that a container can request.

    >>> container_resource_name("gpu")  # doctest: +NORMALIZE_WHITESPACE
    ['must be a standard resource type or fully qualified',
     'must be a standard resource for containers']
    """
    if name in CONTAINER_RESOURCES:
        return []
    wrong = resource_name(name)
    if name.count("/") == 0:
        if not is_huge_pages(name):
            wrong.append("must be a standard resource for containers")
    elif not is_native(name) and not is_extended(name):
        wrong.append("doesn't follow extended resource name standard")
    return wrong
