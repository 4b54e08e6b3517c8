"""Ports of containers."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.ports import port_number_or_name
from jobsworth.validation.engine import engine_for
from support.validation.engine_errors import defaulted_pod, job_with, pod_errors, server
from support.validation.validated_containers import (
    INIT,
    MAIN,
    SIDECAR,
    Errors,
    container_errors,
    stored_container,
)

OUT_OF_RANGE = "must be between 1 and 65535, inclusive"


@pytest.mark.parametrize(
    ("port", "errors"),
    [
        ({"containerPort": 1}, {}),
        ({"containerPort": 65535, "hostPort": 65535, "name": "http", "protocol": "SCTP"}, {}),
        ({"containerPort": 80, "hostPort": 0, "name": ""}, {}),
        ({}, {"containerPort": "Required value"}),
        ({"containerPort": 0}, {"containerPort": "Required value"}),
        ({"containerPort": -1}, {"containerPort": f"Invalid value: -1: {OUT_OF_RANGE}"}),
        ({"containerPort": 65536}, {"containerPort": f"Invalid value: 65536: {OUT_OF_RANGE}"}),
        (
            {"containerPort": 80, "hostPort": -1},
            {"hostPort": f"Invalid value: -1: {OUT_OF_RANGE}"},
        ),
        (
            {"containerPort": 80, "name": "8080"},
            {"name": 'Invalid value: "8080": must contain at least one letter (a-z)'},
        ),
        (
            {"containerPort": 80, "protocol": "tcp"},
            {"protocol": 'Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"'},
        ),
    ],
)
def test_a_port_has_a_number_and_perhaps_a_name(port: dict[str, Any], errors: Errors) -> None:
    expected = {f"ports[0].{field}": message for field, message in errors.items()}
    assert container_errors({"ports": [port]}) == expected


def test_a_port_is_of_tcp_unless_it_says_otherwise() -> None:
    assert stored_container({"ports": [{"containerPort": 80}]})["ports"] == [
        {"containerPort": 80, "protocol": "TCP"}
    ]


def test_names_of_ports_are_unique_in_their_container() -> None:
    http, again = {"name": "http", "containerPort": 80}, {"name": "http", "containerPort": 81}
    assert container_errors({"ports": [http, again]}) == {
        "ports[1].name": 'Duplicate value: "http"'
    }
    two = [{**MAIN, "ports": [http]}, {**MAIN, "name": "other", "ports": [again]}]
    assert pod_errors({"containers": two}) == set()


def test_malformed_names_of_ports_are_not_duplicates_too() -> None:
    bad = {"name": "Http", "containerPort": 80}
    assert set(container_errors({"ports": [bad, bad]})) == {"ports[0].name", "ports[1].name"}
    assert "Duplicate" not in str(container_errors({"ports": [bad, bad]}))


TAKES_80 = {"ports": [{"containerPort": 80, "hostPort": 80}]}


@pytest.mark.parametrize(
    ("second", "conflict"),
    [
        ({"containerPort": 8080, "hostPort": 80}, "TCP//80"),
        ({"containerPort": 80, "hostPort": 81}, ""),
        ({"containerPort": 80, "hostPort": 80, "protocol": "UDP"}, ""),
        ({"containerPort": 80, "hostPort": 80, "hostIP": "127.0.0.1"}, ""),
        ({"containerPort": 80}, ""),
    ],
)
def test_containers_share_the_ports_of_the_node(second: dict[str, Any], conflict: str) -> None:
    containers = [{**MAIN, **TAKES_80}, {**MAIN, "name": "other", "ports": [second]}]
    errors = {("containers[1].ports[0].hostPort", f'Duplicate value: "{conflict}"')}
    assert pod_errors({"containers": containers}) == (errors if conflict else set())


def test_init_containers_have_the_ports_of_the_node_for_themselves() -> None:
    pod = {
        "containers": [{**MAIN, **TAKES_80}],
        "initContainers": [{**INIT, **TAKES_80}, {**SIDECAR, "name": "proxy", **TAKES_80}],
    }
    assert pod_errors(pod) == set()
    twice = {"ports": TAKES_80["ports"] * 2}
    assert pod_errors({"initContainers": [{**INIT}, {**INIT, "name": "b", **twice}]}) == {
        ("initContainers[0].ports[1].hostPort", 'Duplicate value: "TCP//80"')
    }


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ({"containerPort": 80}, ""),
        ({"containerPort": 80, "hostPort": 80}, ""),
        (
            {"containerPort": 80, "hostPort": 81},
            "Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
        ),
    ],
)
def test_on_the_network_of_the_node_ports_are_its_ports(port: dict[str, Any], message: str) -> None:
    errors = {"ports[0].hostPort": message} if message else {}
    assert container_errors({"ports": [port]}, hostNetwork=True) == errors
    assert container_errors({"ports": [port]}) == {}


@pytest.mark.parametrize(("release", "filled"), [("1.27", True), ("1.28", False), ("1.36", False)])
def test_until_1_27_templates_had_their_host_ports_filled_in(release: str, filled: bool) -> None:
    pod = {"hostNetwork": True, "containers": [{**MAIN, "ports": [{"containerPort": 80}]}]}
    ports = defaulted_pod(pod, at=server(release))["containers"][0]["ports"]
    assert ("hostPort" in ports[0]) is filled


@pytest.mark.parametrize(
    ("port", "details"),
    [
        (80, []),
        ("http", []),
        (0, [OUT_OF_RANGE]),
        ("80", ["must contain at least one letter (a-z)"]),
    ],
)
def test_actions_name_ports_by_number_or_name(port: int | str, details: list[str]) -> None:
    assert port_number_or_name(port) == details


def two_ports(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """A Job with two containers that both have port 80, and more fields of it."""
    containers = [
        {"name": name, "image": "busybox:1.36", "ports": [{"containerPort": 80, **port}]}
        for name, port in (("main", first), ("proxy", second))
    ]
    return job_with({"containers": containers})


PORT_CONFLICTS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "the same port": ({}, {}, "duplicate"),
    "with and without host port": ({"hostPort": 80}, {}, "overlapping"),
    "with and without host address": (
        {"hostPort": 80},
        {"hostPort": 80, "hostIP": "10.0.0.1"},
        "dangerously ambiguous",
    ),
}


@pytest.mark.parametrize(
    ("first", "second", "kind"), PORT_CONFLICTS.values(), ids=PORT_CONFLICTS.keys()
)
def test_the_server_warns_of_equal_ports(
    first: dict[str, Any], second: dict[str, Any], kind: str
) -> None:
    (warning,) = engine_for(server()).validate(two_ports(first, second))
    assert (warning.severity, warning.code) == ("warning", "JW023")
    assert warning.field == "spec.template.spec.containers[1].ports[0]"
    assert warning.message == (
        f"{kind} port definition with spec.template.spec.containers[0].ports[0]"
    )


def test_other_protocols_older_servers_and_unchanged_jobs_are_not_warned_of() -> None:
    assert engine_for(server()).validate(two_ports({}, {"protocol": "UDP"})) == []
    same = two_ports({}, {})
    assert engine_for(server("1.27")).validate(same) == []
    assert engine_for(server()).validate(same, same) == []
