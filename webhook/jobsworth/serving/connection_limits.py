"""Limits for connections: how many of each kind a worker holds, below the limit of open files."""

from __future__ import annotations

import resource
from dataclasses import dataclass

MAX_DESCRIPTORS = 4_096
"""The number of open files that a worker asks for."""
RESERVED_DESCRIPTORS = 40
"""The number of open files that no connection takes: a worker has 19, and reads policies and certificates."""


@dataclass(frozen=True, slots=True)
class ConnectionLimit:
    """A limit for the connections of one kind in one worker.

    Attributes:
        maximum: the limit where the process may open enough files.
        share: the part of the open files beyond :data:`RESERVED_DESCRIPTORS` that these connections may take.
    """

    maximum: int
    share: float

    @property
    def count(self) -> int:
        """The number of connections."""
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if descriptors == resource.RLIM_INFINITY:
            return self.maximum
        return max(1, min(self.maximum, int((descriptors - RESERVED_DESCRIPTORS) * self.share)))


HANDSHAKES = ConnectionLimit(128, 0.2)
"""Connections that have not completed their TLS handshake."""
CONNECTIONS = ConnectionLimit(500, 0.6)
"""Connections of the webhook after their handshake."""
MONITOR_CONNECTIONS = ConnectionLimit(100, 0.2)
"""Connections of the monitor's port: of the kubelet, of Prometheus, and of anyone who reaches it."""


def allow_descriptors() -> None:
    """Raise the soft limit of open files, which is 1,024 on many machines, towards the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
