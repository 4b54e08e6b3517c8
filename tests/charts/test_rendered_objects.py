"""The objects that Helm renders of the chart, by what a cluster does with them; no cluster is needed."""

from __future__ import annotations

import functools
import json
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.programs import NEWEST, MissingProgram, find
from jobsworth.certificates.rotation import RotationPolicy, check
from jobsworth.findings.durations import nanoseconds_of

pytestmark = pytest.mark.slow  # helm renders each variant

CHART = Path(__file__).parents[2] / "charts" / "jobsworth"
VARIANTS = sorted((CHART / "ci").glob("*-values.yaml"))
EVERY_VARIANT = pytest.mark.parametrize("variant", VARIANTS, ids=lambda path: path.stem)
NAMESPACE = "jobsworth"
HELM_WAITS_SECONDS = 300
"""The default of ``helm uninstall --timeout``."""

Object = dict[str, Any]


@functools.cache
def _rendered(values: str, variant: Path | None) -> str:
    try:
        helm = find("helm")
    except MissingProgram as missing:
        pytest.skip(str(missing))
    files = [] if variant is None else ["--values", str(variant)]
    done = subprocess.run(
        [helm, "template", "jobsworth", str(CHART), "--namespace", NAMESPACE,
         "--kube-version", f"{NEWEST}.0", *files, "--values", "-"],
        input=values, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ValueError(done.stderr)
    return done.stdout


def rendered(values: Object | None = None, variant: Path | None = None) -> list[Object]:
    """Return the objects of the chart with these values."""
    text = _rendered(json.dumps(values or {}), variant)
    return [each for each in yaml.load_all(text, yaml.CSafeLoader) if each]


def one(objects: list[Object], kind: str, name: str = "jobsworth") -> Object:
    (found,) = (
        each for each in objects if each["kind"] == kind and each["metadata"]["name"] == name
    )
    return found


def webhooks(objects: list[Object]) -> Object:
    """Return the Deployment of the webhook."""
    (found,) = (
        each
        for each in objects
        if each["kind"] == "Deployment"
        and each["spec"]["selector"]["matchLabels"]["app.kubernetes.io/component"] == "webhook"
    )
    return found


def pods(objects: list[Object]) -> dict[str, Object]:
    """Return the metadata and spec of each Pod, by the name of its Pod or of the owner."""
    found = {}
    for each in objects:
        if each["kind"] == "Pod":
            found[each["metadata"]["name"]] = each
        elif each["kind"] in ("Deployment", "Job"):
            found[each["metadata"]["name"]] = each["spec"]["template"]
    return found


def selected(selector: Object, objects: list[Object]) -> set[str]:
    """Return the names of the Pods with these labels."""
    return {
        name
        for name, pod in pods(objects).items()
        if selector.items() <= pod["metadata"]["labels"].items()
    }


def containers(pod: Object) -> list[Object]:
    return [*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]]


# Webhook configurations


def test_webhook_configurations_have_the_annotations_and_labels_of_the_values() -> None:
    values = {
        "webhook": {"annotations": {"example.com/a": "b"}, "labels": {"example.com/c": "d"}},
        "registration": {"mode": "chart"},
    }
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        metadata = one(rendered(values), kind)["metadata"]
        assert metadata["annotations"] == {
            "admissions.enforcer/disabled": "true",
            "example.com/a": "b",
        }
        assert metadata["labels"]["example.com/c"] == "d"
        assert metadata["labels"]["app.kubernetes.io/name"] == "jobsworth"


# Certificates


@pytest.mark.parametrize("registration", ["manager", "chart"])
def test_with_cert_manager_the_sidecar_alone_brings_certificate_and_ca(registration: str) -> None:
    """The kubelet would bring the certificate, and the CA injector the CA, without waiting for each other."""
    objects = rendered(
        {"certificates": {"mode": "certManager"}, "registration": {"mode": registration}}
    )
    pod = webhooks(objects)["spec"]["template"]
    assert not any("secret" in volume for volume in pod["spec"]["volumes"])
    sidecar, _ = containers(pod)
    assert {
        "--issued-secret=jobsworth-certificates",
        "--secret=jobsworth-trusted-cas",
        "--validating-webhook-configuration=jobsworth",
    } <= set(sidecar["args"])
    assert "inject-ca-from" not in json.dumps(objects)
    certificate = next(
        each for each in objects if each["kind"] == "Certificate" and not each["spec"].get("isCA")
    )
    assert certificate["spec"]["secretName"] == "jobsworth-certificates"


def test_with_cert_manager_the_sidecar_may_only_read_the_certificate() -> None:
    role = one(rendered({"certificates": {"mode": "certManager"}}), "Role")
    verbs = {
        name: rule["verbs"]
        for rule in role["rules"]
        if rule["resources"] == ["secrets"]
        for name in rule["resourceNames"]
    }
    assert verbs == {
        "jobsworth-trusted-cas": ["get", "patch", "create", "watch"],
        "jobsworth-certificates": ["get", "watch"],
    }


LIFETIMES = [
    ({"renewBefore": "9999h"}, "duration 2160h must be longer than certificates.renewBefore 9999h"),
    ({"duration": "720h"}, "duration 720h must be longer than certificates.renewBefore 720h"),
    ({"duration": "719h59m"}, "duration 719h59m must be longer"),
    ({"caDuration": "2904h"}, "caDuration 2904h must be longer than duration 2160h, renewBefore 720h and 24h"),
    ({"renewBefore": "30s"}, "renewBefore 30s must be longer than 30s"),
]  # fmt: skip


@pytest.mark.parametrize(("lifetimes", "why"), LIFETIMES)
def test_lifetimes_with_which_the_sidecar_would_not_start_are_errors(
    lifetimes: Object, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        rendered({"certificates": lifetimes})


@pytest.mark.parametrize(
    "lifetimes",
    [{"duration": "720h1s"}, {"caDuration": "2904h0.1s"}, {"duration": "1h", "renewBefore": "31s"}],
)
def test_the_chart_accepts_the_lifetimes_that_the_sidecar_accepts(lifetimes: Object) -> None:
    pod = webhooks(rendered({"certificates": lifetimes}))["spec"]["template"]
    options = [each for each in containers(pod)[0]["args"] if "=" in each]
    given = dict(each.removeprefix("--").split("=", 1) for each in options)
    hours = {
        name: nanoseconds_of(given[name]) for name in ("duration", "renew-before", "ca-duration")
    }
    lifetime, renewed, ca = (timedelta(microseconds=each / 1000) for each in hours.values())
    check(RotationPolicy((), lifetime=lifetime, renew_before=renewed, ca_lifetime=ca))


def test_with_cert_manager_a_certificate_outlives_its_renewal() -> None:
    with pytest.raises(ValueError, match=r"must be longer than certificates\.renewBefore"):
        rendered({"certificates": {"mode": "certManager", "renewBefore": "9999h"}})


# Selectors


@EVERY_VARIANT
def test_selectors_match_the_pods_of_their_component_alone(variant: Path) -> None:
    objects = rendered({"networkPolicy": {"enabled": True}}, variant)
    webhook = webhooks(objects)["metadata"]["name"]
    controller, audit = f"{webhook}-job-controller", f"{webhook}-audit"
    expected = {
        ("Deployment", webhook): {webhook},
        ("Deployment", controller): {controller},
        ("Service", webhook): {webhook},
        ("Service", f"{webhook}-metrics"): {webhook, controller, audit} & set(pods(objects)),
        ("Deployment", audit): {audit},
        ("NetworkPolicy", audit): {audit},
        ("PodDisruptionBudget", webhook): {webhook},
        ("NetworkPolicy", webhook): {webhook},
        ("NetworkPolicy", controller): {controller},
        ("NetworkPolicy", f"{webhook}-test"): {f"{webhook}-test"},
    }
    for each in objects:
        spec = each.get("spec") or {}
        selector = spec.get("selector") or spec.get("podSelector")
        if selector is None or each["kind"] == "ServiceMonitor":
            continue
        key = each["kind"], each["metadata"]["name"]
        assert selected(selector.get("matchLabels", selector), objects) == expected[key], key
    for name, pod in pods(objects).items():
        for constraint in pod["spec"].get("topologySpreadConstraints", ()):
            labels = constraint["labelSelector"]["matchLabels"]
            assert selected(labels, objects) == {name}


def test_a_label_of_the_values_replaces_none_of_the_charts() -> None:
    for key in ("commonLabels", "podLabels"):
        with pytest.raises(ValueError, match=r"app\.kubernetes\.io/component"):
            rendered({key: {"app.kubernetes.io/component": "mine"}})


# Network policies


def _allows(
    policies: list[Object], direction: str, here: Object, peer: Object | None, port: Object
) -> bool:
    """Return True if the policies allow a Pod's connection, as an enforcing network plugin decides.

    Args:
        direction: ``ingress`` or ``egress``.
        here: the labels of the Pod.
        peer: the labels of the Pod at the other end, in the same namespace; None for another address.
        port: its number, name and protocol.
    """
    relevant = [
        each["spec"]
        for each in policies
        if each["spec"]["podSelector"].get("matchLabels", {}).items() <= here.items()
        and direction.capitalize() in each["spec"]["policyTypes"]
    ]
    side = "from" if direction == "ingress" else "to"
    rules = [rule for spec in relevant for rule in spec.get(direction, ())]
    return not relevant or any(
        _has_port(rule, port) and _has_peer(rule.get(side), peer) for rule in rules
    )


def _has_port(rule: Object, port: Object) -> bool:
    return any(
        each["port"] in (port["number"], port["name"])
        and each.get("protocol", "TCP") == port["protocol"]
        for each in rule["ports"]
    )


def _has_peer(peers: list[Object] | None, labels: Object | None) -> bool:
    return not peers or any(
        labels is not None
        and "podSelector" in each
        and each["podSelector"]["matchLabels"].items() <= labels.items()
        for each in peers
    )


DENY_BY_DEFAULT = {"spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}}


@pytest.mark.parametrize("mode", ["selfManaged", "certManager"])
@pytest.mark.parametrize("others", [[], [DENY_BY_DEFAULT]], ids=["alone", "deny-by-default"])
def test_network_policies_let_helm_test_pass(others: list[Object], mode: str) -> None:
    objects = rendered({"networkPolicy": {"enabled": True}, "certificates": {"mode": mode}})
    policies = [*others, *(each for each in objects if each["kind"] == "NetworkPolicy")]
    webhook, test = (pods(objects)[name] for name in ("jobsworth", "jobsworth-test"))
    (port,) = (
        each for each in webhook["spec"]["containers"][0]["ports"] if each["name"] == "webhook"
    )
    target = {"number": port["containerPort"], "name": "webhook", "protocol": "TCP"}
    dns = {"number": 53, "name": "dns", "protocol": "UDP"}
    ours, theirs = test["metadata"]["labels"], webhook["metadata"]["labels"]
    assert _allows(policies, "egress", ours, None, dns)
    assert _allows(policies, "egress", ours, theirs, target)
    assert _allows(policies, "ingress", theirs, ours, target)


def test_network_policies_let_what_calls_the_api_server_reach_it_and_nothing_else() -> None:
    values = {
        "networkPolicy": {"enabled": True},
        "controller": {"enabled": True},
        "certificates": {"mode": "existingSecret", "existingSecret": {"name": "tls"}},
        "webhook": {"kubernetesVersion": "1.36"},
    }
    objects = rendered(values)
    policies = [each for each in objects if each["kind"] == "NetworkPolicy"]
    port = {"number": 443, "name": "https", "protocol": "TCP"}
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(objects).items()}
    assert not _allows(policies, "egress", labels["jobsworth"], None, port)
    assert _allows(policies, "egress", labels["jobsworth-job-controller"], None, port)
    assert _allows(policies, "egress", labels["jobsworth-release-finalizers"], None, port)
    asking = rendered({**values, "webhook": {"kubernetesVersion": "auto"}})
    policies = [each for each in asking if each["kind"] == "NetworkPolicy"]
    assert _allows(policies, "egress", labels["jobsworth"], None, port)


# Services


def test_metrics_have_a_service_of_their_own_that_no_load_balancer_publishes() -> None:
    objects = rendered({"service": {"type": "LoadBalancer"}, "controller": {"enabled": True}})
    webhook = one(objects, "Service")["spec"]
    assert webhook["type"] == "LoadBalancer"
    assert [port["name"] for port in webhook["ports"]] == ["webhook"]
    metrics = one(objects, "Service", "jobsworth-metrics")["spec"]
    assert metrics["type"] == "ClusterIP"
    assert [port["name"] for port in metrics["ports"]] == ["metrics", "job-metrics"]


def test_a_service_monitor_selects_the_metrics_service_alone() -> None:
    objects = rendered({"serviceMonitor": {"enabled": True}, "controller": {"enabled": True}})
    monitor = one(objects, "ServiceMonitor")["spec"]
    labels = monitor["selector"]["matchLabels"]
    (service,) = (
        each
        for each in objects
        if each["kind"] == "Service" and labels.items() <= each["metadata"]["labels"].items()
    )
    assert [each["port"] for each in monitor["endpoints"]] == [
        port["name"] for port in service["spec"]["ports"]
    ]


def test_every_service_gets_the_ip_families_of_the_values() -> None:
    objects = rendered({"service": {"ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv6"]}})
    specs = [each["spec"] for each in objects if each["kind"] == "Service"]
    assert len(specs) == 2
    for spec in specs:
        assert spec["ipFamilyPolicy"] == "SingleStack"
        assert spec["ipFamilies"] == ["IPv6"]
    for each in rendered():
        if each["kind"] == "Service":
            assert not {"ipFamilies", "ipFamilyPolicy"} & set(each["spec"])


# Pods


@EVERY_VARIANT
def test_no_pod_names_a_user_and_none_runs_as_root(variant: Path) -> None:
    for pod in pods(rendered(variant=variant)).values():
        contexts = [each["securityContext"] for each in containers(pod)]
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        for context in (pod["spec"]["securityContext"], *contexts):
            assert not {"runAsUser", "runAsGroup", "fsGroup"} & set(context)


@EVERY_VARIANT
def test_no_two_containers_of_a_pod_use_the_same_port(variant: Path) -> None:
    for pod in pods(rendered(variant=variant)).values():
        numbers = [
            port["containerPort"] for each in containers(pod) for port in each.get("ports", ())
        ]
        assert len(set(numbers)) == len(numbers)


@EVERY_VARIANT
def test_a_roll_out_never_waits_for_a_port_of_a_node(variant: Path) -> None:
    objects = rendered(variant=variant)
    deployment = webhooks(objects)["spec"]
    rolling = deployment["strategy"]["rollingUpdate"]
    if deployment["template"]["spec"].get("hostNetwork"):
        assert rolling["maxUnavailable"] >= 1
    elif "everything" not in variant.stem:
        assert rolling == {"maxUnavailable": 0, "maxSurge": 1}


def test_the_strategy_of_the_values_is_that_of_the_deployment() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}}
    objects = rendered({"updateStrategy": strategy})
    assert one(objects, "Deployment")["spec"]["strategy"] == strategy


def test_the_kubelets_port_is_not_used_on_the_network_of_the_node() -> None:
    with pytest.raises(ValueError, match=r"requires another webhook\.port, for example 9443"):
        rendered({"webhook": {"hostNetwork": True}})


def test_volumes_and_mounts_of_the_values_are_those_of_the_webhook() -> None:
    volume = {"name": "client-ca", "configMap": {"name": "client-ca"}}
    mount = {"name": "client-ca", "mountPath": "/etc/client-ca"}
    objects = rendered({"extraVolumes": [volume], "extraVolumeMounts": [mount]})
    spec = pods(objects)["jobsworth"]["spec"]
    assert volume in spec["volumes"]
    assert [each["name"] for each in spec["containers"] if mount in each["volumeMounts"]] == [
        "webhook"
    ]


def test_objects_of_the_values_belong_to_the_release() -> None:
    written = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "{{ .Release.Name }}-a"},
    }
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-b'}\n"
    objects = rendered({"extraObjects": [written, text]})
    for name in ("jobsworth-a", "jobsworth-b"):
        assert one(objects, "ConfigMap", name)


def test_common_labels_are_on_every_object_and_pod() -> None:
    values = {
        "commonLabels": {"example.com/team": "batch"},
        **{name: {"enabled": True} for name in (
            "controller", "autoscaling", "networkPolicy", "serviceMonitor", "prometheusRule", "dashboard",
        )},
    }  # fmt: skip
    objects = rendered(values)
    for each in [*objects, *pods(objects).values()]:
        assert each["metadata"]["labels"]["example.com/team"] == "batch", each


def test_a_critical_class_comes_with_the_quota_that_gke_requires() -> None:
    objects = rendered()
    assert pods(objects)["jobsworth"]["spec"]["priorityClassName"] == "system-cluster-critical"
    quota = one(objects, "ResourceQuota", "jobsworth-critical-pods")["spec"]
    (expression,) = quota["scopeSelector"]["matchExpressions"]
    assert expression["values"] == ["system-cluster-critical"]
    for values in ({"priorityClassName": ""}, {"priorityClassName": "batch-high"}):
        assert not [each for each in rendered(values) if each["kind"] == "ResourceQuota"]


# The controller


def test_the_controllers_permissions_are_not_the_webhooks() -> None:
    objects = rendered({"controller": {"enabled": True}})
    accounts = {name: pod["spec"]["serviceAccountName"] for name, pod in pods(objects).items()
                if name != "jobsworth-test"}  # fmt: skip
    assert len(set(accounts.values())) == 3
    rules = {
        binding["subjects"][0]["name"]: one(objects, "ClusterRole", binding["roleRef"]["name"])["rules"]
        for binding in objects
        if binding["kind"] == "ClusterRoleBinding"
    }  # fmt: skip
    assert not any("pods" in rule["resources"] for rule in rules[accounts["jobsworth"]])
    groups = [rule["apiGroups"] for rule in rules[accounts["jobsworth-job-controller"]]]
    assert ["admissionregistration.k8s.io"] not in groups


def test_an_autoscaler_multiplies_webhooks_only() -> None:
    objects = rendered({"controller": {"enabled": True}, "autoscaling": {"enabled": True}})
    target = one(objects, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert target["name"] == "jobsworth"
    assert [each["name"] for each in pods(objects)["jobsworth"]["spec"]["containers"]] == [
        "webhook"
    ]
    assert "replicas" not in one(objects, "Deployment")["spec"]
    assert one(objects, "Deployment", "jobsworth-job-controller")["spec"]["replicas"] == 2


PAIR = {
    "controller": {"enabled": True, "placement": "sidecar"},
    "audit": {"enabled": True, "placement": "sidecar"},
}


def test_sidecars_share_the_pod_the_account_and_the_policies_of_the_webhook() -> None:
    policies = {"few": {"limits": {"backoffLimit": {"maximum": 3}}}}
    objects = rendered({**PAIR, "policies": policies})
    (name,) = (each["metadata"]["name"] for each in objects if each["kind"] == "Deployment")
    pod = pods(objects)[name]["spec"]
    assert [each["name"] for each in pod["containers"]] == ["webhook", "job-controller", "audit"]
    for container in pod["containers"]:
        assert "--policy=/etc/jobsworth/policies" in container["args"]
        assert "policies" in [mount["name"] for mount in container["volumeMounts"]]
        assert {"startupProbe", "livenessProbe"} <= set(container)
        # A controller that fills its caches must not take the webhook out of its Service.
        assert ("readinessProbe" in container) == (container["name"] == "webhook")
    subjects = {
        each["subjects"][0]["name"]
        for each in objects
        if each["kind"].endswith("RoleBinding") and "helm.sh/hook" not in str(each["metadata"])
    }
    assert subjects == {pod["serviceAccountName"]}


def test_a_port_that_two_sidecars_want_is_an_error() -> None:
    taken = {"controller": {**PAIR["controller"], "monitorPort": 8080}}
    with pytest.raises(ValueError, match="port 8080 is used twice"):
        rendered(taken)


def test_the_port_of_the_webhook_is_not_that_of_its_monitor() -> None:
    with pytest.raises(ValueError, match=r"port 10250 is used twice.*webhook\.monitorPort"):
        rendered({"webhook": {"monitorPort": 10250}})


def test_further_containers_of_the_values_run_beside_the_webhook() -> None:
    objects = rendered({"extraContainers": [{"name": "mesh", "image": "mesh:1"}]})
    assert pods(objects)["jobsworth"]["spec"]["containers"][-1]["name"] == "mesh"


# Uninstalling


def test_uninstalling_ends_before_helm_gives_up_and_leaves_nothing() -> None:
    objects = rendered({"controller": {"enabled": True}})
    job = one(objects, "Job", "jobsworth-release-finalizers")["spec"]
    assert job["activeDeadlineSeconds"] < HELM_WAITS_SECONDS
    hooks = [
        each["metadata"]["annotations"]
        for each in objects
        if each["metadata"].get("annotations", {}).get("helm.sh/hook") == "post-delete"
    ]
    assert len(hooks) == 4
    for hook in hooks:
        policy = hook["helm.sh/hook-delete-policy"].split(",")
        assert {"hook-succeeded", "hook-failed"} < set(policy)


# Platforms


def _variant(name: str) -> list[Object]:
    return rendered(variant=CHART / "ci" / f"{name}-values.yaml")


def _configurations(objects: list[Object]) -> list[Object]:
    return [each for each in objects if each["kind"].endswith("WebhookConfiguration")]


def _gke() -> None:
    objects = _variant("gke")
    assert _webhook_port(objects) == 10250
    assert one(objects, "ResourceQuota", "jobsworth-critical-pods")


def _aks() -> None:
    for each in _configurations(_variant("aks")):
        assert each["metadata"]["annotations"]["admissions.enforcer/disabled"] == "true"


def _eks() -> None:
    spec = pods(_variant("eks"))["jobsworth"]["spec"]
    assert spec["hostNetwork"] is True
    assert _webhook_port(_variant("eks")) != 10250


def _openshift() -> None:
    for pod in pods(_variant("openshift")).values():
        assert set(pod["spec"]["securityContext"]) == {"runAsNonRoot", "seccompProfile"}


def _ipv6() -> None:
    objects = _variant("ipv6")
    families = [each["spec"]["ipFamilies"] for each in objects if each["kind"] == "Service"]
    assert families == [["IPv6"], ["IPv6"]]
    arguments = [
        argument for pod in pods(objects).values() for each in containers(pod)
        for argument in each.get("args", ()) if argument.startswith(("--bind", "--monitor", "--monitor-bind"))
    ]  # fmt: skip
    assert arguments == ["--monitor-bind=:8081", "--bind=:10250", "--monitor-bind=:8080"]


def _argocd() -> None:
    objects = _variant("argocd")
    hooks = {each["metadata"].get("annotations", {}).get("helm.sh/hook") for each in objects}
    assert hooks == {None, "test"}
    assert "replicas" not in one(objects, "Deployment")["spec"]
    again = _rendered.__wrapped__("{}", CHART / "ci" / "argocd-values.yaml")
    assert again == _rendered("{}", CHART / "ci" / "argocd-values.yaml")  # nothing random
    for each in _configurations(objects):
        assert "caBundle" not in each["webhooks"][0]["clientConfig"]


def _webhook_port(objects: list[Object]) -> int:
    (port,) = (
        each["containerPort"]
        for each in pods(objects)["jobsworth"]["spec"]["containers"][0]["ports"]
        if each["name"] == "webhook"
    )
    return int(port)


@pytest.mark.parametrize("check", [_gke, _aks, _eks, _openshift, _ipv6, _argocd])
def test_a_platform_gets_what_it_requires(check: Callable[[], None]) -> None:
    check()


def test_the_audit_may_list_admission_policies_and_their_params_only_if_it_evaluates_them() -> None:
    def listed(**values: Any) -> dict[str, list[str]]:
        objects = rendered({"audit": {"enabled": True, **values}})
        rules = one(objects, "ClusterRole", "jobsworth-audit")["rules"]
        return {resource: rule["verbs"] for rule in rules for resource in rule["resources"]}

    policies = [
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
        "namespaces",
    ]
    assert listed().keys().isdisjoint([*policies, "configmaps"])
    params = [{"apiGroup": "", "resources": ["configmaps"]}]
    granted = listed(admissionPolicies={"enabled": True, "params": params})
    assert [granted[each] for each in [*policies, "configmaps"]] == [["list"]] * 6
