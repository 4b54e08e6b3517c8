"""Simulate Jobs, CronJobs and JobSets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ALLOW_PRIVILEGED, ApiServer
from jobsworth.files.simulations.simulated_manifests import (
    NothingToSimulate,
    SimulatedManifest,
    only_manifest,
    read_scenario_document,
)
from jobsworth.library.arguments import api_server, check_type, texts
from jobsworth.library.documents import NAME, document_of
from jobsworth.library.manifests import Manifest, manifest_of, problem_of_kind
from jobsworth.printable import printable
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import RunStatistics, statistics_of, summarize
from jobsworth.runs.simulation.default_scenario import default_scenario
from jobsworth.runs.simulation.questions import BadQuestion, Questions, with_questions
from jobsworth.runs.simulation.requirements import (
    BadRequirement,
    RequirementResult,
    RunRequirement,
    measures_of,
    read_requirement,
)
from jobsworth.runs.simulation.run_limits import check_all_steps, check_runs
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.runs.simulation.scenario_reader import read_scenario, scenario_of
from jobsworth.runs.simulation.scenario_run import run_once
from jobsworth.runs.virtual_time import read_duration
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import engine_for
from jobsworth.wording import count


@dataclass(frozen=True, slots=True, repr=False)
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

    def __repr__(self) -> str:
        """Return one line for a console."""
        runs = count(self.statistics.runs, "run")
        return f"<{runs} of {self.kind} {self.first_run.name}, scenario {printable(self.scenario)}>"

    def check(self, requirement: str) -> RequirementResult:
        """Compare a measure with a bound, as ``jobsworth simulate --assert`` does.

        Args:
            requirement: such as ``complete >= 0.95``, ``time.p95 <= 2h`` or ``failedIndexes <= 1``.

        Returns:
            The result: ``holds``, the measured value with its 95 % interval, and a sentence as its text.

        Raises:
            BadRequirement: it has another form, or objects of this kind do not have the measure.
            TypeError: it is not a str.
        """
        return requirement_on(self.kind, requirement).check(self.statistics)


def requirement_on(kind: str, text: str) -> RunRequirement:
    """Return a requirement on the runs of objects of a kind.

    Raises:
        TypeError: it is not a str.
        BadRequirement: it has another form, or objects of this kind do not have the measure.
    """
    check_type("requirement", text, str, "a str such as complete >= 0.95")
    read = read_requirement(text)
    if not read.applies_to(kind):
        known = ", ".join(measures_of(kind))
        raise BadRequirement(f'"{read.measure}" is not a measure of a {kind}. Use one of {known}')
    return read


def simulate(
    manifest: Manifest,
    scenario: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    runs: int = 1,
    seed: int = 1,
    until: str | None = None,
    duration: str = "",
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
        duration: let Pods run for so long: ``2h``, or ``logNormal:median=2h,p95=5h``.
        drain: evict Pods: when, and how many, such as ``1h:2``; several in a tuple.
        spot: reclaim the spot node of each Pod, on average after it has run for so long: ``8h``, or
            ``8h:EvictionAPI``.
        node_lost: lose the node of running Pods: ``30m`` or ``30m:3``.
        controller_restart: restart the Job and CronJob controllers: ``1h``.
        image_typo: the image cannot be pulled: no Pod ever starts.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``.

    Raises:
        BadScenario: the scenario is invalid; ``problems`` lists every problem.
        BadQuestion: `drain`, `until` or another time cannot be read, or `runs` is below 1.
        InputError: the API server rejects the object or an edit of the scenario, or a file cannot be read.
        SimulationTooLarge: a run exceeds a limit, or all together do.
        TypeError: the object is neither a mapping nor a model, a value in it has no form in JSON, or another
            argument has another type.
        UnknownKind: the object is a List, or has the keys of ``to_dict()`` of the kubernetes package.
        UnknownRelease: the release is older than those of :data:`RELEASES`, or cannot be read. A newer one
            is judged as the newest, with a warning (NewerRelease).
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    return checked_simulation(
        (),
        manifest,
        scenario,
        Questions(
            duration=duration_text("duration", duration),
            drain=times("drain", drain),
            spot=duration_text("spot", spot),
            node_lost=times("node_lost", node_lost),
            controller_restart=times("controller_restart", controller_restart),
            image_typo=image_typo,
        ),
        api_server(kubernetes_version, feature_gates, allow_privileged),
        runs=runs,
        seed=seed,
        until=until,
    )


def checked_simulation(
    requirements: Sequence[str],
    manifest: Manifest,
    scenario: Mapping[str, Any] | str | os.PathLike[str] | None,
    questions: Questions,
    server: ApiServer,
    *,
    runs: int,
    seed: int,
    until: str | None,
    until_name: str = "until",
) -> Simulation:
    """Check requirements, then simulate.

    Raises:
        BadRequirement: a requirement has another form, or the object does not have its measure.
        BadScenario, BadQuestion, InputError, SimulationTooLarge, TypeError, UnknownKind: as of
            :func:`simulate`.
    """
    check_type("runs", runs, int, "an int")
    check_type("seed", seed, int, "an int")
    end = None if until is None else _milliseconds(until_name, duration_text(until_name, until))
    engine = engine_for(server)
    value = manifest_of(manifest)
    document = document_of(value)
    try:
        simulated = only_manifest([document], NAME, server, lambda each: engine.default(each.value))
    except NothingToSimulate:
        raise InputError(
            f"{problem_of_kind(value)}. Pass a Job, CronJob or JobSet, or an object from which an operator "
            "creates one"
        ) from None
    for requirement in requirements:
        requirement_on(simulated.object["kind"], requirement)
    read = replace(_scenario(scenario, questions, simulated), server=server)
    simulated.check_scenario(read)
    if runs < 1:
        raise BadQuestion("runs", f"{runs} is not a number of runs from 1 on")
    check_runs(1, runs)
    return _run(simulated, read, range(seed, seed + runs), end)


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
        if not questions.duration:
            read = scenario_of  # what the library writes needs no check
    elif isinstance(scenario, Mapping):
        document = manifest_of(scenario, "scenario")
    elif not isinstance(scenario, str | os.PathLike):
        raise TypeError(
            f"scenario must be a mapping or the path of a file, not {type(scenario).__name__}"
        )
    else:
        given = read_scenario_document(os.fspath(scenario))
        assert given is not None  # it is not optional
        document, read = given
    return read(with_questions(document, questions) if questions else document)


def times(name: str, given: object) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else texts(name, given, "times such as 1h")


def duration_text(name: str, given: object) -> str:
    check_type(name, given, str, "a str such as 8h")
    return str(given)


def _milliseconds(name: str, until: str) -> int:
    found = read_duration(until)
    if found is None:
        raise BadQuestion(name, f'"{until}" is not a duration such as 8h or 1h30m')
    return found
