"""Reader of JobScenario documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jobsworth.controller.times import read_time
from jobsworth.documents.declared import read_value
from jobsworth.documents.schema_errors import SchemaProblem, problems
from jobsworth.findings.durations import nanoseconds_of
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTIONS
from jobsworth.runs.simulation.distributions import (
    Distribution,
    Exponential,
    Fixed,
    LogNormal,
    Normal,
    Observed,
    Uniform,
    Weibull,
)
from jobsworth.runs.simulation.scenario import (
    DEFAULT_START,
    DEFAULT_UNTIL,
    KIND,
    CapacityChange,
    Disruption,
    NumberRanges,
    PodCase,
    PodSelector,
    Rejections,
    Scenario,
    SpecChange,
    read_ranges,
)
from jobsworth.runs.simulation.scenario_document import (
    PATTERNS,
    Case,
    DisruptionEvent,
    ExponentialSpread,
    JobScenario,
    Life,
    LogNormalSpread,
    NormalSpread,
    Period,
    Pods,
    Selected,
    Spread,
    UniformSpread,
    WeibullSpread,
    scenario_schema,
)
from jobsworth.runs.virtual_time import NEVER
from kube_cel.formats import duration

REJECTED = "exceeded quota"
_QUOTA_PERIOD = "give the period of a case with from and until: a quota rejects every Pod"
OPTION_NAMES = {"spec.from": "the field is spec.start; --from is its option"}
"""Hints for fields that are called like an option of simulate."""
_MAX_MILLISECONDS = 100 * 365 * 86_400_000


class BadScenario(ValueError):
    """A document that is not a valid scenario.

    Attributes:
        problems: every problem, in the order of the document.
    """

    def __init__(self, found: tuple[SchemaProblem, ...]) -> None:
        super().__init__("; ".join(map(str, found)))
        self.problems = found


def is_scenario(document: object) -> bool:
    """Return True if a document declares itself a JobScenario."""
    return isinstance(document, dict) and document.get("kind") == KIND


def read_scenario(document: object) -> Scenario:
    """Read a JobScenario from its JSON object.

    Raises:
        BadScenario: it is invalid; the exception lists every problem.
    """
    found = tuple(map(_with_option_hint, problems(document, scenario_schema(), PATTERNS)))
    if not found and isinstance(document, dict):
        found = tuple(_contradictions(document["spec"]))
    if found or not isinstance(document, dict):
        raise BadScenario(found)
    return scenario_of(document)


def _with_option_hint(problem: SchemaProblem) -> SchemaProblem:
    """Return a problem with the field that has the meaning of an option of the same name."""
    hint = OPTION_NAMES.get(problem.field)
    return problem if hint is None else SchemaProblem(problem.field, problem.message, hint)


def _contradictions(spec: dict[str, Any]) -> Iterator[SchemaProblem]:
    """Yield the problems that a schema cannot express."""
    start = spec.get("start")
    if start is not None and read_time(start) is None:
        yield SchemaProblem("spec.start", f'"{start}" is not a date of the calendar')
    for number, disruption in enumerate(spec.get("disruptions") or ()):
        path = f"spec.disruptions[{number}]"
        timed = [name for name in ("at", "every", "after") if name in disruption]
        if not timed:
            yield SchemaProblem(
                path,
                "has no time",
                "set at (times of the scenario), every, or after (time that a Pod has run)",
            )
        elif "after" in timed and len(timed) > 1:
            yield SchemaProblem(
                f"{path}.after", f"cannot be combined with {timed[0]}", "write two disruptions"
            )
        for name in ("pods", "share"):
            if name in disruption and "after" in timed:
                yield SchemaProblem(f"{path}.{name}", "has no effect with after", "set probability")
        if "pods" in disruption and "share" in disruption:
            yield SchemaProblem(
                f"{path}.share", "cannot be combined with pods", "remove one of the two"
            )
        if disruption.get("every") == "0":
            yield SchemaProblem(f"{path}.every", "must be longer than 0")
        if "nodeGoneAfter" in disruption and disruption["cause"] != "NodeLost":
            yield SchemaProblem(f"{path}.nodeGoneAfter", "is only for the cause NodeLost")
    pods = spec.get("pods") or {}
    if pods.get("cause") == Cause.QUOTA and "startup" in pods:
        yield SchemaProblem("spec.pods.startup", "has no effect with cause Quota", _QUOTA_PERIOD)
    for number, case in enumerate(pods.get("cases") or ()):
        if case.get("cause") == Cause.QUOTA:
            for name in case.keys() - {"cause", "from", "until"}:
                path = f"spec.pods.cases[{number}].{name}"
                yield SchemaProblem(path, "has no effect with cause Quota", _QUOTA_PERIOD)
    yield from _wrong_distributions(spec, "spec")


def _wrong_distributions(value: Any, path: str) -> Iterator[SchemaProblem]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _wrong_distributions(item, f"{path}[{number}]")
    elif isinstance(value, dict):
        for name, below in value.items():
            at = f"{path}.{name}"
            if name == "uniform" and milliseconds(below["min"]) > milliseconds(below["max"]):
                yield SchemaProblem(f"{at}.max", "must not be shorter than min")
            elif name == "logNormal" and not (
                0 < milliseconds(below["median"]) <= milliseconds(below["p95"])
            ):
                yield SchemaProblem(
                    f"{at}.p95", "must not be shorter than median, which must be longer than 0"
                )
            elif name not in ("spec", "changes"):
                yield from _wrong_distributions(below, at)


def milliseconds(text: str) -> int:
    """Return a duration, of at most a hundred years, in milliseconds.

    >>> milliseconds("1h30m"), milliseconds("never") == NEVER
    (5400000, True)
    """
    if text == "never":
        return NEVER
    try:
        return min(nanoseconds_of(text) // 10**6, _MAX_MILLISECONDS)
    except duration.BadDuration:
        return _MAX_MILLISECONDS  # the schema has checked its form: it exceeds the 292 years of Go


def scenario_of(value: object) -> Scenario:
    """Return the scenario of a document that matches the schema.

    It needs no schema library, which the Python of a browser does not have.
    """
    document = read_value(JobScenario, value)
    spec, usual = document.spec, Scenario()
    pods = spec.pods or Pods()
    cases, rejections = pods.cases or (), spec.rejections or ()
    code = pods.termination_exit_code
    return Scenario(
        name=(document.metadata.name if document.metadata else "") or "unnamed",
        description=spec.description,
        start=read_time(spec.start) or DEFAULT_START,
        until=_time(spec.until, DEFAULT_UNTIL),
        startup=_startup(pods) or usual.startup,
        pending=_pending(pods),
        duration=_distribution(pods.duration) or usual.duration,
        termination=_distribution(pods.termination) or usual.termination,
        termination_exit_code=usual.termination_exit_code if code is None else code,
        cases=tuple(_case(case) for case in cases if case.cause != Cause.QUOTA),
        disruptions=tuple(map(_disruption, spec.disruptions or ())),
        capacity=tuple(
            CapacityChange(milliseconds(each.at), each.pods) for each in spec.capacity or ()
        ),
        rejections=(
            *(
                Rejections(
                    *_period(each), REJECTED if each.message is None else each.message, each.of
                )
                for each in rejections
            ),
            *([Rejections(0, NEVER, REJECTED)] if pods.cause == Cause.QUOTA else ()),
            *(
                Rejections(_time(each.since, 0), _time(each.until, NEVER), REJECTED)
                for each in cases
                if each.cause == Cause.QUOTA
            ),
        ),
        changes=tuple(SpecChange(milliseconds(each.at), each.spec) for each in spec.changes or ()),
        away=tuple(map(_period, spec.controller_away or ())),
        manual_runs=_times(spec.run_now),
        deletions=_times(spec.delete_job),
        local=is_local(spec.start),
    )


def is_local(start: str | None) -> bool:
    """Return True for a start of a simulation without Z or offset, which is not a date alone.

    >>> [is_local(text) for text in ("2027-03-27", "2027-03-27T01:30Z", "2027-03-27T01:30")]
    [False, False, True]
    """
    return start is not None and re.search("T[0-9:]+$", start) is not None


def _case(case: Case) -> PodCase:
    return PodCase(
        selector=_selector(case),
        startup=_startup(case),
        pending=_pending(case),
        duration=_distribution(case.duration),
        exit_code=case.exit_code,
        reason=case.reason or "",
        container=case.container or "",
        termination=_distribution(case.termination),
        termination_exit_code=case.termination_exit_code,
    )


def _startup(life: Life) -> Distribution | None:
    """Return the startup of some Pods; with a cause and without a time they never start."""
    if _pending(life) and life.startup is None:
        return Fixed(NEVER)
    return _distribution(life.startup)


def _pending(life: Life) -> Cause | None:
    return None if life.cause in (None, Cause.QUOTA) else Cause(life.cause)


def _disruption(event: DisruptionEvent) -> Disruption:
    return Disruption(
        cause=DISRUPTIONS[event.cause],
        name=event.cause,
        selector=_selector(event),
        times=_times(event.at),
        every=_distribution(event.every),
        pods=event.pods,
        share=event.share,
        after=_distribution(event.after),
        grace=None if event.grace_period is None else milliseconds(event.grace_period),
        node_gone=_time(event.node_gone_after, NEVER),
    )


def _selector(selected: Selected) -> PodSelector:
    return PodSelector(
        indexes=_ranges(selected.indexes),
        attempts=_ranges(selected.attempts),
        runs=_ranges(selected.runs),
        replicated_jobs=_all(selected.replicated_jobs),
        since=_time(selected.since, 0),
        until=_time(selected.until, NEVER),
        probability=1.0 if selected.probability is None else selected.probability,
    )


def _ranges(value: str | int | None) -> NumberRanges | None:
    return None if value is None else read_ranges(value)


def _period(period: Period) -> tuple[int, int]:
    return milliseconds(period.since), milliseconds(period.until)


def _times(value: str | list[str] | None) -> tuple[int, ...]:
    return tuple(map(milliseconds, _all(value)))


def _all(value: str | list[str] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _time(value: str | None, default: int) -> int:
    return default if value is None else milliseconds(value)


def _distribution(value: str | Spread | None) -> Distribution | None:
    match value:
        case None:
            return None
        case str():
            return Fixed(milliseconds(value))
        case Spread(uniform=UniformSpread(min=least, max=greatest)):
            return Uniform(milliseconds(least), milliseconds(greatest))
        case Spread(exponential=ExponentialSpread(mean=mean)):
            return Exponential(milliseconds(mean))
        case Spread(normal=NormalSpread(mean=mean, deviation=deviation)):
            return Normal(milliseconds(mean), milliseconds(deviation))
        case Spread(log_normal=LogNormalSpread(median=median, p95=p95)):
            return LogNormal(milliseconds(median), milliseconds(p95))
        case Spread(weibull=WeibullSpread(scale=scale, shape=shape)):
            return Weibull(milliseconds(scale), shape)
    return Observed(tuple(map(milliseconds, value.observed or ())))
