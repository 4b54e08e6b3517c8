"""Older releases are quoted in their own words."""

from __future__ import annotations

from typing import Any

import pytest

import jobsworth
from jobsworth.api.field_errors import (
    BY_CHARACTERS,
    FieldError,
    named_string,
    resource_name_value,
    too_long,
)
from jobsworth.api.field_errors import invalid as field_invalid
from jobsworth.validation.verdict_findings import message_in
from support.validation.engine_errors import errors_of, invalid, job_with, pod_errors, server

OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "", "uid": "u"}

CASES: list[tuple[str, dict[str, Any], tuple[str, str], tuple[str, str]]] = [
    (
        "resource names lost their quotes",
        {"containers": [{"name": "a", "image": "b", "resources": {"limits": {"storage": "1"}}}]},
        ("1.34", 'Invalid value: "storage": must be a standard resource for containers'),
        ("1.33", "Invalid value: storage: must be a standard resource for containers"),
    ),
    (
        "so did the resources that can be resized",
        {
            "containers": [
                {
                    "name": "a",
                    "image": "b",
                    "resizePolicy": [{"resourceName": "disk", "restartPolicy": "NotRequired"}],
                }
            ]
        },
        ("1.34", 'Unsupported value: "disk": supported values: "cpu", "memory"'),
        ("1.33", 'Unsupported value: disk: supported values: "cpu", "memory"'),
    ),
    (
        "enumerations were quoted as Go does, not as JSON",
        {"dnsPolicy": "a<b>"},
        ("1.34", 'Unsupported value: "a\\u003cb\\u003e": supported values: '),
        ("1.33", 'Unsupported value: "a<b>": supported values: '),
    ),
    (
        "an operating system without a name was said to be empty",
        {"os": {"name": ""}},
        ("1.34", "Required value"),
        ("1.33", "Required value: cannot be empty"),
    ),
    (
        "and had them until 1.28",
        {"containers": [{"name": "a", "image": "b", "resources": {"limits": {"storage": "1"}}}]},
        ("1.29", "Invalid value: storage: must be a standard resource for containers"),
        ("1.28", 'Invalid value: "storage": must be a standard resource for containers'),
    ),
    (
        "a profile that is too long was counted in characters, without a unit",
        {
            "securityContext": {
                "appArmorProfile": {"type": "Localhost", "localhostProfile": "a" * 4096}
            }
        },
        ("1.32", "Too long: may not be more than 4095 bytes"),
        ("1.31", "Too long: may not be longer than 4095"),
    ),
    (
        "the message about another long string had other words",
        {"volumes": [{"name": "a", "csi": {"driver": "a" * 64}}]},
        ("1.32", "Too long: may not be more than 63 bytes"),
        ("1.31", "Too long: must have at most 63 bytes"),
    ),
    (
        "init containers could not be sidecars",
        {
            "initContainers": [
                {"name": "b", "image": "b", "startupProbe": {"exec": {"command": ["a"]}}}
            ]
        },
        ("1.28", "Forbidden: may not be set for init containers without restartPolicy=Always"),
        ("1.27", "Forbidden: may not be set for init containers"),
    ),
    (
        "a limit below the request was not named",
        {
            "containers": [
                {
                    "name": "a",
                    "image": "b",
                    "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}},
                }
            ]
        },
        ("1.27", 'Invalid value: "2": must be less than or equal to cpu limit of 1'),
        ("1.26", 'Invalid value: "2": must be less than or equal to cpu limit'),
    ),
    (
        "dots in a name had no words of their own",
        {"volumes": [{"name": "a.b", "emptyDir": {}}]},
        ("1.27", 'Invalid value: "a.b": must not contain dots'),
        (
            "1.26",
            'Invalid value: "a.b": a lowercase RFC 1123 label must consist of lower case alphanumeric '
            "characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or "
            "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ),
    ),
    (
        "metadata of a claim was said to be that of an ephemeral volume",
        {
            "volumes": [
                {
                    "name": "a",
                    "ephemeral": {"volumeClaimTemplate": {"metadata": {"name": "b"}, "spec": {}}},
                }
            ]
        },
        ("1.26", "Forbidden: cannot be set"),
        ("1.25", "Forbidden: cannot be set for an ephemeral volume"),
    ),
]


@pytest.mark.parametrize(
    ("pod", "since", "until"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_words_change_with_the_release(
    pod: dict[str, Any], since: tuple[str, str], until: tuple[str, str]
) -> None:
    for release, words in (since, until):
        messages = {message for _, message in pod_errors(pod, at=server(release))}
        assert any(
            message == words or (words.endswith(": ") and message.startswith(words))
            for message in messages
        ), (release, messages)


def test_older_releases_named_empty_fields_of_owners() -> None:
    job = job_with()
    job["metadata"]["ownerReferences"] = [OWNER]
    field = "metadata.ownerReferences.name"
    assert errors_of(job, at=server("1.34")) == {(field, invalid("", "must not be empty"))}
    assert errors_of(job, at=server("1.33")) == {(field, invalid("", "name must not be empty"))}


def test_1_25_named_controllers_without_their_kinds() -> None:
    job = job_with()
    owners = [{**OWNER, "name": name, "controller": True} for name in ("a", "b")]
    job["metadata"]["ownerReferences"] = owners

    def controllers(release: str) -> str:
        return next(iter(errors_of(job, at=server(release))))[1].rpartition(" for ")[2]

    assert controllers("1.26") == "Deployment/a and Deployment/b"
    assert controllers("1.25") == "a and b"


def test_older_releases_printed_unset_values_as_text() -> None:
    old, new = job_with(), job_with()
    old["spec"]["backoffLimitPerIndex"] = 1
    for job in (old, new):
        job["spec"] |= {"completionMode": "Indexed", "completions": 1}
    new["spec"]["backoffLimit"] = 6
    at = "spec.backoffLimitPerIndex"
    assert (at, "Invalid value: null: field is immutable") in errors_of(new, old, at=server("1.34"))
    assert (at, 'Invalid value: "null": field is immutable') in errors_of(
        new, old, at=server("1.33")
    )


@pytest.mark.parametrize(
    ("spec", "field", "hint"),
    [
        (
            {"template": {"labels": {}, "spec": {}}},
            "spec.template.labels",
            "this field belongs in spec.template.metadata",
        ),
    ],
)
def test_metadata_beside_its_place_has_a_hint(spec: dict[str, Any], field: str, hint: str) -> None:
    value = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec}
    hints = {finding.field: finding.hint for finding in jobsworth.validate(value)}
    assert hints[field] == hint


@pytest.mark.parametrize(
    ("error", "minor", "words"),
    [
        (too_long("a", 63), 31, "Too long: must have at most 63 bytes"),
        (too_long("a", 63, former=BY_CHARACTERS), 31, "Too long: may not be longer than 63"),
        (
            field_invalid("a", resource_name_value("gpu"), "is bad"),
            29,
            "Invalid value: gpu: is bad",
        ),
        (field_invalid("a", named_string("<"), "is bad"), 33, 'Invalid value: "<": is bad'),
        (field_invalid("a", None, "is bad"), 33, 'Invalid value: "null": is bad'),
    ],
)
def test_former_words_are_known_where_the_error_is_made(
    error: FieldError, minor: int, words: str
) -> None:
    """No message is taken apart to find the value in it."""
    assert message_in(minor, error) == words
    other = FieldError(error.reason, error.field, "other words", former=error.former)
    assert message_in(minor, other) == words
    assert message_in(36, other) == "other words"
