"""Fixtures for the tests of what a release publishes."""

from __future__ import annotations

import socket

import pytest


@pytest.fixture(scope="module")
def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def unused_tcp_ports() -> tuple[int, int]:
    """Two ports on which nothing listens."""
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]
