"""What the controllers and the simulator must agree on when the same scenario is played."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jobsworth.cli.click_application import run_by_click
from jobsworth.controller.index_sets import IndexSet
from jobsworth.manifests import read_file
from jobsworth.runs.simulation.scenario_reader import is_scenario

FOLDER = Path(__file__).parent.parent.parent / "runs/simulation/agreement"
RECORDED = FOLDER / "kubernetes.json"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
NO_INDEX = "-"
"""Stands for the index of a Pod whose Job is not Indexed."""

_POD_NAME = re.compile(r"\b([Pp]od) [^ /]*/(\S+)-\w+")


class JobOutcome(NamedTuple):
    """The end of a Job, or its state when its scenario ends.

    Attributes:
        conditions: each as type, status, reason and message, sorted; of a Pod in a message, the name
            without its namespace and its random suffix.
        pods: the number of Pods created, by index.
    """

    conditions: tuple[tuple[str, str, str, str], ...]
    active: int
    terminating: int
    succeeded: int
    failed: int
    completed_indexes: tuple[int, ...]
    failed_indexes: tuple[int, ...]
    pods: dict[str, int]

    @property
    def words(self) -> str:
        """The outcome in a few words, for tables."""
        terminal = [each for each in self.conditions if each[0] in ("Complete", "Failed")]
        suspended = [each for each in self.conditions if each[:2] == ("Suspended", "True")]
        if terminal:
            return f"{terminal[0][0]}: {terminal[0][2]}"
        return "suspended" if suspended else "unfinished"

    def as_json(self) -> dict[str, Any]:
        return json.loads(json.dumps(self._asdict()))  # type: ignore[no-any-return]


@cache
def documents(name: str, managed_by: str | None = None) -> tuple[Any, Any]:
    """Return the Job of a file, with a ``spec.managedBy`` if one is given, and its JobScenario."""
    found = [document.value for document in read_file(str(FOLDER / f"{name}.yaml"))]
    (scenario,) = (value for value in found if is_scenario(value))
    (manifest,) = (value for value in found if not is_scenario(value))
    managed = {} if managed_by is None else {"managedBy": managed_by}
    return {**manifest, "spec": {**manifest["spec"], **managed}}, scenario


def simulated(name: str, folder: Path, seed: int = 1, managed_by: str | None = None) -> JobOutcome:
    """Run ``jobsworth simulate`` on a Job and its scenario.

    Args:
        folder: for its input and its report.
        managed_by: the ``spec.managedBy`` of the Job; None for none.
    """
    manifest, report = folder / f"{name}.yaml", folder / f"{name}-{seed}.json"
    manifest.write_text(
        "\n---\n".join(map(json.dumps, documents(name, managed_by))), encoding="utf-8"
    )
    code = run_by_click(["simulate", str(manifest), f"--seed={seed}", f"--output=json={report}"])
    assert code == 0, name
    (job,) = json.loads(report.read_text(encoding="utf-8"))["jobs"]
    counters = job["counters"][-1]
    return JobOutcome(
        conditions=conditions_of(job["conditions"]),
        **{name: counters[name] for name in ("active", "terminating", "succeeded", "failed")},
        completed_indexes=_sorted(
            pod["index"]
            for pod in job["pods"]
            if pod["counted"] == "Succeeded" and pod["index"] is not None
        ),
        failed_indexes=_sorted(each["index"] for each in job["failed_indexes"]),
        pods=by_index(pod["index"] for pod in job["pods"]),
    )


def conditions_of(conditions: Iterable[dict[str, Any]]) -> tuple[tuple[str, str, str, str], ...]:
    """Return the last condition of each type, in the form in which they are compared."""
    last = {each["type"]: each for each in conditions}
    return tuple(
        (name, each["status"], each["reason"], _POD_NAME.sub(r"\1 \2", each["message"]))
        for name, each in sorted(last.items())
    )


def by_index(indexes: Iterable[int | None]) -> dict[str, int]:
    counted = Counter(NO_INDEX if index is None else str(index) for index in indexes)
    return dict(sorted(counted.items()))


def _sorted(indexes: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(indexes))


def recorded() -> dict[str, JobOutcome]:
    """Return the outcomes that Kubernetes' own controller decided."""
    found = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {name: _from_json(fields) for name, fields in found.items()}


def record(outcomes: dict[str, JobOutcome]) -> None:
    """Write the outcomes that Kubernetes' own controller decided, one a line."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(outcome.as_json())}"
        for name, outcome in sorted(outcomes.items())
    )
    RECORDED.write_text("{\n " + ",\n ".join(lines) + "\n}\n", encoding="utf-8")


def _from_json(fields: dict[str, Any]) -> JobOutcome:
    conditions = tuple(
        (kind, status, reason, message) for kind, status, reason, message in fields["conditions"]
    )
    lists = {name: tuple(fields[name]) for name in ("completed_indexes", "failed_indexes")}
    return JobOutcome(**{**fields, **lists, "conditions": conditions})


def readme_table() -> str:
    """Return a Markdown table of the scenarios and their recorded outcomes."""
    lines = [
        "| scenario | what happens | outcome | succeeded | failed | failed indexes | Pods |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, outcome in recorded().items():
        description = documents(name)[1]["spec"]["description"]
        failed = IndexSet.of(outcome.failed_indexes).text
        lines.append(
            f"| [{name}]({name}.yaml) | {description} | {outcome.words} | {outcome.succeeded} | "
            f"{outcome.failed} | {failed} | {sum(outcome.pods.values())} |"
        )
    return "\n".join(lines) + "\n"
