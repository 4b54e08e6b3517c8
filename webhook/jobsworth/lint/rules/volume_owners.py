"""The rule for a user who may not write to the volumes of its Pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.lint_rule import Diagnostic, lint_rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import LintedJob


def applies(job: LintedJob) -> bool:
    return "volumes" in job.pod and not job.windows


@lint_rule(
    "JW528",
    "volume-of-root",
    severity="warning",
    summary="A container of a user other than root writes to a new volume, which belongs to root.",
    fixable="unsafe",
)
def volume_of_root(job: LintedJob) -> Iterator[Diagnostic]:
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
