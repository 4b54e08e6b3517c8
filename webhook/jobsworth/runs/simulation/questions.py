"""Questions about a Job as additions to a scenario: a drain, spot nodes, a lost node, a restart, a typo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.findings.durations import nanoseconds_of
from jobsworth.findings.near_names import did_you_mean
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTIONS
from kube_cel.formats import duration

Document = dict[str, Any]

DISTRIBUTIONS = ("uniform", "exponential", "normal", "logNormal", "weibull")
"""Those that can be written in one word: ``logNormal:median=2h,p95=5h``."""
WEBHOOK_AWAY = 'failed calling webhook "validate.jobsworth.dev": connection refused'
RESTART_SECONDS = 15
"""Seconds without a controller: the lease of kube-controller-manager (``--leader-elect-lease-duration``)."""
_WORDS = {
    "duration": "duration",
    "drain": "drain",
    "node_lost": "node lost",
    "controller_restart": "controller restart",
    "run_now": "run now",
    "webhook_away": "webhook away",
    "delete_job": "Job deleted",
    "spot": "spot",
}
"""The name of each question in that of the scenario."""
_TIMES = {"run_now": "runNow", "delete_job": "deleteJob"}
"""The field of each question that is a list of times."""
_MAX_PODS = 10**6


class BadQuestion(ValueError):
    """A question that cannot be read.

    Attributes:
        question: its name, such as ``node_lost``.
        problem: what is wrong, and what would be right.
    """

    def __init__(self, question: str, problem: str) -> None:
        super().__init__(question, problem)
        self.question = question
        self.problem = problem

    def __str__(self) -> str:
        """Return the question and the problem in one line."""
        return f"{self.question}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions, as a user writes them; empty where none is asked.

    Attributes:
        duration: how long Pods run: ``2h``, or a distribution: ``logNormal:median=2h,p95=5h``.
        drain: when a drain evicts Pods, and how many: ``1h:2``; without a number one.
        spot: after how long, on average, the spot node of a Pod is reclaimed: ``8h``; with a cause, how its
            Pods end: ``8h:EvictionAPI``; by default SpotReclaim.
        node_lost: when a node with a Pod is lost, or with several: ``30m``, ``30m:3``.
        controller_restart: when the controllers restart: ``1h``.
        image_typo: the image of the Pods cannot be pulled.
        run_now: when a user creates a Job from the CronJob (``kubectl create job --from``): ``30m``.
        webhook_away: from when and for how long a webhook rejects every Job of a CronJob: ``2h:20m``.
        delete_job: when a user deletes the Jobs that are not finished: ``30m``.
    """

    duration: str = ""
    drain: tuple[str, ...] = ()
    spot: str = ""
    node_lost: tuple[str, ...] = ()
    controller_restart: tuple[str, ...] = ()
    image_typo: bool = False
    run_now: tuple[str, ...] = ()
    webhook_away: tuple[str, ...] = ()
    delete_job: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """Return the questions in words, for the name of the scenario."""
        asked = [
            f"{words} {each}"
            for name, words in _WORDS.items()
            for each in _each(getattr(self, name))
        ]
        return [*asked, "image typo"] if self.image_typo else asked

    def __bool__(self) -> bool:
        """Return True if anything is asked."""
        return bool(self.words())


def with_questions(document: Document, questions: Questions) -> Document:
    """Return a JobScenario document with what the questions add, named after them.

    Raises:
        BadQuestion: a time or a number of Pods is none.
    """
    spec = dict(document["spec"])
    disruptions = [
        *(spec.get("disruptions") or ()),
        *({"cause": "EvictionAPI", **_at("drain", each)} for each in questions.drain),
        *({"cause": "NodeLost", **_at("node_lost", each)} for each in questions.node_lost),
    ]
    if questions.spot:
        mean, colon, cause = questions.spot.partition(":")
        _check_time("spot", mean)
        if colon and cause not in DISRUPTIONS:
            hint = did_you_mean(cause, DISRUPTIONS) or f"use one of {', '.join(DISRUPTIONS)}"
            raise BadQuestion("spot", f'"{cause}" is not a cause of a disruption: {hint}')
        after = {"exponential": {"mean": mean}}
        disruptions.append({"cause": cause or "SpotReclaim", "after": after})
    if disruptions:
        spec["disruptions"] = disruptions
    if questions.duration:
        spec["pods"] = {**(spec.get("pods") or {}), "duration": _durations(questions.duration)}
    for name, field in _TIMES.items():
        if times := _each(getattr(questions, name)):
            for time in times:
                _check_time(name, time)
            spec[field] = [*_each(spec.get(field)), *times]
    if questions.webhook_away:
        away = map(_webhook_away, questions.webhook_away)
        spec["rejections"] = [*(spec.get("rejections") or ()), *away]
    if questions.controller_restart:
        restarts = [
            _period("controller_restart", time, f"{RESTART_SECONDS}s")
            for time in questions.controller_restart
        ]
        spec["controllerAway"] = [*(spec.get("controllerAway") or ()), *restarts]
    if questions.image_typo:
        pods = {**(spec.get("pods") or {}), "cause": Cause.IMAGE_PULL.value}
        pods.pop("startup", None)
        pods.pop("cases", None)
        spec["pods"] = pods
    metadata = document.get("metadata") or {}
    name = ", ".join([metadata.get("name") or "unnamed", *questions.words()])
    return {**document, "metadata": {**metadata, "name": name}, "spec": spec}


def _each(value: str | Sequence[str] | None) -> Sequence[str]:
    """Return the values of a question, or of a field that has one or several."""
    return (value,) if isinstance(value, str) and value else value or ()


def _durations(text: str) -> str | Document:
    """Return the duration of Pods, as a scenario has it; the reader of scenarios checks its values."""
    name, colon, values = text.partition(":")
    if not colon:
        _check_time("duration", text)
        return text
    pairs = [each.partition("=") for each in values.split(",")]
    if name not in DISTRIBUTIONS or not all(equals and value for _, equals, value in pairs):
        raise BadQuestion(
            "duration",
            f'"{text}" is not a duration such as 2h, or a distribution such as logNormal:median=2h,p95=5h '
            f"({', '.join(DISTRIBUTIONS)})",
        )
    return {
        name: {
            key: float(value) if key == "shape" and value.replace(".", "", 1).isdecimal() else value
            for key, _, value in pairs
        }
    }


def _webhook_away(text: str) -> Document:
    time, _, length = text.partition(":")
    return {**_period("webhook_away", time, length), "of": "Jobs", "message": WEBHOOK_AWAY}


def _period(question: str, time: str, length: str) -> Document:
    """Return a period of a scenario from a time on."""
    for each in (time, length):
        _check_time(question, each)
    return {"from": time, "until": f"{time}{length}"}


def _at(question: str, text: str) -> Document:
    """Return the time and the number of Pods of ``1h:2``."""
    time, colon, number = text.partition(":")
    if colon and not (number.isdecimal() and 1 <= int(number) <= _MAX_PODS):
        raise BadQuestion(
            question,
            f'"{number}" is not a number of Pods from 1 to {_MAX_PODS:,}. Write, for example, 1h:2',
        )
    _check_time(question, time)
    return {"at": time, "pods": int(number or 1)}


def _check_time(question: str, text: str) -> None:
    try:
        valid = nanoseconds_of(text) > 0
    except duration.BadDuration:
        valid = False
    if not valid:
        raise BadQuestion(question, f'"{text}" is not a duration such as 30m or 1h30m')
