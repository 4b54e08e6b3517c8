"""Groups of options: classes whose attributes are parameters of click, annotated with the type of the value::

    class ServerOptions(Options):
        kubernetes_version: str | None = option(
            "--kubernetes-version", metavar="RELEASE", help="The API server's release."
        )
        allow_privileged: bool = flag(
            "--allow-privileged", help="The API server runs with --allow-privileged."
        )

On a class the attributes are the parameters, which click parses and prints as help; on an instance they are
the values, so that a misspelled option is a type error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import click

from jobsworth.controller.times import problem_of_time, read_time
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


Group = TypeVar("Group", bound="Options")

MAX_DIGITS = 9
"""The maximum length of a number. Python itself converts at most 4300 digits."""


class Options:
    """The options of a command, or a group of options that several commands share.

    A class inherits the options of its base class; an overridden one keeps its position in help.

    Args:
        values: the value of each parameter by its name, including those of groups.

    Attributes:
        heading: the heading of a group in help; empty for the heading of the options around it.
        declared: the parameter of each attribute; for a group, its class.
    """

    heading: ClassVar[str] = ""
    declared: ClassVar[dict[str, click.Parameter | type[Options]]] = {}

    def __init_subclass__(cls) -> None:
        own = vars(cls).items()
        kinds = (click.Parameter, type)
        cls.declared = {**cls.declared, **{k: v for k, v in own if isinstance(v, kinds)}}

    def __init__(self, **values: Any) -> None:
        for name, declared in self.declared.items():
            value = declared(**values) if isinstance(declared, type) else values[name]
            setattr(self, name, value)


def parameters(options: type[Options], heading: str = "") -> Iterator[tuple[str, click.Parameter]]:
    """Return the parameters of a class and of its groups with their headings, in the order of help.

    Args:
        options: the class.
        heading: that of its own options.
    """
    for declared in options.declared.values():
        if isinstance(declared, type):
            yield from parameters(declared, declared.heading or heading)
        else:
            yield heading, declared


# The functions below make parameters for the attributes of Options. Like those of dataclasses.field, their
# results are of any type, because the value that the attribute has on an instance is of another.


def option(*names: str, **settings: Any) -> Any:
    """Declare an option of click, whose default is in its help.

    Args:
        names: as a user writes them, and the name of the attribute if that is another.
        settings: those of ``click.Option``.
    """
    if "type" not in settings:
        settings["shell_complete"] = _completed
    return click.Option(names, show_default=settings.get("default") not in (None, ""), **settings)


def flag(*names: str, help: str) -> Any:
    """Declare an option that takes no value; it is False unless given."""
    return click.Option(names, is_flag=True, help=help)


def words(*names: str, help: str, metavar: str, default: tuple[str, ...] | None = ()) -> Any:
    """Declare a repeatable option that takes a comma-separated list."""
    return _Words(names, words_of, default, help=help, metavar=metavar)


def texts(
    *names: str,
    help: str,
    metavar: str,
    default: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
) -> Any:
    """Declare a repeatable option, each of whose values may have commas.

    Args:
        names, help, metavar, default: as for :func:`option`.
        words: the words that the shell completes.
    """
    return _Words(names, lambda text: (text,), default, words=words, help=help, metavar=metavar)


def arguments(name: str, metavar: str = "PATH...") -> Any:
    """Declare the positional arguments, which are optional if their metavar is in brackets."""
    optional = metavar.startswith("[")
    return click.Argument(
        [name],
        nargs=-1,
        required=not optional,
        metavar=f"[{metavar.strip('[]')}]" if optional else metavar,
        shell_complete=_completed,
    )


def group(options: type[Group]) -> Group:
    """Declare a group of options; the attribute holds an instance of the group."""
    return cast("Group", options)


class _Words(click.Option):
    """A repeatable option.

    Attributes:
        unset: the value if it is not given.
        words: the words that the shell completes, if its metavar does not say which.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        values_of: Callable[[str], tuple[str, ...]],
        unset: tuple[str, ...] | None,
        *,
        words: tuple[str, ...] = (),
        **settings: Any,
    ) -> None:
        super().__init__(
            names,
            multiple=True,
            callback=lambda context, parameter, given: (
                tuple(word for text in given for word in values_of(text)) if given else unset
            ),
            shell_complete=_completed,
            **settings,
        )
        self.unset = unset
        self.words = words


def number(value: str | int) -> int:
    """Convert the value of an option to a whole number from 1; for the parameter ``type`` of an option.

    The error for a number with thousands of digits does not repeat it.

    Raises:
        BadParameter: the value is another one.
    """
    found = value if isinstance(value, int) else whole_number(value)
    if not found or found < 1:
        text = str(value) if len(str(value)) <= MAX_DIGITS else f"{str(value)[:MAX_DIGITS]}…"
        raise click.BadParameter(
            f"{printable(text)!r} is not a whole number from 1 of at most {MAX_DIGITS} digits."
        )
    return found


def _completed(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from jobsworth.cli.completion import completions

    return completions(parameter, incomplete)


def words_of(text: str) -> tuple[str, ...]:
    """Split a comma-separated list into words.

    >>> words_of("JW101, JW4,")
    ('JW101', 'JW4')
    """
    return tuple(word for word in (part.strip() for part in text.split(",")) if word)


def whole_number(text: str) -> int | None:
    """Parse a number of decimal digits; return None for other text and for too many digits.

    >>> whole_number("8443"), whole_number("-1"), whole_number("9" * 5000)
    (8443, None, None)
    """
    plain = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if plain else None


def given_time(option: str, text: str | None) -> int:
    """Return the time in seconds since 1970; now if the option is not given.

    Raises:
        UsageError: the text is not a time, or its year is out of range.
    """
    if text is None:
        return int(time.time())
    found = read_time(text)
    if found is None:
        raise UsageError(
            f'{option}: "{text}" is not a date such as 2027-03-27 or 2027-03-27T01:30Z'
        )
    problem = problem_of_time(found)
    if problem:
        raise UsageError(f"{option}: {problem}")
    return found
