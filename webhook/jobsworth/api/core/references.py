"""References to other objects, and to fields and resources of the Pod itself (``core/v1``)."""

from __future__ import annotations

from jobsworth.api.core.paths import of_written_file
from jobsworth.api.declare import (
    Between,
    Bounds,
    Field,
    Int32,
    Int64,
    Pointer,
    Quantity,
    String,
    Struct,
)

FILE_MODES = Bounds(0, 0o777, "must be a number between 0 and 0777 (octal), both inclusive")
"""The permission bits of a file in a volume."""
DEFAULT_MODE = 0o644
"""The permission bits of a file of a volume that does not set them."""
USERS = Between(0, 2**31 - 1)

LocalObjectReference = Struct(
    "LocalObjectReference",
    "An object in the namespace of the Pod, by name.",
    name=Field(String),
)

ObjectFieldSelector = Struct(
    "ObjectFieldSelector",
    "A field of the Pod itself.",
    apiVersion=Field(String, default="v1"),
    fieldPath=Field(String, always=True, required=True),
)

ResourceFieldSelector = Struct(
    "ResourceFieldSelector",
    "A resource request or limit of a container.",
    containerName=Field(String),
    resource=Field(String, always=True),
    divisor=Field(Quantity, default="0"),  # Go always encodes it
)

TypedLocalObjectReference = Struct(
    "TypedLocalObjectReference",
    "An object of some kind, in the same namespace.",
    apiGroup=Field(Pointer(String), always=True),
    kind=Field(String, always=True, required=True),
    name=Field(String, always=True, required=True),
)

TypedObjectReference = Struct(
    "TypedObjectReference",
    "An object of some kind, in the same namespace or another.",
    apiGroup=Field(Pointer(String), always=True),
    kind=Field(String, always=True, required=True),
    name=Field(String, always=True, required=True),
    # The gate CrossNamespaceVolumeDataSource affects claims, not claim templates in a Pod.
    namespace=Field(Pointer(String), since="1.26"),
)

ObjectReference = Struct(
    "ObjectReference",
    "A reference to an object, or to a part of it.",
    kind=Field(String),
    namespace=Field(String),
    name=Field(String),
    uid=Field(String),
    apiVersion=Field(String),
    resourceVersion=Field(String),
    fieldPath=Field(String),
)

KeyToPath = Struct(
    "KeyToPath",
    "One key of a ConfigMap or Secret, and the file that it becomes.",
    key=Field(String, always=True, required=True),
    path=Field(String, always=True, required=True, format=of_written_file),
    mode=Field(Pointer(Int32), bounds=FILE_MODES),
    user=Field(Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"),
)
