"""The errors of kube-openapi about single values: type, format, bounds, enumeration, in its words.

Source: ``pkg/validation/validate`` in ``k8s.io/kube-openapi``, and ``kubeOpenAPIResultToFieldErrors`` in
``k8s.io/apiextensions-apiserver``, Kubernetes 1.36.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jobsworth.api.declare import (
    AnyJSON,
    Boolean,
    Int32,
    Int64,
    IntOrString,
    Quantity,
    Scalar,
    String,
    Time,
)
from jobsworth.api.field_errors import FieldError, invalid, quoted, type_invalid
from jobsworth.api.formats import timestamps

QUANTITY = re.compile(
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
    r"([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""The pattern of quantities in a CRD."""

INT64 = 2**63
EXACT = 2**53
"""Floats up to here count as integers if they have no fraction."""

_TYPES = {
    String.name: "string",
    Boolean.name: "boolean",
    Int32.name: "integer",
    Int64.name: "integer",
    Time.name: "string",
    AnyJSON.name: "object",
}
_FORMATS = {Int32.name: ("int32", 2**31), Int64.name: ("int64", INT64)}
_CONTAINERS: dict[type, str] = {str: "string", list: "array", dict: "object"}


def scalar_errors(value: Any, kind: Scalar, path: str) -> Iterator[FieldError]:
    """Yield the errors for a value that is not of its type."""
    actual, actual_format = _type_of(value)
    if kind is IntOrString or kind is Quantity:
        if actual not in ("integer", "string"):
            yield from _neither_integer_nor_string(actual, path)
        elif kind is Quantity and actual == "string" and not QUANTITY.fullmatch(value):
            yield invalid(path, value, f"{path} in body should match '{QUANTITY.pattern}'")
        return
    wanted = _TYPES[kind.name]
    format_name, bound = _FORMATS.get(kind.name, ("", 0))
    if wanted == "integer" and actual == "number" and abs(value) < EXACT and value == int(value):
        actual = wanted
    if kind is Time and actual == "string" and not _is_time(value):
        detail = f"{path} in body must be of type date-time: {quoted(value)}"
        yield type_invalid(path, value, detail)
    if actual != wanted:
        if format_name and actual not in ("string", "array", "null"):
            yield _wrong_type(path, format_name, actual_format)
        else:
            yield _wrong_type(path, wanted, actual)
    if bound and (actual == "number" or (actual == wanted and not -bound <= value < bound)):
        yield _out_of_range(path, f"with format {format_name}")


def not_an_object(value: Any, path: str) -> FieldError:
    """Return the error for a value that is not an object."""
    return _wrong_type(path, "object", _type_of(value)[0])


def not_an_array(value: Any, path: str) -> FieldError:
    """Return the error for a value that is not a list."""
    return _wrong_type(path, "array", _type_of(value)[0])


def _is_time(text: str) -> bool:
    try:
        timestamps.canonical(text)
    except timestamps.BadTime:
        return False
    return True


def _neither_integer_nor_string(actual: str, path: str) -> Iterator[FieldError]:
    yield _wrong_type(path, "integer,string", actual)
    yield invalid("", "", f'"{path}" must validate at least one schema (anyOf)', entry=path)
    yield _wrong_type(path, "integer", actual)
    if actual == "number":
        yield _out_of_range(path, "(default format)")


def _wrong_type(path: str, wanted: str, actual: str) -> FieldError:
    return type_invalid(path, actual, f'{path} in body must be of type {wanted}: "{actual}"')


def _out_of_range(path: str, format_name: str) -> FieldError:
    """Return the error for a number that its type cannot hold, which has no field."""
    detail = f"Checked value must be of type integer {format_name} in {path}"
    return invalid("", "", detail, entry=path)


def _type_of(value: Any) -> tuple[str, str]:
    """Return the JSON type of a value and its format, as kube-openapi names them."""
    if value is None:
        return "null", ""
    if isinstance(value, bool):
        return "boolean", ""
    if isinstance(value, int) and -INT64 <= value < INT64:
        return "integer", "int64"
    if isinstance(value, int | float):
        return "number", "float64"
    return _CONTAINERS[type(value)], ""
