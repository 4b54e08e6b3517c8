"""Security profiles that are pulled from an OCI registry (``core/v1``).

Alpha behind the gate SecurityProfileOCI. Source: ``validation.go`` in ``pkg/apis/core/v1`` and the tags of
``SecurityProfileOCI`` in ``k8s.io/api``, Kubernetes 1.38.0-beta.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.images import canonical_name, malformation
from jobsworth.api.core.security import descending_path
from jobsworth.api.declare import Field, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, invalid, required, too_long
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import DIGITS, only

BASE_TYPES = ("Localhost", "RuntimeDefault")
REFERENCE_MAX_LENGTH = 1024
PATH_MAX_LENGTH = 4096
IMAGE_ID_LENGTH = 64
NAME_MAX_LENGTH = 255
_PINNED = "<registry>/<repository>@<algorithm>:<digest>"

SecurityProfileOCIBase = Struct(
    "SecurityProfileOCIBase",
    "The profile that the runtime merges with the one from the registry.",
    type=Field(String, always=True, required=True, enum=BASE_TYPES, since="1.38"),
    localhostProfile=Field(Pointer(String), since="1.38"),
)

SecurityProfileOCI = Struct(
    "SecurityProfileOCI",
    "A profile in a registry, pinned by its digest.",
    ref=Field(String, always=True, required=True, since="1.38"),
    baseProfile=Field(Pointer(SecurityProfileOCIBase), since="1.38"),
)


@SecurityProfileOCI.rule
def _reference(oci: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    reference, at = oci.get("ref", ""), f"{path}.ref"
    if len(reference) > REFERENCE_MAX_LENGTH:
        yield too_long(at, REFERENCE_MAX_LENGTH, "character")
        return
    if not reference:
        return
    name, _, digest = reference.partition("@")
    wrong = "invalid reference format" if malformation(reference) else ""
    remote = canonical_name(reference).partition("/")[2].partition(":")[0]
    if remote != remote.lower():
        wrong = f"invalid reference format: repository name ({remote}) must be lowercase"
    elif len(remote.partition("@")[0]) > NAME_MAX_LENGTH:
        wrong = f"repository name must not be more than {NAME_MAX_LENGTH} characters"
    if len(reference) == IMAGE_ID_LENGTH and only(reference, DIGITS + "abcdef"):
        wrong = f"invalid repository name ({reference}), cannot specify 64-byte hexadecimal strings"
    if not wrong and canonical_name(reference) != reference:
        wrong = "repository name must be canonical"
    if wrong:
        detail = f"must be a digest-pinned reference in canonical form ({_PINNED}): {wrong}"
        yield invalid(at, reference, detail)
    elif ":" in name.rpartition("/")[2]:
        yield invalid(at, reference, "must not contain a tag")
    elif not digest:
        yield invalid(at, reference, f"must be pinned by digest ({_PINNED})")


@SecurityProfileOCIBase.rule
def _file_of_the_node(base: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    name, at = base.get("localhostProfile"), f"{path}.localhostProfile"
    local = base.get("type") == "Localhost"
    if name is None:
        if local:
            yield invalid(at, "", 'must be specified when `type` is "Localhost"')
        return
    if not local:
        yield invalid(at, "", 'may only be specified when `type` is "Localhost"')
    if len(name) > PATH_MAX_LENGTH:
        yield too_long(at, PATH_MAX_LENGTH, "character")
    elif not name:
        yield required(at, "must not be empty")
    else:
        for detail in descending_path(name):
            yield invalid(at, name, detail)
