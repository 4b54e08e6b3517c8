"""Files in several processes: the same results as in one, in order, and errors that say what to do."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobsworth.files import worker_processes
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.fixing.fixer import Fixer
from jobsworth.files.worker_processes import in_order
from jobsworth.findings.result import Result
from jobsworth.usage_error import InputError, UsageError
from support.cli.command_processes import BAD, GOOD

ROOT = Path(__file__).parents[2]
FILES = [f"{number}.yaml" for number in range(200)]


needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(),
    reason="a new interpreter cannot import the functions of this module",
)


def named(path: str) -> list[Result]:
    """Return a result that has only the file's name."""
    return [Result(file=path, document=0, status="valid", findings=[])]


@needs_fork
def test_the_results_of_all_files_come_in_order() -> None:
    found = [result.file for (result,) in in_order(named, FILES, 3, files_at_a_time=2)]
    assert found == FILES


def misconfigured(path: str) -> list[Result]:
    raise UsageError(f"{path}: the configuration is wrong")


@needs_fork
def test_an_error_in_a_process_is_raised() -> None:
    with pytest.raises(UsageError, match=r"^0.yaml: the configuration is wrong$"):
        list(in_order(misconfigured, FILES, 2, files_at_a_time=8))


def killed(path: str) -> list[Result]:
    if path == FILES[50]:
        os.kill(os.getpid(), signal.SIGKILL)
    return named(path)


@needs_fork
def test_a_killed_process_is_reported() -> None:
    with pytest.raises(
        InputError, match=r"a process of this command was killed; run it with --jobs 1"
    ):
        list(in_order(killed, FILES, 2, files_at_a_time=8))


@needs_fork
def test_a_reader_that_stops_early_leaves_no_process() -> None:
    evaluated = in_order(named, FILES, 3, files_at_a_time=2)
    next(evaluated)
    evaluated.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("ended_by", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_command(ended_by: str, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(100):
        (folder / f"{number}.yaml").write_text(GOOD)
    program = (
        "import os, signal, time\n"
        "from jobsworth.cli import main\n"
        "from jobsworth.files import file_evaluation\n"
        # A shell without job control starts what it puts in the background with the signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "original = file_evaluation.FileEvaluator.file\n"
        "def slow(self, path):\n"
        "    os.write(2, b'%d\\n' % os.getpid())\n"
        "    time.sleep(0.05)\n"
        "    return original(self, path)\n"
        "file_evaluation.FileEvaluator.file = slow\n"
        "main()\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program, "validate", "-j", "2", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert running.stderr is not None
    workers = {int(running.stderr.readline()) for _ in range(4)}
    assert running.pid not in workers
    if ended_by == "SIGINT":
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does
        assert running.wait(30) == 130
    else:
        running.send_signal(signal.Signals[ended_by])
        running.wait(30)
    deadline = time.monotonic() + 20
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline, "a worker is still running"
        time.sleep(0.05)
    assert "Traceback" not in running.stderr.read()


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.slow
@pytest.mark.parametrize("start_method", multiprocessing.get_all_start_methods())
def test_results_with_attempted_fixes_are_the_same_in_any_process(
    start_method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_processes, "START_METHOD", start_method)

    def evaluated(processes: int) -> list[tuple[object, ...]]:
        files = []
        for number in range(6):
            file = tmp_path / f"{number}.yaml"
            file.write_text((BAD if number % 2 else GOOD).replace("Never", "never"))
            files.append(str(file))
        evaluator = FileEvaluator(Configurations())
        fixer = Fixer(evaluator, unsafe=False, paths=[str(tmp_path)])
        found = (
            map(fixer.fix_in_place, files)
            if processes == 1
            else in_order(fixer.fix_in_place, files, processes, files_at_a_time=1)
        )
        return [
            (result.file, result.status, result.findings, [*result.attempts])
            for results in found
            for result in results
        ]

    alone = evaluated(1)
    assert all(attempts for *_, attempts in alone)
    assert evaluated(2) == alone
