"""The strict decoder: turns JSON values into objects of declared types, as kube-apiserver does.

Source of the behavior: ``sigs.k8s.io/json`` in strict mode and the ``UnmarshalJSON`` methods of
apimachinery's types, Kubernetes 1.36. Field names are case-sensitive; ``null`` is the same as absence;
a float is never an integer, even if it is whole; a quantity may be a plain number.

A decoded object is a dict in normal form. It omits unset fields, zero values of types without
:class:`~jobsworth.api.declare.Pointer`, and the empty lists and maps that the API omits. A struct that
the Go type holds by value (``spec``, ``resources``) is always present.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jobsworth.api.declare import (
    AnyJSON,
    Boolean,
    Field,
    Int32,
    Int64,
    IntOrString,
    ListOf,
    MapOf,
    Pointer,
    Quantity,
    Scalar,
    String,
    Struct,
    Time,
    struct_of,
)
from jobsworth.api.field_errors import FieldError, type_invalid
from jobsworth.record import Record
from jobsworth.validation.decoded_object import copied

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer


Decode = Callable[[Any, str, "Report"], Any]
Entry = tuple[type | None, bool, Decode]

QUANTITY = "quantity"
"""The rule of an error in a quantity; that of any other wrong type is ``type``."""

_STRINGS = {str}
_INT32 = 2**31
_INT64 = 2**63

_ARTICLES = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}


class UnknownField(Record):
    """A field that the type of its object does not have.

    Attributes:
        path: the path of the object that has it.
        name: its name.
        holder: the type of that object.
        value: its value, as JSON decodes it.
    """

    path: str
    name: str
    holder: Struct
    value: Any

    @property
    def field(self) -> str:
        """The path of the field."""
        return f"{self.path}.{self.name}" if self.path else self.name


class Report:
    """The result of decoding: errors, unknown fields, and the fields that the server drops."""

    __slots__ = ("dropped", "errors", "unknown")

    def __init__(self) -> None:
        self.errors: list[FieldError] = []
        self.unknown: list[UnknownField] = []
        self.dropped: list[tuple[str, str]] = []

    def wrong_type(self, path: str, value: Any, expected: str, rule: str = "type") -> None:
        """Record the error for a value that does not have the type of its field."""
        detail = f"must be {expected}, not {_kind(value)}"
        self.errors.append(type_invalid(path, value, detail, rule))


def _kind(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number"
    return _ARTICLES.get(type(value), "null")


class Decoder:
    """Decoders of declared types, compiled on first use for one server.

    A field that the release does not have yet, or no longer has, is unknown. A field whose feature gate
    is off is decoded, to find its errors, and then dropped, as the server does.
    """

    __slots__ = ("_compiled", "_server")

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self._compiled: dict[tuple[Struct, bool], Decode] = {}

    def of(self, struct: Struct, *, later: bool = False) -> Decode:
        """Return the function that decodes a value of this type: (value, path, report) to a dict.

        Args:
            struct: the type.
            later: ignore the gates of the type's own fields (`template_for_later_object` of Field).
        """
        key = struct, later
        decode = self._compiled.get(key)
        if decode is None:
            decode = self._compiled[key] = self._compile(struct, later)
        return decode

    def _compile(self, struct: Struct, later: bool) -> Decode:
        server = self._server
        defaulted: list[tuple[str, str, Any]] = []
        held: list[tuple[str, Struct, bool]] = []
        for name, field in struct.fields.items():
            if isinstance(field.type, Struct) and server.knows(field.since, field.until):
                held.append((name, field.type, field.template_for_later_object))
            if (
                field.sibling_default
                and server.knows(field.since, field.until)
                and not field.is_kept_by(server, later=later)
            ):
                sibling, default = field.sibling_default
                if struct.fields[sibling].is_kept_by(server):
                    defaulted.append((name, sibling, default))
        return _struct_decoder(struct, _Entries(self, struct, later), held, defaulted, self)

    def entry(self, field: Field, entries: _Entries, *, later: bool) -> Entry | None:
        """Return how a field is decoded; None if the server's release does not have it.

        Args:
            field: the field.
            entries: those of the field's type, in which the decoder of a struct replaces itself.
            later: ignore the gate of the field.
        """
        if not self._server.knows(field.since, field.until):
            return None
        dropped = not field.is_kept_by(self._server, later=later)
        decode = self._field(field, entries)
        if field.drop_emptied and self._server.knows(field.drop_emptied, ""):
            decode = _unless_emptied(decode)
        return (None, False, _dropping(decode, field.gate)) if dropped else (*_plain(field), decode)

    def _field(self, field: Field, entries: _Entries) -> Decode:
        kind = field.type
        if isinstance(kind, ListOf):
            return self._list(kind, field.always or field.keep_empty)
        if isinstance(kind, MapOf):
            return self._map(kind, field.always or field.keep_empty)
        if isinstance(kind, Struct) or (isinstance(kind, Pointer) and kind.to_struct):
            return self._late(kind, field, entries)
        if isinstance(kind, Pointer):
            assert isinstance(kind.target, Scalar)
            return self._scalar(kind.target)
        return _nonzero(self._scalar(kind))

    def _scalar(self, kind: Scalar) -> Decode:
        if kind is Quantity and self._server.exact_quantities:
            return _exact_quantity
        return _SCALARS[kind.name]

    def _list(self, kind: ListOf, keeps_empty: bool) -> Decode:
        if not kind.of_structs:
            assert isinstance(kind.item, Scalar)
            if kind.item is String:
                return _string_list_decoder(keeps_empty)
            scalar, zero = self._scalar(kind.item), _zero(kind.item)
            return _list_decoder(lambda: scalar, lambda path, report: zero, keeps_empty)
        compiled: Decode | None = None

        def part() -> Decode:
            nonlocal compiled
            if compiled is None:
                assert isinstance(kind.item, Struct)
                compiled = self.of(kind.item)
            return compiled

        # A null item of struct type decodes to the struct without any field set.
        return _list_decoder(part, lambda path, report: part()(None, path, report), keeps_empty)

    def _map(self, kind: MapOf, keeps_empty: bool) -> Decode:
        below = kind.value
        if isinstance(below, ListOf):
            decode = self._list(below, True)
            return _map_decoder(decode, [], keeps_empty)
        if below is String:
            return _string_map_decoder(keeps_empty)
        return _map_decoder(self._scalar(below), _zero(below), keeps_empty)

    def _late(self, kind: Struct | Pointer, field: Field, entries: _Entries) -> Decode:
        """Return a decoder that compiles on first use: a Job without affinity never imports its types."""

        def decode_first(value: Any, path: str, report: Report) -> Any:
            decode = self.of(struct_of(kind), later=field.template_for_later_object)
            entry = entries[field.name]
            if entry is not None and entry[2] is decode_first:
                entries[field.name] = (None, False, decode)
            return decode(value, path, report)

        return decode_first


class _Entries(dict[str, "Entry | None"]):
    """The fields of a type, compiled on first use: most manifests have few of them."""

    __slots__ = ("_decoder", "_fields", "_later")

    def __init__(self, decoder: Decoder, struct: Struct, later: bool) -> None:
        super().__init__()
        self._decoder = decoder
        self._fields = struct.fields
        self._later = later

    def __missing__(self, name: str) -> Entry | None:
        field = self._fields.get(name)
        if field is None:
            return None  # not kept: a manifest may have any number of unknown fields
        entry = self[name] = self._decoder.entry(field, self, later=self._later)
        return entry


def _struct_decoder(
    struct: Struct,
    entries: _Entries,
    held: list[tuple[str, Struct, bool]],
    defaulted: list[tuple[str, str, Any]],
    decoder: Decoder,
) -> Decode:
    zeros: dict[str, dict[str, Any]] = {}

    def decode(value: Any, path: str, report: Report) -> dict[str, Any]:
        decoded: dict[str, Any] = {}
        if type(value) is dict:
            prefix = f"{path}." if path else ""
            for name, part in value.items():
                known = entries[name]
                if known is None:
                    report.unknown.append(UnknownField(path, name, struct, part))
                    continue
                plain, keeps_zero, slow = known
                if type(part) is plain:
                    if part or keeps_zero:
                        decoded[name] = part
                elif part is not None:
                    result = slow(part, prefix + name, report)
                    if result is not None:
                        decoded[name] = result
        elif value is not None:
            report.wrong_type(path, value, f"an object ({struct.name})")
        for name, kind, later in held:
            if name not in decoded:
                if name not in zeros:
                    zeros[name] = decoder.of(kind, later=later)(None, path, report)
                zero = zeros[name]
                decoded[name] = copied(zero) if zero else {}
        for name, sibling, default in defaulted:
            if sibling not in decoded and type(value) is dict and value.get(name) is not None:
                decoded[sibling] = default
        return decoded

    return decode


def _plain(field: Field) -> tuple[type | None, bool]:
    """Return (Python type of values that need no conversion or None, True if zero is kept)."""
    kind, keeps_zero = field.type, False
    if isinstance(kind, Pointer) and not kind.to_struct:
        kind, keeps_zero = kind.target, True
    if kind is String:
        return str, keeps_zero
    if kind is Boolean:
        return bool, keeps_zero
    return None, False


def _nonzero(decode: Decode) -> Decode:
    def decode_nonzero(value: Any, path: str, report: Report) -> Any:
        return decode(value, path, report) or None

    return decode_nonzero


def _dropping(decode: Decode, gate: str) -> Decode:
    def decode_and_drop(value: Any, path: str, report: Report) -> None:
        decode(value, path, report)
        report.dropped.append((path, gate))

    return decode_and_drop


def _unless_emptied(decode: Decode) -> Decode:
    def decode_unless_emptied(value: Any, path: str, report: Report) -> Any:
        dropped_before = len(report.dropped)
        decoded = decode(value, path, report)
        return decoded if decoded or len(report.dropped) == dropped_before else None

    return decode_unless_emptied


def _list_decoder(
    part: Callable[[], Decode], zero: Callable[[str, Report], Any], keeps_empty: bool
) -> Decode:
    def decode_list(value: Any, path: str, report: Report) -> list[Any] | None:
        if type(value) is not list:
            report.wrong_type(path, value, "an array")
            return None
        decode = part()
        items = [
            zero(path, report) if item is None else decode(item, f"{path}[{index}]", report)
            for index, item in enumerate(value)
        ]
        return items if items or keeps_empty else None

    return decode_list


def _map_decoder(decode: Decode, zero: Any, keeps_empty: bool) -> Decode:
    def decode_map(value: Any, path: str, report: Report) -> dict[str, Any] | None:
        if type(value) is not dict:
            report.wrong_type(path, value, "an object")
            return None
        decoded = {
            key: zero if part is None else decode(part, f"{path}[{key}]", report)
            for key, part in value.items()
        }
        return decoded if decoded or keeps_empty else None

    return decode_map


def _string_list_decoder(keeps_empty: bool) -> Decode:
    """Return the decoder of a list of strings, which are seldom anything else, so copy the list at once."""
    slow = _list_decoder(lambda: _string, lambda path, report: "", keeps_empty)

    def decode_strings(value: Any, path: str, report: Report) -> Any:
        if type(value) is list and value and set(map(type, value)) == _STRINGS:
            return value.copy()
        return slow(value, path, report)

    return decode_strings


def _string_map_decoder(keeps_empty: bool) -> Decode:
    """Return the decoder of a map to strings, which are seldom anything else, so copy the map at once."""
    slow = _map_decoder(_string, "", keeps_empty)

    def decode_strings(value: Any, path: str, report: Report) -> Any:
        if type(value) is dict and value and set(map(type, value.values())) == _STRINGS:
            return value.copy()
        return slow(value, path, report)

    return decode_strings


def _zero(kind: Scalar) -> Any:
    """Return the zero value of a type: the meaning of ``null`` as a list item or map value."""
    return {"string": "", "boolean": False, "quantity": "0"}.get(kind.name, 0)


def _string(value: Any, path: str, report: Report) -> Any:
    if type(value) is str:
        return value
    report.wrong_type(path, value, "a string")
    return None


def _boolean(value: Any, path: str, report: Report) -> Any:
    if type(value) is bool:
        return value
    report.wrong_type(path, value, "true or false")
    return None


def _int32(value: Any, path: str, report: Report) -> Any:
    if type(value) is int and -_INT32 <= value < _INT32:
        return value
    _not_an_integer(value, path, report, "int32", _INT32)
    return None


def _int64(value: Any, path: str, report: Report) -> Any:
    if type(value) is int and -_INT64 <= value < _INT64:
        return value
    _not_an_integer(value, path, report, "int64", _INT64)
    return None


def _not_an_integer(value: Any, path: str, report: Report, name: str, bound: int) -> None:
    if type(value) is int:
        detail = f"must be an integer ({name}) from {-bound} to {bound - 1}"
        report.errors.append(type_invalid(path, value, detail))
    elif type(value) is float:
        report.errors.append(
            type_invalid(path, value, f"must be an integer ({name}), without fraction or exponent")
        )
    else:
        report.wrong_type(path, value, f"an integer ({name})")


def _exact_quantity(value: Any, path: str, report: Report) -> Any:
    return _quantity(value, path, report, exact=True)


def _quantity(value: Any, path: str, report: Report, *, exact: bool = False) -> Any:
    from kube_cel.formats import quantity as quantities

    if type(value) is not str and type(value) is not int and type(value) is not float:
        report.wrong_type(path, value, 'a quantity such as "500m", "1Gi" or 2', QUANTITY)
        return None
    try:
        return quantities.parse(value, exact=exact).canonical()
    except quantities.BadQuantity as error:
        report.errors.append(type_invalid(path, value, str(error), QUANTITY))
        return None


def _int_or_string(value: Any, path: str, report: Report) -> Any:
    return value if type(value) is str else _int32(value, path, report)


def _time(value: Any, path: str, report: Report) -> Any:
    from jobsworth.api.formats import timestamps

    if type(value) is str:
        try:
            return timestamps.canonical(value)
        except timestamps.BadTime:
            pass
    report.errors.append(
        type_invalid(
            path, value, 'must be a time as RFC 3339 writes it, such as "2026-01-31T09:00:00Z"'
        )
    )
    return None


def _any(value: Any, path: str, report: Report) -> Any:
    return value


_SCALARS: dict[str, Decode] = {
    String.name: _string,
    Boolean.name: _boolean,
    Int32.name: _int32,
    Int64.name: _int64,
    Quantity.name: _quantity,
    IntOrString.name: _int_or_string,
    Time.name: _time,
    AnyJSON.name: _any,
}
