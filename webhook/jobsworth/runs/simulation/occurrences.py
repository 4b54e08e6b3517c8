"""The interventions of a scenario in words: edits, absent controllers, rejected Pods, another capacity.

Without them a timeline shows a Job whose limits seem to break for no reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.cron_jobs.cron_job import CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.schedule_times import zone_of
from jobsworth.controller.settings import BUILT_IN, deviations, settings_of
from jobsworth.runs.clock_changes import clock_changes, effect_of
from jobsworth.runs.failure_causes import unmarked_causes
from jobsworth.runs.run_record import Occurrence
from jobsworth.runs.simulation.scenario import Scenario, SpecChange
from jobsworth.runs.virtual_time import NEVER, SECOND, clock
from jobsworth.wording import in_json, shortened

JOB_SET_MANAGER = "jobset.sigs.k8s.io/jobset-controller"
"""The managedBy of JobSet's own controller."""
_MAX_VALUE_LENGTH = 60
_BACK = "Job and CronJob controllers run again and sync every Job"
_FORGOTTEN = "; the backoff after earlier failures is forgotten"


def occurrences(
    manifest: dict[str, Any],
    scenario: Scenario,
    end: int,
    missed: Iterable[tuple[int, str]] = (),
) -> list[Occurrence]:
    """Return the interventions until the end of a run, in the order of time.

    Args:
        manifest: the Job or CronJob before the first edit.
        end: milliseconds since the start.
        missed: the disruptions that met no Pod: when, and the name of each.
    """
    found = [*_notes(manifest), *_edits(manifest, scenario), *_periods(manifest, scenario, end)]
    note = release_note(scenario.server)
    found += [Occurrence(0, 0, "note", note)] if note else ()
    found += _skipped(manifest, scenario, end) if manifest["kind"] == "CronJob" else ()
    found += [
        Occurrence(change.at, change.at, "capacity", f"the cluster has room for {change.pods} Pods")
        for change in scenario.capacity
        if change.at
    ]
    found += [
        Occurrence(at, at, "note", f"{name} meets no Pod on a node: nothing happens")
        for at, name in missed
    ]
    found += [
        Occurrence(
            end, end, "note", f"{each.name} at {clock(at)} does not happen: the run has ended"
        )
        for each in scenario.disruptions
        for at in each.times
        if at > end
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
    template = manifest["spec"].get("jobTemplate") or manifest
    policy = (template["spec"].get("scheduling") or {}).get("schedulingPolicy") or {}
    if "gang" in policy:
        number = (policy["gang"] or {}).get("minCount")
        gang = f"minCount {number}" if number else "all Pods"
        words = f"not simulated: gang scheduling ({gang}): Pods get a node one by one"
        yield Occurrence(0, 0, "note", words)


def release_note(server: ApiServer) -> str:
    """Return how the decisions of a release differ from those of 1.36.3; empty if they do not."""
    found = [*deviations(server)]
    if unmarked_causes(server):
        found.append("not every disruption leaves DisruptionTarget")
    if not found and server.minor >= 36:
        return ""
    differences = f", but for this: {'; '.join(found)}" if found else ""
    return f"Kubernetes {server.release} is taken to decide as 1.36.3{differences}"


def _edits(manifest: dict[str, Any], scenario: Scenario) -> Iterator[Occurrence]:
    spec = dict(manifest["spec"])
    for change in sorted(scenario.changes, key=lambda change: change.at):
        words = ", ".join(_edit(name, spec.get(name), value) for name, value in change.spec.items())
        spec |= change.spec
        if words:
            yield Occurrence(change.at, change.at, "edit", f"{manifest['kind']} edited: {words}")


def _skipped(manifest: dict[str, Any], scenario: Scenario, end: int) -> Iterator[Occurrence]:
    """Yield the times of the schedule that a clock change skips: no run is due then."""
    name, spec, begin = manifest["metadata"]["name"], manifest["spec"], 0
    edits = sorted(scenario.changes, key=lambda change: change.at)
    for edit in (*edits, SpecChange(end, {})):
        cron_job = read_cron_job(name, spec, scenario.start, CronJobStatus())
        zone = zone_of(cron_job)
        since, until = (scenario.start + at // SECOND for at in (begin, min(edit.at, end)))
        for change in clock_changes(zone, since, until + 1):
            words = effect_of(cron_job, zone, change) if change.after > change.before else ""
            at = (change.at - scenario.start) * SECOND
            if words and begin <= at <= end:
                yield Occurrence(at, at, "skipped", f"no run: {words}")
        spec, begin = spec | edit.spec, edit.at


def _edit(name: str, old: Any, new: Any) -> str:
    before, after = (
        shortened(each if isinstance(each, str) else in_json(each), _MAX_VALUE_LENGTH)
        for each in (old, new)
    )
    if old == new:
        return f"{name} unchanged ({after})"
    if new is None:
        return f"{name} removed (was {before})"
    return f"{name} set to {after}" if old is None else f"{name} {before} -> {after}"


def _periods(manifest: dict[str, Any], scenario: Scenario, end: int) -> Iterator[Occurrence]:
    for begin, back in scenario.away:
        until = min(back, end)
        yield Occurrence(begin, until, "away", "Job and CronJob controllers do not run")
        if back < NEVER:
            yield Occurrence(
                back, back, "back", f"{_BACK}{_FORGOTTEN if _forgets(manifest) else ''}"
            )
    for rejections in scenario.rejections:
        words = f"API server rejects new {rejections.of}: {rejections.message}"
        yield Occurrence(rejections.since, min(rejections.until, end), "rejections", words)


def _forgets(manifest: dict[str, Any]) -> bool:
    """Return True if a restart of the controller shortens the backoff of a Job."""
    spec = manifest["spec"]
    return (
        manifest["kind"] == "Job"
        and not settings_of(spec.get("managedBy")).backoff_survives_restart
        and spec.get("backoffLimitPerIndex") is None
    )
