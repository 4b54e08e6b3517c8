"""A command of the command line, declared as data.

:func:`read` reads a well-formed command line without click. All others go to the click command that
:mod:`jobsworth.cli.click_application` builds from the declaration. The reason is in
docs/decisions/0001-import-nothing-heavy-for-validate.md.
"""

from __future__ import annotations

from jobsworth.cli.options import Arguments, Option, flat, values_of, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from jobsworth.cli.options import Options

    Given = TypeVar("Given", bound=Options)


class Command:
    """A command: its name, help, options, and the function that runs it.

    Attributes:
        takes: the class of its options, which :attr:`run` takes an instance of.
        options: their declarations, those of groups included.
        arguments: the declaration of the arguments that are not options; None where there are none.
        run: returns the exit code.
    """

    __slots__ = ("arguments", "epilog", "help", "name", "options", "run", "takes")

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
        self.arguments = next((each for each in declared if isinstance(each, Arguments)), None)
        # The constructor has checked that it takes just these options.
        self.run: Callable[[Any], int] = run


class UsageError(Exception):
    """Raised for an invalid command line; the exit code is 2.

    Args:
        lines: the message; each line is escaped, because it may quote a file.
    """

    def __init__(self, *lines: str) -> None:
        from jobsworth.printable import printable

        super().__init__("\n".join(map(printable, lines)))


class InputError(UsageError):
    """Raised for an invalid input file or system; reported without usage help."""


def read(command: Command, arguments: Sequence[str]) -> Options | None:
    """Read a well-formed command line of a command that takes arguments.

    Returns:
        The options for ``command.run``; None for a command line that is malformed or requests help.
    """
    by_name = {option.name: option for option in command.options}
    by_name |= {option.short: option for option in command.options if option.short}
    values = {option.key: option.default for option in command.options}
    several: dict[str, tuple[str, ...]] = {}
    others: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-") or argument == "-":
            others.append(argument)
            continue
        name, equals, text = argument.partition("=")
        option = by_name.get(name)
        if option is None or (option.flag and equals):
            return None
        if option.flag:
            values[option.key] = True
            continue
        value = text if equals else next(rest, None)
        if value is None or (option.choices and value not in option.choices):
            return None
        if option.integer:
            number = whole_number(value)
            if not number:
                return None
            values[option.key] = number
        elif option.repeated:
            several[option.key] = (*several.get(option.key, ()), *values_of(option, value))
        else:
            values[option.key] = value
    declared = command.arguments
    if declared is None or not (others or declared.optional):
        return None
    return command.takes({**values, **several, declared.key: tuple(others)})
