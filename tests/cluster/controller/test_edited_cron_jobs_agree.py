"""Edits of CronJobs on Kubernetes' own controller: the first run after each is the predicted one.

All edits are made side by side, half a minute after a full minute T, on CronJobs of which the status says when
they ran last. Their schedules are daily, so a run is one of T and some minutes, of today or of yesterday. The
controller is observed for three minutes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

import jobsworth
from cluster.available_beds import bed_or_skip
from cluster.controller.controller_beds import BESIDE
from cluster.controller.pod import MERGE
from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.edited_cron_job import NextRun, next_run
from jobsworth.controller.times import read_time, write_time

if TYPE_CHECKING:
    from cluster.bed import TestBed

Object = dict[str, Any]
pytestmark = pytest.mark.slow  # by the wall clock: .ci/long runs it

NAMESPACE = "edited"
SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
EDITED, UNTIL = 30, 190
"""Seconds after T of the edits, and of the end."""
TOLERANCE = 20
"""Seconds between a predicted start and one on a busy machine."""
HOUR, DAY = 60, 1440
"""In minutes."""


@dataclass(frozen=True)
class Edit:
    """A CronJob and its edit. In a schedule, a number is the minutes after T of a daily run.

    Attributes:
        spec: the fields of the spec before it.
        last: the minutes after T of the last run.
        change: the changed fields; None removes one.
        active: True if a Job of it runs.
        recreated: True if it is deleted and created again with the change.
    """

    spec: Object
    last: int
    change: Object
    active: bool = False
    recreated: bool = False


def daily(minutes: int, **spec: Any) -> Object:
    return {"schedule": minutes, **spec}


SUSPENDED, RESUMED = {"suspend": True}, {"suspend": False}
FORBID = {"concurrencyPolicy": "Forbid"}
MISSED = -HOUR - DAY
INDIA = -330
"""The minutes by which a wall time in India is earlier than in UTC."""

EDITS = {
    "to-a-passed-time": Edit(daily(2), 2 - DAY, daily(-HOUR)),
    "to-an-earlier-coming-time": Edit(daily(2), 2 - DAY, daily(1)),
    "to-a-later-coming-time": Edit(daily(1), 1 - DAY, daily(2)),
    "to-a-passed-time-within-a-deadline": Edit(
        daily(2), 2 - DAY, daily(-HOUR, startingDeadlineSeconds=7200)
    ),
    "to-a-passed-time-beyond-a-deadline": Edit(
        daily(2), 2 - DAY, daily(-HOUR, startingDeadlineSeconds=60)
    ),
    "to-the-same-time": Edit(daily(1), 1 - DAY, daily(1)),
    "resumed": Edit(daily(-HOUR, **SUSPENDED), MISSED, RESUMED),
    "resumed-within-a-deadline": Edit(
        daily(-HOUR, **SUSPENDED), MISSED, {**RESUMED, "startingDeadlineSeconds": 7200}
    ),
    "resumed-beyond-a-deadline": Edit(
        daily(-HOUR, **SUSPENDED), MISSED, {**RESUMED, "startingDeadlineSeconds": 60}
    ),
    "resumed-with-a-new-time": Edit(daily(-HOUR, **SUSPENDED), MISSED, {**RESUMED, **daily(1)}),
    "resumed-interval": Edit({"schedule": "@every 1h", **SUSPENDED}, -HOUR - 1, RESUMED),
    "suspended": Edit(daily(1), 1 - DAY, SUSPENDED),
    "suspended-with-a-passed-time": Edit(daily(1), 1 - DAY, daily(-HOUR, **SUSPENDED)),
    "deadline-removed": Edit(
        daily(-HOUR, startingDeadlineSeconds=60), MISSED, {"startingDeadlineSeconds": None}
    ),
    "deadline-long-enough": Edit(
        daily(-HOUR, startingDeadlineSeconds=60), MISSED, {"startingDeadlineSeconds": 7200}
    ),
    "deadline-still-too-short": Edit(
        daily(-HOUR, startingDeadlineSeconds=60), MISSED, {"startingDeadlineSeconds": 600}
    ),
    "forbid-becomes-allow": Edit(
        daily(-HOUR, **FORBID), MISSED, {"concurrencyPolicy": "Allow"}, active=True
    ),
    "forbid-becomes-replace": Edit(
        daily(-HOUR, **FORBID), MISSED, {"concurrencyPolicy": "Replace"}, active=True
    ),
    "forbid-to-another-passed-time": Edit(
        daily(-HOUR, **FORBID), MISSED, daily(-HOUR // 2), active=True
    ),
    "zone-to-a-passed-time": Edit(daily(2, timeZone="UTC"), 2 - DAY, {"timeZone": "Asia/Kolkata"}),
    "zone-to-a-coming-time": Edit(
        daily(1, timeZone="Asia/Kolkata"), 1 + INDIA, {"timeZone": "UTC"}
    ),
    "another-field": Edit(daily(1), 1 - DAY, {"successfulJobsHistoryLimit": 5}),
    "recreated-with-a-passed-time": Edit(daily(2), 2 - DAY, daily(-HOUR), recreated=True),
    "recreated-with-a-coming-time": Edit(daily(-HOUR), -HOUR, daily(1), recreated=True),
    "recreated-resumed": Edit(daily(-HOUR, **SUSPENDED), MISSED, RESUMED, recreated=True),
}


class PlayedEdits:
    """The edits on a bed.

    Attributes:
        predicted: the first run of each CronJob until the end; None for none.
        reported: True for the edits that a rule reports.
        edited_at: when each was edited.
    """

    def __init__(self, bed: TestBed, start: int) -> None:
        self._bed = bed
        self._start = start
        self.predicted: dict[str, NextRun | None] = {}
        self.reported: dict[str, bool] = {}
        self.edited_at: dict[str, float] = {}
        bed.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})

    def play(self) -> None:
        """Create all CronJobs, edit them, and wait until the end."""
        for name, edit in EDITS.items():
            self._store(name, edit)
        self._sleep_until(EDITED)
        for name, edit in EDITS.items():
            self._edit(name, edit)
        self._sleep_until(UNTIL)

    def observed(self, name: str) -> NextRun | None:
        """Return the first run of a CronJob after its edit."""
        jobs = self._bed.get(f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs")["items"]
        runs = []
        for job in jobs:
            metadata = job["metadata"]
            due = read_time((metadata.get("annotations") or {}).get(SCHEDULED_AT))
            created = read_time(metadata["creationTimestamp"])
            if metadata["ownerReferences"][0]["name"] == name and due is not None:
                assert created is not None
                runs.append(NextRun(due, created))
        return min(runs, key=lambda run: run.at, default=None)

    def _sleep_until(self, at: int) -> None:
        time.sleep(max(0.0, self._start + at - time.time()))

    def _spec(self, spec: Object) -> Object:
        schedule = spec.get("schedule")
        if not isinstance(schedule, int):
            return spec
        moment = datetime.fromtimestamp(self._start + 60 * schedule, UTC)
        return {**spec, "schedule": f"{moment.minute} {moment.hour} * * *"}

    def _manifest(self, name: str, spec: Object) -> Object:
        container = {"name": "main", "image": "registry.example.com/mail:1.0"}
        pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        return {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": name},
            "spec": {**self._spec(spec), "jobTemplate": {"spec": {"template": pod}}},
        }

    def _path(self, name: str) -> str:
        return f"/apis/batch/v1/namespaces/{NAMESPACE}/cronjobs/{name}"

    def _store(self, name: str, edit: Edit) -> None:
        stored = self._bed.create(self._manifest(name, edit.spec), NAMESPACE)
        status: Object = {"lastScheduleTime": write_time(self._start + 60 * edit.last)}
        if edit.active:
            status["active"] = [self._running(name, stored)]
        answer = self._bed.request(
            "PATCH", f"{self._path(name)}/status", {"status": status}, content_type=MERGE
        )
        assert answer.code == 200, answer

    def _running(self, name: str, stored: Object) -> Object:
        """Create a Job of the CronJob, which never ends, and return a reference to it."""
        owner = {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": name,
            "uid": stored["metadata"]["uid"],
            "controller": True,
        }
        job = self._bed.create(
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": f"{name}-1", "ownerReferences": [owner]},
                "spec": stored["spec"]["jobTemplate"]["spec"],
            },
            NAMESPACE,
        )
        metadata = job["metadata"]
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": metadata["name"],
            "namespace": NAMESPACE,
            "uid": metadata["uid"],
        }

    def _edit(self, name: str, edit: Edit) -> None:
        stored = self._bed.get(self._path(name))
        now = self.edited_at[name] = time.time()
        spec = {**edit.spec, **edit.change}
        manifest = self._manifest(
            name, {key: value for key, value in spec.items() if value is not None}
        )
        at = datetime.fromtimestamp(now, UTC)
        evaluation = jobsworth.evaluate(manifest, old=stored, now=at)
        self.reported[name] = any(each.code == "JW423" for each in evaluation.lint)
        if edit.recreated:
            self._bed.request("DELETE", self._path(name))
            after = self._bed.create(manifest, NAMESPACE)
            found = next_run(None, _read(after), now)
        else:
            body = {"spec": self._spec(edit.change)}
            answer = self._bed.request("PATCH", self._path(name), body, content_type=MERGE)
            assert answer.code == 200, answer
            found = next_run(_read(stored), _read(answer.body), now)
        within = found is not None and found.at < self._start + UNTIL - TOLERANCE
        self.predicted[name] = found if within else None


def _read(stored: Object) -> CronJob:
    status = stored.get("status") or {}
    active = tuple(each["name"] for each in status.get("active") or ())
    created = read_time(stored["metadata"]["creationTimestamp"])
    assert created is not None
    last = read_time(status.get("lastScheduleTime"))
    return read_cron_job(
        stored["metadata"]["name"], stored["spec"], created, CronJobStatus(active, last)
    )


@pytest.fixture(scope="module")
def played() -> Iterator[PlayedEdits]:
    with bed_or_skip(controllers=BESIDE, qps=200, burst=400, audit=False) as bed:
        edits = PlayedEdits(bed, (int(time.time()) // 60 + 1) * 60)
        edits.play()
        yield edits


@pytest.mark.parametrize("name", EDITS)
def test_the_first_run_after_an_edit_is_the_predicted_one(name: str, played: PlayedEdits) -> None:
    predicted, observed = played.predicted[name], played.observed(name)
    assert (predicted and predicted.scheduled) == (observed and observed.scheduled)
    if predicted is not None and observed is not None:
        assert abs(predicted.at - observed.at) <= TOLERANCE


@pytest.mark.parametrize("name", [name for name, edit in EDITS.items() if not edit.recreated])
def test_an_edit_is_reported_if_its_first_run_is_of_a_passed_time(
    name: str, played: PlayedEdits
) -> None:
    observed = played.observed(name)
    late = observed is not None and observed.scheduled <= played.edited_at[name]
    assert played.reported[name] == late
