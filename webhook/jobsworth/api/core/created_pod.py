"""Rules that the API server applies to Pods and not to Pod templates: it accepts a Job and rejects its Pods.

Source: ``ValidatePodCreate`` in ``pkg/apis/core/validation``, ``SetDefaults_Pod`` in ``pkg/apis/core/v1``,
and the admission plugins Priority and RuntimeClass, Kubernetes 1.25 to 1.37. What a Job's controller adds
to the template (generateName, labels, annotations, owner, finalizer, the variable and hostname of an index)
is valid if the Job is: :mod:`jobsworth.controller.pod_body`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.declare import Struct
from jobsworth.api.field_errors import FieldError, forbidden, invalid, required
from jobsworth.api.validation_request import Request

CreatedPod = Struct("CreatedPod", "The Pod that a controller creates from a Pod template.")
"""It has no fields of its own: those of the template were validated with it. Only its rules are used."""

IMAGE = "CreatedPod.image_without_blanks"
PRIORITY = "CreatedPod.computed_priority"
PREEMPTION = "CreatedPod.computed_preemption"
OVERHEAD = "CreatedPod.overhead_of_the_class"
"""Keys of the rules that have a fix."""

GO_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""The characters that ``strings.TrimSpace`` removes."""

SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The values of the priority classes that every cluster has."""
GRACE_PERIOD_SINCE = 37
HOST_PORTS_SINCE = 28
"""The first minor version that defaults the host ports of Pods only, not of templates."""
IMAGES_NAMED_IN_TEMPLATES_SINCE = 37


@CreatedPod.rule
def _image_without_blanks(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    for field in ("containers", "initContainers"):
        for index, container in enumerate(template["spec"].get(field, ())):
            image = container.get("image", "")
            if image != image.strip(GO_SPACES):
                at = f"{path}.spec.{field}[{index}].image"
                yield invalid(at, image, "must not have leading or trailing whitespace")


@CreatedPod.rule
def _no_ephemeral_containers(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Reject ephemeral containers, for which a Pod template is rejected in other words."""
    if template["spec"].get("ephemeralContainers"):
        yield forbidden(f"{path}.spec.ephemeralContainers", "cannot be set on create")


@CreatedPod.rule
def _node_before_gates(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    pod = template["spec"]
    if "nodeName" in pod and pod.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        yield forbidden(f"{path}.spec.nodeName", detail)


@CreatedPod.rule
def _grace_period(template: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    seconds = template["spec"].get("terminationGracePeriodSeconds", 0)
    if seconds < 0 and request.server.minor >= GRACE_PERIOD_SINCE:
        at = f"{path}.spec.terminationGracePeriodSeconds"
        yield invalid(at, seconds, "must be greater than or equal to 0")


@CreatedPod.rule
def _finalizers(template: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Validate the finalizers, which the controller copies, and which are not validated in a template."""
    if "finalizers" in template["metadata"]:
        from jobsworth.api.meta.object_meta import check_finalizers

        yield from check_finalizers(template["metadata"], f"{path}.metadata")


@CreatedPod.rule
def _images_of_volumes(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if request.server.minor >= IMAGES_NAMED_IN_TEMPLATES_SINCE:
        return
    for index, volume in enumerate(template["spec"].get("volumes", ())):
        is_only_source = volume.keys() <= {"name", "image"}
        if "image" in volume and is_only_source and not volume["image"].get("reference"):
            yield required(f"{path}.spec.volumes[{index}].image.reference")


@CreatedPod.rule
def _ports_on_the_node(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Require distinct ports on the network of the node: each port of a container is one of the node."""
    pod = template["spec"]
    if not pod.get("hostNetwork") or request.server.minor < HOST_PORTS_SINCE:
        return
    from jobsworth.api.core.ports import check_host_ports

    taken: set[str] = set()
    for field in ("containers", "initContainers"):
        for index, container in enumerate(pod.get(field, ())):
            ports = [
                {**port, "hostPort": port.get("hostPort") or port.get("containerPort", 0)}
                for port in container.get("ports", ())
            ]
            # Init containers run one by one; the API server reports each as index 0.
            number, known = (index, taken) if field == "containers" else (0, set())
            yield from check_host_ports(ports, f"{path}.spec.{field}[{number}].ports", known)


@CreatedPod.rule
def _resources_of_the_pod(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Compare the resources of the Pod with those of its containers, as a Pod has them (KEP-2837)."""
    if not template["spec"].get("resources") or not request.server.enabled("PodLevelResources"):
        return
    from jobsworth.api.core.pod_resources import check_pod_resources, with_defaults_of_a_pod

    pod = with_defaults_of_a_pod(template["spec"], exact=request.server.exact_quantities)
    yield from check_pod_resources(pod, f"{path}.spec", request)


@CreatedPod.rule
def _computed_priority(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Require that a priority is that of its class, which the admission plugin Priority looks up."""
    priority, name = template["spec"].get("priority"), template["spec"].get("priorityClassName", "")
    computed = SYSTEM_CLASSES.get(name, 0)
    if priority is not None and priority != computed and (not name or name in SYSTEM_CLASSES):
        yield forbidden(
            f"{path}.spec.priority",
            f"the integer value of priority ({priority}) must not be provided in pod spec; priority "
            f"admission controller computed {computed} from the given PriorityClass name",
        )


@CreatedPod.rule
def _computed_preemption(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    policy, name = (
        template["spec"].get("preemptionPolicy"),
        template["spec"].get("priorityClassName", ""),
    )
    if policy == "Never" and (not name or name in SYSTEM_CLASSES):
        yield forbidden(
            f"{path}.spec.preemptionPolicy",
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority "
            "admission controller computed PreemptLowerPriority from the given PriorityClass name",
        )


@CreatedPod.rule
def _overhead_of_the_class(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if template["spec"].get("overhead") and not template["spec"].get("runtimeClassName"):
        yield forbidden(
            f"{path}.spec.overhead",
            "Pod Overhead set without corresponding RuntimeClass defined Overhead",
        )
