"""The webhook configurations that the manager creates: what is refused, and what is not, while no replica answers."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import NAME, Installation, wait_for
from cluster.programs import NEWEST
from cluster.test_chart_installation import CRON_JOBS, JOBS, cron_job, job

if TYPE_CHECKING:
    from cluster.bed import TestBed

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
VALIDATING = f"{ADMISSION}/validatingwebhookconfigurations"
MUTATING = f"{ADMISSION}/mutatingwebhookconfigurations"
MERGE = "application/merge-patch+json"
POLICIES: dict[str, Any] = {
    "retries": {
        "match": [{"namespaces": ["team-*"], "kinds": ["Job"]}],
        "exempt": [{"objectSelector": {"matchLabels": {"break-glass": "yes"}}}],
        "limits": {"backoffLimit": {"maximum": 3}},
    },
    "small-in-production": {
        "match": [{"namespaceSelector": {"matchLabels": {"tier": "production"}}}],
        "limits": {"parallelism": {"maximum": 2}},
    },
    "deadline": {
        "enforcement": "warn",
        "limits": {"activeDeadlineSeconds": {"required": True}},
    },
}
VALUES: dict[str, Any] = {
    "policies": POLICIES,
    "webhook": {"workers": 1, "drainSeconds": 0, "namespaceLabels": True},
    "certificates": {"selfManaged": {"interval": "1s"}},
}
KUEUE = ("kueue-system", "kueue-controller-manager")


@pytest.fixture(scope="module")
def running() -> Iterator[TestBed]:
    controllers = "job-controller,garbage-collector-controller,namespace-controller"
    with bed_or_skip(NEWEST, controllers=controllers) as bed:
        yield bed


@pytest.fixture(scope="module")
def it(running: TestBed) -> Iterator[Installation]:
    with Installation(running, VALUES) as installation:
        installation.wait_until_required()
        yield installation


@pytest.fixture(scope="module")
def kueue(running: TestBed) -> Any:
    namespace, name = KUEUE
    running.kubectl("create", "namespace", namespace)
    running.kubectl("create", "serviceaccount", name, "-n", namespace)
    account = running.service_account(namespace, name)
    running.kubectl(
        "create", "clusterrolebinding", "kueue", "--clusterrole=cluster-admin",
        f"--serviceaccount={namespace}:{name}",
    )  # fmt: skip
    return account


def stored(bed: TestBed, collection: str = VALIDATING) -> dict[str, Any]:
    answer = bed.request("GET", f"{collection}/{NAME}")
    return answer.body if answer.code == 200 else {}


@contextmanager
def killed(it: Installation) -> Iterator[None]:
    it.signal("webhook", signal.SIGKILL)
    try:
        yield
    finally:
        it.start("webhook")
        it.wait_until_ready()


def test_without_a_replica_only_what_a_denying_policy_matches_is_refused(it: Installation) -> None:
    team, free, production = (it.bed.namespace(each) for each in ("team", "free", "production"))
    it.bed.kubectl("label", "namespace", production, "tier=production")
    exempt = job("exempt")
    exempt["metadata"]["labels"] = {"break-glass": "yes"}
    with killed(it):
        assert it.bed.request("POST", JOBS.format(free), job(backoffLimit=9)).code == 201
        assert it.bed.request("POST", CRON_JOBS.format(team), cron_job()).code == 201
        assert it.bed.request("POST", JOBS.format(team), exempt).code == 201
        for refused in (JOBS.format(team), JOBS.format(production)):
            answer = it.bed.request("POST", refused, job("refused"))
            assert answer.code == 500
            assert 'failed calling webhook "validate' in answer.body["message"]
            assert f"https://{NAME}.{it.namespace}.svc" in answer.body["message"]
    for refused in (JOBS.format(team), JOBS.format(production)):
        answer = it.bed.request("POST", refused, job("denied", backoffLimit=9, parallelism=3))
        assert answer.code == 403


def test_without_a_replica_kueue_resumes_a_job(it: Installation, kueue: Any) -> None:
    team = it.bed.namespace("team")
    it.bed.create(job(suspend=True), team)
    path = f"{JOBS.format(team)}/example"
    wait_for(lambda: bool(it.bed.get(path)["status"].get("conditions")), "the Job to be suspended")
    scheduling = {
        "suspend": False,
        "template": {
            "metadata": {"labels": {"kueue.x-k8s.io/podset": "main"}},
            "spec": {
                "nodeSelector": {"pool": "gpu"},
                "tolerations": [{"key": "gpu", "operator": "Exists"}],
            },
        },
    }
    with killed(it):

        def patched(spec: dict[str, Any], **more: Any) -> str:
            done = it.bed.kubectl(
                "patch", "job", "example", "-n", team, "--type=merge", "-p",
                json.dumps({"spec": spec}), check=False, **more,
            )  # fmt: skip
            return done.stderr or done.stdout

        assert "failed calling webhook" in patched({"suspend": False})  # a user
        more = {"suspend": False, "parallelism": 5}
        assert "failed calling webhook" in patched(more, kubeconfig=kueue)
        assert patched(scheduling, kubeconfig=kueue) == "job.batch/example patched\n"
    spec = it.bed.get(path)["spec"]
    assert spec["suspend"] is False
    assert spec["template"]["spec"]["nodeSelector"] == {"pool": "gpu"}


def test_a_configuration_that_is_created_without_a_replica_fails_open_until_one_is_ready(
    it: Installation,
) -> None:
    team = it.bed.namespace("team")
    with killed(it):
        for collection in (VALIDATING, MUTATING):
            it.bed.request("DELETE", f"{collection}/{NAME}")
        wait_for(
            lambda: it.failure_policies() == {"Ignore"}, "the configuration to be created again"
        )
        wait_for(lambda: bool(stored(it.bed, MUTATING)), "the mutating configuration")
        assert it.bed.request("POST", JOBS.format(team), job(backoffLimit=9)).code == 201
    it.wait_until_required()


def test_policies_that_deny_nothing_register_nothing_that_fails_closed(it: Installation) -> None:
    warning = {name: {**spec, "enforcement": "warn"} for name, spec in POLICIES.items()}
    team = it.bed.namespace("team")
    it.upgrade({**VALUES, "policies": warning})
    try:
        wait_for(lambda: it.failure_policies() == {"Ignore"}, "the new registration")
        with killed(it):
            assert it.bed.request("POST", JOBS.format(team), job(backoffLimit=9)).code == 201
    finally:
        it.upgrade(VALUES)
    it.wait_until_required()


def test_an_edited_configuration_is_restored(it: Installation) -> None:
    before = stored(it.bed)["webhooks"]
    edited = json.loads(json.dumps(before))
    edited[0]["matchConditions"].append({"name": "never", "expression": "false"})
    answer = it.bed.request(
        "PATCH", f"{VALIDATING}/{NAME}", {"webhooks": edited}, content_type=MERGE
    )
    assert answer.code == 200
    wait_for(lambda: stored(it.bed)["webhooks"] == before, "the configuration to be restored")


def test_a_registration_that_is_up_to_date_is_not_written(it: Installation) -> None:
    with it.bed.calls() as calls:
        time.sleep(5)  # five intervals
    verbs = {each.verb for each in calls.calls() if "certificates" in each.user_agent}
    assert verbs <= {"get", "patch", "watch"}
    written = {
        each.resource for each in calls.calls()
        if "certificates" in each.user_agent and each.verb == "patch"
    }  # fmt: skip
    assert written == {"leases"}


def test_uninstalling_removes_the_configurations(running: TestBed, it: Installation) -> None:
    it.uninstall()
    wait_for(lambda: not stored(running) and not stored(running, MUTATING), "both to be deleted")


def test_deleting_the_namespace_removes_the_configurations(running: TestBed) -> None:
    def ours() -> list[str]:
        answer = running.request(
            "GET", f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{NAME}-registration"
        )
        return [
            *stored(running),
            *stored(running, MUTATING),
            *([NAME] if answer.code == 200 else []),
        ]

    with Installation(running, VALUES) as it:
        assert ours()
        running.kubectl("delete", "namespace", it.namespace, "--wait=false")
        for container in it.processes:
            it.signal(container, signal.SIGKILL)
        wait_for(lambda: not ours(), "the configurations to be deleted")
    # What remains grants rights to an account that is gone.
    running.kubectl("delete", "clusterrole,clusterrolebinding", NAME)


def test_the_way_of_registration_can_be_changed_and_changed_back(running: TestBed) -> None:
    by_chart = {**VALUES, "registration": {"mode": "chart"}}
    with Installation(running, by_chart) as it:
        assert it.failure_policies() == {"Fail"}
        it.upgrade(VALUES)
        it.signal("certificates", signal.SIGKILL)  # as the Deployment replaces its Pods
        it.start("certificates")
        wait_for(lambda: "Ignore" in it.failure_policies(), "the new registration")
        it.wait_until_required()
        it.signal("certificates", signal.SIGKILL)
        for collection in (VALIDATING, MUTATING):
            running.request("DELETE", f"{collection}/{NAME}")
        it.upgrade(by_chart)
        it.start("certificates")
        it.wait_until_ready()
        time.sleep(2)  # the garbage collector has nothing to collect
        assert it.failure_policies() == {"Fail"}
