"""Batches of files in several processes: the same results as in one, in order, and errors that say what to do."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobsworth.cli import worker_processes
from jobsworth.cli.command import InputError, UsageError
from jobsworth.cli.configuration.resolved_settings import Configurations, Overrides
from jobsworth.cli.file_evaluation import FileEvaluator
from jobsworth.cli.file_runs import (
    FEWEST_AT_A_TIME,
    FILES_AT_A_TIME,
    UnkeyedFiles,
    _batches,
    _evaluated,
)
from jobsworth.cli.fixing.fix_run import Fixer
from jobsworth.cli.worker_processes import in_order
from jobsworth.reports.result import Result
from support.cli.command_processes import BAD, GOOD

if TYPE_CHECKING:
    from jobsworth.cli.worker_processes import Evaluated

OWN = os.getpid()

needs_fork = pytest.mark.skipif(not worker_processes.FORKS, reason="it does not fork here")


@pytest.fixture(params=[True, False], ids=["forked", "started"])
def forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param and not worker_processes.FORKS:
        pytest.skip("it does not fork here")
    monkeypatch.setattr(worker_processes, "FORKS", request.param)
    return bool(request.param)


def named(paths: Iterable[str]) -> list[Evaluated]:
    """Return results that have only the files' names; the digests say which process made them."""
    made_by = b"own" if os.getpid() == OWN else b"worker"
    return [
        (made_by, [Result(file=path, document=0, status="valid", findings=[])]) for path in paths
    ]


def batches(number: int) -> list[Sequence[str]]:
    return [(f"{each}-a.yaml", f"{each}-b.yaml") for each in range(number)]


def test_the_files_of_all_batches_come_in_order(forks: bool) -> None:
    found = [result.file for batch in in_order(named, batches(200), 3) for _, (result,) in batch]
    assert found == [file for batch in batches(200) for file in batch]


def unlike(paths: Iterable[str]) -> list[Evaluated]:
    raise UsageError(f"{next(iter(paths))}: the configuration is wrong")


def test_an_error_in_any_process_is_raised(forks: bool) -> None:
    with pytest.raises(UsageError, match=r"the configuration is wrong"):
        list(in_order(unlike, batches(4), 2))


def slowly_named(paths: Iterable[str]) -> list[Evaluated]:
    """Leave something to the other process, however late that starts."""
    time.sleep(0.002)
    return named(paths)


def failing_in_a_worker(paths: Iterable[str]) -> list[Evaluated]:
    return slowly_named(paths) if os.getpid() == OWN else unlike(paths)


@needs_fork
def test_an_error_in_a_fork_is_raised() -> None:
    with pytest.raises(UsageError, match=r"the configuration is wrong"):
        list(in_order(failing_in_a_worker, batches(300), 2))


def killed_in_a_worker(paths: Iterable[str]) -> list[Evaluated]:
    if os.getpid() != OWN:
        os.kill(os.getpid(), signal.SIGKILL)
    return slowly_named(paths)


@needs_fork
def test_a_killed_process_is_reported() -> None:
    with pytest.raises(
        InputError, match=r"a process of this command was killed; run it with --jobs 1"
    ):
        list(in_order(killed_in_a_worker, batches(300), 2))


@needs_fork
def test_a_reader_that_stops_early_leaves_no_process() -> None:
    evaluated = in_order(named, batches(200), 3)
    next(evaluated)
    evaluated.close()  # type: ignore[attr-defined]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_results_with_attempted_fixes_are_the_same_in_any_process(
    forks: bool, tmp_path: Path
) -> None:
    def evaluated(processes: int) -> list[tuple[object, ...]]:
        files = []
        for number in range(6):
            file = tmp_path / f"{number}.yaml"
            file.write_text((BAD if number % 2 else GOOD).replace("Never", "never"))
            files.append(str(file))
        evaluator = FileEvaluator(Configurations(Overrides()))
        fixer = Fixer(evaluator, unsafe=False, diff=False, paths=[str(tmp_path)])
        evaluate = UnkeyedFiles(fixer).evaluate
        found = (
            [evaluate(files)]
            if processes == 1
            else in_order(evaluate, [[file] for file in files], processes)
        )
        return [
            (result.file, result.status, result.findings, [*result.attempts])
            for batch in found
            for _, results in batch
            for result in results
        ]

    alone = evaluated(1)
    assert all(attempts for *_, attempts in alone)
    assert evaluated(2) == alone


@pytest.mark.parametrize("processes", [2, 3, 16])
@pytest.mark.parametrize("count", [1, 65, 1000])
def test_batches_have_all_files_in_order_and_get_smaller(count: int, processes: int) -> None:
    files = [f"{number}.yaml" for number in range(count)]
    batches = list(_batches(files, processes))
    assert [file for batch in batches for file in batch] == files
    sizes = list(map(len, batches))
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= FILES_AT_A_TIME
    assert sizes[-1] <= FEWEST_AT_A_TIME


def test_one_process_gets_whole_batches() -> None:
    batches: list[int] = []

    def evaluate(paths: Sequence[str]) -> list[Evaluated]:
        batches.append(len(paths))
        return named(paths)

    files = [f"{number}.yaml" for number in range(60)]
    assert len(list(_evaluated(evaluate, files, 2, lambda done, total: None))) == 60
    assert batches == [32, 28]
