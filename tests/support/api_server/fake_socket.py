"""A socket without a network, whose peer has already answered."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any


class FakeSocket:
    """A socket from which the parts of a response arrive one by one; then the peer closes the connection.

    Attributes:
        sent: all data that was sent.
    """

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = [part for part in parts if part]
        self.sent = b""

    def sendall(self, data: bytes) -> None:
        """Send data."""
        self.sent += data

    def recv(self, size: int) -> bytes:
        """Return the next part, or as much of it as wanted."""
        part = self._parts.pop(0) if self._parts else b""
        if part[size:]:
            self._parts.insert(0, part[size:])
        return part[:size]

    def makefile(self, mode: str, buffering: int = -1) -> Any:
        """Return a file to read from."""
        file = _SocketFile(self)
        return io.BufferedReader(file) if buffering else file

    def settimeout(self, seconds: object) -> None:
        """Accept any timeout."""

    def close(self) -> None:
        """Accept the end; its files can still be read."""


class _SocketFile(io.RawIOBase):
    def __init__(self, socket: FakeSocket) -> None:
        self._socket = socket

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._socket.recv(len(buffer))
        buffer[: len(data)] = data
        return len(data)
