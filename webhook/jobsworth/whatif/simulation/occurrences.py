"""The interventions of a scenario in words: edits, absent controllers, rejected Pods, another capacity.

Without them a timeline shows a Job whose limits seem to break for no reason.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jobsworth.controller.settings import BUILT_IN, settings_of
from jobsworth.whatif.run_record import Occurrence
from jobsworth.whatif.virtual_time import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.simulation.scenario import Scenario

JOB_SET_MANAGER = "jobset.sigs.k8s.io/jobset-controller"
"""The managedBy of JobSet's own controller."""
_MAX_VALUE_LENGTH = 60
_BACK = "Job and CronJob controllers run again and sync every Job"
_FORGOTTEN = "; the backoff after earlier failures is forgotten"


def occurrences(manifest: dict[str, Any], scenario: Scenario, end: int) -> list[Occurrence]:
    """Return the interventions until the end of a run, in the order of time.

    Args:
        manifest: the Job or CronJob before the first edit.
        end: milliseconds since the start.
    """
    found = [*_notes(manifest), *_edits(manifest, scenario), *_periods(manifest, scenario, end)]
    found += [
        Occurrence(change.at, change.at, "capacity", f"the cluster has room for {change.pods} Pods")
        for change in scenario.capacity
        if change.at
    ]
    return sorted((each for each in found if each.at <= end), key=lambda each: each.at)


def _notes(manifest: dict[str, Any]) -> Iterator[Occurrence]:
    manager = manifest["spec"].get("managedBy")
    if manifest["kind"] == "JobSet":
        if manager not in (None, JOB_SET_MANAGER):
            words = f"managedBy {manager}: simulated as JobSet's own controller would run it"
            yield Occurrence(0, 0, "note", words)
        return
    if manager and settings_of(manager) is BUILT_IN and not BUILT_IN.manages(manager):
        words = f"managedBy {manager}: simulated as Kubernetes' own controller would run the Job"
        yield Occurrence(0, 0, "note", words)


def _edits(manifest: dict[str, Any], scenario: Scenario) -> Iterator[Occurrence]:
    spec = dict(manifest["spec"])
    for change in sorted(scenario.changes, key=lambda change: change.at):
        words = ", ".join(_edit(name, spec.get(name), value) for name, value in change.spec.items())
        spec |= change.spec
        if words:
            yield Occurrence(change.at, change.at, "edit", f"{manifest['kind']} edited: {words}")


def _edit(name: str, old: Any, new: Any) -> str:
    if old == new:
        return f"{name} unchanged ({_shown(new)})"
    if new is None:
        return f"{name} removed (was {_shown(old)})"
    return (
        f"{name} set to {_shown(new)}" if old is None else f"{name} {_shown(old)} -> {_shown(new)}"
    )


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[: _MAX_VALUE_LENGTH - 1]}…"


def _periods(manifest: dict[str, Any], scenario: Scenario, end: int) -> Iterator[Occurrence]:
    for begin, back in scenario.away:
        until = min(back, end)
        yield Occurrence(begin, until, "away", "Job and CronJob controllers do not run")
        if back < NEVER:
            yield Occurrence(
                back, back, "back", f"{_BACK}{_FORGOTTEN if _forgets(manifest) else ''}"
            )
    for rejections in scenario.rejections:
        words = f"API server rejects new Pods: {rejections.message}"
        yield Occurrence(rejections.since, min(rejections.until, end), "rejections", words)


def _forgets(manifest: dict[str, Any]) -> bool:
    """Return True if a restart of the controller shortens the backoff of a Job."""
    spec = manifest["spec"]
    return (
        manifest["kind"] == "Job"
        and not settings_of(spec.get("managedBy")).backoff_survives_restart
        and spec.get("backoffLimitPerIndex") is None
    )
