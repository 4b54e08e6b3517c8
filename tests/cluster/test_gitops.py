"""Manifests that a GitOps tool applies again and again: what the webhook added stays, and nothing changes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import yaml

from jobsworth.api.api_server import ApiServer
from jobsworth.files.policies.policy_files import load_policies
from jobsworth.policy.consistency import inconsistencies
from support.admission.registered_webhook import RegisteredWebhook, registered_webhook

if TYPE_CHECKING:
    from cluster.bed import TestBed

POLICIES = Path(__file__).parents[2] / "policies"
WAYS = {
    "client-side": (),
    "server-side": ("--server-side", "--field-manager=flux", "--force-conflicts"),
}
IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
COUNT = {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
FAIL = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
INDEXED = {"completionMode": "Indexed", "completions": 10, "parallelism": 5}
JOBS = "/apis/batch/v1/namespaces/{}/jobs/{}"


@pytest.fixture(scope="module")
def webhook(bed: TestBed) -> Iterator[RegisteredWebhook]:
    version = "scheduling.k8s.io/v1"
    research = {"apiVersion": version, "kind": "PriorityClass", "metadata": {"name": "research"}}
    path = f"/apis/{version}/priorityclasses"
    assert bed.request("POST", path, {**research, "value": 1}).code == 201
    with registered_webhook(bed, "gitops") as found:
        yield found


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """The way in which a manifest is applied."""
    return str(request.param)


class Repository:
    """Manifests of one namespace, and a client that applies them."""

    def __init__(self, bed: TestBed, namespace: str, way: str) -> None:
        self._bed, self.namespace, self._options = bed, namespace, WAYS[way]

    def apply(self, *manifests: dict[str, Any], check: bool = True) -> str:
        """Apply manifests; returns what kubectl says, errors included."""
        done = self._bed.kubectl(
            "apply", *self._options, "-n", self.namespace, "-f", "-",
            input=_list(manifests), check=check,
        )  # fmt: skip
        return done.stdout + done.stderr

    def diff(self, *manifests: dict[str, Any]) -> str:
        """What kubectl diff prints: nothing if the cluster has what the manifests say."""
        done = self._bed.kubectl(
            "diff", *self._options, "-n", self.namespace, "-f", "-",
            input=_list(manifests), check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        return done.stdout + done.stderr

    def stored(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The object in the cluster."""
        kind = {"Job": "jobs", "CronJob": "cronjobs"}[manifest["kind"]]
        path = f"/apis/batch/v1/namespaces/{self.namespace}/{kind}/{manifest['metadata']['name']}"
        return self._bed.get(path)


def _list(manifests: tuple[dict[str, Any], ...]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(manifests)})


def job(name: str = "train", metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    resources = {"requests": {"cpu": "1", "memory": "1Gi"}}
    container = {"name": "main", "image": "registry.example.com/main:1.4", "resources": resources}
    pod = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 20,
        "priorityClassName": "research",
        "containers": [container],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {**spec, "template": {"spec": pod}},
    }


def cron_job(inner: dict[str, Any]) -> dict[str, Any]:
    return {
        **inner,
        "kind": "CronJob",
        "spec": {
            "schedule": "0 6 * * *",
            "timeZone": "Etc/UTC",
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": inner["spec"]},
        },
    }


def with_labels(labels: dict[str, str]) -> dict[str, Any]:
    return {"metadata": {"labels": labels}}


class Worked:
    """A worked policy, with a manifest that satisfies it and another value for each of its defaults."""

    def __init__(
        self,
        base: dict[str, Any],
        others: dict[str, Any],
        prefix: str = "team",
        kinds: tuple[str, ...] = ("Job", "CronJob"),
        **namespace_labels: str,
    ) -> None:
        self.base, self.others, self.kinds = base, others, kinds
        self.prefix, self.namespace_labels = prefix, namespace_labels

    def manifests(self, policy: dict[str, Any]) -> list[dict[str, Any]]:
        """A Job and a CronJob that leave every default to the policy, and some that set one field each."""
        found = [self._named("plain", self.base)]
        defaults = policy.get("defaults", {})
        for field in defaults:
            if field in ("labels", "annotations"):
                for number, key in enumerate(defaults[field]):
                    manifest = copy.deepcopy(self.base)
                    manifest["metadata"].setdefault(field, {})[key] = self.others[key]
                    found.append(self._named(f"{field}{number}", manifest))
                continue
            for number, value in enumerate(self.others[field]):
                spec = {**self.base["spec"], field: value}
                found.append(self._named(f"{field.lower()}{number}", {**self.base, "spec": spec}))
        if self.kinds == ("Job",):
            return found
        return [*found, *(cron_job(self._named(f"cron-{_name(one)}", one)) for one in found)]

    @staticmethod
    def _named(name: str, manifest: dict[str, Any]) -> dict[str, Any]:
        return {**manifest, "metadata": {**manifest["metadata"], "name": name}}


def _name(manifest: dict[str, Any]) -> str:
    return str(manifest["metadata"]["name"])


OWN_RULES = [{"rules": [COUNT]}, {"rules": [COUNT, IGNORE]}]
WORKED = {
    "ml-training": Worked(
        job(**with_labels({"example.com/team": "vision"})),
        {
            "podFailurePolicy": OWN_RULES,
            "backoffLimit": [6, 2],
            "activeDeadlineSeconds": [3600],
            "ttlSecondsAfterFinished": [60],
            "example.com/on-call": "vision",
        },
        prefix="ml",
    ),
    "ci-test-suites": Worked(
        job(**INDEXED),
        {
            "podFailurePolicy": OWN_RULES,
            "backoffLimitPerIndex": [2],
            "maxFailedIndexes": [2],
            "backoffLimit": [6, 2**31 - 1],
            "activeDeadlineSeconds": [1800],
            "ttlSecondsAfterFinished": [60, 604800],
        },
        prefix="ci",
        kinds=("Job",),
    ),
    "spot-nodes": Worked(
        job(**with_labels({"example.com/nodes": "spot"})),
        {"podFailurePolicy": OWN_RULES, "podReplacementPolicy": ["Failed"], "backoffLimit": [6, 2]},
    ),
    "shared-research-cluster": Worked(
        job(),
        {
            "suspend": [False, True],
            "kueue.x-k8s.io/queue-name": "group-vision",
            "ttlSecondsAfterFinished": [60],
            "activeDeadlineSeconds": [3600],
        },
        prefix="research",
        **{"example.com/tier": "research"},
    ),
    "regulated": Worked(job(), {}, prefix="payments"),
}
"""The policies of ``policies/``, by file name."""


def test_every_worked_policy_is_tried() -> None:
    files = {path.stem for path in POLICIES.glob("*.yaml") if not path.stem.endswith("_test")}
    assert files == set(WORKED)


@pytest.mark.parametrize("name", WORKED)
def test_manifests_that_are_applied_three_times_change_nothing(
    bed: TestBed, webhook: RegisteredWebhook, name: str, way: str
) -> None:
    file, worked = POLICIES / f"{name}.yaml", WORKED[name]
    (policy, *_) = yaml.safe_load_all(file.read_text())
    webhook.load(load_policies([str(file)]))
    namespace = webhook.namespace(worked.prefix, **worked.namespace_labels)
    repository = Repository(bed, namespace, way)
    manifests = worked.manifests(policy["spec"])
    repository.apply(*manifests)
    before = {_key(one): repository.stored(one) for one in manifests}
    for _ in range(2):
        repository.apply(*manifests)
    assert repository.diff(*manifests) == ""
    for manifest in manifests:
        stored, first = repository.stored(manifest), before[_key(manifest)]
        assert stored["spec"] == first["spec"], _key(manifest)
        assert stored["metadata"]["generation"] == 1, _key(manifest)


def _key(manifest: dict[str, Any]) -> str:
    return f"{manifest['kind']}/{_name(manifest)}"


class TestImmutableFields:
    """Immutable fields of a Job that a policy changed at creation."""

    def rules(self, before: list[Any], after: list[Any] | None = None) -> dict[str, Any]:
        found = {"rulesBefore": before, **({"rulesAfter": after} if after else {})}
        return {"defaults": {"podFailurePolicy": found}}

    @pytest.fixture
    def repository(self, bed: TestBed, webhook: RegisteredWebhook, way: str) -> Repository:
        return Repository(bed, webhook.namespace("immutable"), way)

    def test_keep_their_values_after_the_policy_has_changed(
        self, webhook: RegisteredWebhook, repository: Repository
    ) -> None:
        manifest = job(podFailurePolicy={"rules": [COUNT]})
        webhook.load_specs(rules=self.rules([IGNORE]))
        repository.apply(manifest)
        stored = repository.stored(manifest)
        assert len(stored["spec"]["podFailurePolicy"]["rules"]) == 2
        for spec in (
            self.rules([IGNORE], [FAIL]),
            self.rules([FAIL]),
            {"limits": {"completions": {"maximum": 9}}},
        ):
            webhook.load_specs(rules=spec)
            assert repository.diff(manifest) == ""
            repository.apply(manifest)
            assert repository.stored(manifest)["spec"] == stored["spec"]
        webhook.load_specs()
        repository.apply(manifest)
        now = repository.stored(manifest)
        assert (now["spec"], now["metadata"]["generation"]) == (stored["spec"], 1)

    def test_keep_a_value_that_a_policy_always_sets(
        self, webhook: RegisteredWebhook, repository: Repository
    ) -> None:
        always = {"managedBy": "example.com/ours", "backoffLimitPerIndex": 1}
        defaults: dict[str, Any] = {
            name: {"value": value, "when": "always"} for name, value in always.items()
        }
        defaults["podFailurePolicy"] = {"value": {"rules": [FAIL]}, "when": "always"}
        webhook.load_specs(always={"defaults": defaults})
        manifest = job(
            **INDEXED,
            managedBy="example.com/theirs",
            backoffLimitPerIndex=3,
            podFailurePolicy={"rules": [COUNT]},
        )
        repository.apply(manifest)
        stored = repository.stored(manifest)["spec"]
        assert {name: stored[name] for name in always} == always
        for _ in range(2):
            repository.apply(manifest)
            webhook.load_specs(always={"defaults": {"ttlSecondsAfterFinished": {"value": 60}}})
        assert repository.diff(manifest) == ""
        assert repository.stored(manifest)["spec"] == stored

    def test_cannot_be_changed_by_the_client(
        self, webhook: RegisteredWebhook, repository: Repository
    ) -> None:
        webhook.load_specs(rules=self.rules([IGNORE]))
        repository.apply(job(podFailurePolicy={"rules": [COUNT, FAIL]}))
        for rules in ([COUNT], [FAIL, COUNT], [FAIL]):
            said = repository.apply(job(podFailurePolicy={"rules": rules}), check=False)
            assert "field is immutable" in said

    def test_of_a_job_that_was_created_and_is_then_applied(
        self, bed: TestBed, webhook: RegisteredWebhook, repository: Repository
    ) -> None:
        webhook.load_specs(rules=self.rules([IGNORE]))
        manifest = job(podFailurePolicy={"rules": [COUNT]})
        bed.kubectl("create", "-n", repository.namespace, "-f", "-", input=json.dumps(manifest))
        webhook.load_specs(rules=self.rules([FAIL]))
        for _ in range(2):
            repository.apply(manifest)
        assert repository.diff(manifest) == ""
        assert repository.stored(manifest)["metadata"]["generation"] == 1


class TestPodTemplates:
    """Parts of the Pod template of a Job that a policy set at creation."""

    POD: ClassVar = {
        "annotations": {"example.com/pinned": {"value": "yes"}},
        "nodeSelector": {"pool": {"value": "batch"}},
        "tolerations": {"value": [{"key": "spot", "operator": "Exists"}]},
        "priorityClassName": {"value": "research", "when": "always"},
        "securityContext": {"value": {"runAsNonRoot": True}},
        "containers": {"*": {"env": {"value": [{"name": "TEAM", "value": "a"}]}}},
    }
    LATER: ClassVar = (
        {"defaults": {"pod": POD}},
        {"defaults": {"pod": {"nodeSelector": {"pool": {"value": "other"}}}}},
        {"limits": {"completions": {"maximum": 9}}},
    )

    @pytest.mark.parametrize("suspend", [False, True])
    def test_stay_when_a_manifest_is_applied_three_times_under_other_policies(
        self, bed: TestBed, webhook: RegisteredWebhook, way: str, suspend: bool
    ) -> None:
        repository = Repository(bed, webhook.namespace("pods"), way)
        manifest = job(suspend=suspend)
        pod = manifest["spec"]["template"]["spec"]
        pod |= {"nodeSelector": {"disk": "ssd"}, "tolerations": [{"operator": "Exists"}]}
        webhook.load_specs(pods={"defaults": {"pod": self.POD}})
        repository.apply(manifest)
        stored = repository.stored(manifest)
        assert stored["spec"]["template"]["spec"]["nodeSelector"]["pool"] == "batch"
        for spec in self.LATER:
            webhook.load_specs(pods=spec)
            assert repository.diff(manifest) == ""
            repository.apply(manifest)
            now = repository.stored(manifest)
            assert (now["spec"], now["metadata"]["generation"]) == (stored["spec"], 1)

    def test_stay_when_a_client_replaces_the_job(
        self, bed: TestBed, webhook: RegisteredWebhook
    ) -> None:
        repository = Repository(bed, webhook.namespace("pods"), "client-side")
        webhook.load_specs(pods={"defaults": {"pod": self.POD}})
        path = JOBS.format(repository.namespace, "train")
        manifest = job()
        bed.kubectl("create", "-n", repository.namespace, "-f", "-", input=json.dumps(manifest))
        stored = repository.stored(manifest)
        generated = stored["spec"]["template"]["metadata"]["labels"]
        sent = copy.deepcopy(manifest)
        sent["spec"]["selector"] = stored["spec"]["selector"]
        sent["spec"]["template"]["metadata"] = {"labels": generated}
        for spec in self.LATER:
            webhook.load_specs(pods=spec)
            answer = bed.connection.request("PUT", path, sent)
            assert answer.code == 200, answer
            assert repository.stored(manifest)["spec"]["template"] == stored["spec"]["template"]


class TestAlways:
    """Defaults with ``when: always`` after creation."""

    DEFAULTS: ClassVar = {
        "suspend": {"value": True, "when": "always"},
        "labels": {"queue": {"value": "shared", "when": "always"}},
        "annotations": {"example.com/on-call": {"value": "us", "when": "always"}},
    }

    @pytest.fixture
    def repository(self, bed: TestBed, webhook: RegisteredWebhook, way: str) -> Repository:
        webhook.load_specs(always={"defaults": self.DEFAULTS})
        return Repository(bed, webhook.namespace("always"), way)

    def test_hold_for_labels_and_annotations_that_alone_change(
        self, bed: TestBed, repository: Repository
    ) -> None:
        repository.apply(job())
        where = ("job/train", "-n", repository.namespace, "--overwrite")
        bed.kubectl("label", *where, "queue=mine", "other=mine")
        bed.kubectl("annotate", *where, "example.com/on-call-")
        metadata = repository.stored(job())["metadata"]
        assert metadata["labels"] == {"queue": "shared", "other": "mine"}
        assert metadata["annotations"]["example.com/on-call"] == "us"
        assert metadata["generation"] == 1

    def test_hold_for_suspend_where_the_manifest_is_applied_again(
        self, repository: Repository
    ) -> None:
        manifest = job(metadata={"labels": {"queue": "mine"}}, suspend=False)
        for _ in range(3):
            repository.apply(manifest)
            stored = repository.stored(manifest)
            assert stored["spec"]["suspend"] is True
            assert stored["metadata"]["labels"] == {"queue": "shared"}
            assert stored["metadata"]["generation"] == 1
        assert repository.diff(manifest) == ""

    def test_let_a_queueing_system_resume_and_suspend_the_job(
        self, bed: TestBed, repository: Repository
    ) -> None:
        manifest = job(suspend=False)
        repository.apply(manifest)
        path = JOBS.format(repository.namespace, "train")
        for suspend, merge in ((False, True), (True, True), (False, False), (True, False)):
            if merge:
                patch = {"spec": {"suspend": suspend}}
                kind = "application/merge-patch+json"
                answer = bed.connection.request("PATCH", path, patch, content_type=kind)
            else:
                stored = bed.get(path)
                stored["spec"]["suspend"] = suspend
                answer = bed.connection.request("PUT", path, stored)
            assert answer.code == 200, answer
            assert repository.stored(manifest)["spec"]["suspend"] is suspend
        repository.apply(manifest)
        assert repository.stored(manifest)["spec"]["suspend"] is True


WRITING = {
    "kubectl create": ("create",),
    "kubectl apply": ("apply",),
    "kubectl apply --server-side": ("apply", "--server-side"),
}


@pytest.mark.parametrize(
    ("defaults", "limits"),
    [
        ({"backoffLimit": 3}, {"backoffLimit": {"maximum": 5}}),
        ({"suspend": True}, {"suspend": {"allowed": [True]}}),
        ({"podReplacementPolicy": "Failed"}, {"podReplacementPolicy": {"allowed": ["Failed"]}}),
        ({"activeDeadlineSeconds": 60}, {"activeDeadlineSeconds": {"required": True}}),
        (
            {"podFailurePolicy": {"rulesAfter": [FAIL]}},
            {"podFailurePolicy": {"ignoreDisruptionsFirst": True}},
        ),
    ],
)
@pytest.mark.parametrize("when", ["ifUnset", "ifServerDefault", "always"])
def test_the_ways_of_writing_that_policy_check_names_are_those_that_the_cluster_denies(
    bed: TestBed, webhook: RegisteredWebhook, defaults: Any, limits: Any, when: str
) -> None:
    """The same Job in each way of writing, and what the consistency check says of them."""
    ((name, value),) = defaults.items()
    default = value if name == "podFailurePolicy" else {"value": value, "when": when}
    webhook.load_specs(house={"defaults": {name: default}, "limits": limits})
    named = {
        method
        for one in inconsistencies(webhook.policies, ApiServer(bed.release))
        for method in one.methods
    }
    namespace = webhook.namespace("writing")
    for number, (way, command) in enumerate(WRITING.items()):
        text = json.dumps(job(f"train-{number}"))
        done = bed.kubectl(*command, "-n", namespace, "-f", "-", input=text, check=False)
        assert ("denied the request" in done.stderr) == (way in named), (way, done.stderr)
