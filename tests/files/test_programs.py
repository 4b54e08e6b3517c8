"""Programs that run within limits: those here are Python, which stands in for git, helm and kustomize."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.files import programs
from jobsworth.files.programs import Output, ProgramError, run_program
from support.cli.command_processes import ROOT
from support.polling import until


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def is_alive(process: int) -> bool:
    """Return True for a running process, and False for one that has ended, even if it is still a zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="needs /proc, or limits of other processes"
)

STARTS_ANOTHER = ["/bin/sh", "-c", 'sleep 600 & echo $! > "$0"; wait']
ENDS_BEFORE_ANOTHER = ["/bin/sh", "-c", 'sleep 600 & echo $! > "$0"']
WITHOUT_OUTPUT = ["/bin/sh", "-c", 'exec > /dev/null 2>&1; sleep 600 & echo $! > "$0"; wait']


def test_a_program_gets_its_input_and_its_output_is_returned() -> None:
    code = (
        "import sys; print(sys.stdin.read()[::-1]); print('careful', file=sys.stderr); sys.exit(3)"
    )
    done = run_program(python(code), stdin=b"abc")
    assert (done.code, done.stdout.strip(), done.stderr.strip()) == (3, b"cba", b"careful")


def test_a_program_without_input_reads_an_empty_one() -> None:
    assert run_program(python("import sys; print(len(sys.stdin.read()))")).stdout.strip() == b"0"


def test_a_program_gets_the_environment_that_is_given() -> None:
    code = "import os; print(os.environ['WORD'])"
    assert run_program(python(code), environment={**os.environ, "WORD": "x"}).stdout.strip() == b"x"


def test_a_program_that_is_missing_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="nothing cannot be run: No such file"):
        run_program([str(tmp_path / "nothing")])


def test_a_program_that_writes_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MAX_OUTPUT_BYTES", 4 << 20)
    code = "while True: print('y' * 100_000)"
    with pytest.raises(ProgramError, match="wrote more than 4 MiB"):
        run_program(python(code))


def test_output_up_to_the_limit_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MAX_OUTPUT_BYTES", 1 << 20)
    done = run_program(python("import sys; sys.stdout.write('y' * (1 << 20))"))
    assert done.stdout == b"y" * (1 << 20)


def test_the_end_of_a_long_error_output_is_kept() -> None:
    code = "import sys; sys.stderr.write('y' * 1_000_000 + 'the end'); sys.exit(1)"
    done = run_program(python(code))
    assert done.code == 1
    assert done.stderr.endswith(b"yythe end")
    assert len(done.stderr) == programs.KEPT_ERROR_BYTES


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize(
    "command",
    [STARTS_ANOTHER, WITHOUT_OUTPUT, ENDS_BEFORE_ANOTHER],
    ids=["waits", "without output", "leaves another behind"],
)
def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(programs, "MAX_SECONDS", 1)
    started = tmp_path / "started"
    with pytest.raises(ProgramError, match="took longer than 1 s"):
        run_program([*command, str(started)])
    other = int(started.read_text())
    until(lambda: not is_alive(other))


INTERRUPTED = """
import sys
from pathlib import Path
from jobsworth.files import programs
original = programs._limit
def limit(process):
    original(process)
    Path(sys.argv[1]).touch()
programs._limit = limit
programs.run_program(sys.argv[2:])
"""


@on_linux
def test_an_interrupt_ends_a_program_with_all_that_it_started(tmp_path: Path) -> None:
    started, waiting = tmp_path / "started", tmp_path / "waiting"
    caller = subprocess.Popen(
        python(INTERRUPTED, str(waiting), *STARTS_ANOTHER, str(started)),
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
        stderr=subprocess.PIPE,
    )
    until(lambda: waiting.exists() and started.exists() and started.read_text() != "")
    other = int(started.read_text())
    assert is_alive(other)
    caller.send_signal(signal.SIGINT)
    caller.communicate(timeout=60)
    until(lambda: not is_alive(other))


@pytest.mark.slow
@on_linux
def test_the_memory_of_a_program_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MAX_MEMORY_BYTES", 300 << 20)
    code = "import time; time.sleep(0.2); bytearray({} << 20)"
    assert run_program(python(code.format(100))).code == 0
    done = run_program(python(code.format(400)))
    assert done.code == 1
    assert "MemoryError" in done.error


@on_linux
def test_the_processor_time_of_a_program_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[0])"
    monkeypatch.setattr(programs, "MAX_SECONDS", 100)
    done = run_program(python("import time; time.sleep(0.2); " + code))
    assert int(done.stdout) == 200


def test_a_signal_is_named_if_a_program_said_nothing() -> None:
    assert Output(-9, b"", b"").error == "it was ended by the signal SIGKILL"
    assert Output(-9, b"", b"Error: x\n").error == "Error: x"
    assert Output(1, b"", b"").error == ""
