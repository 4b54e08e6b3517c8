"""Reasons of conditions and events of Jobs and CronJobs, each with a simulated run in which it occurs.

The files of ``reasons/`` say what a reason means; its message, the time and the picture come from the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from rejections import changed, smallest

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.runs.run_record import RunRecord

FOLDER = Path(__file__).parent / "reasons"
SEED = 1


class Occurred(NamedTuple):
    """An occurrence of a reason in a run.

    Attributes:
        at: milliseconds since the start.
        where: ``condition FailureTarget``, or ``Warning event``.
    """

    at: int
    where: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A reason of conditions or events.

    Attributes:
        page: the reason, and the name of its page.
        means: its meaning, as Markdown.
        solution: what to do, as Markdown.
        object: what makes the smallest valid object the example.
        scenario: the spec of the JobScenario in which it occurs.
        sources: where the behavior is described.
        see: related pages, relative to docs/.
    """

    page: str
    means: str
    solution: str
    object: dict[str, Any]
    scenario: dict[str, Any]
    sources: tuple[str, ...]
    see: tuple[str, ...]
    kind: str = "Job"

    @property
    def example(self) -> dict[str, Any]:
        """The object that runs."""
        return changed(smallest(self.kind), self.object)

    @property
    def scenario_document(self) -> dict[str, Any]:
        """The scenario that it runs in."""
        return {
            "apiVersion": "jobsworth.dev/v1alpha1",
            "kind": "JobScenario",
            "metadata": {"name": "example"},
            "spec": self.scenario,
        }

    def run(self) -> RunRecord:
        """Run the example in the scenario."""
        completed = engine_for(ApiServer(NEWEST_RELEASE)).default(self.example)
        completed["metadata"]["namespace"] = "default"
        return run_once(completed, read_scenario(self.scenario_document), SEED)

    def occurrences(self, record: RunRecord) -> list[Occurred]:
        """Return where the reason occurs in a run, the first of each place."""
        found: dict[str, Occurred] = {}
        for each in sorted(_all(record), key=lambda pair: pair[1].at):
            reason, occurred = each
            if reason == self.page:
                found.setdefault(occurred.where, occurred)
        return list(found.values())


class Family(NamedTuple):
    """Reasons of one kind."""

    title: str
    about: str
    reasons: tuple[Reason, ...]


def families() -> list[Family]:
    """Read all reasons."""
    return [_family(path) for path in sorted(FOLDER.glob("*.yaml"))]


def _family(path: Path) -> Family:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    reasons = tuple(
        Reason(**{**entry, "sources": tuple(entry["sources"]), "see": tuple(entry["see"])})
        for entry in document["reasons"]
    )
    return Family(document["title"], document["about"], reasons)


def _all(record: RunRecord) -> Iterator[tuple[str, Occurred]]:
    for job in record.jobs:
        for condition in job.conditions:
            where = f"condition {condition.type}"
            yield condition.reason, Occurred(condition.at, where, condition.message)
    for event in (*record.events, *(event for job in record.jobs for event in job.events)):
        yield event.reason, Occurred(event.at, f"{event.type} event", event.message)
