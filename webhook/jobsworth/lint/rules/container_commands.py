"""Rules for the programs that containers run: requests that cannot fail, and commands that never end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.lint import needs
from jobsworth.lint.container_start import image_name
from jobsworth.lint.effects import written_by
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_flow import MAX_COMMANDS
from jobsworth.lint.script_text import line_of
from jobsworth.lint.shell_script import ShellCommand, ShellScript
from jobsworth.lint.usual_programs import never_ends

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

TAKE_ANYTHING = ("aws", "azcopy", "cp", "gsutil", "mc", "mv", "rclone", "s3cmd")
"""Programs that copy or rename a file, whatever it contains."""

NO_REQUEST = ("--version", "--help", "-V", "--manual")


@lint_rule(
    "JW225",
    "curl-without-fail",
    severity="warning",
    summary="A curl without --fail, which succeeds on HTTP errors, does the work or brings its data.",
    needs=needs.commands_or_arguments,
)
def curl_without_fail(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.main_starts:
        line, script = start.line, start.script
        if script is not None:
            kept = _kept_answer(script)
            if _final_request(script):
                yield Diagnostic(start.field, _CURL)
            elif kept is not None:
                yield Diagnostic(
                    start.field,
                    f"curl exits with 0 if the server answers with an error such as HTTP 500, and {kept[1]} "
                    "takes the page of the error for the data. Add --fail.",
                    line=kept[0].line,
                )
            continue
        words = line.arguments[1:] if line.program == "curl" else line.words
        runs_curl = line.program == "curl" or (
            image_name(start.container) == "curl"
            and not (line.written or line.starts_shell)
            and bool(words)
        )
        if runs_curl and _succeeds_on_errors(words):
            yield Diagnostic(start.field, _CURL)


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


def _kept_answer(script: ShellScript) -> tuple[ShellCommand, str] | None:
    """Return a request whose answer goes into a file, and the name of the command that takes any content.

    None if another command looks at the answer first, or if the file is a program.
    """
    for index, command in enumerate(script.commands[:MAX_COMMANDS]):
        if command.name != "curl" or not _succeeds_on_errors(command.words[1:]):
            continue
        if "http_code" in script.text or "response_code" in script.text:
            return None
        files = {*command.outputs, *written_by(command.words)} - {"", "/dev/null", "-"}
        for following in script.commands[index + 1 : MAX_COMMANDS]:
            words = following.words[1:]
            if any(file in word for file in files for word in (*words, *following.reads)):
                program = any("/bin" in word for word in words)
                takes = following.name in TAKE_ANYTHING and not files.isdisjoint(words)
                if takes and not (following.checked or program):
                    return command, following.name
                break
    return None


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
    needs=needs.commands_or_arguments,
)
def endless_command(job: LintedJob) -> Iterator[Diagnostic]:
    if "activeDeadlineSeconds" in job.spec or "activeDeadlineSeconds" in job.pod:
        return
    if "successPolicy" in job.spec:
        return
    for start in job.main_starts:
        line, script = start.line, start.script
        if script is not None:
            endless = [
                command
                for command in script.commands
                if command.depth == 0
                and "timeout" not in script.text
                and command.after not in ("&", "|")
                and never_ends(command.words)
            ]
            if endless:
                yield _endless(start.field, endless[0].words, endless[0].line)
            elif script.endless_loops and not line.limited:
                loop = script.endless_loops[0]
                yield _endless(start.field, [loop], line_of(script.text, loop))
        else:
            endless_lines = [each.words for each in start.commands if never_ends(each.words)]
            if endless_lines and not line.limited:
                yield _endless(start.field, endless_lines[0])


def _endless(field: str, words: Sequence[str], line: int = 0) -> Diagnostic:
    return Diagnostic(
        field,
        f"`{' '.join(words[:MAX_WORDS])}` never ends: the Job never completes and holds its resources until "
        "a user deletes it. Set activeDeadlineSeconds.",
        line=line,
    )
