"""Findings about the Pods that a valid Job, or a CronJob's Job, would create.

The API server accepts the Job. Then it rejects each of its Pods, or no kubelet can start them. Neither counts
as a failure, so the Job stays active until its deadline, if it has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from jobsworth.api.core.created_pod import GO_SPACES, IMAGE, OVERHEAD, PREEMPTION, PRIORITY
from jobsworth.api.core.images import malformation
from jobsworth.api.field_errors import quoted
from jobsworth.api.validation_request import MAX_ERRORS
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Fix
from jobsworth.findings.placeholders import template_placeholder
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.engine import Engine
from jobsworth.validation.reason_codes import CODES

if TYPE_CHECKING:
    from jobsworth.kinds.child import PodOwner

REJECTED, NEVER_STARTS = "PodRejected", "PodNeverStarts"

HINTS = {
    PRIORITY: "set priorityClassName instead; the priority may stay only if a PriorityClass with this value "
    "is the global default of the cluster",
    PREEMPTION: "set preemptionPolicy in a PriorityClass, and name that in priorityClassName",
    OVERHEAD: "set runtimeClassName; the overhead is that of the RuntimeClass",
}
"""Hints by the key of the rule."""

OF_JOBS = ("Job.generated_selector",)
"""The keys of rules about Jobs that concern the labels of their Pods."""
OF_TEMPLATES = ("PodSpec.no_ephemeral", "PodSpec.pod_resources")
"""The keys of rules about Pod templates for which Pods have a rule of their own."""

_WAITS = "The Pods wait in InvalidImageName forever: no retry and no backoffLimit ends that."
_SCHEMES = ("http", "https", "docker", "oci")
_LEFT_BY_TEMPLATES = {
    "<no value>": "a Go template prints it for a value that is not set",
    "<nil>": "a Go template prints it for a null value",
    "%!": "Go prints it for a wrong format",
}
MEDIA = ("Memory", "HugePages")
"""The media of an emptyDir, beside HugePages of a size such as HugePages-2Mi."""
_NO_VALUES = ("None", "null", "undefined", "nil")
"""The texts that programs print for a value that is not set."""


def child_findings(
    engine: Engine, decoded: DecodedObject, owner: PodOwner = "Job"
) -> list[Finding]:
    """Return the findings about the Pods of an object that the API server accepts.

    Args:
        engine: the engine of the API server.
        decoded: the object; nothing is returned if it cannot be decoded.
        owner: the kind that owns the Pods. The errors about Pods that are created one by one belong to the
            verdict: see :func:`errors_of_pods`.
    """
    if not decoded.is_valid:
        return []
    template, path = _template(engine, decoded)
    images = dict(_images(template["spec"], f"{path}.spec"))
    whose = f"accepts the {owner} but rejects its Pods"
    if "jobTemplate" in decoded.filled["spec"]:
        whose = "accepts the CronJob but rejects the Pods of its Jobs"
    errors = () if owner == "Pod" else engine.created_pod_errors(template, path)
    rejected = [
        _finding(
            REJECTED,
            error.field,
            f"The API server {whose}: {error.message}",
            hint=HINTS.get(error.rule, ""),
            fix=_fix(error, images),
            rule=error.rule,
        )
        for error in errors
    ]
    media = _unknown_media(template["spec"], f"{path}.spec")
    return [*rejected, *islice(chain(_unreadable_images(images), media), MAX_ERRORS)]


def errors_of_pods(engine: Engine, decoded: DecodedObject) -> list[Finding]:
    """Return the errors of the API server about Pods of a template, beside those about the template.

    Args:
        engine: the engine of the API server.
        decoded: the object with the template; nothing is returned if it cannot be decoded.
    """
    if not decoded.is_valid:
        return []
    template, path = _template(engine, decoded)
    images = dict(_images(template["spec"], f"{path}.spec"))
    return [
        error.changed(hint=HINTS.get(error.rule, ""), fix=_fix(error, images))
        for error in engine.created_pod_errors(template, path)
    ]


def without_rules_of_others(errors: Iterable[Finding], owner: PodOwner) -> list[Finding]:
    """Return the errors about a Job that stands for another object, without those that this one has not."""
    absent = (*OF_JOBS, *OF_TEMPLATES) if owner == "Pod" else OF_JOBS
    return [error for error in errors if error.rule not in absent]


def _template(engine: Engine, decoded: DecodedObject) -> tuple[dict[str, Any], str]:
    """Return the Pod template of an object, and its field path."""
    of_cron_job = "jobTemplate" in decoded.filled["spec"]
    path = "spec.jobTemplate.spec.template" if of_cron_job else "spec.template"
    return engine.created_job(decoded)["spec"]["template"], path


def _finding(reason: str, field: str, message: str, **parts: Any) -> Finding:
    code = CODES[reason]
    return Finding(
        source="child",
        severity="warning",
        code=code,
        field=field,
        reason=reason,
        message=message,
        **parts,
    )


def _fix(error: Finding, images: dict[str, str]) -> Fix | None:
    from jobsworth.findings.fix import Edit, Fix

    if error.rule == IMAGE:
        image = images[error.field].strip(GO_SPACES)
        title = "Remove the whitespace around the image"
        return Fix(title, Edit("set", error.field, image), safe=True) if image else None
    if error.rule in HINTS:
        name = error.field.rpartition(".")[2]
        return Fix(f"Remove {name}", Edit("delete", error.field), safe=False)
    return None


def _images(pod: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of every image of a Pod."""
    for field in ("initContainers", "containers"):
        for index, container in enumerate(pod.get(field, ())):
            yield f"{path}.{field}[{index}].image", container.get("image", "")
    for index, volume in enumerate(pod.get("volumes", ())):
        if "image" in volume:
            yield f"{path}.volumes[{index}].image.reference", volume["image"].get("reference", "")


def _unreadable_images(images: dict[str, str]) -> Iterator[Finding]:
    """Yield a finding for each image that no kubelet can parse, and one for the first placeholder.

    A template is rendered before it is applied, so that a placeholder is not a mistake of the Job.
    """
    template = False
    for field, text in images.items():
        image = text.strip(GO_SPACES)
        why = malformation(image) if image else ""
        origin = _left_by_template(image)
        placeholder = _placeholder(image) if why and not origin else ""
        if placeholder:
            if not template:
                message = f"The image {quoted(image)} stands for another one."
                finding = _finding(NEVER_STARTS, field, message, hint=placeholder)
                yield finding.changed(severity="info")
            template = True
        elif why:
            problem = f"No kubelet can parse the image {quoted(image)}"
            if origin:  # which explains more than the first wrong character
                yield _finding(NEVER_STARTS, field, f"{problem}. {_WAITS}", hint=origin)
            else:
                fix = _repaired(field, image)
                yield _finding(NEVER_STARTS, field, f"{problem}: {why}. {_WAITS}", fix=fix)
        elif origin:
            message = f"The image {quoted(image)} is probably not the one that was meant."
            yield _finding(NEVER_STARTS, field, message, hint=origin)


def _unknown_media(pod: dict[str, Any], path: str) -> Iterator[Finding]:
    """Yield a finding for each mounted emptyDir whose medium no kubelet knows.

    Source: ``SetUpAt`` in ``pkg/volume/emptydir/empty_dir.go``, and ``IsHugePageMedium``, Kubernetes 1.36.
    The kubelet does not set up a volume that no container mounts.
    """
    folders = [
        (index, volume["name"], medium)
        for index, volume in enumerate(pod.get("volumes", ()))
        if (medium := volume.get("emptyDir", {}).get("medium"))
        and medium not in MEDIA
        and not medium.startswith("HugePages-")
        and "$" not in medium
        and template_placeholder(medium) is None
    ]
    if not folders:
        return
    from jobsworth.findings.fix import Edit, Fix
    from jobsworth.findings.near_names import near

    containers = (*pod.get("initContainers", ()), *pod.get("containers", ()))
    mounted = {mount.get("name") for each in containers for mount in each.get("volumeMounts", ())}
    for index, volume_name, medium in folders:
        if volume_name not in mounted:
            continue
        field = f"{path}.volumes[{index}].emptyDir.medium"
        name, hyphen, size = medium.partition("-")
        meant = near(name, MEDIA)
        edit = None
        if meant is not None:
            sized = hyphen and size and meant.name == "HugePages"
            edit = Edit("set", field, f"HugePages-{size}" if sized else meant.name)
        yield _finding(
            NEVER_STARTS,
            field,
            f"No kubelet knows the storage medium {quoted(medium)}. The Pods wait in ContainerCreating "
            "forever: no retry and no backoffLimit ends that.",
            hint="set Memory, HugePages or HugePages-<size>, or remove the field for the disk of the node",
            fix=None if edit is None else Fix(f"Set medium: {edit.value}", edit, safe=False),
        )


def _left_by_template(image: str) -> str:
    """Return the origin of what a template engine left in an image, as a clause; empty if it left nothing."""
    for mark, origin in _LEFT_BY_TEMPLATES.items():
        if mark in image:
            return f'"{mark}" stands where a value is missing: {origin}'
    name, colon, tag = image.rpartition("/")[2].partition(":")
    for part in (name, tag):
        if part in _NO_VALUES:
            return f'"{part}" stands where a value is missing: programs print it for none'
    if colon and "e+" in tag and tag.replace("e+", "").replace(".", "").isdecimal():
        return f'"{tag}" is a number that was not quoted: write it as a string where it is set'
    return ""


def _placeholder(image: str) -> str:
    """Return the advice for an image that a tool or its reader is to replace; empty for another one."""
    if image.startswith("ko://"):
        return "ko replaces it by the image that it builds: validate the output of ko resolve"
    found = template_placeholder(image)
    if found is not None or "$" in image:
        shown = "$" if found is None else found[0]
        return (
            f'"{shown}" is a placeholder: render the template first (envsubst, helm template, kubectl '
            "kustomize …) and validate the result"
        )
    folder, _, last = image.rpartition("/")
    for part in (*folder.split("/"), last.partition(":")[0]):
        if part != part.lower() and part == part.upper():
            return f'"{part}" looks like a placeholder: replace it, or write the repository in lower case'
    return ""


def _repaired(field: str, image: str) -> Fix | None:
    """Return the fix of a scheme or of uppercase letters, if nothing else is wrong."""
    from jobsworth.findings.fix import Edit, Fix

    scheme, found, reference = image.partition("://")
    title = "Remove the scheme"
    if not found:
        folder, slash, last = image.rpartition("/")
        name, colon, tag = last.partition(":")
        reference = f"{folder}{slash}{name}".lower() + colon + tag
        title = "Write the repository in lower case"
    elif scheme not in _SCHEMES:
        return None
    if not reference or malformation(reference):
        return None
    return Fix(title, Edit("set", field, reference), safe=False)
