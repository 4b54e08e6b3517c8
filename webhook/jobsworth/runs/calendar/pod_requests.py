"""The CPU and memory that the scheduler reserves for a Pod."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube_cel.formats.quantity import BadQuantity, parse


@dataclass(frozen=True, slots=True)
class PodRequests:
    """Requests of CPU and memory.

    Attributes:
        cpu: thousandths of a CPU.
        memory: bytes.
    """

    cpu: int = 0
    memory: int = 0

    def __add__(self, other: PodRequests) -> PodRequests:
        """Return the sums."""
        return PodRequests(self.cpu + other.cpu, self.memory + other.memory)

    def times(self, number: int) -> PodRequests:
        """Return the requests of several Pods."""
        return PodRequests(self.cpu * number, self.memory * number)


def pod_requests(pod: Mapping[str, Any]) -> PodRequests:
    """Return the requests of a Pod.

    An init container runs beside the sidecars before it (init containers with restartPolicy Always, KEP-753),
    the containers beside all sidecars. Requests of the Pod itself (KEP-2837) replace those of its containers.
    """
    sidecars = most = PodRequests()
    for container in pod.get("initContainers") or ():
        own = _requests(container)
        if container.get("restartPolicy") == "Always":
            sidecars += own
            most = _larger(most, sidecars)
        else:
            most = _larger(most, sidecars + own)
    running = sidecars
    for container in pod.get("containers") or ():
        running += _requests(container)
    found = _larger(most, running)
    cpu, memory = _stated(pod)
    overhead = pod.get("overhead")
    return PodRequests(
        (found.cpu if cpu is None else cpu) + (_amount(overhead, "cpu") or 0),
        (found.memory if memory is None else memory) + (_amount(overhead, "memory") or 0),
    )


_NAMES = ("cpu", "memory")


def _larger(one: PodRequests, other: PodRequests) -> PodRequests:
    return PodRequests(max(one.cpu, other.cpu), max(one.memory, other.memory))


def _requests(container: Mapping[str, Any]) -> PodRequests:
    return PodRequests(*(amount or 0 for amount in _stated(container)))


def _stated(part: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the requests of a container or Pod; a limit without a request is one."""
    resources = part.get("resources") or {}
    requests, limits = resources.get("requests"), resources.get("limits")
    cpu, memory = (
        limit if (amount := _amount(requests, name)) is None else amount
        for name in _NAMES
        for limit in (_amount(limits, name),)
    )
    return cpu, memory


def _amount(amounts: Mapping[str, Any] | None, name: str) -> int | None:
    written = (amounts or {}).get(name)
    if written is None:
        return None
    try:
        quantity = parse(written)
    except BadQuantity:
        return None
    return quantity.milli_value() if name == "cpu" else quantity.value()
