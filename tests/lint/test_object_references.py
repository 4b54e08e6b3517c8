"""References of Pods to the objects beside them (JW7)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.edits import edited
from jobsworth.findings.finding import Finding
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.linter import RULES
from jobsworth.lint.neighbors import Neighbors, neighbor
from jobsworth.lint.rules.object_references import slip_of
from jobsworth.validation.engine import engine_for
from support.lint.linted_jobs import cron_job, job, lint
from support.lint.recorded_messages import SEEN

ENGINE = engine_for(ApiServer("1.36"))
REFERENCE_RULES = [rule for rule in RULES if rule.code.startswith("JW7")]


def reported(value: dict[str, Any], *beside: dict[str, Any]) -> list[Finding]:
    findings = lint(value, ENGINE, REFERENCE_RULES, Neighbors.of([value, *beside]))
    SEEN.extend(findings)
    return findings


def codes(value: dict[str, Any], *beside: dict[str, Any]) -> list[str]:
    return [finding.code for finding in reported(value, *beside)]


def stored(kind: str, name: str, namespace: str = "", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


def container(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "busybox:1.36", **fields}]}


def in_namespace(value: dict[str, Any], namespace: str) -> dict[str, Any]:
    return {**value, "metadata": {**value["metadata"], "namespace": namespace}}


def variable(source: str, **fields: Any) -> dict[str, Any]:
    return job(container(env=[{"name": "A", "valueFrom": {source: fields}}]))


MEANT = "trainer-settings"
SLIP = "trainer-setings"

PLACES = {
    "a ServiceAccount": ("ServiceAccount", {"serviceAccountName": SLIP}, "serviceAccountName"),
    "a ServiceAccount by its old name": (
        "ServiceAccount", {"serviceAccount": SLIP}, "serviceAccount",
    ),
    "a pull secret": ("Secret", {"imagePullSecrets": [{"name": SLIP}]}, "imagePullSecrets[0].name"),
    "a claim": (
        "PersistentVolumeClaim",
        {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": SLIP}}]},
        "volumes[0].persistentVolumeClaim.claimName",
    ),
    "files of a ConfigMap": (
        "ConfigMap",
        {"volumes": [{"name": "v", "configMap": {"name": SLIP}}]},
        "volumes[0].configMap.name",
    ),
    "files of a Secret": (
        "Secret",
        {"volumes": [{"name": "v", "secret": {"secretName": SLIP}}]},
        "volumes[0].secret.secretName",
    ),
    "projected files of a Secret": (
        "Secret",
        {"volumes": [{"name": "v", "projected": {"sources": [{"secret": {"name": SLIP}}]}}]},
        "volumes[0].projected.sources[0].secret.name",
    ),
    "all variables of a ConfigMap": (
        "ConfigMap",
        container(envFrom=[{"configMapRef": {"name": SLIP}}]),
        "containers[0].envFrom[0].configMapRef.name",
    ),
    "a variable of a Secret": (
        "Secret",
        container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": SLIP, "key": "k"}}}]),
        "containers[0].env[0].valueFrom.secretKeyRef.name",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "pod", "field"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("value", [job, lambda pod: cron_job(job(pod))], ids=["Job", "CronJob"])
def test_a_misspelled_name_is_found_in_each_place(
    value: Any, kind: str, pod: dict[str, Any], field: str
) -> None:
    wrong, beside = value(pod), stored(kind, MEANT)
    (finding,) = reported(wrong, beside)
    assert finding.code == "JW701"
    assert finding.field.endswith(f".template.spec.{field}")
    assert finding.fix is not None
    assert codes(edited(wrong, *finding.fix.edits), beside) == []


@pytest.mark.parametrize(("kind", "pod", "field"), PLACES.values(), ids=PLACES)
def test_an_absent_object_alone_is_no_finding(kind: str, pod: dict[str, Any], field: str) -> None:
    """Most repositories do not have all objects, least of all Secrets."""
    assert codes(job(pod)) == []
    assert codes(job(pod), stored(kind, "postgres")) == []
    assert codes(job(pod), stored(kind, SLIP)) == []
    assert codes(job(pod), stored(kind, SLIP), stored(kind, MEANT)) == []
    assert codes(job(pod), stored("Service", MEANT)) == []


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("trainer-conifg", "trainer-config", True),
        ("trainer_config", "trainer-config", True),
        ("trainerconfig", "trainer-config", True),
        ("trainer-configs", "trainer-config", True),
        ("trainer-config", "trainer-config-v2", False),
        ("config-1", "config-2", False),
        ("server-h100", "server-a100", False),
        ("cache-rw", "cache-ro", False),
        ("grpc-frontend", "http-frontend", False),
        ("trainer-config-dev", "trainer-config-prod", False),
        ("ingress-gateway", "egress-gateway", False),
        ("postgres", "postgres-exporter", False),
    ],
)
def test_only_a_slip_in_a_word_is_a_misspelling(name: str, known: str, meant: bool) -> None:
    assert slip_of(name, [known, "unrelated"]) == (known if meant else "")


def test_objects_that_exist_everywhere_are_no_misspellings() -> None:
    pod = {"volumes": [{"name": "v", "configMap": {"name": "kube-root-ca.crt"}}]}
    assert codes(job(pod), stored("ConfigMap", "kube-root-ca-crt")) == []
    assert codes(job({"serviceAccountName": "default"}), stored("ServiceAccount", "defaults")) == []


def test_an_object_that_a_controller_makes_is_there() -> None:
    made = {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": "database"},
        "spec": {"target": {"name": SLIP}},
    }
    wrong = variable("secretKeyRef", name=SLIP, key="password")
    assert codes(wrong, stored("Secret", MEANT)) == ["JW701"]
    assert codes(wrong, stored("Secret", MEANT), made) == []
    assert codes(wrong, stored("Secret", MEANT), {**made, "kind": "Deployment"}) == ["JW701"]


def test_a_misspelled_name_is_meant_in_the_same_namespace() -> None:
    wrong = in_namespace(job({"serviceAccountName": SLIP}), "ml")
    assert codes(wrong, stored("ServiceAccount", MEANT, "ml")) == ["JW701"]
    assert codes(wrong, stored("ServiceAccount", MEANT, "web")) == []
    assert codes(wrong, stored("ServiceAccount", MEANT)) == []
    assert codes(wrong, stored("ServiceAccount", SLIP), stored("ServiceAccount", MEANT, "ml")) == []


def test_an_optional_reference_says_that_the_pod_starts() -> None:
    for optional in (True, False):
        one = variable("configMapKeyRef", name=SLIP, key="k", optional=optional)
        all_ = job(container(envFrom=[{"configMapRef": {"name": SLIP, "optional": optional}}]))
        for wrong in (one, all_):
            (finding,) = reported(wrong, stored("ConfigMap", MEANT))
            assert ("starts without it" in finding.message) is optional


def test_an_object_in_another_namespace_cannot_be_reached() -> None:
    value = in_namespace(job({"serviceAccountName": MEANT}), "ml")
    (finding,) = reported(value, stored("ServiceAccount", MEANT, "web"))
    assert finding.code == "JW702"
    assert (
        codes(value, stored("ServiceAccount", MEANT, "web"), stored("ServiceAccount", MEANT, "ml"))
        == []
    )
    assert codes(value, stored("ServiceAccount", MEANT)) == []
    assert codes(job({"serviceAccountName": MEANT}), stored("ServiceAccount", MEANT, "web")) == []
    assert codes(value, stored("ServiceAccount", MEANT, "web"), stored("Secret", MEANT, "ml")) == [
        "JW702"
    ]


def test_a_copied_object_can_be_reached() -> None:
    volume = {"name": "v", "secret": {"secretName": "registry"}}
    value = in_namespace(job({"volumes": [volume]}), "ml")
    secret, other = stored("Secret", "registry", "web"), stored("Secret", "other", "ml")
    assert codes(value, secret, other) == ["JW702"]
    secret["metadata"]["annotations"] = {
        "reflector.v1.k8s.emberstack.com/reflection-allowed": "true"
    }
    assert codes(value, secret, other) == []


@pytest.mark.parametrize("held", ["data", "binaryData"])
def test_a_key_that_a_config_map_lacks_is_reported(held: str) -> None:
    value = variable("configMapKeyRef", name="settings", key="log-level")
    (finding,) = reported(value, stored("ConfigMap", "settings", **{held: {"loglevel": "x"}}))
    assert (finding.code, finding.field.rpartition(".")[2]) == ("JW703", "key")
    assert finding.fix is not None
    assert codes(value, stored("ConfigMap", "settings", **{held: {"log-level": "x"}})) == []


def test_a_file_of_a_key_that_a_secret_lacks_is_reported() -> None:
    items = [{"key": "tls.crt", "path": "a"}, {"key": "ca.crt", "path": "b"}]
    value = job({"volumes": [{"name": "v", "secret": {"secretName": "tls", "items": items}}]})
    (finding,) = reported(
        value, stored("Secret", "tls", stringData={"tls.crt": "-", "tls.key": "-"})
    )
    assert finding.field == "spec.template.spec.volumes[0].secret.items[1].key"
    assert finding.fix is None


def test_a_key_may_be_optional_or_come_later() -> None:
    config = stored("ConfigMap", "settings", data={"other": "x"})
    assert codes(variable("configMapKeyRef", name="settings", key="k"), config) == ["JW703"]
    assert codes(variable("configMapKeyRef", name="settings", key="k", optional=True), config) == []
    assert (
        codes(
            variable("configMapKeyRef", name="settings", key="k"), stored("ConfigMap", "settings")
        )
        == []
    )
    injected = stored("ConfigMap", "settings", data={"other": "x"})
    injected["metadata"]["labels"] = {"config.openshift.io/inject-trusted-cabundle": "true"}
    assert codes(variable("configMapKeyRef", name="settings", key="k"), injected) == []


def test_a_key_may_be_in_another_variant_of_the_object() -> None:
    value = variable("configMapKeyRef", name="settings", key="k")
    variants = [stored("ConfigMap", "settings", data={key: "x"}) for key in ("other", "k")]
    assert codes(value, *variants) == []


def service(name: str, cluster_ip: str | None = "None", **selector: str) -> dict[str, Any]:
    spec = {"clusterIP": cluster_ip} if cluster_ip else {}
    return stored("Service", name, spec={**spec, "selector": selector})


RING = job({"subdomain": "ring"}, completionMode="Indexed", completions=2)
RING["spec"]["template"]["metadata"] = {"labels": {"app": "allreduce"}}


@pytest.mark.parametrize(
    ("services", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param([service("other", app="web")], [], id="one of other Pods"),
        pytest.param([service("ring", app="allreduce")], [], id="by a label of the template"),
        pytest.param([service("ring", **{"job-name": "sample"})], [], id="by the name of the Job"),
        pytest.param(
            [service("ring", **{"batch.kubernetes.io/job-name": "sample"})],
            [],
            id="by its new label",
        ),
        pytest.param([service("ring")], [], id="without a selector"),
        pytest.param([service("ring", app="web")], ["JW704"], id="of other Pods"),
        pytest.param([service("ring", **{"job-name": "simple"})], ["JW704"], id="of another Job"),
        pytest.param(
            [service("ring", app="web"), service("ring", app="allreduce")], [], id="of two variants"
        ),
        pytest.param([service("rings", app="allreduce")], ["JW704"], id="of another name"),
        pytest.param([service("mesh", app="allreduce")], ["JW704"], id="of quite another name"),
        pytest.param(
            [service("a", app="allreduce"), service("b", app="allreduce")], [], id="of two names"
        ),
        pytest.param(
            [service("mesh", None, app="allreduce")], [], id="not headless, of another name"
        ),
        pytest.param([service("ring", None, app="allreduce")], ["JW705"], id="not headless"),
    ],
)
def test_a_subdomain_needs_its_service(services: list[dict[str, Any]], expected: list[str]) -> None:
    assert codes(RING, *services) == expected


def test_the_name_of_the_jobs_of_a_cron_job_is_unknown() -> None:
    value = cron_job(RING)
    assert codes(value, service("ring", **{"job-name": "sample-123"})) == []
    assert codes(value, service("mesh", **{"job-name": "sample-123"})) == []


words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=9)
names = st.lists(words, min_size=1, max_size=3).map("-".join)


@given(names, st.lists(names, max_size=5), st.sampled_from(["ServiceAccount", "Secret"]))
def test_a_reference_to_an_object_that_is_there_is_never_reported(
    name: str, others: list[str], kind: str
) -> None:
    value = job({"serviceAccountName": name, "imagePullSecrets": [{"name": name}]})
    beside = [stored(each, other) for other in others for each in ("ServiceAccount", "Secret")]
    own = [stored("ServiceAccount", name), stored("Secret", name)]
    assert codes(value, *beside, *own) == []


@given(names, names)
def test_a_fix_of_a_misspelling_is_final(name: str, other: str) -> None:
    assume(name != other)
    value, beside = job({"serviceAccountName": name}), stored("ServiceAccount", other)
    for finding in reported(value, beside):
        assert finding.fix is not None
        assert codes(edited(value, *finding.fix.edits), beside) == []


def test_a_name_may_be_anywhere_in_an_object_of_another_kind() -> None:
    data = [{"secretKey": "a"}, [{"target": SLIP}], 1]
    maker = {"apiVersion": "v1", "kind": "Maker", "metadata": {"name": "x"}, "spec": {"data": data}}
    value = job({"serviceAccountName": SLIP})
    assert codes(value, stored("ServiceAccount", MEANT)) == ["JW701"]
    assert codes(value, stored("ServiceAccount", MEANT), maker) == []


def test_values_are_not_kept() -> None:
    secret = stored(
        "Secret", "database", data={"password": "c2VjcmV0"}, stringData={"user": "root"}
    )
    kept = neighbor(secret)
    assert kept is not None
    assert kept.keys == {"password", "user"}
    assert "c2VjcmV0" not in repr(kept)
    assert "root" not in repr(kept)
    assert Neighbors.of([secret]).may_make("root") is False


def test_a_job_beside_which_nothing_is_has_no_neighbors() -> None:
    value = job()
    decoded = ENGINE.decode_object(value)
    for beside, expected in ((value, False), (stored("ConfigMap", "settings"), True)):
        subject = LintedJob(
            kind="Job",
            written=decoded.written,
            object=decoded.filled,
            spec=ENGINE.created_job(decoded)["spec"],
            server=ENGINE.server,
            neighbors=Neighbors.of([value, beside]),
        )
        assert (subject.neighbors is not None) is expected


def script(*command: str) -> dict[str, Any]:
    container = {"name": "main", "image": "kubectl:1", "command": list(command)}
    return job({"containers": [container]})


@pytest.mark.parametrize(
    ("writer", "reported_"),
    [
        (script("sh", "-ec", "createdb a\nkubectl patch secret/settings -p '{}'"), False),
        (script("kubectl", "patch", "secret", "settings", "-p", "{}"), False),
        (script("sh", "-c", "oc set data secret/$NAME --from-literal=k=v; echo key"), False),
        (script("python", "-c", "api.patch_namespaced_secret('settings', 'ns', body)"), False),
        (script("sh", "-c", "curl -X PATCH $API/secrets/settings"), False),
        (stored("ConfigMap", "scripts", data={"a.sh": "kubectl create secret generic settings"}), False),
        (script("kubectl", "get", "secret", "settings"), True),
        (script("kubectl", "patch", "secret", "other", "-p", "{}"), True),
        (script("echo", "settings"), True),
    ],
)  # fmt: skip
def test_a_script_beside_the_job_may_add_the_key(writer: dict[str, Any], reported_: bool) -> None:
    value = variable("secretKeyRef", name="settings", key="key")
    secret = stored("Secret", "settings", stringData={"host": "db"})
    assert codes(value, secret, writer) == (["JW703"] if reported_ else [])


@pytest.mark.parametrize(
    ("value", "is_reported"),
    [
        ("c2VjcmV0", True),
        ("ENC[AES256,data:x]", True),
        ("${HOST_B64}", True),
        ("not-base64", False),
    ],
)
def test_the_keys_of_a_sample_that_no_server_accepts_are_not_all(
    value: str, is_reported: bool
) -> None:
    sample = stored("Secret", "settings", data={"host": value})
    found = codes(variable("secretKeyRef", name="settings", key="key"), sample)
    assert found == (["JW703"] if is_reported else [])
