"""CronJobs that the simulator and the CronJob controller of Kubernetes must run alike, and how that is compared.

All run side by side for six minutes and forty seconds. Minutes count from a full minute T; each CronJob is created five seconds
after it. The controller does not run from 4:25 to 5:30. In a schedule, ``+2`` stands for the minute T + 2 of every hour.
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import jobsworth
from jobsworth.documents.declared import json_value
from jobsworth.reports.simulation_report import run_report
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once

Object = dict[str, Any]

RECORDED = Path(__file__).parent.parent.parent / "runs/simulation/agreement/cron_jobs.json"
CREATED, AWAY, UNTIL = 5, (265, 330), 400
"""Seconds after T: the creation, the absence of the controller, the end."""
TOLERANCE = 20
"""Seconds between a time in virtual time and on a busy machine."""
NOMINAL = int(datetime(2027, 1, 1, 10, tzinfo=UTC).timestamp())
"""T of a run without a cluster."""
BACK, FORWARD = "Antarctica/Troll", "Antarctica/Casey"
"""Zones whose clocks are changed for the comparison: back by two minutes at 3:30, forward by two at 2:30."""
_CHANGES = {BACK: (210, -120), FORWARD: (150, 120)}
_MINUTE = re.compile(r"\+(\d+)")


@dataclass(frozen=True)
class Case:
    """A CronJob, and what happens to it.

    Attributes:
        spec: of the CronJob, without its jobTemplate.
        seconds: how long its Pods run; None for Pods that do not end.
        edits: by seconds after T.
        run_now: seconds after T at which a user creates a Job from it.
    """

    spec: Object
    seconds: int | None = 10
    exit_code: int = 0
    job: Object | None = None
    edits: tuple[tuple[int, Object], ...] = ()
    run_now: tuple[int, ...] = ()

    def manifest(self, name: str, start: int) -> Object:
        """Return the CronJob for a run with this T."""
        container = {"name": "main", "image": "registry.example.com/report:1.0"}
        pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        return {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": name},
            "spec": {
                "successfulJobsHistoryLimit": 10,
                "failedJobsHistoryLimit": 10,
                **_at(self.spec, start),
                "jobTemplate": {"spec": {"backoffLimit": 0, **(self.job or {}), "template": pod}},
            },
        }

    def edits_at(self, start: int) -> list[tuple[int, Object]]:
        """Return the edits, as patches of the spec, for a run with this T."""
        return [(at, _at(spec, start)) for at, spec in self.edits]

    def scenario(self, start: int) -> Object:
        """Return the JobScenario for a run with this T."""
        duration = "never" if self.seconds is None else f"{self.seconds}s"
        pods = {"startup": "1s", "duration": duration, "cases": [{"exitCode": self.exit_code}]}
        begin, end = (f"{at - CREATED}s" for at in AWAY)
        return {
            "apiVersion": "jobsworth.dev/v1alpha1",
            "kind": "JobScenario",
            "metadata": {"name": "beside-kubernetes"},
            "spec": {
                "start": datetime.fromtimestamp(start + CREATED, UTC).strftime(
                    "%Y-%m-%dT%H:%M:%SZ"
                ),
                "until": f"{UNTIL - CREATED}s",
                "pods": pods,
                "controllerAway": [{"from": begin, "until": end}],
                "runNow": [f"{at - CREATED}s" for at in self.run_now],
                "changes": [
                    {"at": f"{at - CREATED}s", "spec": spec} for at, spec in self.edits_at(start)
                ],
            },
        }


def _at(spec: Object, start: int) -> Object:
    if "schedule" not in spec:
        return spec
    minute = start // 60 % 60
    schedule = _MINUTE.sub(lambda found: str((minute + int(found[1])) % 60), spec["schedule"])
    return {**spec, "schedule": schedule}


def every(**spec: Any) -> Object:
    return {"schedule": "* * * * *", **spec}


def once(minute: int, **spec: Any) -> Object:
    return {"schedule": f"+{minute} * * * *", **spec}


FORBID, REPLACE = {"concurrencyPolicy": "Forbid"}, {"concurrencyPolicy": "Replace"}

CASES = {
    "allow": Case(every()),
    "allow-overlapping": Case(every(), 90),
    "forbid-short": Case(every(**FORBID), 15),
    "forbid-long": Case(every(**FORBID), 90),
    "forbid-hanging": Case(every(**FORBID), None),
    "forbid-deadline-over": Case(every(**FORBID, startingDeadlineSeconds=12), 90),
    "forbid-deadline-enough": Case(every(**FORBID, startingDeadlineSeconds=55), 90),
    "forbid-deadline-removed": Case(
        every(**FORBID, startingDeadlineSeconds=12),
        90,
        edits=((140, {"startingDeadlineSeconds": None}),),
    ),
    "forbid-becomes-allow": Case(
        every(**FORBID), None, edits=((150, {"concurrencyPolicy": "Allow"}),)
    ),
    "forbid-suspended-job": Case(every(**FORBID), job={"suspend": True}),
    "forbid-failing": Case(every(**FORBID), 80, exit_code=1),
    "replace-short": Case(every(**REPLACE), 15),
    "replace-long": Case(every(**REPLACE), 100),
    "suspended": Case(every(suspend=True)),
    "suspended-later": Case(every(), edits=((90, {"suspend": True}),)),
    "unsuspended": Case(every(suspend=True), edits=((150, {"suspend": False}),)),
    "unsuspended-after-deadline": Case(
        every(suspend=True, startingDeadlineSeconds=12), edits=((150, {"suspend": False}),)
    ),
    "unsuspended-same-schedule": Case(
        once(2, suspend=True), edits=((150, {"suspend": False, **once(2)}),)
    ),
    "unsuspended-new-schedule": Case(
        once(2, suspend=True), edits=((150, {"suspend": False, "schedule": "+2,+4 * * * *"}),)
    ),
    "unsuspended-irregular": Case(
        {"schedule": "+1,+2 * * * *", "suspend": True}, edits=((220, {"suspend": False}),)
    ),
    "edited-to-the-past": Case(once(1), edits=((150, once(2)),)),
    "edited-to-the-past-while-running": Case(once(1), 90, edits=((135, once(2)),)),
    "edited-to-the-past-and-again": Case(
        once(1), edits=((150, once(2)), (200, {"successfulJobsHistoryLimit": 5}))
    ),
    "edited-to-the-past-with-deadline": Case(
        once(1, startingDeadlineSeconds=60), edits=((150, once(2)),)
    ),
    "edited-to-the-past-and-back": Case(once(1), edits=((150, once(2)), (200, once(1)))),
    "edited-to-the-future": Case(once(2), edits=((90, once(3)),)),
    "edited-without-change": Case(every(), edits=((150, every()),)),
    "edited-while-away": Case(once(1), edits=((290, once(3)),)),
    "zone-edited-to-the-past": Case(
        once(1, timeZone="UTC"), edits=((150, {"timeZone": "Asia/Kolkata", **once(32)}),)
    ),
    "zone-edited-to-the-future": Case(
        once(33, timeZone="Asia/Kathmandu"), edits=((90, {"timeZone": "Asia/Kolkata"}),)
    ),
    "clock-back": Case(once(3, timeZone=BACK)),
    "clock-back-away": Case(once(2, timeZone=BACK), edits=((110, once(3)),)),
    "clock-forward-skipped": Case(once(3, timeZone=FORWARD)),
    "clock-forward-reached": Case(once(5, timeZone=FORWARD)),
    "run-now-beside-forbid": Case(every(**FORBID), 15, run_now=(110,)),
    "run-now-beside-replace": Case(every(**REPLACE), 15, run_now=(110,)),
    "interval": Case({"schedule": "@every 70s"}),
    "deadline-of-nothing": Case(every(startingDeadlineSeconds=0)),
    "never": Case({"schedule": "0 0 30 2 *"}),
}


class Run(NamedTuple):
    """A Job of a CronJob.

    Attributes:
        due: seconds after T; None if a user created it.
        started: seconds after T.
        ended: how: Complete, Failed, replaced, or unfinished.
    """

    due: int | None
    started: int
    ended: str


class Outcome(NamedTuple):
    """What is compared of a CronJob.

    Attributes:
        events: the reasons of the events about it.
        active: Jobs in its status at the end.
        last: lastScheduleTime in seconds after T.
    """

    runs: tuple[Run, ...]
    events: tuple[str, ...]
    active: int
    last: int | None

    def differences(self, other: Outcome, tolerance: int) -> list[str]:
        """Return what differs; times by more than some seconds."""
        found = [
            f"{name}: {mine} and {theirs}"
            for name, mine, theirs in (
                ("runs", len(self.runs), len(other.runs)),
                ("events", self.events, other.events),
                ("active", self.active, other.active),
            )
            if mine != theirs
        ]
        pairs = [(self.last, other.last)]
        for mine, theirs in zip(self.runs, other.runs, strict=False):
            pairs += [(mine.due, theirs.due), (mine.started, theirs.started)]
            if mine.ended != theirs.ended:
                found.append(f"end: {mine} and {theirs}")
        return found + [
            f"times: {one} and {two}"
            for one, two in pairs
            if (one is None) != (two is None) or abs((one or 0) - (two or 0)) > tolerance
        ]


def simulated(folder: Path, start: int = NOMINAL) -> dict[str, Outcome]:
    """Simulate all cases, in a process that sees the zones whose clocks change.

    Args:
        folder: for the zones.
    """
    zones = write_zones(folder / "zones", start)
    search = os.pathsep.join((str(zones), *zoneinfo.TZPATH))
    done = subprocess.run(
        [sys.executable, "-m", "support.simulation.cron_job_cases", str(start)],
        env={**os.environ, "PYTHONTZPATH": search, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return _outcomes(json.loads(done.stdout))


def _simulate(case: Case, name: str, start: int) -> Outcome:
    manifest = jobsworth.default(case.manifest(name, start))
    report = json_value(run_report(run_once(manifest, read_scenario(case.scenario(start)), 1)))

    def seconds(milliseconds: int) -> int:
        return milliseconds // 1000 + CREATED

    runs = [
        Run(
            None if job["scheduled"] is None else seconds(job["scheduled"]),
            seconds(job["created"]),
            "replaced" if job["deleted"] is not None else job["outcome"],
        )
        for job in report["jobs"]
    ]
    return Outcome(
        sorted_runs(runs),
        tuple(sorted({event["reason"] for event in report["events"]})),
        sum(run.due is not None and run.ended == "Unfinished" for run in runs),
        max((run.due for run in runs if run.due is not None), default=None),
    )


def sorted_runs(runs: Iterable[Run]) -> tuple[Run, ...]:
    return tuple(sorted(runs, key=lambda run: (run.started, run.due or 0)))


def write_zones(folder: Path, start: int) -> Path:
    """Write the zones whose clocks change, as files that Go and Python read."""
    for name, (at, shift) in _CHANGES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_zone_file(start + at, shift))
    return folder


def _zone_file(at: int, shift: int) -> bytes:
    """Return a file of tzfile(5), version 1, of a zone that is UTC until a time, and then is shifted."""
    abbreviations = b"AAA\0BBB\0"
    header = b"TZif" + bytes(16) + struct.pack(">6l", 0, 0, 0, 1, 2, len(abbreviations))
    types = struct.pack(">lBB", 0, 0, 0) + struct.pack(">lBB", shift, 0, 4)
    return header + struct.pack(">lB", at, 1) + types + abbreviations


def recorded() -> dict[str, Outcome]:
    """Return what Kubernetes did."""
    return _outcomes(json.loads(RECORDED.read_text(encoding="utf-8")))


def _outcomes(found: dict[str, Object]) -> dict[str, Outcome]:
    return {
        name: Outcome(
            tuple(Run(*run) for run in fields["runs"]),
            tuple(fields["events"]),
            fields["active"],
            fields["last"],
        )
        for name, fields in found.items()
    }


def record(outcomes: dict[str, Outcome]) -> None:
    """Write what Kubernetes did, one CronJob a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(each._asdict())}" for name, each in outcomes.items())
    RECORDED.write_text("{\n " + ",\n ".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    at = int(sys.argv[1])
    print(json.dumps({name: _simulate(case, name, at)._asdict() for name, case in CASES.items()}))
