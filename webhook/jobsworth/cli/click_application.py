"""The click application, built from the commands' declarations.

Only the module of the command that runs is imported: :class:`_Group` is the lazy group of click's
documentation (https://click.palletsprojects.com/en/stable/complex/#lazily-loading-subcommands).
"""

from __future__ import annotations

import sys
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING

import click

import jobsworth
from jobsworth.cli.command import Command
from jobsworth.cli.options import MAX_DIGITS, Arguments, Option, values_of
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from click.shell_completion import CompletionItem

    _Completed = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

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
    "replay": "replay:COMMAND",
    "why": "why:COMMAND",
    "wait": "wait:COMMAND",
    "audit": "audit:COMMAND",
    "policy chart-values": "policy_chart_values:COMMAND",
    "policy init": "policy_init:COMMAND",
    "policy check": "policy_check:COMMAND",
    "policy explain": "policy_explain:COMMAND",
    "policy review": "policy_review:COMMAND",
    "policy test": "policy_test:COMMAND",
    "policy export": "policy_export:COMMAND",
    "certs generate": "certs:GENERATE",
    "certs manage": "certs:MANAGE",
    "serve": "serve:COMMAND",
    "reconcile": "reconcile:COMMAND",
}
"""The declaration of each command, as ``module:NAME`` in :mod:`jobsworth.cli.commands`."""

GROUPS = {
    "certs": "The webhook's certificates, in a folder or in a cluster.",
    "policy": "JobPolicy documents: write, check, explain, test and export them.",
}


def declared_command(words: str) -> Command:
    """Import and return the declaration of a command.

    Args:
        words: the words that run it, such as ``policy check``.
    """
    module, _, attribute = COMMANDS[words].partition(":")
    command: Command = getattr(import_module(f"jobsworth.cli.commands.{module}"), attribute)
    return command


class _BadInput(click.ClickException):
    """An error reported without usage help."""

    exit_code = 2


class _DeclaredCommand(click.Command):
    """A click command that runs a :class:`Command`."""

    def __init__(self, command: Command) -> None:
        arguments = command.arguments
        super().__init__(
            command.name,
            params=[
                *(_parameter(option, _completed(command, option)) for option in command.options),
                *([_argument(arguments, _completed(command, arguments))] if arguments else []),
            ],
            help=command.help,
            epilog=command.epilog,
            callback=lambda **values: _run(command, values),
        )
        self._declared = command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options below the headings of their groups, those without a group last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                heading = self._declared.headings.get(parameter.name or "", "")
                sections.setdefault(heading, []).append(record)
        rest = sections.pop("", [])
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)
        with formatter.section("Other options" if sections else "Options"):
            formatter.write_dl(rest)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = tuple(args)  # the parser empties the list
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from jobsworth.cli.suggestions import answer_to_option

            answer = answer_to_option(self._declared, ctx.command_path, error.option_name, given)
            if not answer:
                raise
            raise click.UsageError(answer, ctx) from None


class _WholeNumber(click.IntRange):
    """A number from 1; the error for one with thousands of digits does not repeat it."""

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> int:
        if isinstance(value, str) and len(value) > MAX_DIGITS:
            self.fail(f"a number has at most {MAX_DIGITS} digits.", param, context)
        return int(super().convert(value, param, context))


def _run(command: Command, values: dict[str, object]) -> None:
    try:
        code = command.run(command.takes(values))
    except UsageError as error:
        raise _BadInput(str(error)) from None
    click.get_current_context().exit(code)


def _completed(command: Command, declared: Option | Arguments) -> _Completed:
    """Return the function that completes a value in the shell."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from jobsworth.cli.completion import completions

        return completions(command, declared.metavar, incomplete)

    return complete


def _argument(arguments: Arguments, completed: _Completed) -> click.Argument:
    optional = arguments.optional
    metavar = f"[{arguments.metavar.strip('[]')}]" if optional else arguments.metavar
    return click.Argument(
        [arguments.key],
        nargs=-1,
        required=not optional,
        metavar=metavar,
        shell_complete=completed,
    )


def _parameter(option: Option, completed: _Completed) -> click.Option:
    names = [option.name, *filter(None, [option.short]), option.key]
    if option.flag:
        return click.Option(names, is_flag=True, help=option.help)
    if option.choices:
        kind: click.ParamType[Any] = click.Choice(option.choices)
    else:
        kind = _WholeNumber(min=1) if option.integer else click.STRING
    complete = None if option.choices else completed
    if option.repeated:
        return click.Option(
            names,
            type=kind,
            multiple=True,
            callback=lambda context, parameter, given: _all_words(option, given),
            metavar=option.metavar,
            help=option.help,
            shell_complete=complete,
        )
    return click.Option(
        names,
        type=kind,
        default=option.default,
        show_default=option.default is not None,
        metavar=option.metavar or None,
        help=option.help,
        shell_complete=complete,
    )


def _all_words(option: Option, given: tuple[str, ...]) -> object:
    return (
        tuple(word for text in given for word in values_of(option, text))
        if given
        else option.default
    )


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

    def __init__(self, name: str | None = None, *, prefix: str = "", **settings: Any) -> None:
        super().__init__(name, **settings)
        self._prefix = prefix

    def list_commands(self, context: click.Context) -> list[str]:
        rest = [
            name.removeprefix(self._prefix) for name in COMMANDS if name.startswith(self._prefix)
        ]
        return sorted({name.partition(" ")[0] for name in rest})

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
        return _DeclaredCommand(declared_command(full))


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
  jobsworth validate --kubernetes-version 1.31 manifests/
  helm template . | jobsworth validate -
  jobsworth default job.yaml

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
