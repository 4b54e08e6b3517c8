"""Rules for containers whose program is no work: a server, which never ends, or a shell without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.jobset.labels import JOB_SET_NAME
from jobsworth.lint.agents import stopped_by_command
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.shells import base_name, is_limited, launched
from jobsworth.lint.usual_programs import SERVER_IMAGES, official_image, serves

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import LintedJob
    from jobsworth.lint.shell_script import ShellScript

INTERPRETERS = ("ash", "bash", "dash", "ksh", "node", "python", "python3", "sh", "zsh")


def applies(job: LintedJob) -> bool:
    return True


@lint_rule(
    "JW535",
    "server-as-work",
    severity="warning",
    summary="A container runs a server, which never ends by itself, so the Job is never complete.",
    confidence="likely",
)
def server_as_work(job: LintedJob) -> Iterator[Diagnostic]:
    if "successPolicy" in job.spec or stopped_by_command(job.pod):
        return
    if JOB_SET_NAME in job.object.get("metadata", {}).get("labels", {}):
        return  # whose success policy may need other Jobs alone
    scripts = {container: (field, script) for field, container, script in job.scripts}
    for index, container in enumerate(job.pod.get("containers", ())):
        path = f"{job.pod_path}.containers[{index}]"
        if path in scripts:
            field, script = scripts[path]
            name = _served_by_script(script)
        else:
            field = f"{path}.{'command[0]' if container.get('command') else 'image'}"
            name = _served(container)
        if name:
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


def _served(container: dict[str, Any]) -> str:
    """Return the server that a container runs by its command line, or without one by its image."""
    words = [*container.get("command", ()), *container.get("args", ())]
    if container.get("command"):
        words_of_program = words[launched(words) :]
        ends = is_limited(words) or not serves(words_of_program)
        return "" if ends else base_name(words_of_program[0])
    image: str = container.get("image", "")
    return image if not words and official_image(image) in SERVER_IMAGES else ""


@lint_rule(
    "JW536",
    "shell-without-script",
    severity="warning",
    summary="A container runs a shell or an interpreter without a script, which ends at once, with success.",
    confidence="certain",
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
