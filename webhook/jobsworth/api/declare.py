"""Declare the Kubernetes API types once, as data.

A declaration gives for each field its type, whether the API distinguishes "unset" from zero
(:class:`Pointer`), its default, bounds, enumeration and format, and the release and feature gate that
introduce it. The strict decoder, the defaulter, the validator and the JSON Schemas are all compiled
from declarations; no other code lists the fields.

A constraint that concerns several fields is a small function next to the type: a *rule*, registered
with :meth:`Struct.rule`, or with :meth:`Struct.rule_about` if it concerns only objects with a certain
field. A default that depends on other fields is registered with :meth:`Struct.defaulter`.

    >>> Window = Struct(
    ...     "Window",
    ...     "An example type.",
    ...     start=Field(Pointer(Int32), bounds=NonNegative),
    ...     end=Field(Pointer(Int32), default=10),
    ...     mode=Field(String, enum=("Open", "Closed")),
    ... )
    >>> [field.name for field in Window.fields.values() if field.default is not None]
    ['end']

Types mirror the Go API, so that a reader of `k8s.io/api` recognizes them: ``Pointer(Int32)`` is
``*int32``, ``ListOf(Container)`` is ``[]Container``, ``MapOf(String)`` is ``map[string]string``. The
difference between ``Int32`` and ``Pointer(Int32)`` matters to users: for a pointer, an explicit ``0`` is
a value; for other types, ``0`` and an unset field are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from jobsworth.api.field_errors import FieldError
from jobsworth.api.schema_conditions import SchemaCondition
from jobsworth.api.validation_request import Request
from jobsworth.record import Record

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer


Rule = Callable[[dict[str, Any], str, Request], Iterable[FieldError]]
Defaulter = Callable[[dict[str, Any], Request], None]
Warner = Callable[[dict[str, Any], Request], Iterable["ServerWarning"]]
Preparer = Callable[[dict[str, Any], Request], None]
Dropper = Callable[[dict[str, Any], dict[str, Any] | None, "ApiServer"], Iterable[tuple[str, str]]]
UpdateRule = Callable[[dict[str, Any], dict[str, Any], Request], Iterable[FieldError]]
Format = Callable[[str], list[str]]
Checked = TypeVar("Checked", bound=Callable[..., Any])
Type = "Scalar | Struct | Pointer | ListOf | MapOf"


class Scalar:
    """A value without fields or items. The decoder chooses its decoding function by the name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


String = Scalar("string")
Boolean = Scalar("boolean")
Int32 = Scalar("int32")
Int64 = Scalar("int64")
Quantity = Scalar("quantity")
"""A number with a suffix such as ``500m`` or ``1Gi``, or a plain number."""
IntOrString = Scalar("int-or-string")
Time = Scalar("date-time")
"""RFC 3339 with seconds (``metav1.Time``) or microseconds (``metav1.MicroTime``)."""
AnyJSON = Scalar("any")
"""JSON that the API stores without validation (``metav1.FieldsV1``)."""


class Later:
    """A type whose module is imported when the first object with such a value is decoded.

    Most Jobs have neither affinity nor probes nor one of the forty volume types; their import would slow the
    start-up.
    """

    __slots__ = ("_module", "name")

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def struct(self) -> Struct:
        """Import and return the type."""
        struct: Struct = getattr(import_module(self._module), self.name)
        return struct


class Pointer:
    """A value that may be unset; an explicit zero differs from unset."""

    __slots__ = ("_target",)

    def __init__(self, target: Scalar | Struct | Later) -> None:
        self._target = target

    @property
    def target(self) -> Scalar | Struct:
        """The type of the value; imports it if it is declared with :class:`Later`."""
        if isinstance(self._target, Later):
            self._target = self._target.struct()
        return self._target

    @property
    def to_struct(self) -> bool:
        """True if the value is a struct; does not import a type declared with :class:`Later`."""
        return not isinstance(self._target, Scalar)

    def __repr__(self) -> str:
        return f"*{self._target!r}"


class ListOf:
    """A list of one type."""

    __slots__ = ("_item",)

    def __init__(self, item: Scalar | Struct | Later) -> None:
        self._item = item

    @property
    def item(self) -> Scalar | Struct:
        """The type of the items; imports it if it is declared with :class:`Later`."""
        if isinstance(self._item, Later):
            self._item = self._item.struct()
        return self._item

    @property
    def of_structs(self) -> bool:
        """True if the items are structs; does not import a type declared with :class:`Later`."""
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
    """The minimum and maximum of a number, and the API server's wording of a violation."""

    minimum: int | None
    maximum: int | None
    detail: str

    def admits(self, value: int) -> bool:
        """Return True if the value lies within the bounds."""
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )


NonNegative = Bounds(0, None, "must be greater than or equal to 0")
Positive = Bounds(1, None, "must be greater than 0")


def Between(minimum: int, maximum: int) -> Bounds:  # noqa: N802  (reads as a type, like NonNegative)
    """Return bounds with a minimum and a maximum, both inclusive."""
    return Bounds(minimum, maximum, f"must be between {minimum} and {maximum}, inclusive")


class OneOf:
    """A union: exactly one of these fields must be set.

    Only the first member that is set, in the given order, is validated; each further one is forbidden
    with the detail `several`. If no member is set, the struct is reported as required with the detail
    `none`; if `none` is None, the union may be empty. `misnamed` maps members to the different name that
    the API server uses in its error. `ignored` returns True if the API server overlooks a member.
    """

    __slots__ = ("ignored", "members", "misnamed", "none", "several")

    def __init__(
        self,
        *members: str,
        none: str | None,
        several: str,
        misnamed: Mapping[str, str] | None = None,
        ignored: Callable[[str, Request], bool] | None = None,
    ) -> None:
        self.members = members
        self.none = none
        self.several = several
        self.misnamed = misnamed or {}
        self.ignored = ignored


class Field:
    """The declaration of one field.

    Args:
        type: the field's type.
        default: the value that the API server fills in if the field is unset; ``{}`` is an empty
            struct. For a default that depends on other fields use :meth:`Struct.defaulter`.
        required: the field must be set to a value other than zero; a string is the detail that the
            API server adds to ``Required value``.
        bounds: the minimum and maximum of a number, or of each item of a list.
        enum: the values that the API server supports, in the order of its error message; for a list,
            the values of each item.
        values: like `enum`, for fields that a rule validates: used by schemas and suggestions only.
        values_since: for values that came later, the first release with each.
        format: returns the API server's error details for a string, or for each item of a list.
        max_items: the maximum size of a list or map.
        always: encode the field even if it is zero (no ``omitempty`` in the Go type).
        since: the first release with the field; empty for "1.25" and earlier.
        until: the last release with the field.
        gate: the feature gate; while it is off, the API server drops the field without an error.
        value_gate: the feature gate; while it is off, the API server discards the value of the field: used
            by schemas only, which then do not validate it.
        sibling_default: (field, value): what this field makes the default of another field beside it,
            even while its gate is off: the server fills in defaults before it drops fields.
        drop_emptied: the first release in which the API server drops the field if it drops everything
            below the field; empty for none.
        validate_empty: `enum` and `format` validate a missing string as "", `bounds` validates a
            missing number as zero.
        validate_when: a predicate on the object that has the field, and the request; if it returns False,
            the field and everything below it are not validated.
        else_rejected: the server rejects an object for which `validate_when` returns False: used by
            schemas only, which then validate the field always.
        keep_empty: keep an empty list or map, which is not the same as none: the server rejects some fields
            even when they are empty, and prints others so.
        template_for_later_object: the server creates an object from this field later (the Job of a CronJob):
            the defaults and gates of the field's own type do not apply yet; those of the types below do.
        reported_as: the field name in error paths, if the server uses a different one; "" reports the
            errors at the object that has the field.
        as_json: errors of `format` print the value as Go's JSON does (``<`` is ``\\u003c``).
    """

    __slots__ = (
        "always",
        "as_json",
        "bounds",
        "default",
        "drop_emptied",
        "else_rejected",
        "enum",
        "format",
        "gate",
        "keep_empty",
        "max_items",
        "name",
        "reported_as",
        "required",
        "sibling_default",
        "since",
        "template_for_later_object",
        "type",
        "until",
        "validate_empty",
        "validate_when",
        "value_gate",
        "values",
        "values_since",
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
        values_since: Mapping[str, str] | None = None,
        format: Format | None = None,
        max_items: int | None = None,
        always: bool = False,
        since: str = "",
        until: str = "",
        gate: str = "",
        value_gate: str = "",
        sibling_default: tuple[str, Any] | None = None,
        drop_emptied: str = "",
        validate_empty: bool = False,
        validate_when: Callable[[dict[str, Any], Request], bool] | None = None,
        else_rejected: bool = False,
        template_for_later_object: bool = False,
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
        self.values_since = values_since or {}
        self.format = format
        self.max_items = max_items
        self.always = always
        self.since = since
        self.until = until
        self.gate = gate
        self.value_gate = value_gate
        self.sibling_default = sibling_default
        self.drop_emptied = drop_emptied
        self.validate_empty = validate_empty
        self.validate_when = validate_when
        self.else_rejected = else_rejected
        self.template_for_later_object = template_for_later_object
        self.keep_empty = keep_empty
        self.reported_as = reported_as
        self.as_json = as_json

    def is_kept_by(self, server: ApiServer, *, later: bool = False) -> bool:
        """Return True if the server has the field and does not drop it, as it does while its gate is off.

        Args:
            server: the API server.
            later: True in a template of objects that are created later; only then the server drops fields.
        """
        return server.knows(self.since, self.until) and (
            later or not self.gate or server.enabled(self.gate)
        )


class ServerWarning(Record):
    """A warning that the API server returns with an object that it accepts.

    Attributes:
        field: the field path.
        message: the server's words, without the field path at their beginning.
        rule: the key of the warning, if a lint rule covers it too: see
            :mod:`jobsworth.evaluation.repeated_findings`.
        names_field: True if the server's text begins with the field path.
    """

    field: str
    message: str
    rule: str = ""
    names_field: bool = True

    @property
    def text(self) -> str:
        """The text of the ``Warning`` header."""
        return f"{self.field}: {self.message}" if self.names_field else self.message


class DeclaredRule(Record):
    """A rule of a type, registered with :meth:`Struct.rule` or :meth:`Struct.rule_about`.

    Attributes:
        key: the type and the name of the function, ``JobSpec.max_failed_indexes_need_limit``: the `rule` of
            its errors, by which fixes and hints are found.
        field: the field without which the rule is not called; None to call it for every object.
        check: the function.
    """

    key: str
    field: str | None
    check: Rule


class Struct:
    """A Kubernetes type: its name, its purpose, its fields in the API's order, and its rules."""

    __slots__ = (
        "conditions",
        "defaulters",
        "doc",
        "droppers",
        "fields",
        "name",
        "one_of",
        "preparers",
        "rules",
        "update_rules",
        "warners",
    )

    def __init__(self, type_name: str, doc: str, /, **fields: Field) -> None:
        self.name = type_name
        self.doc = doc
        self.fields = fields
        self.one_of: OneOf | None = None
        self.rules: list[DeclaredRule] = []
        self.conditions: list[SchemaCondition] = []
        self.defaulters: list[Defaulter] = []
        self.droppers: list[Dropper] = []
        self.preparers: list[Preparer] = []
        self.update_rules: list[UpdateRule] = []
        self.warners: list[tuple[Warner, bool]] = []
        for name, field in fields.items():
            field.name = name

    def __repr__(self) -> str:
        return self.name

    def rule(self, rule: Rule) -> Rule:
        """Register a function that validates several fields of this type together.

        The rule is called with a decoded and defaulted object of this type, its field path, and the
        :class:`~jobsworth.api.validation_request.Request`; it yields errors. An unset field is an
        absent key. The name of the function is part of the key of its errors: see :class:`DeclaredRule`.
        """
        self.rules.append(DeclaredRule(self.key(rule), None, rule))
        return rule

    def rule_about(self, field: str) -> Callable[[Rule], Rule]:
        """Return a decorator that registers a rule about a field: it is called only for objects with it.

        Most fields of a Pod are rare, so most of its rules about single fields are seldom called.
        """
        assert field in self.fields, field

        def register(rule: Rule) -> Rule:
            self.rules.append(DeclaredRule(self.key(rule), field, rule))
            return rule

        return register

    def in_schema(self, *conditions: SchemaCondition) -> Callable[[Checked], Checked]:
        """Return a decorator that states the conditions of a rule in the JSON Schema of this type.

        It stands above :meth:`rule` or :meth:`rule_about`, or at a function that a rule calls. See
        :mod:`jobsworth.api.schema_conditions`.
        """
        self.conditions += conditions

        def unchanged(rule: Checked) -> Checked:
            return rule

        return unchanged

    def key(self, rule: Rule | UpdateRule) -> str:
        """Return the key of a rule of this type: the type and the name of the function."""
        return f"{self.name}.{rule.__name__.lstrip('_')}"

    def defaulter(self, defaulter: Defaulter) -> Defaulter:
        """Register a function that fills in defaults that depend on other fields.

        The function changes the decoded object in place. It runs before the defaults declared on single
        fields and before the defaults of the types below.
        """
        self.defaulters.append(defaulter)
        return defaulter

    def dropper(self, dropper: Dropper) -> Dropper:
        """Register a function that drops what the server drops while a gate is off, beyond single fields.

        Only for whole objects. The function is called with a decoded object, the stored object (None on
        create) and the server; it changes the decoded object in place, and yields the path and the gate of
        each part that it drops.
        """
        self.droppers.append(dropper)
        return dropper

    def preparer(self, preparer: Preparer) -> Preparer:
        """Register a function that changes an object between defaulting and validation.

        Only for whole objects (Job, CronJob): it generates selectors, and keeps or clears the status. It may
        change the object and its metadata in place, and replaces other parts, which other objects share.
        """
        self.preparers.append(preparer)
        return preparer

    def update_rule(self, rule: UpdateRule) -> UpdateRule:
        """Register a function that validates an update: (new, old, request), both of this kind.

        Only for whole objects; it runs after the rules for the new object.
        """
        self.update_rules.append(rule)
        return rule

    def warner(self, warner: Warner) -> Warner:
        """Register a function that yields the server's warnings about the spec of a valid object.

        Only for whole objects. An update that leaves the spec as it is gets no such warnings. They are sent
        in the order of their registration.
        """
        self.warners.append((warner, True))
        return warner

    def request_warner(self, warner: Warner) -> Warner:
        """Register a function that yields the server's warnings about a request, whatever it changes.

        Only for whole objects.
        """
        self.warners.append((warner, False))
        return warner

    def exactly_one_of(
        self,
        *members: str,
        none: str | None,
        several: str,
        misnamed: Mapping[str, str] | None = None,
        ignored: Callable[[str, Request], bool] | None = None,
    ) -> None:
        """Declare that exactly one of these fields must be set, as :class:`OneOf` describes."""
        self.one_of = OneOf(
            *members, none=none, several=several, misnamed=misnamed, ignored=ignored
        )


def struct_of(kind: Struct | Pointer) -> Struct:
    """Return the struct that a field holds, by value or by a pointer; imports it if needed."""
    struct = kind.target if isinstance(kind, Pointer) else kind
    assert isinstance(struct, Struct), struct
    return struct
