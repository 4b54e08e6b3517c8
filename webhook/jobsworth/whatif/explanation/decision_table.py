"""The decision table of a failure policy: all exit codes, conditions and causes, with their outcomes.

Exit codes that no rule distinguishes are one class (:mod:`jobsworth.lint.matched_failures`); the planner
decides for one code of each class, and classes with equal outcomes are merged. A table of two Jobs
distinguishes what either of them does, so each row has one outcome for each.

The rows are about a Pod in which one container failed, with at most one condition. In any other Pod the
first of the rules that match one of its facts decides, so these rows are enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.matched_failures import ANY_OTHER_CODE, covering, facts_of_each
from jobsworth.whatif.explanation.compared_job import ComparedJob
from jobsworth.whatif.explanation.decision_rows import (
    ANY_REASON,
    NO_CODE,
    CodeRow,
    DecisionTable,
    NamedRow,
    RuleUse,
)
from jobsworth.whatif.explanation.distinguished_failures import DistinguishedFailures
from jobsworth.whatif.explanation.explained_job import SIDECAR
from jobsworth.whatif.failure_causes import (
    CAUSES,
    NAMED_CODES,
    NAMED_WINDOWS_CODES,
    STANDING_CONDITIONS,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jobsworth.whatif.explanation.decision_rows import Ranges, Results
    from jobsworth.whatif.explanation.explained_job import ExplainedJob


def decision_table(jobs: Sequence[ExplainedJob]) -> DecisionTable:
    """Return the table of one Job, or of a Job before and after a change."""
    sides = [ComparedJob(job) for job in jobs]
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


def _code_rows(sides: Sequence[ComparedJob]) -> list[CodeRow]:
    distinct = DistinguishedFailures(sides)
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
    sides: Sequence[ComparedJob], distinct: DistinguishedFailures, name: str
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
                yield _ranges(found), results == without, condition, reason, results


def _ranges(codes: Iterable[int]) -> Ranges:
    ranges: list[tuple[int, int]] = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return tuple(ranges)


def _named_rows(sides: Sequence[ComparedJob]) -> Iterable[NamedRow]:
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
        if not cause.every_container:
            by_container = [
                (name, tuple(side.of_cause(cause, codes[0], name) for side in sides))
                for name in failing
            ]
            for names, results in _by_results(by_container, len(failing)):
                yield NamedRow(cause, cause.title, names, codes, results)
            continue
        by_code: dict[Results, list[int]] = {}
        for code_or_none in codes or (NO_CODE,):
            outcome = tuple(side.of_cause(cause, code_or_none, "") for side in sides)
            by_code.setdefault(outcome, []).extend(() if code_or_none is None else (code_or_none,))
        for results, found in by_code.items():
            yield NamedRow(cause, cause.title, (), tuple(found), results)


def _results(
    sides: Sequence[ComparedJob], name: str, code: int, reason: str, conditions: Sequence[str]
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
