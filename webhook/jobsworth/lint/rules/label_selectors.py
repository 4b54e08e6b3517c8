"""Rules for what selects the Pods of a Job by labels: Services, budgets and network policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jobsworth.lint import needs
from jobsworth.lint.host_names import named_hosts
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import (
    BUDGET,
    NETWORK_POLICY,
    SERVICE,
    WORKLOADS,
    Neighbor,
    mapping,
    parts,
)  # fmt: skip
from jobsworth.lint.pod_labels import labels_of_pods, selects
from jobsworth.lint.usual_programs import OF_FILES

DNS = 53
PART_LABELS = ("app.kubernetes.io/component", "component", "app.kubernetes.io/name", "app")
"""Labels that tell the parts of an application apart."""


def _labels_of_server(server: Neighbor) -> dict[str, Any]:
    return mapping(server.value, "spec", "template", "metadata", "labels")


@lint_rule(
    "JW716",
    "service-selects-job",
    severity="warning",
    summary="The Service of a server also selects the Pods of a Job, which listen on no port.",
    needs=needs.neighbors,
)
def service_selects_job(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None or not job.template_metadata.get("labels"):
        return
    if any("ports" in each or "readinessProbe" in each for _, each in job.containers):
        return
    labels = labels_of_pods(job)
    for service in job.neighbors.beside(job.namespace, SERVICE):
        selector = {"matchLabels": service.selector}
        if not service.selector or service.name == job.pod.get("subdomain"):
            continue
        if not _reaches_any_pod(service):
            continue
        if not selects(selector, labels):
            continue
        for server in job.neighbors.beside(job.namespace, *WORKLOADS):
            if selects(selector, _labels_of_server(server)):
                yield Diagnostic(
                    f"{job.path}.template.metadata.labels",
                    f"The Service {service.name}{service.place} selects these Pods as well as those of the "
                    f"{server.kind} {server.name}, and sends them requests that they do not answer as long "
                    f"as the Job runs. Give the Pods another value of {_distinguishing(service.selector)}.",
                )
                return


def _reaches_any_pod(service: Neighbor) -> bool:
    """Return True if a Service leads also to Pods that declare no port: by a number, or by its DNS name.

    Pods without a port of the name in ``targetPort`` get no requests (getEndpointPorts in
    k8s.io/endpointslice of Kubernetes 1.36).
    """
    ports = parts(service.value, "spec", "ports")
    return service.headless or any(
        not isinstance(port.get("targetPort"), str) or port["targetPort"].isdecimal()
        for port in ports or [{}]
    )


def _distinguishing(selector: Any) -> str:
    """Return the label of a selector that tells parts of an application apart; else its last one."""
    return next((key for key in PART_LABELS if key in selector), str(list(selector)[-1]))


@lint_rule(
    "JW717",
    "budget-counts-job",
    severity="warning",
    summary="A PodDisruptionBudget that needs a number of replicas selects the Pods of a Job.",
    needs=needs.neighbors,
)
def budget_counts_job(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    labels = labels_of_pods(job)
    for budget in job.neighbors.beside(job.namespace, BUDGET):
        spec = mapping(budget.value, "spec")
        selector = spec.get("selector")
        if selector == {} and budget.value.get("apiVersion") != "policy/v1":
            continue  # policy/v1beta1 selects no Pod by an empty selector
        share = "maxUnavailable" in spec or "%" in str(spec.get("minAvailable", ""))
        if share and selects(selector, labels):
            field = "maxUnavailable" if "maxUnavailable" in spec else "a percentage"
            labeled = "labels" in job.template_metadata
            yield Diagnostic(
                f"{job.path}.template.metadata.labels" if labeled else f"{job.path}.template",
                f"The PodDisruptionBudget {budget.name}{budget.place} selects these Pods, and {field} needs "
                "a number of replicas, which a Job does not have: the budget then allows no eviction at "
                "all, and drains of nodes wait. Give the Pods labels that it does not select.",
            )
            return


@lint_rule(
    "JW720",
    "network-closed-to-job",
    severity="warning",
    summary="NetworkPolicies forbid the Pods of a Job all traffic to others, or that to DNS.",
    needs=needs.neighbors,
)
def network_closed_to_job(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    labels = labels_of_pods(job)
    closing: list[Neighbor] = []
    for policy in job.neighbors.beside(job.namespace, NETWORK_POLICY):
        spec = mapping(policy.value, "spec")
        if not _is_of_type(spec, "Egress", "egress") or not selects(
            spec.get("podSelector"), labels
        ):
            continue
        if any(_may_reach_dns(rule) for rule in parts(spec, "egress")):
            return
        closing.append(policy)
    if closing and not _only_works_on_files(job):
        partly = next((each for each in closing if parts(each.value["spec"], "egress")), None)
        if partly is not None:
            if job.pod.get("dnsPolicy") != "None" and not job.pod.get("hostAliases"):
                yield Diagnostic(
                    f"{job.path}.template",
                    f"The NetworkPolicy {partly.name}{partly.place} allows these Pods some ports, but not "
                    "53, and no policy beside it does: they resolve no name of a server. Allow UDP and TCP "
                    "to port 53 of the cluster's DNS.",
                )
            return
        policy = closing[0]
        yield Diagnostic(
            f"{job.path}.template",
            f"The NetworkPolicy {policy.name}{policy.place} forbids these Pods all traffic to others, and "
            "no policy beside it allows any: they reach no server, and not even DNS. Add a policy that "
            "selects them and allows what they need.",
        )


def _may_reach_dns(rule: Mapping[str, Any]) -> bool:
    """Return True unless a rule of a NetworkPolicy is for other ports only."""
    ports = rule.get("ports")
    if not ports or not isinstance(ports, list):
        return True
    for each in ports:
        port = each.get("port") if isinstance(each, dict) else None
        if not isinstance(port, int):
            return True  # all of them, or one by its name
        end = each.get("endPort")
        if port == DNS or (isinstance(end, int) and port <= DNS <= end):
            return True
    return False


def _only_works_on_files(job: LintedJob) -> bool:
    """Return True if all containers run only programs that need no network.

    The kubelet mounts volumes, also those of NFS, so no policy for the Pod applies to them.
    """
    from jobsworth.lint.shell_script import HARMLESS, commands_in

    local = (*HARMLESS, *OF_FILES)
    for start in job.starts:
        commands = commands_in(start.script.statements) if start.script else start.commands
        if not start.commands or "/dev/tcp/" in "".join(start.line.words):
            return False
        if any(each.name not in local or "-exec" in each.words for each in commands):
            return False
    return bool(job.starts)


def _is_of_type(spec: dict[str, Any], direction: str, field: str) -> bool:
    types = spec.get("policyTypes")
    if isinstance(types, list):
        return direction in types
    return direction == "Ingress" or field in spec


@lint_rule(
    "JW721",
    "server-closed-to-job",
    severity="warning",
    summary="A NetworkPolicy admits to a server that a Job names only Pods with other labels.",
    needs=needs.neighbors,
)
def server_closed_to_job(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    policies = [
        (policy, mapping(policy.value, "spec"))
        for policy in job.neighbors.beside(job.namespace, NETWORK_POLICY)
    ]
    policies = [each for each in policies if _is_of_type(each[1], "Ingress", "ingress")]
    if not policies:
        return
    labels, words = labels_of_pods(job), named_hosts(job)
    for service in job.neighbors.beside(job.namespace, SERVICE):
        if service.name not in words or not service.selector:
            continue
        servers = [
            own
            for server in job.neighbors.beside(job.namespace, *WORKLOADS)
            if selects({"matchLabels": service.selector}, own := _labels_of_server(server))
        ]
        if not servers and all(_is_decided(each[1], service.selector) for each in policies):
            servers = [dict(service.selector)]
        for own in servers:
            closing = [each for each in policies if selects(each[1].get("podSelector"), own)]
            if closing and all(_shuts_out(spec, labels) for _, spec in closing):
                policy = closing[0][0]
                yield Diagnostic(
                    f"{job.path}.template",
                    f"The Job names the Service {service.name}, but the NetworkPolicy "
                    f"{policy.name}{policy.place} admits to its Pods only Pods with other labels: "
                    "connections hang until they time out. Add the labels to the template, or admit the Job.",
                )
                return


def _is_decided(policy: dict[str, Any], known: Mapping[str, Any]) -> bool:
    """Return True if some labels of Pods show whether a policy selects them, whatever others they have."""
    selector = policy.get("podSelector")
    if not isinstance(selector, dict) or selector.get("matchExpressions"):
        return False
    pairs = mapping(selector, "matchLabels")
    return set(pairs) <= set(known) or any(
        key in known and known[key] != value for key, value in pairs.items()
    )


def _shuts_out(spec: dict[str, Any], labels: dict[str, str | None]) -> bool:
    """Return True if a policy certainly admits no Pod of the same namespace with some labels."""
    rules = parts(spec, "ingress")
    for rule in rules:
        peers = rule.get("from")
        if not peers or not isinstance(peers, list):
            return False
        for peer in peers:
            if not isinstance(peer, dict) or set(peer) != {"podSelector"}:
                return False
            if selects(peer["podSelector"], labels) or not isinstance(peer["podSelector"], dict):
                return False
            if not _is_readable(peer["podSelector"].get("matchExpressions") or [], labels):
                return False
    return True


def _is_readable(expressions: Any, labels: dict[str, str | None]) -> bool:
    """Return True if expressions ask only for labels whose values are known, in ways that are known."""
    return isinstance(expressions, list) and all(
        isinstance(each, dict)
        and each.get("operator") in ("In", "Exists")
        and labels.get(str(each.get("key")), "") is not None
        for each in expressions
    )
