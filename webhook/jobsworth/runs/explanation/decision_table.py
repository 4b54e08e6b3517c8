"""The decision table of a failure policy: all exit codes, conditions and causes, with their outcomes.

Exit codes that no rule distinguishes are one class (:mod:`jobsworth.lint.matched_failures`); the planner
decides for one code of each class, and classes with equal outcomes are merged. A table of two Jobs
distinguishes what either of them does, so each row has one outcome for each.

The rows are about a Pod in which one container failed, with at most one condition. In any other Pod the
first of the rules that match one of its facts decides, so these rows are enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jobsworth.controller import well_known_names
from jobsworth.controller.failure_policy import ConditionRule
from jobsworth.controller.pods import ACTIVE, TERMINATING, Termination
from jobsworth.lint.matched_failures import (
    ANY_OTHER_CODE,
    LINUX_EXIT_CODES,
    Facts,
    covering,
    facts_of,
    facts_of_each,
)
from jobsworth.runs.explanation.decision_rows import (
    ANY_REASON,
    NO_CODE,
    CodeRow,
    DecisionTable,
    NamedRow,
    Ranges,
    Results,
    RuleUse,
)
from jobsworth.runs.explanation.explained_job import INIT_CONTAINER, SIDECAR, ExplainedJob
from jobsworth.runs.explanation.failure_outcome import Outcome, Outcomes, failed_pod
from jobsworth.runs.failure_causes import (
    CAUSES,
    DISRUPTED,
    KNOWN_BUGS,
    NAMED_CODES,
    NAMED_WINDOWS_CODES,
    STANDING_CONDITIONS,
    FailureCause,
)
from jobsworth.runs.rule_wording import ranges_of


class _ComparedJob:
    """One Job of a table, and the planner's decisions about its Pods."""

    def __init__(self, job: ExplainedJob) -> None:
        self.job = job
        self.containers = {container.name: container for container in job.containers}
        self.outcomes = Outcomes(job.job, job.settings)
        self.unmarked = job.unmarked

    def of_code(
        self, name: str, code: int | None, reason: str, conditions: Sequence[str]
    ) -> Outcome | None:
        """Return the outcome of a container that ends so; None if the Job has no such container."""
        container = self.containers.get(name)
        if container is None:
            return None
        # The kubelet restarts no container of a Pod that it stops.
        if code is not NO_CODE and container.restarts(code) and DISRUPTED not in conditions:
            return self.outcomes.restarted()
        ended = () if code is NO_CODE else (Termination(name, code, reason),)
        return self.outcomes.of(failed_pod(self.job.job, ended, tuple(conditions)))

    def of_cause(self, cause: FailureCause, code: int | None, name: str) -> Outcome | None:
        """Return the outcome of a cause, with one of its exit codes."""
        marked = cause.condition and cause.name not in self.unmarked
        conditions = (
            *((cause.condition,) if marked else ()),
            *(STANDING_CONDITIONS if cause.standing else ()),
        )
        if name:
            return self.of_code(name, code, cause.reason, conditions)
        job = self.job.job
        if cause.state == "pending":
            pod = failed_pod(job, phase=well_known_names.PENDING, state=ACTIVE)
        elif cause.state == "terminating":
            pod = failed_pod(job, (), conditions, phase=well_known_names.RUNNING, state=TERMINATING)
        else:
            # An init container has exited with 0 when the others run.
            ended = [
                Termination(container.name, code, cause.reason)
                for container in self.job.containers
                if code is not NO_CODE and container.role != INIT_CONTAINER
            ]
            pod = failed_pod(job, tuple(ended), conditions)
        return self.outcomes.of(pod)


class _DistinguishedFailures:
    """The exit codes, conditions, reasons and containers that the rules of some Jobs distinguish."""

    def __init__(self, sides: Sequence[_ComparedJob]) -> None:
        self._sides = sides
        jobs = [side.job for side in sides]
        self.names = list(
            dict.fromkeys(container.name for job in jobs for container in job.containers)
        )
        self._domain = _domain(jobs)
        self._facts: list[list[Facts]] = [
            [facts_of(rule, self.names, self._domain) for rule in job.rules] for job in jobs
        ]
        named = {
            pattern
            for job in jobs
            if job.job.failure_policy is not None
            for rule in job.job.failure_policy.rules
            if isinstance(rule, ConditionRule)
            for pattern in rule.patterns
        }
        self.conditions = ["", *sorted(named)]
        reasons = {
            reason for job in jobs for rule in job.termination_rules for reason in rule.reasons
        }
        self.reasons = [ANY_REASON, *sorted(reasons)]
        self._scopes = {
            *(
                rule.get("onExitCodes", {}).get("containerName")
                for job in jobs
                for rule in job.rules
            ),
            *(rule.container for job in jobs for rule in job.termination_rules),
        }

    def alike(self, name: str) -> object:
        """Return a key that containers share if no rule distinguishes them."""
        containers = (side.containers.get(name) for side in self._sides)
        return (
            name if name in self._scopes else None,
            *(
                None
                if each is None
                else (each.role == SIDECAR, each.restart_policy, each.restart_rules)
                for each in containers
            ),
        )

    def classes(self, name: str) -> list[list[int]]:
        """Return the exit codes of a container in classes that no rule of any Job divides."""
        containers = [side.containers.get(name) for side in self._sides]
        found: dict[tuple[bool, ...], list[int]] = {}
        for code in sorted(self._domain - {0}):
            key = (
                *(each is not None and each.restarts(code) for each in containers),
                *(
                    code in facts.codes.get(name, ())
                    for of_each in self._facts
                    for facts in of_each
                ),
            )
            found.setdefault(key, []).append(code)
        return list(found.values())


def _domain(jobs: Sequence[ExplainedJob]) -> frozenset[int]:
    """Return the exit codes to distinguish."""
    linux = frozenset() if all(job.windows for job in jobs) else LINUX_EXIT_CODES
    if not any(job.windows for job in jobs):
        return linux
    named = {
        code
        for job in jobs
        for rule in job.rules
        for code in rule.get("onExitCodes", {}).get("values", ())
    }
    restarting = {
        code
        for job in jobs
        for container in job.containers
        for _, codes in container.restart_rules
        for code in codes
    }
    return frozenset((*linux, *named, *restarting, ANY_OTHER_CODE))


def decision_table(jobs: Sequence[ExplainedJob]) -> DecisionTable:
    """Return the table of one Job, or of a Job before and after a change."""
    sides = [_ComparedJob(job) for job in jobs]
    return DecisionTable(tuple(_code_rows(sides)), tuple(_named_rows(sides)))


def rule_uses(job: ExplainedJob, table: DecisionTable) -> list[RuleUse]:
    """Return the use of each rule, given the table of the Job (the last one of the table)."""
    names = [container.name for container in job.containers]
    deciding = {
        row.outcomes[-1].rule
        for row in table.codes
        if row.outcomes[-1] is not None and not row.outcomes[-1].by_annotation
    }
    covered = covering(facts_of_each(job.rules, names, windows=job.windows))
    return [
        RuleUse(index in deciding, () if index in deciding else tuple(earlier))
        for index, earlier in enumerate(covered)
    ]


def _code_rows(sides: Sequence[_ComparedJob]) -> list[CodeRow]:
    distinct = _DistinguishedFailures(sides)
    by_alike: dict[object, list[_Part]] = {}
    containers: dict[_Part, list[str]] = {}
    for name in distinct.names:
        alike = distinct.alike(name)
        if alike not in by_alike:
            by_alike[alike] = list(_parts(sides, distinct, name))
        for part in by_alike[alike]:
            containers.setdefault(part, []).append(name)
    rows = [CodeRow(tuple(names), *part) for part, names in containers.items()]
    order = {condition: number for number, condition in enumerate(distinct.conditions)}
    return sorted(rows, key=lambda row: order[row.condition])


_Part = tuple["Ranges", bool, str, str, "Results"]


def _parts(
    sides: Sequence[_ComparedJob], distinct: _DistinguishedFailures, name: str
) -> Iterable[_Part]:
    """Yield the rows of a container, without it."""
    classes = distinct.classes(name)
    for condition in distinct.conditions:
        conditions = (condition,) if condition else ()
        for reason in distinct.reasons:
            merged: dict[Results, list[int]] = {}
            without: Results | None = None
            for codes in classes:
                results = tuple(side.of_code(name, codes[0], reason, conditions) for side in sides)
                merged.setdefault(results, []).extend(codes)
            if condition and reason == ANY_REASON:
                without = tuple(side.of_code(name, NO_CODE, reason, conditions) for side in sides)
                merged.setdefault(without, [])
            for results, found in merged.items():
                yield ranges_of(found), results == without, condition, reason, results


def _named_rows(sides: Sequence[_ComparedJob]) -> Iterable[NamedRow]:
    windows = all(side.job.windows for side in sides)
    failing = list(
        dict.fromkeys(
            container.name
            for side in sides
            for container in side.job.containers
            if container.role != SIDECAR
        )
    )
    for code, meaning in (NAMED_WINDOWS_CODES if windows else NAMED_CODES).items():
        by_container = [
            (name, _results(sides, name, code, "Error", STANDING_CONDITIONS)) for name in failing
        ]
        for names, results in _by_results(by_container, len(failing)):
            yield NamedRow(None, meaning, names, (code,), results)
    for cause in CAUSES:
        if cause.windows not in (None, windows):
            continue
        # On Windows, a stopped container ends with a code of its program.
        stopped = windows and cause.codes and cause.windows is None
        codes = (ANY_OTHER_CODE,) if stopped else cause.codes
        title = _title(cause, sides[-1].job)
        if not cause.every_container:
            by_container = [
                (name, tuple(side.of_cause(cause, codes[0], name) for side in sides))
                for name in failing
            ]
            for names, results in _by_results(by_container, len(failing)):
                yield NamedRow(cause, title, names, codes, results)
            continue
        by_code: dict[Results, list[int]] = {}
        for code_or_none in codes or (NO_CODE,):
            outcome = tuple(side.of_cause(cause, code_or_none, "") for side in sides)
            by_code.setdefault(outcome, []).extend(() if code_or_none is None else (code_or_none,))
        for results, found in by_code.items():
            yield NamedRow(cause, title, (), tuple(found), results)


def _title(cause: FailureCause, job: ExplainedJob) -> str:
    """Return the title of a cause, with the releases in which it leaves no DisruptionTarget."""
    if cause.name in job.unmarked:
        return f"{cause.title}, in {job.server.release} without DisruptionTarget"
    bug = KNOWN_BUGS.get((cause.name, job.server.minor))
    return cause.title if bug is None else f"{cause.title}, in {bug} without DisruptionTarget"


def _results(
    sides: Sequence[_ComparedJob], name: str, code: int, reason: str, conditions: Sequence[str]
) -> Results:
    return tuple(side.of_code(name, code, reason, conditions) for side in sides)


def _by_results(
    found: Iterable[tuple[str, Results]], count: int
) -> list[tuple[tuple[str, ...], Results]]:
    """Group containers by result; the names are empty if all have the same."""
    groups: dict[Results, list[str]] = {}
    for name, results in found:
        groups.setdefault(results, []).append(name)
    return [
        ((), results) if len(names) == count else (tuple(names), results)
        for results, names in groups.items()
    ]
