"""PodSpec: its fields one by one, and what they have to do with each other."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.pod_template import every_container
from kube_cel.formats.names import dns_label, dns_subdomain, label_key, label_value
from support.validation.engine_errors import (
    Errors,
    defaulted_pod,
    errors_of,
    invalid,
    job_with,
    pod_errors,
    server,
)

ONE_CLAIM = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
TWO_CLAIMS = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"


@pytest.mark.parametrize(
    ("pod", "errors"),
    [
        pytest.param({"restartPolicy": "OnFailure"}, set(), id="restart"),
        pytest.param(
            {"restartPolicy": "never"},
            {
                (
                    "restartPolicy",
                    'Unsupported value: "never": supported values: "Always", "OnFailure", "Never"',
                ),
                (
                    "restartPolicy",
                    'Unsupported value: "never": supported values: "OnFailure", "Never"',
                ),
            },
            id="unknown restart policy",
        ),
        pytest.param({"terminationGracePeriodSeconds": -1}, set(), id="no grace"),
        pytest.param({"activeDeadlineSeconds": 1}, set(), id="deadline"),
        pytest.param(
            {"activeDeadlineSeconds": 0},
            {
                (
                    "activeDeadlineSeconds",
                    "Invalid value: 0: must be between 1 and 2147483647, inclusive",
                )
            },
            id="no time at all",
        ),
        pytest.param({"nodeSelector": {"zone": ""}}, set(), id="nodes"),
        pytest.param(
            {"nodeSelector": {"-": "a", "b": "-"}},
            {
                ("nodeSelector", invalid("-", label_key("-")[0])),
                ("nodeSelector", invalid("-", label_value("-")[0])),
            },
            id="malformed labels of nodes",
        ),
        pytest.param(
            {"serviceAccountName": "a.b", "nodeName": "a.b", "priorityClassName": "a.b"},
            set(),
            id="names of objects",
        ),
        pytest.param(
            {"serviceAccountName": "A", "nodeName": "A", "priorityClassName": "A"},
            {
                (field, invalid("A", dns_subdomain("A")[0]))
                for field in ("serviceAccountName", "nodeName", "priorityClassName")
            },
            id="malformed names of objects",
        ),
        pytest.param({"runtimeClassName": "gvisor"}, set(), id="runtime"),
        pytest.param(
            {"runtimeClassName": ""},
            {("runtimeClassName", invalid("", dns_subdomain("")[0]))},
            id="runtime without a name",
        ),
        pytest.param({"hostname": "a", "subdomain": "b"}, set(), id="hostname"),
        pytest.param(
            {"hostname": "a.b", "subdomain": "B"},
            {
                ("hostname", invalid("a.b", "must not contain dots")),
                ("subdomain", invalid("B", dns_label("B")[0])),
            },
            id="malformed hostname",
        ),
        pytest.param({"readinessGates": [{"conditionType": "a/b"}]}, set(), id="readiness"),
        pytest.param(
            {"readinessGates": [{}]},
            {("readinessGates[0].conditionType", invalid("", text)) for text in label_key("")},
            id="readiness by nothing",
        ),
        pytest.param({"preemptionPolicy": "Never"}, set(), id="preemption"),
        pytest.param(
            {"preemptionPolicy": ""}, {("preemptionPolicy", "Required value")}, id="empty"
        ),
        pytest.param(
            {"preemptionPolicy": "never"},
            {
                (
                    "preemptionPolicy",
                    'Unsupported value: "never": supported values: "PreemptLowerPriority", "Never"',
                )
            },
            id="unknown preemption",
        ),
        pytest.param({"overhead": {"cpu": "100m"}}, set(), id="overhead"),
        pytest.param(
            {"overhead": {"memory": "-1"}},
            {
                (
                    "overhead.limits[memory]",
                    'Invalid value: "-1": must be greater than or equal to 0',
                )
            },
            id="less than no overhead",
        ),
        pytest.param({"schedulingGates": [{"name": "a"}, {"name": "a/b"}]}, set(), id="gates"),
        pytest.param(
            {"schedulingGates": [{"name": "a"}, {"name": "a"}, {"name": "-"}]},
            {
                ("schedulingGates[1]", 'Duplicate value: "a"'),
                ("schedulingGates[2]", invalid("-", label_key("-")[0])),
            },
            id="the same gate twice, and a malformed one",
        ),
        pytest.param({"imagePullSecrets": [{}, {"name": "Not A Name"}]}, set(), id="not judged"),
    ],
)
def test_single_fields_are_validated(pod: dict[str, Any], errors: Errors) -> None:
    assert pod_errors(pod) == errors


@pytest.mark.parametrize(
    ("pod", "errors"),
    [
        ({"hostnameOverride": "a.b"}, set()),
        ({"hostnameOverride": "a", "hostNetwork": False, "setHostnameAsFQDN": False}, set()),
        (
            {"hostnameOverride": "a", "hostNetwork": True, "setHostnameAsFQDN": True},
            {
                "Forbidden: may not be specified when hostNetwork is true",
                "Forbidden: may not be specified when setHostnameAsFQDN is true",
            },
        ),
        ({"hostnameOverride": ""}, {invalid("", dns_subdomain("")[0])}),
        ({"hostnameOverride": "a" * 65}, {"Too long: may not be more than 64 bytes"}),
    ],
)
def test_a_hostname_of_its_own_excludes_others(pod: dict[str, Any], errors: set[str]) -> None:
    assert pod_errors(pod) == {("hostnameOverride", message) for message in errors}
    assert pod_errors(pod, at=server(gates={"HostnameOverride": False})) == set()


@pytest.mark.parametrize(
    ("claims", "errors"),
    [
        ([{"name": "a", "resourceClaimName": "x"}], set()),
        ([{"name": "a", "resourceClaimTemplateName": "x.y"}], set()),
        (
            [
                {"resourceClaimName": "A"},
                {"name": "b.c", "resourceClaimTemplateName": "x"},
                {"name": "b.c", "resourceClaimTemplateName": "x"},
            ],
            {
                ("[0].name", "Required value"),
                ("[0].resourceClaimName", invalid("A", dns_subdomain("A")[0])),
                ("[1].name", invalid("b.c", "must not contain dots")),
                ("[2].name", 'Duplicate value: "b.c"'),
            },
        ),
    ],
)
def test_claims_have_names_of_their_own(claims: list[dict[str, Any]], errors: Errors) -> None:
    assert pod_errors({"resourceClaims": claims}) == {
        (f"resourceClaims{field}", message) for field, message in errors
    }


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        ({}, ONE_CLAIM),
        ({"resourceClaimName": "x", "resourceClaimTemplateName": "y"}, TWO_CLAIMS),
    ],
)
def test_a_claim_is_one_of_two_things(source: dict[str, str], detail: str) -> None:
    [(field, message)] = pod_errors({"resourceClaims": [{"name": "a", **source}]})
    assert field == "resourceClaims[0]"
    assert message.endswith(detail)
    older = server("1.30", {"DynamicResourceAllocation": True})
    [(field, _)] = pod_errors({"resourceClaims": [{"name": "a", "source": source}]}, at=older)
    assert field == "resourceClaims[0].source"


def test_pods_are_spread_in_one_way_over_the_same_domains() -> None:
    zone = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    host = {**zone, "topologyKey": "host"}
    softly = {**zone, "whenUnsatisfiable": "ScheduleAnyway"}
    assert pod_errors({"topologySpreadConstraints": [zone, host, softly]}) == set()
    assert pod_errors({"topologySpreadConstraints": [zone, host, zone, zone]}) == {
        (
            f"topologySpreadConstraints[{index}].{{topologyKey, whenUnsatisfiable}}",
            'Duplicate value: "{zone, DoNotSchedule}"',
        )
        for index in (0, 2)
    }


def test_defaults_are_filled_in() -> None:
    pod = defaulted_pod({"restartPolicy": None})
    del pod["containers"]
    assert pod == {
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    }


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"serviceAccount": "a"}, "a"),
        ({"serviceAccountName": "b"}, "b"),
        ({"serviceAccount": "a", "serviceAccountName": "b"}, "b"),
    ],
)
def test_a_service_account_is_stored_under_both_names(given: dict[str, str], name: str) -> None:
    pod = defaulted_pod(given)
    assert pod["serviceAccountName"] == pod["serviceAccount"] == name


def test_overhead_is_rounded_up_to_thousandths() -> None:
    assert defaulted_pod({"overhead": {"cpu": "1n"}})["overhead"] == {"cpu": "1m"}


def test_the_pods_of_a_cron_job_are_validated_and_defaulted_alike() -> None:
    job = job_with({"hostname": "A"})
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": job["metadata"],
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": job["spec"]}},
    }
    assert errors_of(cron_job) == {
        ("spec.jobTemplate.spec.template.spec.hostname", invalid("A", dns_label("A")[0]))
    }


def test_every_container_is_visited() -> None:
    pod = {
        "containers": [{"name": "a"}, {"name": "b"}],
        "initContainers": [{"name": "c"}],
        "ephemeralContainers": [{"name": "d"}],
    }
    assert {path: container["name"] for container, path in every_container(pod, "pod")} == {
        "pod.containers[0]": "a",
        "pod.containers[1]": "b",
        "pod.initContainers[0]": "c",
        "pod.ephemeralContainers[0]": "d",
    }
