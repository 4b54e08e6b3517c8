"""The chart's audit on a real API server: its container's arguments, with the rights of its service account."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.bed import Process, free_ports
from cluster.controller.pod import MERGE, STRATEGIC
from cluster.installed_chart import wait_for
from cluster.programs import NEWEST
from jobsworth.controller.times import write_time
from support.api_server.stored_objects import cron_manifest, manifest

if TYPE_CHECKING:
    from cluster.bed import TestBed

ROOT = Path(__file__).parents[2]
POLICIES = {"few-retries": {"enforcement": "audit", "limits": {"backoffLimit": {"maximum": 3}}}}


class ChartAudit:
    """The audit of the rendered chart, as a process of this machine.

    Attributes:
        namespace: of the release.
    """

    def __init__(self, bed: TestBed, folder: Path, **values: Any) -> None:
        self._audit = {"enabled": True, "interval": "2s", **values}
        self.bed = bed
        self.namespace = bed.namespace("system")
        self._policies = folder / "policies"
        self._policies.mkdir()
        self._values = folder / "values.json"
        (self._port,) = free_ports(1)
        objects = self.render(POLICIES)
        for each in objects:
            if each["kind"] in ("ServiceAccount", "ClusterRole", "ClusterRoleBinding"):
                bed.kubectl("create", "-f", "-", input=json.dumps(each))
        (deployment,) = (
            each
            for each in objects
            if each["kind"] == "Deployment" and each["metadata"]["name"] == "jobsworth-audit"
        )
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        account = bed.service_account(self.namespace, "jobsworth-audit")
        self.log = folder / "log"
        args = [each.replace("/etc/jobsworth", str(folder)) for each in container["args"]]
        self.process = Process(
            [sys.executable, "-m", "jobsworth", *args, f"--monitor-bind=127.0.0.1:{self._port}"],
            self.log,
            {
                "PYTHONPATH": os.pathsep.join([str(ROOT / "webhook"), *sys.path]),
                "KUBECONFIG": str(account),
            },
        )

    def render(self, policies: dict[str, Any]) -> list[dict[str, Any]]:
        """Render the chart, and carry its policies into the folder as the kubelet does."""
        values = {"policies": policies, "audit": self._audit}
        self._values.write_text(json.dumps({**values, "fullnameOverride": "jobsworth"}))
        text = self.bed.helm(
            "template", "jobsworth", str(ROOT / "charts/jobsworth"), "--namespace", self.namespace,
            "--kube-version", f"{NEWEST}.0", "--values", str(self._values),
        ).stdout  # fmt: skip
        objects = [each for each in yaml.safe_load_all(text) if each]
        for each in objects:
            if each["kind"] == "ConfigMap" and each["metadata"]["name"] == "jobsworth-policies":
                for name, document in each["data"].items():
                    (self._policies / name).write_text(document)
        return objects

    def shows(self, line: str) -> None:
        """Wait until the metrics have this line."""
        wait_for(lambda: line in self._lines(), line, [self.process])

    def has_series(self, series: str, *, present: bool = True) -> None:
        """Wait until the metrics have a series, or, if not `present`, no longer have it."""

        def shown() -> bool:
            lines = self._lines()
            return bool(lines) and any(line.startswith(series) for line in lines) is present

        wait_for(shown, f"{series} {'is' if present else 'is not'} there", [self.process])

    def _lines(self) -> list[str]:
        """The lines of the metrics; none while they cannot be read."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/metrics") as answer:
                text: str = answer.read().decode()
                return text.splitlines()
        except OSError:
            return []

    def events(self, namespace: str) -> dict[tuple[str, str], str]:
        """The messages of the audit's Events by kind and name of their object."""
        items = self.bed.get(f"/api/v1/namespaces/{namespace}/events")["items"]
        return {
            (each["involvedObject"]["kind"], each["involvedObject"]["name"]): each["message"]
            for each in items
            if each["reason"] == "AuditFindings"
        }


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChartAudit]:
    with bed_or_skip(NEWEST) as bed:
        audit = ChartAudit(bed, tmp_path_factory.mktemp("audit"))
        try:
            yield audit
        finally:
            audit.process.kill()


@pytest.fixture(scope="module")
def health(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChartAudit]:
    with bed_or_skip(NEWEST) as bed:
        audit = ChartAudit(bed, tmp_path_factory.mktemp("audit"), health=True)
        try:
            yield audit
        finally:
            audit.process.kill()


def test_a_blocked_cron_job_has_metrics_until_it_is_deleted(health: ChartAudit) -> None:
    bed = health.bed
    team = bed.namespace("team")
    path = f"/apis/batch/v1/namespaces/{team}"
    created = bed.create(cron_manifest("nightly", schedule="* * * * *"), team)
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "controller": True}
    owner["uid"] = created["metadata"]["uid"]
    job = manifest("nightly-1")
    job = bed.create({**job, "metadata": {"name": "nightly-1", "ownerReferences": [owner]}}, team)
    _create_pending_pod(bed, team, job)
    hours_ago = write_time(int(time.time()) - 7200)
    status = {"lastScheduleTime": hours_ago, "active": [{"kind": "Job", "name": "nightly-1"}]}
    answer = bed.request(
        "PATCH", f"{path}/cronjobs/nightly/status", {"status": status}, content_type=MERGE
    )
    assert answer.code == 200, answer
    answer = bed.request(
        "PATCH", f"{path}/jobs/nightly-1/status", {"status": {"active": 1, "startTime": write_time(int(time.time()))}},
        content_type=MERGE,
    )  # fmt: skip
    assert answer.code == 200, answer
    blocked = f'jobsworth_cronjob_blocked{{cronjob="nightly",reason="ImagePull",resource_namespace="{team}"}} 1.0'
    health.shows(blocked)
    health.shows('jobsworth_cronjobs{state="blocked"} 1.0')
    command = [
        sys.executable, "-m", "jobsworth", "health", "-n", team, "-o", "json",
    ]  # fmt: skip
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "KUBECONFIG": str(bed.kubeconfig), "PYTHONPATH": str(ROOT / "webhook")},
    )
    assert done.returncode == 1, done.stderr
    (found,) = json.loads(done.stdout)["cron_jobs"]
    assert found["blocked"]["pod"] == "nightly-1-x"
    bed.request("DELETE", f"{path}/cronjobs/nightly")
    health.shows('jobsworth_cronjobs{state="blocked"} 0.0')
    assert "Traceback" not in health.log.read_text()


def test_a_failed_job_has_a_series_until_a_later_one_succeeds(health: ChartAudit) -> None:
    bed = health.bed
    team = bed.namespace("team")
    path = f"/apis/batch/v1/namespaces/{team}/jobs"
    failed = _create_finished_job(bed, team, "FailureTarget", "Failed")
    owner = f'owner="Job/{failed}",reason="BackoffLimitExceeded",resource_namespace="{team}"'
    series = f"jobsworth_job_failed_seconds{{{owner}}}"
    health.has_series(series)
    time.sleep(
        1.1
    )  # times of the API are whole seconds: the later Job is created after the failure
    later = _create_finished_job(bed, team, "SuccessCriteriaMet", "Complete")
    health.has_series(series, present=False)
    bed.request("DELETE", f"{path}/{later}?propagationPolicy=Background")
    alone = _create_finished_job(bed, team, "FailureTarget", "Failed")
    health.has_series(series.replace(failed, alone))
    # The audit remembers the success of the Job that is gone.
    health.has_series(series, present=False)
    bed.request("DELETE", f"{path}/{alone}?propagationPolicy=Background")
    health.has_series(series.replace(failed, alone), present=False)
    assert "Traceback" not in health.log.read_text()


def _create_finished_job(bed: TestBed, namespace: str, *conditions: str) -> str:
    """Create a Job with a generateName, and finish it; return its name."""
    job = manifest("")
    job["metadata"] = {"generateName": "load-"}
    name: str = bed.create(job, namespace)["metadata"]["name"]
    now = write_time(int(time.time()))
    failing = "Failed" in conditions
    reason = "BackoffLimitExceeded" if failing else "CompletionsReached"
    status: dict[str, Any] = {
        "startTime": now,
        "conditions": [
            {"type": each, "status": "True", "reason": reason, "message": "m", "lastTransitionTime": now}
            for each in conditions
        ],
        **({"failed": 1} if failing else {"succeeded": 1, "completionTime": now}),
    }  # fmt: skip
    answer = bed.request(
        "PATCH", f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}/status", {"status": status}, content_type=MERGE
    )  # fmt: skip
    assert answer.code == 200, answer
    return name


def _create_pending_pod(bed: TestBed, namespace: str, job: dict[str, Any]) -> None:
    template = job["spec"]["template"]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "nightly-1", "controller": True}
    owner["uid"] = job["metadata"]["uid"]
    labels = template["metadata"]["labels"]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "nightly-1-x", "labels": labels, "ownerReferences": [owner]},
        "spec": template["spec"],
    }
    bed.create(pod, namespace)
    waiting = {"waiting": {"reason": "ImagePullBackOff"}}
    container = {"name": "main", "image": "", "imageID": "", "restartCount": 0, "ready": False}
    status = {"phase": "Pending", "containerStatuses": [{**container, "state": waiting}]}
    answer = bed.request(
        "PATCH", f"/api/v1/namespaces/{namespace}/pods/nightly-1-x/status", {"status": status},
        content_type=STRATEGIC,
    )  # fmt: skip
    assert answer.code == 200, answer


def test_a_policy_goes_from_audit_to_warn_without_a_restart(
    audit: ChartAudit,
) -> None:
    bed = audit.bed
    team = bed.namespace("team")
    bed.create(manifest("sound", backoffLimit=1), team)
    bed.create(manifest("poor"), team)
    bed.create(cron_manifest("nightly"), team)
    audit.render(POLICIES)
    with bed.calls() as calls:
        labels = f'enforcement="%s",policy="few-retries",resource_namespace="{team}"'
        audit.shows(f"jobsworth_audit_violations{{{labels % 'audit'}}} 2.0")
        assert audit.events(team) == {}
        audit.render({"few-retries": {**POLICIES["few-retries"], "enforcement": "warn"}})
        audit.shows(f"jobsworth_audit_violations{{{labels % 'warn'}}} 2.0")
        assert set(audit.events(team)) == {("Job", "poor"), ("CronJob", "nightly")}
        bed.create(manifest("another"), team)
        audit.shows(
            'jobsworth_audit_new_violations_total{enforcement="warn",policy="few-retries"} 1.0'
        )
        verbs = set(calls.count(user_agent="jobsworth"))
    assert verbs == {
        ("get", "/version"), ("list", "jobs"), ("list", "cronjobs"), ("create", "events"),
    }  # fmt: skip
    assert "Traceback" not in audit.log.read_text()


def test_jobsworth_audit_prints_what_the_audit_reports(audit: ChartAudit) -> None:
    bed = audit.bed
    team = bed.namespace("team")
    bed.create(manifest("poor"), team)
    audit.render({"few-retries": {**POLICIES["few-retries"], "enforcement": "deny"}})
    wait_for(lambda: bool(audit.events(team)), "an event", [audit.process])
    command = [
        sys.executable, "-m", "jobsworth", "audit", "-n", team, "--isolated", "-o", "json",
        "--policy", str(audit.log.parent / "policies"),
    ]  # fmt: skip
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "KUBECONFIG": str(bed.kubeconfig), "PYTHONPATH": str(ROOT / "webhook")},
    )
    (result,) = json.loads(done.stdout)["results"]
    (printed,) = (each["message"] for each in result["findings"] if each["source"] == "policy")
    assert printed in audit.events(team)["Job", "poor"]
