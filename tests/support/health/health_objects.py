"""Stored CronJobs, Jobs, Pods and Events for tests of their health, in a few words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from jobsworth.controller.times import write_time
from jobsworth.runs.health.accounted_runs import AccountedRun
from jobsworth.runs.health.cluster_health import ClusterHealth, ListedObjects, cluster_health
from jobsworth.runs.health.cron_job_health import CronJobHealth

Object = dict[str, Any]

NOON = int(datetime(2026, 6, 3, 12, tzinfo=UTC).timestamp())
HOUR = 3600
DAY = 24 * HOUR


def a_cron_job(
    name: str = "report",
    *,
    created: int = NOON - 30 * DAY,
    last: int | None = None,
    successful: int | None = None,
    active: tuple[str, ...] = (),
    generation: int = 1,
    written: int | None = None,
    job: Object | None = None,
    **spec: Any,
) -> Object:
    """An hourly CronJob, unless `spec` has another schedule.

    Args:
        last: lastScheduleTime.
        successful: lastSuccessfulTime.
        written: when its spec was last changed.
        job: the spec of its Jobs.
    """
    meta: Object = {
        "name": name,
        "namespace": "batch",
        "uid": f"uid-{name}",
        "generation": generation,
        "creationTimestamp": write_time(created),
    }
    if written is not None:
        fields = {"f:spec": {"f:schedule": {}}}
        meta["managedFields"] = [{"time": write_time(written), "fieldsV1": fields}]
    status: Object = {"active": [{"name": each} for each in active]}
    if last is not None:
        status["lastScheduleTime"] = write_time(last)
    if successful is not None:
        status["lastSuccessfulTime"] = write_time(successful)
    return {
        "metadata": meta,
        "spec": {
            "schedule": "0 * * * *",
            "concurrencyPolicy": "Allow",
            "suspend": False,
            "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {"spec": job or {}},
            **spec,
        },
        "status": status,
    }


def a_job(
    scheduled: int | None,
    outcome: str = "Complete",
    *,
    cron_job: str = "report",
    created: int | None = None,
    ended: int | None = None,
    name: str = "",
    annotated: bool = True,
    **status: Any,
) -> Object:
    """A Job of a CronJob that ran for five minutes.

    Args:
        outcome: Complete, Failed, or empty for a Job that has not finished.
    """
    begun = created if created is not None else scheduled or NOON
    name = name or f"{cron_job}-{(scheduled or 0) // 60}"
    meta: Object = {
        "name": name,
        "namespace": "batch",
        "uid": f"uid-{name}",
        "creationTimestamp": write_time(begun),
        "ownerReferences": [
            {"kind": "CronJob", "name": cron_job, "uid": f"uid-{cron_job}", "controller": True}
        ],
    }
    if annotated and scheduled is not None:
        key = "batch.kubernetes.io/cronjob-scheduled-timestamp"
        meta["annotations"] = {key: write_time(scheduled)}
    conditions = []
    if outcome:
        at = begun + 300 if ended is None else ended
        condition = {"type": outcome, "status": "True", "reason": "Because"}
        conditions = [{**condition, "lastTransitionTime": write_time(at)}]
    return {
        "metadata": meta,
        "spec": {"parallelism": 1, "completions": 1, "template": {"spec": {}}},
        "status": {"startTime": write_time(begun), "conditions": conditions, **status},
    }


def a_job_without_cron_job(
    name: str,
    outcome: str = "Failed",
    *,
    created: int = NOON - 3 * HOUR,
    ended: int | None = NOON - 2 * HOUR,
    owner: str = "",
    generate_name: str = "",
    message: str = "Job has reached the specified backoff limit",
    uid: str = "",
    deleting: bool = False,
) -> Object:
    """A Job of a user or of another controller.

    Args:
        outcome: Complete, Failed, or empty for a Job that has not finished.
        ended: the time of its terminal condition; None for a condition without one.
        owner: Kind/name of its controller, whose UID is ``uid-name``.
    """
    meta: Object = {
        "name": name,
        "namespace": "batch",
        "uid": uid or f"uid-{name}",
        "creationTimestamp": write_time(created),
    }
    if owner:
        kind, _, of = owner.partition("/")
        reference = {"kind": kind, "name": of, "uid": f"uid-{of}", "controller": True}
        meta["ownerReferences"] = [reference]
    if generate_name:
        meta["generateName"] = generate_name
    if deleting:
        meta["deletionTimestamp"] = write_time(NOON)
    conditions = []
    if outcome:
        condition = {"type": outcome, "status": "True", "message": message}
        condition["reason"] = (
            "BackoffLimitExceeded" if outcome == "Failed" else "CompletionsReached"
        )
        if ended is not None:
            condition["lastTransitionTime"] = write_time(ended)
        conditions = [condition]
    return {
        "metadata": meta,
        "spec": {"parallelism": 1, "completions": 1, "template": {"spec": {}}},
        "status": {"startTime": write_time(created), "conditions": conditions},
    }


def a_pod(job: Object, phase: str = "Pending", name: str = "", **fields: Any) -> Object:
    """A Pod of a Job; `fields` may have metadata and status."""
    owner = {"apiVersion": "batch/v1", "kind": "Job", "controller": True}
    owner |= {key: job["metadata"][key] for key in ("name", "uid")}
    name = name or f"{job['metadata']['name']}-x"
    return {
        "metadata": {
            "name": name,
            "namespace": "batch",
            "uid": f"uid-{name}",
            "creationTimestamp": job["metadata"]["creationTimestamp"],
            "ownerReferences": [owner],
            **fields.get("metadata", {}),
        },
        "status": {"phase": phase, **fields.get("status", {})},
    }


def an_event(
    reason: str, message: str, at: int, *, name: str = "report", kind: str = "CronJob"
) -> Object:
    return {
        "metadata": {"name": f"{name}.{reason}.{at}", "namespace": "batch", "uid": f"{reason}{at}"},
        "involvedObject": {"kind": kind, "namespace": "batch", "name": name, "uid": f"uid-{name}"},
        "type": "Normal",
        "reason": reason,
        "message": message,
        "count": 1,
        "firstTimestamp": write_time(at),
        "lastTimestamp": write_time(at),
    }


def health(
    *cron_jobs: Object,
    jobs: tuple[Object, ...] = (),
    pods: tuple[Object, ...] | None = (),
    events: tuple[Object, ...] | None = (),
    renewed: int | None = None,
    now: int = NOON,
    since: int = NOON - DAY,
) -> ClusterHealth:
    listed = ListedObjects(cron_jobs, jobs, pods, events, renewed)
    return cluster_health(listed, now, since=since, failed_since=since)


def health_of_one(*cron_job: Object, **more: Any) -> CronJobHealth:
    (found,) = health(*cron_job, **more).cron_jobs
    return found


def runs(found: CronJobHealth) -> dict[int, AccountedRun]:
    """The accounted runs by hours before noon."""
    assert found.window is not None
    return {(NOON - run.scheduled) // HOUR: run for run in found.window.runs}
