"""The address that the webhook, its probes and the reconciler listen on."""

from __future__ import annotations

import contextlib
import errno
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.listen_address import BadAddress, CannotListen, format_address, listen, parse_address

IPV6 = pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (":8443", ("", 8443)),
        ("0.0.0.0:8443", ("0.0.0.0", 8443)),
        ("[::]:8081", ("::", 8081)),
        ("[::1]:8081", ("::1", 8081)),
        ("[fe80::1%eth0]:1", ("fe80::1%eth0", 1)),
        ("localhost:0", ("localhost", 0)),
        (":65535", ("", 65535)),
    ],
)
def test_an_address_has_an_optional_host_and_a_port(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address
    assert format_address(*address) == text


@pytest.mark.parametrize(
    "text",
    ["", "8443", ":", "::1:8443", "::", "[::1]", "[::1:8443", "::1]:8443", "[]:1", ":65536", ":-1",
     ":٨٤٤٣", ": 1", f":{'9' * 5000}"],
)  # fmt: skip
def test_other_text_is_not_an_address(text: str) -> None:
    with pytest.raises(BadAddress, match="is not an address; use"):
        parse_address(text)


@given(st.text(alphabet="[]:.%019af-") | st.text())
def test_an_address_is_read_as_it_is_written(text: str) -> None:
    with contextlib.suppress(BadAddress):
        host, port = parse_address(text)
        assert parse_address(format_address(host, port)) == (host, port)


@IPV6
@pytest.mark.parametrize("host", ["", "::"])
def test_an_empty_host_takes_connections_over_both_families(host: str) -> None:
    with listen(host, 0) as listener:
        assert listener.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY) == 0
        for client in ("::1", "127.0.0.1"):
            socket.create_connection((client, _port(listener)), timeout=5).close()


@IPV6
def test_an_address_of_one_family_takes_connections_over_it_alone() -> None:
    with listen("0.0.0.0", 0) as listener, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("::1", _port(listener)), timeout=5)
    with listen("::1", 0) as listener, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", _port(listener)), timeout=5)


def test_without_ipv6_an_empty_host_is_every_ipv4_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: False)
    with listen("", 0) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"


def test_with_ipv6_switched_off_an_empty_host_is_every_ipv4_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create = socket.create_server

    def without_ipv6(address: Any, **options: Any) -> socket.socket:
        if options["family"] == socket.AF_INET6:
            raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
        return create(address, **options)

    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: True)
    monkeypatch.setattr(socket, "create_server", without_ipv6)
    with listen("", 0) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"
    with pytest.raises(CannotListen, match=r"^cannot listen on \[::\]:0: Cannot assign requested"):
        listen("::", 0)


def test_an_address_in_use_is_named() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = _port(listener)
        message = rf"^cannot listen on 127\.0\.0\.1:{port}: Address already in use$"
        with pytest.raises(CannotListen, match=message):
            listen("127.0.0.1", port)


def test_an_unknown_host_is_named() -> None:
    with pytest.raises(CannotListen, match=r"^cannot listen on nowhere\.invalid:0: "):
        listen("nowhere.invalid", 0)


def _port(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port
