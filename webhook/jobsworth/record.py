"""The base of value classes: declared fields, slotted, compared by value, frozen for type checkers.

>>> class Range(Record):
...     first: int
...     last: int = 255
>>> Range(3), Range(first=3, last=7).replace(last=9), Range(1) == Range(1, 255)
(Range(first=3, last=255), Range(first=3, last=9), True)

It stands in for ``dataclasses`` on the path of ``jobsworth validate``: a frozen dataclass with slots takes
0.7 ms to declare, a record 0.01 ms, and a run on one file imports twenty of them. Elsewhere, use a dataclass.

A type checker reports an assignment to a field; at run time, only shared records refuse it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda decorated: decorated


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


def _values(record: Any) -> tuple[Any, ...]:
    return tuple([getattr(record, name) for name in record._fields])


def _constructor(cls: Any) -> Any:
    fields, defaults = cls._fields, cls._defaults
    parameters = [f"{name}=defaults[{name!r}]" if name in defaults else name for name in fields]
    if cls._kw_only:
        parameters.insert(0, "*")
    assignments = [f"    self.{name} = {name}" for name in fields] or ["    pass"]
    lines = [f"def __init__({', '.join(['self', *parameters])}):", *assignments]
    namespace: dict[str, Any] = {"defaults": defaults}
    exec("\n".join(lines), namespace)
    constructor = namespace["__init__"]
    constructor.__qualname__ = (
        f"{cls.__qualname__}.__init__"  # which the messages of a TypeError name
    )
    return constructor
