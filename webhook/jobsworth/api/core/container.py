"""Containers, init containers and sidecars (``core/v1``), with restart policies and rules of their own.

The API has one type for containers and init containers; here they are two, because their rules
differ. Source: ``validateContainers``, ``validateInitContainers`` and
``validateEphemeralContainers`` in ``pkg/apis/core/validation``, Kubernetes 1.36. The
rules on a container and the rest of its Pod are in :mod:`jobsworth.api.core.pod_containers`.

A restart policy of a container overrides the Pod's: KEP-753 (sidecars), KEP-5307 (rules of containers),
KEP-5532 (restarting all containers), and ``validateContainerRestartPolicy``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.images import PULL_POLICIES, default_pull_policy
from jobsworth.api.core.resources import (
    ContainerResizePolicy,
    ResourceRequirements,
    check_requirements,
)
from jobsworth.api.core.security import SecurityContext
from jobsworth.api.core.volume_mounts import VolumeDevice, VolumeMount
from jobsworth.api.declare import Boolean, Field, Int32, Later, ListOf, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, forbidden, invalid, not_supported, required
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import dns_label

RESTART_POLICIES = ("Always", "Never", "OnFailure")
RESTART_ACTIONS = ("Restart", "RestartAllContainers")
EXIT_CODE_OPERATORS = ("In", "NotIn")
MAX_RULES = 20
MAX_EXIT_CODES = 255

ContainerRestartRuleOnExitCodes = Struct(
    "ContainerRestartRuleOnExitCodes",
    "The exit codes that a rule matches, or excludes.",
    operator=Field(String, values=EXIT_CODE_OPERATORS),
    values=Field(ListOf(Int32), max_items=MAX_EXIT_CODES),
)

ContainerRestartRule = Struct(
    "ContainerRestartRule",
    "The action for certain exit codes of a container.",
    action=Field(String, values=RESTART_ACTIONS),
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
    actions = RESTART_ACTIONS if _all_containers_may_restart(request) else RESTART_ACTIONS[:1]
    for index, rule in enumerate(container.get("restartPolicyRules", ())):
        at, action = f"{path}.restartPolicyRules[{index}]", rule.get("action", "")
        if action not in actions:
            # 1.35 does not list the action that the gate adds.
            yield not_supported(
                f"{at}.action",
                action,
                RESTART_ACTIONS[:1] if request.server.minor == 35 else actions,
            )
        if "exitCodes" not in rule:
            yield required(f"{at}.exitCodes", "must be specified")
        operator = rule.get("exitCodes", {"operator": "In"}).get("operator", "")
        if operator not in EXIT_CODE_OPERATORS:
            yield not_supported(f"{at}.exitCodes.operator", operator, EXIT_CODE_OPERATORS)


MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")

_ENVIRONMENT = "jobsworth.api.core.environment"
_HANDLERS = "jobsworth.api.core.handlers"
_PORT = Later("jobsworth.api.core.ports", "ContainerPort")
_PROBE = Later(_HANDLERS, "Probe")
_LIFECYCLE = Later(_HANDLERS, "Lifecycle")


def is_sidecar(container: dict[str, Any]) -> bool:
    """Return True if an init container is a sidecar, which keeps running (KEP-753)."""
    return bool(container.get("restartPolicy") == "Always")


def _counts(container: dict[str, Any], request: Request) -> bool:
    return is_sidecar(container)


def _has_restart_policy(container: dict[str, Any], request: Request) -> bool:
    return "restartPolicy" in container


def _never(container: dict[str, Any], request: Request) -> bool:
    return False


_FIELDS = {
    "name": Field(String, always=True, required=True, format=dns_label),
    "image": Field(String, required=True),
    "command": Field(ListOf(String)),
    "args": Field(ListOf(String)),
    "workingDir": Field(String),
    "ports": Field(ListOf(_PORT)),
    "envFrom": Field(ListOf(Later(_ENVIRONMENT, "EnvFromSource"))),
    "env": Field(ListOf(Later(_ENVIRONMENT, "EnvVar"))),
    "resources": Field(ResourceRequirements),
    "resizePolicy": Field(
        ListOf(ContainerResizePolicy), since="1.27", gate="InPlacePodVerticalScaling"
    ),
    "restartPolicy": Field(
        Pointer(String), values=RESTART_POLICIES, since="1.28", value_gate="ContainerRestartRules"
    ),
    "restartPolicyRules": Field(
        ListOf(ContainerRestartRule),
        max_items=MAX_RULES,
        since="1.34",
        gate="ContainerRestartRules",
    ),
    "volumeMounts": Field(ListOf(VolumeMount)),
    "volumeDevices": Field(ListOf(VolumeDevice)),
    "livenessProbe": Field(Pointer(_PROBE)),
    "readinessProbe": Field(Pointer(_PROBE)),
    "startupProbe": Field(Pointer(_PROBE)),
    "lifecycle": Field(Pointer(_LIFECYCLE), drop_emptied="1.30"),
    "terminationMessagePath": Field(String, default="/dev/termination-log"),
    "terminationMessagePolicy": Field(String, default="File", enum=MESSAGE_POLICIES),
    "imagePullPolicy": Field(String, enum=PULL_POLICIES),
    "securityContext": Field(Pointer(SecurityContext)),
    "stdin": Field(Boolean),
    "stdinOnce": Field(Boolean),
    "tty": Field(Boolean),
}

Container = Struct("Container", "An app container of a Pod.", **_FIELDS)

InitContainer = Struct(
    "InitContainer",
    "A container that runs before the app containers, or a sidecar.",
    **_FIELDS
    | {
        "restartPolicy": Field(
            Pointer(String),
            values=RESTART_POLICIES,
            since="1.28",
            gate="SidecarContainers",
            value_gate="ContainerRestartRules",
        ),
        "restartPolicyRules": Field(
            ListOf(ContainerRestartRule),
            max_items=MAX_RULES,
            since="1.34",
            gate="ContainerRestartRules",
            validate_when=_has_restart_policy,
        ),
        "livenessProbe": Field(Pointer(_PROBE), validate_when=_counts),
        "readinessProbe": Field(Pointer(_PROBE), validate_when=_counts),
        "startupProbe": Field(Pointer(_PROBE), validate_when=_counts),
        "lifecycle": Field(Pointer(_LIFECYCLE), validate_when=_counts, drop_emptied="1.30"),
    },
)

EphemeralContainer = Struct(
    "EphemeralContainer",
    "A container that is added to a running Pod; not allowed in templates.",
    **_FIELDS
    | {
        "restartPolicy": Field(Pointer(String), values=RESTART_POLICIES, since="1.28"),
        "restartPolicyRules": Field(
            ListOf(ContainerRestartRule),
            since="1.34",
            gate="ContainerRestartRules",
            validate_when=_never,
            keep_empty=True,
        ),
        "ports": Field(ListOf(_PORT), keep_empty=True),
        "resizePolicy": Field(
            ListOf(ContainerResizePolicy),
            since="1.27",
            gate="InPlacePodVerticalScaling",
            keep_empty=True,
        ),
        "livenessProbe": Field(Pointer(_PROBE), validate_when=_never),
        "readinessProbe": Field(Pointer(_PROBE), validate_when=_never),
        "startupProbe": Field(Pointer(_PROBE), validate_when=_never),
        "lifecycle": Field(Pointer(_LIFECYCLE), validate_when=_never, drop_emptied="1.30"),
        "targetContainerName": Field(String),
    },
)

NOT_OF_INIT_CONTAINERS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
NOT_OF_EPHEMERAL_CONTAINERS = (
    *NOT_OF_INIT_CONTAINERS,
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
)


@Container.defaulter
@InitContainer.defaulter
@EphemeralContainer.defaulter
def _pull_policy(container: dict[str, Any], request: Request) -> None:
    if "imagePullPolicy" not in container:
        container["imagePullPolicy"] = default_pull_policy(container.get("image", ""))


@Container.rule
@InitContainer.rule
@EphemeralContainer.rule
def _any_container(container: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    from jobsworth.api.core import ports as port_checks

    if "ports" in container:
        yield from port_checks.check_port_names(container["ports"], f"{path}.ports")
    if container["resources"]:
        yield from check_requirements(container["resources"], f"{path}.resources", request)


@Container.rule
def _container(container: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    yield from _check_probes(container, path)
    if "restartPolicy" in container or "restartPolicyRules" in container:
        yield from check_container_restart(container, path, request)


@InitContainer.rule
def _init_container(container: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "restartPolicy" in container or "restartPolicyRules" in container:
        yield from check_init_container_restart(container, path, request)
    if is_sidecar(container):
        yield from _check_probes(container, path)
        return
    for field in NOT_OF_INIT_CONTAINERS:
        if field in container:
            yield forbidden(
                f"{path}.{field}",
                "may not be set for init containers without restartPolicy=Always",
            )


def _check_probes(container: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the probes of a container or a sidecar, beyond the rules for every probe."""
    for field in ("livenessProbe", "startupProbe"):
        if field in container and container[field]["successThreshold"] != 1:
            threshold = container[field]["successThreshold"]
            yield invalid(f"{path}.{field}.successThreshold", threshold, "must be 1")
    period = container.get("readinessProbe", {}).get("terminationGracePeriodSeconds")
    if period is not None:
        yield invalid(
            f"{path}.readinessProbe.terminationGracePeriodSeconds",
            period,
            "must not be set for readinessProbes",
        )


@EphemeralContainer.rule
def _ephemeral_container(
    container: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    image = container.get("image", "")
    if image != image.strip():
        yield invalid(f"{path}.image", image, "must not have leading or trailing whitespace")
    for field in NOT_OF_EPHEMERAL_CONTAINERS:
        if field in container and (container[field] or field != "resources"):
            yield forbidden(f"{path}.{field}", "cannot be set for an Ephemeral Container")
    for index, mount in enumerate(container.get("volumeMounts", ())):
        for field in ("subPath", "subPathExpr"):
            if field in mount:
                yield forbidden(
                    f"{path}.volumeMounts[{index}].{field}",
                    "cannot be set for an Ephemeral Container",
                )
