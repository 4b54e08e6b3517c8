"""What the product does with an object, each as an action whose cost can be measured.

>>> sorted(ACTIONS)
['default', 'evaluate', 'mutate a create', 'mutate an update', 'report', 'validate a create', 'validate an update']
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import jobsworth
from jobsworth import CannotDecode, UnknownKind
from jobsworth.api.api_server import ApiServer
from jobsworth.cli.reporting import REPORT_FORMATS
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.resolved_settings import ResolvedSettings
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator
from jobsworth.findings.summary import Omissions
from jobsworth.lint.linter import RULES
from jobsworth.lint.selection import Selection
from support.scaling.cost_growth import Action
from support.scaling.counted_comparisons import CountingEngine
from support.scaling.hostile_requests import Objects, Reviewed, bodies, worked_policies

SERVER = ApiServer("1.36")
REPORTS = ("text", "json", "sarif")


@cache
def _selection() -> Selection:
    return Selection(select=frozenset(rule.code for rule in RULES))


@cache
def _evaluator() -> Evaluator:
    """An evaluator with every lint rule and the worked policies; comparisons are calls."""
    evaluator = Evaluator(SERVER, _selection(), worked_policies())
    evaluator._engine = CountingEngine(SERVER)
    return evaluator


def _evaluate(objects: Objects) -> Action:
    new, old = objects

    def action() -> object:
        created = _evaluator().evaluate(Subject(new, written=str)).findings
        return created, _evaluator().evaluate(Subject(new, old=old, written=str)).findings

    return action


class _EveryRule(Configurations):
    """Settings with every lint rule, for any file."""

    def __init__(self) -> None:
        super().__init__(isolated=True)
        self._all = ResolvedSettings(SERVER, _selection())

    def of(self, path: str) -> ResolvedSettings:
        return self._all


@cache
def _files() -> FileEvaluator:
    return FileEvaluator(_EveryRule(), options=EvaluationOptions(propose_changes=True))


def _report(objects: Objects) -> Action:
    data = json.dumps(objects[0], indent=1).encode()

    def action() -> object:
        results = _files().text("job.json", data)
        written = []
        for name in REPORTS:
            reporter = REPORT_FORMATS[name]
            render = reporter.renderer(
                color=False,
                infos=True,
                statistics=False,
                verbose=True,
                width=80,
                omissions=Omissions(),
            )
            written.append(
                render(results) if reporter.whole else [list(render(result)) for result in results]
            )
        return written

    return action


def _default(objects: Objects) -> Action:
    def action() -> object:
        try:
            return jobsworth.default(objects[0], kubernetes_version="1.36")
        except (CannotDecode, UnknownKind) as error:
            return str(error)

    return action


@cache
def reviewed() -> Reviewed:
    """A webhook with the worked policies."""
    return Reviewed(SERVER)


def _reviewing(operation: str, endpoint: str) -> Callable[[Objects], Action]:
    def made(objects: Objects) -> Action:
        requests = bodies(objects)
        body = requests.get((f"{operation} as CronJob", endpoint), requests[operation, endpoint])
        return lambda: reviewed()(endpoint, body)

    return made


ACTIONS: dict[str, Callable[[Objects], Action]] = {
    "evaluate": _evaluate,
    "report": _report,
    "default": _default,
    "mutate a create": _reviewing("create", "mutate"),
    "mutate an update": _reviewing("update", "mutate"),
    "validate a create": _reviewing("create", "validate"),
    "validate an update": _reviewing("update", "validate"),
}
"""By name, functions that take an object and a slightly different one, and return the action."""
