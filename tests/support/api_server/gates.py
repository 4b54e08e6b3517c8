"""The feature gates that a release lets its users change."""

from __future__ import annotations

from jobsworth.api.api_server import ApiServer, UnknownGate


def can_change(server: ApiServer, gate: str) -> bool:
    """Return True if the release has the gate and it is not locked."""
    try:
        ApiServer(server.release, {server.name_of(gate): not server.enabled(gate)})
    except UnknownGate:
        return False
    return True
