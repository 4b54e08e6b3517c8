"""Rules for containers whose program is not work: a server, which never ends, or a shell without a script."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.api.jobset.names import JOB_SET_NAME
from jobsworth.lint import needs
from jobsworth.lint.agents import stopped_by_command
from jobsworth.lint.command_line import base_name
from jobsworth.lint.container_start import ContainerStart
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.shell_script import ShellScript
from jobsworth.lint.usual_programs import SERVER_IMAGES, official_image, serves

INTERPRETERS = ("ash", "bash", "dash", "ksh", "node", "python", "python3", "sh", "zsh")


@lint_rule(
    "JW535",
    "server-as-work",
    severity="warning",
    summary="A container runs a server, which never ends by itself, so the Job is never complete.",
    confidence="likely",
)
def server_as_work(job: LintedJob) -> Iterator[Diagnostic]:
    if "successPolicy" in job.spec:
        return
    if JOB_SET_NAME in job.object.get("metadata", {}).get("labels", {}):
        return  # whose success policy may need other Jobs alone
    for start in job.main_starts:
        if start.script is not None:
            field, name = start.field, _served_by_script(start.script)
        else:
            field = f"{start.path}.{'command[0]' if start.line.written else 'image'}"
            name = _served(start)
        if name:
            if stopped_by_command(job.pod):
                return
            limit = (
                "" if "activeDeadlineSeconds" in job.spec else " It runs until a user deletes it."
            )
            yield Diagnostic(
                field,
                f"{name[:80]} is a server, which never ends by itself, so the Job is never complete.{limit} "
                "Run it as a Deployment, or as a sidecar: an init container with restartPolicy: Always.",
            )


def _served_by_script(script: ShellScript) -> str:
    """Return the name of the server with which a script ends; empty if it ends with another command."""
    final = script.final
    if final is None or final.depth or not final.waits or not serves(final.words):
        return ""
    return final.name


def _served(start: ContainerStart) -> str:
    """Return the server that a container runs by its command line, or without one by its image."""
    line = start.line
    if line.written:
        return "" if line.limited or not serves(line.arguments) else line.program
    image: str = start.container.get("image", "")
    return image if not line.words and official_image(image) in SERVER_IMAGES else ""


@lint_rule(
    "JW536",
    "shell-without-script",
    severity="warning",
    summary="A container runs a shell or an interpreter without a script, which ends at once, with success.",
    confidence="certain",
    needs=needs.commands,
)
def shell_without_script(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        command = container.get("command", ())
        if container.get("stdin") or container.get("tty") or "restartPolicy" in container:
            continue
        if (
            len(command) == 1
            and not container.get("args")
            and base_name(command[0]) in INTERPRETERS
        ):
            yield Diagnostic(
                f"{path}.command[0]",
                f"{base_name(command[0])} has no script: it finds the end of its input and exits with 0, so "
                "the Job succeeds without any work. Set args.",
            )
