"""Simulate Jobs, CronJobs and JobSets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ALLOW_PRIVILEGED
from jobsworth.files.simulations.simulated_manifests import only_manifest, read_scenario_document
from jobsworth.library.documents import NAME, document_of
from jobsworth.library.manifests import manifest_of
from jobsworth.library.servers import api_server
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import engine_for
from jobsworth.whatif.run_statistics import statistics_of, summarize
from jobsworth.whatif.simulation.default_scenario import default_scenario
from jobsworth.whatif.simulation.questions import Questions, with_questions
from jobsworth.whatif.simulation.requirements import BadRequirement, measures_of, read_requirement
from jobsworth.whatif.simulation.run_limits import check_all_steps, check_runs
from jobsworth.whatif.simulation.scenario_reader import read_scenario, scenario_of
from jobsworth.whatif.simulation.scenario_run import run_once
from jobsworth.whatif.virtual_time import read_duration

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.files.simulations.simulated_manifests import SimulatedManifest
    from jobsworth.library.manifests import Manifest
    from jobsworth.whatif.run_record import RunRecord
    from jobsworth.whatif.run_statistics import RunStatistics
    from jobsworth.whatif.simulation.requirements import RequirementResult
    from jobsworth.whatif.simulation.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Simulation:
    """The result of :func:`simulate`.

    Attributes:
        kind: ``Job``, ``CronJob`` or ``JobSet``.
        scenario: the name of the scenario.
        first_run: the record of the first run: every Pod, condition and event.
        statistics: how often it completes, when, and what that costs, over all runs.
    """

    kind: str
    scenario: str
    first_run: RunRecord
    statistics: RunStatistics

    def check(self, requirement: str) -> RequirementResult:
        """Compare a measure with a bound, as ``jobsworth simulate --assert`` does.

        Args:
            requirement: such as ``complete >= 0.95``, ``time.p95 <= 2h`` or ``failedIndexes <= 1``.

        Returns:
            The result: ``holds``, the measured value with its 95 % interval, and a sentence as its text.

        Raises:
            BadRequirement: it has another form, or objects of this kind do not have the measure.
        """
        read = read_requirement(requirement)
        if not read.applies_to(self.kind):
            known = ", ".join(measures_of(self.kind))
            raise BadRequirement(
                f'"{read.measure}" is not a measure of a {self.kind}. Use one of {known}'
            )
        return read.check(self.statistics)


def simulate(
    manifest: Manifest,
    scenario: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    runs: int = 1,
    seed: int = 1,
    until: str | None = None,
    drain: str | tuple[str, ...] = (),
    spot: str = "",
    node_lost: str | tuple[str, ...] = (),
    controller_restart: str | tuple[str, ...] = (),
    image_typo: bool = False,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> Simulation:
    """Run a Job, CronJob or JobSet in virtual time, as ``jobsworth simulate`` does.

    The decisions are those of the Job controller of Kubernetes 1.36. The same arguments give the same result.

    Args:
        manifest: the object: a mapping as in a manifest, or a model of the kubernetes package.
        scenario: a JobScenario document, or the path of a file with one; a default scenario if it is None.
        runs: the number of runs, with the seeds from `seed` on.
        seed: the seed of all that is left to chance.
        until: the time at which a run ends at the latest, such as ``8h``; the scenario's by default.
        drain: evict running Pods: when, and how many, such as ``1h:2``; several in a tuple.
        spot: reclaim the spot node of each Pod, on average after it has run for so long: ``8h``.
        node_lost: lose the node of running Pods: ``30m`` or ``30m:3``.
        controller_restart: restart the Job and CronJob controllers: ``1h``.
        image_typo: the image cannot be pulled: no Pod ever starts.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``.

    Raises:
        BadScenario: the scenario is invalid; ``problems`` lists every problem.
        BadQuestion: `drain` or another time cannot be read.
        InputError: the API server rejects the object or an edit of the scenario, or a file cannot be read.
        SimulationTooLarge: a run exceeds a limit, or all together do.
        TypeError: the object is neither a mapping nor a model, or a value in it has no form in JSON.
        UnknownRelease: the release is not one of :data:`RELEASES`.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    server = api_server(kubernetes_version, feature_gates, allow_privileged)
    engine = engine_for(server)
    document = document_of(manifest_of(manifest))
    simulated = only_manifest([document], NAME, server, lambda each: engine.default(each.value))
    questions = Questions(
        drain=_times(drain),
        spot=spot,
        node_lost=_times(node_lost),
        controller_restart=_times(controller_restart),
        image_typo=image_typo,
    )
    read = _scenario(scenario, questions, simulated)
    simulated.check_scenario(read)
    if runs < 1:
        raise InputError(f"runs: {runs} is not a number of runs from 1 on")
    check_runs(1, runs)
    return _run(simulated, read, range(seed, seed + runs), _milliseconds(until))


def _run(
    manifest: SimulatedManifest, scenario: Scenario, seeds: range, until: int | None
) -> Simulation:
    first: RunRecord | None = None
    summaries, steps = [], 0
    for seed in seeds:
        record = run_once(manifest.object, scenario, seed, until, children=manifest.children)
        first = first or record
        summaries.append(summarize(record))
        steps += record.steps
        check_all_steps(steps)
    assert first is not None  # there is at least one run
    return Simulation(manifest.object["kind"], scenario.name, first, statistics_of(summaries))


def _scenario(
    scenario: Mapping[str, Any] | str | os.PathLike[str] | None,
    questions: Questions,
    manifest: SimulatedManifest,
) -> Scenario:
    read: Callable[[Any], Scenario] = read_scenario
    if scenario is None:
        document = default_scenario(manifest.object, manifest.children)
        read = scenario_of  # what the library writes needs no check
    elif isinstance(scenario, Mapping):
        document = manifest_of(scenario)
    else:
        given = read_scenario_document(os.fspath(scenario))
        assert given is not None  # it is not optional
        document, read = given
    return read(with_questions(document, questions) if questions else document)


def _times(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _milliseconds(until: str | None) -> int | None:
    if until is None:
        return None
    found = read_duration(until)
    if found is None:
        raise InputError(f'until: "{until}" is not a duration such as 8h or 1h30m')
    return found
