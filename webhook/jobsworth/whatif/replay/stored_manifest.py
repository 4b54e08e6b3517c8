"""A stored Job with the defaults of this release, so that the planner can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.validation.engine import engine_for
from jobsworth.whatif.replay.recording_reader import BadRecording

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

    Object = dict[str, Any]


class UnreadableSpec(BadRecording):
    """Raised for a Job whose spec cannot be decoded.

    Attributes:
        problems: each with its field.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def stored_manifest(value: Object, server: ApiServer) -> Object:
    """Return a stored Job with the defaults of its spec, without fields of later releases.

    Args:
        value: the Job as its API server returns it.
        server: knows the fields and defaults.

    Raises:
        UnreadableSpec: a field has a value of a wrong type.
    """
    engine = engine_for(server)
    decoded = engine.decode_object(value)
    if decoded.unreadable:
        raise UnreadableSpec([f"{each.field}: {each.message}" for each in decoded.findings])
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": value.get("metadata") or {},
        "spec": engine.created_job(decoded)["spec"],
        "status": value.get("status") or {},
    }
