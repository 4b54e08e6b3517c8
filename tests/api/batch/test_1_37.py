"""What is new in Kubernetes 1.37: alpha fields, and stricter or looser rules."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.validation_request import job_spec_of
from jobsworth.validation.engine import engine_for
from support.api_server.gates import can_change
from support.api_server.stored_objects import manifest, stored
from support.validation.engine_errors import (
    defaulted,
    defaulted_pod,
    errors_of,
    pod_errors,
    server,
)
from support.validation.validated_jobs import cron_job, job, job_errors

if TYPE_CHECKING:
    from collections.abc import Callable

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
        "must include a prefix (e.g. 'example.com/key')",
    ),
    "responder twice": (
        responders("acme.io/a", "acme.io/a"),
        "evictionResponders[1]",
        'Duplicate value: {"name":"acme.io/a","priority":1000}',
    ),
    "priority too high": (
        responders("acme.io/a", priority=100_001),
        "evictionResponders[0].priority",
        "must be less than or equal to 100000",
    ),
    "responder of Kubernetes": (
        responders("drain.k8s.io/a"),
        "evictionResponders[0].name",
        "domain names *.k8s.io, *.kubernetes.io are reserved",
    ),
    "responder of the domain itself": (
        responders("kubernetes.io/a"),
        "evictionResponders[0].name",
        "domain names *.k8s.io, *.kubernetes.io are reserved",
    ),
    "reserved priority": (
        responders("acme.io/a", priority=999),
        "evictionResponders[0].priority",
        "priorities 0-999 are reserved for responders with *.k8s.io suffix",
    ),
    "responder in a scheduling group": (
        {**responders("acme.io/a"), "schedulingGroup": {"podGroupName": "team"}},
        "schedulingGroup",
        "may not be set when evictionResponders is set",
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
    "HTTP/2 over TLS": (
        probing(httpGet={"port": 80, "protocol": "HTTP2", "scheme": "HTTPS"}),
        "containers[0].livenessProbe.httpGet.protocol",
        "is only supported with HTTP (H2C)",
    ),
    "HTTP/2 of another host": (
        probing(httpGet={"port": 80, "protocol": "HTTP2", "host": "example.com"}),
        "containers[0].livenessProbe.httpGet.host",
        'must be empty when `protocol` is "HTTP2"',
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
    "a gang of more Pods than run at once": (
        GANG,
        "scheduling.schedulingPolicy.gang.minCount",
        "Invalid value: 2: must not be greater than parallelism (1)",
    ),
    "disruption of all Pods that are scheduled one by one": (
        {"disruptionMode": {"all": {}}},
        "scheduling.disruptionMode",
        'Invalid value: "": the disruptionMode `all` is not supported with the Basic scheduling policy',
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


def test_all_pods_of_a_gang_may_be_disrupted_together() -> None:
    together = {**GANG, "disruptionMode": {"all": {}}}
    assert job_errors(job(parallelism=2, scheduling=together), at=ON) == {}


CLEARED, SET = "field cannot be cleared once set", "field cannot be set once created"
PLACED = {"schedulingConstraints": {"topology": [{"key": "zone"}]}}
UPDATES: dict[str, tuple[dict[str, Any] | None, dict[str, Any] | None, dict[str, str]]] = {
    "no change": (GANG, GANG, {}),
    "another size of the gang": (GANG, {"schedulingPolicy": {"gang": {"minCount": 1}}}, {}),
    "another policy": (
        GANG,
        {"schedulingPolicy": {"basic": {}}},
        {".schedulingPolicy": "the basic/gang policy variant is immutable after creation;"},
    ),
    "no policy any more": (GANG, PLACED, {".schedulingPolicy": CLEARED,
        ".schedulingConstraints": "field is immutable"}),
    "a first policy": (PLACED, {**PLACED, **GANG}, {".schedulingPolicy": SET}),
    "a first policy, whatever is wrong with it": (
        PLACED,
        {**PLACED, "schedulingPolicy": {"basic": {}, "gang": {"minCount": 0}}},
        {".schedulingPolicy": SET},
    ),
    "no scheduling any more": (GANG, None, {"": CLEARED}),
    "a first scheduling, whatever is wrong with it": (None, {"schedulingPolicy": {}}, {"": SET}),
    "constraints, whatever is wrong with them": (
        GANG,
        {**GANG, "schedulingConstraints": {"topology": [{"key": "?"}] * 2}},
        {".schedulingConstraints": "field is immutable"},
    ),
    "a mode of disruption": (
        GANG,
        {**GANG, "disruptionMode": {"all": {}}},
        {".disruptionMode": "field is immutable"},
    ),
    "claims": (
        GANG,
        {**GANG, "resourceClaims": [{"name": "a"}] * 2},
        {".resourceClaims": "field is immutable"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), UPDATES.values(), ids=UPDATES.keys())
def test_of_the_scheduling_only_the_size_of_a_gang_may_change(
    old: dict[str, Any] | None, new: dict[str, Any] | None, expected: dict[str, str]
) -> None:
    was = stored_with(old)
    found = dict(errors_of(with_scheduling(was, new), was, at=ON))
    assert {field.removeprefix("spec.scheduling") for field in found} == expected.keys()
    for field, detail in expected.items():
        message = found[f"spec.scheduling{field}"]
        assert message.partition("; ")[0] == f"Invalid value: null: {detail}".rstrip(";")


def test_a_cron_job_may_change_the_policy_but_not_add_the_scheduling() -> None:
    def nightly(scheduling: dict[str, Any] | None) -> dict[str, Any]:
        return cron_job({"parallelism": 2, **({"scheduling": scheduling} if scheduling else {})})

    gang, basic = nightly(GANG), nightly({"schedulingPolicy": {"basic": {}}})
    assert errors_of(basic, gang, at=ON) == set()
    assert {field for field, _ in errors_of(gang, nightly(None), at=ON)} == {
        "spec.jobTemplate.spec.scheduling"
    }


@pytest.mark.parametrize(
    "make", [lambda: job(scheduling=GANG), lambda: cron_job({"scheduling": GANG})]
)
def test_while_the_gate_is_off_jobs_and_cron_jobs_lose_the_scheduling(
    make: Callable[[], dict[str, Any]],
) -> None:
    off = server("1.37")
    value = make()
    assert "scheduling" not in job_spec_of(defaulted(value, at=off))
    warned = [finding.field for finding in engine_for(off).validate(value)]
    assert [field.rpartition(".")[2] for field in warned] == ["scheduling"]


def test_while_the_gate_is_off_stored_scheduling_stays_as_it_is() -> None:
    off, was = server("1.37"), stored_with(GANG)
    assert errors_of(was, was, at=off) == set()
    assert "scheduling" in engine_for(off).default(was, was)["spec"]
    smaller = with_scheduling(was, {"schedulingPolicy": {"gang": {"minCount": 0}}})
    assert errors_of(smaller, was, at=off) == {("spec.scheduling", "Forbidden")}


OWNERS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "no version": (
        {"apiVersion": ""}, "apiVersion",
        "Required value: must not be empty", 'Invalid value: "": version must not be empty',
    ),
    "no kind": (
        {"kind": ""}, "kind",
        "Required value: must not be empty", 'Invalid value: "": must not be empty',
    ),
    "a version with two groups": (
        {"apiVersion": "a/b/v1"}, "apiVersion",
        'Invalid value: "a/b/v1": must be <group>/<version> or <version>',
        'Invalid value: "a/b/v1": version must not be empty',
    ),
    "a group without a version": (
        {"apiVersion": "apps/"}, "apiVersion",
        'Invalid value: "apps/": must be <group>/<version> or <version>',
        'Invalid value: "apps/": version must not be empty',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("part", "field", "message", "former"), OWNERS.values(), ids=OWNERS.keys())
def test_errors_of_owners_name_their_index(
    part: dict[str, Any], field: str, message: str, former: str
) -> None:
    value = job()
    whole = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "1"}
    value["metadata"]["ownerReferences"] = [whole, {**whole, **part}]
    at = "metadata.ownerReferences"
    assert job_errors(value, at=server("1.37")) == {f"{at}[1].{field}": message}
    assert job_errors(value, at=server("1.36")) == {f"{at}.{field}": former}


def test_updates_do_not_repeat_what_is_wrong_with_generated_labels() -> None:
    was = stored(manifest(), release="1.37")
    changed = copy.deepcopy(was)
    changed["spec"]["template"]["metadata"]["labels"]["job-name"] = "another"
    assert {field for field, _ in errors_of(changed, was, at=server("1.37"))} == {"spec.template"}
    assert {field for field, _ in errors_of(changed, was, at=server("1.36"))} == {
        "spec.template",
        "spec.template.metadata.labels[job-name]",
    }


def test_a_template_names_the_image_of_a_volume_unless_the_stored_one_does_not() -> None:
    unnamed: dict[str, Any] = {"volumes": [{"name": "model", "image": {}}]}
    named: dict[str, Any] = {"volumes": [{"name": "model", "image": {"reference": "model:1"}}]}
    required = {("volumes[0].image.reference", "Required value")}
    assert pod_errors(unnamed, at=server("1.36")) == set()
    assert pod_errors(unnamed, at=server("1.37")) == required
    assert pod_errors(unnamed, named, at=server("1.37")) == required
    assert pod_errors(unnamed, unnamed, at=server("1.37")) == set()


@pytest.mark.parametrize("field", ["containers", "initContainers"])
def test_capabilities_that_contradict_privilege_escalation_stay_if_they_are_stored(
    field: str,
) -> None:
    def adding(*, escalation: bool | None) -> dict[str, Any]:
        context: dict[str, Any] = {"capabilities": {"add": ["CAP_SYS_ADMIN"]}}
        if escalation is not None:
            context["allowPrivilegeEscalation"] = escalation
        main = {"name": "main", "image": "a"}
        return {"containers": [main], field: [{**main, "name": "x", "securityContext": context}]}

    wrong = adding(escalation=False)
    for stored_escalation, stays in ((False, True), (None, True), (True, False)):
        old = adding(escalation=stored_escalation)
        assert (pod_errors(wrong, old, at=server("1.37")) == set()) is stays
        assert pod_errors(wrong, old, at=server("1.36")) != set()


def stored_with(scheduling: dict[str, Any] | None) -> dict[str, Any]:
    return with_scheduling(stored(manifest(parallelism=2), release="1.37"), scheduling)


def with_scheduling(old: dict[str, Any], scheduling: dict[str, Any] | None) -> dict[str, Any]:
    spec = {name: value for name, value in old["spec"].items() if name != "scheduling"}
    return {**old, "spec": spec if scheduling is None else {**spec, "scheduling": scheduling}}


def test_gates_of_1_37_do_not_exist_before() -> None:
    assert not can_change(ApiServer("1.36"), "EvictionRequestAPI")
    assert can_change(ApiServer("1.37"), "EvictionRequestAPI")
