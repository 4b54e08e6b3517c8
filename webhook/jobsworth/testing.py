"""Assertions for the tests of programs that write Jobs.

    >>> from jobsworth.testing import assert_completes, assert_valid
    >>> container = {"name": "main", "image": "registry.example.com/train:1.4"}
    >>> pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    >>> job = {
    ...     "apiVersion": "batch/v1",
    ...     "kind": "Job",
    ...     "metadata": {"name": "train"},
    ...     "spec": {"backoffLimit": 4, "template": pod},
    ... }
    >>> assert_valid(job)
    >>> assert_completes(job, at_least=0.9, runs=20)

A failed assertion prints what the command line prints. They work in every test framework; with pytest, the
plugin :mod:`jobsworth.pytest_plugin` also prints the findings of ``assert jobsworth.validate(job) == []``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.findings.result import INVALID, VALID
from jobsworth.library.documents import NAME, text_of
from jobsworth.library.manifests import is_list, manifest_of
from jobsworth.library.simulations import simulate
from jobsworth.printable import printable
from jobsworth.reports.text import render
from jobsworth.whatif.timelines.statistics_text import statistics_lines

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any

    from jobsworth.findings.finding import Threshold
    from jobsworth.library.manifests import Manifest
    from jobsworth.library.simulations import Simulation

    Scenario = Mapping[str, Any] | str | os.PathLike[str] | None

__all__ = ["assert_completes", "assert_simulation", "assert_valid"]


def assert_valid(
    manifest: Manifest | Sequence[Manifest],
    *,
    fail_on: Threshold | None = None,
    ignore: Sequence[str] = (),
    policies: Sequence[str | os.PathLike[str]] = (),
    namespace: str | None = None,
    kubernetes_version: str | None = None,
    isolated: bool = False,
) -> None:
    """Assert that objects are valid, as ``jobsworth validate`` does for a file with them.

    The configuration of the current folder applies, so that tests and CI evaluate alike.

    Args:
        manifest: a Job, CronJob or JobSet, or a list such as all objects of a chart: mappings as in a
            manifest, or models of the kubernetes package. Objects of other kinds are skipped.
        fail_on: the lowest severity that fails: ``error`` (the default), ``warning`` or ``info``.
        ignore: codes that are not reported.
        policies: files and folders of JobPolicy documents, in place of the configuration's.
        namespace: of objects that have none.
        kubernetes_version: the server's release, such as ``1.36``, in place of the configuration's.
        isolated: use no configuration.

    Raises:
        AssertionError: an object is invalid, or none is a Job, CronJob or JobSet; the message has the
            findings with the lines of the objects as YAML.
        TypeError: an object is neither a mapping nor a model, or a value in it has no form in JSON.
        UsageError: the configuration or a policy is wrong.
        UnknownRelease: the release is not known.
    """
    __tracebackhide__ = True
    given = manifest if is_list(manifest) else [manifest]
    settings = Settings(
        release=kubernetes_version,
        ignore=frozenset(ignore),
        policy=tuple(map(str, policies)) or None,
        fail_on=fail_on,
        namespace=namespace,
    )
    evaluator = FileEvaluator(Configurations(settings, isolated=isolated))
    results = evaluator.text(NAME, text_of([manifest_of(each) for each in given]))
    if not any(result.status in (VALID, INVALID) for result in results):
        raise AssertionError(f"no Job, CronJob or JobSet among {len(given)} objects")
    failing = [result for result in results if result.fails]
    if failing:
        lines = [line for result in failing for line in render(result, color=False, infos=False)]
        raise AssertionError(
            "\n".join([f"{len(failing)} of {len(given)} objects fail:", "", *lines]).rstrip()
        )


def assert_completes(
    manifest: Manifest,
    scenario: Scenario = None,
    *,
    at_least: float = 0.95,
    within: str | None = None,
    runs: int = 100,
    seed: int = 1,
    drain: str | tuple[str, ...] = (),
    spot: str = "",
    kubernetes_version: str | None = None,
) -> None:
    """Assert that a Job or JobSet completes in most of its simulated runs.

    Args:
        manifest: a mapping as in a manifest, or a model of the kubernetes package.
        scenario: a JobScenario document, or the path of a file with one; a default scenario if it is None.
        at_least: the share of the runs that must complete, from 0 to 1.
        within: the time within which a run must complete, such as ``2h``; the scenario's end by default.
        runs: the number of runs.
        seed: the seed of the first run; the same seed gives the same runs.
        drain: evict running Pods: when, and how many, such as ``1h:2``; several in a tuple.
        spot: reclaim the spot node of each Pod, on average after it has run for so long: ``8h``.
        kubernetes_version: the server's release, such as ``1.36``.

    Raises:
        AssertionError: too few runs complete; the message has the statistics of the runs.
        BadRequirement: the object is a CronJob.
        BadScenario, BadQuestion, InputError, SimulationTooLarge, TypeError: as of
            :func:`jobsworth.simulate`.
    """
    __tracebackhide__ = True
    simulation = simulate(
        manifest,
        scenario,
        runs=runs,
        seed=seed,
        until=within,
        drain=drain,
        spot=spot,
        kubernetes_version=kubernetes_version,
    )
    _check(simulation, (f"complete >= {at_least}",))


def assert_simulation(
    manifest: Manifest,
    *requirements: str,
    scenario: Scenario = None,
    runs: int = 100,
    seed: int = 1,
    drain: str | tuple[str, ...] = (),
    spot: str = "",
    kubernetes_version: str | None = None,
) -> None:
    """Assert requirements on the simulated runs of a Job, CronJob or JobSet.

    Args:
        manifest: a mapping as in a manifest, or a model of the kubernetes package.
        requirements: as of ``jobsworth simulate --assert``: ``time.p95 <= 2h``, ``failedIndexes <= 1``; of a
            CronJob ``missed <= 0``.
        scenario, runs, seed, drain, spot, kubernetes_version: as of :func:`assert_completes`.

    Raises:
        AssertionError: a requirement does not hold; the message has the statistics of the runs.
        BadRequirement: a requirement cannot be read, or is not one of such an object.
        BadScenario, BadQuestion, InputError, SimulationTooLarge, TypeError: as of
            :func:`jobsworth.simulate`.
    """
    __tracebackhide__ = True
    simulation = simulate(
        manifest,
        scenario,
        runs=runs,
        seed=seed,
        drain=drain,
        spot=spot,
        kubernetes_version=kubernetes_version,
    )
    _check(simulation, requirements)


def _check(simulation: Simulation, requirements: Sequence[str]) -> None:
    __tracebackhide__ = True
    results = [simulation.check(requirement) for requirement in requirements]
    failed = [str(result) for result in results if not result.holds]
    if failed:
        scenario = f"{simulation.kind} {simulation.first_run.name}, scenario {simulation.scenario}:"
        lines = [*failed, "", scenario, *statistics_lines(simulation.statistics)]
        raise AssertionError("\n".join(map(printable, lines)).rstrip())
