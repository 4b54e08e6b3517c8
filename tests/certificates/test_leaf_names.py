"""The names that a serving certificate can have."""

from __future__ import annotations

import ipaddress

import pytest

pytest.importorskip("cryptography")

from cryptography import x509

from jobsworth.certificates.leaf import BadName, general_name, service_names


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "a",
        "webhook.example.com",
        "web-hook.example.com",
        "web_hook.example.com",
        "*.example.com",
        "1.example.com",
        "a" * 63,
        ".".join(["a" * 63] * 3) + "." + "a" * 61,
    ],
)
def test_host_names(name: str) -> None:
    assert general_name(name) == x509.DNSName(name)


@pytest.mark.parametrize("name", ["127.0.0.1", "::1"])
def test_addresses(name: str) -> None:
    assert general_name(name) == x509.IPAddress(ipaddress.ip_address(name))


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "a..b",
        "-a",
        "a-",
        "-",
        "a b",
        "é.example.com",
        "a.*.example.com",
        "https://example.com",
        "a" * 64,
        ".".join(["a" * 63] * 3) + "." + "a" * 62,
    ],
)
def test_other_texts(name: str) -> None:
    with pytest.raises(BadName) as caught:
        general_name(name)
    assert str(caught.value) == (
        f"{name!r} is neither a host name, such as webhook.example.com, nor an IP address"
    )


def test_the_names_of_a_service_begin_with_the_one_that_the_api_server_uses() -> None:
    assert service_names("hook", "jobs") == (
        "hook.jobs.svc",
        "hook.jobs.svc.cluster.local",
        "hook.jobs",
    )
