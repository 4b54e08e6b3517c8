"""PodSpec and PodTemplateSpec (``core/v1``).

This module has the single rules on a Pod as a whole; groups of related rules have their own modules:
:mod:`pod_metadata`, :mod:`pod_os`, :mod:`pod_security`, and others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.container import Container, EphemeralContainer, InitContainer
from jobsworth.api.core.references import LocalObjectReference
from jobsworth.api.core.resources import (
    PodResourceRequirements,
    check_requirements,
    round_up_to_milli,
)
from jobsworth.api.core.security import PodSecurityContext
from jobsworth.api.declare import (
    Between,
    Boolean,
    Field,
    Int32,
    Int64,
    Later,
    ListOf,
    MapOf,
    Pointer,
    Quantity,
    String,
    Struct,
)
from jobsworth.api.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from jobsworth.api.meta.object_meta import ObjectMeta, check_labels
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import byte_length, dns_label, dns_subdomain, label_key

DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
OPERATING_SYSTEMS = ("linux", "windows")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
RESTART_POLICIES = ("Always", "OnFailure", "Never")

DEFAULT_GRACE_PERIOD_SECONDS = 30
HOSTNAME_MAX_LENGTH = 64
"""The maximum length of a hostname on Linux."""
MAX_EVICTION_RESPONDERS = 10
SCHEDULING_GATES_ARE_KEYS_SINCE = 27
"""The first minor version in which the name of a scheduling gate must be a label key."""

_DNS = "jobsworth.api.core.dns"
_SCHEDULING = "jobsworth.api.core.pod_scheduling"


def _has_to_have_nameservers(pod: dict[str, Any]) -> bool:
    """Return True if dnsPolicy None leaves the Pod without any name server."""
    return pod.get("dnsPolicy") == "None" and not pod.get("dnsConfig", {}).get("nameservers")


def _dns_config_counts(pod: dict[str, Any], request: Request) -> bool:
    return not _has_to_have_nameservers(pod)


PodReadinessGate = Struct(
    "PodReadinessGate",
    "A condition that must be true for the Pod to be ready.",
    conditionType=Field(String, always=True, format=label_key, validate_empty=True),
)

PodOS = Struct(
    "PodOS",
    "The operating system that the Pod requires.",
    name=Field(String, always=True, required=True, values=OPERATING_SYSTEMS),
)

ClaimSource = Struct(
    "ClaimSource",
    "The claim, or the template of claims, behind a name; up to Kubernetes 1.30.",
    resourceClaimName=Field(Pointer(String), since="1.26", until="1.30", format=dns_subdomain),
    resourceClaimTemplateName=Field(
        Pointer(String), since="1.26", until="1.30", format=dns_subdomain
    ),
)

PodResourceClaim = Struct(
    "PodResourceClaim",
    "A device or other resource that the Pod claims for its containers.",
    name=Field(String, always=True, since="1.26", required=True),
    resourceClaimName=Field(Pointer(String), since="1.31", format=dns_subdomain),
    resourceClaimTemplateName=Field(Pointer(String), since="1.31", format=dns_subdomain),
    source=Field(ClaimSource, since="1.26", until="1.30"),
)

PodSpec = Struct(
    "PodSpec",
    "The containers, volumes, scheduling and security of a Pod.",
    volumes=Field(ListOf(Later("jobsworth.api.core.volume", "Volume"))),
    initContainers=Field(ListOf(InitContainer)),
    containers=Field(ListOf(Container), always=True, required=True),
    ephemeralContainers=Field(ListOf(EphemeralContainer)),
    restartPolicy=Field(String, default="Always", enum=RESTART_POLICIES),
    terminationGracePeriodSeconds=Field(Pointer(Int64), default=DEFAULT_GRACE_PERIOD_SECONDS),
    activeDeadlineSeconds=Field(Pointer(Int64), bounds=Between(1, 2**31 - 1)),
    dnsPolicy=Field(String, default="ClusterFirst", enum=DNS_POLICIES),
    nodeSelector=Field(MapOf(String)),
    serviceAccountName=Field(String, format=dns_subdomain),
    serviceAccount=Field(String),
    automountServiceAccountToken=Field(Pointer(Boolean)),
    nodeName=Field(String, format=dns_subdomain),
    hostNetwork=Field(Boolean),
    hostPID=Field(Boolean),
    hostIPC=Field(Boolean),
    shareProcessNamespace=Field(Pointer(Boolean)),
    securityContext=Field(Pointer(PodSecurityContext), default={}),
    imagePullSecrets=Field(ListOf(LocalObjectReference)),
    hostname=Field(String, format=dns_label),
    subdomain=Field(String, format=dns_label),
    affinity=Field(Pointer(Later("jobsworth.api.core.affinity", "Affinity"))),
    schedulerName=Field(String, default="default-scheduler"),
    tolerations=Field(ListOf(Later(_SCHEDULING, "Toleration"))),
    hostAliases=Field(ListOf(Later(_DNS, "HostAlias"))),
    priorityClassName=Field(String, format=dns_subdomain),
    priority=Field(Pointer(Int32)),
    dnsConfig=Field(Pointer(Later(_DNS, "PodDNSConfig")), validate_when=_dns_config_counts),
    readinessGates=Field(ListOf(PodReadinessGate)),
    runtimeClassName=Field(Pointer(String), format=dns_subdomain),
    enableServiceLinks=Field(Pointer(Boolean)),
    preemptionPolicy=Field(Pointer(String), values=PREEMPTION_POLICIES),
    overhead=Field(MapOf(Quantity)),
    topologySpreadConstraints=Field(ListOf(Later(_SCHEDULING, "TopologySpreadConstraint"))),
    setHostnameAsFQDN=Field(Pointer(Boolean)),
    os=Field(Pointer(PodOS)),
    hostUsers=Field(Pointer(Boolean), gate="UserNamespacesSupport"),
    schedulingGates=Field(
        ListOf(Later(_SCHEDULING, "PodSchedulingGate")), since="1.26", gate="PodSchedulingReadiness"
    ),
    resourceClaims=Field(ListOf(PodResourceClaim), since="1.26", gate="DynamicResourceAllocation"),
    resources=Field(Pointer(PodResourceRequirements), since="1.32", gate="PodLevelResources"),
    hostnameOverride=Field(
        Pointer(String), since="1.34", gate="HostnameOverride", format=dns_subdomain
    ),
    schedulingGroup=Field(
        Pointer(Later(_SCHEDULING, "PodSchedulingGroup")), since="1.36", gate="GenericWorkload"
    ),
    evictionResponders=Field(
        ListOf(Later(_SCHEDULING, "EvictionResponder")),
        max_items=MAX_EVICTION_RESPONDERS,
        since="1.37",
        gate="EvictionRequestAPI",
    ),
    workloadRef=Field(
        Pointer(Later(_SCHEDULING, "WorkloadReference")),
        since="1.35",
        until="1.35",
        gate="GenericWorkload",
    ),
)

PodTemplateSpec = Struct(
    "PodTemplateSpec",
    "The template of the Pods that a Job creates.",
    metadata=Field(ObjectMeta),
    spec=Field(PodSpec),
)


@PodSpec.defaulter
def _service_account_by_both_names(pod: dict[str, Any], request: Request) -> None:
    name = pod.get("serviceAccountName") or pod.get("serviceAccount")
    if name is not None:
        pod["serviceAccountName"] = pod["serviceAccount"] = name


@PodSpec.defaulter
def _overhead_in_thousandths(pod: dict[str, Any], request: Request) -> None:
    if "overhead" in pod:
        round_up_to_milli(pod["overhead"], request.server)


@PodSpec.rule_about("os")
def _operating_system(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    name = pod["os"].get("name", "")
    if name and name not in OPERATING_SYSTEMS:
        yield not_supported(f"{path}.os", name, OPERATING_SYSTEMS)


@PodSpec.rule_about("nodeSelector")
def _nodes_by_labels(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    yield from check_labels(pod["nodeSelector"], f"{path}.nodeSelector")


@PodSpec.rule
def _name_servers(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if not _has_to_have_nameservers(pod):
        return
    if "dnsConfig" in pod:
        yield required(
            f"{path}.dnsConfig.nameservers",
            "must provide at least one DNS nameserver when `dnsPolicy` is None",
        )
    else:
        yield required(f"{path}.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")


@PodSpec.rule_about("hostnameOverride")
def _hostname_override(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Forbid hostnameOverride together with the other hostname fields (KEP-4762)."""
    name, at = pod["hostnameOverride"], f"{path}.hostnameOverride"
    for other in ("setHostnameAsFQDN", "hostNetwork"):
        if pod.get(other):
            yield forbidden(at, f"may not be specified when {other} is true")
    if byte_length(name) > HOSTNAME_MAX_LENGTH:
        yield too_long(at, HOSTNAME_MAX_LENGTH)


@PodSpec.rule_about("evictionResponders")
def _eviction_responders(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    from jobsworth.api.core.pod_scheduling import check_eviction_responders

    yield from check_eviction_responders(pod, path)


@PodSpec.rule_about("schedulingGates")
def _scheduling_gates(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    seen = set()
    for index, gate in enumerate(pod["schedulingGates"]):
        name, at = gate.get("name", ""), f"{path}.schedulingGates[{index}]"
        if request.server.minor >= SCHEDULING_GATES_ARE_KEYS_SINCE:
            for detail in label_key(name):
                yield invalid(at, name, detail)
        elif not name:
            yield required(at, "must not be empty")
        if name in seen:
            yield duplicate(at, name)
        seen.add(name)


@PodSpec.rule_about("topologySpreadConstraints")
def _spread_once(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Reject topology spread constraints with the same topologyKey and whenUnsatisfiable."""
    constraints = pod["topologySpreadConstraints"]
    seen = set()
    for index in range(len(constraints) - 1, -1, -1):
        constraint = constraints[index]
        pair = constraint.get("topologyKey", ""), constraint.get("whenUnsatisfiable", "")
        if pair in seen:
            at = f"{path}.topologySpreadConstraints[{index}]"
            yield duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", f"{{{', '.join(pair)}}}")
        seen.add(pair)


@PodSpec.rule_about("resourceClaims")
def _resource_claims(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, claim in enumerate(pod["resourceClaims"]):
        at = f"{path}.resourceClaims[{index}]"
        yield from _check_claim_name(claim.get("name", ""), names, f"{at}.name")
        source, at = (claim["source"], f"{at}.source") if "source" in claim else (claim, at)
        claimed, template = "resourceClaimName" in source, "resourceClaimTemplateName" in source
        if claimed and template:
            yield invalid(
                at,
                source,
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` "
                "may be specified",
            )
        elif not claimed and not template:
            yield invalid(
                at, source, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            )


def _check_claim_name(name: str, names: set[str], path: str) -> Iterator[FieldError]:
    if name in names:
        yield duplicate(path, name)
    elif name:
        for detail in dns_label(name):
            yield invalid(path, name, detail)
        names.add(name)


@PodSpec.rule_about("preemptionPolicy")
def _preemption(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    policy = pod["preemptionPolicy"]
    if policy in PREEMPTION_POLICIES:
        return
    at = f"{path}.preemptionPolicy"
    yield not_supported(at, policy, PREEMPTION_POLICIES) if policy else required(at)


@PodSpec.rule_about("overhead")
def _overhead(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    yield from check_requirements({"limits": pod["overhead"]}, f"{path}.overhead", request)


_CONTAINER_FIELDS = ("initContainers", "containers", "ephemeralContainers")


def has_security_option(pod: dict[str, Any], name: str) -> bool:
    """Return True if the security context of a Pod, or of one of its containers, has a field."""
    if name in pod.get("securityContext", ()):
        return True
    for field in _CONTAINER_FIELDS:
        for container in pod.get(field, ()):
            if "securityContext" in container and name in container["securityContext"]:
                return True
    return False


def every_container(pod: dict[str, Any], path: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield all containers of a Pod, of every kind, with their field paths.

    Args:
        pod: a decoded PodSpec.
        path: its field path.
    """
    for field in _CONTAINER_FIELDS:
        for index, container in enumerate(pod.get(field, ())):
            yield container, f"{path}.{field}[{index}]"
