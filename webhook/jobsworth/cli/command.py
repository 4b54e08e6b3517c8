"""A command of the command line: a command of click whose function takes its options as one object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from jobsworth.cli.help_text import HelpContext, write_documentation
from jobsworth.cli.options import Options, parameters
from jobsworth.usage_error import UsageError

Section = list[tuple[str, str]]

Given = TypeVar("Given", bound=Options)


class BadInput(click.ClickException):
    """An error reported without usage help."""

    exit_code = 2


MOST_LAST = 2
"""The most options without a group that stand behind the groups; more of them stand first."""


class Command(click.Command):
    """A command.

    Attributes:
        takes: the class of its options, of which :attr:`run` takes an instance.
        headings: the heading of each option in help by the name of its parameter; empty for options without a
            group.
        run: returns the exit code.
    """

    context_class = HelpContext

    def __init__(
        self,
        name: str,
        *,
        help: str,
        epilog: str,
        options: type[Given],
        run: Callable[[Given], int],
    ) -> None:
        declared = list(parameters(options))
        super().__init__(
            name,
            params=sorted(
                (parameter for _, parameter in declared),
                key=lambda parameter: isinstance(parameter, click.Argument),
            ),
            help=help,
            epilog=epilog,
            callback=self._exit_with_its_code,
            context_settings={"allow_extra_args": True},  # parse_args answers them
        )
        self.takes = options
        self.headings = {parameter.name: heading for heading, parameter in declared}
        # The constructor has checked that it takes just these options.
        self.run: Callable[[Any], int] = run

    @property
    def options(self) -> list[click.Option]:
        """The options, without ``--help``."""
        return [each for each in self.params if isinstance(each, click.Option)]

    @property
    def argument(self) -> click.Argument | None:
        """The positional arguments; None if it takes none."""
        return next((each for each in self.params if isinstance(each, click.Argument)), None)

    def _exit_with_its_code(self, **values: object) -> None:
        try:
            code = self.run(self.takes(**values))
        except UsageError as error:
            raise BadInput(str(error)) from None
        click.get_current_context().exit(code)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options below the headings of their groups, those for rare cases last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not isinstance(parameter, click.Argument):
                sections.setdefault(self.headings.get(parameter.name, ""), []).append(record)
        rest = sections.pop("")  # with --help
        if len(rest) > MOST_LAST or not sections:
            ordered = {"Options": rest, **_rare_last(sections)}
        else:
            ordered = {**_rare_last(sections), "Other options": rest}
        for heading, records in ordered.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and the address of the documentation."""
        super().format_epilog(ctx, formatter)
        write_documentation(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and answer an option of another tool with the one that is meant here."""
        given = tuple(args)  # the parser empties the list
        try:
            left = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from jobsworth.cli.suggestions import answer_to_option

            answer = answer_to_option(self, ctx.command_path, error.option_name, given)
            if not answer:
                raise
            raise click.UsageError(answer, ctx) from None
        if left and not ctx.resilient_parsing:
            from jobsworth.cli.suggestions import answer_to_argument

            raise click.UsageError(answer_to_argument(ctx.info_name or "", left), ctx)
        return left


RARE = ("The request, for policies", "Cluster", "API server")
"""The headings of options that most users never need, in the order in which they stand last."""


def _rare_last(sections: dict[str, Section]) -> dict[str, Section]:
    ordered = sorted(sections, key=lambda each: RARE.index(each) if each in RARE else -1)
    return {heading: sections[heading] for heading in ordered}
