"""`jobsworth why` and `wait` work with the rights that their pages document, and read logs through the API server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.test_why import BUILT_IN, manifest
from cluster.why.failures import LIMITED, ONE, Case

if TYPE_CHECKING:
    from cluster.bed import TestBed

ROOT = Path(__file__).parent.parent.parent
ROLE = re.compile(r"<!-- role: \w+ -->\n```yaml\n(.*?)```", re.DOTALL)
LOG = "loading\n\x1b[31mout of memory\x1b[0m\n::error::forged\n"


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    with bed_or_skip(controllers="job-controller,cronjob-controller") as bed:
        yield bed


def command(kubeconfig: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jobsworth", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "KUBECONFIG": str(kubeconfig), "PYTHONPATH": str(ROOT / "webhook")},
    )


def user_with_rights(bed: TestBed, page: str, namespace: str) -> Path:
    (role,) = ROLE.findall((ROOT / f"docs/{page}.md").read_text(encoding="utf-8"))
    bed.create(yaml.safe_load(role), namespace)
    bed.kubectl(
        "create", "rolebinding", f"{page}-reader", f"--role=jobsworth-{page}", f"--user={page}er", "-n", namespace
    )  # fmt: skip
    return bed.user(f"{page}er")


@pytest.fixture(scope="module")
def failed(bed: TestBed) -> Any:
    from cluster.why.played_pods import PlayedJob

    namespace = bed.namespace("rights")
    case = Case("train", lambda job: None, (), "", ONE, LIMITED)
    job = PlayedJob(bed, namespace, manifest(case, BUILT_IN), keep=False)
    pod = job.next_pod().runs()
    pod.fails(137, "OOMKilled")
    job.ends()
    return job, pod


def test_why_reads_the_log_through_the_api_server(
    bed: TestBed, failed: Any, tmp_path: Path
) -> None:
    from cluster.why.played_kubelet import log_server

    job, pod = failed
    user = user_with_rights(bed, "why", job.namespace)
    with log_server(bed, tmp_path, {pod.name: LOG}):
        done = command(user, "why", "job/train", "-n", job.namespace)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Job train failed")
    assert "failed with exit code 137 (OOMKilled, limit 2Gi)" in done.stdout
    assert "  | loading\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert not any(line.lstrip().startswith("::error") for line in done.stdout.splitlines())
    value = json.loads(command(user, "why", "train", "-n", job.namespace, "-o", "json").stdout)
    assert (value["outcome"], value["cause"]) == ("Failed", "OOMKilled")
    assert value["logs"][0]["problem"]  # no kubelet answers any more


def test_without_rights_the_role_is_named(bed: TestBed, failed: Any) -> None:
    job, _ = failed
    done = command(bed.user("stranger"), "why", "job/train", "-n", job.namespace)
    assert done.returncode == 2
    assert "docs/why.md" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_object_that_does_not_exist_is_an_error(bed: TestBed, failed: Any) -> None:
    job, _ = failed
    for reference in ("job/other", "cronjob/other", "jobset/other"):
        done = command(bed.kubeconfig, "why", reference, "-n", job.namespace)
        assert (done.returncode, done.stdout) == (2, "")
        assert "there is no " in done.stderr
        assert '"other"' in done.stderr


def test_of_a_job_that_was_deleted_the_last_event_is_shown(bed: TestBed) -> None:
    from cluster.controller.waiting import eventually
    from cluster.why.played_pods import PlayedJob

    namespace = bed.namespace("rights")
    case = Case("gone", lambda job: None, (), "", ONE)
    job = PlayedJob(bed, namespace, manifest(case, BUILT_IN), keep=False)
    job.next_pod().runs().fails(137, "OOMKilled")
    job.ends()

    bed.kubectl("delete", "job", "gone", "-n", namespace, "--wait=false")

    def missing() -> str:
        done = command(bed.kubeconfig, "why", "job/gone", "-n", namespace)
        return "" if "BackoffLimitExceeded: Job has reached" in done.stderr else done.stderr

    eventually(missing)


def test_a_cron_job_is_explained(bed: TestBed) -> None:
    from cluster.controller.waiting import eventually
    from cluster.why.played_pods import PlayedPod

    namespace = bed.namespace("rights")
    template = manifest(Case("nightly", lambda job: None, (), "", ONE), BUILT_IN)
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": template["spec"]}},
    }
    bed.create(cron_job, namespace)
    user = user_with_rights(bed, "why", namespace)
    done = command(user, "why", "cronjob/nightly", "-n", namespace)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no run was due since it was created" in done.stdout
    bed.kubectl("create", "job", "nightly-1", "--from=cronjob/nightly", "-n", namespace)
    pods = f"/api/v1/namespaces/{namespace}/pods"
    eventually(lambda: "" if bed.get(pods)["items"] else "no Pod", within=60)

    class Of:
        def __init__(self) -> None:
            self.bed, self.namespace, self.keep = bed, namespace, False

    PlayedPod(Of(), bed.get(pods)["items"][0]).runs().fails(3)  # type: ignore[arg-type]

    def unfinished() -> str:
        done = command(user, "why", "cronjob/nightly", "-n", namespace, "--no-logs", "-o", "json")
        value = json.loads(done.stdout)
        return "" if value["cause"] == "Failed" else value["sentence"]

    eventually(unfinished, within=60)
    done = command(user, "why", "cronjob/nightly", "-n", namespace, "--no-logs")
    assert "failed with exit code 3" in done.stdout


def test_wait_works_with_its_rights(bed: TestBed, failed: Any) -> None:
    job, _ = failed
    user = user_with_rights(bed, "wait", job.namespace)
    done = command(user, "wait", "job/train", "-n", job.namespace, "--quiet")
    assert (done.returncode, done.stderr) == (1, "")
    assert "failed with exit code 137 (OOMKilled, limit 2Gi)" in done.stdout
