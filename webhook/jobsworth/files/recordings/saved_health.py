"""The objects of a cluster's health that are in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsworth.api.stored import stored_problem
from jobsworth.files.manifest_reading import read_stored
from jobsworth.runs.health.cluster_health import ListedObjects
from jobsworth.usage_error import InputError

Object = dict[str, Any]

KINDS = ("CronJob", "Job", "Pod", "Event")


def listed_in(paths: Sequence[str]) -> ListedObjects:
    """Return the CronJobs, Jobs, Pods and Events in some files.

    Pods and Events count as not listed if the files have none of them.

    Raises:
        InputError: a file cannot be read, an object is malformed, or there is neither a CronJob nor a Job.
    """
    found: dict[str, list[Object]] = {}
    for _, value in read_stored(paths, _problem):
        if value.get("kind") in KINDS:
            found.setdefault(value["kind"], []).append(value)
    if not found.keys() & {"CronJob", "Job"}:
        raise InputError(
            "no CronJob or Job in these files: save them with "
            "kubectl get cronjobs,jobs,pods,events -A -o yaml"
        )
    return ListedObjects(
        cron_jobs=found.get("CronJob", ()),
        jobs=found.get("Job", ()),
        pods=found.get("Pod"),
        events=found.get("Event"),
    )


def _problem(value: Object) -> str | None:
    kind = value.get("kind")
    return stored_problem(kind, value) if kind in KINDS else None
