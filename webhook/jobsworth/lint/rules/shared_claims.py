"""Rules for claims that Pods of a Job share with others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import CLAIM, DEPLOYMENT, STATEFUL_SET, Neighbor, part, parts

HOST = "kubernetes.io/hostname"
ANY_NODE = ("local", "host", "nfs", "efs", "cephfs", "azurefile", "smb", "cifs", "filestore")
"""Parts of the names of storage classes whose volumes bind Pods to a node, or attach to several."""

PREPARES = re.compile(
    r"download|fetch|init|setup|populat|seed|prepare|load|import|convert|copy|provision|restore"
)
"""Words in the name of a Job that probably ends before its server starts."""


@lint_rule(
    "JW715",
    "claim-of-one-node",
    severity="warning",
    summary="Pods that may be on different nodes mount a claim that only one node can attach.",
    needs=needs.neighbors_and_volumes,
)
def claim_of_one_node(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None or _is_bound_to_node(job.pod):
        return
    for index, volume in enumerate(job.pod.get("volumes", ())):
        name = volume.get("persistentVolumeClaim", {}).get("claimName")
        if not name:
            continue
        found = _mode_and_users(job, name)
        if found is None:
            continue
        mode, users = found
        pods = job.spec.get("parallelism", 1) or 0
        if users and not (job.cron is None and PREPARES.search(job.name)):
            server = users[0]
            other = f"the {server.kind} {server.name}{server.place}"
        elif pods > 1:
            other = f"{pods} Pods of this Job"
        else:
            continue
        where = "node" if mode == "ReadWriteOnce" else "Pod"
        yield Diagnostic(
            f"{job.pod_path}.volumes[{index}].persistentVolumeClaim.claimName",
            f"The claim {name} is {mode} and also mounted by {other}: only one {where} can use it, and a Pod "
            f"on another node waits in ContainerCreating. Add a podAffinity on {HOST}, or use ReadWriteMany.",
        )
        return


def _mode_and_users(job: LintedJob, name: str) -> tuple[str, list[Neighbor]] | None:
    """Return the access mode of a claim for one node and the servers that mount it; None for others."""
    if job.neighbors is None:
        return None
    servers = [
        each
        for each in job.neighbors.beside(job.namespace, DEPLOYMENT, STATEFUL_SET)
        if part(each.value, "spec", "replicas") != 0
    ]
    claim = job.neighbors.in_namespace(CLAIM, job.namespace).get(name)
    spec: Any = None
    if claim is not None:
        spec = part(claim.value, "spec")
        users = [each for each in servers if _mounts(each, name)]
    else:
        users = []
        for each in servers:
            for template in parts(each.value, "spec", "volumeClaimTemplates"):
                prefix = f"{part(template, 'metadata', 'name')}-{each.name}-"
                if name.startswith(prefix) and name[len(prefix) :].isdecimal():
                    spec = part(template, "spec")
                    users = [each]
    modes = part(spec, "accessModes")
    if not isinstance(modes, list) or len(modes) != 1:
        return None
    mode = modes[0]
    storage = str(part(spec, "storageClassName") or "")
    if mode not in ("ReadWriteOnce", "ReadWriteOncePod") or part(spec, "volumeName"):
        return None
    if part(spec, "selector") or any(each in storage.lower() for each in ANY_NODE):
        return None
    return mode, users


def _mounts(server: Neighbor, claim: str) -> bool:
    return any(
        part(volume, "persistentVolumeClaim", "claimName") == claim
        for volume in parts(server.value, "spec", "template", "spec", "volumes")
    )


def _is_bound_to_node(pod: dict[str, Any]) -> bool:
    affinity = pod.get("affinity", {})
    return (
        "nodeName" in pod
        or HOST in pod.get("nodeSelector", {})
        or "podAffinity" in affinity
        or HOST in str(affinity.get("nodeAffinity", ""))
    )
