"""The API server's warnings about a valid Pod template, in its words and by release.

A request with such a template is accepted; kubectl prints the warnings. Source: ``warningsForPodSpecAndMeta``
in ``pkg/api/pod/warnings.go`` and the functions that it calls in ``pkg/api/node`` and
``pkg/api/persistentvolumeclaim``, Kubernetes 1.25 to 1.37. Warnings about ports are in :mod:`ports`, those
about files that share a path in :mod:`overlapping_files`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from jobsworth.api.api_server import EXACT_SINCE
from jobsworth.api.core.pod_profiles import (
    APP_ARMOR_PREFIX,
    LOCALHOST_PREFIX,
    SECCOMP_CONTAINER_PREFIX,
    SECCOMP_POD_ANNOTATION,
)
from jobsworth.api.declare import ServerWarning
from jobsworth.api.field_errors import quoted
from jobsworth.api.validation_request import Request

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

FRACTIONAL_BYTES = "PodSpec.fractional_bytes"
HIDDEN_VARIABLE = "Container.hidden_variable"
NEGATIVE_GRACE_PERIOD = "PodSpec.negative_grace_period"
"""Keys of the warnings for which there is another finding too."""

CONTAINER_KINDS = ("initContainers", "containers", "ephemeralContainers")
"""In the order in which the server visits them."""

NODE_LABELS = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": "deprecated since v1.17; "
    'use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": "deprecated since v1.17; "
    'use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": "deprecated since v1.17; "
    'use "node.kubernetes.io/instance-type" instead',
}
NODE_LABELS_SINCE_31 = {
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; "
    "use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
"""Deprecated labels of nodes; the second table is that of Kubernetes 1.31."""

ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": "non-functional in v1.16+; "
    'use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": "non-functional in v1.11+; "
    'use the "sysctls" field instead',
}

_PLANNED = "deprecated in v1.22, support removal is planned in v1.26"
_GONE = "deprecated in v1.22, non-functional in v1.25+"
VOLUMES: dict[str, tuple[tuple[int, str], ...]] = {
    "photonPersistentDisk": ((25, "deprecated in v1.11, non-functional in v1.16+"),),
    "scaleIO": ((25, "deprecated in v1.16, non-functional in v1.22+"),),
    "flocker": ((25, _PLANNED), (27, _GONE)),
    "storageos": ((25, _PLANNED), (27, _GONE)),
    "quobyte": ((25, _PLANNED), (27, _GONE)),
    "glusterfs": (
        (
            25,
            "deprecated in v1.25, this feature will be removed soon after in a subsequent release",
        ),
        (27, "deprecated in v1.25, non-functional in v1.26+"),
    ),
    "cephfs": ((28, "deprecated in v1.28, non-functional in v1.31+"),),
    "rbd": ((28, "deprecated in v1.28, non-functional in v1.31+"),),
}
"""The deprecated types of volumes: the first minor version of each message, the latest last."""
PRINTED_TYPES = {"storageos": "storageOS"}
"""Types of volumes to which the server gives another name in the path of a warning."""

_GIT = "deprecated in v1.11"
GIT_OFF_SINCE = 33
"""The first minor version whose warning about a gitRepo says that it is off."""
CLAIMS_SINCE = 26
GRACE_PERIOD_SINCE = 27
SELECTORS_SINCE = 28
HIDDEN_SINCE = 28
"""The first minor version that warns of a variable only if it does not build on the former value."""
APPLY_SINCE = 30
APP_ARMOR_COMPARED_SINCE = 34
OVERLAPS_SINCE = 32
HAVE_FILES = frozenset(("configMap", "secret", "downwardAPI", "projected"))
"""The types of volumes whose files have paths."""
VALUES_SINCE = 33
ADDRESSES_SINCE = 33
ADDRESSES_REJECTED_SINCE = 36
SECCOMP_GONE_SINCE = 27

_NO_SELECTOR = "a null labelSelector results in matching no pod"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_IN_BYTES = ("memory", "ephemeral-storage")


def pod_template_warnings(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[ServerWarning]:
    """Yield the warnings about a Pod template.

    Args:
        template: a valid PodTemplateSpec with defaults.
        path: its field path.
        request: the request; the release of its server decides.
    """
    pod, at = template["spec"], f"{path}.spec"
    minor = request.server.minor
    if "nodeSelector" in pod:
        labels = _node_labels(minor)
        for key in pod["nodeSelector"]:
            if key in labels:
                yield ServerWarning(f"{at}.nodeSelector[{key}]", labels[key])
    affinity = pod.get("affinity")
    if affinity is not None:
        yield from _node_affinity(affinity.get("nodeAffinity", {}), f"{at}.affinity", minor)
    if "topologySpreadConstraints" in pod:
        yield from _topology(pod, at, minor)
    annotations = template["metadata"].get("annotations")
    if annotations is not None:
        yield from _annotations(annotations, template, path, request.server)
    if "volumes" in pod:
        yield from _volumes(pod["volumes"], f"{at}.volumes", request)
    if "hostAliases" in pod:
        addresses = (alias.get("ip", "") for alias in pod["hostAliases"])
        for index, address in _repeated(addresses):
            field = f"{at}.hostAliases[{index}].ip"
            yield ServerWarning(field, f"duplicate ip {quoted(address)}")
    if "imagePullSecrets" in pod:
        yield from _pull_secrets(pod["imagePullSecrets"], f"{at}.imagePullSecrets")
    if "overhead" in pod:
        yield from fractional_bytes(pod["overhead"], f"{at}.overhead", _IN_BYTES, minor)
    yield from _containers(pod, at, minor)
    if minor >= GRACE_PERIOD_SINCE and pod.get("terminationGracePeriodSeconds", 0) < 0:
        yield ServerWarning(
            f"{at}.terminationGracePeriodSeconds",
            "must be >= 0; negative values are invalid and will be treated as 1",
            NEGATIVE_GRACE_PERIOD,
        )
    if affinity is not None and minor >= SELECTORS_SINCE:
        yield from _selectors_of_pods(affinity, f"{at}.affinity")
    if minor >= ADDRESSES_SINCE and ("dnsConfig" in pod or "hostAliases" in pod):
        yield from _addresses(pod, at, minor)


def _node_labels(minor: int) -> dict[str, str]:
    return {**NODE_LABELS, **NODE_LABELS_SINCE_31} if minor >= 31 else NODE_LABELS


def _node_affinity(affinity: dict[str, Any], path: str, minor: int) -> Iterator[ServerWarning]:
    at = f"{path}.nodeAffinity"
    for index, term in enumerate(affinity.get(_REQUIRED, {}).get("nodeSelectorTerms", ())):
        where = f"{at}.{_REQUIRED}.nodeSelectorTerms[{index}]"
        yield from _node_term(term, where, minor, preferred=False)
    for index, weighted in enumerate(affinity.get(_PREFERRED, ())):
        where = f"{at}.{_PREFERRED}[{index}].preference"
        yield from _node_term(weighted["preference"], where, minor, preferred=True)


def _node_term(
    term: dict[str, Any], path: str, minor: int, *, preferred: bool
) -> Iterator[ServerWarning]:
    labels = _node_labels(minor)
    for index, requirement in enumerate(term.get("matchExpressions", ())):
        at, key = f"{path}.matchExpressions[{index}]", requirement.get("key", "")
        if key in labels:
            yield ServerWarning(f"{at}.key", f"{key} is {labels[key]}")
        if preferred and minor >= VALUES_SINCE:
            from kube_cel.formats.names import label_value

            for number, value in enumerate(requirement.get("values", ())):
                for detail in label_value(value):
                    yield ServerWarning(f"{at}.values[{number}]", f"{value} is invalid, {detail}")


def _topology(pod: dict[str, Any], path: str, minor: int) -> Iterator[ServerWarning]:
    labels = _node_labels(minor)
    for index, constraint in enumerate(pod["topologySpreadConstraints"]):
        at, key = f"{path}.topologySpreadConstraints[{index}]", constraint.get("topologyKey", "")
        if key in labels:
            yield ServerWarning(f"{at}.topologyKey", f"{key} is {labels[key]}")
        if minor >= SELECTORS_SINCE and "labelSelector" not in constraint:
            yield ServerWarning(f"{at}.labelSelector", _NO_SELECTOR)


def _selectors_of_pods(affinity: dict[str, Any], path: str) -> Iterator[ServerWarning]:
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind, {})
        for index, term in enumerate(terms.get(_REQUIRED, ())):
            if "labelSelector" not in term:
                field = f"{path}.{kind}.{_REQUIRED}[{index}].labelSelector"
                yield ServerWarning(field, _NO_SELECTOR)
        for index, weighted in enumerate(terms.get(_PREFERRED, ())):
            if "labelSelector" not in weighted["podAffinityTerm"]:
                at = f"{path}.{kind}.{_PREFERRED}[{index}].podAffinityTerm"
                yield ServerWarning(f"{at}.labelSelector", _NO_SELECTOR)


def _annotations(
    annotations: dict[str, str], template: dict[str, Any], path: str, server: ApiServer
) -> Iterator[ServerWarning]:
    at, pod = f"{path}.metadata.annotations", template["spec"]
    for key, message in ANNOTATIONS.items():
        if key in annotations:
            yield ServerWarning(f"{at}[{key}]", message)
    seccomp = "deprecated since v1.19, non-functional in a future release"
    if server.minor >= SECCOMP_GONE_SINCE:
        seccomp = "non-functional in v1.27+"
    seccomp += '; use the "seccompProfile" field instead'
    if SECCOMP_POD_ANNOTATION in annotations and _profile(pod, "seccompProfile") is None:
        yield ServerWarning(f"{at}[{SECCOMP_POD_ANNOTATION}]", seccomp)
    for kind in CONTAINER_KINDS:
        for container in pod.get(kind, ()):
            key = SECCOMP_CONTAINER_PREFIX + container.get("name", "")
            if key in annotations and _profile(container, "seccompProfile") is None:
                yield ServerWarning(f"{at}[{key}]", seccomp)
            key = APP_ARMOR_PREFIX + container.get("name", "")
            if key in annotations and _warns_of_app_armor(container, pod, annotations[key], server):
                yield ServerWarning(
                    f"{at}[{key}]",
                    'deprecated since v1.30; use the "appArmorProfile" field instead',
                )


def _profile(holder: dict[str, Any], field: str) -> dict[str, Any] | None:
    profile: dict[str, Any] | None = holder.get("securityContext", {}).get(field)
    return profile


def _warns_of_app_armor(
    container: dict[str, Any], pod: dict[str, Any], annotation: str, server: ApiServer
) -> bool:
    if not server.enabled("AppArmorFields") or _profile(container, "appArmorProfile") is not None:
        return False
    of_pod = _profile(pod, "appArmorProfile")
    if of_pod is None:
        return True
    return server.minor >= APP_ARMOR_COMPARED_SINCE and of_pod != _app_armor_profile(annotation)


def _app_armor_profile(annotation: str) -> dict[str, str] | None:
    """Return the profile that an annotation names; None if it names none."""
    if annotation == "unconfined":
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    name = annotation.removeprefix(LOCALHOST_PREFIX)
    if name and name != annotation:
        return {"type": "Localhost", "localhostProfile": name}
    return None


def _volumes(volumes: list[dict[str, Any]], path: str, request: Request) -> Iterator[ServerWarning]:
    minor = request.server.minor
    for index, volume in enumerate(volumes):
        at = f"{path}[{index}]"
        for kind in volume:
            messages = [text for since, text in VOLUMES.get(kind, ()) if minor >= since]
            if messages:
                yield ServerWarning(f"{at}.{PRINTED_TYPES.get(kind, kind)}", messages[-1])
        if "gitRepo" in volume:
            off = minor >= GIT_OFF_SINCE and not request.server.enabled("GitRepoVolumeDriver")
            message = f"{_GIT}, and disabled by default in v1.33+" if off else _GIT
            yield ServerWarning(f"{at}.gitRepo", message)
        if "ephemeral" in volume and minor >= CLAIMS_SINCE:
            claim = volume["ephemeral"].get("volumeClaimTemplate", {}).get("spec", {})
            where = f"{at}.ephemeral.volumeClaimTemplate.spec.resources"
            for kind in ("requests", "limits"):
                amounts = claim.get("resources", {}).get(kind, {})
                yield from fractional_bytes(amounts, f"{where}.{kind}", ("storage",), minor)
    if minor >= OVERLAPS_SINCE and any(not HAVE_FILES.isdisjoint(volume) for volume in volumes):
        from jobsworth.api.core.overlapping_files import overlapping_files

        yield from overlapping_files(volumes, path, minor)


def _pull_secrets(secrets: list[dict[str, Any]], path: str) -> Iterator[ServerWarning]:
    names = [secret.get("name", "") for secret in secrets]
    for index, name in _repeated(names):
        yield ServerWarning(f"{path}[{index}].name", f"duplicate name {quoted(name)}")
    for index, name in enumerate(names):
        if not name:
            yield ServerWarning(f"{path}[{index}].name", 'invalid empty name ""')


def _repeated(values: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield index and value of each that occurred before."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)


def fractional_bytes(
    amounts: dict[str, str], path: str, names: Iterable[str], minor: int
) -> Iterator[ServerWarning]:
    """Yield the warnings about amounts that are no whole number of bytes.

    Args:
        amounts: quantities by the name of the resource.
        path: their field path.
        names: the resources that are measured in bytes.
        minor: the server's minor version.
    """
    for name in names:
        amount = amounts.get(name)
        if amount is None or amount.isdecimal() or amount[-1] == "i":
            continue  # fast path: most amounts are whole
        from kube_cel.formats.quantity import parse

        quantity = parse(amount)
        if not (quantity.is_whole() if minor >= EXACT_SINCE else quantity.is_integer()):
            yield ServerWarning(
                f"{path}[{name}]",
                f"fractional byte value {quoted(amount)} is invalid, must be an integer",
                FRACTIONAL_BYTES,
            )


def _containers(pod: dict[str, Any], path: str, minor: int) -> Iterator[ServerWarning]:
    ports = False
    for kind in CONTAINER_KINDS:
        for index, container in enumerate(pod.get(kind, ())):
            at = f"{path}.{kind}[{index}]"
            resources = container.get("resources", {})
            for name in _IN_BYTES:
                for field in ("limits", "requests"):
                    if field in resources:
                        where = f"{at}.resources.{field}"
                        yield from fractional_bytes(resources[field], where, (name,), minor)
            if len(container.get("env", ())) > 1:
                yield from _variables(container["env"], f"{at}.env", minor)
            ports = ports or "ports" in container
    if ports:
        from jobsworth.api.core.ports import PORT_WARNINGS_SINCE, port_warnings

        if minor >= PORT_WARNINGS_SINCE:
            yield from port_warnings(pod, path, minor)


def _variables(env: list[dict[str, Any]], path: str, minor: int) -> Iterator[ServerWarning]:
    for index, name in _repeated(variable.get("name", "") for variable in env):
        if minor < HIDDEN_SINCE:
            message = f"duplicate name {quoted(name)}"
            yield ServerWarning(f"{path}[{index}].name", message, HIDDEN_VARIABLE)
            continue
        value, reference = env[index].get("value", ""), f"$({name})"
        if "valueFrom" in env[index] or value == reference or reference not in value:
            message = f"hides previous definition of {quoted(name)}"
            if minor >= APPLY_SINCE:
                message += ", which may be dropped when using apply"
            yield ServerWarning(f"{path}[{index}]", message, HIDDEN_VARIABLE)


def _addresses(pod: dict[str, Any], path: str, minor: int) -> Iterator[ServerWarning]:
    from jobsworth.api.formats.addresses import preferred_form

    listed = [
        (f"{path}.dnsConfig.nameservers[{index}]", address)
        for index, address in enumerate(pod.get("dnsConfig", {}).get("nameservers", ()))
    ]
    listed += [
        (f"{path}.hostAliases[{index}].ip", alias.get("ip", ""))
        for index, alias in enumerate(pod.get("hostAliases", ()))
    ]
    for field, address in listed:
        form = preferred_form(address)
        if form is None or form.text == address:
            continue
        given, preferred = quoted(address), quoted(form.text)
        if form.is_standard:
            text = f"IPv6 address {given} should be in RFC 5952 canonical format ({preferred})"
        elif minor < ADDRESSES_REJECTED_SINCE:
            text = (
                f"non-standard IP address {given} will be considered invalid in a future "
                f"Kubernetes release: use {preferred}"
            )
        else:
            text = f"non-standard IP address {given} is invalid: use {preferred}"
        yield ServerWarning(field, text)
