"""The rule for a user who may not write to the volumes of its Pod, or not read their files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.container_start import FILES_OF_OBJECTS
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.cannot_work import SSH_CLIENTS


@lint_rule(
    "JW528",
    "volume-of-root",
    severity="warning",
    summary="A user other than root writes to a new volume of root, or reads files that only root may.",
    fixable="unsafe",
    needs=needs.volumes_of_linux,
)
def volume_of_root(job: LintedJob) -> Iterator[Diagnostic]:
    yield from _files_of_root(job)
    context = job.pod.get("securityContext", {})
    volumes = {each.get("name"): each for each in job.pod.get("volumes", ()) if _is_of_root(each)}
    if not volumes:
        return
    prepared = _mounted_by_root(job)
    for path, container in job.containers:
        user = container.get("securityContext", {}).get("runAsUser", context.get("runAsUser"))
        if not user:
            continue
        for index, mount in enumerate(container.get("volumeMounts", ())):
            name: Any = mount.get("name", "")
            if name not in volumes or name in prepared or mount.get("readOnly"):
                continue
            # The kubelet gives no group to a hostPath.
            of_group = "hostPath" not in volumes[name]
            if of_group and ("fsGroup" in context or context.get("supplementalGroups")):
                continue
            fix = None
            if of_group:
                at = f"{job.pod_path}.securityContext.fsGroup"
                fix = Fix(f"Set fsGroup: {user}", Edit("set", at, user), safe=False)
            advice = (
                "Set securityContext.fsGroup of the Pod"
                if of_group
                else "Let an init container of root change its owner"
            )
            yield Diagnostic(
                f"{path}.volumeMounts[{index}]",
                f"The volume {name} is new and belongs to root: user {user} cannot write to it. {advice}.",
                fix,
            )
            return


OTHERS_READ = 0o044
"""The bits of a mode by which the group or others may read a file."""


def _files_of_root(job: LintedJob) -> Iterator[Diagnostic]:
    """Report a volume of a Secret or ConfigMap whose files only root may read, for another user.

    The files belong to root; with fsGroup, the kubelet lets the group read them.
    """
    volumes = {}
    for volume in job.pod.get("volumes", ()):
        if any(map(volume.__contains__, FILES_OF_OBJECTS)):
            volumes[volume.get("name")] = volume
    if not volumes:
        return
    for start in job.starts:
        if not start.user or start.group_of_volumes is not None:
            continue
        if any(each.name in SSH_CLIENTS for each in start.commands):
            continue  # JW542 tells which mode a key needs
        for index, mount in enumerate(start.container.get("volumeMounts", ())):
            modes = list(_modes(volumes.get(mount.get("name"), {})))
            if not modes or any(mode & OTHERS_READ for mode in modes):
                continue
            at = f"{job.pod_path}.securityContext.fsGroup"
            yield Diagnostic(
                f"{start.path}.volumeMounts[{index}]",
                f"The files of the volume {mount['name']} belong to root and have the mode {modes[0]:04o}: "
                f"user {start.user} cannot read them. Set securityContext.fsGroup of the Pod.",
                Fix(f"Set fsGroup: {start.user}", Edit("set", at, start.user), safe=False),
            )
            return


def _modes(volume: dict[str, Any]) -> Iterator[int]:
    """Yield the modes of the files of a volume of Secrets and ConfigMaps; none for another volume."""
    for kind in FILES_OF_OBJECTS:
        whole = volume.get(kind, {})
        for source in whole.get("sources", [whole] if whole else []):
            for part in (source.get(each, {}) for each in ("configMap", "secret")):
                if part:
                    yield from _modes_of_items(part, whole["defaultMode"])
            if kind != "projected":
                yield from _modes_of_items(source, whole["defaultMode"])


def _modes_of_items(source: dict[str, Any], default: int) -> Iterator[int]:
    for item in source.get("items", [{}]):
        yield item.get("mode", default)


def _is_of_root(volume: dict[str, Any]) -> bool:
    """Return True for a volume that is created for the Pod, empty, and owned by root."""
    return "ephemeral" in volume or volume.get("hostPath", {}).get("type") == "DirectoryOrCreate"


def _mounted_by_root(job: LintedJob) -> set[str]:
    """Return the volumes that an init container of root, or of an unknown user, may have prepared."""
    user = job.pod.get("securityContext", {}).get("runAsUser")
    return {
        mount.get("name", "")
        for container in job.pod.get("initContainers", ())
        if not container.get("securityContext", {}).get("runAsUser", user)
        for mount in container.get("volumeMounts", ())
    }
