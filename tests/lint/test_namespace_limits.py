"""What the namespace of a Job demands of its Pods."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.files.context.neighbor_files import repeated_keys
from jobsworth.lint.neighbors import Neighbors
from jobsworth.validation.engine import engine_for
from support.lint.linted_jobs import (
    RULE_OF,
    cron_job,
    fields_beside,
    found_beside,
    job,
    lint,
    stored,
    with_labels,
    with_metadata,
)  # fmt: skip

RESOURCES = ["template.spec.containers[0].resources"]
SOUND = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def quota(*counted: str, **spec: Any) -> dict[str, Any]:
    return stored("ResourceQuota", spec={"hard": dict.fromkeys(counted, "10"), **spec})


def limit_range(**item: Any) -> dict[str, Any]:
    return stored("LimitRange", spec={"limits": [{"type": "Container", **item}]})


def using(requests: Any = None, limits: Any = None, **pod: Any) -> dict[str, Any]:
    resources = {"requests": requests or {}, "limits": limits or {}}
    return job({"containers": [{"name": "main", "image": "a:1", "resources": resources}], **pod})


def namespace(labels: Any = None, annotations: Any = None, name: str = "shop") -> dict[str, Any]:
    value = stored("Namespace", name, annotations=annotations)
    value["metadata"]["labels"] = labels or {}
    return value


@pytest.mark.parametrize("value", [job(), cron_job(job())], ids=["Job", "CronJob"])
def test_a_quota_rejects_pods_that_state_nothing(value: dict[str, Any]) -> None:
    for counted in (
        "cpu",
        "requests.cpu",
        "limits.cpu",
        "memory",
        "requests.memory",
        "limits.memory",
    ):
        assert fields_beside("JW711", value, quota(counted)) == RESOURCES
    assert fields_beside("JW711", value, quota("pods", "count/jobs.batch")) == []
    assert fields_beside("JW711", value) == []


@pytest.mark.parametrize(
    ("value", "counted", "reported"),
    [
        (using({"memory": "1Gi"}), "requests.memory", False),
        (using({"memory": "1Gi"}), "limits.memory", True),
        (using({}, {"memory": "1Gi"}), "requests.memory", False),
        (using({}, {"memory": "1Gi"}), "limits.memory", False),
        (using({"memory": "1Gi"}, {"memory": "1Gi"}), "cpu", True),
        (using(resources={"limits": {"memory": "1Gi"}}), "limits.memory", False),
        (with_metadata(job(), namespace="other"), "cpu", False),
    ],
)
def test_a_quota_counts_what_containers_state(
    value: dict[str, Any], counted: str, reported: bool
) -> None:
    assert bool(fields_beside("JW711", value, quota(counted))) is reported


@pytest.mark.parametrize(
    ("item", "reported"),
    [
        ({"default": {"memory": "1Gi"}}, False),
        ({"max": {"memory": "1Gi"}}, False),
        ({"defaultRequest": {"memory": "1Gi"}}, True),
        ({"default": {"cpu": "1"}}, True),
    ],
)
def test_a_limit_range_gives_containers_what_they_do_not_state(item: Any, reported: bool) -> None:
    beside = [quota("limits.memory"), limit_range(**item)]
    assert bool(fields_beside("JW711", job(), *beside)) is reported


def test_a_quota_of_other_pods_is_no_finding() -> None:
    for scope, reported in (
        ("NotTerminating", True),
        ("Terminating", False),
        ("BestEffort", False),
    ):
        assert bool(fields_beside("JW711", job(), quota("cpu", scopes=[scope]))) is reported
    limited = job({"activeDeadlineSeconds": 600})
    assert fields_beside("JW711", limited, quota("cpu", scopes=["Terminating"])) == RESOURCES
    selector = {"matchExpressions": []}
    assert fields_beside("JW711", job(), quota("cpu", scopeSelector=selector)) == []


def test_the_message_names_all_that_is_missing() -> None:
    (finding,) = found_beside("JW711", job(), quota("requests.cpu", "limits.cpu", "limits.memory"))
    assert "requests.cpu, limits.cpu and limits.memory" in finding.message


@pytest.mark.parametrize(
    ("value", "item", "field"),
    [
        (using({}, {"memory": "2Gi"}), {"max": {"memory": "1Gi"}}, "limits[memory]"),
        (using({"cpu": "2"}), {"max": {"cpu": "1500m"}}, "requests[cpu]"),
        (using({"cpu": "10m"}), {"min": {"cpu": "100m"}}, "requests[cpu]"),
        (using({}, {"cpu": "10m"}), {"min": {"cpu": "100m"}}, "limits[cpu]"),
        (using({"memory": "2Gi"}), {"default": {"memory": "1Gi"}}, "requests[memory]"),
    ],
)
def test_a_limit_range_rejects_what_is_outside(value: Any, item: Any, field: str) -> None:
    assert fields_beside("JW712", value, limit_range(**item)) == [f"{RESOURCES[0]}.{field}"]


@pytest.mark.parametrize(
    ("value", "item"),
    [
        (using({}, {"memory": "1024Mi"}), {"max": {"memory": "1Gi"}}),
        (using({"memory": "2Gi"}, {"memory": "4Gi"}), {"default": {"memory": "1Gi"}}),
        (using({"cpu": "10m"}), {"min": {"memory": "1Gi"}}),
        (job(), {"max": {"memory": "1Gi"}, "min": {"cpu": "1"}}),
        (using({}, {"memory": "2Gi"}), {"max": {"memory": "much"}}),
    ],
)
def test_a_limit_range_accepts_what_is_inside(value: Any, item: Any) -> None:
    assert fields_beside("JW712", value, limit_range(**item)) == []


def pod_of(*resources: tuple[dict[str, str], dict[str, str]], **pod: Any) -> dict[str, Any]:
    """A Job with a container for each pair of requests and limits."""
    containers = [
        {
            "name": f"c{number}",
            "image": "a:1",
            "resources": {"requests": requests, "limits": limits},
        }
        for number, (requests, limits) in enumerate(resources)
    ]
    return job({"containers": containers, **pod})


GIB = ({"memory": "1Gi"}, {"memory": "1Gi"})
INIT = {"name": "i", "image": "a:1", "resources": {"limits": {"memory": "9Gi"}}}


@pytest.mark.parametrize(
    ("value", "item", "said"),
    [
        (pod_of(GIB, GIB), {"max": {"memory": "1Gi"}}, "are 2Gi, above the maximum"),
        (pod_of(GIB, GIB), {"min": {"memory": "3Gi"}}, "are 2Gi, below the minimum"),
        (pod_of(GIB, GIB, ({}, {})), {"max": {"memory": "1Gi"}}, "are 2Gi, above the maximum"),
        (pod_of(GIB, initContainers=[{**INIT, "restartPolicy": "Always"}]), {"max": {"memory": "2Gi"}}, "are 10Gi, above the maximum"),
        (pod_of(GIB, initContainers=[INIT]), {"max": {"memory": "2Gi"}}, "are 9Gi, above the maximum"),
        (pod_of(GIB), {"max": {"cpu": "4"}}, "The Pod has no limit for cpu"),
        (pod_of(({}, {})), {"min": {"cpu": "1"}}, "The Pod has no request for cpu"),
        (pod_of(({"cpu": "1"}, {"cpu": "2"}), ({"cpu": "1"}, {"cpu": "9"})), {"maxLimitRequestRatio": {"cpu": "5"}}, "The limit 11 exceeds the maximum ratio 5"),
    ],
)  # fmt: skip
def test_a_limit_range_of_pods_rejects_sums_that_are_outside(
    value: Any, item: Any, said: str
) -> None:
    limits = stored("LimitRange", spec={"limits": [{"type": "Pod", **item}]})
    (finding,) = found_beside("JW712", value, limits)
    assert finding.field == "spec.template.spec.containers"
    assert said in finding.message


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (pod_of(GIB, GIB), [{"type": "Pod", "max": {"memory": "2Gi"}, "min": {"memory": "2Gi"}}]),
        (pod_of(GIB, ({}, {})), [{"type": "Pod", "max": {"memory": "4Gi"}, "min": {"memory": "1Gi"}}]),
        (pod_of(GIB, initContainers=[INIT]), [{"type": "Pod", "max": {"memory": "9Gi"}, "min": {"memory": "2Gi"}}]),
        (pod_of(GIB, GIB, resources={"limits": {"memory": "2Gi"}}), [{"type": "Pod", "max": {"memory": "1Gi"}}]),
        (pod_of(({}, {})), [{"type": "Pod", "max": {"memory": "2Gi"}}, {"type": "Container", "default": {"memory": "1Gi", "cpu": "much"}}]),
        (pod_of(({}, {})), [{"type": "Pod", "max": {"memory": "2Gi"}}, {"type": "Container", "default": {"memory": "1Gi"}}]),
        (pod_of(({"cpu": "1"}, {"cpu": "2"})), [{"type": "Pod", "maxLimitRequestRatio": {"cpu": "2"}}]),
        (pod_of(GIB), [{"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}]),
        (pod_of(GIB), [{"type": "Pod", "max": {"memory": "much"}, "maxLimitRequestRatio": {"memory": []}}]),
    ],
)  # fmt: skip
def test_a_limit_range_of_pods_accepts_sums_that_are_inside(value: Any, items: Any) -> None:
    assert fields_beside("JW712", value, stored("LimitRange", spec={"limits": items})) == []


def test_until_1_27_a_limit_range_of_pods_sums_what_all_containers_state() -> None:
    limits = stored("LimitRange", spec={"limits": [{"type": "Pod", "max": {"memory": "4Gi"}}]})
    value = pod_of(GIB, ({}, {}))
    neighbors = Neighbors.of([value, limits], repeats=repeated_keys)
    found = {
        release: lint(value, engine_for(ApiServer(release)), [RULE_OF["JW712"]], neighbors)
        for release in ("1.27", "1.28", "1.38")
    }
    assert [release for release, findings in found.items() if findings] == ["1.27"]


def test_an_init_container_is_outside_of_a_limit_range() -> None:
    value = pod_of(GIB, initContainers=[INIT])
    found = fields_beside("JW712", value, limit_range(max={"memory": "2Gi"}))
    assert found == ["template.spec.initContainers[0].resources.limits[memory]"]


def test_ratios_of_large_amounts_are_exact() -> None:
    wide = using({"memory": "1P"}, {"memory": "10P"})
    assert fields_beside("JW712", wide, limit_range(maxLimitRequestRatio={"memory": "10"})) == []
    found = fields_beside("JW712", wide, limit_range(maxLimitRequestRatio={"memory": "9999m"}))
    assert found == [f"{RESOURCES[0]}.limits[memory]"]


def test_a_limit_range_compares_the_limit_of_a_container_with_its_request() -> None:
    wide = using({"cpu": "100m"}, {"cpu": "1"})
    assert fields_beside("JW712", wide, limit_range(maxLimitRequestRatio={"cpu": "10"})) == []
    found = fields_beside("JW712", wide, limit_range(maxLimitRequestRatio={"cpu": "9"}))
    assert found == [f"{RESOURCES[0]}.limits[cpu]"]
    found = fields_beside("JW712", job(), limit_range(maxLimitRequestRatio={"cpu": "9"}))
    assert found == [f"{RESOURCES[0]}.limits"]


HERE = with_metadata(job(), namespace="shop")
ISTIO = namespace({"istio-injection": "enabled"})
LINKERD = namespace(annotations={"linkerd.io/inject": "enabled"})


@pytest.mark.parametrize("beside", [ISTIO, LINKERD, namespace({"istio.io/rev": "stable"})])
def test_a_namespace_adds_a_proxy(beside: dict[str, Any]) -> None:
    assert fields_beside("JW713", HERE, beside) == ["template.metadata"]
    assert fields_beside("JW713", job(), beside) == ["template.metadata"]
    assert fields_beside("JW713", with_metadata(job(), namespace="other"), beside) == []
    assert fields_beside("JW713", job(), beside, namespace(name="other")) == []


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(with_labels(HERE, **{"sidecar.istio.io/inject": "false"}), id="opts out"),
        pytest.param(with_labels(HERE, **{"sidecar.istio.io/nativeSidecar": "true"}), id="native"),
        pytest.param(with_metadata(job({"hostNetwork": True}), namespace="shop"), id="host"),
        pytest.param(
            with_metadata(
                job(
                    {
                        "containers": [
                            {"name": "a", "image": "a:1", "args": ["curl :15020/quitquitquit"]}
                        ]
                    }
                ),
                namespace="shop",
            ),
            id="stops it",
        ),
    ],
)
def test_a_proxy_that_ends_is_no_finding(value: dict[str, Any]) -> None:
    assert fields_beside("JW713", value, ISTIO) == []


def test_other_namespaces_add_nothing() -> None:
    for labels in ({}, {"istio-injection": "disabled", "istio.io/rev": "stable"}):
        assert fields_beside("JW713", HERE, namespace(labels)) == []


def enforcing(level: str) -> dict[str, Any]:
    return namespace({"pod-security.kubernetes.io/enforce": level})


def test_a_namespace_rejects_pods_below_its_level() -> None:
    secure = job({"containers": [{"name": "main", "image": "a:1", "securityContext": SOUND}]})
    secure = with_metadata(secure, namespace="shop")
    for value, level, reported in (
        (HERE, "restricted", True),
        (HERE, "baseline", False),
        (HERE, "privileged", False),
        (secure, "restricted", False),
        (with_metadata(job({"hostNetwork": True}), namespace="shop"), "baseline", True),
        (with_metadata(job(), namespace="other"), "restricted", False),
    ):
        assert bool(fields_beside("JW714", value, enforcing(level))) is reported
    (finding,) = found_beside("JW714", HERE, enforcing("restricted"))
    assert "There are 4 such fields" in finding.message
