"""Webhook, audit and controller on one policy engine: Jobs that get past an absent webhook, on a real cluster."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.bed import TestBed, free_ports
from cluster.test_reconcile import MANAGER, running, until
from jobsworth.policy.admitted_jobs import HELD_BY, HELD_BY_POLICIES, held_by

Object = dict[str, Any]


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    """A cluster whose Pods run."""
    with bed_or_skip(controllers="garbage-collector-controller", kubelet=True) as bed:
        yield bed


def policy(name: str, **spec: Any) -> Object:
    return {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": name},
        "spec": spec,
    }


def write(folder: Path, *documents: Object) -> None:
    (folder / "policies.yaml").write_text(yaml.safe_dump_all(documents), encoding="utf-8")


def violating(name: str, **labels: str) -> Object:
    """A Job of ours without a deadline and with too many retries."""
    pod = {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "busybox:1.36"}],
        "terminationGracePeriodSeconds": 1,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": labels},
        "spec": {"managedBy": MANAGER, "backoffLimit": 9, "template": {"spec": pod}},
    }


def register_absent_webhook(bed: TestBed) -> None:
    (port,) = free_ports(1)
    webhook = {
        "name": "validate.jobsworth.dev",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {
            "url": f"https://127.0.0.1:{port}/validate",
            "caBundle": base64.b64encode(bed.ca.certificate).decode(),
        },
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "timeoutSeconds": 1,
        "rules": [
            {
                "apiGroups": ["batch"],
                "apiVersions": ["v1"],
                "operations": ["CREATE", "UPDATE"],
                "resources": ["jobs", "cronjobs"],
            }
        ],
    }
    bed.create(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "absent"},
            "webhooks": [webhook],
        }
    )


def items(bed: TestBed, path: str) -> list[Object]:
    found: list[Object] = bed.get(path)["items"]
    return found


def version(obj: Object) -> int:
    return int(obj["metadata"]["resourceVersion"])


def first_versions(bed: TestBed, pods: str, start: str) -> dict[str, int]:
    """Return the resourceVersion of the first Pod of each Job at its creation, by the Job's name."""
    found: dict[str, int] = {}
    watch = f"{pods}?watch=1&resourceVersion={start}&timeoutSeconds=1"
    for line in bed.kubectl("get", "--raw", watch).stdout.splitlines():
        change = json.loads(line)
        if change["type"] == "ADDED":
            pod = change["object"]
            found.setdefault(pod["metadata"]["labels"]["job-name"], version(pod))
    return found


def test_a_job_that_gets_past_an_absent_webhook_has_its_event_before_a_pod(
    bed: TestBed, tmp_path: Path
) -> None:
    limit = {"backoffLimit": {"maximum": 3}}
    write(
        tmp_path,
        policy("retries", limits=limit),
        policy(
            "held",
            limits=limit,
            onAdmitted="suspend",
            match=[{"objectSelector": {"matchLabels": {"tier": "held"}}}],
        ),
    )
    register_absent_webhook(bed)
    namespace = bed.namespace()
    jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    events = f"/api/v1/namespaces/{namespace}/events"
    pods = f"/api/v1/namespaces/{namespace}/pods"
    start = bed.get(pods)["metadata"]["resourceVersion"]
    held = [f"job-{number}" for number in (8, 9)]
    with running(bed, "--policy", str(tmp_path)) as reconciler:
        for number in range(10):
            name = f"job-{number}"
            labels = {"tier": "held"} if name in held else {}
            bed.create(violating(name, **labels), namespace)
        until(lambda: len(items(bed, pods)) == 8)
        until(lambda: all(bed.get(f"{jobs}/{name}")["spec"]["suspend"] for name in held))
        time.sleep(2)
        created = first_versions(bed, pods, start)
        assert len(created) == 8
        assert not set(held) & set(created)
        reported = {
            event["involvedObject"]["name"]: event
            for event in items(bed, events)
            if event["reason"] == "PolicyViolation"
        }
        assert len(reported) == 10
        for name, event in reported.items():
            assert re.search(r"JobPolicy \w+.*: spec.backoffLimit: .* \[JP", event["message"])
            if name in created:
                assert version(event) < created[name]
        for name in held:
            job = bed.get(f"{jobs}/{name}")
            assert job["metadata"]["annotations"][HELD_BY] == "held"
            assert held_by(job) == ("held",)
        assert 'policy_holds_total{action="suspended",policy="held"} 2.0' in reconciler.metrics()
        for name in held:
            patch = json.dumps({"spec": {"backoffLimit": 1}})
            bed.kubectl("patch", "job", name, "-n", namespace, "--type=merge", "-p", patch)
        until(lambda: len(items(bed, pods)) == 10)
        until(
            lambda: all(
                any(one["type"] == "Complete" for one in job["status"].get("conditions") or ())
                for job in items(bed, jobs)
            )
        )


def test_a_policy_that_appears_reports_started_jobs_and_stops_none(
    bed: TestBed, tmp_path: Path
) -> None:
    write(tmp_path, policy("other", limits={"parallelism": {"maximum": 500}}))
    namespace = bed.namespace()
    job = violating("long")
    job["spec"]["template"]["metadata"] = {"annotations": {"bed/exit-code": "never"}}
    with running(bed, "--policy", str(tmp_path)):
        bed.create(job, namespace)
        pods = f"/api/v1/namespaces/{namespace}/pods"
        until(lambda: len(items(bed, pods)) == 1)
        limit = {"backoffLimit": {"maximum": 3}}
        write(tmp_path, policy("retries", limits=limit, onAdmitted="suspend"))

        def reported() -> list[str]:
            return [
                event["message"]
                for event in items(bed, f"/api/v1/namespaces/{namespace}/events")
                if event["reason"] == "PolicyViolation"
            ]

        until(reported)
        assert reported()[0].startswith("Not stopped because it has started")
        assert (
            bed.get(f"/apis/batch/v1/namespaces/{namespace}/jobs/long")["spec"]["suspend"] is False
        )
        assert len(items(bed, pods)) == 1


def test_what_a_client_writes_into_a_new_job_resumes_none_and_hinders_no_hold(
    bed: TestBed, tmp_path: Path
) -> None:
    write(
        tmp_path, policy("retries", limits={"backoffLimit": {"maximum": 3}}, onAdmitted="suspend")
    )
    namespace = bed.namespace()
    jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    suspended, denied = violating("suspended"), violating("denied")
    suspended["spec"] |= {"suspend": True, "backoffLimit": 1}
    condition = {"type": HELD_BY_POLICIES, "status": "True", "message": "retries"}
    for job in (suspended, denied):
        job["metadata"]["annotations"] = {HELD_BY: "forged", "team": "x"}
        job["status"] = {"conditions": [condition]}
    with running(bed, "--policy", str(tmp_path)):
        for job in (suspended, denied):
            bed.create(job, namespace)
        until(lambda: bed.get(f"{jobs}/denied")["spec"]["suspend"])
        until(lambda: held_by(bed.get(f"{jobs}/denied")) == ("retries",))
        annotations = bed.get(f"{jobs}/denied")["metadata"]["annotations"]
        assert annotations == {HELD_BY: "retries", "team": "x"}
        patch = json.dumps({"spec": {"backoffLimit": 1}})
        bed.kubectl("patch", "job", "denied", "-n", namespace, "--type=merge", "-p", patch)
        until(lambda: bed.get(f"{jobs}/denied")["status"].get("succeeded") == 1)
        job = bed.get(f"{jobs}/denied")
        assert job["metadata"]["annotations"] == {"team": "x"}
        assert held_by(job) == ()
        assert bed.get(f"{jobs}/suspended")["spec"]["suspend"] is True
    with running(bed):  # without policies, every Job that was held is resumed
        time.sleep(3)
        job = bed.get(f"{jobs}/suspended")
        assert job["spec"]["suspend"] is True
        assert job["metadata"]["annotations"] == {HELD_BY: "forged", "team": "x"}
        assert len(items(bed, f"/api/v1/namespaces/{namespace}/pods")) == 1
