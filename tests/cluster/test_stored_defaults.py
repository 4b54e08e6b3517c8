"""Defaults of a new policy in stored objects: planned, applied beside a GitOps client, killed, in conflict."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.bed import TestBed
from cluster.test_reconcile import Reconciler, running, until
from cluster.test_reconciled_policies import items, policy, version, write
from jobsworth.client.api_interface import APPLY
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.client.rest_config import Target, rest_config
from jobsworth.client.transport import Client

Object = dict[str, Any]
JOBS, CRON_JOBS, KILLS = 300, 60, 12
LIMITS = ("--sync-period", "5s")


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    """A cluster without a Job controller."""
    with bed_or_skip(controllers="garbage-collector-controller") as bed:
        yield bed


class GitOps:
    """A client that applies its manifests again and again, as Argo CD and Flux do."""

    def __init__(self, bed: TestBed, manifests: list[Object], stack: ExitStack) -> None:
        config = stack.enter_context(rest_config(Target(str(bed.kubeconfig), None)))
        self._api = Client(config, user_agent="gitops", limit=TokenBucket(0, 1), connections=8)
        self._manifests = manifests

    def apply(self) -> None:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(self._apply_one, self._manifests))

    def _apply_one(self, each: Object) -> None:
        resource = "cronjobs" if each["kind"] == "CronJob" else "jobs"
        meta = each["metadata"]
        path = f"/apis/batch/v1/namespaces/{meta['namespace']}/{resource}/{meta['name']}"
        query = {"fieldManager": "gitops", "force": "true"}
        self._api.request("PATCH", path, each, query=query, content_type=APPLY)


def manifests(namespace: str) -> list[Object]:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
    spec: Object = {"template": {"spec": pod}}
    jobs = [
        {"kind": "Job", "metadata": {"name": f"job-{number}"}, "spec": {**spec, "suspend": True}}
        for number in range(JOBS)
    ]
    cron_jobs = [
        {
            "kind": "CronJob",
            "metadata": {"name": f"cron-{number}"},
            "spec": {"schedule": "0 4 * * *", "jobTemplate": {"spec": spec}},
        }
        for number in range(CRON_JOBS)
    ]
    return [
        {"apiVersion": "batch/v1", **each, "metadata": {**each["metadata"], "namespace": namespace}}
        for each in (*cron_jobs, *jobs)
    ]


def new_policy(ttl: int) -> Object:
    value = {
        "ttlSecondsAfterFinished": {"value": ttl, "when": "ifUnset"},
        "activeDeadlineSeconds": {"value": ttl, "when": "ifUnset"},
    }
    return policy("cleanup", reconcile="apply", defaults=value)


def objects(bed: TestBed, namespace: str) -> list[Object]:
    batch = f"/apis/batch/v1/namespaces/{namespace}"
    return [*items(bed, f"{batch}/cronjobs"), *items(bed, f"{batch}/jobs")]


def values(bed: TestBed, namespace: str) -> Counter[tuple[Any, Any]]:
    found: Counter[tuple[Any, Any]] = Counter()
    for each in objects(bed, namespace):
        spec = each["spec"]
        spec = spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec
        found[spec.get("ttlSecondsAfterFinished"), spec.get("activeDeadlineSeconds")] += 1
    return found


def generations(bed: TestBed, namespace: str) -> Counter[int]:
    return Counter(each["metadata"]["generation"] for each in objects(bed, namespace))


def applied(bed: TestBed, namespace: str) -> set[str]:
    """Return the UIDs of the objects of which an Event says that they have been changed."""
    events = items(bed, f"/api/v1/namespaces/{namespace}/events")
    return {each["involvedObject"]["uid"] for each in events if each["reason"] == "PolicyApplied"}


def changed(bed: TestBed, namespace: str) -> set[str]:
    """Return the UIDs of the objects that have been changed."""
    return {
        each["metadata"]["uid"]
        for each in objects(bed, namespace)
        if each["metadata"]["generation"] > 1
    }


def planned(bed: TestBed, namespace: str, folder: Path) -> list[str]:
    command = [sys.executable, "-m", "jobsworth", "reconcile", "--kubeconfig", str(bed.kubeconfig)]
    command += ["--namespace", namespace, "--plan", "--policy", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_a_new_policy_reaches_what_is_stored_once_and_no_gitops_client_sees_it(
    bed: TestBed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    total = JOBS + CRON_JOBS
    namespace = bed.namespace()
    policies = ("--policy", str(tmp_path), "--namespace", namespace)
    with ExitStack() as stack:
        client = GitOps(bed, manifests(namespace), stack)
        client.apply()
        write(tmp_path, new_policy(3600))
        before = time.monotonic()
        lines = planned(bed, namespace, tmp_path)
        plan_seconds = time.monotonic() - before
        assert len(lines) == total
        assert "ttlSecondsAfterFinished: unset → 3600 (policy cleanup)" in lines[0]
        assert generations(bed, namespace) == {1: total}
        rng = random.Random(7)
        for _ in range(KILLS):
            killed = Reconciler(bed, *policies, "--defaults-qps", "40")
            try:
                until(killed.at_work)
            except AssertionError:
                pytest.fail(killed.log())
            time.sleep(1.0 + rng.random() * 0.6)  # the first second passes before any change
            os.kill(killed.process.pid, signal.SIGKILL)
            killed.process.wait()
            said = applied(bed, namespace)
            assert set(values(bed, namespace)) <= {(None, None), (3600, 3600)}
            assert said <= changed(bed, namespace)
        after_kills = values(bed, namespace)
        assert 0 < after_kills[3600, 3600] < total
        with running(bed, *policies, *LIMITS, "--defaults-qps", "0") as reconciler:
            until(lambda: values(bed, namespace) == {(3600, 3600): total}, 300)
            assert generations(bed, namespace) == {2: total}
            events = items(bed, f"/api/v1/namespaces/{namespace}/events")
            assert {each["reason"] for each in events} == {"PolicyApplied"}
            # A process that is killed between the change and its Event loses that Event.
            assert total - KILLS <= len(events) == len(applied(bed, namespace))
            for _ in range(3):
                client.apply()
                time.sleep(5)
            assert values(bed, namespace) == {(3600, 3600): total}
            assert generations(bed, namespace) == {2: total}
            with bed.calls() as calls:
                before = time.monotonic()
                write(tmp_path, new_policy(7200))
                until(lambda: values(bed, namespace) == {(7200, 7200): total}, 300)
                seconds = time.monotonic() - before
            counted = calls.count("jobsworth-job-controller", namespace)
            assert "internal error" not in reconciler.log()
        assert planned(bed, namespace, tmp_path) == []
    assert counted["patch", "cronjobs"] == 2 * CRON_JOBS
    assert counted["patch", "jobs"] == 2 * JOBS
    with capsys.disabled():
        print(f"\nplan {plan_seconds:.1f} s; apply {seconds:.1f} s; calls {dict(counted)}")
        print(f"after {KILLS} kills: {dict(after_kills)}; {len(events)} Events")


def test_a_client_that_applies_with_kubectl_sees_no_difference_and_flips_no_field(
    bed: TestBed, tmp_path: Path
) -> None:
    namespace = bed.namespace()
    own, some = manifests(namespace)[::40], manifests(namespace)[20::40]
    for each in own:  # of two fields with defaults, the client's manifests set one
        job = each["spec"]["jobTemplate"] if each["kind"] == "CronJob" else each
        job["spec"] = {**job["spec"], "activeDeadlineSeconds": 60}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*own, *some]})

    def kubectl(verb: str) -> str:
        return bed.kubectl(verb, "-f", "-", input=text).stdout

    kubectl("apply")
    write(tmp_path, new_policy(3600))
    arguments = ("--policy", str(tmp_path), "--namespace", namespace, "--defaults-qps", "0")
    expected = {(3600, 60): len(own), (3600, 3600): len(some)}
    with running(bed, *arguments, "--sync-period", "1s"):
        until(lambda: values(bed, namespace) == expected)
        versions = {version(each) for each in objects(bed, namespace)}
        for _ in range(3):
            assert kubectl("diff") == ""
            told = kubectl("apply").splitlines()
            assert {line.split()[-1] for line in told} == {"unchanged"}
            time.sleep(2)
        assert values(bed, namespace) == expected
        assert generations(bed, namespace) == {2: len(own) + len(some)}
        assert {version(each) for each in objects(bed, namespace)} == versions
    assert planned(bed, namespace, tmp_path) == []


def test_a_field_of_another_manager_is_reported_and_not_forced(
    bed: TestBed, tmp_path: Path
) -> None:
    namespace = bed.namespace()
    job = manifests(namespace)[-1]
    job["spec"]["backoffLimit"] = 6
    bed.create(job, namespace)
    limit = {"backoffLimit": {"value": 3, "when": "always"}}
    write(tmp_path, policy("retries", reconcile="apply", defaults=limit))
    arguments = ("--policy", str(tmp_path), "--namespace", namespace)
    events = f"/api/v1/namespaces/{namespace}/events"
    with running(bed, *arguments):
        until(lambda: items(bed, events))
    (event,) = items(bed, events)
    assert event["reason"] == "PolicyNotApplied"
    assert "spec.backoffLimit: 6 → 3 (policy retries)" in event["message"]
    assert "conflict" in event["message"]
    assert objects(bed, namespace)[0]["spec"]["backoffLimit"] == 6


def test_a_dry_run_shows_the_differences_and_changes_nothing(bed: TestBed, tmp_path: Path) -> None:
    namespace = bed.namespace()
    bed.create(manifests(namespace)[0], namespace)
    write(tmp_path, new_policy(3600))
    arguments = ("--policy", str(tmp_path), "--namespace", namespace, "--dry-run")
    events = f"/api/v1/namespaces/{namespace}/events"
    with running(bed, *arguments):
        until(lambda: items(bed, events))
    (event,) = items(bed, events)
    assert (event["reason"], event["involvedObject"]["kind"]) == ("PolicyPlanned", "CronJob")
    assert "spec.jobTemplate.spec.ttlSecondsAfterFinished: unset → 3600" in event["message"]
    assert generations(bed, namespace) == {1: 1}
