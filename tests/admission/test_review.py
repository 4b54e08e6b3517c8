"""Readable and unreadable AdmissionReviews: each error states what would be right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.admission.review import (
    AdmissionResponse,
    BadReview,
    read_review,
    write_review,
)
from support.admission.admission_reviews import body_of, operations_of, response_of, review

JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "ml"}}


def test_a_request_is_read_as_it_was_sent() -> None:
    request = read_review(body_of(JOB, dryRun=True, subResource="status"))
    assert request.uid == "705ab4f5-6393-11e8-b7cc-42010a800002"
    assert request.operation == "CREATE"
    assert request.kind == ("batch", "v1", "Job")
    assert request.resource == ("batch", "v1", "jobs")
    assert request.subresource == "status"
    assert (request.namespace, request.name) == ("ml", "train")
    assert (request.username, request.groups) == ("developer", ("system:authenticated",))
    assert request.object == JOB
    assert request.old_object is None
    assert request.dry_run


def test_optional_parts_may_be_null() -> None:
    request = read_review(body_of(JOB, userInfo=None, options=None, dryRun=None, namespace=None))
    assert (request.username, request.groups, request.namespace) == ("", (), "")
    assert not request.dry_run


def without(*keys: str) -> bytes:
    value = review(JOB)
    for key in keys:
        del value["request"][key]
    return json.dumps(value).encode()


def changed(**fields: Any) -> bytes:
    return json.dumps({**review(JOB), **fields}).encode()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not JSON: line 1, column 1"),
        (b"{", "not JSON: line 1, column 2"),
        (b"[]", "must be a JSON object, an AdmissionReview, not a list"),
        (b"null", "not null"),
        (b"12", "not a number"),
        (b"\xff", "not UTF-8: byte 0"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b'{"a": 1e999}', "too large for a 64-bit float"),
        (b'{"a": ' + b"1" * 5000 + b"}", "not JSON: Exceeds the limit"),
        (b'{"a": "\x01"}', "Invalid control character"),
        (b"{}", "expected an AdmissionReview of admission.k8s.io/v1, got kind none"),
        (changed(apiVersion="admission.k8s.io/v1beta1"), "list v1 in admissionReviewVersions"),
        (changed(kind="ConversionReview"), 'got kind "ConversionReview"'),
        (changed(kind=["AdmissionReview"]), 'got kind ["AdmissionReview"]'),
        (json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}).encode(), "no request"),
        (changed(request=None), "no request"),
        (changed(request=[]), "request: must be an object, not a list"),
        (without("uid"), "request.uid: is missing or empty"),
        (body_of(JOB, uid=7), "request.uid: must be a string, not a number"),
        (body_of(JOB, operation="PATCH"), 'request.operation: "PATCH" is none of CREATE'),
        (without("operation"), "request.operation: "),
        (without("kind"), "request.kind: must be an object with group, version and kind"),
        (without("resource"), "request.resource: must be an object"),
        (body_of(JOB, resource={"group": 1}), "request.resource.group: must be a string"),
        (body_of(JOB, userInfo="me"), "request.userInfo: must be an object, not a string"),
        (body_of(JOB, userInfo={"groups": "all"}), "request.userInfo.groups: must be a list, not a string"),
        (body_of(JOB, userInfo={"groups": [1]}), "request.userInfo.groups: must be a list of strings"),
        (body_of(JOB, dryRun="yes"), "request.dryRun: must be a boolean, not a string"),
        (body_of(JOB, object="job"), "request.object: must be an object, not a string"),
        (body_of(JOB, oldObject=[]), "request.oldObject: must be an object, not a list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_an_unreadable_review_is_rejected_with_the_reason(body: bytes, message: str) -> None:
    with pytest.raises(BadReview) as bad:
        read_review(body)
    assert message in str(bad.value)
    assert bad.value.status == 400


def test_of_a_key_that_is_there_twice_the_last_one_counts() -> None:
    body = body_of(JOB).replace(b'"dryRun": false', b'"dryRun": false, "dryRun": true')
    assert read_review(body).dry_run


def test_an_answer_has_what_it_says_and_nothing_else() -> None:
    assert response_of(write_review("1", AdmissionResponse(allowed=True))) == {
        "uid": "1",
        "allowed": True,
    }


def test_a_patch_travels_in_base64() -> None:
    operations = [{"op": "add", "path": "/metadata/labels", "value": {"ä": "\ud800"}}]
    response = response_of(write_review("1", AdmissionResponse(allowed=True, patch=operations)))
    assert operations_of(response) == operations
