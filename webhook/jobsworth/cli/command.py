"""A command of the command line, declared as data: read by click, and without it where speed counts.

click teaches: it prints help, completes in the shell, and says what is wrong with a command line. But
to import it takes longer than to judge a manifest. So a command declares its options here, click's
command is built from that declaration (:mod:`jobsworth.cli.click_application`), and :func:`read` reads a
command line that is plainly well-formed without click. Whatever it does not understand is click's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Run = Callable[[dict[str, Any]], int]


class Option:
    """An option of a command.

    Args:
        name: ``--kubernetes-version``; the value is found under ``kubernetes_version``.
        help: one sentence.
        short: a one-letter name such as ``-o``.
        default: the value when the option is not given.
        choices: the only values.
        flag: the option takes no value; it is False unless given.
        integer: the value is a whole number from 1.
        repeated: the option may be given several times; its values are joined by commas.
        metavar: what the value is called in help.
    """

    __slots__ = (
        "choices", "default", "flag", "help", "integer", "key", "metavar", "name", "repeated", "short",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        *,
        help: str,
        short: str = "",
        default: Any = None,
        choices: tuple[str, ...] = (),
        flag: bool = False,
        integer: bool = False,
        repeated: bool = False,
        metavar: str = "",
    ) -> None:
        self.name = name
        self.key = name[2:].replace("-", "_")
        self.help = help
        self.short = short
        self.default = False if flag else default
        self.choices = choices
        self.flag = flag
        self.integer = integer
        self.repeated = repeated
        self.metavar = metavar


class Command:
    """A command: its name, help, options, and the function that runs it.

    The function takes the options by key, and the arguments under ``paths`` where the command takes
    any; it returns the exit code.

    Args:
        paths_unless: the key of an option with which the arguments can be left out.
        arguments: what the arguments are called in help; in brackets where there need not be any.
    """

    __slots__ = (
        "arguments", "epilog", "help", "name", "options", "paths_unless", "run", "takes_paths",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        *,
        help: str,
        epilog: str,
        options: tuple[Option, ...],
        run: Run,
        takes_paths: bool = True,
        paths_unless: str = "",
        arguments: str = "PATH...",
    ) -> None:
        self.name = name
        self.help = help
        self.epilog = epilog
        self.options = options
        self.run = run
        self.takes_paths = takes_paths
        self.paths_unless = paths_unless
        self.arguments = arguments


class UsageError(Exception):
    """What is wrong with a command line, for the user; the exit code is 2."""


class InputError(UsageError):
    """What is wrong with a file that a command line names: to show how it is used would not help."""


def read(command: Command, arguments: Sequence[str]) -> dict[str, Any] | None:
    """Read a well-formed command line.

    Returns:
        The options by key and the arguments under ``paths``; None for anything that is not plainly
        well-formed, or that asks for help.
    """
    by_name = {option.name: option for option in command.options}
    by_name |= {option.short: option for option in command.options if option.short}
    values = {option.key: option.default for option in command.options}
    paths: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-") or argument == "-":
            paths.append(argument)
            continue
        name, equals, value = argument.partition("=")
        option = by_name.get(name)
        if option is None or (option.flag and equals):
            return None
        if option.flag:
            values[option.key] = True
            continue
        text = value if equals else next(rest, None)
        if text is None or (option.choices and text not in option.choices):
            return None
        if option.integer and not (text.isascii() and text.isdigit() and int(text) > 0):
            return None
        if option.repeated and values[option.key] is not None:
            text = f"{values[option.key]},{text}"
        values[option.key] = int(text) if option.integer else text
    if not paths and not values.get(command.paths_unless):
        return None
    values["paths"] = paths
    return values
