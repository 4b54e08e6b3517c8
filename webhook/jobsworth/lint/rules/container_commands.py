"""Rules for the programs that containers run: requests that cannot fail, and commands that never end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.agents import sleeps_forever
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.run_commands import image_name
from jobsworth.lint.shells import base_name, is_limited, runs_shell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.lint.linted_job import LintedJob
    from jobsworth.lint.shell_script import ShellScript

CURL_OPTIONS_WITH_VALUES = frozenset("AbcCdDeEFhHKmoPQrtTuUwxXyYz")
"""The short options of curl whose value follows in the same or the next word."""

MAX_WORDS = 4
"""The number of words of a command line in a message."""

PREPARING = frozenset(
    ("apk", "apt", "apt-get", "awk", "base64", "basename", "chmod", "chown", "cp", "curl", "cut", "dirname",
     "dnf", "envsubst", "export", "eval", "grep", "head", "jq", "ln", "microdnf", "mkdir", "mktemp", "mv",
     "openssl", "rm", "sed", "seq", "source", ".", "sort", "tail", "tee", "touch", "tr", "uniq", "wc",
     "yq", "yum")
)  # fmt: skip
"""Programs that prepare a request or read its answer, beside those that are harmless in any script."""

STOPS_SIDECAR = ("/quitquitquit", "/shutdown")
"""The ends of addresses that end the proxy of a service mesh: of Istio and Envoy, and of Linkerd."""

NO_REQUEST = ("--version", "--help", "-V", "--manual")


def applies(job: LintedJob) -> bool:
    return any("command" in container or "args" in container for _, container in job.containers)


@lint_rule(
    "JW225",
    "curl-without-fail",
    severity="warning",
    summary="The work of a container is a curl without --fail, which succeeds on HTTP errors.",
)
def curl_without_fail(job: LintedJob) -> Iterator[Diagnostic]:
    scripts = {container: (field, script) for field, container, script in job.scripts}
    for index, container in enumerate(job.pod.get("containers", ())):
        path = f"{job.pod_path}.containers[{index}]"
        if path in scripts:
            field, script = scripts[path]
            if _final_request(script):
                yield Diagnostic(field, _CURL)
            continue
        command, arguments = container.get("command", []), container.get("args", [])
        if command:
            runs_curl = base_name(command[0]) == "curl"
            words = [*command[1:], *arguments]
        elif base_name(arguments[0] if arguments else "") == "curl":
            runs_curl, words = True, arguments[1:]
        else:
            runs_curl, words = image_name(container) == "curl" and bool(arguments), arguments
            if runs_shell(arguments):
                continue
        if runs_curl and _succeeds_on_errors(words):
            yield Diagnostic(f"{path}.{'command' if command else 'args'}[0]", _CURL)


_CURL = (
    "curl exits with 0 if the server answers with an error such as HTTP 500, so the Job succeeds. Add --fail "
    "(or --fail-with-body to see the answer)."
)


def _final_request(script: ShellScript) -> bool:
    """Return True if the script ends with a request by curl, nothing reads the answer, and it is the work.

    After another program, the request may only report the end of the work, or stop a sidecar: if it failed,
    the work would be repeated.
    """
    final = script.final
    return (
        final is not None
        and final.depth == 0
        and not final.checked
        and final.name == "curl"
        and final.before in (";", "&&", "|")
        and final.after == ";"
        and _succeeds_on_errors(final.words[1:])
        and not _stops_sidecar(final.words)
        and not _works_before(script)
    )


def _stops_sidecar(words: Sequence[str]) -> bool:
    """Return True for the request that ends the proxy of a service mesh, such as /quitquitquit of Istio."""
    return any(word.endswith(STOPS_SIDECAR) for word in words)


def _works_before(script: ShellScript) -> bool:
    """Return True if a program runs before the final request, other than one that prepares or feeds it."""
    from jobsworth.lint.shell_script import HARMLESS  # few Jobs end with a request

    commands = script.commands[:-1]
    before = script.commands[-1].before
    while before == "|" and commands:
        before = commands.pop().before
    return any(each.name not in HARMLESS and each.name not in PREPARING for each in commands)


def _succeeds_on_errors(words: Sequence[str]) -> bool:
    """Return True if a curl with these arguments makes an HTTP request and has no option to fail."""
    if any(word in NO_REQUEST or word.startswith("--fail") or "$@" in word for word in words):
        return False
    if any(word.startswith(("ftp:", "file:", "telnet:", "smtp:")) for word in words):
        return False
    for word in words:
        if word.startswith("-") and not word.startswith("--"):
            for letter in word[1:]:
                if letter == "f":
                    return False
                if letter in CURL_OPTIONS_WITH_VALUES:
                    break
    return True


@lint_rule(
    "JW226",
    "endless-command",
    severity="warning",
    summary="A container never exits, and the Job has no deadline.",
    confidence="certain",
)
def endless_command(job: LintedJob) -> Iterator[Diagnostic]:
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    if "successPolicy" in job.spec:
        return
    scripts = {container: (field, script) for field, container, script in job.scripts}
    for index, container in enumerate(job.pod.get("containers", ())):
        path = f"{job.pod_path}.containers[{index}]"
        words = [*container.get("command", []), *container.get("args", [])]
        if path in scripts:
            field, script = scripts[path]
            endless = [
                command.words
                for command in script.commands
                if command.depth == 0
                and command.after not in ("&", "|")
                and sleeps_forever(command.words)
            ]
            if endless:
                yield _endless(field, endless[0])
            elif script.endless_loops and not is_limited(words):
                yield _endless(field, [script.endless_loops[0]])
            continue
        if words and sleeps_forever(words):
            command_field = "command" if container.get("command") else "args"
            yield _endless(f"{path}.{command_field}[0]", words)


def _endless(field: str, words: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        field,
        f"`{' '.join(words[:MAX_WORDS])}` never ends: the Job never completes and holds its resources until "
        "a user deletes it. Set activeDeadlineSeconds.",
    )
