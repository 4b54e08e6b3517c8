"""The chart's controller and audit beside the webhook: a killed leader and an upgrade, while Jobs are created."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.bed import TestBed
from cluster.installed_chart import CHART, wait_for
from cluster.programs import NEWEST
from cluster.small_jobs import JOBS
from cluster.test_reconciled_policies import items, violating
from cluster.webhook_replicas import Replicas

VALUES: dict[str, Any] = {
    **yaml.safe_load((CHART / "ci" / "sidecar-values.yaml").read_text()),
    "webhook": {"preStopSeconds": 2, "drainSeconds": 1},
    "certificates": {"selfManaged": {"interval": "1s"}},
}
VALUES["audit"] = {**VALUES["audit"], "interval": "2s"}
VALUES["controller"] = {
    **VALUES["controller"],
    "releaseFinalizers": False,
}  # a hook that nothing runs here
CLIENTS = 4


@pytest.fixture
def bed() -> Iterator[TestBed]:
    with bed_or_skip(NEWEST, controllers="garbage-collector-controller", kubelet=True) as bed:
        yield bed


class Users:
    """Users who create Jobs without a pause, and never repeat a request that failed.

    Attributes:
        admitted: the names of the Jobs that were created.
        answers: the number of answers by kind of Job and answer.
        slowest: the slowest answer in seconds.
    """

    def __init__(self, bed: TestBed, namespace: str) -> None:
        self._bed, self._path = bed, JOBS.format(namespace)
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._use, args=(n,)) for n in range(CLIENTS)]
        self._lock = threading.Lock()
        self.admitted: list[str] = []
        self.answers: Counter[tuple[str, str]] = Counter()
        self.slowest = 0.0

    def __enter__(self) -> Users:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _use(self, user: int) -> None:
        number = 0
        while not self._stop.wait(0.4):
            number += 1
            job = violating(f"job-{user}-{number}")
            self._post("violating", job, "?dryRun=All")
            job["spec"]["backoffLimit"] = 1
            if self._post("good", job) == "201":
                self.admitted.append(job["metadata"]["name"])

    def _post(self, what: str, job: dict[str, Any], query: str = "") -> str:
        began = time.monotonic()
        try:
            answer = self._bed.request("POST", self._path + query, job)
        except OSError as error:
            result = str(error)
        else:
            denied = "few-retries" in answer.body.get("message", "")
            result = f"{answer.code}{' by the policy' if denied else ''}"
            if answer.code not in (201, 403):
                result += f": {answer.body['message']}"
        with self._lock:
            self.answers[what, result] += 1
            self.slowest = max(self.slowest, time.monotonic() - began)
        return result


def complete(job: dict[str, Any]) -> bool:
    return any(one["type"] == "Complete" for one in job["status"].get("conditions") or ())


def test_a_killed_leader_and_an_upgrade_lose_no_request_and_no_pod(
    bed: TestBed, capsys: pytest.CaptureFixture[str]
) -> None:
    team = bed.namespace("team")
    jobs = JOBS.format(team)
    bed.create(violating("older-than-the-policy"), team)

    def audited(replicas: Replicas) -> bool:
        labels = 'enforcement="deny",policy="few-retries",resource_namespace='
        line = f'jobsworth_audit_violations{{{labels}"{team}"}} 1.0'
        try:
            return all(line in pod.fetch("audit", "/metrics") for pod in replicas.pods)
        except OSError:
            return False  # a new Pod does not listen yet

    with Replicas(bed, VALUES) as replicas:
        replicas.wait_until_required()
        wait_for(lambda: replicas.leader() is not None, "a leader")
        wait_for(lambda: bed.get(f"{jobs}/older-than-the-policy")["spec"]["suspend"], "the hold")
        wait_for(lambda: audited(replicas), "the audit of each Pod")
        with Users(bed, team) as users:
            time.sleep(3)
            first = replicas.leader()
            assert first is not None
            first.kill("job-controller")
            killed = time.monotonic()
            time.sleep(1)
            first.start("job-controller")
            wait_for(lambda: replicas.leader() not in (None, first), "another leader")
            without_leader = time.monotonic() - killed
            time.sleep(2)
            threads = {**VALUES["webhook"], "threads": 4}
            codes = replicas.roll_out({**VALUES, "webhook": threads})
            wait_for(lambda: replicas.leader() is not None, "a leader of the new Pods")
            time.sleep(3)
        wait_for(lambda: sum(map(complete, items(bed, jobs))) == len(users.admitted), "all Jobs")
        wait_for(lambda: audited(replicas), "the audit of each new Pod")
        stored, pods = items(bed, jobs), items(bed, f"/api/v1/namespaces/{team}/pods")
        events = items(bed, f"/api/v1/namespaces/{team}/events")
        assert bed.get(f"{jobs}/older-than-the-policy")["spec"]["suspend"]
        for container in ("webhook", "job-controller", "audit"):
            for log in replicas.logs(container):
                assert "Forbidden" not in log
                assert "Traceback" not in log
    with capsys.disabled():
        print(f"\n{dict(users.answers)}; slowest {users.slowest:.2f} s")
        print(f"{len(pods)} Pods; {without_leader:.0f} s from the kill to another leader")
    assert set(users.answers) == {("good", "201"), ("violating", "403 by the policy")}
    assert len(stored) == len(users.admitted) + 1
    assert Counter(pod["metadata"]["labels"]["job-name"] for pod in pods) == Counter(users.admitted)
    assert {pod["metadata"].get("finalizers") is None for pod in pods} == {True}
    assert all(code == 0 for each in codes for code in each.values()), codes
    reasons = Counter(each["reason"] for each in events)
    assert (reasons["PolicyViolation"], reasons["AuditFindings"]) == (1, 1)
