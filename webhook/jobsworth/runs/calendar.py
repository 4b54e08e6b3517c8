"""The calendar of CronJobs: starts by hour, the minutes at which most Pods start, and changes of the clocks.

Each CronJob has an entry, with the CPU and memory that its Pods reserve.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.schedule_times import (
    is_zone_known,
    named_zone,
    next_time,
    scheduled_between,
)
from jobsworth.controller.times import read_time
from jobsworth.runs.clock_changes import ClockChange, clock_changes, effect_of
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


MAX_STARTS = 2_000_000
"""The largest number of runs in a calendar: 200 CronJobs that run each minute of a week."""
SHOWN_PEAKS = 10
_MINUTE = 60


class TooManyStarts(Exception):
    """Raised for a calendar that would take too long."""


@dataclass(frozen=True, slots=True)
class Peak:
    """Minutes at which the same CronJobs start.

    Attributes:
        minutes: seconds since 1970, in their order.
        entries: the CronJobs.
        pods, requests: of all runs that start in one of these minutes.
    """

    minutes: tuple[int, ...]
    entries: tuple[CalendarEntry, ...]
    pods: int
    requests: PodRequests


@dataclass(frozen=True, slots=True)
class ZoneChange:
    """A change of the clocks of a zone in which CronJobs run.

    Attributes:
        effects: CronJobs of which it skips or repeats runs, and these in words.
        others: how many CronJobs of the zone it does not affect.
    """

    zone: str
    change: ClockChange
    effects: tuple[tuple[CalendarEntry, str], ...]
    others: int


@dataclass(frozen=True, slots=True)
class CronCalendar:
    """The runs of CronJobs in a period.

    Attributes:
        start, end: seconds since 1970.
        zone: the time zone of the hours.
        days: the dates of its days, such as ``2027-03-28``.
        starts: how many runs start, by date and hour in that zone; hours outside of it, or that
            a change of the clocks skips, are missing.
        runs: how many there are of each CronJob that is not suspended.
        suspended: CronJobs that start no run.
        peaks: those with most Pods first.
        busiest: how many runs start in the minute with most of them.
        unknown_zones: names of time zones that this machine does not know; their CronJobs are left out.
    """

    start: int
    end: int
    zone: str
    days: tuple[str, ...]
    starts: dict[tuple[str, int], int]
    runs: tuple[tuple[CalendarEntry, int], ...]
    suspended: tuple[CalendarEntry, ...]
    peaks: tuple[Peak, ...]
    busiest: int
    changes: tuple[ZoneChange, ...]
    unknown_zones: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of runs."""
        return sum(number for _, number in self.runs)


def calendar_of(entries: Iterable[CalendarEntry], start: int, days: int, zone: str) -> CronCalendar:
    """Return the calendar of CronJobs.

    Args:
        start: seconds since 1970.
        days: how many days of the zone it has.
        zone: the name of a known time zone.

    Raises:
        TooManyStarts: there are more runs than :data:`MAX_STARTS`.
    """
    shown = ZoneInfo(zone)
    begin = datetime.fromtimestamp(start, shown)
    end = int((begin.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=shown).timestamp())
    known, unknown = _by_zone(entries)
    active = [entry for entry in known if not entry.cron_job.suspended]
    runs: list[tuple[CalendarEntry, int]] = []
    minutes: defaultdict[int, list[int]] = defaultdict(list)
    times_of = cache(lambda schedule: tuple(scheduled_between(schedule, start - 1, end - 1)))
    total = 0
    for number, entry in enumerate(active):
        if entry.cron_job.schedule.every is None:
            times: Sequence[int] = times_of(entry.cron_job.schedule)
        else:
            times = _interval_times(entry, start, end)
        total += len(times)
        if total > MAX_STARTS:
            raise TooManyStarts(
                f"more than {MAX_STARTS:,} runs start within {days} days: choose fewer days or fewer CronJobs"
            )
        runs.append((entry, len(times)))
        for time in times:
            minutes[time // _MINUTE * _MINUTE].append(number)
    return CronCalendar(
        start=start,
        end=end,
        zone=zone,
        days=tuple(
            f"{(begin + timedelta(days=day)).date()}"
            for day in range(days + bool(begin.hour or begin.minute))
        ),
        starts=_by_hour(minutes, start, end, shown),
        runs=tuple(runs),
        suspended=tuple(entry for entry in known if entry.cron_job.suspended),
        peaks=tuple(_peaks(minutes, active)),
        busiest=max(map(len, minutes.values()), default=0),
        changes=tuple(_zone_changes(active, start, end)),
        unknown_zones=unknown,
    )


def _by_zone(
    entries: Iterable[CalendarEntry],
) -> tuple[list[CalendarEntry], tuple[str, ...]]:
    """Return the CronJobs whose zone is known, and the names of the other zones."""
    known, unknown = [], []
    for entry in sorted(entries, key=lambda each: (each.namespace, each.cron_job.name, each.place)):
        if is_zone_known(entry.cron_job):
            known.append(entry)
        else:
            unknown.append(entry.zone)
    return known, tuple(dict.fromkeys(unknown))


def _interval_times(entry: CalendarEntry, start: int, end: int) -> range:
    gap = next_time(entry.cron_job.schedule, 0)
    anchor = entry.cron_job.earliest
    return range(anchor + -(-(start - anchor) // gap) * gap, end, gap)


def _by_hour(
    minutes: dict[int, list[int]], start: int, end: int, zone: tzinfo
) -> dict[tuple[str, int], int]:
    found: Counter[tuple[str, int]] = Counter()
    for quarter in range(start, end, 15 * _MINUTE):  # of an hour, by which offsets differ
        local = datetime.fromtimestamp(quarter, zone)
        found[f"{local.date()}", local.hour] += 0
    for minute, starting in minutes.items():
        local = datetime.fromtimestamp(minute, zone)
        found[f"{local.date()}", local.hour] += len(starting)
    return dict(found)


def _peaks(minutes: dict[int, list[int]], active: Sequence[CalendarEntry]) -> Iterator[Peak]:
    """Yield the minutes at which several CronJobs start, with most Pods first."""
    same: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for minute, numbers in minutes.items():
        if len(numbers) > 1:
            same[tuple(numbers)].append(minute)

    def weight(starting: tuple[int, ...]) -> tuple[int, int, int]:
        pods = sum(active[number].pods for number in starting)
        return -pods, -len(starting), min(same[starting])

    for starting in sorted(same, key=weight)[:SHOWN_PEAKS]:
        requests = PodRequests()
        for number in starting:
            requests += active[number].requests
        yield Peak(
            tuple(sorted(same[starting])),
            tuple(active[number] for number in dict.fromkeys(starting)),
            sum(active[number].pods for number in starting),
            requests,
        )


def _zone_changes(active: Sequence[CalendarEntry], start: int, end: int) -> Iterator[ZoneChange]:
    by_zone: defaultdict[str, list[CalendarEntry]] = defaultdict(list)
    for entry in active:
        if entry.zone:
            by_zone[entry.zone].append(entry)
    for name, entries in sorted(by_zone.items()):
        zone = ZoneInfo(name)
        for change in clock_changes(zone, start, end):
            effects = [
                (entry, effect)
                for entry in entries
                if entry.cron_job.schedule.every is None
                and (effect := effect_of(entry.cron_job, zone, change))
            ]
            yield ZoneChange(name, change, tuple(effects), len(entries) - len(effects))
