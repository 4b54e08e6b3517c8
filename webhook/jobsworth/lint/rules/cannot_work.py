"""Rules for Pods that start and cannot do their work, or cannot start: users, files, tokens, nodes, ports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.run_commands import mounted_at
from jobsworth.lint.script_text import written_paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import LintedJob

CLOSED_REGISTRIES = {
    "k8s.gcr.io/": "is frozen since April 2023; use registry.k8s.io",
    "gcr.io/google-containers/": "is closed; use registry.k8s.io",
    "gcr.io/google_containers/": "is closed; use registry.k8s.io",
    "quay.io/bitnami/": "gets no images any more",
}
"""Registries that deleted or stopped updating their images."""
HUB_PREFIXES = ("docker.io/", "index.docker.io/", "registry-1.docker.io/", "")
"""Beginnings of the names of images on Docker Hub."""

EXECUTABLE = 0o111
"""The bits of a mode of which a program requires one."""
READ_ONLY_VOLUMES = ("configMap", "downwardAPI", "projected", "secret")
FILES_OF_OBJECTS = ("configMap", "projected", "secret")
ARCHITECTURES = ("amd64", "arm64", "arm64v8", "ppc64le", "s390x")
_ARCHITECTURE = re.compile(rf"(?:^|[-_.])({'|'.join(ARCHITECTURES)})$")
LABEL_OF_ARCHITECTURE = "kubernetes.io/arch"


def applies(job: LintedJob) -> bool:
    return True


@lint_rule(
    "JW518",
    "write-to-read-only",
    severity="warning",
    summary="A script writes to a path that its container cannot write.",
    confidence="certain",
)
def write_to_read_only(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.scripts:
        return
    volumes = {volume.get("name"): volume for volume in job.pod.get("volumes", ())}
    containers = dict(job.containers)
    for field, path, script in job.scripts:
        container = containers[path]
        read_only_root = container.get("securityContext", {}).get("readOnlyRootFilesystem") is True
        for target in dict.fromkeys(written_paths(_without_heredocs(script.text))):
            mount = mounted_at(container, target)
            if mount is None:
                why = (
                    "readOnlyRootFilesystem is true, and no volume is mounted there"
                    if read_only_root
                    else ""
                )
            elif mount.get("readOnly"):
                why = f"the volume {mount.get('name', '')} is mounted with readOnly: true"
            else:
                volume = volumes.get(mount.get("name"), {})
                kind = next((kind for kind in READ_ONLY_VOLUMES if kind in volume), "")
                why = f"a volume of a {kind} is read-only" if kind else ""
            if why:
                yield Diagnostic(
                    field,
                    f"The script writes to {target[:80]}, which fails: {why}. Mount an emptyDir there.",
                )
                break


def _without_heredocs(text: str) -> str:
    """Return the text up to its first here-document, and without quoted parts."""
    return re.sub(r"'[^']*'|\"[^\"]*\"", "", text.partition("<<")[0])


@lint_rule(
    "JW527",
    "never-pulled",
    severity="warning",
    summary="The kubelet never pulls an image, and only nodes that have it already run the Pod.",
    confidence="likely",
)
def never_pulled(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        if container.get("imagePullPolicy") == "Never":
            yield Diagnostic(
                f"{path}.imagePullPolicy",
                f"On a node that does not have {container.get('image', '')[:80]}, the Pod waits for ever "
                "(ErrImageNeverPull): the kubelet does not pull it. Set IfNotPresent, or select the nodes "
                "that have it.",
            )
            return


@lint_rule(
    "JW526",
    "script-not-executable",
    severity="warning",
    summary="A container runs a file of a ConfigMap or Secret that is not executable.",
    confidence="certain",
)
def script_not_executable(job: LintedJob) -> Iterator[Diagnostic]:
    volumes = {volume.get("name"): volume for volume in job.pod.get("volumes", ())}
    reported: set[tuple[str, str]] = set()
    for command in job.commands:
        program = command.words[0]
        mount = mounted_at(command.container, program) if program.startswith("/") else None
        if mount is None or (command.field, program) in reported:
            continue
        volume = volumes.get(mount.get("name"), {})
        source = next((volume[kind] for kind in FILES_OF_OBJECTS if kind in volume), None)
        if source is None:
            continue
        mode, field = _mode(source, _file_in_volume(mount, program))
        if not mode & EXECUTABLE:
            reported.add((command.field, program))
            yield Diagnostic(
                command.field,
                f"{program[:80]} cannot be started: permission denied, because its mode in the volume "
                f"{volume.get('name', '')[:63]} is {mode:04o}. Set {field} to 0555 there, or start the file "
                "with its shell.",
            )


def _file_in_volume(mount: dict[str, Any], path: str) -> str:
    """Return the path of a mounted file within its volume."""
    rest = path.removeprefix(mount.get("mountPath", "").rstrip("/"))
    return f"{mount.get('subPath', '')}{rest}".strip("/")


def _mode(source: dict[str, Any], file: str) -> tuple[int, str]:
    """Return the mode of a file of a volume, and the field that sets it."""
    for each in source.get("sources", [source]):
        for part in (each, each.get("configMap", {}), each.get("secret", {})):
            for item in part.get("items", ()):
                if item.get("path") == file and "mode" in item:
                    return item["mode"], "the mode of its item"
    return source["defaultMode"], "defaultMode"


@lint_rule(
    "JW520",
    "image-architecture",
    severity="warning",
    summary="The tag of an image names an architecture, and the Pod may run on nodes of another one.",
    fixable="unsafe",
)
def image_architecture(job: LintedJob) -> Iterator[Diagnostic]:
    if job.pod.get("nodeName") or LABEL_OF_ARCHITECTURE in str(job.pod.get("nodeSelector", "")):
        return
    if LABEL_OF_ARCHITECTURE in str(job.pod.get("affinity", "")):
        return
    for path, container in job.containers:
        name = container.get("image", "").partition("@")[0].rpartition("/")[2]
        repository, _, tag = name.partition(":")
        found = _ARCHITECTURE.search(tag) or _ARCHITECTURE.search(repository)
        if found is None:
            continue
        architecture = "arm64" if found[1] == "arm64v8" else found[1]
        edit = Edit("set", f"{job.pod_path}.nodeSelector[{LABEL_OF_ARCHITECTURE}]", architecture)
        yield Diagnostic(
            f"{path}.image",
            f"The image is built for {architecture} only, and the Pod may be scheduled on a node of "
            "another architecture, where it fails with `exec format error`. Select nodes by the label "
            "kubernetes.io/arch.",
            Fix(f"Select nodes with {LABEL_OF_ARCHITECTURE}: {architecture}", edit, safe=False),
        )
        return


@lint_rule(
    "JW521",
    "closed-registry",
    severity="warning",
    summary="An image comes from a registry that deleted its images or gets no new ones.",
    confidence="certain",
)
def closed_registry(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        image = container.get("image", "")
        for prefix, what in CLOSED_REGISTRIES.items():
            if image.startswith(prefix):
                yield Diagnostic(
                    f"{path}.image",
                    f"{image[:80]} may not be pulled any more, or gets no security fixes: "
                    f"{prefix.rstrip('/')} {what}.",
                )
        at_bitnami = _withdrawn_by_bitnami(image)
        if at_bitnami:
            yield Diagnostic(f"{path}.image", at_bitnami)


def _withdrawn_by_bitnami(image: str) -> str:
    """Return the message for an image of Bitnami on Docker Hub that is gone or frozen; empty for another.

    Since September 2025 docker.io/bitnami has ``latest`` alone, and docker.io/bitnamilegacy has copies of the
    older tags, which get no updates. A digest may still be there.
    """
    if "@" in image:
        return ""
    for hub in HUB_PREFIXES:
        owner, slash, rest = image.removeprefix(hub).partition("/")
        tag = rest.partition(":")[2]
        if not image.startswith(hub) or not slash or "/" in rest:
            continue
        if owner == "bitnami" and tag not in ("", "latest"):
            return (
                f"{image[:80]} cannot be pulled any more: docker.io/bitnami deleted its tags with versions "
                "in September 2025. Use an image that its project publishes."
            )
        if owner == "bitnamilegacy":
            return (
                f"{image[:80]} gets no updates: docker.io/bitnamilegacy is frozen since September 2025 and "
                "has no later versions. Use an image that its project publishes."
            )
    return ""


@lint_rule(
    "JW522",
    "non-root-contradiction",
    severity="warning",
    summary="A container has runAsNonRoot: true and runAsUser: 0.",
    confidence="certain",
)
def non_root_contradiction(job: LintedJob) -> Iterator[Diagnostic]:
    pod = job.pod.get("securityContext", {})
    for path, container in job.containers:
        own = container.get("securityContext", {})
        non_root = own.get("runAsNonRoot", pod.get("runAsNonRoot"))
        user = own.get("runAsUser", pod.get("runAsUser"))
        if non_root is True and user == 0:
            holder = path if "runAsUser" in own else job.pod_path
            yield Diagnostic(
                f"{holder}.securityContext.runAsUser",
                "The container never starts (CreateContainerConfigError): runAsNonRoot is true, and "
                "runAsUser is 0. Set another user, or remove runAsNonRoot.",
            )


@lint_rule(
    "JW523",
    "one-pod-per-node",
    severity="warning",
    summary="Pods that run at the same time use the same port of their node.",
    confidence="certain",
)
def one_pod_per_node(job: LintedJob) -> Iterator[Diagnostic]:
    parallelism = job.spec.get("parallelism", 1)
    if parallelism < 2:
        return
    for path, container in job.containers:
        for index, port in enumerate(container.get("ports", ())):
            if port.get("hostPort"):
                yield Diagnostic(
                    f"{path}.ports[{index}].hostPort",
                    f"Only one Pod on each node can use the port {port['hostPort']}: of {parallelism} "
                    "Pods at a time, those that find no node wait. Remove hostPort.",
                )
                return
