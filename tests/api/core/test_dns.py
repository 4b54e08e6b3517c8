"""Name resolution inside a Pod."""

from __future__ import annotations

from typing import Any

import pytest

from kube_cel.formats.names import dns_subdomain, dns_subdomain_with_underscore
from support.validation.engine_errors import Errors, invalid, pod_errors, server

NOT_AN_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
LENIENT = server(gates={"StrictIPCIDRValidation": False})


@pytest.mark.parametrize("policy", ["ClusterFirst", "ClusterFirstWithHostNet", "Default"])
def test_known_policies_need_no_configuration(policy: str) -> None:
    assert pod_errors({"dnsPolicy": policy}) == set()


def test_an_unknown_policy_is_rejected() -> None:
    assert pod_errors({"dnsPolicy": "none"}) == {
        (
            "dnsPolicy",
            'Unsupported value: "none": supported values: '
            '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
        )
    }


@pytest.mark.parametrize(
    ("pod", "errors"),
    [
        ({"dnsConfig": {"nameservers": ["1.1.1.1"]}}, set()),
        (
            {},
            {("dnsConfig", "Required value: must provide `dnsConfig` when `dnsPolicy` is None")},
        ),
        # Without a name server the rest of the configuration is not validated.
        (
            {"dnsConfig": {"options": [{}], "searches": ["-"]}},
            {
                (
                    "dnsConfig.nameservers",
                    "Required value: must provide at least one DNS nameserver "
                    "when `dnsPolicy` is None",
                )
            },
        ),
    ],
)
def test_without_a_policy_there_are_name_servers(pod: dict[str, Any], errors: Errors) -> None:
    assert pod_errors({"dnsPolicy": "None", **pod}) == errors


@pytest.mark.parametrize(
    ("config", "errors"),
    [
        ({}, set()),
        (
            {
                "nameservers": ["10.0.0.10", "FD00::1"],
                "searches": ["ns.svc.cluster.local", "a.b.", ".", "a_b"],
                "options": [{"name": "ndots", "value": "2"}, {"name": "edns0"}],
            },
            set(),
        ),
        (
            {"nameservers": ["a", "010.0.0.1", "::ffff:1.2.3.4"]},
            {
                ("nameservers[0]", invalid("a", NOT_AN_IP)),
                ("nameservers[1]", invalid("010.0.0.1", "must not have leading 0s")),
                (
                    "nameservers[2]",
                    invalid("::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"),
                ),
            },
        ),
        (
            {"nameservers": ["1.1.1.1"] * 4},
            {
                (
                    "nameservers",
                    'Invalid value: ["1.1.1.1","1.1.1.1","1.1.1.1","1.1.1.1"]: '
                    "must not have more than 3 nameservers",
                )
            },
        ),
        (
            {"searches": ["-a"]},
            {("searches[0]", invalid("-a", dns_subdomain_with_underscore("-a")[0]))},
        ),
        ({"options": [{"value": "2"}]}, {("options[0]", "Required value: must not be empty")}),
    ],
)
def test_dns_configurations_are_validated(config: dict[str, Any], errors: Errors) -> None:
    assert pod_errors({"dnsConfig": config}) == {
        (f"dnsConfig.{field}", message) for field, message in errors
    }


@pytest.mark.parametrize(
    ("searches", "release", "details"),
    [
        (["a"] * 32, "1.36", set()),
        (["a"] * 33, "1.36", {"must not have more than 32 search paths"}),
        (
            ["a" * 200] * 11,
            "1.36",
            {"must not have more than 2048 characters (including spaces) in the search list"},
        ),
        (["a"] * 7, "1.25", {"must not have more than 6 search paths"}),
        (
            ["a" * 200] * 2,
            "1.25",
            {"must not have more than 256 characters (including spaces) in the search list"},
        ),
    ],
)
def test_searches_are_as_many_as_resolvers_take(
    searches: list[str], release: str, details: set[str]
) -> None:
    errors = pod_errors({"dnsConfig": {"searches": searches}}, at=server(release))
    assert {message.split("]: ")[1] for _, message in errors} == details


def test_underscores_came_with_a_gate_and_stay_where_they_are() -> None:
    pod = {"dnsConfig": {"searches": ["a_b", "."]}}
    older = server("1.32")
    assert pod_errors(pod) == set()
    assert pod_errors(pod, at=older) == {
        ("dnsConfig.searches[0]", invalid("a_b", dns_subdomain("a_b")[0])),
        ("dnsConfig.searches[1]", invalid("", dns_subdomain("")[0])),
    }
    assert pod_errors(pod, {"dnsConfig": {"searches": ["."]}}, at=older) == set()
    assert pod_errors(pod, {"dnsConfig": {"searches": ["a"]}}, at=older) != set()
    assert pod_errors(pod, pod, at=server("1.31")) != set()


@pytest.mark.parametrize(
    ("alias", "errors"),
    [
        ({"ip": "127.0.0.1", "hostnames": ["a", "b.example.com"]}, set()),
        ({}, {("ip", invalid("", NOT_AN_IP))}),
        (
            {"ip": "::1", "hostnames": ["a", "B"]},
            {("hostnames[1]", invalid("B", dns_subdomain("B")[0]))},
        ),
    ],
)
def test_aliases_have_an_address_and_names(alias: dict[str, Any], errors: Errors) -> None:
    assert pod_errors({"hostAliases": [alias]}) == {
        (f"hostAliases[0].{field}", message) for field, message in errors
    }


def test_addresses_are_validated_strictly_only_with_a_gate() -> None:
    pod = {"hostAliases": [{"ip": "010.0.0.1"}]}
    assert len(pod_errors(pod)) == 1
    assert pod_errors(pod, at=LENIENT) == set()
    assert pod_errors(pod, at=server("1.35")) == set()
