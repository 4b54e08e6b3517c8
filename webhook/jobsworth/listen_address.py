"""Addresses to listen on: parse them, and open a socket for IPv4 and IPv6.

The webhook, its probes and the reconciler listen in the same way. As in programs written in Go, an empty
host stands for every address of both families.
"""

from __future__ import annotations

import socket

ANY_IPV4, ANY_IPV6 = "0.0.0.0", "::"
EVERY_HOST = ("", ANY_IPV4, ANY_IPV6)
"""The hosts that stand for all addresses of this machine."""

MAX_CONNECTIONS_WAITING = 2048
"""Connections that wait to be accepted; the kernel lowers it to net.core.somaxconn."""


class BadAddress(ValueError):
    """A text that is not an address."""


class CannotListen(Exception):
    """An address that cannot be listened on; the text names it and states the reason."""


def parse_address(text: str) -> tuple[str, int]:
    """Parse ``host:port``, ``[host]:port`` or ``:port``.

    >>> parse_address("[::1]:8443"), parse_address(":8443")
    (('::1', 8443), ('', 8443))

    Raises:
        BadAddress: the text has another form.
    """
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if len(host) > 2 and host[0] == "[" and host[-1] == "]" else host
    number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else None
    unclear = "[" in bare or "]" in bare or (":" in bare and bare == host)
    if not colon or number is None or number > 65535 or unclear:
        raise BadAddress(
            f'"{text}" is not an address; use ADDRESS:PORT, for example :8443, 10.0.0.1:8443 or [::1]:8443'
        )
    return bare, number


def format_address(host: str, port: int) -> str:
    """Return an address as text.

    >>> format_address("::1", 8443)
    '[::1]:8443'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Args:
        host: an address or a name. Empty for every address of IPv6 and IPv4, or of IPv4 if this machine has
            no IPv6; ``::`` requires IPv6, and accepts IPv4 as well.
        port: the port; 0 for any free one.

    Raises:
        CannotListen: the address is in use, or not one of this machine.
    """
    import socket
    from errno import EADDRNOTAVAIL, EAFNOSUPPORT

    try:
        if host == ANY_IPV6 or (host == "" and socket.has_dualstack_ipv6()):
            try:
                return _server(ANY_IPV6, port, socket.AF_INET6, dualstack_ipv6=True)
            except OSError as error:
                if host or error.errno not in (EADDRNOTAVAIL, EAFNOSUPPORT):
                    raise
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return _server(host or ANY_IPV4, port, family)
    except (OSError, ValueError) as error:  # ValueError: dual stack, but this machine has no IPv6
        raise CannotListen(
            f"cannot listen on {format_address(host, port)}: {_reason(error)}"
        ) from None


def _server(host: str, port: int, family: int, *, dualstack_ipv6: bool = False) -> socket.socket:
    import socket

    return socket.create_server(
        (host, port), family=family, backlog=MAX_CONNECTIONS_WAITING, dualstack_ipv6=dualstack_ipv6
    )


def _reason(error: Exception) -> str:
    """Return the reason alone: ``create_server`` appends the address in Python's notation."""
    import os
    import socket

    if isinstance(error, OSError) and error.errno and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error)
