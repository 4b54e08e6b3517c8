"""Rules for what the account of a Job may do at the API server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import (
    BINDINGS,
    CLUSTER_ROLE,
    ROLES,
    SERVICE_ACCOUNT,
    Neighbor,
    Neighbors,
    mapping,
    part,
    parts,
)
from jobsworth.wording import listing

RESOURCES = {
    ("", "pods"): ("po", "pod"),
    ("", "services"): ("svc", "service"),
    ("", "configmaps"): ("cm", "configmap"),
    ("", "secrets"): ("secret",),
    ("", "persistentvolumeclaims"): ("pvc", "persistentvolumeclaim"),
    ("", "namespaces"): ("ns", "namespace"),
    ("apps", "deployments"): ("deploy", "deployment"),
    ("apps", "statefulsets"): ("sts", "statefulset"),
    ("apps", "daemonsets"): ("ds", "daemonset"),
    ("batch", "jobs"): ("job",),
    ("batch", "cronjobs"): ("cj", "cronjob"),
}
"""The resources of which kubectl's names are known: group and name, with the short and singular names."""
RESOURCE_OF = {
    name: resource for resource, names in RESOURCES.items() for name in (resource[1], *names)
}

VERBS = {
    "annotate": "patch", "create": "create", "delete": "delete", "label": "patch", "patch": "patch",
    "restart": "patch", "status": "watch", "undo": "patch", "wait": "watch",
}  # fmt: skip
"""The verb that a subcommand of kubectl needs on the objects that it names, and those of ``rollout``."""
OF_PODS = {
    "cp": ("pods/exec", "create"),
    "exec": ("pods/exec", "create"),
    "logs": ("pods/log", "get"),
}
"""Subcommands that work on Pods, whatever leads to them, with the resource and verb."""
SELECTING = ("-l", "--selector", "--field-selector", "--all", "-A", "--all-namespaces")
"""Options by which kubectl lists the objects first."""
FOREIGN = (
    "--as", "--as-group", "--cluster", "--context", "--filename", "--kubeconfig", "--kustomize", "--raw",
    "--server", "--token", "--user", "-f", "-k", "-s",
)  # fmt: skip
"""Options by which kubectl acts for another account, or names its objects elsewhere."""
WITH_VALUE = (
    "--field-selector", "--grace-period", "--namespace", "--output", "--patch", "--request-timeout",
    "--selector", "--timeout", "--type", "-l", "-n", "-o", "-p",
)  # fmt: skip
"""Options whose value is the next word."""


@lint_rule(
    "JW724",
    "role-without-verb",
    severity="warning",
    summary="kubectl in a Job needs a verb that no role of its ServiceAccount has.",
    needs=needs.neighbors_and_account,
)
def role_without_verb(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None:
        return
    account = job.pod.get("serviceAccountName", "")
    if not account or not job.neighbors.reachable(SERVICE_ACCOUNT, account, job.namespace):
        return
    roles = _roles(job.neighbors, account, job.namespace)
    if not roles:
        yield from _bound_elsewhere(job, job.neighbors, account)
        return
    first = roles[0][0]
    for command in job.commands:
        if command.name != "kubectl":
            continue
        target = _namespace_of(command.words) or job.namespace
        for group, resource, verb in _needed(command.words[1:]):
            granting = [role for role, _ in roles if _grants(role, group, resource, verb)]
            if any(
                _grants(role, group, resource, verb) and _reaches(where, target)
                for role, where in roles
            ):
                continue
            if granting:
                where = next(where for role, where in roles if role is granting[0])
                yield Diagnostic(
                    f"{job.pod_path}.serviceAccountName",
                    f"kubectl needs the verb {verb} on {resource} in {_namespaces(target)}, and the "
                    f"RoleBinding of {account} grants it in the namespace {where} alone: the API server "
                    "forbids the request. Bind the role there.",
                )
                return
            yield Diagnostic(
                f"{job.pod_path}.serviceAccountName",
                f"kubectl needs the verb {verb} on {resource}, which no role of the ServiceAccount "
                f"{account} has, such as the {first.kind} {first.name}{first.place}: the API "
                "server forbids the request. Add the verb to the role.",
            )
            return


@lint_rule(
    "JW727",
    "cluster-admin-for-few-requests",
    severity="warning",
    summary="The account of a Job may do everything in the cluster, and kubectl needs only a few verbs.",
    needs=needs.neighbors_and_account,
)
def cluster_admin_for_few_requests(job: LintedJob) -> Iterator[Diagnostic]:
    account = job.pod.get("serviceAccountName", "")
    commands = [each for each in job.commands if each.step is None or each.step.works]
    if job.neighbors is None or not account or any(each.name != "kubectl" for each in commands):
        return
    needed = [list(_needed(each.words[1:])) for each in commands]
    if not needed or not all(needed):
        return
    for binding in job.neighbors.of_kind(BINDINGS[1]):
        subjects = parts(binding.value, "subjects")
        if part(binding.value, "roleRef", "name") == "cluster-admin" and any(
            each.get("kind") == SERVICE_ACCOUNT and _is_account(each, account, job.namespace)
            for each in subjects
        ):
            wanted = dict.fromkeys(f"{verb} on {name}" for each in needed for _, name, verb in each)
            yield Diagnostic(
                f"{job.pod_path}.serviceAccountName",
                f"The ClusterRoleBinding {binding.name} lets {account}, and whoever takes over this Pod, do "
                f"everything in the cluster; kubectl needs {listing(list(wanted))}. Bind a Role with that.",
            )
            return


def _bound_elsewhere(job: LintedJob, neighbors: Neighbors, account: str) -> Iterator[Diagnostic]:
    """Report a binding to an account of this name in a namespace that has no such account."""
    runs_kubectl = any(command.name == "kubectl" for command in job.commands)
    for binding in (each for kind in BINDINGS for each in neighbors.of_kind(kind)):
        for subject in parts(binding.value, "subjects"):
            held = subject.get("namespace")
            named = subject.get("kind") == SERVICE_ACCOUNT and subject.get("name") == account
            if not named or not isinstance(held, str) or not job.namespace or held == job.namespace:
                continue
            if runs_kubectl and not neighbors.reachable(SERVICE_ACCOUNT, account, held):
                yield Diagnostic(
                    f"{job.pod_path}.serviceAccountName",
                    f"The {binding.kind} {binding.name}{binding.place} names the ServiceAccount {account} of "
                    f"the namespace {held}, and the Job has that of {job.namespace}: the API server forbids "
                    "its requests. Correct the namespace of the subject.",
                )
                return


ALL_NAMESPACES = "*"


def _namespace_of(words: Sequence[str]) -> str:
    """Return the namespace in which kubectl works; ``*`` for all, empty if it does not say.

    >>> _namespace_of(["kubectl", "-n", "shop", "get", "jobs"]), _namespace_of(["kubectl", "get", "po", "-A"])
    ('shop', '*')
    """
    for index, word in enumerate(words):
        if word in ("-A", "--all-namespaces"):
            return ALL_NAMESPACES
        name, equals, value = word.partition("=")
        if name in ("-n", "--namespace"):
            value = value if equals else "".join(words[index + 1 : index + 2])
            return "" if "$" in value else value
    return ""


def _reaches(bound: str, target: str) -> bool:
    """Return True if a binding in a namespace, empty for the whole cluster, may reach another one."""
    return not bound or not target or bound == target


def _namespaces(target: str) -> str:
    return "all namespaces" if target == ALL_NAMESPACES else f"the namespace {target}"


def _roles(neighbors: Neighbors, account: str, namespace: str) -> list[tuple[Neighbor, str]]:
    """Return the roles to which an account is bound, each with the namespace of its binding.

    The result is empty if one of them is unknown, or there is none.
    """
    found: list[tuple[Neighbor, str]] = []
    for binding in (each for kind in BINDINGS for each in neighbors.of_kind(kind)):
        if not any(
            _is_account(each, account, namespace) for each in parts(binding.value, "subjects")
        ):
            continue
        kind, name = part(binding.value, "roleRef", "kind"), part(binding.value, "roleRef", "name")
        if kind not in ROLES or not isinstance(name, str):
            return []
        where = "" if kind == CLUSTER_ROLE else binding.namespace
        bound = neighbors.reachable(kind, name, where)
        if not bound or any("aggregationRule" in each.value for each in bound):
            return []
        found += ((each, binding.namespace) for each in bound)
    return found


def _is_account(subject: dict[str, Any], account: str, namespace: str) -> bool:
    if subject.get("kind") == "Group":  # such as all accounts of a namespace
        return str(subject.get("name", "")).startswith("system:")
    held = subject.get("namespace") or namespace
    return subject.get("name") == account and (not namespace or held == namespace)


def _needed(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the group, resource and verb of each request of kubectl that its words tell.

    >>> list(_needed(["delete", "jobs", "--selector=app=a"]))
    [('batch', 'jobs', 'delete'), ('batch', 'jobs', 'list')]
    >>> list(_needed(["-n", "shop", "get", "cm/settings"]))
    [('', 'configmaps', 'get')]
    >>> list(_needed(["exec", "db-0", "--", "psql"])), list(_needed(["wait", "job/a"]))
    ([('', 'pods/exec', 'create')], [('batch', 'jobs', 'watch')])
    """
    names: list[str] = []
    options: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            option, equals, _ = word.partition("=")
            options.append(option)
            skip = not equals and option in WITH_VALUE
        else:
            names.append(word)
    if names[:1] == ["rollout"]:
        names = names[1:]
    if len(names) < 2 or any(option in FOREIGN or option == "--dry-run" for option in options):
        return
    subcommand, objects = names[0], names[1:]
    if subcommand in OF_PODS:
        yield ("", *OF_PODS[subcommand])
        return
    selects = any(option in SELECTING for option in options)
    kinds = [each.partition("/")[0] for each in objects[0].split(",")]
    if subcommand in VERBS:
        verbs = [VERBS[subcommand], *(["list"] if selects else [])]
    elif subcommand == "get":
        named = len(objects) > 1 or "/" in objects[0]
        verbs = ["get" if named and not selects else "list"]
    else:
        return
    for kind in kinds:
        if kind in RESOURCE_OF:
            for verb in verbs:
                yield (*RESOURCE_OF[kind], verb)


def _grants(role: Neighbor, group: str, resource: str, verb: str) -> bool:
    """Return True if a role has a verb on a resource, or on one object of it."""
    for rule in parts(role.value, "rules"):
        held = [rule.get(key) for key in ("apiGroups", "resources", "verbs")]
        if all(
            isinstance(values, list) and (wanted in values or "*" in values)
            for wanted, values in zip((group, resource, verb), held, strict=True)
        ):
            return True
    return not mapping(role.value) or "rules" not in role.value
