"""The application: the group of all commands.

Only the module of the command that runs is imported: :class:`_Group` is the lazy group of click's
documentation (https://click.palletsprojects.com/en/stable/complex/#lazily-loading-subcommands).
"""

from __future__ import annotations

import sys
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

import jobsworth
from jobsworth.cli.help_text import COMMANDS_BY_PURPOSE, HelpContext, write_documentation
from jobsworth.printable import printable

if TYPE_CHECKING:
    from jobsworth.cli.command import Command

COMMANDS = {
    "validate": "validate:COMMAND",
    "rule": "rule:COMMAND",
    "kinds": "kinds:COMMAND",
    "default": "default:COMMAND",
    "explain": "explain:COMMAND",
    "schedule": "schedule:COMMAND",
    "schema": "schema:COMMAND",
    "lsp": "lsp:COMMAND",
    "simulate": "simulate:COMMAND",
    "why": "why:COMMAND",
    "wait": "wait:COMMAND",
    "health": "health:COMMAND",
    "audit": "audit:COMMAND",
    "policy chart-values": "policy_chart_values:COMMAND",
    "policy init": "policy_init:COMMAND",
    "policy check": "policy_check:COMMAND",
    "policy explain": "policy_explain:COMMAND",
    "policy review": "policy_review:COMMAND",
    "policy test": "policy_test:COMMAND",
    "policy export": "policy_export:COMMAND",
    "policy import": "policy_import:COMMAND",
    "certs generate": "certs:GENERATE",
    "certs manage": "certs:MANAGE",
    "serve": "serve:COMMAND",
    "reconcile": "reconcile:COMMAND",
}
"""Each command, as ``module:NAME`` in :mod:`jobsworth.cli.commands`."""

GROUPS = {
    "certs": "Create and renew the webhook's certificates, in a folder or in a cluster.",
    "policy": "Write, check, explain, test, export and import JobPolicy documents.",
}


def declared_command(words: str) -> Command:
    """Import and return a command.

    Args:
        words: the words that run it, such as ``policy check``.
    """
    module, _, attribute = COMMANDS[words].partition(":")
    command: Command = getattr(import_module(f"jobsworth.cli.commands.{module}"), attribute)
    return command


PLUGIN = "kubectl-jobsworth"
"""The name of the console script by which kubectl finds the plugin ``jobsworth``."""


def _program() -> str:
    """Return the words with which the user runs this program."""
    name = sys.argv[0].replace("\\", "/").rpartition("/")[2]
    return PLUGIN.replace("-", " ") if name.removesuffix(".exe") == PLUGIN else "jobsworth"


def run_by_click(arguments: list[str]) -> int:
    """Run a command line, and return its exit code; exceptions that no command expects are raised."""
    try:
        code = application.main(arguments, prog_name=_program(), standalone_mode=False)
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        for line in shown.getvalue().rstrip("\n").split("\n"):
            print(printable(line), file=sys.stderr)
        return error.exit_code
    except click.Abort as abort:
        raise abort.__cause__ or abort from None  # click wraps an interrupt in Abort
    return int(code or 0)


def _is_path(word: str) -> bool:
    from os.path import lexists

    return lexists(word) or word == "-" or word.endswith((".yaml", ".yml", ".json"))


class _Group(click.Group):
    """A group of commands, each imported when it is run, or listed with its help.

    Args:
        prefix: the words before its commands' names: ``certs `` of ``certs generate``.
    """

    context_class = HelpContext

    def __init__(self, name: str | None = None, *, prefix: str = "", **settings: Any) -> None:
        super().__init__(name, **settings)
        self._prefix = prefix

    def list_commands(self, context: click.Context) -> list[str]:
        rest = [
            name.removeprefix(self._prefix) for name in COMMANDS if name.startswith(self._prefix)
        ]
        return sorted({name.partition(" ")[0] for name in rest})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of the program by purpose; those of a group in one list."""
        if self._prefix:
            super().format_commands(ctx, formatter)
            return
        for purpose, commands in COMMANDS_BY_PURPOSE.items():
            with formatter.section(purpose):
                formatter.write_dl(list(commands.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and the address of the documentation."""
        super().format_epilog(ctx, formatter)
        write_documentation(ctx, formatter)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if not self._prefix and word not in self.list_commands(context) and _is_path(word):
            raise click.UsageError(
                f"'{word}' is not a command. Did you mean jobsworth validate {' '.join(args)}?",
                context,
            )
        if not (
            word in self.list_commands(context) or word.startswith("-") or context.resilient_parsing
        ):
            from jobsworth.cli.suggestions import meant_command

            meant = meant_command(self._prefix, args, self.list_commands(context))
            if meant:
                message = f"No such command '{word}'. Did you mean {meant}?"
                raise click.UsageError(message, context)
        return super().resolve_command(context, args)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        full = self._prefix + name
        if full in GROUPS:
            return _Group(name, prefix=f"{full} ", help=GROUPS[full])
        return declared_command(full)


def _print_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from jobsworth.cli import installed_commit

    commit = installed_commit.installed_commit()
    print(f"jobsworth, version {jobsworth.__version__}{f' ({commit})' if commit else ''}")
    context.exit()


@click.group(
    cls=_Group,
    help=jobsworth.DESCRIPTION,
    epilog="""\b
Examples:
  jobsworth validate job.yaml
  jobsworth explain job.yaml
  helm template . | jobsworth validate -
  jobsworth why job/train -n batch

\b
Completion in the shell (bash; likewise zsh and fish):
  eval "$(_JOBSWORTH_COMPLETE=bash_source jobsworth)"
""",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, and the commit if it is known, and exit.",
)
def application() -> None:
    """The root command; its help text is passed to ``click.group``."""
