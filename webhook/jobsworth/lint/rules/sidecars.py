"""Rules for Pods with several containers: exit codes of sidecars, and sidecars that block completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.agents import endless_init_containers, runs_on, stopped_by_command
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.rules.exit_codes import exit_code_rules
from jobsworth.lint.rules.failure_policies import enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import LintedJob

NATIVE_SIDECARS_SINCE = 29
"""The minor version from which the gate SidecarContainers is on by default."""


def applies(job: LintedJob) -> bool:
    pod = job.pod
    several = len(pod.get("containers", ())) > 1 or "initContainers" in pod
    return several and job.has_few_rules


@lint_rule(
    "JW107",
    "sidecar-exit-code",
    severity="warning",
    summary="An exit code rule without containerName also matches sidecars.",
    fixable="unsafe",
    confidence="certain",
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
            f"This rule also matches the exit code of the sidecar {enumerated(noise)}, which the kubelet "
            "stops with a signal when the Pod terminates. Set containerName.",
            fix,
        )


@lint_rule(
    "JW108",
    "sidecar-named",
    severity="warning",
    summary="An exit code rule names a sidecar.",
    confidence="certain",
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
)
def blocking_sidecar(job: LintedJob) -> Iterator[Diagnostic]:
    pod = job.pod
    containers = pod.get("containers", ())
    path = f"{job.pod_path}.containers"
    running_on = [
        runs_on(job, f"{path}[{index}]", container) for index, container in enumerate(containers)
    ]
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
)
def endless_init_container(job: LintedJob) -> Iterator[Diagnostic]:
    for at, container, agent in endless_init_containers(job):
        name = container.get("name", "")
        fix, advice = None, "Let it end, or remove it."
        if agent:
            advice = "Set restartPolicy: Always, which makes it a sidecar."
            if job.server.minor >= NATIVE_SIDECARS_SINCE:
                edit = Edit("set", f"{at}.restartPolicy", "Always")
                fix = Fix("Make it a sidecar: set restartPolicy: Always", edit, safe=False)
        yield Diagnostic(
            at,
            f"{name} never exits by itself, so the containers of the Pod never start. {advice}",
            fix,
        )
