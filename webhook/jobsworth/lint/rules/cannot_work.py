"""Rules for Pods that start and cannot do their work, or cannot start: users, files, tokens, nodes, ports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart, RunCommand, literal_variables
from jobsworth.lint.effects import written_by
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.usual_images import user_of
from kube_cel.formats.bounded_cache import bounded_cache

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
ARCHITECTURES = ("amd64", "arm64", "arm64v8", "ppc64le", "s390x")
_ARCHITECTURE = re.compile(rf"(?:^|[-_.])({'|'.join(ARCHITECTURES)})$")
FOLDERS_OF_ROOT = (
    "",
    "/bin",
    "/etc",
    "/lib",
    "/root",
    "/sbin",
    "/usr",
    "/usr/bin",
    "/usr/local/bin",
)
"""Folders of an image in which only root writes, the first being ``/``."""
DEVICES = ("/dev/", "/proc/", "/sys/")
EXISTING = (
    "/etc", "/home", "/opt", "/root", "/run", "/srv", "/tmp", "/usr/local/bin", "/var/cache", "/var/lib",
    "/var/log", "/var/run", "/var/tmp",
)  # fmt: skip
"""Folders that images have, so that ``mkdir -p`` does nothing."""
LABEL_OF_ARCHITECTURE = "kubernetes.io/arch"


@lint_rule(
    "JW518",
    "write-to-read-only",
    severity="warning",
    summary="A command writes to a path that its container cannot write.",
    confidence="certain",
    needs=needs.limits_on_writes,
)
def write_to_read_only(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.starts:
        for command in start.commands:
            found = _written_to_read_only(start, command)
            if found is not None:
                target, why = found
                yield Diagnostic(
                    start.field,
                    f"`{command.name}` writes to {target[:80]}, which fails: {why}. Mount an emptyDir there.",
                    line=command.line,
                )
                break


def _written_to_read_only(start: ContainerStart, command: RunCommand) -> tuple[str, str] | None:
    """Return a path to which a command cannot write, and the reason; None if there is none."""
    if command.step is not None and (command.step.checked or command.step.after == "||"):
        return None
    step = command.step
    redirected = () if step is None else (*step.outputs, *step.errors)
    for target in (*redirected, *written_by(command.words)):
        path = f"{start.home}{target[1:]}" if target.startswith("~/") else target
        exists = command.name == "mkdir" and (
            path.rstrip("/") in EXISTING or _holds_mount(start, path)
        )
        if not path.startswith("/") or f"{path}/".startswith(DEVICES) or exists:
            continue
        place = start.place(path)
        why = place.read_only
        if not why and place.of_image and start.user and path.rpartition("/")[0] in FOLDERS_OF_ROOT:
            why = f"the folder belongs to root, and the container runs as user {start.user}"
        elsewhere = target.endswith(".kube/config") and start.source_of_variable("KUBECONFIG")
        if why and not elsewhere:
            return target, why
    return None


def _holds_mount(start: ContainerStart, path: str) -> bool:
    mounts = start.container.get("volumeMounts", ())
    return any(each.get("mountPath", "").startswith(f"{path.rstrip('/')}/") for each in mounts)


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
                f"On a node that does not have {container.get('image', '')[:80]}, the Pod waits forever "
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
    for start in job.starts:
        for program in dict.fromkeys(command.words[0] for command in start.commands):
            found = start.mode(program) if program.startswith("/") else None
            if found is None or found[0] & EXECUTABLE:
                continue
            mode, field = found
            volume = start.place(program).volume.get("name", "")
            yield Diagnostic(
                start.field,
                f"{program[:80]} cannot be started: permission denied, because its mode in the volume "
                f"{volume[:63]} is {mode:04o}. Set {field} to 0555 there, or start the file with its shell.",
            )


CHANGES_MODES = ("chmod", "install")
SSH_CLIENTS = ("git", "rsync", "scp", "sftp", "ssh")
_KEY = re.compile(r"(?:^|\s)-i\s*(/[^\s'\"]+)")


@lint_rule(
    "JW542",
    "private-key-mode",
    severity="warning",
    summary="The mode of a private key for ssh is too open, or its user cannot read it.",
    confidence="likely",
    needs=needs.a_program(*SSH_CLIENTS),
)
def private_key_mode(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: OpenSSH, ``sshkey_perm_ok``: a key of the own user must not be open to others."""
    for start in job.starts:
        if any(each.name in CHANGES_MODES for each in start.commands):
            continue
        for key in _private_keys(start):
            found = start.mode(key)
            why = _unusable(start, key, found[0]) if found is not None else ""
            if found is not None and why:
                yield Diagnostic(start.field, f"ssh cannot use {key[:80]}: {why}")
                break


def _private_keys(start: ContainerStart) -> Iterator[str]:
    """Yield the private keys that the commands of a container use."""
    clients = [each for each in start.commands if each.name in SSH_CLIENTS]
    texts = [" ".join(each.words) for each in clients]
    if clients:
        texts += (
            value
            for _, name, value in literal_variables(start.container)
            if name == "GIT_SSH_COMMAND"
        )
    for text in texts:
        yield from _KEY.findall(text)
    for mount in start.container.get("volumeMounts", ()):
        path = mount.get("mountPath", "").rstrip("/")
        remote = any("git@" in text or "ssh://" in text or text.startswith("s") for text in texts)
        if remote and path.endswith("/.ssh"):
            yield f"{path}/id_rsa"


def _unusable(start: ContainerStart, key: str, mode: int) -> str:
    """Return the reason why ssh cannot use a key that the kubelet has written as root; empty if it can."""
    shared = start.group_of_volumes is not None
    if start.user is None and not (key.startswith("/root/") or start.family):
        return ""  # the image decides who the user is
    if not start.is_not_root:
        if shared:
            return (
                "fsGroup lets its group read it, so that it is too open for root (UNPROTECTED PRIVATE KEY "
                "FILE). Copy it with `install -m 0600`, or remove fsGroup."
            )
        if mode & 0o077:
            return (
                f"its mode is {mode:04o}, which is too open for root (UNPROTECTED PRIVATE KEY FILE). Set "
                "defaultMode: 0400."
            )
        return ""
    if start.user is not None and not shared and not mode & 0o004:
        return (
            f"its mode is {mode:04o} and it belongs to root, so that user {start.user} may not read it. Set "
            "securityContext.fsGroup of the Pod."
        )
    return ""


@lint_rule(
    "JW520",
    "image-architecture",
    severity="warning",
    summary="The tag of an image names an architecture, and the Pod may run on nodes of another one.",
    fixable="unsafe",
)
def image_architecture(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        architecture = _architecture(container.get("image", ""))
        if not architecture:
            continue
        if job.pod.get("nodeName") or LABEL_OF_ARCHITECTURE in str(job.pod.get("nodeSelector", "")):
            return
        if LABEL_OF_ARCHITECTURE in str(job.pod.get("affinity", "")):
            return
        edit = Edit("set", f"{job.pod_path}.nodeSelector[{LABEL_OF_ARCHITECTURE}]", architecture)
        yield Diagnostic(
            f"{path}.image",
            f"The image is built for {architecture} only, and the Pod may be scheduled on a node of "
            "another architecture, where it fails with `exec format error`. Select nodes by the label "
            "kubernetes.io/arch.",
            Fix(f"Select nodes with {LABEL_OF_ARCHITECTURE}: {architecture}", edit, safe=False),
        )
        return


@bounded_cache
def _architecture(image: str) -> str:
    """Return the architecture that the tag or name of an image names; empty if it names none."""
    repository, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    found = _ARCHITECTURE.search(tag) or _ARCHITECTURE.search(repository)
    if found is None:
        return ""
    return "arm64" if found[1] == "arm64v8" else found[1]


@lint_rule(
    "JW521",
    "closed-registry",
    severity="warning",
    summary="An image comes from a registry that deleted its images or gets no new ones.",
    confidence="certain",
)
def closed_registry(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        problem = _withdrawn(container.get("image", ""))
        if problem:
            yield Diagnostic(f"{path}.image", problem)


@bounded_cache
def _withdrawn(image: str) -> str:
    """Return the message for an image that is gone or frozen; empty for another.

    Since September 2025 docker.io/bitnami has ``latest`` alone, and docker.io/bitnamilegacy has copies of the
    older tags, which get no updates. A digest may still be there.
    """
    for prefix, what in CLOSED_REGISTRIES.items():
        if image.startswith(prefix):
            return (
                f"{image[:80]} may not be pulled any more, or gets no security fixes: "
                f"{prefix.rstrip('/')} {what}."
            )
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
    summary="A container has runAsNonRoot: true and runs as root, or as a user of which it has only a name.",
    confidence="certain",
)
def non_root_contradiction(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: verifyRunAsNonRoot of the kubelet (pkg/kubelet/kuberuntime/security_context_others.go)."""
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
        elif non_root is True and user is None and not job.windows:
            image = container.get("image", "")
            named = user_of(image)
            if named is None:
                continue
            why = (
                f"{image[:80]} runs as root"
                if named == "0"
                else f"the user of {image[:80]} is {named}, a name, which the kubelet cannot tell from root"
            )
            holder = path if "runAsNonRoot" in own else job.pod_path
            yield Diagnostic(
                f"{holder}.securityContext.runAsNonRoot",
                f"{container.get('name', '')} never starts (CreateContainerConfigError): runAsNonRoot is "
                f"true without runAsUser, and {why}. Set runAsUser to the number of another user "
                "(OpenShift sets one by itself).",
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
