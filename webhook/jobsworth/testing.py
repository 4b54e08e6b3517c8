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

import os
from collections.abc import Mapping, Sequence
from typing import Any

from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.findings.finding import THRESHOLDS, Threshold
from jobsworth.findings.result import INVALID, VALID
from jobsworth.library.arguments import api_server, check_type, documents, shown, texts
from jobsworth.library.documents import documents_of, text_of
from jobsworth.library.manifests import Manifest, is_list, manifest_of
from jobsworth.library.simulations import checked_simulation, duration_text, times
from jobsworth.lint.catalogue import UnknownCode
from jobsworth.lint.selection import ignored
from jobsworth.printable import printable
from jobsworth.reports.text import render
from jobsworth.reports.timelines.statistics_text import statistics_lines
from jobsworth.runs.simulation.questions import Questions

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
        TypeError: an object is neither a mapping nor a model, a value in it has no form in JSON, or another
            argument has another type.
        ValueError: `fail_on` is not a severity; `ignore` has a code that is unknown or cannot be ignored.
        UnknownKind: an object has the keys of ``to_dict()`` of the kubernetes package.
        UsageError: the configuration or a policy is wrong.
        UnknownRelease: the release is not known.
    """
    __tracebackhide__ = True
    if fail_on not in (None, *THRESHOLDS):
        raise ValueError(f"fail_on must be one of {', '.join(THRESHOLDS)}, not {shown(fail_on)}")
    for name, value in (("namespace", namespace), ("kubernetes_version", kubernetes_version)):
        check_type(name, value or "", str, "a str")
    api_server(kubernetes_version)
    settings = Settings(
        release=kubernetes_version,
        ignore=_ignored(ignore),
        policy=_paths(policies) or None,
        fail_on=fail_on,
        namespace=namespace,
    )
    evaluator = FileEvaluator(Configurations(settings, isolated=isolated))
    if is_list(manifest):
        given = [manifest_of(each, f"manifest[{number}]") for number, each in enumerate(manifest)]
    else:
        given = [manifest_of(manifest, or_list=True)]
    text = text_of(given)
    results = evaluator.documents(text, documents_of(given, text))
    failing = [result for result in results if result.fails]
    if not failing and not any(result.status in (VALID, INVALID) for result in results):
        raise AssertionError(f"no Job, CronJob or JobSet among {len(given)} objects")
    if failing:
        lines = [line for result in failing for line in render(result, color=False, infos=False)]
        raise AssertionError(
            "\n".join([f"{len(failing)} of {len(given)} objects fail:", "", *lines]).rstrip()
        )


def _paths(policies: object) -> tuple[str, ...]:
    paths = documents("policies", policies, "paths")
    for number, path in enumerate(paths):
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"policies[{number}] must be the path of a file, not {shown(path)}")
    return tuple(map(str, paths))


def _ignored(codes: Sequence[str]) -> frozenset[str]:
    try:
        return ignored(texts("ignore", codes, "codes"))
    except UnknownCode as error:
        raise ValueError(f"ignore: {error}") from None


def assert_completes(
    manifest: Manifest,
    scenario: Scenario = None,
    *,
    at_least: float = 0.95,
    within: str | None = None,
    runs: int = 100,
    seed: int = 1,
    duration: str = "",
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
        duration: let Pods run for so long: ``2h``, or a distribution: ``logNormal:median=2h,p95=5h``.
        drain: evict running Pods: when, and how many, such as ``1h:2``; several in a tuple.
        spot: reclaim the spot node of each Pod, on average after it has run for so long: ``8h``.
        kubernetes_version: the server's release, such as ``1.36``.

    Raises:
        AssertionError: too few runs complete; the message has the statistics of the runs.
        BadRequirement: the object is a CronJob; nothing is simulated then.
        ValueError: `at_least` is not from 0 to 1.
        BadScenario, BadQuestion, InputError, SimulationTooLarge, TypeError, UnknownKind: as of
            :func:`jobsworth.simulate`.
    """
    __tracebackhide__ = True
    if isinstance(at_least, bool) or not isinstance(at_least, int | float):
        raise TypeError(f"at_least must be a number from 0 to 1, not {shown(at_least)}")
    if not 0 <= at_least <= 1:
        raise ValueError(f"at_least must be a share from 0 to 1, such as 0.95, not {at_least}")
    _simulated(
        (f"complete >= {at_least}",),
        manifest,
        scenario,
        runs=runs,
        seed=seed,
        within=within,
        duration=duration,
        drain=drain,
        spot=spot,
        kubernetes_version=kubernetes_version,
    )


def assert_simulation(
    manifest: Manifest,
    *requirements: str,
    scenario: Scenario = None,
    runs: int = 100,
    seed: int = 1,
    duration: str = "",
    drain: str | tuple[str, ...] = (),
    spot: str = "",
    kubernetes_version: str | None = None,
) -> None:
    """Assert requirements on the simulated runs of a Job, CronJob or JobSet.

    Args:
        manifest: a mapping as in a manifest, or a model of the kubernetes package.
        requirements: as of ``jobsworth simulate --assert``: ``time.p95 <= 2h``, ``failedIndexes <= 1``; of a
            CronJob ``missed <= 0``.
        scenario, runs, seed, duration, drain, spot, kubernetes_version: as of :func:`assert_completes`.

    Raises:
        AssertionError: a requirement does not hold; the message has the statistics of the runs.
        BadRequirement: a requirement cannot be read, or is not one of such an object; nothing is simulated
            then.
        TypeError: there is no requirement.
        BadScenario, BadQuestion, InputError, SimulationTooLarge, TypeError, UnknownKind: as of
            :func:`jobsworth.simulate`.
    """
    __tracebackhide__ = True
    if not requirements:
        raise TypeError(
            "requirements must not be empty: pass at least one, such as complete >= 0.95"
        )
    _simulated(
        requirements,
        manifest,
        scenario,
        runs=runs,
        seed=seed,
        duration=duration,
        drain=drain,
        spot=spot,
        kubernetes_version=kubernetes_version,
    )


def _simulated(
    requirements: Sequence[str],
    manifest: Manifest,
    scenario: Scenario,
    *,
    runs: int,
    seed: int,
    duration: str,
    drain: str | tuple[str, ...],
    spot: str,
    kubernetes_version: str | None,
    within: str | None = None,
) -> None:
    """Assert requirements on simulated runs; a requirement that cannot be checked ends it before them."""
    __tracebackhide__ = True
    simulation = checked_simulation(
        requirements,
        manifest,
        scenario,
        Questions(
            duration=duration_text("duration", duration),
            drain=times("drain", drain),
            spot=duration_text("spot", spot),
        ),
        api_server(kubernetes_version),
        runs=runs,
        seed=seed,
        until=within,
        until_name="within",
    )
    results = [simulation.check(requirement) for requirement in requirements]
    failed = [str(result) for result in results if not result.holds]
    if failed:
        scene = f"{simulation.kind} {simulation.first_run.name}, scenario {simulation.scenario}:"
        lines = [*failed, "", scene, *statistics_lines(simulation.statistics)]
        raise AssertionError("\n".join(map(printable, lines)).rstrip())
