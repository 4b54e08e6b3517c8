"""A command of the command line, declared as data; :mod:`jobsworth.cli.click_application` runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cli.options import Arguments, Option, flat, headings

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from jobsworth.cli.options import Options

    Given = TypeVar("Given", bound=Options)


class Command:
    """A command: its name, help, options, and the function that runs it.

    Attributes:
        takes: the class of its options, which :attr:`run` takes an instance of.
        options: their declarations, those of groups included.
        headings: the heading of each option in help by its key; empty for options without a group.
        arguments: the declaration of the arguments that are not options; None where there are none.
        run: returns the exit code.
    """

    __slots__ = ("arguments", "epilog", "headings", "help", "name", "options", "run", "takes")

    def __init__(
        self,
        name: str,
        *,
        help: str,
        epilog: str,
        options: type[Given],
        run: Callable[[Given], int],
    ) -> None:
        declared = tuple(flat(options))
        self.name = name
        self.help = help
        self.epilog = epilog
        self.takes = options
        self.options = tuple(each for each in declared if isinstance(each, Option))
        self.headings = {option.key: heading for heading, option in headings(options)}
        self.arguments = next((each for each in declared if isinstance(each, Arguments)), None)
        # The constructor has checked that it takes just these options.
        self.run: Callable[[Any], int] = run
