"""Webhook, audit and controller find the same in the same objects, each by the way that it has in a cluster."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.bed import TestBed
from cluster.small_jobs import CRON_JOBS, JOBS
from cluster.test_reconciled_policies import items, policy, violating, write
from jobsworth.api.api_server import ApiServer
from jobsworth.controller.settings import ControllerSettings
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.files.policies.policy_files import load_policies
from jobsworth.policy.violation import EFFECTS
from jobsworth.reconciler.events import EventSink
from jobsworth.reconciler.informers import stored
from jobsworth.reconciler.policy_review import ActivePolicies, PolicyReview
from support.admission.registered_webhook import registered_webhook
from support.admission.running_webhook import Client, Serving, serving

Object = dict[str, Any]
Findings = dict[tuple[str, str], str]
"""The violations as text, by policy and effect."""
OBJECTS = 2000
THREADS = 8
PATHS = {"Job": JOBS, "CronJob": CRON_JOBS}
POLICIES = (
    policy(
        "limits",
        limits={
            "backoffLimit": {"maximum": 2},
            "parallelism": {"maximum": 3},
            "activeDeadlineSeconds": {"required": True, "maximum": 3600},
        },
    ),
    policy("rules", enforcement="warn", rules={"default": "warn"}),
    policy("recorded", enforcement="audit", limits={"ttlSecondsAfterFinished": {"required": True}}),
)


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    """A cluster without controllers of Jobs."""
    with bed_or_skip() as bed:
        yield bed


def varied(seed: int) -> Object:
    """A valid Job, or each fifth a CronJob, with a random choice of fields."""
    rng = random.Random(seed)
    made = violating(f"job-{seed}", **({"team": "a"} if rng.random() < 0.5 else {}))
    spec, pod = made["spec"], made["spec"]["template"]["spec"]
    spec["suspend"] = True
    if rng.random() < 0.5:
        del spec["managedBy"]
    spec["backoffLimit"] = rng.choice([0, 1, 3, 6, 9])
    choices: Object = {
        "parallelism": rng.choice([1, 2, 5, 50]),
        "completions": rng.choice([1, 5, 50]),
        "activeDeadlineSeconds": rng.choice([60, 3600, 86400]),
        "ttlSecondsAfterFinished": rng.choice([0, 60, 604800]),
        "podReplacementPolicy": "Failed",
    }
    spec |= {name: value for name, value in choices.items() if rng.random() < 0.5}
    if "completions" in spec and rng.random() < 0.5:
        spec |= {"completionMode": "Indexed", "backoffLimitPerIndex": rng.choice([0, 2])}
    if rng.random() < 0.4:
        codes = {"operator": "In", "values": sorted({rng.choice([1, 42, 137]), 143})}
        spec["podFailurePolicy"] = {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
        spec["podReplacementPolicy"] = "Failed"
    elif rng.random() < 0.5 and "backoffLimitPerIndex" not in spec:
        pod["restartPolicy"] = "OnFailure"
    if rng.random() < 0.5:
        pod["containers"][0]["resources"] = {"requests": {"cpu": "1", "memory": "400m"}}
    if rng.random() < 0.3:
        pod["containers"][0]["image"] = "busybox"
    if seed % 5:
        return made
    del spec["suspend"]
    cron = {"schedule": "0 4 * * *", "suspend": True, "jobTemplate": {"spec": spec}}
    return {**made, "kind": "CronJob", "spec": cron}


def key(obj: Object) -> tuple[str, str]:
    return obj["kind"], obj["metadata"]["name"]


def create(bed: TestBed, namespace: str) -> None:
    def create_one(seed: int) -> None:
        made = varied(seed)
        answer = bed.request("POST", PATHS[made["kind"]].format(namespace), made)
        assert answer.code == 201, answer.body

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(create_one, range(OBJECTS)))


def by_webhook(server: Serving, requests: Iterable[Object]) -> dict[tuple[str, str], Findings]:
    """Send the API server's own requests to a webhook over TLS; return what its answers record."""
    here = threading.local()

    def review(request: Object) -> tuple[tuple[str, str], Findings]:
        if not hasattr(here, "client"):
            here.client = Client(server)
        version = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
        body = json.dumps({**version, "request": request}).encode()
        status, answer = here.client.post("validate", body)
        assert status == 200
        response = json.loads(answer)["response"]
        found: Findings = {}
        for name, text in response["auditAnnotations"].items():
            effect = text.partition(": ")[0]
            found[name, effect] = text.removeprefix(f"{effect}: ").replace(f"; {effect}: ", "; ")
        denied = any(effect == "deny" for _, effect in found)
        assert response["allowed"] is not denied
        assert bool(response.get("warnings")) == any(effect == "warn" for _, effect in found)
        return (request["kind"]["kind"], request["name"]), found

    with ThreadPoolExecutor(THREADS) as pool:
        return dict(pool.map(review, requests))


def by_audit(bed: TestBed, namespace: str, folder: Path) -> dict[tuple[str, str], Findings]:
    command = [sys.executable, "-m", "jobsworth", "audit", "--kubeconfig", str(bed.kubeconfig)]
    command += ["-n", namespace, "--isolated", "--include-finished", "--info", "-o", "json"]
    command += ["--policy", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    effects = dict(zip(("info", "warning", "error"), EFFECTS, strict=True))
    found: dict[tuple[str, str], Findings] = {}
    for result in json.loads(done.stdout)["results"]:
        texts: dict[tuple[str, str], list[str]] = {}
        for each in result["findings"]:
            if each["source"] == "policy":
                message = each["message"].removesuffix(f" (policy {each['policy']})")
                text = f"{each['field']}: {message} [{each['code']}] {each.get('hint') or ''}"
                texts.setdefault((each["policy"], effects[each["severity"]]), []).append(
                    text.rstrip()
                )
        found[result["kind"], result["name"]] = {
            which: "; ".join(some) for which, some in texts.items()
        }
    return found


def by_controller(
    bed: TestBed, jobs: Iterable[Object], folder: Path
) -> dict[tuple[str, str], Findings]:
    policies = load_policies([str(folder)])
    admitted = PolicyReview(EventSink())
    evaluator = Evaluator(ApiServer(bed.release), policies=policies, api=False, lint=False)
    admitted.activate(ActivePolicies(evaluator))
    found = {}
    for job in jobs:
        cached = stored(job, ControllerSettings())
        reports = admitted.review(cached, started=False).reports
        found[key(job)] = {(one.policy, str(one.effect)): one.text for one in reports}
    return found


def test_webhook_audit_and_controller_find_the_same_in_stored_objects(
    bed: TestBed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policies = tmp_path / "policies"
    policies.mkdir()
    write(policies, *POLICIES)
    with registered_webhook(bed, "recorder") as recorder:
        namespace = recorder.namespace("many")
        create(bed, namespace)
        requests = [each for each in recorder.reviews if each.pop("endpoint") == "validate"]
    assert len(requests) == OBJECTS
    options = ("--policy", str(policies), "--api-verdict", "off", "--log", "denials")
    with serving(tmp_path / "webhook", *options) as server:
        reviewed = by_webhook(server, requests)
    audited = by_audit(bed, namespace, policies)
    jobs = items(bed, JOBS.format(namespace))
    for job in jobs:
        job.update(apiVersion="batch/v1", kind="Job")
    controlled = by_controller(bed, jobs, policies)
    kinds = Counter(kind for kind, _ in audited)
    violations = Counter(which for found in audited.values() for which in found)
    with capsys.disabled():
        print(f"\n{dict(kinds)}; objects by policy and effect: {dict(violations)}")
    assert kinds == {"Job": OBJECTS * 4 // 5, "CronJob": OBJECTS // 5}
    assert len(violations) == len(POLICIES)
    assert min(violations.values()) > OBJECTS // 10
    differing = {
        which: (reviewed[which], found)
        for which, found in audited.items()
        if reviewed[which] != found
    }
    assert differing == {}
    # The controller evaluates Jobs, not CronJobs.
    assert controlled == {which: found for which, found in audited.items() if which[0] == "Job"}
