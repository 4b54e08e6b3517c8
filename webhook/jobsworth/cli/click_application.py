"""The command line as click sees it, built from the commands' declarations."""

from __future__ import annotations

from importlib import import_module

import click

import jobsworth
from jobsworth.cli.command import Command, InputError, Option, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMANDS = {
    "validate": "validate:COMMAND",
    "rule": "rule:COMMAND",
    "default": "default:COMMAND",
    "schema": "schema:COMMAND",
    "audit": "audit:COMMAND",
    "policy check": "policy_check:COMMAND",
    "policy explain": "policy_explain:COMMAND",
    "policy test": "policy_test:COMMAND",
    "certs generate": "certs:GENERATE",
    "certs manage": "certs:MANAGE",
    "serve": "serve:COMMAND",
    "reconcile": "reconcile:COMMAND",
}
"""Of each command, the module of :mod:`jobsworth.cli.commands` that declares it, and the name there."""

GROUPS = {
    "certs": "The webhook's certificates, in a folder or in a cluster.",
    "policy": "JobPolicy documents: check, explain and test them.",
}


class _BadInput(click.ClickException):
    """What is told without how the command is used."""

    exit_code = 2


class _Parameterised(click.Command):
    """A click command that runs one of ours."""

    def __init__(self, command: Command) -> None:
        optional = bool(command.paths_unless) or command.arguments.startswith("[")
        metavar = f"[{command.arguments.strip('[]')}]" if optional else command.arguments
        paths = click.Argument(["paths"], nargs=-1, required=not optional, metavar=metavar)
        super().__init__(
            command.name,
            params=[
                *(_parameter(option) for option in command.options),
                *([paths] if command.takes_paths else []),
            ],
            help=command.help,
            epilog=command.epilog,
            callback=lambda **values: _run(command, values),
        )


def _run(command: Command, values: dict[str, Any]) -> None:
    if command.paths_unless and not values["paths"] and not values[command.paths_unless]:
        raise click.UsageError("Missing argument 'PATH...'.")
    try:
        code = command.run(values)
    except InputError as error:
        raise _BadInput(str(error)) from None
    except UsageError as error:
        raise click.UsageError(str(error)) from None
    click.get_current_context().exit(code)


def _parameter(option: Option) -> click.Option:
    names = [option.name, *filter(None, [option.short]), option.key]
    if option.flag:
        return click.Option(names, is_flag=True, help=option.help)
    if option.choices:
        kind: click.ParamType[Any] = click.Choice(option.choices)
    else:
        kind = click.IntRange(min=1) if option.integer else click.STRING
    return click.Option(
        names,
        type=kind,
        multiple=option.repeated,
        callback=_joined if option.repeated else None,
        default=option.default,
        show_default=option.default is not None,
        metavar=option.metavar or None,
        help=option.help,
    )


def _joined(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> str | None:
    return ",".join(words) if words else None


class _Group(click.Group):
    """A group of commands, each imported when it is run, or listed with its help.

    Args:
        beginning: the words before the names of its commands: ``certs `` of ``certs generate``.
    """

    def __init__(self, name: str | None = None, *, beginning: str = "", **settings: Any) -> None:
        super().__init__(name, **settings)
        self._beginning = beginning

    def list_commands(self, context: click.Context) -> list[str]:
        rest = [
            name.removeprefix(self._beginning)
            for name in COMMANDS
            if name.startswith(self._beginning)
        ]
        return sorted({name.partition(" ")[0] for name in rest})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        full = self._beginning + name
        if full in GROUPS:
            return _Group(name, beginning=f"{full} ", help=GROUPS[full])
        module, _, attribute = COMMANDS[full].partition(":")
        return _Parameterised(getattr(import_module(f"jobsworth.cli.commands.{module}"), attribute))


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
@click.version_option(jobsworth.__version__, prog_name="jobsworth")
def application() -> None:
    """See the help text above: click takes it from there."""
