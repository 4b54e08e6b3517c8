"""Container-level restart policies and rules, which override the Pod's restartPolicy (``core/v1``).

Source: KEP-753 (sidecars), KEP-5307 (rules of containers), KEP-5532 (restarting all containers),
and ``validateContainerRestartPolicy`` in ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.declare import Field, Int32, ListOf, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, forbidden, not_supported, required
from jobsworth.api.validation_request import Request

RESTART_POLICIES = ("Always", "Never", "OnFailure")
ACTIONS = ("Restart", "RestartAllContainers")
OPERATORS = ("In", "NotIn")
MAX_RULES = 20
MAX_EXIT_CODES = 255

ContainerRestartRuleOnExitCodes = Struct(
    "ContainerRestartRuleOnExitCodes",
    "The exit codes that a rule matches, or excludes.",
    operator=Field(String, values=OPERATORS),
    values=Field(ListOf(Int32), max_items=MAX_EXIT_CODES),
)

ContainerRestartRule = Struct(
    "ContainerRestartRule",
    "The action for certain exit codes of a container.",
    action=Field(String, values=ACTIONS),
    exitCodes=Field(Pointer(ContainerRestartRuleOnExitCodes)),
)


def has_restart_rules(request: Request) -> bool:
    """Return True unless the API server drops the restart policies of containers."""
    return request.enabled("ContainerRestartRules")


def _all_containers_may_restart(request: Request) -> bool:
    return request.enabled("RestartAllContainersOnContainerExits")


def check_container_restart(
    container: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Validate the restart policy of an app container.

    Args:
        container: one that has a restartPolicy or restartPolicyRules.
        path: its field path.
    """
    if has_restart_rules(request):
        yield from _check_policy_and_rules(container, path, request)
    elif "restartPolicy" in container:
        yield forbidden(f"{path}.restartPolicy", "may not be set for non-init containers")


def check_init_container_restart(
    container: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Validate the restart policy of an init container; with Always it is a sidecar.

    Args:
        container: one that has a restartPolicy or restartPolicyRules.
        path: its field path.
    """
    policy = container.get("restartPolicy")
    if policy is None:
        if request.server.minor >= 35:
            yield _policy_missing(path)
    elif not has_restart_rules(request):
        if policy != "Always":
            yield not_supported(f"{path}.restartPolicy", policy, ("Always",))
    elif policy != "Always" or _all_containers_may_restart(request):
        yield from _check_policy_and_rules(container, path, request)
    elif "restartPolicyRules" in container:
        yield forbidden(
            f"{path}.restartPolicyRules",
            "restartPolicyRules are not allowed for init containers with restart policy Always",
        )


def _policy_missing(path: str) -> FieldError:
    return required(
        f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used"
    )


def _check_policy_and_rules(
    container: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    policy = container.get("restartPolicy")
    if policy is None:
        yield _policy_missing(path)
    elif policy not in RESTART_POLICIES:
        yield not_supported(f"{path}.restartPolicy", policy, RESTART_POLICIES)
    actions = ACTIONS if _all_containers_may_restart(request) else ACTIONS[:1]
    for index, rule in enumerate(container.get("restartPolicyRules", ())):
        at, action = f"{path}.restartPolicyRules[{index}]", rule.get("action", "")
        if action not in actions:
            # 1.35 does not list the action that the gate adds.
            yield not_supported(
                f"{at}.action", action, ACTIONS[:1] if request.server.minor == 35 else actions
            )
        if "exitCodes" not in rule:
            yield required(f"{at}.exitCodes", "must be specified")
        operator = rule.get("exitCodes", {"operator": "In"}).get("operator", "")
        if operator not in OPERATORS:
            yield not_supported(f"{at}.exitCodes.operator", operator, OPERATORS)
