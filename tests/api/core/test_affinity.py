"""Affinity to nodes and to other Pods."""

from __future__ import annotations

from typing import Any

import pytest

from kube_cel.formats.names import dns_label, dns_subdomain, label_key, label_value
from support.validation.engine_errors import Errors, invalid, pod_errors, server

NEEDED = "requiredDuringSchedulingIgnoredDuringExecution"
LIKED = "preferredDuringSchedulingIgnoredDuringExecution"
NODES = f"affinity.nodeAffinity.{NEEDED}.nodeSelectorTerms"
OPERATOR = "not a valid selector operator"


def needing(*terms: dict[str, Any]) -> dict[str, Any]:
    """A Pod that needs a node of one of these terms."""
    return {"affinity": {"nodeAffinity": {NEEDED: {"nodeSelectorTerms": list(terms)}}}}


def near(term: dict[str, Any]) -> dict[str, Any]:
    """A Pod that needs to be near to others."""
    return {"affinity": {"podAffinity": {NEEDED: [term]}}}


@pytest.mark.parametrize(
    "requirement",
    [
        {"key": "zone", "operator": "In", "values": ["a", "b"]},
        {"key": "zone", "operator": "NotIn", "values": ["a"]},
        {"key": "example.com/gpu", "operator": "Exists"},
        {"key": "gpu", "operator": "DoesNotExist"},
        {"key": "cpus", "operator": "Gt", "values": ["8"]},
        {"key": "cpus", "operator": "Lt", "values": ["8"]},
    ],
)
def test_nodes_are_selected_by_labels(requirement: dict[str, Any]) -> None:
    assert pod_errors(needing({"matchExpressions": [requirement]})) == set()


@pytest.mark.parametrize(
    ("requirement", "errors"),
    [
        (
            {"key": "zone", "operator": "In"},
            {
                (
                    "values",
                    "Required value: must be specified when `operator` is 'In' or 'NotIn'",
                )
            },
        ),
        (
            {"key": "zone", "operator": "Exists", "values": ["a"]},
            {
                (
                    "values",
                    "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                )
            },
        ),
        (
            {"key": "cpus", "operator": "Gt", "values": ["1", "2"]},
            {
                (
                    "values",
                    "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
                )
            },
        ),
        ({"key": "zone", "operator": "in"}, {("operator", invalid("in", OPERATOR))}),
        (
            {"operator": "Exists"},
            {("key", invalid("", detail)) for detail in label_key("")},
        ),
        (
            {"key": "zone", "operator": "In", "values": ["a", "-b"]},
            {("values[1]", invalid("-b", label_value("-b")[0]))},
        ),
    ],
)
def test_label_requirements_are_validated(requirement: dict[str, Any], errors: Errors) -> None:
    at = f"{NODES}[0].matchExpressions[0]."
    assert pod_errors(needing({"matchExpressions": [requirement]})) == {
        (at + field, message) for field, message in errors
    }


def test_a_preference_for_a_value_that_no_label_can_have_does_no_harm() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["-b"]}]}
    liked = {"affinity": {"nodeAffinity": {LIKED: [{"weight": 1, "preference": term}]}}}
    assert pod_errors(liked) == set()
    assert pod_errors(needing(term), at=server("1.32")) == set()
    assert pod_errors(needing(term), at=server("1.33")) != set()


def test_a_stored_pod_may_keep_a_value_that_no_label_can_have() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["-b"]}]}
    assert pod_errors(needing(term), needing(term)) == set()
    sound = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}
    assert pod_errors(needing(term), needing(sound)) != set()


@pytest.mark.parametrize(
    ("requirement", "errors"),
    [
        ({"key": "metadata.name", "operator": "In", "values": ["node-1"]}, set()),
        (
            {"key": "metadata.name", "operator": "In", "values": ["A"]},
            {("values[0]", invalid("A", dns_subdomain("A")[0]))},
        ),
        (
            {"key": "metadata.name", "operator": "NotIn", "values": ["a", "b"]},
            {
                (
                    "values",
                    "Required value: must be only one value when `operator` is 'In' or 'NotIn' "
                    "for node field selector",
                )
            },
        ),
        (
            {"key": "spec.providerID", "operator": "Exists"},
            {
                ("key", invalid("spec.providerID", "not a valid field selector key")),
                ("operator", invalid("Exists", OPERATOR)),
            },
        ),
    ],
)
def test_the_only_field_of_a_node_that_selects_is_its_name(
    requirement: dict[str, Any], errors: Errors
) -> None:
    at = f"{NODES}[0].matchFields[0]."
    assert pod_errors(needing({"matchFields": [requirement]})) == {
        (at + field, message) for field, message in errors
    }


def test_needed_nodes_have_a_term_at_least() -> None:
    assert pod_errors(needing()) == {
        (NODES, "Required value: must have at least one node selector term")
    }


@pytest.mark.parametrize(("weight", "sound"), [(1, True), (100, True), (0, False), (101, False)])
def test_weights_go_from_1_to_100(weight: int, sound: bool) -> None:
    detail = f"Invalid value: {weight}: must be in the range 1-100"
    pod = {
        "affinity": {
            "nodeAffinity": {LIKED: [{"weight": weight, "preference": {}}]},
            "podAntiAffinity": {
                LIKED: [{"weight": weight, "podAffinityTerm": {"topologyKey": "zone"}}]
            },
        }
    }
    errors = {
        (f"affinity.nodeAffinity.{LIKED}[0].weight", detail),
        (f"affinity.podAntiAffinity.{LIKED}[0].weight", detail),
    }
    assert pod_errors(pod) == (set() if sound else errors)


@pytest.mark.parametrize(
    ("term", "errors"),
    [
        (
            {
                "topologyKey": "kubernetes.io/hostname",
                "labelSelector": {"matchLabels": {"app": "db"}},
                "namespaceSelector": {},
                "namespaces": ["default"],
            },
            set(),
        ),
        (
            {},
            {("topologyKey", "Required value: can not be empty")}
            | {("topologyKey", invalid("", detail)) for detail in label_key("")},
        ),
        (
            {"topologyKey": "zone", "namespaces": ["a", "B"]},
            {("namespace", invalid("B", dns_label("B")[0]))},
        ),
        (
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "-"}}},
            {("labelSelector.matchLabels", invalid("-", label_value("-")[0]))},
        ),
        (
            {"topologyKey": "zone", "matchLabelKeys": ["app"], "mismatchLabelKeys": ["app"]},
            {
                (field, "Forbidden: must not be specified when labelSelector is not set")
                for field in ("matchLabelKeys", "mismatchLabelKeys")
            }
            | {
                (
                    "matchLabelKeys[0]",
                    invalid("app", "exists in both matchLabelKeys and mismatchLabelKeys"),
                )
            },
        ),
    ],
)
def test_pod_affinity_terms_are_validated(term: dict[str, Any], errors: Errors) -> None:
    at = f"affinity.podAffinity.{NEEDED}[0]."
    assert pod_errors(near(term)) == {(at + field, message) for field, message in errors}


def test_a_stored_pod_may_keep_a_malformed_selector_value() -> None:
    def term(value: str) -> dict[str, Any]:
        requirement = {"key": "app", "operator": "In", "values": [value]}
        return near({"topologyKey": "zone", "labelSelector": {"matchExpressions": [requirement]}})

    assert len(pod_errors(term("-"))) == 1
    assert len(pod_errors(term("-"), term("a"))) == 1
    assert pod_errors(term("-"), term("-")) == set()
