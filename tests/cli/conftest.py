"""Fixtures for the tests of several commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.cli import run
from support.cli.command_runs import Command, CommandResult


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
