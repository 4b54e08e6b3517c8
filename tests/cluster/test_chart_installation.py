"""The installed chart: what users of Jobs see, and what the cluster's own controllers never notice."""

from __future__ import annotations

import base64
import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import CHART, NAME, Installation, wait_for
from cluster.programs import NEWEST
from cluster.small_jobs import CRON_JOBS, JOBS, cron_job, job

if TYPE_CHECKING:
    from cluster.bed import TestBed

POLICIES: dict[str, Any] = {
    "retries": {
        "match": [{"namespaces": ["team-*"]}],
        "limits": {"backoffLimit": {"maximum": 3}},
        "immutable": [{"field": "podReplacementPolicy"}],
    },
    "clean-up": {
        "match": [{"namespaces": ["team-*"]}],
        "defaults": {"ttlSecondsAfterFinished": {"value": 3600, "when": "ifUnset"}},
    },
    "deadline": {
        "match": [{"namespaces": ["team-*"]}],
        "enforcement": "warn",
        "limits": {"activeDeadlineSeconds": {"required": True}},
    },
    "small-in-production": {
        "match": [{"namespaceSelector": {"matchLabels": {"tier": "production"}}}],
        "limits": {"parallelism": {"maximum": 2}},
    },
}
EXEMPT_USER = "deployer"
VALUES: dict[str, Any] = {
    "policies": POLICIES,
    "webhook": {
        "workers": 1,
        "drainSeconds": 0,
        "exemptUsers": [EXEMPT_USER],
        "namespaceLabels": True,
    },
    "certificates": {"selfManaged": {"interval": "1s"}},
}


@pytest.fixture(scope="module")
def running() -> Iterator[TestBed]:
    controllers = "job-controller,cronjob-controller,garbage-collector-controller"
    # As in a cluster, each controller has an account of its own.
    accounts = ("--use-service-account-credentials=true",)
    options = {"controllers": controllers, "controller_flags": accounts}
    with bed_or_skip(NEWEST, kubelet=True, **options) as bed:
        yield bed


@pytest.fixture(scope="module")
def it(running: TestBed) -> Iterator[Installation]:
    with Installation(running, VALUES) as installation:
        yield installation


@pytest.fixture
def team(running: TestBed) -> str:
    return running.namespace("team")


def test_the_ca_is_in_every_bundle_and_in_the_files(it: Installation) -> None:
    bundles = set(it.bundles().values())
    assert len(bundles) == 1
    assert base64.b64decode(bundles.pop()) == (it.tls / "ca.crt").read_bytes()


def test_the_script_of_helm_test_gets_answers(it: Installation) -> None:
    script = (CHART / "files" / "ask_webhook.py").read_text()
    env = {
        "WEBHOOK": f"https://127.0.0.1:{it.port}",
        "PATHS": "/mutate /validate",
        "CA": (it.tls / "ca.crt").read_text(),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout.count("allowed: True") == 2, done.stderr


def test_a_denied_job_has_the_policys_causes(it: Installation, team: str) -> None:
    answer = it.bed.request("POST", JOBS.format(team), job(backoffLimit=9))
    assert answer.code == 403
    (cause,) = answer.body["details"]["causes"]
    assert cause["field"] == "spec.backoffLimit"
    assert "must be less than or equal to 3" in cause["message"]
    assert "validate.jobsworth.dev" in answer.body["message"]


def test_kubectl_shows_the_denial_and_the_warning(it: Installation, team: str) -> None:
    denied = it.bed.kubectl(
        "create", "-n", team, "-f", "-", input=json.dumps(job(backoffLimit=9)), check=False
    )
    assert denied.returncode == 1
    assert "spec.backoffLimit" in denied.stderr
    warned = it.bed.kubectl(
        "create", "-n", team, "-f", "-", input=json.dumps(job(activeDeadlineSeconds=None))
    )
    assert "Warning: " in warned.stderr
    assert "activeDeadlineSeconds" in warned.stderr


def test_kubectl_prints_what_the_notes_promise(it: Installation) -> None:
    notes = it.bed.helm("get", "notes", NAME, "--namespace", it.namespace).stdout.splitlines()
    (proposed,) = (line for line in notes if "--dry-run=server" in line)
    printed = it.bed.kubectl(*shlex.split(proposed)[1:])
    begin = notes.index("It prints:") + 2
    promised = notes[begin : begin + 2]
    assert [f"  {line}" for line in (printed.stderr + printed.stdout).splitlines()] == promised


def test_a_created_job_has_the_defaults_and_keeps_its_own(it: Installation, team: str) -> None:
    made = it.bed.create(job("unset"), team)
    assert made["spec"]["ttlSecondsAfterFinished"] == 3600
    made = it.bed.create(job("set", ttlSecondsAfterFinished=5), team)
    assert made["spec"]["ttlSecondsAfterFinished"] == 5


def test_immutable_fields_do_not_change(it: Installation, team: str) -> None:
    it.bed.create(job(suspend=True), team)
    path = f"{JOBS.format(team)}/example"
    patch = {"spec": {"podReplacementPolicy": "Failed"}}
    answer = it.bed.request("PATCH", path, patch, content_type="application/merge-patch+json")
    assert answer.code == 403
    assert "podReplacementPolicy" in answer.body["message"]
    patch = {"spec": {"parallelism": 0}}
    answer = it.bed.request("PATCH", path, patch, content_type="application/merge-patch+json")
    assert answer.code == 200


def test_a_namespace_is_chosen_by_its_labels(it: Installation) -> None:
    production, playground = it.bed.namespace("production"), it.bed.namespace("playground")
    it.bed.kubectl("label", "namespace", production, "tier=production")
    it.bed.create(job(parallelism=3), playground)
    answer = it.bed.request("POST", JOBS.format(production), job(parallelism=3))
    assert answer.code == 403
    assert "spec.parallelism" in answer.body["message"]
    it.bed.create(job(parallelism=2), production)


def test_a_cron_job_is_validated_by_the_jobs_that_it_would_create(
    it: Installation, team: str
) -> None:
    answer = it.bed.request("POST", CRON_JOBS.format(team), cron_job(backoffLimit=9))
    assert answer.code == 403
    (cause,) = answer.body["details"]["causes"]
    assert cause["field"] == "spec.jobTemplate.spec.backoffLimit"


def test_a_dry_run_is_validated_and_stores_nothing(it: Installation, team: str) -> None:
    answer = it.bed.request("POST", f"{JOBS.format(team)}?dryRun=All", job(backoffLimit=9))
    assert answer.code == 403
    answer = it.bed.request("POST", f"{JOBS.format(team)}?dryRun=All", job())
    assert answer.code == 201
    assert answer.body["spec"]["ttlSecondsAfterFinished"] == 3600
    assert it.bed.get(JOBS.format(team))["items"] == []


def test_server_side_apply_is_validated_on_create_and_on_update(
    it: Installation, team: str
) -> None:
    def apply(thing: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        return it.bed.kubectl(
            "apply", "--server-side", "-n", team, "-f", "-", input=json.dumps(thing), check=False
        )

    assert "spec.backoffLimit" in apply(job(suspend=True, backoffLimit=9)).stderr
    assert apply(job(suspend=True)).returncode == 0
    assert apply(job(suspend=True)).returncode == 0  # what we filled in is not a conflict
    assert "spec.backoffLimit" in apply(job(suspend=True, backoffLimit=9)).stderr
    stored = it.bed.get(f"{JOBS.format(team)}/example")["spec"]
    assert (stored["backoffLimit"], stored["ttlSecondsAfterFinished"]) == (2, 3600)


def test_the_python_client_gets_the_denial_as_well(it: Installation, team: str) -> None:
    from kubernetes.client import BatchV1Api
    from kubernetes.client.exceptions import ApiException

    batch = BatchV1Api(it.bed.client())
    with pytest.raises(ApiException) as rejected:
        batch.create_namespaced_job(team, job(backoffLimit=9))
    assert rejected.value.status == 403
    assert batch.create_namespaced_job(team, job()).spec.ttl_seconds_after_finished == 3600


def test_job_status_updates_never_reach_the_webhook(it: Installation, team: str) -> None:
    with it.bed.calls() as calls:
        it.bed.create(job("plain"), team)
        path = f"{JOBS.format(team)}/plain"
        wait_for(lambda: "completionTime" in it.bed.get(path)["status"], "the Job to complete")
    assert calls.count(user_agent="job-controller")[("update", "jobs/status")] > 0
    requested = [line for line in it.lines() if line.get("namespace") == team]
    assert {(line["operation"], line["user"]) for line in requested} == {("CREATE", "admin")}


def test_a_job_that_the_cron_job_controller_makes_gets_defaults_and_completes(
    it: Installation, team: str
) -> None:
    it.bed.create(cron_job(), team)
    path = JOBS.format(team)

    def completed() -> bool:
        return any("completionTime" in each["status"] for each in it.bed.get(path)["items"])

    wait_for(completed, "a minute to pass", seconds=90)
    made = it.bed.get(path)["items"][0]
    assert made["metadata"]["ownerReferences"][0]["kind"] == "CronJob"
    assert made["spec"]["ttlSecondsAfterFinished"] == 3600
    pods = it.bed.get(f"/api/v1/namespaces/{team}/pods")["items"]
    assert [pod["metadata"].get("finalizers") for pod in pods] == [None] * len(pods)
    requested = {
        (line["operation"], line["kind"], line["user"])
        for line in it.lines()
        if line.get("namespace") == team
    }
    assert requested == {
        ("CREATE", "CronJob", "admin"),
        ("CREATE", "Job", "system:serviceaccount:kube-system:cronjob-controller"),
    }


def test_changes_of_finalizers_and_owners_never_reach_the_webhook(
    it: Installation, team: str
) -> None:
    it.bed.create(job(suspend=True), team)
    before = len(it.lines())
    patch = {"metadata": {"finalizers": ["example.com/held"]}}
    for finalizers in (["example.com/held"], []):
        patch = {"metadata": {"finalizers": finalizers}}
        path = f"{JOBS.format(team)}/example"
        answer = it.bed.request("PATCH", path, patch, content_type="application/merge-patch+json")
        assert answer.code == 200
    assert len(it.lines()) == before


def test_exempt_namespaces_and_users_are_not_validated(it: Installation, team: str) -> None:
    before = len(it.lines())
    for namespace in (it.namespace, "kube-system"):
        assert it.bed.request("POST", JOBS.format(namespace), job(backoffLimit=9)).code == 201
    deployer = it.bed.user(EXEMPT_USER, "system:masters")
    options = ("create", "-n", team, "-f", "-")
    it.bed.kubectl(*options, input=json.dumps(job(backoffLimit=9)), kubeconfig=deployer)
    assert len(it.lines()) == before


def test_an_edited_policy_holds_without_a_restart_and_bundles_stay(
    it: Installation, team: str
) -> None:
    before = it.bundles()
    stricter = {
        **POLICIES,
        "retries": {**POLICIES["retries"], "limits": {"backoffLimit": {"maximum": 1}}},
    }
    it.upgrade({**VALUES, "policies": stricter})
    assert it.bundles() == before
    path = f"{JOBS.format(team)}?dryRun=All"
    try:
        wait_for(lambda: it.bed.request("POST", path, job()).code == 403, "the policy to hold")
    finally:
        it.upgrade(VALUES)
    wait_for(lambda: it.bed.request("POST", path, job()).code == 201, "the policy to hold no more")
    assert it.processes["webhook"].running
    assert it.bundles() == before


def test_edits_of_the_webhook_configuration_are_undone(it: Installation, team: str) -> None:
    before = it.bundles()
    patch = json.dumps(
        {"webhooks": [{"name": "validate.jobsworth.dev", "clientConfig": {"caBundle": ""}}]}
    )
    it.bed.kubectl("patch", "validatingwebhookconfiguration", NAME, "-p", patch)
    wait_for(lambda: it.bundles() == before, "the bundle to be repaired")
    it.bed.kubectl("delete", "secret", f"{NAME}-certificates", "-n", it.namespace)
    path = f"/api/v1/namespaces/{it.namespace}/secrets/{NAME}-certificates"
    wait_for(
        lambda: "tls.key" in (it.bed.request("GET", path).body.get("data") or {}),
        "the Secret to be made again",
    )
    wait_for(lambda: it.bundles() != before, "the new CA to be published")
    assert it.bed.request("POST", JOBS.format(team), job(backoffLimit=9)).code == 403


def test_without_the_webhook_the_failure_policies_hold(it: Installation, team: str) -> None:
    it.wait_until_required()
    it.signal("webhook", signal.SIGKILL)
    try:
        path = JOBS.format(team)
        rejected = it.bed.request("POST", path, job("refused"))
        assert rejected.code == 500
        assert "failed calling webhook" in rejected.body["message"]
        assert 'webhook "validate' in rejected.body["message"]
        assert it.bed.request("POST", JOBS.format(it.namespace), job("own")).code == 201
        assert it.bed.request("POST", JOBS.format("kube-system"), job("own")).code == 201
        webhook = {**VALUES["webhook"], "validating": {"failurePolicy": "Ignore"}}
        it.upgrade({**VALUES, "webhook": webhook})
        wait_for(lambda: it.bed.request("POST", path, job()).code == 201, "the policy to be known")
        stored = it.bed.get(f"{path}/example")["spec"]
        assert "ttlSecondsAfterFinished" not in stored
    finally:
        it.upgrade(VALUES)
        it.start("webhook")
        it.wait_until_ready()
    wait_for(
        lambda: it.bed.request("POST", JOBS.format(team), job("late", backoffLimit=9)).code == 403,
        "the webhook to be asked again",
    )


def test_a_hanging_webhook_delays_a_request_no_longer_than_its_timeout(
    it: Installation, team: str
) -> None:
    it.wait_until_required()
    it.signal("webhook", signal.SIGSTOP)
    try:
        answer = it.bed.request("POST", JOBS.format(team), job())
    finally:
        it.signal("webhook", signal.SIGCONT)
    assert answer.code == 500
    assert "timeout=5s" in answer.body["message"]
