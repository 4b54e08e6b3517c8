"""Declare protobuf messages with only the fields that are read; parsing skips any other field.

Kubernetes writes proto2 without unknown enumerations or groups. A map is declared as the repeated message
that it is in the encoding, which keeps the order of its entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.descriptor_pb2 import FieldDescriptorProto

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "bool": _FIELD.TYPE_BOOL,
    "bytes": _FIELD.TYPE_BYTES,
    "int32": _FIELD.TYPE_INT32,
    "int64": _FIELD.TYPE_INT64,
    "string": _FIELD.TYPE_STRING,
}
REPEATED = "repeated "


def message_types(package: str, messages: Mapping[str, Mapping[str, tuple[int, str]]]) -> Any:
    """Return the class of each declared message, by name.

    Args:
        package: the name of the protobuf package, unique in the process.
        messages: for each message, the number and the type of each field: a scalar or the name of a message,
            after ``repeated`` for a list.
    """
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax="proto2"
    )
    for name, fields in messages.items():
        declared = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            _declare(declared.field.add(name=field, number=number), package, kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
        for name in messages
    }


def _declare(field: FieldDescriptorProto, package: str, kind: str) -> None:
    repeated = kind.startswith(REPEATED)
    kind = kind.removeprefix(REPEATED)
    field.label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type = _FIELD.TYPE_MESSAGE
        field.type_name = f".{package}.{kind}"


def text(value: str | bytes) -> str:
    """Return a string field as text, as the API server writes it in JSON.

    The API does not check that strings are UTF-8; the protobuf package returns the bytes of one that is not.
    """
    return value if isinstance(value, str) else value.decode("utf-8", "replace")
