"""Security options of Windows containers."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.windows_security import credential_spec, user_name
from kube_cel.formats.names import dns_subdomain
from support.validation.engine_errors import pod_errors


@pytest.mark.parametrize(
    "name",
    [
        "ContainerAdministrator",
        "CORP\\jobs",
        "corp.example.com\\jobs",
        "x" * 15 + "\\u",
        "d" * 63 + ".example\\u",
        "a" * 104,
        "a user",
        "a.b",
    ],
)
def test_accounts_with_and_without_a_domain_are_well_formed(name: str) -> None:
    assert user_name(name) == []


@pytest.mark.parametrize(
    ("name", "details"),
    [
        ("", ["runAsUserName cannot be an empty string"]),
        ("a\tb", ["runAsUserName cannot contain control characters"]),
        ("a\\b\\c", ["runAsUserName cannot contain more than one backslash"]),
        ("\\u", ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
        ("a:b\\u", ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
        ("d" * 64 + "\\u", ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
        (
            "a-" * 8 + ".b\\u",
            ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"],
        ),
        ("DOMAIN\\", ["runAsUserName's User cannot be empty"]),
        ("a" * 105, ["runAsUserName's User length must not be longer than 104 characters"]),
        (". .", ["runAsUserName's User cannot contain only periods or spaces"]),
        (
            "a@b",
            ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"],
        ),
        (
            "a" * 256 + "\\",
            [
                "runAsUserName's Domain length must be under 256 characters",
                "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
                "runAsUserName's User cannot be empty",
            ],
        ),
    ],
)
def test_an_invalid_account_name_is_reported(name: str, details: list[str]) -> None:
    assert user_name(name) == details


def test_a_credential_spec_is_there_and_has_64_kib_at_most() -> None:
    assert credential_spec("") == ["gmsaCredentialSpec cannot be an empty string"]
    assert credential_spec("x" * 65537) == ["gmsaCredentialSpec size must be under 64 KiB"]
    assert credential_spec("x" * 65536) == []


@pytest.mark.parametrize(
    ("options", "errors"),
    [
        (
            {"gmsaCredentialSpecName": "spec", "gmsaCredentialSpec": "{}", "runAsUserName": "u"},
            set(),
        ),
        (
            {"gmsaCredentialSpecName": "&", "runAsUserName": "<"},
            {
                # The server prints a string behind a pointer as JSON.
                ("gmsaCredentialSpecName", f'Invalid value: "\\u0026": {dns_subdomain("&")[0]}'),
                ("runAsUserName", f'Invalid value: "\\u003c": {user_name("<")[0]}'),
            },
        ),
    ],
)
def test_options_are_validated_of_pods_and_of_containers(
    options: dict[str, Any], errors: set[tuple[str, str]]
) -> None:
    context = {"windowsOptions": options}
    of_pod = pod_errors({"securityContext": context})
    of_container = pod_errors(
        {"containers": [{"name": "main", "image": "a", "securityContext": context}]}
    )
    at = "securityContext.windowsOptions."
    assert of_pod == {(at + field, message) for field, message in errors}
    assert of_container == {("containers[0]." + field, message) for field, message in of_pod}
