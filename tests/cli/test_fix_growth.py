"""Reports with fixes and ``--fix`` take time for the size of a file, and not for its square."""

from __future__ import annotations

import pytest

from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator
from jobsworth.files.fixing import autofix_loop
from jobsworth.files.fixing.autofix_loop import FixedFile, autofix
from jobsworth.files.fixing.line_diff import unified_lines
from jobsworth.findings.located_finding import FixAttempt, LocatedFinding
from jobsworth.reports import sarif
from support.fixable_manifests import MANIFESTS, documents, job, list_of_jobs
from support.lint.applied_fixes import attempts
from support.scaling.cost_growth import MAX_GROWTH, Action, time_growth

EACH = pytest.mark.parametrize("kind", MANIFESTS)


def evaluator(*, changes: bool = False) -> FileEvaluator:
    options = EvaluationOptions(propose_changes=changes)
    return FileEvaluator(Configurations(isolated=True), options=options)


def fixed(text: str) -> FixedFile:
    return autofix(evaluator(), "job.yaml", text.encode(), unsafe=False)


def made(done: FixedFile) -> list[FixAttempt]:
    return [attempt for attempt in attempts(done) if not attempt.reason]


def with_fixes(done: FixedFile) -> list[LocatedFinding]:
    """The findings that a safe fix would resolve."""
    found = [located for result in done.results for located in result.findings]
    return [each for each in found if each.finding.fix is not None and each.finding.fix.safe]


@pytest.mark.slow
@EACH
def test_a_report_with_fixes_takes_linear_time(kind: str) -> None:
    def reported(count: int) -> Action:
        data, server = MANIFESTS[kind](count).encode(), evaluator(changes=True)
        return lambda: sarif.render(server.text("job.yaml", data))

    assert time_growth(reported, 12) <= MAX_GROWTH


@pytest.mark.slow
@EACH
def test_fixing_takes_linear_time(kind: str) -> None:
    def fixed_file(count: int) -> Action:
        text = MANIFESTS[kind](count)
        return lambda: fixed(text)

    assert time_growth(fixed_file, 12) <= MAX_GROWTH


@pytest.mark.slow
@EACH
def test_a_diff_takes_linear_time(kind: str) -> None:
    before = MANIFESTS[kind]

    def shown(count: int) -> Action:
        old, new = (lines(text) for text in (before(count), fixed(before(count)).data.decode()))
        return lambda: list(unified_lines(b"job.yaml", old, new))

    assert time_growth(shown, 25) <= MAX_GROWTH


def lines(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


@EACH
def test_every_part_of_a_file_is_fixed(kind: str) -> None:
    done = fixed(MANIFESTS[kind](30))
    assert len(made(done)) >= 30
    assert with_fixes(done) == []


@EACH
def test_every_part_of_a_file_has_a_change_in_the_report(kind: str) -> None:
    results = evaluator(changes=True).text("job.yaml", MANIFESTS[kind](30).encode())
    found = [located for result in results for located in result.findings]
    proposed = [each for each in found if each.finding.fix is not None]
    assert len(proposed) >= 30
    assert all(each.changes for each in proposed)


@pytest.mark.slow
def test_a_fix_of_one_item_costs_no_more_rounds_than_a_fix_of_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds: list[int] = []
    evaluated = FileEvaluator.text

    def counted(server: FileEvaluator, path: str, data: bytes) -> object:
        rounds[-1] += 1
        return evaluated(server, path, data)

    monkeypatch.setattr(FileEvaluator, "text", counted)
    for text in (job(), documents(40), list_of_jobs(40)):
        rounds.append(0)
        fixed(text)
    assert rounds == [rounds[0]] * 3


def test_a_run_that_stops_early_names_the_fixes_that_it_has_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(autofix_loop, "MAX_ROUNDS", 1)
    done = fixed(list_of_jobs(3))
    left = [attempt for attempt in attempts(done) if attempt.reason]
    assert len(made(done)) == 3
    assert {attempt.reason for attempt in left} == {autofix_loop.STOPPED}
    assert [attempt.located for attempt in left] == with_fixes(done)
    assert "limit of 200 rounds" in autofix_loop.STOPPED
    assert with_fixes(fixed(done.data.decode())) == []
