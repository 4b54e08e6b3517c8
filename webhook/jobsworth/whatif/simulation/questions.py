"""Questions about a Job as additions to a scenario: a drain, spot nodes, a lost node, a restart, a typo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jobsworth.api.formats import duration
from jobsworth.whatif.pending_causes import IMAGE_PULL

Document = dict[str, Any]

RESTART_SECONDS = 15
"""Seconds without a controller: the lease of kube-controller-manager (``--leader-elect-lease-duration``)."""
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
        drain: when a drain evicts running Pods, and how many: ``1h:2``; without a number one.
        spot: after how long, on average, the spot node of a Pod is reclaimed: ``8h``.
        node_lost: when a node with a Pod is lost, or with several: ``30m``, ``30m:3``.
        controller_restart: when the controllers restart: ``1h``.
        image_typo: the image of the Pods cannot be pulled.
        run_now: when a user creates a Job from the CronJob (``kubectl create job --from``): ``30m``.
    """

    drain: tuple[str, ...] = ()
    spot: str = ""
    node_lost: tuple[str, ...] = ()
    controller_restart: tuple[str, ...] = ()
    image_typo: bool = False
    run_now: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """Return the questions in words, for the name of the scenario."""
        asked = [
            *(f"drain {each}" for each in self.drain),
            *(f"node lost {each}" for each in self.node_lost),
            *(f"controller restart {each}" for each in self.controller_restart),
            *(f"run now {each}" for each in self.run_now),
        ]
        asked += [f"spot {self.spot}"] if self.spot else []
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
        _check_time("spot", questions.spot)
        after = {"exponential": {"mean": questions.spot}}
        disruptions.append({"cause": "SpotReclaim", "after": after})
    if disruptions:
        spec["disruptions"] = disruptions
    if questions.run_now:
        for time in questions.run_now:
            _check_time("run_now", time)
        spec["runNow"] = [*(spec.get("runNow") or ()), *questions.run_now]
    if questions.controller_restart:
        for time in questions.controller_restart:
            _check_time("controller_restart", time)
        restarts = [
            {"from": time, "until": f"{time}{RESTART_SECONDS}s"}
            for time in questions.controller_restart
        ]
        spec["controllerAway"] = [*(spec.get("controllerAway") or ()), *restarts]
    if questions.image_typo:
        pods = {**(spec.get("pods") or {}), "cause": IMAGE_PULL}
        pods.pop("startup", None)
        pods.pop("cases", None)
        spec["pods"] = pods
    metadata = document.get("metadata") or {}
    name = ", ".join([metadata.get("name") or "unnamed", *questions.words()])
    return {**document, "metadata": {**metadata, "name": name}, "spec": spec}


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
        valid = duration.parse(text) > 0
    except duration.BadDuration:
        valid = False
    if not valid:
        raise BadQuestion(question, f'"{text}" is not a duration such as 30m or 1h30m')
