"""`jobsworth health`, against a server that answers as an API server does."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobsworth.controller.times import write_time
from jobsworth.reports.health_report import health_schema
from support.api_server.fake_list_server import FakeListServer, status
from support.cli.command_runs import Command
from support.health.health_objects import (
    DAY,
    HOUR,
    a_cron_job,
    a_job,
    a_job_without_cron_job,
    a_pod,
)

pytest.importorskip("kubernetes")


@pytest.fixture
def health(on_server: Callable[[str], Command]) -> Command:
    """Runs `jobsworth health` on the fake server."""
    return on_server("health")


def hour() -> int:
    """The begin of the current hour."""
    return int(time.time()) // HOUR * HOUR


def wedged(server: FakeListServer) -> dict[str, Any]:
    """Store a CronJob behind a Pod that has been terminating for 12 hours; return its Pod."""
    begun = hour() - 12 * HOUR
    condition = {
        "type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded",
        "lastTransitionTime": write_time(begun + 600),
    }  # fmt: skip
    job = a_job(begun, "", conditions=[condition])
    deletion = {
        "deletionTimestamp": write_time(begun + 630),
        "deletionGracePeriodSeconds": 30,
    }
    pod = a_pod(job, "Running", metadata=deletion)
    active = (job["metadata"]["name"],)
    cron_job = a_cron_job(last=begun, active=active, concurrencyPolicy="Forbid")
    server.cron_jobs, server.jobs, server.pods = [cron_job], [job], [pod]
    return pod


def healthy(server: FakeListServer) -> None:
    hours = range(25)
    server.jobs = [a_job(hour() - number * HOUR) for number in hours]
    cron_job = a_cron_job(last=hour(), created=hour() - DAY - 1, successfulJobsHistoryLimit=100)
    server.cron_jobs = [cron_job]


def test_a_healthy_cluster_exits_with_0(server: FakeListServer, health: Command) -> None:
    healthy(server)
    done = health("-A")
    assert done.code == 0, done.out
    assert (
        done.err == 'context "test": 1 CronJob (0 with errors, 0 with warnings), '
        "25 Jobs (0 stuck, 0 failed outside CronJobs)\n"
    )
    assert done.out.splitlines()[1].split()[:8] == [
        "batch/report",
        "0",
        "*",
        "*",
        "*",
        "*",
        "25",
        "25",
    ]


def test_a_pod_that_does_not_terminate_is_named(server: FakeListServer, health: Command) -> None:
    pod = wedged(server)
    done = health("-A")
    assert done.code == 1
    assert f"Pod {pod['metadata']['name']}" in done.out
    assert "terminating Pods before it is Failed (DeadlineExceeded; Pod " in done.out
    assert "[Blocked]" in done.out
    shown = done.out[done.out.index("error: ") :]
    first, cause, fix, command, following, *_ = shown.splitlines()
    assert re.fullmatch(
        r"error: \S+/CronJob/report: is overdue by .* \([0-9]+ runs missed\) \[Blocked\]", first
    )
    assert len(first.split()) <= 20
    assert cause.startswith("Cause   Job ")
    assert fix == "Fix     If the machine is gone for good:"
    assert re.fullmatch(
        rf" {{8}}kubectl delete pod -n \S+ {pod['metadata']['name']} --force", command
    )
    assert re.search(r"^More    jobsworth why cronjob/report -n \S+$", shown, re.MULTILINE)
    assert following.startswith("Next    It goes on when they have terminated")
    assert "[Stuck]" not in done.out  # the CronJob says what its Job waits for
    assert json.loads(health("-A", "-o", "json").out)["stuck_jobs"]
    assert health("-A", "--fail-on", "never").code == 0


def test_the_json_report_is_what_its_schema_says(server: FakeListServer, health: Command) -> None:
    wedged(server)
    found = json.loads(health("-A", "-o", "json").out)
    Draft202012Validator(health_schema()).validate(found)
    (cron_job,) = found["cron_jobs"]
    assert cron_job["blocked"]["cause"] == "Terminating"
    assert cron_job["runs"]["skipped_by_cause"]["JobAlreadyActive"] >= 10
    assert found["stuck_jobs"][0]["owner"] == "CronJob/report"


def test_a_failed_job_without_a_cron_job_is_an_error_in_the_window(
    server: FakeListServer, health: Command
) -> None:
    failed = hour() - 3 * HOUR
    server.jobs = [a_job_without_cron_job("migrate", created=failed - HOUR, ended=failed)]
    done = health("-A")
    assert done.code == 1
    first, cause, more = done.out.splitlines()
    assert first.startswith("error: batch/Job/migrate: failed ")
    assert first.endswith(f", at {write_time(failed)} [Failed]")
    assert cause.startswith("Cause   BackoffLimitExceeded: Job has reached")
    assert more == "More    jobsworth why job/migrate -n batch"
    assert "1 Job (0 stuck, 1 failed outside CronJobs)" in done.err
    assert health("-A", "--since", "1h").code == 0


def test_it_goes_without_pods_events_and_leases(server: FakeListServer, health: Command) -> None:
    wedged(server)

    def deny(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path.rpartition("/")[2] in ("pods", "events", "kube-controller-manager"):
            return 403, status(403, "Forbidden", "no")
        return None

    server.faults = [deny]
    done = health("-A", "-o", "json")
    assert "note: Pods cannot be listed" in done.err
    assert "note: Events cannot be listed" in done.err
    found = json.loads(done.out)
    assert found["unseen"] == ["Pods", "Events"]
    assert found["cron_jobs"][0]["blocked"]["cause"] == "JobUnfinished"


def test_a_namespace_that_does_not_exist_is_an_error(health: Command) -> None:
    done = health("-n", "batsh")
    assert done.code == 2
    assert 'has no namespace "batsh"' in done.err


def test_only_pods_of_jobs_that_have_not_ended_are_listed(
    server: FakeListServer, health: Command
) -> None:
    wedged(server)
    server.namespaces["batch"] = {}
    health("-n", "batch")
    (query,) = [query for path, query in server.requests if path.endswith("/batch/pods")]
    assert query["labelSelector"] == "job-name"
    assert query["fieldSelector"] == "status.phase!=Succeeded,status.phase!=Failed"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--since", "0d"), "--since"),
        (("--since", "7y"), '--since "7y" is not a duration'),
        (("--since", "9999d"), "at most 31d"),
        (("--stuck-after", "soon"), '--stuck-after "soon" is not a duration'),
        (("-o", "sarif"), '--output: "sarif" is none of text, json'),
        (("-n", "batch"), "--namespace and --all-namespaces exclude each other"),
        (
            ("saved.yaml",),
            "--namespace and --all-namespaces are for a cluster: omit them with files",
        ),
        (("--at", "2026-01-01"), "--at is for files"),
    ],
)
def test_a_wrong_option_is_named(health: Command, arguments: tuple[str, ...], message: str) -> None:
    done = health("-A", *arguments)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("cron_jobs", {"metadata": {"name": "x", "namespace": "a", "uid": "1"}}),
        ("cron_jobs", {"metadata": {"name": "x", "namespace": "a", "uid": "1"}, "spec": {"schedule": 5}}),
        ("jobs", {"metadata": {"name": "x", "namespace": "a", "uid": "1"}}),
        ("jobs", {"metadata": {"name": "x", "namespace": "a", "uid": "1"}, "spec": {"a": 1}, "status": []}),
        ("pods", {"metadata": {"name": "x", "namespace": "a", "uid": "1"}, "status": 3}),
    ],
)  # fmt: skip
def test_a_malformed_object_is_an_error_with_its_name(
    server: FakeListServer, health: Command, kind: str, wrong: dict[str, Any]
) -> None:
    setattr(server, kind, [wrong])
    done = health("-A")
    assert done.code == 2
    assert "malformed object x" in done.err


def test_files_have_the_health_of_the_time_at_which_they_were_saved(
    server: FakeListServer, health: Command, tmp_path: Path
) -> None:
    wedged(server)
    saved = {"CronJob": server.cron_jobs, "Job": server.jobs, "Pod": server.pods}
    versions = {"CronJob": "batch/v1", "Job": "batch/v1", "Pod": "v1"}
    items = [
        {"apiVersion": versions[kind], "kind": kind, **each}
        for kind, objects in saved.items()
        for each in objects
    ]
    file = tmp_path / "saved.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    done = health(str(file), "-o", "json")
    assert done.code == 1, done.err
    found = json.loads(done.out)
    assert (found["cluster"], found["unseen"]) == ("files", ["Events"])
    assert found["stuck_jobs"][0]["waiting"]["cause"] == "Terminating"
    assert server.requests == []
    earlier = health(str(file), "--at", write_time(hour() - 12 * HOUR + 60))
    assert "0 stuck" in earlier.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"apiVersion": "v1", "kind": "Pod", "metadata": {}}', "no CronJob or Job in these files"),
        (
            '{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {}}',
            "spec.schedule is missing",
        ),
        ("- [", "saved.yaml"),
    ],
)
def test_a_file_that_holds_no_cluster_is_an_error(
    health: Command, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "saved.yaml").write_text(text)
    done = health("saved.yaml")
    assert done.code == 2
    assert message in done.err


def test_the_workloads_of_queued_jobs_are_read_where_there_are_any(
    server: FakeListServer, health: Command
) -> None:
    queued = a_job_without_cron_job("train", "", created=hour() - 3 * HOUR, ended=None)
    queued["spec"]["suspend"] = True
    server.jobs = [queued]
    assert health("-A").code == 0
    assert not [path for path, _ in server.requests if "kueue" in path]
    queued["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    message = "LocalQueue team doesn't exist"
    owner = {"kind": "Job", "name": "train", "uid": queued["metadata"]["uid"], "controller": True}
    reserved = {"type": "QuotaReserved", "status": "False", "message": message}
    reserved["lastTransitionTime"] = write_time(hour() - 3 * HOUR)
    workload = {
        "metadata": {"name": "job-train", "namespace": "batch", "ownerReferences": [owner]},
        "spec": {"queueName": "team"},
        "status": {"conditions": [reserved]},
    }

    def kueue(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        if path == "/apis/kueue.x-k8s.io/v1beta1/namespaces/batch/workloads":
            return 200, {"metadata": {}, "items": [workload]}
        return None

    assert health("-A").code == 0  # without Kueue
    server.faults = [kueue]
    done = health("-A")
    assert done.code == 1
    assert "for LocalQueue team, which does not exist [Stuck]" in done.out
