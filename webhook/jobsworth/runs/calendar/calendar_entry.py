"""A CronJob in a calendar, and the CPU and memory that its Pods reserve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.schedule_times import named_zone
from jobsworth.controller.times import read_time
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


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """A CronJob in a calendar.

    Attributes:
        place: the file and line, or empty for one of a cluster.
        pods: how many Pods a run starts at once.
        requests: those of all these Pods.
    """

    namespace: str
    cron_job: CronJob
    place: str = ""
    pods: int = 1
    requests: PodRequests = field(default_factory=PodRequests)

    @property
    def title(self) -> str:
        """``namespace/name``, or the name of one without a namespace."""
        name = self.cron_job.name
        return f"{self.namespace}/{name}" if self.namespace else name

    @property
    def zone(self) -> str:
        """The name of its time zone; empty if that is the controller's."""
        return named_zone(self.cron_job)


def read_entry(cron_job: dict[str, Any], start: int, *, place: str = "") -> CalendarEntry:
    """Read an entry from a CronJob with the API server's defaults.

    Args:
        start: the start of the calendar in seconds since 1970, from which intervals (``@every``) of a CronJob
            count that is not stored.

    Raises:
        BadSchedule: its schedule cannot be parsed.
    """
    meta, spec = cron_job["metadata"], cron_job["spec"]
    created = read_time(meta.get("creationTimestamp"))
    last = read_time((cron_job.get("status") or {}).get("lastScheduleTime"))
    read = read_cron_job(
        meta.get("name") or meta.get("generateName") or "",
        spec,
        start if created is None else created,
        CronJobStatus(last_schedule=last),
    )
    job = (spec.get("jobTemplate") or {}).get("spec") or {}
    pods = _pods(job)
    requests = pod_requests((job.get("template") or {}).get("spec") or {}).times(pods)
    return CalendarEntry(meta.get("namespace") or "", read, place, pods, requests)


def _pods(job: dict[str, Any]) -> int:
    """Return how many Pods the controller creates first."""
    if job.get("suspend"):
        return 0
    parallelism, completions = job.get("parallelism"), job.get("completions")
    most = 1 if parallelism is None else parallelism
    return most if completions is None else min(most, completions)


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
