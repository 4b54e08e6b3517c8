"""The base of value classes: declared fields, slotted, compared by value, frozen for type checkers.

>>> class Range(Record):
...     first: int
...     last: int = 255
>>> Range(3), Range(first=3, last=7).replace(last=9), Range(1) == Range(1, 255)
(Range(first=3, last=255), Range(first=3, last=9), True)

It stands in for ``dataclasses`` on the path of ``jobsworth validate``, where an import and the source
that a dataclass compiles in every process cost more than validating a manifest; elsewhere, use a dataclass.
Constructors are not compiled: each is a copy of the template for its number of fields, with the field names
replaced in the code object. That takes 10 µs per class (``exec``: 100 µs), and instances are created as fast
as by a handwritten constructor.

A type checker reports an assignment to a field; at run time, only shared records refuse it. A constructor
that gets past a guard takes four times as long (1.0 µs instead of 0.25 for eight fields), and a manifest has
ten records: docs/decisions/0021-frozen-for-type-checkers.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda decorated: decorated


# fmt: off
# ruff: noqa: PLR0917
def _no_fields(self: Any) -> None:
    pass


def _one(self, a):  # type: ignore[no-untyped-def]
    self.a = a


def _two(self, a, b):  # type: ignore[no-untyped-def]
    self.a, self.b = a, b


def _three(self, a, b, c):  # type: ignore[no-untyped-def]
    self.a, self.b, self.c = a, b, c


def _four(self, a, b, c, d):  # type: ignore[no-untyped-def]
    self.a, self.b, self.c, self.d = a, b, c, d


def _five(self, a, b, c, d, e):  # type: ignore[no-untyped-def]
    self.a, self.b, self.c, self.d, self.e = a, b, c, d, e


def _six(self, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    self.a, self.b, self.c, self.d, self.e, self.f = a, b, c, d, e, f


def _seven(self, a, b, c, d, e, f, g):  # type: ignore[no-untyped-def]
    self.a, self.b, self.c, self.d, self.e, self.f, self.g = a, b, c, d, e, f, g


def _eight(self, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h = a, b, c, d, e, f, g, h


def _nine(self, a, b, c, d, e, f, g, h, i):  # type: ignore[no-untyped-def]
    self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h, self.i = a, b, c, d, e, f, g, h, i
# fmt: on

_TEMPLATES: tuple[Any, ...] = (
    _no_fields, _one, _two, _three, _four, _five, _six, _seven, _eight, _nine
)  # fmt: skip
"""Constructors by their number of fields."""

_Function: Any = type(_TEMPLATES[0])


def _set_once(self: Any, name: str, value: object) -> None:
    if hasattr(self, name):
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")
    object.__setattr__(self, name, value)


_NO_FIELDS: tuple[str, ...] = ()
_NO_DEFAULTS: dict[str, Any] = {}


@dataclass_transform(frozen_default=True)
class RecordType(type):
    """Turns the annotations of a class into slots and a constructor."""

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        kw_only: bool = False,
        shared: bool = False,
    ) -> RecordType:
        """Create a record class.

        The annotations are the fields, in order; their values are the defaults, which must be
        immutable. A class with its own ``__init__`` keeps it.

        Args:
            name, bases, namespace: of the class.
            kw_only: the constructor takes its arguments by keyword only.
            shared: a field can be set only once, also at run time: for values that are remembered, of which
                a changed one would be wrong for everyone.
        """
        if shared:
            namespace["__setattr__"] = _set_once
        fields = tuple(namespace.get("__annotations__", ()))
        namespace["__slots__"] = fields
        if fields:
            namespace["_fields"] = fields
            namespace["_kw_only"] = kw_only
            namespace["_defaults"] = {
                field: namespace.pop(field) for field in fields if field in namespace
            }
        return super().__new__(cls, name, bases, namespace)


class Record(metaclass=RecordType):
    """A value: equal to another of its class by the fields, hashable by them, never changed by this package.

    Fields with a leading ``_`` are compared, but not shown.
    """

    _fields = _NO_FIELDS
    _defaults = _NO_DEFAULTS
    _kw_only = False

    def __init__(self, *values: Any, **named: Any) -> None:
        # Most imported classes get no instance in a run, so the first instance creates the constructor.
        cls: Any = type(self)
        cls.__init__ = _constructor(cls)
        cls.__init__(self, *values, **named)

    def replace(self, **changes: Any) -> Self:
        """Return the record with other values in some fields."""
        fields = zip(self._fields, _values(self), strict=True)
        return type(self)(**{**dict(fields), **changes})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash((type(self), *_values(self)))

    def __repr__(self) -> str:
        shown = [
            f"{name}={getattr(self, name)!r}" for name in self._fields if not name.startswith("_")
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Without a state, neither copy nor pickle depends on the protocol that slots need.
        return _rebuilt, (type(self), _values(self))


def _values(record: Any) -> tuple[Any, ...]:
    return tuple([getattr(record, name) for name in record._fields])


def _rebuilt(cls: type[Record], values: tuple[Any, ...]) -> Record:
    record = object.__new__(cls)
    for name, value in zip(cls._fields, values, strict=True):
        setattr(record, name, value)
    return record


def _constructor(cls: Any) -> Any:
    fields, count = cls._fields, len(cls._fields)
    code = _TEMPLATES[count].__code__
    names = dict(zip(code.co_varnames[1:], fields, strict=True))
    code = code.replace(
        co_name="__init__",
        co_qualname=f"{cls.__qualname__}.__init__",  # which the messages of a TypeError name
        co_varnames=("self", *fields),
        co_names=tuple([names[name] for name in code.co_names]),
        co_argcount=1 if cls._kw_only else 1 + count,
        co_kwonlyargcount=count if cls._kw_only else 0,
    )
    if not cls._kw_only:
        return _Function(code, globals(), None, tuple(cls._defaults.values()))
    constructor = _Function(code, globals())
    constructor.__kwdefaults__ = cls._defaults
    return constructor
