"""Restart policies and restart rules of single containers."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import defaulted_pod, server
from support.validation.validated_containers import (
    INIT,
    MAIN,
    SIDECAR,
    Errors,
    container_errors,
    init_container_errors,
    stored_container,
)

POLICIES = 'supported values: "Always", "Never", "OnFailure"'
RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}
NO_POLICY = "Required value: must specify restartPolicy when restart rules are used"
WITHOUT_RULES = {"ContainerRestartRules": False, "RestartAllContainersOnContainerExits": False}


@pytest.mark.parametrize(
    ("container", "errors"),
    [
        ({"restartPolicy": "Never"}, {}),
        ({"restartPolicy": "Always", "restartPolicyRules": [RULE]}, {}),
        (
            {"restartPolicy": "always"},
            {"restartPolicy": f'Unsupported value: "always": {POLICIES}'},
        ),
        ({"restartPolicyRules": [RULE]}, {"restartPolicy": NO_POLICY}),
        (
            {"restartPolicy": "Never", "restartPolicyRules": [RULE] * 21},
            {"restartPolicyRules": "Too many: 21: must have at most 20 items"},
        ),
    ],
)
def test_containers_and_sidecars_have_restart_policies(
    container: dict[str, Any], errors: Errors
) -> None:
    assert container_errors(container) == errors
    assert init_container_errors({**INIT, **container}) == errors


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"action": "RestartAllContainers"}, {}),
        (
            {"action": "Stop"},
            {
                "action": 'Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"'
            },
        ),
        (
            {"action": ""},
            {
                "action": 'Unsupported value: "": supported values: "Restart", "RestartAllContainers"'
            },
        ),
        ({"exitCodes": None}, {"exitCodes": "Required value: must be specified"}),
        (
            {"exitCodes": {"values": [1]}},
            {"exitCodes.operator": 'Unsupported value: "": supported values: "In", "NotIn"'},
        ),
        ({"exitCodes": {"operator": "NotIn", "values": list(range(255))}}, {}),
        (
            {"exitCodes": {"operator": "NotIn", "values": list(range(256))}},
            {"exitCodes.values": "Too many: 256: must have at most 255 items"},
        ),
    ],
)
def test_a_rule_is_an_action_and_exit_codes(change: dict[str, Any], errors: Errors) -> None:
    container = {"restartPolicy": "Never", "restartPolicyRules": [{**RULE, **change}]}
    expected = {f"restartPolicyRules[0].{field}": errors[field] for field in errors}
    assert container_errors(container) == expected


def test_rules_of_an_init_container_without_a_policy_are_not_validated() -> None:
    assert init_container_errors({**INIT, "restartPolicyRules": [{}]}) == {
        "restartPolicy": NO_POLICY
    }


def test_not_every_server_restarts_all_containers() -> None:
    at = server(gates={"RestartAllContainersOnContainerExits": False})
    rules = {"restartPolicyRules": [{**RULE, "action": "RestartAllContainers"}]}
    assert container_errors({"restartPolicy": "Never", **rules}, at=at) == {
        "restartPolicyRules[0].action": 'Unsupported value: "RestartAllContainers": '
        'supported values: "Restart"'
    }
    assert init_container_errors({**SIDECAR, **rules}, at=at) == {
        "restartPolicyRules": "Forbidden: restartPolicyRules are not allowed for init containers "
        "with restart policy Always"
    }


def test_before_1_34_only_init_containers_had_a_policy() -> None:
    at = server("1.33")
    assert container_errors({"restartPolicy": "Always"}, at=at) == {
        "restartPolicy": "Forbidden: may not be set for non-init containers"
    }
    assert init_container_errors(SIDECAR, at=at) == {}
    assert init_container_errors({**INIT, "restartPolicy": "Never"}, at=at) == {
        "restartPolicy": 'Unsupported value: "Never": supported values: "Always"'
    }


def test_without_the_gate_policies_are_dropped_but_that_of_a_sidecar() -> None:
    at = server(gates=WITHOUT_RULES)
    assert "restartPolicy" not in stored_container({"restartPolicy": "Never"}, at=at)
    inits = [SIDECAR, {**INIT, "name": "b", "restartPolicy": "Never"}]
    stored = defaulted_pod({"containers": [MAIN], "initContainers": inits}, at=at)
    assert [init.get("restartPolicy") for init in stored["initContainers"]] == ["Always", None]
