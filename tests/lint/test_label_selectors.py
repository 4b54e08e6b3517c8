"""Objects beside a Job that select its Pods by labels."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.pod_labels import selects
from support.lint.linted_jobs import (
    cron_job,
    fields_beside,
    found_beside,
    job,
    server,
    stored,
    with_labels,
    with_metadata,
)  # fmt: skip

LABELS = ["template.metadata.labels"]
JOB = with_labels(job(), app="server")


def service(name: str = "server", **selector: str) -> dict[str, Any]:
    return stored("Service", name, spec={"selector": selector})


def to_port(*targets: Any, **spec: Any) -> dict[str, Any]:
    """A Service of the server with a port for each target port; None for one that states none."""
    ports = [
        {"port": 80 + number} | ({} if target is None else {"targetPort": target})
        for number, target in enumerate(targets)
    ]
    return stored("Service", "server", spec={"selector": {"app": "server"}, "ports": ports, **spec})


def listening(**container: Any) -> dict[str, Any]:
    return with_labels(
        job({"containers": [{"name": "a", "image": "a:1", **container}]}), app="server"
    )


@pytest.mark.parametrize("value", [JOB, with_labels(cron_job(job()), app="server")])
def test_a_service_of_a_server_selects_no_job(value: dict[str, Any]) -> None:
    assert fields_beside("JW716", value, service(app="server"), server()) == LABELS


@pytest.mark.parametrize(
    "beside",
    [to_port(8080), to_port(None), to_port("http", 9090), to_port("http", clusterIP="None")],
)
def test_a_port_with_a_number_or_the_dns_name_leads_to_the_job(beside: dict[str, Any]) -> None:
    assert fields_beside("JW716", JOB, beside, server()) == LABELS


@pytest.mark.parametrize(
    ("value", "beside"),
    [
        pytest.param(JOB, [service(app="server")], id="no server"),
        pytest.param(JOB, [service(app="web"), server()], id="another label"),
        pytest.param(JOB, [service(), server()], id="no selector"),
        pytest.param(JOB, [service(app="server", tier="web"), server()], id="a label more"),
        pytest.param(
            JOB, [service(app="server"), server(app="web")], id="a server with other labels"
        ),
        pytest.param(
            listening(ports=[{"containerPort": 80}]), [service(app="server"), server()], id="port"
        ),
        pytest.param(
            listening(readinessProbe={"exec": {"command": ["ready"]}}),
            [service(app="server"), server()],
            id="probe",
        ),
        pytest.param(JOB, [to_port("http"), server()], id="a named port that the Job lacks"),
        pytest.param(
            with_metadata(JOB, namespace="other"), [service(app="server"), server()], id="namespace"
        ),
        pytest.param(
            with_labels(job({"subdomain": "server"}), app="server"),
            [service(app="server"), server()],
            id="its own Service",
        ),
    ],
)
def test_other_services_are_no_finding(value: Any, beside: Any) -> None:
    assert fields_beside("JW716", value, *beside) == []


def test_the_advice_names_the_label_that_tells_parts_apart() -> None:
    labels = {"app.kubernetes.io/name": "shop", "app.kubernetes.io/instance": "eu"}
    beside = service(**labels), server(**labels)
    (finding,) = found_beside("JW716", with_labels(job(), **labels), *beside)
    assert "another value of app.kubernetes.io/name" in finding.message


def budget(selector: Any, version: str = "policy/v1", **spec: Any) -> dict[str, Any]:
    spec = {"selector": selector, **(spec or {"maxUnavailable": 1})}
    return stored("PodDisruptionBudget", version=version, spec=spec)


APP = {"matchLabels": {"app": "server"}}


def test_a_budget_that_needs_replicas_selects_no_job() -> None:
    assert fields_beside("JW717", JOB, budget(APP)) == LABELS
    assert fields_beside("JW717", JOB, budget(APP, minAvailable="50%")) == LABELS
    assert fields_beside("JW717", job(), budget({})) == ["template"]
    assert fields_beside("JW717", JOB, budget({}, "policy/v1beta1")) == []
    assert fields_beside("JW717", JOB, budget(None)) == []
    assert fields_beside("JW717", JOB, budget(APP, minAvailable=1)) == []
    assert fields_beside("JW717", job(), budget(APP)) == []


def policy(selector: Any, name: str = "policy", **spec: Any) -> dict[str, Any]:
    spec = {"podSelector": selector, **spec}
    return stored("NetworkPolicy", name, version="networking.k8s.io/v1", spec=spec)


DENIED = policy({}, policyTypes=["Ingress", "Egress"])


def test_a_job_in_a_closed_network_needs_a_policy() -> None:
    def allowed(selector: Any) -> dict[str, Any]:
        return policy(
            selector, "allowed", policyTypes=["Egress"], egress=[{"ports": [{"port": 53}]}]
        )

    assert fields_beside("JW720", JOB, DENIED) == ["template"]
    assert fields_beside("JW720", JOB, DENIED, allowed({"matchLabels": {"app": "web"}})) == [
        "template"
    ]
    for selector in ({}, APP):
        assert fields_beside("JW720", JOB, DENIED, allowed(selector)) == []
    assert fields_beside("JW720", JOB, policy({}, policyTypes=["Ingress"])) == []
    assert fields_beside("JW720", JOB, policy({})) == []
    assert fields_beside("JW720", with_metadata(JOB, namespace="other"), DENIED) == []


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("set -e\numask 022\nmkdir -p /new/a\ncp -R /old/. /new/\nchmod -R a+rX /new", False),
        ("n=$(find /logs -mtime +7 | wc -l)\nfind /logs -mtime +7 -delete\necho $n", False),
        ("echo test", False),
        ("cp /old/a /new/\nwget -qO- http://shop/flush", True),
        ("n=$(curl -s http://shop/count)\necho $n", True),
        ("find /new -name '*.gz' -exec curl -T {} http://shop/ \\;", True),
        ("cat < /dev/tcp/shop/80", True),
        ("clean() { psql -c 'DELETE FROM a'; }\nclean", True),
    ],
)
def test_a_job_that_only_works_on_files_needs_no_network(script: str, reported: bool) -> None:
    container = {"name": "a", "image": "busybox:1.37", "command": ["sh", "-c", script]}
    assert bool(fields_beside("JW720", job({"containers": [container]}), DENIED)) is reported
    beside = {"name": "b", "image": "shop:1.4"}
    assert fields_beside("JW720", job({"containers": [container, beside]}), DENIED) == ["template"]


DATABASE = [service("shop-db", app="db"), server(kind="StatefulSet", name="db", app="db")]


def admitting(*peers: Any) -> dict[str, Any]:
    return policy({"matchLabels": {"app": "db"}}, ingress=[{"from": list(peers)}])


def calling(text: str) -> dict[str, Any]:
    variable = {"name": "DATABASE", "value": text}
    return with_labels(
        job({"containers": [{"name": "a", "image": "a:1", "env": [variable]}]}), app="migration"
    )


CLIENTS = {"podSelector": {"matchLabels": {"db-client": "true"}}}


@pytest.mark.parametrize(
    "text", ["shop-db", "postgres://shop@shop-db:5432/shop", "shop-db.shop.svc"]
)
def test_a_server_that_a_job_calls_admits_its_pods(text: str) -> None:
    assert fields_beside("JW721", calling(text), *DATABASE, admitting(CLIENTS)) == ["template"]
    admitted = {"podSelector": {"matchLabels": {"app": "migration"}}}
    assert fields_beside("JW721", calling(text), *DATABASE, admitting(CLIENTS, admitted)) == []
    assert fields_beside("JW721", calling(text), *DATABASE) == []


@pytest.mark.parametrize(
    "peers",
    [
        pytest.param([], id="everyone"),
        pytest.param([CLIENTS, {"ipBlock": {"cidr": "10.0.0.0/8"}}], id="addresses"),
        pytest.param([{"namespaceSelector": {}}], id="namespaces"),
        pytest.param([{"podSelector": {}}], id="all Pods of the namespace"),
    ],
)
def test_a_policy_that_may_admit_the_job_is_no_finding(peers: Any) -> None:
    assert fields_beside("JW721", calling("shop-db"), *DATABASE, admitting(*peers)) == []


def test_a_word_that_is_no_host_is_no_finding() -> None:
    assert (
        fields_beside("JW721", calling("run on shop-db now"), *DATABASE, admitting(CLIENTS)) == []
    )
    assert fields_beside("JW721", calling("shop-database"), *DATABASE, admitting(CLIENTS)) == []


@pytest.mark.parametrize(
    ("expression", "labels", "expected"),
    [
        ({"key": "a", "operator": "In", "values": ["x"]}, {"a": "x"}, True),
        ({"key": "a", "operator": "In", "values": ["x"]}, {"a": "y"}, False),
        ({"key": "a", "operator": "NotIn", "values": ["x"]}, {}, True),
        ({"key": "a", "operator": "Exists"}, {"a": None}, True),
        ({"key": "a", "operator": "NotIn", "values": ["x"]}, {"a": None}, False),
        ({"key": "a", "operator": "DoesNotExist"}, {"b": "x"}, True),
        ({"key": "a", "operator": "Gt", "values": ["1"]}, {"a": "2"}, False),
        ("a", {"a": "x"}, False),
    ],
)
def test_expressions_select_as_the_api_server_does(
    expression: Any, labels: Any, expected: bool
) -> None:
    assert selects({"matchExpressions": [expression]}, labels) is expected


SERVICE_ALONE = DATABASE[:1]
OTHER = policy({"matchLabels": {"app": "web"}}, "web", ingress=[])


def test_the_selector_of_a_service_shows_the_labels_of_its_pods() -> None:
    closed = admitting(CLIENTS)
    assert fields_beside("JW721", calling("shop-db"), *SERVICE_ALONE, closed) == ["template"]
    assert fields_beside("JW721", calling("shop-db"), *SERVICE_ALONE, closed, OTHER) == ["template"]
    tier = policy({"matchLabels": {"tier": "data"}}, "tier", ingress=[{}])
    assert fields_beside("JW721", calling("shop-db"), *SERVICE_ALONE, closed, tier) == []
    chosen = {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}
    unknown = policy(chosen, "tier", ingress=[{}])
    assert fields_beside("JW721", calling("shop-db"), *SERVICE_ALONE, closed, unknown) == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ({"key": "app", "operator": "In", "values": ["web", "worker"]}, ["template"]),
        ({"key": "db-client", "operator": "Exists"}, ["template"]),
        ({"key": "app", "operator": "In", "values": ["web", "migration"]}, []),
        ({"key": "app", "operator": "NotIn", "values": ["migration"]}, []),
        ({"key": "batch.kubernetes.io/controller-uid", "operator": "In", "values": ["1"]}, []),
    ],
)
def test_expressions_of_a_policy_are_read_where_the_labels_are_known(
    expression: Any, expected: list[str]
) -> None:
    peer = {"podSelector": {"matchExpressions": [expression]}}
    assert fields_beside("JW721", calling("shop-db"), *DATABASE, admitting(peer)) == expected
