"""Fixtures for tests in several folders."""

from __future__ import annotations

import gc
import os
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from jobsworth.cli import run
from support.cli.command_runs import Command, CommandResult, Validate

# The same examples at each run: what is red is about the change, however busy the machine is.
# To look for others: pytest --hypothesis-profile=search; .ci/long tries more of them.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("regular", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=1000)
settings.register_profile("search", deadline=None)
settings.load_profile("steady")

# Commands that tests start read the bytecode that the first of them wrote: compiling costs each 0.3 seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

TESTS = Path(__file__).parent
REQUIRE_POSIX = ("serving", "admission/test_metrics.py", "admission/test_serve_options.py")
"""Tests of the webhook's server, which forks, and locks files."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what requires POSIX where a process cannot fork."""
    if hasattr(os, "fork"):
        return None
    return True if collection_path in {TESTS / path for path in REQUIRE_POSIX} else None


def pytest_collection_finish() -> None:
    """Keep the collected tests out of further garbage collections, which would visit each of them each time."""
    gc.collect()
    gc.freeze()


def pytest_report_header() -> str | None:
    """Report what is left out, and why."""
    if hasattr(os, "fork"):
        return None
    return f"left out, because they require POSIX: {', '.join(REQUIRE_POSIX)}"


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Runs a command in a folder of its own, into which the files are written first."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, files: dict[str, str] | None = None) -> CommandResult:
        for name, text in (files or {}).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        try:
            code = run(list(arguments))
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        written = capsys.readouterr()
        return CommandResult(code, written.out, written.err)

    return command


@pytest.fixture
def validate(command: Command) -> Validate:
    """Runs ``jobsworth validate`` in a folder of its own, into which the files are written first."""
    return partial(command, "validate")
