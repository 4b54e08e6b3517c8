"""`jobsworth validate --server` on a real API server with quotas, Pod Security, limit ranges and webhooks."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.controller.waiting import eventually
from support.admission.injecting_webhook import INJECT, injecting_webhook

if TYPE_CHECKING:
    from cluster.bed import TestBed

Object = dict[str, Any]
CONTROLLERS = "serviceaccount-controller,serviceaccount-token-controller,resourcequota-controller"
PROXY = {"name": "proxy", "image": "docker.io/istio/proxyv2:1.24.0"}
TEMPLATE = "spec.template"


@pytest.fixture(scope="module")
def admitting_bed() -> Iterator[TestBed]:
    """A bed with the admission plugins of a cluster, ServiceAccount included."""
    with bed_or_skip(controllers=CONTROLLERS, service_accounts=True, audit=False) as bed:
        yield bed


def namespace_of(bed: TestBed) -> str:
    """Return a new namespace, which has its default ServiceAccount."""
    name = bed.namespace()
    path = f"/api/v1/namespaces/{name}/serviceaccounts/default"
    eventually(lambda: "" if bed.request("GET", path).code == 200 else "no ServiceAccount yet")
    return name


def job(**spec: Any) -> Object:
    container = {
        "name": "main",
        "image": "registry.example.com/train:1.4",
        "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}},
        **spec.pop("container", {}),
    }
    pod = {"restartPolicy": "Never", "containers": [container], **spec.pop("pod", {})}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {**spec, "template": {"spec": pod}},
    }


def cron_job(inner: Object) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "train"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": inner["spec"]}},
    }


class Validation:
    """A run of `jobsworth validate --server` on one manifest."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.err = done.returncode, done.stderr
        self._report = json.loads(done.stdout) if done.stdout else {}

    @property
    def found(self) -> list[Object]:
        """The findings, without those of lint rules that the manifest has by itself."""
        (result,) = self._report["results"]
        return [
            each
            for each in result["findings"]
            if each["source"] != "lint" or "injected" in each["message"]
        ]

    @property
    def only(self) -> Object:
        """The one finding."""
        (finding,) = self.found
        return finding


def validated(
    bed: TestBed,
    namespace: str,
    value: Object,
    folder: Path,
    *options: str,
    kubeconfig: Path | None = None,
) -> Validation:
    file = folder / "manifest.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    command = [
        sys.executable, "-m", "jobsworth", "validate", "--isolated", "--server", "-o", "json",
        "--kubeconfig", str(kubeconfig or bed.kubeconfig), "-n", namespace, *options, str(file),
    ]  # fmt: skip
    return Validation(subprocess.run(command, capture_output=True, text=True, check=False))


def quota(bed: TestBed, namespace: str, **hard: str) -> None:
    """Create a ResourceQuota, and wait until it is active."""
    limited = {key.replace("_", "."): value for key, value in hard.items()}
    created = bed.create(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "team"},
            "spec": {"hard": limited},
        },
        namespace,
    )
    path = f"/api/v1/namespaces/{namespace}/resourcequotas/{created['metadata']['name']}"
    eventually(lambda: "" if bed.get(path).get("status", {}).get("hard") else "not active yet")


def test_what_the_cluster_admits_has_no_finding_and_stores_nothing(
    admitting_bed: TestBed, tmp_path: Path
) -> None:
    namespace = namespace_of(admitting_bed)
    for value in (job(), cron_job(job()), job(completionMode="Indexed", completions=3)):
        done = validated(admitting_bed, namespace, value, tmp_path)
        assert (done.code, done.found) == (0, []), done.err
    for path in ("/apis/batch/v1/{}/jobs", "/apis/batch/v1/{}/cronjobs", "/api/v1/{}/pods"):
        assert admitting_bed.get(path.format(f"namespaces/{namespace}"))["items"] == []


@pytest.mark.parametrize("wrapped", [False, True], ids=["Job", "CronJob"])
def test_a_quota_that_the_pods_exceed(
    admitting_bed: TestBed, tmp_path: Path, wrapped: bool
) -> None:
    namespace = namespace_of(admitting_bed)
    quota(admitting_bed, namespace, requests_cpu="1")
    value = cron_job(job()) if wrapped else job()
    done = validated(admitting_bed, namespace, value, tmp_path)
    assert done.code == 1
    template = "spec.jobTemplate.spec.template" if wrapped else TEMPLATE
    assert (done.only["code"], done.only["source"]) == ("JW027", "child")
    assert done.only["field"] == f"{template}.spec"
    assert (
        "exceeded quota: team, requested: requests.cpu=2, used: requests.cpu=0"
        in (done.only["message"])
    )


def test_a_quota_that_requires_limits_names_the_container(
    admitting_bed: TestBed, tmp_path: Path
) -> None:
    namespace = namespace_of(admitting_bed)
    quota(admitting_bed, namespace, limits_memory="1Gi")
    done = validated(admitting_bed, namespace, job(), tmp_path)
    assert done.only["field"] == f"{TEMPLATE}.spec.containers[0]"
    assert "failed quota: team: must specify limits.memory for: main" in done.only["message"]


def test_a_quota_on_jobs_refuses_the_job_itself(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    quota(admitting_bed, namespace, **{"count/jobs_batch": "0"})
    done = validated(admitting_bed, namespace, job(), tmp_path)
    assert (done.only["code"], done.only["source"]) == ("JW026", "api")
    assert "exceeded quota" in done.only["message"]
    of_cron_job = validated(admitting_bed, namespace, cron_job(job()), tmp_path)
    assert of_cron_job.only["field"] == "spec.jobTemplate"
    assert "accepts the CronJob but refuses its Jobs" in of_cron_job.only["message"]


def test_the_pod_security_level_of_the_namespace(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    admitting_bed.kubectl(
        "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted"
    )
    done = validated(admitting_bed, namespace, job(), tmp_path)
    assert done.only["code"] == "JW027"
    assert done.only["field"] == f"{TEMPLATE}.spec.containers[0]"
    assert 'violates PodSecurity "restricted:latest"' in done.only["message"]
    assert 'container "main" must set securityContext' in done.only["message"]


def test_a_limit_range(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    admitting_bed.create(
        {
            "apiVersion": "v1",
            "kind": "LimitRange",
            "metadata": {"name": "team"},
            "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]},
        },
        namespace,
    )
    time.sleep(1)  # the API server caches limit ranges
    done = validated(admitting_bed, namespace, job(), tmp_path)
    assert done.only["code"] == "JW027"
    assert "maximum cpu usage per Container is 1, but limit is 2" in done.only["message"]


def test_a_service_account_that_does_not_exist(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    value = job(pod={"serviceAccountName": "trainer"})
    done = validated(admitting_bed, namespace, value, tmp_path)
    assert done.only["field"] == f"{TEMPLATE}.spec.serviceAccountName"
    assert 'serviceaccount "trainer" not found' in done.only["message"]


def test_a_namespace_that_does_not_exist(admitting_bed: TestBed, tmp_path: Path) -> None:
    done = validated(admitting_bed, "nowhere", job(), tmp_path)
    assert (done.only["code"], done.only["field"]) == ("JW026", "metadata.namespace")
    assert 'namespaces "nowhere" not found' in done.only["message"]


def test_an_invalid_job_is_reported_once(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    done = validated(admitting_bed, namespace, job(backoffLimit=-1), tmp_path)
    assert [each["field"] for each in done.found] == ["spec.backoffLimit"]
    done = validated(admitting_bed, namespace, job(backofLimit=1), tmp_path)
    assert [each["code"] for each in done.found] == ["JW001"]


def test_a_sidecar_that_a_webhook_injects_is_linted(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    admitting_bed.kubectl("label", "namespace", namespace, f"{INJECT}=mesh")
    policy = {
        "rules": [{"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0, 3]}}]
    }
    with injecting_webhook(admitting_bed, "mesh", PROXY):
        values = (job(podFailurePolicy=policy), cron_job(job(podFailurePolicy=policy)))
        for value, path in zip(values, ("spec", "spec.jobTemplate.spec"), strict=True):
            done = eventually_found("JW214", admitting_bed, namespace, value, tmp_path)
            fields = {each["code"]: each["field"] for each in done.found}
            assert fields["JW214"] == f"{path}.template.spec"
            assert fields["JW109"] == f"{path}.podFailurePolicy.rules[0].onExitCodes"
            assert all(
                "The container is injected by an admission webhook: proxy." in each["message"]
                for each in done.found
            )


def eventually_found(
    code: str, bed: TestBed, namespace: str, value: Object, folder: Path
) -> Validation:
    """Validate until the API server knows the webhook that was just registered."""
    for _ in range(20):
        done = validated(bed, namespace, value, folder)
        if code in [each["code"] for each in done.found]:
            return done
        time.sleep(0.5)
    raise AssertionError(f"{code} is not found: {done.found}, {done.err}")


def test_a_webhook_that_supports_no_dry_run_is_named(
    admitting_bed: TestBed, tmp_path: Path
) -> None:
    namespace = namespace_of(admitting_bed)
    admitting_bed.kubectl("label", "namespace", namespace, f"{INJECT}=billing")
    with injecting_webhook(admitting_bed, "billing", PROXY, side_effects="Some"):
        done = eventually_found("JW028", admitting_bed, namespace, job(), tmp_path)
    assert (done.only["code"], done.only["severity"]) == ("JW028", "warning")
    assert (
        'admission webhook "billing.example.com" does not support dry run' in (done.only["message"])
    )


def test_an_object_that_exists_is_applied(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    admitting_bed.create(job(suspend=True), namespace)
    assert validated(admitting_bed, namespace, job(suspend=True), tmp_path).found == []
    changed = job(suspend=False, container={"image": "registry.example.com/train:1.5"})
    done = validated(admitting_bed, namespace, changed, tmp_path)
    assert done.only["field"] == TEMPLATE
    assert "field is immutable" in done.only["message"]
    stored = admitting_bed.get(f"/apis/batch/v1/namespaces/{namespace}/jobs/train")
    assert stored["spec"]["suspend"] is True


def grant(bed: TestBed, namespace: str, user: str, *rules: Object) -> None:
    group = "rbac.authorization.k8s.io"
    role = {"metadata": {"name": user}, "rules": list(rules)}
    bed.create({"apiVersion": f"{group}/v1", "kind": "Role", **role}, namespace)
    bed.create(
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": {"name": user},
            "subjects": [{"kind": "User", "apiGroup": group, "name": user}],
            "roleRef": {"kind": "Role", "apiGroup": group, "name": user},
        },
        namespace,
    )


def test_a_right_that_the_user_lacks_is_named(admitting_bed: TestBed, tmp_path: Path) -> None:
    namespace = namespace_of(admitting_bed)
    alice = admitting_bed.user("alice")
    done = validated(admitting_bed, namespace, job(), tmp_path, kubeconfig=alice)
    assert done.code == 2
    assert "the dry run needs the verb create on jobs" in done.err
    grant(
        admitting_bed, namespace, "alice",
        {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create"]},
    )  # fmt: skip
    done = validated(admitting_bed, namespace, job(), tmp_path, kubeconfig=alice)
    assert done.code == 2
    assert "the dry run needs the verb create on pods" in done.err


def test_the_pods_can_be_created_as_the_job_controller(
    admitting_bed: TestBed, tmp_path: Path
) -> None:
    namespace = namespace_of(admitting_bed)
    controller = "system:serviceaccount:kube-system:job-controller"
    done = validated(admitting_bed, namespace, job(), tmp_path, "--pods-as", controller)
    assert (done.code, done.found) == (0, []), done.err
    carol = admitting_bed.user("carol")
    grant(
        admitting_bed, namespace, "carol",
        {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create"]},
    )  # fmt: skip
    done = validated(
        admitting_bed, namespace, job(), tmp_path, "--pods-as", controller, kubeconfig=carol
    )
    assert done.code == 2, done.only["message"]
    assert "the dry run needs the verb impersonate" in done.err


def test_a_job_of_another_controller_has_no_pod_to_try(
    admitting_bed: TestBed, tmp_path: Path
) -> None:
    namespace = namespace_of(admitting_bed)
    quota(admitting_bed, namespace, requests_cpu="1")
    done = validated(admitting_bed, namespace, job(managedBy="example.com/queue"), tmp_path)
    assert done.found == []
