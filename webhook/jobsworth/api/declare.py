"""The language in which Kubernetes' types are declared: once, as data.

A declaration says of each field what the API says of it: its type, whether the API tells "unset" from
zero (:class:`Pointer`), its default, bounds, enumeration and format, and the release and feature gate
that bring it. The strict decoder, the defaulter, the validator and the JSON Schemas are all compiled
from declarations; nothing else in the project knows which fields exist.

What one field's declaration cannot say, because it concerns several fields, is a small function beside
the type: a *rule*, registered with :meth:`Struct.rule`. A default that depends on other fields is
registered with :meth:`Struct.defaulter`.

    >>> Window = Struct(
    ...     "Window",
    ...     "An example type.",
    ...     start=Field(Pointer(Int32), bounds=NonNegative),
    ...     end=Field(Pointer(Int32), default=10),
    ...     mode=Field(String, enum=("Open", "Closed")),
    ... )
    >>> [field.name for field in Window.fields.values() if field.default is not None]
    ['end']

Types are written as the Go API writes them, so that a reader of `k8s.io/api` finds the way:
``Pointer(Int32)`` is ``*int32``, ``ListOf(Container)`` is ``[]Container``, ``MapOf(String)`` is
``map[string]string``. The difference between ``Int32`` and ``Pointer(Int32)`` is the one that matters to
users: of a pointer, an explicit ``0`` is a value; otherwise ``0`` and absence are the same thing.
"""

from __future__ import annotations

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from jobsworth.api.errors import FieldError
    from jobsworth.api.validation_request import Request

    Rule = Callable[[dict[str, Any], str, Request], Iterable[FieldError]]
    Defaulter = Callable[[dict[str, Any], Request], None]
    Preparer = Callable[[dict[str, Any], Request], None]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any], Request], Iterable[FieldError]]
    Format = Callable[[str], list[str]]
    Type = "Scalar | Struct | Pointer | ListOf | MapOf"


class Scalar:
    """A value without parts: how it is decoded is known to the decoder by its name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


String = Scalar("string")
Boolean = Scalar("boolean")
Int32 = Scalar("int32")
Int64 = Scalar("int64")
Float64 = Scalar("double")
Quantity = Scalar("quantity")
"""A number with a unit such as ``500m`` or ``1Gi``; also written as a bare number."""
IntOrString = Scalar("int-or-string")
Time = Scalar("date-time")
"""RFC 3339 with seconds (``metav1.Time``) or microseconds (``metav1.MicroTime``)."""
AnyJSON = Scalar("any")
"""JSON that the API stores without looking into it (``metav1.FieldsV1``)."""


class Pointer:
    """A value that may be unset, where zero is not the same as unset."""

    __slots__ = ("target",)

    def __init__(self, target: Scalar | Struct) -> None:
        self.target = target

    def __repr__(self) -> str:
        return f"*{self.target!r}"


class Later:
    """A type whose module is imported when an object that has it is first met.

    What most Jobs do not have is not to cost their start-up: the forty types of volumes, CronJobs.
    """

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def struct(self) -> Struct:
        """The type itself."""
        from importlib import import_module

        struct: Struct = getattr(import_module(self.module), self.name)
        return struct


class ListOf:
    """A list of one type."""

    __slots__ = ("_item",)

    def __init__(self, item: Scalar | Struct | Later) -> None:
        self._item = item

    @property
    def item(self) -> Scalar | Struct:
        """The type of the items."""
        if isinstance(self._item, Later):
            self._item = self._item.struct()
        return self._item

    @property
    def of_structs(self) -> bool:
        """Whether the items are structs; told without importing a type that comes later."""
        return not isinstance(self._item, Scalar)

    def __repr__(self) -> str:
        return f"[]{self._item!r}"


class MapOf:
    """A map from strings to one type."""

    __slots__ = ("value",)

    def __init__(self, value: Scalar | ListOf) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"map[string]{self.value!r}"


class Bounds(Record):
    """The least and the greatest value of a number, and how the API server words a breach."""

    minimum: int | None
    maximum: int | None
    detail: str

    def admits(self, value: int) -> bool:
        """Whether the value lies within the bounds."""
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )


NonNegative = Bounds(0, None, "must be greater than or equal to 0")
Positive = Bounds(1, None, "must be greater than 0")


def Between(minimum: int, maximum: int) -> Bounds:  # noqa: N802  (reads as a type, next to its kin)
    """Bounds with both ends, both included."""
    return Bounds(minimum, maximum, f"must be between {minimum} and {maximum}, inclusive")


class OneOf:
    """Fields of which one must be set, and only one (a union, in the API's words).

    The first that is set, in the order given, is judged; each further one is forbidden with `several`.
    Where none is set the type itself is required, with `none` as the detail; without a detail none
    need be set. `misnamed` has the members that the API server calls otherwise where it forbids them.
    """

    __slots__ = ("members", "misnamed", "none", "several")

    def __init__(
        self,
        *members: str,
        none: str | None,
        several: str,
        misnamed: Mapping[str, str] | None = None,
    ) -> None:
        self.members = members
        self.none = none
        self.several = several
        self.misnamed = misnamed or {}


class Field:
    """What the API says of one field.

    Args:
        type: the field's type.
        default: the value that the API server fills in when the field is unset; ``{}`` is an empty
            struct. For a default that depends on other fields see :meth:`Struct.defaulter`.
        required: the field must be set, and not to its zero value; a string is the detail that the
            API server adds to ``Required value``.
        bounds: the least and greatest number; of a list, that of each item.
        enum: the only values that the API server admits, in the order in which it names them; of a
            list, those of each item.
        values: like `enum`, for fields whose values a rule judges: for schemas and suggestions only.
        format: judges a string, or each item of a list; returns what is wrong with it, as the API
            server words it.
        max_items: the longest list, or the largest map.
        always: part of every encoded object, even when zero (no ``omitempty`` in the Go type).
        since: the first release that knows the field ("1.25" and before: empty).
        until: the last release that knew it.
        gate: the feature gate without which the API server drops the field silently.
        drop_emptied: the API server drops the field too when all that was written in it is dropped.
        judge_empty: a missing string is judged by `enum` and `format` as an empty one, a missing
            number by `bounds` as zero.
        judge_when: the value, and everything below it, is judged only where this holds of the object
            that has the field.
        keep_empty: an empty list is not the same as none: the server refuses even that somewhere.
        made_later: the object is only made from this field later (the Job inside a CronJob): the
            defaults and gates of the field's own type do not apply yet, though those below it do.
        as_json: what `format` finds wrong is told with the value as Go's JSON (``<`` is ``\\u003c``).
    """

    __slots__ = (
        "always",
        "as_json",
        "bounds",
        "default",
        "drop_emptied",
        "enum",
        "format",
        "gate",
        "judge_empty",
        "judge_when",
        "keep_empty",
        "made_later",
        "max_items",
        "name",
        "reported_as",
        "required",
        "since",
        "type",
        "until",
        "values",
    )

    def __init__(
        self,
        type: Scalar | Struct | Pointer | ListOf | MapOf,
        *,
        default: Any = None,
        required: bool | str = False,
        bounds: Bounds | None = None,
        enum: tuple[str, ...] = (),
        values: tuple[str, ...] = (),
        format: Format | None = None,
        max_items: int | None = None,
        always: bool = False,
        since: str = "",
        until: str = "",
        gate: str = "",
        drop_emptied: bool = False,
        judge_empty: bool = False,
        judge_when: Callable[[dict[str, Any]], bool] | None = None,
        made_later: bool = False,
        keep_empty: bool = False,
        reported_as: str | None = None,
        as_json: bool = False,
    ) -> None:
        self.name = ""
        self.type = type
        self.default = default
        self.required = required
        self.bounds = bounds
        self.enum = enum
        self.values = values
        self.format = format
        self.max_items = max_items
        self.always = always
        self.since = since
        self.until = until
        self.gate = gate
        self.drop_emptied = drop_emptied
        self.judge_empty = judge_empty
        self.judge_when = judge_when
        self.made_later = made_later
        self.keep_empty = keep_empty
        self.reported_as = reported_as
        self.as_json = as_json


class Struct:
    """A Kubernetes type: its name, what it is for, its fields in the API's order, and its rules."""

    __slots__ = (
        "defaulters",
        "doc",
        "fields",
        "name",
        "one_of",
        "preparers",
        "rules",
        "update_rules",
    )

    def __init__(self, type_name: str, doc: str, /, **fields: Field) -> None:
        self.name = type_name
        self.doc = doc
        self.fields = fields
        self.one_of: OneOf | None = None
        self.rules: list[Rule] = []
        self.defaulters: list[Defaulter] = []
        self.preparers: list[Preparer] = []
        self.update_rules: list[UpdateRule] = []
        for name, field in fields.items():
            field.name = name

    def __repr__(self) -> str:
        return self.name

    def rule(self, rule: Rule) -> Rule:
        """Register a function that judges several fields of this type together.

        The rule is called with a decoded and defaulted object of this type, its field path, and the
        :class:`~jobsworth.api.validation_request.Request`; it yields what is wrong. An unset field
        is an absent key.
        """
        self.rules.append(rule)
        return rule

    def defaulter(self, defaulter: Defaulter) -> Defaulter:
        """Register a function that fills in defaults that depend on other fields.

        It changes the decoded object in place, before the defaults that are declared with single fields
        are filled in, and before those of the types below it.
        """
        self.defaulters.append(defaulter)
        return defaulter

    def preparer(self, preparer: Preparer) -> Preparer:
        """Register what the server does to an object of this kind between defaulting and validation.

        Only of whole objects (Job, CronJob): generated selectors, status that is kept or cleared.
        """
        self.preparers.append(preparer)
        return preparer

    def update_rule(self, rule: UpdateRule) -> UpdateRule:
        """Register a function that judges an update: (new, old, request), both of this kind.

        Only of whole objects; runs after the rules that judge the new object by itself.
        """
        self.update_rules.append(rule)
        return rule

    def exactly_one_of(
        self,
        *members: str,
        none: str | None,
        several: str,
        misnamed: Mapping[str, str] | None = None,
    ) -> None:
        """Declare that one, and only one, of some fields must be set: see :class:`OneOf`."""
        self.one_of = OneOf(*members, none=none, several=several, misnamed=misnamed)
