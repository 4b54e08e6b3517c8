"""Tolerations, topology spread, scheduling gates and groups."""

from __future__ import annotations

from typing import Any

import pytest

from kube_cel.formats.go_numbers import fits
from kube_cel.formats.names import dns_label, dns_subdomain, label_key, label_value
from support.validation.engine_errors import Errors, invalid, pod_errors, server

EXISTS_NEEDED = (
    'operator must be Exists when `key` is empty, which means "match all values and all keys"'
)
COMPARING = server(gates={"TaintTolerationComparisonOperators": True})
UNMERGED = server(gates={"MatchLabelKeysInPodTopologySpreadSelectorMerge": False})


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "gpu", "value": "a100"},
        {"key": "gpu", "operator": "Equal"},
        {"operator": "Exists"},
        {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -1},
    ],
)
def test_tolerations_may_be_broad_or_narrow(toleration: dict[str, Any]) -> None:
    assert pod_errors({"tolerations": [toleration]}) == set()


@pytest.mark.parametrize(
    ("toleration", "errors"),
    [
        ({}, {("operator", invalid("", EXISTS_NEEDED))}),
        ({"operator": "Equal"}, {("operator", invalid("Equal", EXISTS_NEEDED))}),
        ({"key": "-a"}, {("key", invalid("-a", label_key("-a")[0]))}),
        (
            {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 60},
            {
                (
                    "effect",
                    invalid(
                        "NoSchedule", "effect must be 'NoExecute' when `tolerationSeconds` is set"
                    ),
                )
            },
        ),
        (
            {"key": "a", "value": "-" * 64},
            {("operator", invalid("-" * 64, ";".join(label_value("-" * 64))))},
        ),
        (
            {"key": "a", "operator": "Exists", "value": "x"},
            {("operator", invalid("x", "value must be empty when `operator` is 'Exists'"))},
        ),
        (
            {"key": "a", "operator": "exists"},
            {
                (
                    "operator",
                    'Unsupported value: "exists": supported values: "Equal", "Exists"',
                )
            },
        ),
        (
            {"key": "a", "effect": "noSchedule"},
            {
                (
                    "effect",
                    'Unsupported value: "noSchedule": '
                    'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
                )
            },
        ),
    ],
)
def test_tolerations_are_validated(toleration: dict[str, Any], errors: Errors) -> None:
    assert pod_errors({"tolerations": [toleration]}) == {
        (f"tolerations[0].{field}", message) for field, message in errors
    }


def test_taints_are_compared_as_numbers_only_with_a_gate() -> None:
    pod = {"tolerations": [{"key": "a", "operator": "Lt", "value": "5"}]}
    unsupported = 'Unsupported value: "Lt": supported values: "Equal", "Exists"'
    assert pod_errors(pod, at=COMPARING) == set()
    assert pod_errors(pod) == {("tolerations[0].operator", f'{unsupported}, "Lt", "Gt"')}
    assert pod_errors(pod, at=server("1.34")) == {("tolerations[0].operator", unsupported)}
    assert pod_errors(pod, pod) == set()
    assert pod_errors(pod, pod, at=server("1.34")) != set()


@pytest.mark.parametrize(
    ("value", "details"),
    [
        ("-9223372036854775808", []),
        ("0", []),
        ("", ["must be non-empty", 'strconv.ParseInt: parsing "": invalid syntax']),
        ("07", ["must be a valid decimal integer in canonical form"]),
        ("+7", ["must be a valid decimal integer in canonical form"]),
        (
            "a",
            [
                "must be a valid decimal integer in canonical form",
                'strconv.ParseInt: parsing "a": invalid syntax',
            ],
        ),
        (
            "9223372036854775808",
            ['strconv.ParseInt: parsing "9223372036854775808": value out of range'],
        ),
    ],
)
def test_a_taint_is_compared_with_a_whole_number(value: str, details: list[str]) -> None:
    pod = {"tolerations": [{"key": "a", "operator": "Gt", "value": value}]}
    assert pod_errors(pod, at=COMPARING) == {
        ("tolerations[0].value", invalid(value, detail)) for detail in details
    }


@pytest.mark.parametrize(
    ("digits", "sound"),
    [("127", True), ("128", False), ("-128", True), ("-129", False), ("0" * 5000 + "1", True)],
)
def test_numbers_fit_into_their_bits(digits: str, sound: bool) -> None:
    assert fits(digits, 8) is sound


def spread(**fields: Any) -> dict[str, Any]:
    """A sound constraint, but for these fields."""
    return {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        **fields,
    }


@pytest.mark.parametrize(
    ("constraint", "errors"),
    [
        (spread(minDomains=3, nodeAffinityPolicy="Honor", nodeTaintsPolicy="Ignore"), set()),
        (spread(labelSelector={"matchLabels": {"a": "b"}}, matchLabelKeys=["c"]), set()),
        (
            {},
            {
                ("maxSkew", "Invalid value: 0: must be greater than zero"),
                ("topologyKey", "Required value: can not be empty"),
                (
                    "whenUnsatisfiable",
                    'Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
                ),
            },
        ),
        (
            spread(whenUnsatisfiable="ScheduleAnyway", minDomains=0),
            {
                ("minDomains", "Invalid value: 0: must be greater than zero"),
                (
                    "minDomains",
                    "Invalid value: 0: can only use minDomains "
                    "if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
                ),
            },
        ),
        (
            spread(nodeAffinityPolicy="", nodeTaintsPolicy="honor"),
            {
                (
                    "nodeAffinityPolicy",
                    'Unsupported value: "": supported values: "Honor", "Ignore"',
                ),
                (
                    "nodeTaintsPolicy",
                    'Unsupported value: "honor": supported values: "Honor", "Ignore"',
                ),
            },
        ),
        (
            spread(labelSelector={"matchLabels": {"a": "-"}}),
            {("labelSelector.matchLabels", invalid("-", label_value("-")[0]))},
        ),
    ],
)
def test_topology_spread_constraints_are_validated(
    constraint: dict[str, Any], errors: Errors
) -> None:
    assert pod_errors({"topologySpreadConstraints": [constraint]}) == {
        (f"topologySpreadConstraints[0].{field}", message) for field, message in errors
    }


def test_a_stored_pod_may_keep_a_malformed_selector() -> None:
    bad = {"topologySpreadConstraints": [spread(labelSelector={"matchLabels": {"a": "-"}})]}
    good = {"topologySpreadConstraints": [spread(labelSelector={})]}
    assert len(pod_errors(bad, good)) == 1
    assert pod_errors(bad, bad) == set()
    assert pod_errors(bad, at=server("1.26")) == set()


def test_a_stored_pod_keeps_label_keys_that_were_valid_when_it_was_created() -> None:
    selector = {"matchLabels": {"app": "a"}}
    pod = {"topologySpreadConstraints": [spread(labelSelector=selector, matchLabelKeys=["app"])]}
    assert pod_errors(pod) == set()
    assert len(pod_errors(pod, at=UNMERGED)) == 1
    assert pod_errors(pod, pod, at=UNMERGED) == set()


@pytest.mark.parametrize("gate", ["MatchLabelKeysInPodTopologySpread"])
def test_label_keys_are_ignored_without_their_gate(gate: str) -> None:
    pod = {"topologySpreadConstraints": [spread(matchLabelKeys=["-"])]}
    assert len(pod_errors(pod)) == 1
    assert pod_errors(pod, at=server("1.35", {gate: False})) == set()


def test_a_scheduling_group_has_a_name() -> None:
    groups = server(gates={"GenericWorkload": True})
    at = "schedulingGroup.podGroupName"
    assert pod_errors({"schedulingGroup": {"podGroupName": "a"}}, at=groups) == set()
    assert pod_errors({"schedulingGroup": {}}, at=groups) == {
        (at, "Invalid value: null: must specify one of: `podGroupName`")
    }
    assert pod_errors({"schedulingGroup": {"podGroupName": "A"}}, at=groups) == {
        (at, invalid("A", dns_subdomain("A")[0]))
    }
    assert pod_errors({"schedulingGroup": {}}) == set()


def test_a_reference_to_a_workload_has_names() -> None:
    workloads = server("1.35", {"GenericWorkload": True})
    sound = {"name": "a.b", "podGroup": "c", "podGroupReplicaKey": "1"}
    assert pod_errors({"workloadRef": sound}, at=workloads) == set()
    assert pod_errors({"workloadRef": {"podGroupReplicaKey": "A"}}, at=workloads) == {
        ("workloadRef.name", invalid("", dns_subdomain("")[0])),
        ("workloadRef.podGroup", invalid("", dns_label("")[0])),
        ("workloadRef.podGroupReplicaKey", invalid("A", dns_label("A")[0])),
    }
