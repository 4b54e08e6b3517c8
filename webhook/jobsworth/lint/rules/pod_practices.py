"""Rules for the Pod template: practices that matter more for a Job than for other workloads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.batch.job_warnings import (
    MAX_COMPLETIONS,
    MAX_PARALLELISM,
    has_too_many_indexes,
)
from jobsworth.api.core.images import default_pull_policy
from jobsworth.api.core.resource_names import NONE_AT_ZERO
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from kube_cel.formats.bounded_cache import bounded_cache
from kube_cel.formats.quantity import parse

MOVING_TAGS = frozenset(
    (
        "canary", "ci", "dev", "devel", "develop", "development", "edge", "head", "main", "master",
        "master-head", "next", "nightly", "rolling", "snapshot", "stable", "staging", "trunk", "unstable",
    )
)  # fmt: skip
"""Tags of branches, environments and channels of a release process."""
COMPUTED = ("cpu", "memory")
MEBIBYTE = 2**20
BLOCK = 4096
"""The bytes of a block of the usual file systems: the kubelet evicts a Pod with a lower limit at its first
file."""
LEAST_BYTES = {"memory": MEBIBYTE, "storage": MEBIBYTE, "ephemeral-storage": BLOCK}
"""Less cannot be meant: no program runs in less memory, and no driver provisions a smaller volume."""
MAY_BE_SMALL = ("requests", "ephemeral-storage")
"""The amount that only helps the scheduler to choose a node."""
MAX_CPUS = 448
"""The CPUs of the largest machines that many have: the general ones of clouds have up to 384 (AWS'
m8i.96xlarge), those for memory 416 (Azure's M416ms_v2) or 448 (AWS' u-24tb1.112xlarge). The few with more,
such as AWS' u7i-12tb.224xlarge with 896, run databases."""
CPUS_OF_NO_MACHINE = 2000
"""No machine of the large clouds has as many: AWS' u7inh-32tb.480xlarge has 1,920."""
CLIENTS_OF_THE_API = (
    "argocd", "daprd", "helm", "istio/proxyv2", "kustomize", "kubectl", "linkerd", "openbao", "vault",
)  # fmt: skip
"""Parts of names of programs that call the API server, or show the token of their Pod to a server."""


CLUSTER_CRITICAL, NODE_CRITICAL = "system-cluster-critical", "system-node-critical"


@lint_rule(
    "JW529",
    "system-priority",
    severity="warning",
    summary="The Pods of a Job have the priority of the components of the cluster.",
    confidence="certain",
    pods=True,
)
def system_priority(job: LintedJob) -> Iterator[Diagnostic]:
    name = job.pod.get("priorityClassName", "")
    several = job.spec.get("parallelism", 1) > 1
    if job.object.get("metadata", {}).get("namespace") == "kube-system":
        return
    if name == NODE_CRITICAL or (name == CLUSTER_CRITICAL and several):
        yield Diagnostic(
            f"{job.pod_path}.priorityClassName",
            f"With {name} the scheduler evicts Pods of any other workload to make room for this Job, and "
            "nodes under pressure keep it. Use a PriorityClass for batch work.",
        )


@lint_rule(
    "JW501",
    "moving-image",
    severity="info",
    summary="An image has no tag, or one that moves: latest, main, nightly.",
    pods=True,
)
def moving_image(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        image = container.get("image", "")
        moving = _moving_tag(image)
        if not moving:
            continue
        effect = "which version runs depends on when and where a Pod starts"
        if job.may_retry():
            effect = "a retry may run another version than the Pod it replaces"
        yield Diagnostic(f"{path}.image", f"{image} {moving}: {effect}. Pin a version or a digest.")


@bounded_cache
def _moving_tag(image: str) -> str:
    """Return a description of the tag if it names other images over time; empty if it does not."""
    if not image or "@" in image:
        return ""
    if default_pull_policy(image) == "Always":
        latest = image.endswith(":latest")
        return "has the tag latest" if latest else "has no tag, which means latest"
    tag = image.rpartition("/")[2].partition(":")[2].lower()
    words = (tag, tag.partition("-")[0], tag.rpartition("-")[2])
    if tag in MOVING_TAGS or "latest" in words:
        return f"has the tag {tag}, which is moved to each new build"
    return ""


@lint_rule(
    "JW502",
    "no-resource-requests",
    severity="info",
    summary="A container requests neither CPU, memory nor devices.",
    pods=True,
)
def no_resource_requests(job: LintedJob) -> Iterator[Diagnostic]:
    if _amounts(job.pod):
        return
    for index, container in enumerate(job.pod.get("containers", ())):
        if not _amounts(container) and not _devices(container):
            yield Diagnostic(
                f"{job.pod_path}.containers[{index}]",
                "No CPU or memory requests: the Pod may land on an overcommitted node and is evicted "
                "first. Set resources.requests.",
            )


def _amounts(holder: dict[str, Any]) -> bool:
    """Return True if CPU or memory is requested; a limit without request is also the request."""
    resources = holder.get("resources", {})
    for kind in ("requests", "limits"):
        amounts = resources.get(kind, {})
        for name in COMPUTED:
            if name in amounts and parse(amounts[name]).sign != 0:
                return True
    return False


def _devices(container: dict[str, Any]) -> bool:
    """Return True if a container requests GPUs, TPUs or other devices, whose number limits its node."""
    resources = container.get("resources", {})
    return bool(resources) and (
        "claims" in resources
        or any("/" in name for kind in ("requests", "limits") for name in resources.get(kind, ()))
    )


@lint_rule(
    "JW503",
    "needless-token",
    severity="info",
    summary="The token of the default service account is mounted.",
    fixable="unsafe",
    on=False,
    confidence="opinion",
    pods=True,
)
def needless_token(job: LintedJob) -> Iterator[Diagnostic]:
    pod = job.pod
    if pod.get("automountServiceAccountToken") is False:
        return
    if pod.get("serviceAccountName", "default") != "default":
        return
    if any(_calls_the_api(container) for _, container in job.containers):
        return
    field = f"{job.pod_path}.automountServiceAccountToken"
    yield Diagnostic(
        field,
        "Each container gets a token of the default service account. Set automountServiceAccountToken: "
        "false if no container calls the API server.",
        Fix("Set automountServiceAccountToken: false", Edit("set", field, False), safe=False),
    )


def _calls_the_api(container: dict[str, Any]) -> bool:
    words = [container.get("image", ""), *container.get("command", ()), *container.get("args", ())]
    return any(client in word for word in words for client in CLIENTS_OF_THE_API)


@lint_rule(
    "JW504",
    "memory-unit",
    severity="warning",
    summary="An amount of memory or storage is tiny: its unit is probably missing or wrong.",
    pods=True,
)
def memory_unit(job: LintedJob) -> Iterator[Diagnostic]:
    for at, amount, least in _amounts_in_bytes(job):
        quantity = parse(amount)
        size = quantity.value()
        fraction = quantity.milli_value() % 1000 != 0
        if not (0 < size < least or (fraction and 0 < size < MEBIBYTE)):
            continue
        # The amount is in its normal form: that of 1000m is 1.
        number = "1 byte is" if size == 1 else f"{size:,} bytes are"
        problem = f"{number} less than {'1 MiB' if least == MEBIBYTE else '4 KiB'}"
        if fraction:
            problem = f"{amount} is not a whole number of bytes"
        advice = "Use the suffix Mi for mebibytes; the suffix m means a thousandth."
        if amount.isdecimal() and size > 1:  # 1 is the normal form of 1000m
            meant = f"{amount}Mi" if at.endswith("[memory]") else f"{amount}Mi or {amount}Gi"
            advice = f"A number without a suffix is in bytes: {meant} is probably meant."
        elif not fraction and size > 1:
            advice = "Use the suffix Mi for mebibytes."
        yield Diagnostic(at, f"{problem}. {advice}")


def _amounts_in_bytes(job: LintedJob) -> Iterator[tuple[str, str, int]]:
    """Yield the field path of each amount in bytes, the amount, and the least that can be meant."""
    holders = [*job.containers, (job.pod_path, job.pod)]
    for index, volume in enumerate(job.pod.get("volumes", ())):
        at = f"{job.pod_path}.volumes[{index}]"
        if "sizeLimit" in volume.get("emptyDir", {}):
            yield f"{at}.emptyDir.sizeLimit", volume["emptyDir"]["sizeLimit"], BLOCK
        if "ephemeral" in volume:
            claim = volume["ephemeral"].get("volumeClaimTemplate", {}).get("spec", {})
            holders.append((f"{at}.ephemeral.volumeClaimTemplate.spec", claim))
    for at, holder in holders:
        for kind in ("requests", "limits"):
            for name, amount in holder.get("resources", {}).get(kind, {}).items():
                if name in LEAST_BYTES:
                    least = 0 if (kind, name) == MAY_BE_SMALL else LEAST_BYTES[name]
                    yield f"{at}.resources.{kind}[{name}]", amount, least


@lint_rule(
    "JW537",
    "zero-limit",
    severity="warning",
    summary="A limit of CPU, memory or ephemeral storage is 0, which means no limit.",
    confidence="certain",
    needs=needs.a_limit(*NONE_AT_ZERO),
    pods=True,
)
def zero_limit(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        limits = container.get("resources", {}).get("limits", {})
        for name in NONE_AT_ZERO:
            if name in limits and parse(limits[name]).sign == 0:
                yield Diagnostic(
                    f"{path}.resources.limits[{name}]",
                    f"The kubelet sets no limit for 0. Set the amount of {name} that the container may use, "
                    "or remove the limit.",
                )


@lint_rule(
    "JW508",
    "cpu-unit",
    severity="warning",
    summary="A CPU quantity is more than 448 cores: its unit is probably missing or wrong.",
    fixable="unsafe",
    pods=True,
)
def cpu_unit(job: LintedJob) -> Iterator[Diagnostic]:
    for path, holder in (*job.containers, (job.pod_path, job.pod)):
        for kind in ("requests", "limits"):
            amount = holder.get("resources", {}).get(kind, {}).get("cpu")
            if amount is None:
                continue
            cores = parse(amount).value()
            if cores <= MAX_CPUS:
                continue
            at = f"{path}.resources.{kind}[cpu]"
            node = "a node" if cores >= CPUS_OF_NO_MACHINE else "almost any node"
            yield Diagnostic(
                at,
                f"{cores:,} cores are more than {node} has. The suffix m means a thousandth of a core.",
                _in_millicores(at, str(amount)),
            )


def _in_millicores(at: str, amount: str) -> Fix | None:
    """Return the fix of a quantity in cores or with the suffix M; one in bytes may be memory."""
    quantity = parse(amount)
    number = quantity.value() // (10**6 if amount.endswith("M") else 1)
    if quantity.format != "DecimalSI" or number > 1000 * MAX_CPUS:
        return None
    return Fix(f"Set cpu: {number}m", Edit("set", at, f"{number}m"), safe=False)


@lint_rule(
    "JW505",
    "hidden-variable",
    severity="warning",
    summary="A container sets the same environment variable twice.",
    confidence="certain",
    pods=True,
)
def hidden_variable(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        first: dict[str, int] = {}
        for index, variable in enumerate(container.get("env", ())):
            name = variable.get("name", "")
            earlier = first.setdefault(name, index)
            reference = f"$({name})"
            value = variable.get("value", "")
            builds_on_it = reference in value and value != reference
            if earlier != index and ("valueFrom" in variable or not builds_on_it):
                yield Diagnostic(
                    f"{path}.env[{index}]",
                    f"{name} overrides the variable of the same name at env[{earlier}], and "
                    "`kubectl apply` may drop either of them. Remove one.",
                )


@lint_rule(
    "JW221",
    "too-many-indexes",
    severity="warning",
    summary="An Indexed Job has more indexes and Pods than its status can reliably record.",
    confidence="certain",
    pods=True,
)
def too_many_indexes(job: LintedJob) -> Iterator[Diagnostic]:
    if has_too_many_indexes(job.spec):
        yield Diagnostic(
            f"{job.path}.completions",
            f"With more than {MAX_COMPLETIONS} completions and a parallelism above {MAX_PARALLELISM}, "
            "status.completedIndexes may exceed its size limit. Lower one of them.",
        )


@lint_rule(
    "JW217",
    "name-not-dns-label",
    severity="warning",
    summary="The name of a Job or CronJob contains dots.",
    confidence="certain",
    pods=True,
)
def name_not_dns_label(job: LintedJob) -> Iterator[Diagnostic]:
    if "." in job.name:
        yield Diagnostic(
            "metadata.name",
            "The name becomes part of Pod hostnames, where DNS reads the text after a dot as a domain. "
            "Use hyphens.",
        )
