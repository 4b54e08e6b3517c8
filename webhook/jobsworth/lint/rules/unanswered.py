"""The rule for programs that ask for a confirmation and have no input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.lint import needs
from jobsworth.lint.container_start import RunCommand
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob

TERRAFORM = ("terraform", "tofu")
PACKAGES = {
    "apt": ("dist-upgrade", "full-upgrade", "install", "remove", "upgrade"),
    "apt-get": ("dist-upgrade", "install", "remove", "upgrade"),
    "dnf": ("install", "remove", "update", "upgrade"),
    "yum": ("install", "remove", "update", "upgrade"),
}
"""Package managers, with the subcommands that ask before they change anything."""
AGREED = (
    "--assume-yes", "--assumeyes", "--assumeno", "--download-only", "--dry-run", "--help", "--just-print",
    "--no-act", "--simulate", "--yes",
)  # fmt: skip
"""Options with which a package manager does not ask."""
LETTERS = frozenset("dhsy")
"""The letters of such options."""


@lint_rule(
    "JW547",
    "question-without-answer",
    severity="warning",
    summary="A program asks for a confirmation, but has no input to read it from.",
    confidence="likely",
    needs=needs.a_program(*TERRAFORM, *PACKAGES),
)
def question_without_answer(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: apt-get(8), ``--yes``; dnf(8), ``--assumeyes``; terraform apply, "Apply Options"."""
    for command in job.commands:
        option = _missing_option(command)
        if not option or _may_be_answered(command):
            continue
        container = command.container
        effect = (
            "waits for an answer forever"
            if container.get("stdin") and container.get("tty")
            else "fails without an answer"
        )
        yield Diagnostic(
            command.field,
            f"`{' '.join(command.words[:3])[:60]}` asks for a confirmation and {effect}. Add {option}.",
            line=command.line,
        )
        return


def _missing_option(command: RunCommand) -> str:
    """Return the option with which a command would not ask; empty for a command that does not ask."""
    words = command.words
    if any("$" in word and not word.startswith(("'", "/")) for word in words[:2]):
        return ""
    if command.name in TERRAFORM:
        return "-auto-approve" if _asks_to_apply(words[1:]) else ""
    subcommands = PACKAGES.get(command.name, ())
    if not any(word in subcommands for word in words[1:]) or _is_agreed(words[1:]):
        return ""
    return "-y"


def _asks_to_apply(words: Sequence[str]) -> bool:
    """Return True for ``apply`` without a saved plan, and for ``destroy``.

    >>> _asks_to_apply(["-chdir=a", "apply"]), _asks_to_apply(["apply", "plan.out"])
    (True, False)
    """
    rest = [word for word in words if not word.startswith("-chdir")]
    if rest[:1] not in (["apply"], ["destroy"]):
        return False
    options = {word.lstrip("-").partition("=")[0] for word in rest[1:] if word.startswith("-")}
    if not options.isdisjoint(("auto-approve", "help", "h")):
        return False
    # An option with its value in the next word, such as -var a=b, cannot be told from a saved plan.
    return all(word.startswith("-") for word in rest[1:])


def _is_agreed(words: Sequence[str]) -> bool:
    """Return True for options with which a package manager does not ask.

    >>> _is_agreed(["install", "-qy", "jq"]), _is_agreed(["install", "-q", "jq"])
    (True, False)
    """
    for word in words:
        if word.startswith("--"):
            if word.partition("=")[0] in AGREED:
                return True
        elif word.startswith("-"):
            if not LETTERS.isdisjoint(word[1:]) or "qq" in word or word.startswith(("-q=", "-o")):
                return True
        elif word.startswith("$"):
            return True  # it may hold options
    return False


def _may_be_answered(command: RunCommand) -> bool:
    step = command.step
    variables = {each.get("name", "") for each in command.container.get("env", ())}
    from_map = any("configMapRef" in each for each in command.container.get("envFrom", ()))
    if from_map or any(each.startswith("TF_CLI_ARGS") for each in variables):
        return command.name in TERRAFORM
    if step is None:
        return False
    return step.before == "|" or bool(step.input) or step.checked or step.after == "||"
