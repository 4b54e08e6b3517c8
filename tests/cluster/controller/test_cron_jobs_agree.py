"""The same CronJobs in virtual time and on a control plane: the same runs, for the same reasons.

The health of the CronJobs is compared, too: what ``jobsworth health`` says of each scheduled time, from the
objects that are stored at the end, with the Jobs that the watch has shown.

The cases are those of ``support.simulation.cron_job_cases``. They run side by side by the wall clock on Kubernetes' own
CronJob controller, which takes seven minutes, among them a restart of the controller and zones whose clocks change meanwhile.
``JOBSWORTH_RENEW=1`` records what it did, for ``tests/runs/simulation/test_cron_jobs_agree_with_kubernetes.py``, which takes no control plane.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.controller.controller_beds import BESIDE
from cluster.controller.pod import MERGE, STRATEGIC
from jobsworth.audit.audited_objects import AuditScope
from jobsworth.audit.health_objects import list_health_objects
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.client.rest_config import Target, rest_config
from jobsworth.client.transport import Client
from jobsworth.controller.times import read_time, write_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.health.cluster_health import ClusterHealth, cluster_health
from support.simulation import cron_job_cases
from support.simulation.cron_job_cases import (
    AWAY,
    BACK,
    CASES,
    CREATED,
    FORWARD,
    TOLERANCE,
    UNTIL,
    Outcome,
    Run,
    simulated,
)

if TYPE_CHECKING:
    from cluster.bed import TestBed

pytestmark = pytest.mark.slow  # by the wall clock: .ci/long runs it

NAMESPACE = "cron-jobs"
SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
BY_HAND = "-by-hand"
LATE_EVENTS = {"MissingJob"}
"""Events by which the real controller corrects a status that it read before its own last write to it: on a
busy machine it replaces a Job, and then misses the one that it has replaced."""


class PlayedCronJobs:
    """The cases on a bed, with a kubelet that lets their Pods run as long as the cases say."""

    def __init__(self, bed: TestBed) -> None:
        self._bed = bed
        self.start = 0
        self.health: ClusterHealth | None = None
        self._jobs: dict[str, dict[str, Any]] = {}
        self._deleted: set[str] = set()
        bed.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})

    def play(self) -> dict[str, Outcome]:
        """Run all cases, and return their outcomes."""
        self._follow("/apis/batch/v1", "jobs", self._see_job)
        self._follow("/api/v1", "pods", self._see_pod)
        self._sleep_until(CREATED)
        for name, case in CASES.items():
            self._bed.create(case.manifest(name, self.start), NAMESPACE)
        steps = [(AWAY[0], self._stop_controller, ()), (AWAY[1] - 2, self._start_controller, ())]
        for name, case in CASES.items():
            steps += [(at, self._edit, (name, spec)) for at, spec in case.edits_at(self.start)]
            steps += [(at, self._run_now, (name,)) for at in case.run_now]
        for at, step, arguments in sorted(steps, key=lambda each: each[0]):
            self._sleep_until(at)
            step(*arguments)
        self._sleep_until(UNTIL)
        self.health = self._health()
        return {name: self._outcome(name) for name in CASES}

    def _health(self) -> ClusterHealth:
        with rest_config(Target(str(self._bed.kubeconfig), None)) as config:
            api = Client(config, user_agent="test", connections=1, timeout=30)
            scope = AuditScope([NAMESPACE])
            listed = list_health_objects(StoredObjects(api), api, scope, note=print)
            return cluster_health(listed, int(time.time()), since=self.start, stuck_after=120)

    def truth(self, name: str) -> dict[int, tuple[str, str]]:
        """The Jobs of a CronJob that have ever existed: end and name by the minute of the scheduled time."""
        found = {}
        for job in list(self._jobs.values()):
            metadata = job["metadata"]
            due = read_time((metadata.get("annotations") or {}).get(SCHEDULED_AT))
            if metadata["ownerReferences"][0]["name"] == name and due is not None:
                found[due // 60] = (self._run(job).ended, metadata["name"])
        return found

    def _sleep_until(self, at: int) -> None:
        time.sleep(max(0.0, self.start + at - time.time()))

    def _stop_controller(self) -> None:
        assert self._bed.controller_manager is not None
        self._bed.controller_manager.kill()

    def _start_controller(self) -> None:
        self._bed.start_controller_manager()

    def _path(self, name: str) -> str:
        return f"/apis/batch/v1/namespaces/{NAMESPACE}/cronjobs/{name}"

    def _edit(self, name: str, spec: dict[str, Any]) -> None:
        answer = self._bed.request("PATCH", self._path(name), {"spec": spec}, content_type=MERGE)
        assert answer.code == 200, answer

    def _run_now(self, name: str) -> None:
        """Create a Job as ``kubectl create job --from`` does."""
        stored = self._bed.get(self._path(name))
        owner = {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": name,
            "uid": stored["metadata"]["uid"],
            "controller": True,
        }
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": f"{name}{BY_HAND}", "ownerReferences": [owner]},
            "spec": stored["spec"]["jobTemplate"]["spec"],
        }
        self._bed.create(job, NAMESPACE)

    # The kubelet.

    def _follow(self, group: str, plural: str, see: Any) -> None:
        path = f"{group}/namespaces/{NAMESPACE}/{plural}"
        version = self._bed.get(path)["metadata"]["resourceVersion"]
        watch = f"{path}?watch=true&resourceVersion={version}"

        def follow() -> None:
            for event in self._bed.connection.watch(watch):
                see(event["type"], event["object"])

        threading.Thread(target=follow, daemon=True).start()

    def _see_job(self, kind: str, job: dict[str, Any]) -> None:
        name = job["metadata"]["name"]
        self._jobs[name] = job
        if kind == "DELETED":
            self._deleted.add(name)

    def _see_pod(self, kind: str, pod: dict[str, Any]) -> None:
        if kind == "ADDED":
            threading.Thread(target=self._run_pod, args=(pod,), daemon=True).start()

    def _run_pod(self, pod: dict[str, Any]) -> None:
        job: str = pod["metadata"]["ownerReferences"][0]["name"]
        case = CASES[job.removesuffix(BY_HAND) if job.endswith(BY_HAND) else job.rpartition("-")[0]]
        path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}/status"
        time.sleep(1)
        self._report(path, "Running", {"running": {}})
        if case.seconds is None:
            return
        time.sleep(case.seconds)
        if time.time() > self.start + UNTIL:
            return
        now = write_time(int(time.time()))
        ended = {"exitCode": case.exit_code, "finishedAt": now}
        self._report(path, "Failed" if case.exit_code else "Succeeded", {"terminated": ended})

    def _report(self, path: str, phase: str, state: dict[str, Any]) -> None:
        container = {"name": "main", "image": "", "imageID": "", "restartCount": 0, "state": state}
        container["ready"] = phase == "Running"
        ready = {"type": "Ready", "status": str(container["ready"])}
        status = {"phase": phase, "conditions": [ready], "containerStatuses": [container]}
        self._bed.request("PATCH", path, {"status": status}, content_type=STRATEGIC)

    # The outcome.

    def _outcome(self, name: str) -> Outcome:
        status = self._bed.get(self._path(name)).get("status") or {}
        last = read_time(status.get("lastScheduleTime"))
        events = self._bed.get(
            f"/api/v1/namespaces/{NAMESPACE}/events"
            f"?fieldSelector=involvedObject.kind=CronJob,involvedObject.name={name}"
        )["items"]
        return Outcome(
            cron_job_cases.sorted_runs(
                self._run(job)
                for job in list(self._jobs.values())
                if job["metadata"]["ownerReferences"][0]["name"] == name
            ),
            tuple(sorted({event["reason"] for event in events} - LATE_EVENTS)),
            len(status.get("active") or ()),
            None if last is None else last - self.start,
        )

    def _run(self, job: dict[str, Any]) -> Run:
        metadata = job["metadata"]
        due = read_time((metadata.get("annotations") or {}).get(SCHEDULED_AT))
        conditions = job.get("status", {}).get("conditions") or ()
        ended = [
            each["type"]
            for each in conditions
            if each["type"] in ("Complete", "Failed") and each["status"] == "True"
        ]
        created = read_time(metadata["creationTimestamp"])
        assert created is not None
        return Run(
            None if due is None else due - self.start,
            created - self.start,
            ended[0]
            if ended
            else "replaced"
            if metadata["name"] in self._deleted
            else "Unfinished",
        )


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[str, Outcome], dict[str, Outcome], PlayedCronJobs]:
    """What Kubernetes did with each case, what the simulator does, and the cases."""
    folder = tmp_path_factory.mktemp("bed")
    start = (int(time.time()) // 60 + 2) * 60
    zones = cron_job_cases.write_zones(folder / "zones", start)
    before = os.environ.get("ZONEINFO")
    os.environ["ZONEINFO"] = str(zones)  # of kube-apiserver and kube-controller-manager
    try:
        with bed_or_skip(controllers=BESIDE, qps=200, burst=400, audit=False) as bed:
            cron_jobs = PlayedCronJobs(bed)
            cron_jobs.start = start
            assert time.time() < start + CREATED, "the bed took too long to start"
            outcomes = cron_jobs.play()
    finally:
        os.environ.pop("ZONEINFO")
        if before is not None:
            os.environ["ZONEINFO"] = before
    if os.environ.get("JOBSWORTH_RENEW"):
        cron_job_cases.record(outcomes)
    return outcomes, simulated(folder, start), cron_jobs


@pytest.mark.parametrize("name", CASES)
def test_kubernetes_runs_a_cron_job_as_the_simulator_does(
    name: str, played: tuple[dict[str, Outcome], dict[str, Outcome], PlayedCronJobs]
) -> None:
    found, expected = played[0][name], played[1][name]
    assert found.differences(expected, TOLERANCE) == [], (found, expected)


STATES = {"Complete": {"Succeeded", "Started"}, "Failed": {"Failed", "Started"}}
NOT_STARTED = {"Skipped", "Waiting"}
KNOWN_ZONES = [
    name for name, case in CASES.items() if case.spec.get("timeZone") not in (BACK, FORWARD)
]
"""Without the zones whose clocks only this test changes: this process knows the true ones."""


@pytest.mark.parametrize("name", KNOWN_ZONES)
def test_the_health_of_a_cron_job_says_what_happened(
    name: str, played: tuple[dict[str, Outcome], dict[str, Outcome], PlayedCronJobs]
) -> None:
    cron_jobs = played[2]
    assert cron_jobs.health is not None
    (found,) = [each for each in cron_jobs.health.cron_jobs if each.evidence.name == name]
    assert found.window is not None
    truth = cron_jobs.truth(name)
    print(f"\n{name}: {[(run.state, run.cause, run.late) for run in found.window.runs]}")
    for run in found.window.runs:
        ended, job = truth.get(run.scheduled // 60, ("", ""))
        if run.state == "Unknown":
            assert run.cause is Cause.SPEC_EDITED or ended in ("", "replaced"), run
        elif not job:
            assert run.state in NOT_STARTED, run
        else:
            assert run.state in STATES.get(ended, {"Running", "Started"}), (run, ended)
            assert run.job in (job, ""), run


def test_the_absence_of_the_controller_is_seen(
    played: tuple[dict[str, Outcome], dict[str, Outcome], PlayedCronJobs],
) -> None:
    cron_jobs = played[2]
    assert cron_jobs.health is not None
    assert cron_jobs.health.absences, cron_jobs.health
    for absence in cron_jobs.health.absences:
        assert cron_jobs.start + AWAY[0] - 10 <= absence.begin <= cron_jobs.start + AWAY[1] + 10
