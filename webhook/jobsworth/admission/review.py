"""Read and write AdmissionReviews of ``admission.k8s.io/v1`` as typed values.

Source: ``k8s.io/api/admission/v1``, and "Dynamic Admission Control" on kubernetes.io for the contract with
the API server.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, TypeVar, get_args

from jobsworth.admission.answer_limits import MAX_PATCH_BYTES

API_VERSION = "admission.k8s.io/v1"
KIND = "AdmissionReview"
Operation = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)

T = TypeVar("T")
_KINDS = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}

MAX_UID_LETTERS = 128
"""The longest uid that an answer repeats; those of API servers have 36 characters."""


class PatchTooLarge(ValueError):
    """A patch that has more bytes than an answer may have."""


class BadReview(ValueError):
    """A request without an AdmissionReview that the webhook can answer.

    Attributes:
        status: the HTTP status of the answer, from 400 to 499.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A request of an API server.

    Attributes:
        uid: identifies this request; the response must repeat it.
        operation: one of :data:`OPERATIONS`.
        kind: group, version and kind of the object, such as ``("batch", "v1", "Job")``.
        resource: group, version and resource, such as ``("batch", "v1", "jobs")``.
        subresource: ``status``, ``scale`` …; empty for the object itself.
        name: of the object; empty if the API server has not generated it yet.
        namespace: of the object.
        username, groups: the user who sent the request to the API server.
        object: the object; None on DELETE.
        old_object: the stored object; None on CREATE.
        options: of the operation, such as a CreateOptions.
        dry_run: nothing will be stored.
        size: of the whole AdmissionReview, in bytes.
    """

    uid: str
    operation: Operation
    kind: tuple[str, str, str]
    resource: tuple[str, str, str]
    subresource: str
    name: str
    namespace: str
    username: str
    groups: tuple[str, ...]
    object: dict[str, Any] | None
    old_object: dict[str, Any] | None
    options: Mapping[str, Any]
    dry_run: bool
    size: int


@dataclass(frozen=True, slots=True)
class AdmissionResponse:
    """The response to a request.

    Attributes:
        allowed: False to deny the request.
        status: the reason of a denial: a ``Status`` of ``meta/v1`` as a plain object.
        patch: RFC 6902 operations; empty to leave the object unchanged.
        warnings: texts that the API server returns to the client.
        audit_annotations: texts by key; the API server prefixes each key with the name of the webhook.
    """

    allowed: bool
    status: Mapping[str, Any] | None = None
    patch: Sequence[Mapping[str, Any]] = ()
    warnings: Sequence[str] = ()
    audit_annotations: Mapping[str, str] = field(default_factory=dict)


def read_review(body: bytes) -> AdmissionRequest:
    """Return the request in an AdmissionReview.

    Raises:
        BadReview: the body is not a valid AdmissionReview; the message states the problem and the fix.
    """
    review = _parsed(body)
    if not isinstance(review, dict):
        raise BadReview(f"the body must be a JSON object, an {KIND}, not {_kind(review)}")
    version, kind = review.get("apiVersion"), review.get("kind")
    if version != API_VERSION or kind != KIND:
        raise BadReview(
            f"expected an {KIND} of {API_VERSION}, got kind {_in_json(kind)}, "
            f"apiVersion {_in_json(version)}: list v1 in admissionReviewVersions of the webhook"
        )
    request = _member(review, "request", dict, "")
    if request is None:
        raise BadReview(f"the {KIND} has no request")
    return _request(request, len(body))


def write_review(uid: str, response: AdmissionResponse) -> bytes:
    """Return the AdmissionReview that answers a request, as JSON.

    Raises:
        PatchTooLarge: the patch has more than :data:`MAX_PATCH_BYTES` bytes.
    """
    answer: dict[str, Any] = {"uid": uid, "allowed": response.allowed}
    if response.status is not None:
        answer["status"] = response.status
    if response.patch:
        patch = _encode(response.patch).encode()
        if len(patch) > MAX_PATCH_BYTES:
            raise PatchTooLarge(
                f"the patch with its defaults has more than {MAX_PATCH_BYTES:,} bytes"
            )
        answer["patchType"] = "JSONPatch"
        answer["patch"] = base64.b64encode(patch).decode()
    if response.warnings:
        answer["warnings"] = list(response.warnings)
    if response.audit_annotations:
        answer["auditAnnotations"] = dict(response.audit_annotations)
    review = {"apiVersion": API_VERSION, "kind": KIND, "response": answer}
    return _encode(review).encode()


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:20]} is too large for a 64-bit float")
    return value


_encode = json.JSONEncoder(separators=(",", ":")).encode
# If a key occurs twice, the last value counts, as in Go. No other program reads these bytes, so no
# reader can disagree.
_decode = json.JSONDecoder(parse_constant=_reject_constant, parse_float=_finite).decode


def _parsed(body: bytes) -> object:
    try:
        return _decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadReview(f"the body is not UTF-8: byte {error.start} is wrong") from None
    except RecursionError:
        raise BadReview("the body is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadReview(
            f"the body is not JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except ValueError as error:
        raise BadReview(f"the body is not JSON: {error}") from None


def _request(plain: Mapping[str, Any], size: int) -> AdmissionRequest:
    uid = _text(plain, "uid")
    if not uid:
        raise BadReview("request.uid: is missing or empty; the answer must repeat it")
    if len(uid) > MAX_UID_LETTERS:
        raise BadReview(f"request.uid: must have at most {MAX_UID_LETTERS} characters")
    operation = _text(plain, "operation")
    if operation not in OPERATIONS:
        raise BadReview(
            f"request.operation: {_in_json(operation)} is none of {', '.join(OPERATIONS)}"
        )
    user = _member(plain, "userInfo", dict) or {}
    return AdmissionRequest(
        uid=uid,
        operation=operation,
        kind=_group_version(plain, "kind", "kind"),
        resource=_group_version(plain, "resource", "resource"),
        subresource=_text(plain, "subResource"),
        name=_text(plain, "name"),
        namespace=_text(plain, "namespace"),
        username=_text(user, "username", "request.userInfo."),
        groups=_texts(user, "groups", "request.userInfo."),
        object=_member(plain, "object", dict),
        old_object=_member(plain, "oldObject", dict),
        options=_member(plain, "options", dict) or {},
        dry_run=_member(plain, "dryRun", bool) or False,
        size=size,
    )


def _member(holder: Mapping[str, Any], key: str, kind: type[T], path: str = "request.") -> T | None:
    """Return an optional member of an object; None if it is missing or null."""
    value = holder.get(key)
    if value is None or isinstance(value, kind):
        return value
    raise BadReview(f"{path}{key}: must be {_KINDS[kind]}, not {_kind(value)}")


def _text(holder: Mapping[str, Any], key: str, path: str = "request.") -> str:
    return _member(holder, key, str, path) or ""


def _texts(holder: Mapping[str, Any], key: str, path: str) -> tuple[str, ...]:
    value = _member(holder, key, list, path) or []
    if not all(isinstance(item, str) for item in value):
        raise BadReview(f"{path}{key}: must be a list of strings")
    return tuple(value)


def _group_version(holder: Mapping[str, Any], key: str, last: str) -> tuple[str, str, str]:
    if not isinstance(holder.get(key), dict):
        raise BadReview(f"request.{key}: must be an object with group, version and {last}")
    value, path = holder[key], f"request.{key}."
    return _text(value, "group", path), _text(value, "version", path), _text(value, last, path)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number")


def _in_json(value: object) -> str:
    return json.dumps(value)[:60] if value is not None else "none"


KINDS = {"jobs": "Job", "cronjobs": "CronJob"}
"""The kinds that the webhook reviews, by resource of ``batch/v1``."""

_KEPT_BY_CONTROLLERS = frozenset({"finalizers", "managedFields", "resourceVersion", "generation"})
"""Metadata that controllers and the API server change; a change of it is not an edit by a user."""


def is_in_scope(request: AdmissionRequest) -> bool:
    """Return True for a CREATE or UPDATE of a Job or CronJob of ``batch/v1``.

    DELETE, CONNECT, subresources such as ``status``, and other kinds are out of scope.
    """
    group, version, resource = request.resource
    return (
        request.operation in ("CREATE", "UPDATE")
        and resource in KINDS
        and group == "batch"
        and version == "v1"
        and not request.subresource
    )


def spec_changed(request: AdmissionRequest) -> bool:
    """Return True unless an update leaves the spec unchanged, as updates by controllers do."""
    old = request.old_object
    return old is None or bool(_part(request, "spec") != old.get("spec"))


def metadata_changed(request: AdmissionRequest) -> bool:
    """Return True if labels, annotations or other metadata that users write is new or changed."""
    if request.old_object is None:
        return True
    new, old = _part(request, "metadata"), request.old_object.get("metadata")
    return bool(new != old and _written_by_users(new) != _written_by_users(old))


def _part(request: AdmissionRequest, name: str) -> Any:
    return None if request.object is None else request.object.get(name)


def _written_by_users(metadata: Any) -> Any:
    if not isinstance(metadata, dict):
        return metadata
    return {key: value for key, value in metadata.items() if key not in _KEPT_BY_CONTROLLERS}
