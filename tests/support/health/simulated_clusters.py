"""What an API server stores after CronJobs have run in virtual time: the objects that are left at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jobsworth
from jobsworth.controller.times import write_time
from jobsworth.runs.run_record import EmittedEvent, JobRecord, PodRecord, RunRecord
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once

Object = dict[str, Any]

EVENT_TTL = 3600
"""Seconds for which kube-apiserver keeps Events by default."""
SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_WAITING = {"ImagePull": "ImagePullBackOff", "MissingConfig": "CreateContainerConfigError"}


@dataclass(frozen=True)
class PlayedCronJob:
    """A CronJob that has run in virtual time.

    Attributes:
        manifest: as created.
        edits: by seconds after the start, new fields of the spec; None removes one.
        record: what happened.
        start: the creation, in seconds since 1970.
    """

    manifest: Object
    edits: tuple[tuple[int, Object], ...]
    record: RunRecord
    start: int

    @property
    def name(self) -> str:
        name: str = self.manifest["metadata"]["name"]
        return name

    @property
    def uid(self) -> str:
        return f"uid-of-{self.name}"

    @property
    def end(self) -> int:
        return self.start + self.record.end // 1000

    def at(self, milliseconds: int) -> int:
        return self.start + milliseconds // 1000

    def existing(self) -> list[JobRecord]:
        """The Jobs that have not been deleted."""
        return [job for job in self.record.jobs if job.removed is None and job.deleted is None]

    # The objects.

    def cron_job(self) -> Object:
        spec = dict(self.manifest["spec"])
        for _, changed in self.edits:
            spec = {key: value for key, value in {**spec, **changed}.items() if value is not None}
        scheduled = [job for job in self.record.jobs if job.scheduled is not None]
        complete = [
            job.finished for job in self.record.jobs if job.outcome == "Complete" and job.finished
        ]
        status: Object = {
            "active": [
                {"kind": "Job", "name": job.name}
                for job in scheduled
                if job.outcome == "Unfinished" and job in self.existing()
            ]
        }
        if scheduled:
            latest = max(job.scheduled or 0 for job in scheduled)
            status["lastScheduleTime"] = self._time(latest)
        if complete:
            status["lastSuccessfulTime"] = self._time(max(complete))
        written = max((at for at, _ in self.edits), default=0)
        return {
            "metadata": {
                "name": self.name,
                "namespace": "batch",
                "uid": self.uid,
                "generation": 1 + len(self.edits),
                "creationTimestamp": write_time(self.start),
                "managedFields": [
                    {
                        "manager": "kubectl",
                        "operation": "Update",
                        "time": write_time(self.start + written),
                        "fieldsV1": {"f:spec": {"f:schedule": {}}},
                    },
                    {
                        "manager": "kube-controller-manager",
                        "operation": "Update",
                        "subresource": "status",
                        "time": write_time(self.end),
                        "fieldsV1": {"f:status": {}},
                    },
                ],
            },
            "spec": spec,
            "status": status,
        }

    def jobs(self) -> list[Object]:
        return [self._job(job) for job in self.existing()]

    def pods(self) -> list[Object]:
        return [
            self._pod(pod, job)
            for job in self.existing()
            if job.outcome == "Unfinished"
            for pod in job.pods
            if pod.ended is None
        ]

    def events(self) -> list[Object]:
        emitted = [("CronJob", self.name, self.uid, event) for event in self.record.events]
        emitted += [
            ("Job", job.name, f"uid-of-{job.name}", event)
            for job in self.existing()
            for event in job.events
        ]
        return [
            self._event(number, *each)
            for number, each in enumerate(emitted)
            if self.at(each[-1].at) > self.end - EVENT_TTL
        ]

    def _time(self, milliseconds: int | None) -> str | None:
        return None if milliseconds is None else write_time(self.at(milliseconds))

    def _job(self, job: JobRecord) -> Object:
        meta: Object = {
            "name": job.name,
            "namespace": "batch",
            "uid": f"uid-of-{job.name}",
            "creationTimestamp": self._time(job.created),
            "ownerReferences": [
                {"kind": "CronJob", "name": self.name, "uid": self.uid, "controller": True}
            ],
        }
        if job.scheduled is not None:
            meta["annotations"] = {SCHEDULED_AT: self._time(job.scheduled)}
        counters = job.counters[-1] if job.counters else None
        status: Object = {
            "startTime": self._time(job.created),
            "conditions": [
                {
                    "type": each.type,
                    "status": each.status,
                    "reason": each.reason,
                    "message": each.message,
                    "lastTransitionTime": self._time(each.at),
                }
                for each in job.conditions
            ],
        }
        if counters is not None:
            for field in ("active", "terminating", "succeeded", "failed"):
                status[field] = getattr(counters, field)
        return {
            "metadata": meta,
            "spec": self.manifest["spec"]["jobTemplate"]["spec"],
            "status": status,
        }

    def _pod(self, pod: PodRecord, job: JobRecord) -> Object:
        owner = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": job.name,
            "uid": f"uid-of-{job.name}",
            "controller": True,
        }
        meta: Object = {
            "name": pod.name,
            "namespace": "batch",
            "uid": f"uid-of-{pod.name}",
            "creationTimestamp": self._time(pod.created),
            "ownerReferences": [owner],
        }
        if pod.deleted is not None:
            meta["deletionTimestamp"] = write_time(self.at(pod.deleted) + 30)
            meta["deletionGracePeriodSeconds"] = 30
        status: Object = {"phase": pod.phase}
        if pod.pending in _WAITING:
            waiting = {"reason": _WAITING[pod.pending]}
            status["containerStatuses"] = [{"name": "main", "state": {"waiting": waiting}}]
        elif pod.pending == "Unschedulable":
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            status["conditions"] = [condition]
        return {"metadata": meta, "spec": {}, "status": status}

    def _event(self, number: int, kind: str, name: str, uid: str, event: EmittedEvent) -> Object:
        return {
            "metadata": {"name": f"{name}.{number}", "namespace": "batch"},
            "involvedObject": {"kind": kind, "namespace": "batch", "name": name, "uid": uid},
            "type": event.type,
            "reason": event.reason,
            "message": event.message,
            "count": 1,
            "firstTimestamp": self._time(event.at),
            "lastTimestamp": self._time(event.at),
        }


def play_cron_job(
    name: str,
    spec: Object,
    *,
    start: int,
    seconds: int,
    job: Object | None = None,
    pods: Object | None = None,
    edits: tuple[tuple[int, Object], ...] = (),
    away: tuple[tuple[int, int], ...] = (),
    run_now: tuple[int, ...] = (),
    rejections: tuple[Object, ...] = (),
) -> PlayedCronJob:
    """Run a CronJob in virtual time.

    Args:
        start: its creation, in seconds since 1970.
        seconds: for how long it runs.
        job: the spec of its Jobs, without the template.
        pods: ``spec.pods`` of the scenario.
        edits: by seconds after the start.
        away: periods in which the controller does not run, in seconds after the start.
    """
    container = {"name": "main", "image": "registry.example.com/report:1.0"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    manifest = jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": name},
            "spec": {**spec, "jobTemplate": {"spec": {**(job or {}), "template": template}}},
        }
    )
    scenario = {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobScenario",
        "metadata": {"name": name},
        "spec": {
            "start": write_time(start),
            "until": f"{seconds}s",
            "pods": pods or {"duration": "2m"},
            "controllerAway": [{"from": f"{a}s", "until": f"{b}s"} for a, b in away],
            "runNow": [f"{at}s" for at in run_now],
            "rejections": list(rejections),
            "changes": [{"at": f"{at}s", "spec": changed} for at, changed in edits],
        },
    }
    record = run_once(manifest, read_scenario(scenario), 1)
    return PlayedCronJob(manifest, edits, record, start)
