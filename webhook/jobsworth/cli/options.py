"""Typed options: a class states the name, type, default and help of each option in one place::

    class ServerOptions(Options):
        kubernetes_version = text(metavar="RELEASE", help="The API server's release.")
        allow_privileged = flag(help="The API server runs with --allow-privileged.")

On the class, the attributes are declarations, from which the command line is parsed and help is built. On
an instance, they are values. The functions here are annotated to return values, so that a misspelled option
is a type error. The option is named after the attribute: ``--kubernetes-version``. An attribute that would be
a keyword of Python has a trailing underscore: ``from_`` declares ``--from``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import ClassVar, TypeVar, overload

    Group = TypeVar("Group", bound="Options")
    Word = TypeVar("Word", bound=str)

MAX_DIGITS = 9
"""The maximum length of a number. Python itself converts at most 4300 digits."""


class Option:
    """The declaration of an option.

    Args:
        help: one sentence.
        short: a one-letter name such as ``-o``.
        default: the value when the option is not given.
        choices: the only values.
        flag: the option takes no value; it is False unless given.
        integer: the value is a whole number from 1.
        repeated: the option may be given several times.
        separated: a value may be a comma-separated list.
        metavar: the name of the value in help.

    Attributes:
        key: the name of the attribute that declares the option.
        name: the option as a user writes it, such as ``--kubernetes-version``.
    """

    __slots__ = (
        "choices", "default", "flag", "help", "integer", "key", "metavar", "name", "repeated",
        "separated", "short",
    )  # fmt: skip

    def __init__(
        self,
        *,
        help: str,
        short: str = "",
        default: object = None,
        choices: tuple[str, ...] = (),
        flag: bool = False,
        integer: bool = False,
        repeated: bool = False,
        separated: bool = True,
        metavar: str = "",
    ) -> None:
        self.help = help
        self.short = short
        self.default = default
        self.choices = choices
        self.flag = flag
        self.integer = integer
        self.repeated = repeated
        self.separated = separated
        self.metavar = metavar

    def __set_name__(self, owner: type, key: str) -> None:
        self.key = key
        self.name = "--" + key.rstrip("_").replace("_", "-")


class Arguments:
    """The declaration of the positional arguments.

    Args:
        metavar: their name in help; in brackets if optional.

    Attributes:
        key: the name of the attribute that declares them.
    """

    __slots__ = ("key", "metavar")

    def __init__(self, metavar: str) -> None:
        self.metavar = metavar

    def __set_name__(self, owner: type, key: str) -> None:
        self.key = key

    @property
    def optional(self) -> bool:
        """Return True if they may be omitted."""
        return self.metavar.startswith("[")


class Options:
    """The options of a command, or a group of options that several commands share.

    A class inherits the options of its base class; an overridden one keeps its position in help.

    Args:
        values: the value of each option by key, including those of groups.

    Attributes:
        heading: the heading of a group in help; empty for the heading of the options around it.
        declared: the declaration of each attribute; for a group, its class.
    """

    heading: ClassVar[str] = ""
    declared: ClassVar[dict[str, Option | Arguments | type[Options]]] = {}

    def __init_subclass__(cls) -> None:
        own = vars(cls).items()
        kinds = (Option, Arguments, type)
        cls.declared = {**cls.declared, **{k: v for k, v in own if isinstance(v, kinds)}}

    def __init__(self, values: Mapping[str, object]) -> None:
        for key, declared in self.declared.items():
            value = declared(values) if isinstance(declared, type) else values[key]
            setattr(self, key, value)


def flat(options: type[Options]) -> Iterator[Option | Arguments]:
    """Return the declarations of a class of options and of its groups, in the order of help."""
    for declared in options.declared.values():
        if isinstance(declared, type):
            yield from flat(declared)
        else:
            yield declared


def headings(options: type[Options], heading: str = "") -> Iterator[tuple[str, Option]]:
    """Return the options of a class and of its groups with the headings in help, in the order of help.

    Args:
        options: the class.
        heading: that of its own options.
    """
    for declared in options.declared.values():
        if isinstance(declared, type):
            yield from headings(declared, declared.heading or heading)
        elif isinstance(declared, Option):
            yield heading, declared


# The functions below return declarations, but are annotated with the type of the value on an instance.


def flag(*, help: str, short: str = "") -> bool:
    """Declare an option that takes no value; it is False unless given."""
    return Option(help=help, short=short, default=False, flag=True)  # type: ignore[return-value]


if TYPE_CHECKING:

    @overload
    def text(*, help: str, short: str = "", metavar: str = "") -> str | None: ...

    @overload
    def text(*, help: str, short: str = "", metavar: str = "", default: str) -> str: ...


def text(
    *, help: str, short: str = "", metavar: str = "", default: str | None = None
) -> str | None:
    """Declare an option that takes any text."""
    return Option(help=help, short=short, metavar=metavar, default=default)  # type: ignore[return-value]


if TYPE_CHECKING:

    @overload
    def integer(*, help: str, short: str = "", metavar: str = "") -> int | None: ...

    @overload
    def integer(*, help: str, short: str = "", metavar: str = "", default: int) -> int: ...


def integer(
    *, help: str, short: str = "", metavar: str = "", default: int | None = None
) -> int | None:
    """Declare an option that takes a whole number from 1."""
    return Option(  # type: ignore[return-value]
        help=help, short=short, metavar=metavar, default=default, integer=True
    )


def choice(*, help: str, choices: tuple[Word, ...], default: Word, short: str = "") -> Word:
    """Declare an option that takes one of several words."""
    return Option(  # type: ignore[return-value]
        help=help, short=short, choices=choices, default=default
    )


def choice_if_given(*, help: str, choices: tuple[Word, ...], short: str = "") -> Word | None:
    """Declare an option like :func:`choice`, whose value is None if not given."""
    return Option(help=help, short=short, choices=choices)  # type: ignore[return-value]


def words(*, help: str, metavar: str, short: str = "") -> tuple[str, ...]:
    """Declare a repeatable option that takes a comma-separated list."""
    return Option(  # type: ignore[return-value]
        help=help, short=short, metavar=metavar, default=(), repeated=True
    )


def words_if_given(*, help: str, metavar: str, short: str = "") -> tuple[str, ...] | None:
    """Declare an option like :func:`words`, whose value is None if not given."""
    return Option(  # type: ignore[return-value]
        help=help, short=short, metavar=metavar, repeated=True
    )


def several(
    *, help: str, metavar: str, default: tuple[str, ...] = (), short: str = ""
) -> tuple[str, ...]:
    """Declare a repeatable option, each of whose values may have commas."""
    return Option(  # type: ignore[return-value]
        help=help, short=short, metavar=metavar, default=default, repeated=True, separated=False
    )


def arguments(metavar: str = "PATH...") -> tuple[str, ...]:
    """Declare the positional arguments."""
    return Arguments(metavar)  # type: ignore[return-value]


def nested(options: type[Group]) -> Group:
    """Declare a group of options; the attribute holds an instance of the group."""
    return options  # type: ignore[return-value]


def words_of(text: str) -> tuple[str, ...]:
    """Split a comma-separated list into words.

    >>> words_of("JW101, JW4,")
    ('JW101', 'JW4')
    """
    return tuple(word for word in (part.strip() for part in text.split(",")) if word)


def values_of(option: Option, text: str) -> tuple[str, ...]:
    """Return the values in one text of a repeatable option."""
    return words_of(text) if option.separated else (text,)


def whole_number(text: str) -> int | None:
    """Parse a number of decimal digits; return None for other text and for too many digits.

    >>> whole_number("8443"), whole_number("-1"), whole_number("9" * 5000)
    (8443, None, None)
    """
    plain = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if plain else None
