"""Answers to commands and options that do not exist: typos, and habits from other tools."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from jobsworth.findings.near_names import near

if TYPE_CHECKING:
    import click

COMMANDS_ELSEWHERE = {
    "apply": "validate",
    "check": "validate",
    "fix": "validate --fix",
    "format": "validate --fix",
    "lint": "validate",
    "test": "validate",
    "verify": "validate",
    "cron": "schedule",
    "defaults": "default",
    "rules": "rule",
    "schemas": "schema",
    "server": "serve",
    "policy generate": "policy init",
    "policy lint": "policy check",
    "policy new": "policy init",
    "policy validate": "policy check",
    "version": "--version",
}
"""Commands of other tools (kubectl, ruff, kube-linter), and the command that does the same here."""

FILE_OPTIONS = ("-f", "--filename", "--file")
"""Options of kubectl and others for what is an argument here."""

FILE_ARGUMENTS = re.compile(r"\b(PATH|JOB|FILE)\b")
"""Matches the metavar of arguments that are files."""

OPTIONS_ELSEWHERE = {
    "--format": "--output",
    "--output-format": "--output",
    "--kube-version": "--kubernetes-version",
    "--k8s-version": "--kubernetes-version",
}
"""Options of other tools (ruff, helm, kubeconform), and the option with that meaning here."""

NEEDLESS_OPTIONS = {
    "-R": "Folders are always searched",
    "--recursive": "Folders are always searched",
    "--strict": "Unknown fields are always errors",
    "-strict": "Unknown fields are always errors",
}
"""Options of other tools for what is always done here."""


def meant_command(prefix: str, args: Sequence[str], known: Iterable[str]) -> str:
    """Return the command line that was probably meant; empty if no command is near.

    >>> meant_command("", ["lint", "job.yaml"], ["validate"])
    'jobsworth validate job.yaml'

    Args:
        prefix: the words before the command: ``policy `` of ``policy check``.
        args: the word that is not a command, and what follows it.
        known: the commands behind the prefix.
    """
    word, *rest = args
    if word == "help":
        return " ".join(["jobsworth", *filter(None, [prefix.strip()]), *rest, "--help"])
    meant = COMMANDS_ELSEWHERE.get(prefix + word.lower())
    if meant is None:
        found = near(word, known)
        if found is None:
            return ""
        meant = prefix + found.name
    return f"jobsworth {meant} {shlex.join(without_file_options(rest))}".rstrip()


def answer_to_option(command: click.Command, path: str, name: str, args: Sequence[str]) -> str:
    """Return the message about an option that a command does not have; empty without a better one.

    Args:
        command: the command.
        path: the words that run it, such as ``jobsworth policy check``.
        name: the unknown option.
        args: all arguments of the command.
    """
    takes_files = any(
        each.param_type_name == "argument" and FILE_ARGUMENTS.search(each.metavar or "")
        for each in command.params
    )
    if takes_files and name in FILE_OPTIONS:
        return f"Name files without {name}: {path} {shlex.join(without_file_options(args))}"
    if takes_files and name in NEEDLESS_OPTIONS:
        return f"No such option '{name}'. {NEEDLESS_OPTIONS[name]}; omit {name}."
    meant = OPTIONS_ELSEWHERE.get(name)
    if meant is not None and any(meant in each.opts for each in command.params):
        return f"No such option '{name}'. Did you mean '{meant}'?"
    return ""


NO_ARGUMENT = {
    "audit": "audit reads a cluster; for files: jobsworth validate {files}",
    "serve": "serve takes no files; for policies: --policy {files}",
    "reconcile": "reconcile reads a cluster; for policies: --policy {files}",
    "lsp": "lsp is started by an editor, which sends it the texts; for files: jobsworth validate {files}",
}
"""What to do instead of an argument, by the name of a command that takes none."""


def answer_to_argument(name: str, args: Sequence[str]) -> str:
    """Return the message about arguments of a command that takes none.

    >>> answer_to_argument("audit", ["manifests/"])
    'audit reads a cluster; for files: jobsworth validate manifests/'
    """
    text = NO_ARGUMENT.get(name, f"{name} takes no argument; omit {{files}}")
    return text.format(files=shlex.join(args))


def without_file_options(args: Sequence[str]) -> list[str]:
    """Return arguments without the options of other tools that announce a file.

    >>> without_file_options(["-f", "a.yaml", "--filename=b.yaml", "-fc.yaml", "--fix"])
    ['a.yaml', 'b.yaml', 'c.yaml', '--fix']
    """
    kept = []
    for each in args:
        if each in FILE_OPTIONS:
            continue
        option, equals, value = each.partition("=")
        if equals and option in FILE_OPTIONS:
            kept.append(value)
        elif each.startswith("-f"):
            kept.append(each[len("-f") :])
        else:
            kept.append(each)
    return kept
