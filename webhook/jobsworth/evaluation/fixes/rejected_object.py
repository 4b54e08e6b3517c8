"""An error of the API server, with the object that it rejects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Struct
from jobsworth.findings.edits import at, locate
from jobsworth.findings.finding import Finding
from jobsworth.record import Record

Written = Callable[[str], str | None]


class RejectedObject(Record):
    """An error of the API server, and the object that it rejects.

    Attributes:
        finding: the error.
        value: the object, as it was written.
        server: the server that rejects the object.
        written: returns the text of a scalar by its field path, without quotes; None if it has none.
        kind: the declared type of the object.
    """

    finding: Finding
    value: dict[str, Any]
    server: ApiServer
    written: Written
    kind: Struct

    @property
    def job(self) -> str:
        """The path of the JobSpec."""
        return "spec.jobTemplate.spec" if self.value["kind"] == "CronJob" else "spec"

    def at(self, path: str) -> Any:
        """Return the written value at a path; None if there is none."""
        place = locate(self.value, path)
        return None if place.missing else at(self.value, place.steps)

    def within(self, path: str) -> dict[str, Any]:
        """Return the written object at a path; empty if there is none."""
        found = self.at(path)
        return found if isinstance(found, dict) else {}
