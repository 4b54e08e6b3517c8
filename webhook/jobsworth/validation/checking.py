"""The checker: validates a decoded and defaulted object against its declaration and rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jobsworth.api.declare import (
    Bounds,
    DeclaredRule,
    Field,
    Format,
    ListOf,
    OneOf,
    Pointer,
    String,
    Struct,
    struct_of,
)
from jobsworth.api.field_errors import (
    FieldError,
    forbidden,
    invalid,
    named_string,
    not_supported,
    required,
    too_many,
)
from jobsworth.api.validation_request import Request, TooManyErrors

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer


Errors = list[FieldError]
Check = Callable[[Any, str, Request, Errors], None]


class Checking:
    """Checkers of declared types, compiled on first use for one server."""

    __slots__ = ("_compiled", "_server")

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self._compiled: dict[tuple[Struct, bool], Check] = {}

    def of(self, struct: Struct, *, later: bool = False) -> Check:
        """Return the function that validates an object of this type: (value, path, request, errors).

        Args:
            struct: the type.
            later: ignore the gates of the type's own fields (`template_for_later_object` of Field).
        """
        key = struct, later
        check = self._compiled.get(key)
        if check is None:
            check = self._compiled[key] = self._compile(struct, later)
        return check

    def _compile(self, struct: Struct, later: bool) -> Check:
        absent = [
            (field.name, "" if field.type is String else 0, _reported_as(field, _all(parts)))
            for field in struct.fields.values()
            if (parts := _absence_checks(field)) and field.is_kept_by(self._server, later=later)
        ]
        conditions = {
            field.name: field.validate_when
            for field in struct.fields.values()
            if field.validate_when is not None
        }
        checks = _Checks(self, struct, later)
        if not (
            absent or struct.rules or struct.one_of or any(map(checks.__getitem__, struct.fields))
        ):
            return _nothing
        check = _struct_check(checks, absent, struct.rules, conditions)
        return check if struct.one_of is None else _union_check(struct, struct.one_of, check)

    def field(self, field: Field, checks: _Checks, *, later: bool) -> Check | None:
        """Return the check of a field's value; None if it has none, or the server drops it.

        Args:
            field: the field.
            checks: those of the field's type, in which the check of a struct replaces itself.
            later: ignore the gate of the field.
        """
        parts = [*_own_checks(field), *self._below(field, checks)]
        if not parts or not field.is_kept_by(self._server, later=later):
            return None
        return _reported_as(field, _all(parts))

    def _below(self, field: Field, checks: _Checks) -> list[Check]:
        kind = field.type
        if isinstance(kind, ListOf):
            return [self._items(kind, numbered=field.reported_as != "")] if kind.of_structs else []
        if isinstance(kind, Struct) or (isinstance(kind, Pointer) and kind.to_struct):
            return [self._late(kind, field, checks)]
        return []

    def _late(self, kind: Struct | Pointer, field: Field, checks: _Checks) -> Check:
        """Return a check that compiles the real check on first use, then replaces itself with it."""

        def check_first(value: Any, path: str, request: Request, errors: Errors) -> None:
            check = self.of(struct_of(kind), later=field.template_for_later_object)
            if checks[field.name] is check_first:
                checks[field.name] = None if check is _nothing else check
            check(value, path, request, errors)

        return check_first

    def _items(self, kind: ListOf, *, numbered: bool) -> Check:
        compiled: Check | None = None

        def check(value: list[Any], path: str, request: Request, errors: Errors) -> None:
            nonlocal compiled
            if compiled is None:
                assert isinstance(kind.item, Struct)
                compiled = self.of(kind.item)
            check_item = compiled
            if check_item is not _nothing:
                most = request.most_errors
                for index, item in enumerate(value):
                    check_item(item, f"{path}[{index}]" if numbered else path, request, errors)
                    if len(errors) > most:
                        raise TooManyErrors

        return check


def _nothing(value: Any, path: str, request: Request, errors: Errors) -> None:
    """Accept every value: the check of a type without constraints."""


class _Checks(dict[str, "Check | None"]):
    """The checks of the fields of a type, compiled on first use; None for a field without any."""

    __slots__ = ("_checking", "_fields", "_later")

    def __init__(self, checking: Checking, struct: Struct, later: bool) -> None:
        super().__init__()
        self._checking = checking
        self._fields = struct.fields
        self._later = later

    def __missing__(self, name: str) -> Check | None:
        check = self[name] = self._checking.field(self._fields[name], self, later=self._later)
        return check


def _struct_check(
    checks: _Checks,
    absent: list[tuple[str, Any, Check]],
    rules: list[DeclaredRule],
    conditions: dict[str, Callable[[dict[str, Any], Request], bool]],
) -> Check:
    ordered = [(rule.field, rule.check, rule.key) for rule in rules]

    def check(value: dict[str, Any], path: str, request: Request, errors: Errors) -> None:
        prefix = f"{path}." if path else ""
        for name, part in value.items():
            check_field = checks[name]
            if check_field is None or (
                conditions and name in conditions and not conditions[name](value, request)
            ):
                continue
            check_field(part, prefix + name, request, errors)
        for name, zero, check_absence in absent:
            if name not in value:
                check_absence(zero, prefix + name, request, errors)
        for field, rule, key in ordered:
            if field is None or field in value:
                before = len(errors)
                errors += rule(value, path, request)
                if len(errors) > before:
                    errors[before:] = [error.of_rule(key) for error in errors[before:]]

    return check


def _union_check(struct: Struct, one_of: OneOf, check: Check) -> Check:
    rule = f"{struct.name}.one_of"
    members = frozenset(one_of.members)

    def check_union(value: dict[str, Any], path: str, request: Request, errors: Errors) -> None:
        present = [name for name in value if name in members]
        if one_of.ignored is not None:
            overlooked = {name for name in present if one_of.ignored(name, request)}
            if overlooked:
                present = [name for name in present if name not in overlooked]
                value = {name: part for name, part in value.items() if name not in overlooked}
        if not present and one_of.none is not None:
            errors.append(required(path, one_of.none, rule))
        elif len(present) > 1:
            # The API server validates only the first member, and does not look into the surplus ones.
            surplus = [name for name in one_of.members if name in value][1:]
            errors.extend(
                forbidden(f"{path}.{one_of.misnamed.get(name, name)}", one_of.several, rule)
                for name in surplus
            )
            value = {name: part for name, part in value.items() if name not in surplus}
        check(value, path, request, errors)

    return check_union


def _absence_checks(field: Field) -> list[Check]:
    """Return the checks of a missing field; they are called with the zero value."""
    checks = [] if field.required is False else [_required_check(field)]
    return [*checks, *_value_checks(field)] if field.validate_empty else checks


def _own_checks(field: Field) -> list[Check]:
    checks = _value_checks(field)
    if isinstance(field.type, ListOf):
        checks = [_each(check) for check in checks]
    if field.max_items is not None:
        checks.append(_size_check(field.name, field.max_items))
    if field.required is not False and field.always and isinstance(field.type, ListOf):
        checks.append(_emptiness_check(field))
    return checks


def _value_checks(field: Field) -> list[Check]:
    """Return the checks of a value, or of each item if the field is a list."""
    checks = []
    if field.enum:
        checks.append(_enum_check(field.name, field.enum))
    if field.bounds is not None:
        checks.append(_bounds_check(field.name, field.bounds))
    if field.format is not None:
        checks.append(_format_check(field.name, field.format, as_json=field.as_json))
    return checks


def _reported_as(field: Field, check: Check) -> Check:
    name = field.reported_as
    if name is None:
        return check

    def check_reported(value: Any, path: str, request: Request, errors: Errors) -> None:
        holder = path[: -len(field.name)]
        check(value, holder + name if name else holder.removesuffix("."), request, errors)

    return check_reported


def _all(parts: list[Check]) -> Check:
    if len(parts) == 1:
        return parts[0]

    def check(value: Any, path: str, request: Request, errors: Errors) -> None:
        for part in parts:
            part(value, path, request, errors)

    return check


def _each(check_item: Check) -> Check:
    def check(value: list[Any], path: str, request: Request, errors: Errors) -> None:
        for index, item in enumerate(value):
            check_item(item, f"{path}[{index}]", request, errors)
            if len(errors) > request.most_errors:
                raise TooManyErrors

    return check


def _requirement(field: Field) -> tuple[str, str]:
    """Return the key and the detail of the error for a required field."""
    detail = field.required
    return f"{field.name}.required", detail if isinstance(detail, str) else ""


def _required_check(field: Field) -> Check:
    rule, detail = _requirement(field)

    def check(value: Any, path: str, request: Request, errors: Errors) -> None:
        errors.append(required(path, detail, rule))

    return check


def _enum_check(field: str, names: tuple[str, ...]) -> Check:
    rule = f"{field}.enum"
    admitted = frozenset(names)

    def check(value: str, path: str, request: Request, errors: Errors) -> None:
        if value not in admitted:
            errors.append(not_supported(path, value, names, rule))

    return check


def _bounds_check(field: str, bounds: Bounds) -> Check:
    rule = f"{field}.bounds"
    minimum, maximum, detail = bounds.minimum, bounds.maximum, bounds.detail

    def check(value: int, path: str, request: Request, errors: Errors) -> None:
        if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
            errors.append(invalid(path, value, detail, rule))

    return check


def _format_check(field: str, format_: Format, *, as_json: bool) -> Check:
    rule = f"{field}.format"

    def check(value: str, path: str, request: Request, errors: Errors) -> None:
        for detail in format_(value):
            shown = named_string(value) if as_json else value
            errors.append(invalid(path, shown, detail, rule))

    return check


def _size_check(field: str, limit: int) -> Check:
    rule = f"{field}.max_items"

    def check(
        value: list[Any] | dict[str, Any], path: str, request: Request, errors: Errors
    ) -> None:
        if len(value) > limit:
            errors.append(too_many(path, len(value), limit, rule))

    return check


def _emptiness_check(field: Field) -> Check:
    rule, detail = _requirement(field)

    def check(value: list[Any], path: str, request: Request, errors: Errors) -> None:
        if not value:
            errors.append(required(path, detail, rule))

    return check
