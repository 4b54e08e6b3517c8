"""No command line ends in a traceback: not a broken output, an interrupt, nor an error of our own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from jobsworth.cli import ISSUES, run
from jobsworth.files.validation_run import FILES_AT_A_TIME, FILES_FOR_ONE_PROCESS
from support.cli.command_runs import Command, Validate

ROOT = Path(__file__).parent.parent.parent
GOOD = (ROOT / "examples" / "valid" / "ml-training.yaml").read_text()
POLICY = """apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: house}
spec: {limits: {backoffLimit: {maximum: 3}}}
"""
MANY_DIGITS = "9" * 5000


@pytest.fixture(autouse=True)
def interruptible() -> None:
    """Let child processes receive SIGINT: a shell that runs the tests in the background has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


PRINTING = [
    ["validate", "job.yaml"],
    ["validate", "-o", "json", "job.yaml"],
    ["validate", "--diff", "job.yaml"],
    ["default", "job.yaml"],
    ["rule"],
    ["schema"],
    ["policy", "check", "policy.yaml"],
    ["policy", "explain", "policy.yaml", "job.yaml"],
    ["certs", "generate"],
    ["--help"],
    ["validate", "--help"],
    ["--version"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job.yaml").write_text(GOOD + "---\n" + GOOD.replace("apiVersion", "apiversion"))
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def shell(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(ROOT / "webhook"), **more}
    return subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, **environment},
        timeout=60,
    )


def jobsworth(*arguments: str) -> str:
    return " ".join([sys.executable, "-m", "jobsworth", *arguments])


@pytest.mark.slow
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
@pytest.mark.parametrize("output", [">/dev/full", ">&-"])
def test_an_output_that_takes_nothing_is_one_line_and_exit_code_2(
    arguments: list[str], output: str, folder: Path
) -> None:
    done = shell(f"{jobsworth(*arguments)} {output}", folder)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: standard output cannot be written: ")
    assert "Traceback" not in done.stderr


def test_a_report_file_that_takes_nothing_is_named(folder: Path) -> None:
    done = shell(jobsworth("validate", "--output-file", "/dev/full", "job.yaml"), folder)
    assert done.returncode == 2
    assert "Error: --output-file: cannot write /dev/full: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_standard_error_leaves_the_report_alone(folder: Path) -> None:
    done = shell(f"{jobsworth('validate', '-o', 'json', 'job.yaml')} 2>&-", folder)
    assert done.stdout.endswith("}\n")


@pytest.mark.parametrize("arguments", [["validate", "job.yaml"], ["rule"]])
@pytest.mark.parametrize("wish", ["", "1"])
def test_an_internal_error_requests_a_report(arguments: list[str], wish: str, folder: Path) -> None:
    program = folder / "broken.py"
    program.write_text(
        "import sys\n"
        "from jobsworth.cli import main\n"
        "from jobsworth.cli.commands import rule, validate\n"
        "def fail(options):\n"
        "    raise KeyError('spec')\n"
        "rule.COMMAND.run = validate.COMMAND.run = fail\n"
        "main()\n"
    )
    done = shell(
        f"{sys.executable} broken.py {' '.join(arguments)}", folder, JOBSWORTH_TRACEBACK=wish
    )
    assert done.returncode == 2
    assert "internal error: KeyError: 'spec'" in done.stderr
    assert ISSUES in done.stderr
    assert ("Traceback" in done.stderr) == bool(wish)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["validate", "-"], ["default", "-"], ["explain", "-"], ["policy", "check", "-"]]
)
def test_a_closed_standard_input_is_named(arguments: list[str], folder: Path) -> None:
    done = shell(f"{jobsworth(*arguments)} <&-", folder)
    assert done.returncode in (1, 2)
    assert "internal error" not in done.stderr
    if arguments[0] == "validate":
        assert done.returncode == 2
        assert "standard input is closed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["validate"], ["validate", "jobs"], ["explain", "jobs"], ["validate", "--exclude", "x", "."]],
)
def test_a_deleted_current_folder_is_named(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/job.yaml").write_text(GOOD)
    words = [str(tmp_path / "jobs") if word == "jobs" else word for word in arguments]
    done = shell(f"rmdir ../gone && {jobsworth(*words)}", tmp_path / "gone")
    assert "internal error" not in done.stderr
    if done.returncode:
        assert done.returncode == 2
        assert done.stderr == (
            "Error: the current folder does not exist any more: change to another folder\n"
        )


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="processes start differently here")
def test_too_few_open_files_are_named(folder: Path) -> None:
    for number in range(FILES_FOR_ONE_PROCESS + 1):
        (folder / f"{number}.yaml").write_text(GOOD)
    valid = jobsworth("validate", "--quiet", "--jobs", "4", ".")
    done = shell(f"ulimit -n 7; {valid}", folder)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1:] == [
        "Error: too many open files: raise the limit (ulimit -n), or use fewer processes (--jobs 1)"
    ]
    assert "internal error" not in done.stderr


def test_the_issue_link_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Issues"] == ISSUES


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["validate", "job.yaml"], ["rule"]])
def test_an_interrupt_during_imports_prints_nothing(arguments: list[str], folder: Path) -> None:
    """Also where an import takes it for an error of its own, or Python can only print it."""
    (folder / "interrupted.py").write_text(
        "import os, signal, sys\n"
        "from jobsworth.cli import main\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'jobsworth.lint.lint_rule':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "class Unraisable(Finder):\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        for _ in range(1000): pass\n"
        "class Wrapping:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'jobsworth.lint.lint_rule':\n"
        "            type('A', (), {'a': Wrapping()})\n"
        "    def __set_name__(self, owner, name):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        for _ in range(1000): pass\n"
        "if sys.argv[1] == 'plain':\n"
        "    sys.meta_path.insert(0, Finder())\n"
        "elif sys.argv[1] == 'wrapped':\n"
        "    sys.meta_path.insert(0, Wrapping())\n"
        "else:\n"
        "    class Deleting(Finder):\n"
        "        def find_spec(self, name, path=None, target=None):\n"
        "            if name == 'jobsworth.lint.lint_rule':\n"
        "                Unraisable()\n"
        "    sys.meta_path.insert(0, Deleting())\n"
        "del sys.argv[1]\n"
        "main()\n"
    )
    for kind in ("plain", "wrapped", "unraisable"):
        done = shell(f"{sys.executable} interrupted.py {kind} {' '.join(arguments)}", folder)
        assert done.returncode == 130, (kind, done.stderr)
        assert "Traceback" not in done.stderr, kind
        assert "Aborted" not in done.stderr, kind


@pytest.mark.parametrize("delay", [0.01, 0.03, 0.06, 0.1, 0.15])
@pytest.mark.parametrize("arguments", [["validate", "-"], ["default", "-"]])
def test_an_interrupt_prints_nothing(arguments: list[str], delay: float, folder: Path) -> None:
    code, err = interrupted(arguments, delay, folder)
    while code == -signal.SIGINT and delay < 1:
        # On a busy machine the signal can arrive before main has started: then it is Python's.
        delay *= 2
        code, err = interrupted(arguments, delay, folder)
    assert code == 130
    assert "Traceback" not in err


def interrupted(arguments: list[str], delay: float, folder: Path) -> tuple[int, str]:
    """Run a command, interrupt it some seconds after its start, and return its exit code and errors."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from jobsworth.cli import main; print(flush=True); main()",
            *arguments,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["validate", "-j", MANY_DIGITS, "job.yaml"], "is not a whole number from 1 of at most 9 digits"),
        (["validate", f"--jobs={MANY_DIGITS}", "job.yaml"], "is not a whole number from 1 of at most 9 digits"),
        (["audit", "--request-timeout", MANY_DIGITS], "is not a whole number from 1 of at most 9 digits"),
        (["serve", "--self-signed", "--bind", f":{MANY_DIGITS}"], "is not an address; use ADDRESS:PORT"),
        (["serve", "--self-signed", "--drain-seconds", MANY_DIGITS], "is not a whole number of 0 or more"),
        (["reconcile", "--monitor-bind", f":{MANY_DIGITS}"], "is not an address; use ADDRESS:PORT"),
        (["reconcile", "--monitor-bind", ":²"], "is not an address; use ADDRESS:PORT"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)  # fmt: skip
def test_a_number_with_thousands_of_digits_is_reported(
    arguments: list[str], message: str, command: Command
) -> None:
    done = command(*arguments, files={"job.yaml": GOOD})
    assert done.code == 2
    assert message in " ".join(done.err.split())


@pytest.mark.parametrize("digits", [MANY_DIGITS, f"-{MANY_DIGITS}"])
def test_a_quoted_number_of_thousands_of_digits_has_no_fix(digits: str, validate: Validate) -> None:
    text = GOOD.replace("backoffLimit: 3", f'backoffLimit: "{digits}"')
    done = validate("-o", "json", "job.yaml", files={"job.yaml": text})
    assert done.code == 1
    (finding,) = done.loaded["results"][0]["findings"]
    assert finding["field"] == "spec.backoffLimit"
    assert "fix" not in finding


def test_no_more_processes_are_started_than_there_are_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[int] = []

    def in_order(_: object, files: object, processes: int, *, files_at_a_time: int) -> None:
        requested.append(processes)
        raise KeyboardInterrupt  # it has been requested, which is all

    monkeypatch.setattr("jobsworth.files.worker_processes.in_order", in_order)
    for number in range(FILES_FOR_ONE_PROCESS + 1):
        (tmp_path / f"{number}.yaml").write_text(GOOD)
    with pytest.raises(KeyboardInterrupt):
        run(["validate", "-j", "99999", str(tmp_path)])
    assert requested == [-(-(FILES_FOR_ONE_PROCESS + 1) // FILES_AT_A_TIME)]


@pytest.mark.slow
def test_control_c_ends_many_runs_within_a_second(folder: Path) -> None:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
    spec = {"completions": 3000, "parallelism": 3000, "template": {"spec": pod}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "wide"}, "spec": spec}
    (folder / "wide.json").write_text(json.dumps(job))
    command = ("simulate", "wide.json", "--runs", "400", "--jobs", "2")
    running = subprocess.Popen(
        [sys.executable, "-m", "jobsworth", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
    )
    time.sleep(4)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)  # to this process, not to those that it has started
    begun = time.monotonic()
    _, err = running.communicate(timeout=20)
    assert (running.returncode, "Traceback" in err) == (130, False), err
    assert time.monotonic() - begun < 1
