"""A CronJob in a calendar."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.local_times import named_zone
from jobsworth.controller.times import read_time
from jobsworth.runs.calendar.pod_requests import PodRequests, pod_requests


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
