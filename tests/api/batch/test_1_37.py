"""The fields that are new in Kubernetes 1.37; all are alpha (source: the types of ``k8s.io/api`` 0.37.1)."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for
from support.api_server.stored_objects import manifest, stored
from support.validation.engine_errors import defaulted_pod, errors_of, pod_errors, server
from support.validation.validated_jobs import job, job_errors

GATES = (
    "EvictionRequestAPI",
    "GRPCContainerProbeTLS",
    "GenericWorkload",
    "H2CContainerProbe",
    "VolumeBindMountOptions",
    "WorkloadWithJob",
)
ON = server("1.37", dict.fromkeys(GATES, True))
GANG = {"schedulingPolicy": {"gang": {"minCount": 2}}}


def responders(*names: str, priority: int = 1000) -> dict[str, Any]:
    return {"evictionResponders": [{"name": name, "priority": priority} for name in names]}


def probing(**probe: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "busybox:1.36", "livenessProbe": probe}]}


def mounting(*options: str) -> dict[str, Any]:
    mount = {"name": "data", "mountPath": "/data", "bindMountOptions": [*options]}
    return {
        "volumes": [{"name": "data", "emptyDir": {}}],
        "containers": [{"name": "main", "image": "busybox:1.36", "volumeMounts": [mount]}],
    }


ACCEPTED = {
    "responders": responders("acme.io/drain", "acme.io/save"),
    "HTTP/2 probe": probing(httpGet={"port": 80, "protocol": "HTTP2"}),
    "gRPC probe over TLS": probing(grpc={"port": 80, "mode": "TLS"}),
    "bind mount options": mounting("noexec", "nosuid"),
}
REJECTED: dict[str, tuple[dict[str, Any], str, str]] = {
    "responder without domain": (
        responders("drain"),
        "evictionResponders[0].name",
        'must be a domain-prefixed key (such as "acme.io/foo")',
    ),
    "responder twice": (
        responders("acme.io/a", "acme.io/a"),
        "evictionResponders[1]",
        'Duplicate value: {"name":"acme.io/a"}',
    ),
    "priority too high": (
        responders("acme.io/a", priority=100_001),
        "evictionResponders[0].priority",
        "must be less than or equal to 100000",
    ),
    "priority too low": (
        responders("acme.io/a", priority=-1),
        "evictionResponders[0].priority",
        "must be greater than or equal to 0",
    ),
    "too many responders": (
        responders(*(f"acme.io/{number}" for number in range(11))),
        "evictionResponders",
        "Too many: 11: must have at most 10 items",
    ),
    "unknown protocol": (
        probing(httpGet={"port": 80, "protocol": "HTTP3"}),
        "containers[0].livenessProbe.httpGet.protocol",
        'supported values: "HTTP1", "HTTP2"',
    ),
    "unknown mode": (
        probing(grpc={"port": 80, "mode": "mTLS"}),
        "containers[0].livenessProbe.grpc.mode",
        'supported values: "Plaintext", "TLS"',
    ),
    "unknown mount option": (
        mounting("ro"),
        "containers[0].volumeMounts[0].bindMountOptions[0]",
        'supported values: "nodev", "noexec", "nosuid"',
    ),
    "mount option twice": (
        mounting("nodev", "nodev"),
        "containers[0].volumeMounts[0].bindMountOptions[1]",
        'Duplicate value: "nodev"',
    ),
}


@pytest.mark.parametrize("pod", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_pod_may_have(pod: dict[str, Any]) -> None:
    assert pod_errors(pod, at=ON) == set()


@pytest.mark.parametrize(("pod", "field", "detail"), REJECTED.values(), ids=REJECTED.keys())
def test_a_pod_may_not_have(pod: dict[str, Any], field: str, detail: str) -> None:
    found = dict(pod_errors(pod, at=ON))
    assert list(found) == [field]
    assert found[field].endswith(detail)


def test_by_default_the_server_drops_them() -> None:
    assert "evictionResponders" not in defaulted_pod(responders("drain"), at=server("1.37"))
    assert pod_errors(mounting("ro"), at=server("1.37")) == set()


SCHEDULING: dict[str, tuple[dict[str, Any], str, str]] = {
    "two policies": (
        {"schedulingPolicy": {"basic": {}, "gang": {}}},
        "scheduling.schedulingPolicy",
        'Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
    ),
    "no policy": (
        {"schedulingPolicy": {}},
        "scheduling.schedulingPolicy",
        'Invalid value: "": must specify one of: `basic`, `gang`',
    ),
    "empty gang": (
        {"schedulingPolicy": {"gang": {"minCount": 0}}},
        "scheduling.schedulingPolicy.gang.minCount",
        "Invalid value: 0: must be greater than or equal to 1",
    ),
    "two topologies": (
        {"schedulingConstraints": {"topology": [{"key": "zone"}, {"key": "rack"}]}},
        "scheduling.schedulingConstraints.topology",
        "Too many: 2: must have at most 1 item",
    ),
    "no mode": (
        {"disruptionMode": {}},
        "scheduling.disruptionMode",
        'Invalid value: "": must specify one of: `single`, `all`',
    ),
    "claim of nothing": (
        {"resourceClaims": [{"name": "gpu"}]},
        "scheduling.resourceClaims[0]",
        'Invalid value: "": must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ),
}


@pytest.mark.parametrize(
    ("scheduling", "field", "message"), SCHEDULING.values(), ids=SCHEDULING.keys()
)
def test_the_scheduling_of_a_job_may_not_have(
    scheduling: dict[str, Any], field: str, message: str
) -> None:
    assert job_errors(job(scheduling=scheduling), at=ON) == {field: message}


def test_only_the_size_of_a_gang_may_change() -> None:
    old = stored_with(GANG)
    assert errors_of(with_scheduling(old, {"schedulingPolicy": {"gang": {}}}), old, at=ON) == set()
    basic = with_scheduling(old, {"schedulingPolicy": {"basic": {}}})
    assert {field for field, _ in errors_of(basic, old, at=ON)} == {
        "spec.scheduling.schedulingPolicy"
    }
    placed = {**GANG, "schedulingConstraints": {"topology": [{"key": "zone"}]}}
    assert {field for field, _ in errors_of(with_scheduling(old, placed), old, at=ON)} == {
        "spec.scheduling.schedulingConstraints"
    }


def stored_with(scheduling: dict[str, Any]) -> dict[str, Any]:
    return with_scheduling(stored(manifest(), release="1.37"), scheduling)


def with_scheduling(old: dict[str, Any], scheduling: dict[str, Any]) -> dict[str, Any]:
    return {**old, "spec": {**old["spec"], "scheduling": scheduling}}


def test_gates_of_1_37_do_not_exist_before() -> None:
    assert not ApiServer("1.36").can_change("EvictionRequestAPI")
    assert engine_for(server("1.37")).server.can_change("EvictionRequestAPI")
