"""The API server's warnings about Pod templates and Jobs, by release.

The recorded servers (tests/recorded) hold the engine to many more; here is what each kind looks like.
"""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for
from support.validation.engine_errors import job_with, server

SPEC = "spec.template.spec"
META = "spec.template.metadata.annotations"
MAIN = {"name": "main", "image": "busybox:1.36"}
TERM = {"topologyKey": "kubernetes.io/hostname"}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NO_SELECTOR = "a null labelSelector results in matching no pod"
ARCH = 'deprecated since v1.14; use "kubernetes.io/arch" instead'

Warned = list[tuple[str, str]]


def warnings(value: dict[str, Any], old: Any = None, *, at: ApiServer | None = None) -> Warned:
    """Return path and message of each warning about a create or an update, which is valid."""
    found = engine_for(at or server()).validate(value, old)
    assert {finding.code for finding in found} <= {"JW023"}, found
    return [(finding.field, finding.message) for finding in found]


KINDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "an old label of nodes in the selector": (
        {"nodeSelector": {"beta.kubernetes.io/arch": "amd64"}},
        "nodeSelector[beta.kubernetes.io/arch]",
        ARCH,
    ),
    "an old label of nodes in the affinity": (
        {
            "affinity": {
                "nodeAffinity": {
                    REQUIRED: {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {"key": "beta.kubernetes.io/arch", "operator": "Exists"}
                                ]
                            }
                        ]
                    }
                }
            }
        },
        f"affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].key",
        f"beta.kubernetes.io/arch is {ARCH}",
    ),
    "a Pod affinity without selector": (
        {"affinity": {"podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": TERM}]}}},
        f"affinity.podAntiAffinity.{PREFERRED}[0].podAffinityTerm.labelSelector",
        NO_SELECTOR,
    ),
    "a spread without selector": (
        {
            "topologySpreadConstraints": [
                {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
            ]
        },
        "topologySpreadConstraints[0].labelSelector",
        NO_SELECTOR,
    ),
    "a type of volume that no node supports": (
        {"volumes": [{"name": "a", "rbd": {"monitors": ["x"], "image": "x"}}]},
        "volumes[0].rbd",
        "deprecated in v1.28, non-functional in v1.31+",
    ),
    "a fraction of a byte in a claim": (
        {
            "volumes": [
                {
                    "name": "a",
                    "ephemeral": {
                        "volumeClaimTemplate": {
                            "spec": {
                                "accessModes": ["ReadWriteOnce"],
                                "resources": {"requests": {"storage": "1500m"}},
                            }
                        }
                    },
                }
            ]
        },
        "volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]",
        'fractional byte value "1500m" is invalid, must be an integer',
    ),
    "a fraction of a byte above a mebibyte": (
        {"containers": [{**MAIN, "resources": {"limits": {"memory": "1073741824500m"}}}]},
        "containers[0].resources.limits[memory]",
        'fractional byte value "1073741824500m" is invalid, must be an integer',
    ),
    "two files of the same path": (
        {
            "volumes": [
                {
                    "name": "a",
                    "secret": {
                        "secretName": "s",
                        "items": [{"key": "k", "path": "x/"}, {"key": "l", "path": "x/y"}],
                    },
                }
            ]
        },
        "volumes[0].secret.items[1].path",
        'volume "a" (Secret "s"): overlapping paths: "x/y" with "x"',
    ),
    "the same address twice": (
        {"hostAliases": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}]},
        "hostAliases[1].ip",
        'duplicate ip "10.0.0.1"',
    ),
    "an address in an unusual form": (
        {"dnsConfig": {"nameservers": ["2001:DB8::1"]}},
        "dnsConfig.nameservers[0]",
        'IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ),
    "a secret without a name": (
        {"imagePullSecrets": [{}]},
        "imagePullSecrets[0].name",
        'invalid empty name ""',
    ),
    "a variable that hides another": (
        {"containers": [{**MAIN, "env": [{"name": "A"}, {"name": "A", "value": "1"}]}]},
        "containers[0].env[1]",
        'hides previous definition of "A", which may be dropped when using apply',
    ),
    "an address of the node without a port of the node": (
        {"containers": [{**MAIN, "ports": [{"containerPort": 80, "hostIP": "10.0.0.1"}]}]},
        "containers[0].ports[0]",
        "hostIP set without hostPort: "
        "{Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}",
    ),
    "a negative grace period": (
        {"terminationGracePeriodSeconds": -1},
        "terminationGracePeriodSeconds",
        "must be >= 0; negative values are invalid and will be treated as 1",
    ),
}


@pytest.mark.parametrize(("pod", "field", "message"), KINDS.values(), ids=KINDS)
def test_the_server_warns_of(pod: dict[str, Any], field: str, message: str) -> None:
    assert warnings(job_with(pod)) == [(f"{SPEC}.{field}", message)]


def test_a_cron_job_has_the_same_warnings_further_down() -> None:
    spec = job_with({"terminationGracePeriodSeconds": -1})["spec"]
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": spec}},
    }
    ((field, _),) = warnings(cron)
    assert field == "spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds"


@pytest.mark.parametrize(
    ("annotations", "warned"),
    [
        (
            {"scheduler.alpha.kubernetes.io/critical-pod": ""},
            'non-functional in v1.16+; use the "priorityClassName" field instead',
        ),
        (
            {"seccomp.security.alpha.kubernetes.io/pod": "runtime/default"},
            'non-functional in v1.27+; use the "seccompProfile" field instead',
        ),
        (
            {"container.apparmor.security.beta.kubernetes.io/main": "unconfined"},
            'deprecated since v1.30; use the "appArmorProfile" field instead',
        ),
    ],
)
def test_the_server_warns_of_annotations_that_a_field_has_replaced(
    annotations: dict[str, str], warned: str
) -> None:
    (key,) = annotations
    assert warnings(job_with(metadata={"annotations": annotations})) == [(f"{META}[{key}]", warned)]


def test_a_profile_in_the_field_makes_its_annotation_unnecessary() -> None:
    key = "container.apparmor.security.beta.kubernetes.io/main"
    metadata = {"annotations": {key: "unconfined"}}
    same = {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}
    assert warnings(job_with(same, metadata)) == []
    assert warnings(job_with(same, metadata), at=server("1.33")) == []
    off = server("1.30", {"AppArmorFields": False})
    assert warnings(job_with({}, metadata), at=off) == []


RELEASES: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a volume of Flocker": (
        {"volumes": [{"name": "a", "flocker": {"datasetName": "x"}}]},
        {
            "1.26": "deprecated in v1.22, support removal is planned in v1.26",
            "1.27": "deprecated in v1.22, non-functional in v1.25+",
        },
    ),
    "a volume of Ceph": (
        {"volumes": [{"name": "a", "cephfs": {"monitors": ["x"]}}]},
        {"1.27": "", "1.28": "deprecated in v1.28, non-functional in v1.31+"},
    ),
    "a repository": (
        {"volumes": [{"name": "a", "gitRepo": {"repository": "x"}}]},
        {
            "1.32": "deprecated in v1.11",
            "1.33": "deprecated in v1.11, and disabled by default in v1.33+",
        },
    ),
    "a variable twice": (
        {"containers": [{**MAIN, "env": [{"name": "A"}, {"name": "A", "value": "$(A)1"}]}]},
        {"1.27": 'duplicate name "A"', "1.28": ""},
    ),
    "a label of the control plane": (
        {"nodeSelector": {"node-role.kubernetes.io/master": ""}},
        {"1.30": "", "1.31": 'use "node-role.kubernetes.io/control-plane" instead'},
    ),
    "an address with leading zeros": (
        {"dnsConfig": {"nameservers": ["10.0.0.01"]}},
        {
            "1.32": "",
            "1.35": 'non-standard IP address "10.0.0.01" will be considered invalid in a future '
            'Kubernetes release: use "10.0.0.1"',
        },
    ),
    "a negative grace period": (
        {"terminationGracePeriodSeconds": -1},
        {
            "1.26": "",
            "1.27": "must be >= 0; negative values are invalid and will be treated as 1",
        },
    ),
}


@pytest.mark.parametrize(("pod", "expected"), RELEASES.values(), ids=RELEASES)
def test_each_release_warns_in_its_own_words(pod: dict[str, Any], expected: dict[str, str]) -> None:
    for release, message in expected.items():
        found = [text for _, text in warnings(job_with(pod), at=server(release))]
        assert found == ([message] if message else []), release


def test_a_repository_where_its_gate_is_on_is_only_deprecated() -> None:
    pod = {"volumes": [{"name": "a", "gitRepo": {"repository": "x"}}]}
    on = server("1.34", {"GitRepoVolumeDriver": True})
    assert warnings(job_with(pod), at=on) == [(f"{SPEC}.volumes[0].gitRepo", "deprecated in v1.11")]


def projected(*sources: dict[str, Any]) -> dict[str, Any]:
    return job_with({"volumes": [{"name": "a", "projected": {"sources": list(sources)}}]})


def test_until_1_33_a_source_without_paths_has_those_of_the_source_before() -> None:
    token, whole = {"serviceAccountToken": {"path": "token"}}, {"configMap": {"name": "settings"}}
    text = (
        'volume "a" (Projected): overlapping paths: "token" (ServiceAccountToken) '
        'with "token" (ServiceAccountToken)'
    )
    at = f"{SPEC}.volumes[0].projected.sources[1]"
    assert warnings(projected(token, whole), at=server("1.33")) == [(at, text)]
    assert warnings(projected(token, whole)) == []


def test_a_projected_source_of_nothing_is_named() -> None:
    at = f"{SPEC}.volumes[0].projected.sources[0]"
    assert warnings(projected({})) == [(at, 'volume "a" (Projected) has no sources provided')]


def test_the_name_is_warned_of_only_when_the_job_is_created() -> None:
    dotted = job_with({"terminationGracePeriodSeconds": -1})
    dotted["metadata"]["name"] = "report.v2"
    create = [field for field, _ in warnings(dotted)]
    assert create == ["metadata.name", f"{SPEC}.terminationGracePeriodSeconds"]
    changed = {**dotted, "spec": {**dotted["spec"], "backoffLimit": 2}}
    assert [field for field, _ in warnings(changed, dotted)] == create[1:]
    labelled = {**dotted, "metadata": {**dotted["metadata"], "labels": {"a": "b"}}}
    assert warnings(labelled, dotted) == []
    assert [field for field, _ in warnings(dotted, at=server("1.26"))] == []


def test_of_many_warnings_no_more_are_reported_than_the_server_sends() -> None:
    env = [{"name": "MODE", "value": str(number)} for number in range(500)]
    found = warnings(job_with({"containers": [{**MAIN, "env": env}]}))
    assert 20 < len(found) < 60


def test_repeated_owners_are_named() -> None:
    job = job_with()
    owner = {"apiVersion": "v1", "kind": "Node", "name": "a", "uid": "7"}
    job["metadata"]["ownerReferences"] = [owner, owner]
    ((field, message),) = warnings(job)
    assert field == "metadata.ownerReferences"
    assert message.endswith("duplicate UID(s) observed: 7")
