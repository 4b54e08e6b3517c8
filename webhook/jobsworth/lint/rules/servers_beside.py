"""Rules for what the servers beside a Job have and its Pods lack: placement, Secrets, variables, tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.container_start import image_name
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import (
    DEPLOYMENT,
    SERVICE_ACCOUNT,
    STATEFUL_SET,
    WORKLOADS,
    Neighbor,
    mapping,
    part,
    parts,
)

APPLICATION_LABELS = (
    "app.kubernetes.io/instance", "release", "app.kubernetes.io/part-of", "app.kubernetes.io/name", "app",
)  # fmt: skip
"""Labels of the objects of one application, from the widest."""
SYSTEM_TAINTS = ("node.kubernetes.io/", "node-role.kubernetes.io/")
"""Beginnings of the taints that nodes get by themselves, and those of control planes."""
EVERY_NODE = (
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
)
"""Labels that all nodes of most clusters have with one value."""
HUB = ("docker.io", "index.docker.io")
PUBLIC = (
    "quay.io", "ghcr.io", "gcr.io", "k8s.gcr.io", "registry.k8s.io",
    "public.ecr.aws", "mcr.microsoft.com",
)  # fmt: skip
"""Registries with many public images."""
DATABASE_WORDS = (
    "DATABASE_URL", "DATABASE_HOST", "DATABASE_DSN", "DB_HOST", "DB_URL", "DB_DSN", "POSTGRES_HOST",
    "MYSQL_HOST", "CONNECTION_STRING", "PGHOST", "MONGO_URL", "MONGODB_URI",
)  # fmt: skip
"""Parts of the names of variables that say which data a program works on."""
API_CLIENTS = ("kubectl", "helm", "argocd", "flux")
"""Programs that call the API server with the token of their Pod."""
OFFLINE = (["completion"], ["config"], ["kustomize"], ["lint"], ["template"], ["version"])
"""Subcommands of these clients that call no API server."""
OF_ANOTHER_FLUX = (["alloc"], ["batch"], ["broker"], ["mini"], ["run"], ["start"], ["submit"])
"""Subcommands of the scheduler Flux (flux-framework.org), which has the name of Flux CD's client."""


def _pod(server: Neighbor) -> dict[str, Any]:
    return mapping(server.value, "spec", "template", "spec")


def _servers(job: LintedJob) -> list[Neighbor]:
    """Return the Deployments and StatefulSets of the application of a Job.

    They have the same label, the same claim or the same image, or are in the same file.
    """
    if job.neighbors is None:
        return []
    servers = list(job.neighbors.beside(job.namespace, DEPLOYMENT, STATEFUL_SET))
    own = {
        **job.template_metadata.get("labels", {}),
        **job.written.get("metadata", {}).get("labels", {}),
    }
    for key in APPLICATION_LABELS:
        found = [
            each
            for each in servers
            if own.get(key) and mapping(each.value, "metadata", "labels").get(key) == own[key]
        ]
        if found:
            return found
    used = _used(job.pod)
    return [each for each in servers if used & _used(_pod(each))] or [
        each for each in servers if not each.file
    ]


def _used(pod: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the claims and the images, without their tags, of a Pod."""
    claims = {
        ("claim", str(part(each, "persistentVolumeClaim", "claimName") or ""))
        for each in parts(pod, "volumes")
    }
    images = {
        ("image", str(each.get("image", "")).partition("@")[0].rpartition(":")[0])
        for each in parts(pod, "containers")
    }
    return (claims | images) - {("claim", ""), ("image", "")}


def _is_device(key: Any) -> bool:
    """Return True for a label or taint of nodes with devices, which a server may need and a Job not."""
    return any(word in str(key) for word in ("gpu", "tpu", "accelerator", "instance-type"))


@lint_rule(
    "JW718",
    "placement-of-servers",
    severity="warning",
    summary="All servers of a release have tolerations or a nodeSelector, and its Job has none.",
    fixable="unsafe",
    needs=needs.neighbors,
)
def placement_of_servers(job: LintedJob) -> Iterator[Diagnostic]:
    servers = _servers(job)
    if not servers or "nodeName" in job.pod:
        return
    pods = [_pod(each) for each in servers]
    tolerated = [
        [
            each
            for each in parts(pod, "tolerations")
            if not str(each.get("key", "")).startswith(SYSTEM_TAINTS)
            and not _is_device(each.get("key"))
        ]
        for pod in pods
    ]
    selectors = [
        {
            key: value
            for key, value in mapping(pod, "nodeSelector").items()
            if key not in EVERY_NODE and not _is_device(key)
        }
        for pod in pods
    ]
    shown = f"{servers[0].kind} {servers[0].name}{servers[0].place}"
    for field, values, effect in (
        ("tolerations", tolerated, "stay pending where all free nodes have that taint"),
        ("nodeSelector", selectors, "run on other nodes, where volumes and networks may be absent"),
    ):
        value: Any = values[0]
        if not value or any(each != value for each in values) or job.pod.get(field):
            continue
        if field == "nodeSelector" and "nodeAffinity" in job.pod.get("affinity", {}):
            continue
        at = f"{job.pod_path}.{field}"
        yield Diagnostic(
            at,
            f"All servers of the release, such as the {shown}, have {field}, and these Pods have none: they "
            f"{effect}. Set the same {field}.",
            Fix(f"Set the {field} of the servers", Edit("set", at, value), safe=False),
        )
        return


@lint_rule(
    "JW719",
    "pull-secret-missing",
    severity="warning",
    summary="Servers pull from a registry with a Secret, and a Job pulls from it without one.",
    fixable="unsafe",
    needs=needs.neighbors,
    pods=True,
)
def pull_secret_missing(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None or job.pod.get("imagePullSecrets"):
        return
    account = job.pod.get("serviceAccountName") or "default"
    accounts = job.neighbors.reachable(SERVICE_ACCOUNT, account, job.namespace)
    if any(part(each.value, "imagePullSecrets") for each in accounts):
        return
    if not accounts and account != "default":
        return  # nothing shows the Secrets of the account
    images = {_private(container.get("image", "")): path for path, container in job.containers}
    images.pop("", None)
    if not images:
        return
    for server in job.neighbors.beside(job.namespace, *WORKLOADS):
        secrets = parts(_pod(server), "imagePullSecrets")
        if not secrets:
            continue
        for container in parts(_pod(server), "containers"):
            source = _private(str(container.get("image", "")))
            if source not in images:
                continue
            at = f"{job.pod_path}.imagePullSecrets"
            yield Diagnostic(
                at,
                f"The {server.kind} {server.name}{server.place} pulls from {source} with imagePullSecrets, "
                "and these Pods, and their ServiceAccount, have none: they wait in ImagePullBackOff, which "
                "no retry limit ends. Set the same imagePullSecrets.",
                Fix("Set the imagePullSecrets of the server", Edit("set", at, secrets), safe=False),
            )
            return


def _private(image: str) -> str:
    """Return the place from which an image is pulled: its registry, or its owner in a public one.

    >>> _private("registry.example.com/shop/web:1.4"), _private("ghcr.io/shop/web:1.4"), _private("redis:7")
    ('registry.example.com', 'ghcr.io/shop', '')
    """
    name = image.partition("@")[0]
    host, slash, rest = name.partition("/")
    if not slash or not ("." in host or ":" in host or host == "localhost"):
        return ""
    if host in HUB:
        return ""
    if host in PUBLIC:
        return f"{host}/{rest.partition('/')[0]}"
    return host


@lint_rule(
    "JW722",
    "configuration-of-server",
    severity="info",
    summary="A Job lacks variables for data that the server with the same image has.",
    needs=needs.neighbors,
)
def configuration_of_server(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    for index, container in enumerate(job.pod.get("containers", ())):
        path, image = f"{job.pod_path}.containers[{index}]", container.get("image", "")
        if not image or "envFrom" in container or any("://" in word for word in _line(container)):
            continue
        own = {each.get("name") for each in container.get("env", ())}
        for server in job.neighbors.beside(job.namespace, *WORKLOADS):
            for other in parts(_pod(server), "containers"):
                if other.get("image") != image:
                    continue
                if parts(other, "envFrom") and not own:
                    yield Diagnostic(
                        f"{path}.env",
                        f"The {server.kind} {server.name}{server.place} runs the same image with the "
                        "variables of an envFrom, and this container has none: it may fail or work on other "
                        "data. Add the same envFrom.",
                    )
                    return
                names = [str(each.get("name", "")) for each in parts(other, "env")]
                lacking = [
                    name
                    for name in names
                    if name not in own and any(word in name for word in DATABASE_WORDS)
                ]
                if not lacking or own & {
                    name for name in names if name not in lacking and _is_data(name)
                }:
                    continue
                yield Diagnostic(
                    f"{path}.env",
                    f"The {server.kind} {server.name}{server.place} runs the same image with "
                    f"{lacking[0]}, and this container has no such variable: it may fail or work on other "
                    "data. Set the variable, or share an envFrom.",
                )
                return


def _line(container: dict[str, Any]) -> list[str]:
    return [*container.get("command", ()), *container.get("args", ())]


def _is_data(name: str) -> bool:
    return any(word in name for word in DATABASE_WORDS)


@lint_rule(
    "JW723",
    "client-without-token",
    severity="warning",
    summary="A container calls the API server, and no token is mounted.",
    fixable="unsafe",
    needs=needs.neighbors_or_no_token,
)
def client_without_token(job: LintedJob) -> Iterator[Diagnostic]:
    mounted = job.pod.get("automountServiceAccountToken")
    clients = [] if mounted is True else list(_clients(job))
    if not clients or _has_own_credentials(job):
        return
    if mounted is False:
        because = "automountServiceAccountToken is false"
    else:
        account = job.pod.get("serviceAccountName")
        if not account or job.neighbors is None:
            return
        found = job.neighbors.reachable(SERVICE_ACCOUNT, account, job.namespace)
        if not found or any(
            part(each.value, "automountServiceAccountToken") is not False for each in found
        ):
            return
        because = f"automountServiceAccountToken of the ServiceAccount {account} is false"
    where = f"{job.pod_path}.automountServiceAccountToken"
    path, name, client = clients[0]
    yield Diagnostic(
        where if mounted is False else path,
        f"{client} in {name} calls the API server, but {because}, and no token "
        "is mounted: it is not authenticated. Set automountServiceAccountToken: true for this Pod.",
        Fix("Set automountServiceAccountToken: true", Edit("set", where, True), safe=False),
    )


def _clients(job: LintedJob) -> Iterator[tuple[str, str, str]]:
    """Yield the path and name of each container that runs a client of the API server, and the client."""
    for command in job.commands:
        subcommand = command.words[1:2]
        if command.name == "flux" and subcommand in OF_ANOTHER_FLUX:
            continue
        if command.name in API_CLIENTS and subcommand not in OFFLINE:
            yield command.path, command.container.get("name", ""), command.name
    for path, container in job.containers:
        if (
            image_name(container) == "kubectl"
            and "command" not in container
            and "args" not in container
        ):
            yield path, container.get("name", ""), "kubectl"


def _has_own_credentials(job: LintedJob) -> bool:
    """Return True if a Pod mounts a token or a kubeconfig by itself."""
    for volume in job.pod.get("volumes", ()):
        if any(
            "serviceAccountToken" in each for each in volume.get("projected", {}).get("sources", ())
        ):
            return True
        if "secret" in volume or "kube" in volume.get("name", ""):
            return True
    return any(
        "kubeconfig" in word.lower() or "--token" in word or "--server" in word
        for _, container in job.containers
        for word in (
            *container.get("command", ()),
            *container.get("args", ()),
            *(each.get("name", "") for each in container.get("env", ())),
        )
    )
