"""Reader of JobScenario documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.formats import duration
from jobsworth.controller.times import read_time
from jobsworth.schema_errors import SchemaProblem, problems
from jobsworth.whatif.failure_causes import DISRUPTIONS
from jobsworth.whatif.pending_causes import QUOTA
from jobsworth.whatif.simulation.distributions import (
    Distribution,
    Exponential,
    Fixed,
    LogNormal,
    Normal,
    Observed,
    Uniform,
    Weibull,
)
from jobsworth.whatif.simulation.number_ranges import read_ranges
from jobsworth.whatif.simulation.scenario import (
    DEFAULT_START,
    DEFAULT_UNTIL,
    KIND,
    CapacityChange,
    Disruption,
    PodCase,
    PodSelector,
    Rejections,
    Scenario,
    SpecChange,
)
from jobsworth.whatif.simulation.scenario_schema import PATTERNS, scenario_schema
from jobsworth.whatif.virtual_time import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.simulation.number_ranges import NumberRanges

REJECTED = "exceeded quota"
_QUOTA_PERIOD = "give the period of a case with from and until: a quota rejects every Pod"
OPTION_NAMES = {"spec.from": "the field is spec.start; --from is its option"}
"""Hints for fields that are called like an option of simulate."""
_MAX_MILLISECONDS = 100 * 365 * 86_400_000


class BadScenario(ValueError):
    """A document that is no valid scenario.

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
    if pods.get("cause") == QUOTA and "startup" in pods:
        yield SchemaProblem("spec.pods.startup", "has no effect with cause quota", _QUOTA_PERIOD)
    for number, case in enumerate(pods.get("cases") or ()):
        if case.get("cause") == QUOTA:
            for name in case.keys() - {"cause", "from", "until"}:
                path = f"spec.pods.cases[{number}].{name}"
                yield SchemaProblem(path, "has no effect with cause quota", _QUOTA_PERIOD)
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
        return min(duration.parse(text) // 10**6, _MAX_MILLISECONDS)
    except duration.BadDuration:
        return _MAX_MILLISECONDS  # the schema has checked its form: it exceeds the 292 years of Go


def scenario_of(document: dict[str, Any]) -> Scenario:
    """Return the scenario of a document that matches the schema.

    It needs no schema library, which the Python of a browser does not have.
    """
    spec = document["spec"]
    pods = spec.get("pods") or {}
    usual = Scenario()
    return Scenario(
        name=(document.get("metadata") or {}).get("name") or "unnamed",
        description=spec.get("description", ""),
        start=read_time(spec.get("start")) or DEFAULT_START,
        until=_time(spec, "until", DEFAULT_UNTIL),
        startup=_startup(pods) or usual.startup,
        pending=_pending(pods),
        duration=_distribution(pods.get("duration")) or usual.duration,
        termination=_distribution(pods.get("termination")) or usual.termination,
        termination_exit_code=pods.get("terminationExitCode", usual.termination_exit_code),
        cases=tuple(_case(case) for case in pods.get("cases") or () if case.get("cause") != QUOTA),
        disruptions=tuple(map(_disruption, spec.get("disruptions") or ())),
        capacity=tuple(
            CapacityChange(milliseconds(each["at"]), each["pods"])
            for each in spec.get("capacity") or ()
        ),
        rejections=(
            *(
                Rejections(*_period(each), each.get("message", REJECTED))
                for each in spec.get("rejections") or ()
            ),
            *(
                Rejections(_time(each, "from", 0), _time(each, "until", NEVER), REJECTED)
                for each in (pods, *(pods.get("cases") or ()))
                if each.get("cause") == QUOTA
            ),
        ),
        changes=tuple(
            SpecChange(milliseconds(each["at"]), each["spec"]) for each in spec.get("changes") or ()
        ),
        away=tuple(map(_period, spec.get("controllerAway") or ())),
        manual_runs=_times(spec, "runNow"),
    )


def _case(case: dict[str, Any]) -> PodCase:
    return PodCase(
        selector=_selector(case),
        startup=_startup(case),
        pending=_pending(case),
        duration=_distribution(case.get("duration")),
        exit_code=case.get("exitCode", 0),
        reason=case.get("reason", ""),
        container=case.get("container", ""),
        termination=_distribution(case.get("termination")),
        termination_exit_code=case.get("terminationExitCode"),
    )


def _startup(part: dict[str, Any]) -> Distribution | None:
    """Return the startup of some Pods; with a cause and without a time they never start."""
    if _pending(part) and "startup" not in part:
        return Fixed(NEVER)
    return _distribution(part.get("startup"))


def _pending(part: dict[str, Any]) -> str:
    cause: str = part.get("cause", "")
    return "" if cause == QUOTA else cause


def _disruption(disruption: dict[str, Any]) -> Disruption:
    grace = disruption.get("gracePeriod")
    return Disruption(
        cause=DISRUPTIONS[disruption["cause"]],
        name=disruption["cause"],
        selector=_selector(disruption),
        times=_times(disruption, "at"),
        every=_distribution(disruption.get("every")),
        pods=disruption.get("pods"),
        share=disruption.get("share"),
        after=_distribution(disruption.get("after")),
        grace=None if grace is None else milliseconds(grace),
        node_gone=_time(disruption, "nodeGoneAfter", NEVER),
    )


def _selector(part: dict[str, Any]) -> PodSelector:
    return PodSelector(
        indexes=_ranges(part, "indexes"),
        attempts=_ranges(part, "attempts"),
        runs=_ranges(part, "runs"),
        replicated_jobs=_names(part, "replicatedJobs"),
        since=_time(part, "from", 0),
        until=_time(part, "until", NEVER),
        probability=part.get("probability", 1.0),
    )


def _ranges(part: dict[str, Any], name: str) -> NumberRanges | None:
    return read_ranges(part[name]) if name in part else None


def _names(part: dict[str, Any], name: str) -> tuple[str, ...]:
    names = part.get(name, ())
    return (names,) if isinstance(names, str) else tuple(names)


def _period(part: dict[str, Any]) -> tuple[int, int]:
    return milliseconds(part["from"]), milliseconds(part["until"])


def _times(part: dict[str, Any], name: str) -> tuple[int, ...]:
    times = part.get(name, ())
    return tuple(map(milliseconds, [times] if isinstance(times, str) else times))


def _time(part: dict[str, Any], name: str, default: int) -> int:
    return milliseconds(part[name]) if name in part else default


def _distribution(value: str | dict[str, Any] | None) -> Distribution | None:
    if value is None:
        return None
    if isinstance(value, str):
        return Fixed(milliseconds(value))
    ((name, given),) = value.items()
    if name == "observed":
        return Observed(tuple(map(milliseconds, given)))
    if name == "weibull":
        return Weibull(milliseconds(given["scale"]), given["shape"])
    if name == "uniform":
        return Uniform(milliseconds(given["min"]), milliseconds(given["max"]))
    if name == "exponential":
        return Exponential(milliseconds(given["mean"]))
    if name == "normal":
        return Normal(milliseconds(given["mean"]), milliseconds(given["deviation"]))
    return LogNormal(milliseconds(given["median"]), milliseconds(given["p95"]))
