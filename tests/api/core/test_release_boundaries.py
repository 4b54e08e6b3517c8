"""Rules of Pods that a Kubernetes release changed: the verdict of the last release before, and of the first with it."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import RELEASES
from jobsworth.api.feature_gates import FEATURE_GATES
from support.validation.engine_errors import defaulted_pod, pod_errors, server

Pod = dict[str, Any]
MAIN = {"name": "main", "image": "busybox:1.36"}
GATES = (
    "InPlacePodVerticalScaling",
    "PodLevelResources",
    "ProcMountType",
    "TaintTolerationComparisonOperators",
    "UserNamespacesSupport",
)


def with_main(**container: Any) -> Pod:
    return {"containers": [{**MAIN, **container}]}


def with_setup(**container: Any) -> Pod:
    return {"initContainers": [{**MAIN, "name": "setup", **container}]}


def with_volume(**source: Any) -> Pod:
    return {"volumes": [{"name": "data", **source}]}


def with_claim(**spec: Any) -> Pod:
    requests = {"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteOnce"]}
    return with_volume(ephemeral={"volumeClaimTemplate": {"spec": {**requests, **spec}}})


def with_constraint(**fields: Any) -> Pod:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    return {"topologySpreadConstraints": [{**constraint, **fields}]}


def with_node_value(value: str) -> Pod:
    expression = {"key": "disk", "operator": "In", "values": [value]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


def resizing(policy: str) -> Pod:
    return {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": policy}]}


def said(pod: Pod, release: str) -> str:
    """Return all errors of a Pod, one line each; the gates of the fields in question are on."""
    minor = int(release.removeprefix("1."))
    since = {gate: int(FEATURE_GATES[gate][0][0].removeprefix("1.")) for gate in GATES}
    name_of = server(release).name_of
    known = {name_of(gate): True for gate in GATES if since[gate] <= minor}
    errors = pod_errors(pod, at=server(release, known))
    return "\n".join(sorted(f"{field}: {message}." for field, message in errors))


FROM: dict[str, tuple[str, Pod, str]] = {
    "the selector of a spread constraint is validated": (
        "1.27",
        with_constraint(labelSelector={"matchLabels": {"-": "a"}}),
        "labelSelector.matchLabels",
    ),
    "the API group of a data source is validated": (
        "1.29",
        with_claim(dataSource={"apiGroup": "No Group", "kind": "Snapshot", "name": "a"}),
        "dataSource.apiGroup",
    ),
    "sysctls of the host's namespaces are forbidden": (
        "1.29",
        {"hostNetwork": True, "securityContext": {"sysctls": [{"name": "net.a", "value": "1"}]}},
        "may not be specified when 'hostNetwork' is true",
    ),
    "an unmasked /proc requires a user namespace": (
        "1.30",
        with_main(securityContext={"procMount": "Unmasked"}),
        "`hostUsers` must be false",
    ),
    "the values of a required node term are validated": (
        "1.33",
        with_node_value("a b"),
        "values[0]",
    ),
    "the message about a sleep names the gate": (
        "1.32",
        with_main(lifecycle={"preStop": {"sleep": {"seconds": -1}}}),
        "Enable AllowPodLifecycleSleepActionZeroValue",
    ),
    "the message about host namespaces names the field": (
        "1.34",
        {"hostUsers": False, "hostPID": True},
        "when `hostUsers` is false",
    ),
    "block devices are forbidden in a user namespace": (
        "1.34",
        {
            "hostUsers": False,
            **with_main(volumeDevices=[{"name": "data", "devicePath": "/dev/a"}]),
            **with_volume(persistentVolumeClaim={"claimName": "a"}),
        },
        "volumeDevices: Forbidden",
    ),
    "resources of a Windows Pod are forbidden": (
        "1.34",
        {"os": {"name": "windows"}, "resources": {"limits": {"cpu": "1"}}},
        "may not be set for a windows pod",
    ),
    "the message about claims of a Pod says may": (
        "1.34",
        {"resources": {"claims": [{"name": "a"}]}},
        "claims may not be set",
    ),
    "the message about resizing names the Pod": (
        "1.36",
        with_main(**resizing("RestartContainer")),
        "when pod `restartPolicy` is 'Never'",
    ),
    "init containers may not restart to be resized": (
        "1.36",
        with_setup(**resizing("RestartContainer")),
        "for non-sidecar initContainers",
    ),
}
UNTIL: dict[str, tuple[str, Pod, str]] = {
    "there is no access mode for one Pod": (
        "1.27",
        with_claim(accessModes=["ReadWriteOncePod"]),
        "accessModes: Unsupported value",
    ),
    "a search list has six domains": (
        "1.26",
        {"dnsConfig": {"searches": ["a"] * 7}},
        "must not have more than 6 search paths",
    ),
    "init containers have no resize policy": (
        "1.33",
        with_setup(**resizing("NotRequired")),
        "must not be set for init containers",
    ),
    "the message about host namespaces names the Go field": (
        "1.34",
        {"hostUsers": False, "hostPID": True},
        "when `pod.Spec.HostUsers` is false",
    ),
    "a Pod requests what its containers do": (
        "1.34",
        {"resources": {"requests": {"memory": "1Mi"}}, **with_main(resources={"requests": {"cpu": "1"}})},
        "aggregate container requests of 1",
    ),
    "only two operators of tolerations are known": (
        "1.35",
        {"tolerations": [{"key": "a", "operator": "Lt", "value": "5"}]},
        'supported values: "Equal", "Exists".',
    ),
    "a CSI volume without a driver has an error about its format": (
        "1.35",
        with_volume(csi={}),
        "driver: Invalid value",
    ),
}  # fmt: skip


def before(release: str) -> str:
    return RELEASES[RELEASES.index(release) - 1]


@pytest.mark.parametrize(("release", "pod", "text"), FROM.values(), ids=FROM)
def test_since_a_release(release: str, pod: Pod, text: str) -> None:
    assert text in said(pod, release)
    assert text not in said(pod, before(release))


@pytest.mark.parametrize(("release", "pod", "text"), UNTIL.values(), ids=UNTIL)
def test_before_a_release(release: str, pod: Pod, text: str) -> None:
    assert text not in said(pod, release)
    assert text in said(pod, before(release))


def test_host_ports_are_filled_in_before_1_28() -> None:
    pod = {"hostNetwork": True, **with_main(ports=[{"containerPort": 80}])}
    for release, host_port in (("1.27", 80), ("1.28", None)):
        stored = defaulted_pod(pod, at=server(release))
        assert stored["containers"][0]["ports"][0].get("hostPort") == host_port


def test_a_stored_pod_keeps_what_a_release_has_forbidden() -> None:
    values = [
        with_constraint(labelSelector={"matchLabels": {"-": "a"}}),
        with_node_value("a b"),
        {"hostNetwork": True, "securityContext": {"sysctls": [{"name": "net.a", "value": "1"}]}},
        {"restartPolicy": "OnFailure", **with_setup(**resizing("RestartContainer"))},
    ]
    for pod in values:
        assert pod_errors(pod)
        assert pod_errors(pod, pod) == set()
