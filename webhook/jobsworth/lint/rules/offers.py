"""Rules for what a Job requires and the objects beside it do not offer: nodes, quota, names of Services."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.host_names import servers_called
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import (
    CLAIM,
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    SERVICE,
    VOLUME,
    Neighbor,
    Neighbors,
    part,
    parts,
)
from jobsworth.lint.rules.queues import QUEUE_LABEL
from kube_cel.formats.quantity import parse

_CLUSTER_NAME = re.compile(r"\b[a-z0-9-]+\.[a-z0-9-]+\.svc\b")
MAX_QUOTAS = 500
"""The number of quotas of a ClusterQueue that are read."""


@lint_rule(
    "JW725",
    "volume-on-other-nodes",
    severity="warning",
    summary="The node selector of a Job excludes the nodes on which its volume can be mounted.",
    confidence="certain",
    needs=needs.neighbors_and_volumes,
)
def volume_on_other_nodes(job: LintedJob) -> Iterator[Diagnostic]:
    selector = job.pod.get("nodeSelector", {})
    if job.neighbors is None or not selector:
        return
    for index, volume in enumerate(job.pod["volumes"]):
        name = volume.get("persistentVolumeClaim", {}).get("claimName")
        for claim in job.neighbors.reachable(CLAIM, name, job.namespace) if name else ():
            bound = part(claim.value, "spec", "volumeName")
            for each in job.neighbors.named(VOLUME, bound) if isinstance(bound, str) else ():
                key = _excluded(each, selector)
                if key:
                    yield Diagnostic(
                        f"{job.pod_path}.volumes[{index}]",
                        f"The claim {name} is bound to the volume {each.name}{each.place}, which no node "
                        f"with {key}: {selector[key]} can mount: the Pod is never scheduled. Select nodes of "
                        "the volume.",
                    )
                    return


def _excluded(volume: Neighbor, selector: dict[str, str]) -> str:
    """Return the label of a node selector that no term of a volume's node affinity allows; empty for none."""
    terms = parts(volume.value, "spec", "nodeAffinity", "required", "nodeSelectorTerms")
    found = ""
    for term in terms:
        found = ""
        for each in parts(term, "matchExpressions"):
            key, values = each.get("key"), each.get("values")
            if (
                not isinstance(key, str)
                or not isinstance(values, list)
                or each.get("operator") != "In"
            ):
                continue
            if key in selector and selector[key] not in values:
                found = key
        if not found:
            return ""
    return found


@lint_rule(
    "JW726",
    "queue-never-admits",
    severity="warning",
    summary="The queue of a Job is in another namespace, or has less quota than the Job needs at once.",
    needs=needs.neighbors_and_queue,
)
def queue_never_admits(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: Kueue, "Cluster Queue": the Pods of a workload get their quota together, of one flavor each."""
    holder = job.written if job.cron is None else job.written["spec"]["jobTemplate"]
    queue = holder.get("metadata", {}).get("labels", {}).get(QUEUE_LABEL)
    if job.neighbors is None or not queue:
        return
    path = "metadata" if job.cron is None else "spec.jobTemplate.metadata"
    field = f"{path}.labels[{QUEUE_LABEL}]"
    named = job.neighbors.named(LOCAL_QUEUE, queue)
    usable = job.neighbors.reachable(LOCAL_QUEUE, queue, job.namespace)
    if named and not usable:
        yield Diagnostic(
            field,
            f"The LocalQueue {queue}{named[0].place} is in the namespace {named[0].namespace}, not in "
            f"{job.namespace}: the Job stays suspended. Use a queue of its own namespace.",
        )
    for each in usable[:1]:
        missing = _missing_quota(job, job.neighbors, part(each.value, "spec", "clusterQueue"))
        if missing:
            yield Diagnostic(field, f"{missing} The Job stays suspended.")


def _missing_quota(job: LintedJob, neighbors: Neighbors, name: object) -> str:
    """Return what a ClusterQueue lacks for all Pods of a Job at once, as a sentence; empty for nothing."""
    queues = neighbors.named(CLUSTER_QUEUE, name) if isinstance(name, str) else []
    if (
        len(queues) != 1
        or part(queues[0].value, "spec", "cohort")
        or part(queues[0].value, "spec", "cohortName")
    ):
        return ""  # a cohort lends quota
    quotas = _quotas(queues[0])
    pods = job.spec.get("parallelism", 1)
    for resource, milli in _requested(job).items():
        if resource not in quotas:
            continue
        needed = milli * pods
        if needed > quotas[resource]:
            shown = f"{needed // 1000:,}" if needed % 1000 == 0 else f"{needed:,}m"
            return (
                f"{'The Pod requests' if pods == 1 else f'{pods} Pods request'} {shown} of {resource}, and "
                f"no flavor of the ClusterQueue {queues[0].name}{queues[0].place} has as much."
            )
    return ""


def _quotas(queue: Neighbor) -> dict[str, int]:
    """Return the largest quota of each resource in one flavor, in thousandths."""
    found: dict[str, int] = {}
    for group in parts(queue.value, "spec", "resourceGroups"):
        for flavor in parts(group, "flavors")[:MAX_QUOTAS]:
            for resource in parts(flavor, "resources")[:MAX_QUOTAS]:
                name, quota = resource.get("name"), _milli(resource.get("nominalQuota"))
                if isinstance(name, str) and quota is not None:
                    found[name] = max(found.get(name, 0), quota)
    return found


def _requested(job: LintedJob) -> dict[str, int]:
    """Return the requests of the containers of a Pod, in thousandths; limits count without requests."""
    found: dict[str, int] = {}
    for start in job.pod.get("containers", ()):
        resources = start.get("resources", {})
        for name, amount in {
            **resources.get("limits", {}),
            **resources.get("requests", {}),
        }.items():
            found[name] = found.get(name, 0) + (_milli(amount) or 0)
    return found


def _milli(amount: object) -> int | None:
    try:
        return parse(str(amount)).milli_value()
    except ValueError:
        return None


@lint_rule(
    "JW544",
    "host-network-without-names",
    severity="warning",
    summary="A Pod on the network of its node calls a Service by a name that the node cannot resolve.",
    confidence="certain",
    fixable="unsafe",
    needs=needs.host_network,
)
def host_network_without_names(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: "Pod's DNS Policy": with hostNetwork, ClusterFirst falls back to the resolver of the node."""
    if job.pod.get("dnsPolicy", "ClusterFirst") != "ClusterFirst":
        return
    name = _service_called(job)
    if name:
        at = f"{job.pod_path}.dnsPolicy"
        yield Diagnostic(
            f"{job.pod_path}.hostNetwork",
            f"{name[:80]} is the name of a Service, which the resolver of the node does not know: with "
            "hostNetwork, dnsPolicy ClusterFirst does not apply. Set dnsPolicy: ClusterFirstWithHostNet.",
            Fix(
                "Set dnsPolicy: ClusterFirstWithHostNet",
                Edit("set", at, "ClusterFirstWithHostNet"),
                safe=False,
            ),
        )


def _service_called(job: LintedJob) -> str:
    """Return the name of a Service that a container calls; empty if there is none."""
    for _, container in job.containers:
        texts = [each.get("value", "") for each in container.get("env", ())]
        for text in (*texts, *container.get("command", ()), *container.get("args", ())):
            found = _CLUSTER_NAME.search(text[:32_768])
            if found:
                return found[0]
    if job.neighbors is None:
        return ""
    services = job.neighbors.in_namespace(SERVICE, job.namespace)
    return next((each for each in sorted(servers_called(job)) if each in services), "")
