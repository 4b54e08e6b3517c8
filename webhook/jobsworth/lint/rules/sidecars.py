"""Rules for Pods with several containers: exit codes of sidecars, and sidecars that block completion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.agents import (
    RUN_ONCE,
    EndlessInitContainer,
    endless_init_containers,
    runs_on,
    stopped_by_command,
)
from jobsworth.lint.container_start import ContainerStart, image_name, literal_variables
from jobsworth.lint.host_names import IS_HOST
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.exit_codes import exit_code_rules
from jobsworth.wording import listing

CALLED_PROXIES = (
    "alloydb-auth-proxy", "cloud-sql-proxy", "cloud_sql_proxy", "cloudsql-proxy", "consul-dataplane", "daprd",
    "envoy", "gce-proxy", "linkerd2-proxy", "pgbouncer", "pilot-agent", "proxyv2",
)  # fmt: skip
"""Agents through which the other containers of their Pod call a server."""
CALLS_PROXY = re.compile(
    r"(?:^|[\s=/@'\"])(?:localhost|127\.0\.0\.1|\[::1\])(?=$|[\s:/'\",;?])|(?:^|[\s=:('\"])/cloudsql/"
)
"""An address of the Pod itself, or a socket of the proxy of Cloud SQL."""

NATIVE_SIDECARS_SINCE = 29
"""The minor version from which the gate SidecarContainers is on by default."""


@lint_rule(
    "JW107",
    "sidecar-exit-code",
    severity="warning",
    summary="An exit code rule without containerName also matches sidecars.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.several_containers,
)
def sidecar_exit_code(job: LintedJob) -> Iterator[Diagnostic]:
    sidecars = job.sidecars
    if not sidecars:
        return
    names = [container.get("name", "") for container in job.pod.get("containers", ())]
    for index, path, requirement, _ in exit_code_rules(job):
        if "containerName" in requirement:
            continue
        noise = [name for name in sidecars if name in job.decided[index].codes]
        if not noise:
            continue
        fix = None
        if len(names) == 1:
            edit = Edit("set", f"{path}.containerName", names[0])
            fix = Fix(f"Set containerName: {names[0]}", edit, safe=False)
        yield Diagnostic(
            path,
            f"This rule also matches the exit code of the sidecar {listing(noise)}, which the kubelet "
            "stops with a signal when the Pod terminates. Set containerName.",
            fix,
        )


@lint_rule(
    "JW108",
    "sidecar-named",
    severity="warning",
    summary="An exit code rule names a sidecar.",
    confidence="certain",
    needs=needs.several_containers,
)
def sidecar_named(job: LintedJob) -> Iterator[Diagnostic]:
    sidecars = job.sidecars
    for _, path, requirement, _ in exit_code_rules(job):
        name = requirement.get("containerName")
        if name in sidecars:
            yield Diagnostic(
                f"{path}.containerName",
                f"{name} is a sidecar: it restarts when it fails, and its last exit code does not depend on "
                "the work. Name a main container.",
            )


@lint_rule(
    "JW109",
    "notin-any-container",
    severity="warning",
    summary="A NotIn list without containerName, in a Pod of several containers.",
    fixable="unsafe",
    needs=needs.several_containers,
)
def notin_any_container(job: LintedJob) -> Iterator[Diagnostic]:
    if job.sidecars:
        return
    containers = job.pod.get("containers", ())
    for index, path, requirement, values in exit_code_rules(job):
        if (
            requirement.get("operator") != "NotIn"
            or "containerName" in requirement
            or values == [0]
            or job.rules[index].get("action") == "Count"
        ):
            continue
        if len(job.decided[index].codes) < 2:
            continue
        fix = None
        if len(containers) == 1:
            name = containers[0].get("name", "")
            edit = Edit("set", f"{path}.containerName", name)
            fix = Fix(f"Set containerName: {name}", edit, safe=False)
        yield Diagnostic(
            path,
            "This rule matches if any container exits with a code outside the list, even if the main "
            "container exits with a code of the list. Set containerName.",
            fix,
        )


@lint_rule(
    "JW214",
    "blocking-sidecar",
    severity="warning",
    summary="A proxy or agent that never exits is among the containers of a Job.",
    fixable="unsafe",
    needs=needs.several_containers,
)
def blocking_sidecar(job: LintedJob) -> Iterator[Diagnostic]:
    pod = job.pod
    containers = pod.get("containers", ())
    path = f"{job.pod_path}.containers"
    running_on = list(map(runs_on, job.main_starts))
    if len(containers) < 2 or not any(running_on) or all(running_on) or stopped_by_command(pod):
        return
    last = len(pod.get("initContainers", ()))
    for index, container in enumerate(containers):
        if not running_on[index]:
            continue
        fix = None
        if job.server.minor >= NATIVE_SIDECARS_SINCE:
            fix = Fix(
                "Make it a sidecar: an init container with restartPolicy: Always",
                Edit("set", f"{path}[{index}].restartPolicy", "Always"),
                Edit("move", f"{path}[{index}]", f"{job.pod_path}.initContainers[{last}]"),
                safe=False,
            )
        name = container.get("name", "")
        yield Diagnostic(
            f"{path}[{index}]",
            f"{name} never exits by itself and keeps the Pod running after the work is done. Make it an "
            "init container with restartPolicy: Always.",
            fix,
        )


@lint_rule(
    "JW229",
    "endless-init-container",
    severity="warning",
    summary="A proxy or agent that never exits is an init container without restartPolicy.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.several_containers,
)
def endless_init_container(job: LintedJob) -> Iterator[Diagnostic]:
    for endless in endless_init_containers(job):
        name, at = endless.start.container.get("name", ""), endless.start.path
        fix, advice = None, "Let it end, or remove it."
        if endless.agent in RUN_ONCE:
            argument = RUN_ONCE[endless.agent]
            advice = f"Add {argument}: it then prepares its files once, and exits."
            fix = _with_argument(endless, argument)
        elif endless.agent:
            advice = "Set restartPolicy: Always, which makes it a sidecar."
            if job.server.minor >= NATIVE_SIDECARS_SINCE:
                edit = Edit("set", f"{at}.restartPolicy", "Always")
                fix = Fix("Make it a sidecar: set restartPolicy: Always", edit, safe=False)
        yield Diagnostic(
            at,
            f"{name} never exits by itself, so the containers of the Pod never start. {advice}",
            fix,
        )


def _with_argument(endless: EndlessInitContainer, argument: str) -> Fix | None:
    """Return the fix that adds an argument to the command line; None for one in a script."""
    container = endless.start.container
    if endless.start.line.starts_shell:
        return None
    field = "command" if container.get("command") and not container.get("args") else "args"
    edit = Edit("set", f"{endless.start.path}.{field}", [*container.get(field, ()), argument])
    return Fix(f"Run it once: add {argument}", edit, safe=False)


@lint_rule(
    "JW269",
    "init-before-proxy",
    severity="warning",
    summary="An init container calls a proxy of its Pod that starts after it.",
    needs=needs.several_containers,
)
def init_before_proxy(job: LintedJob) -> Iterator[Diagnostic]:
    started = [
        "" if "restartPolicy" not in start.container and start.is_init else _proxy_of(start)
        for start in job.starts
    ]
    for position, start in enumerate(job.starts):
        if not start.is_init or "restartPolicy" in start.container or any(started[:position]):
            continue
        later = next(filter(None, started[position + 1 :]), "")
        if not later or _proxy_of(start):
            continue
        place = _place_of_call(start)
        if place is not None:
            yield Diagnostic(
                place[0],
                f"This init container calls the proxy {later}, which starts only after it has ended, so the "
                "call fails. Make the proxy a sidecar before it: an init container with restartPolicy: "
                "Always and a startupProbe.",
                line=place[1],
            )


def _proxy_of(start: ContainerStart) -> str:
    """Return the name of a container that is a proxy for others, or starts one; empty for another one."""
    names = (image_name(start.container), *(command.name for command in start.commands))
    called = any(name in CALLED_PROXIES for name in names)
    return start.container.get("name", "") if called else ""


def _place_of_call(start: ContainerStart) -> tuple[str, int] | None:
    """Return the path, and the line there, in which a container names the address of a proxy."""
    for index, name, value in literal_variables(start.container):
        host = IS_HOST.search(name) and value in ("localhost", "127.0.0.1", "::1")
        if host or (("/" in value or ":" in value) and CALLS_PROXY.search(value)):
            return f"{start.path}.env[{index}].value", 0
    if start.script is not None:
        found = CALLS_PROXY.search(start.script.text)
        return found and (start.field, start.script.text.count("\n", 0, found.end()))
    for field in ("command", "args"):
        for index, word in enumerate(start.container.get(field, ())):
            if CALLS_PROXY.search(word):
                return f"{start.path}.{field}[{index}]", 0
    return None
