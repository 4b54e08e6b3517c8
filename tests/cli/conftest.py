"""Fixtures for tests of commands that read a cluster or what was saved of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from jobsworth.cli import run
from support.api_server.fake_list_server import FakeListServer, fake_list_server
from support.cli.command_runs import Command, CommandResult


@pytest.fixture
def server() -> Iterator[FakeListServer]:
    with fake_list_server() as server:
        yield server


@pytest.fixture
def audit(on_server: Callable[[str], Command]) -> Command:
    """Runs `jobsworth audit` on the fake server."""
    return on_server("audit")


@pytest.fixture
def on_server(
    server: FakeListServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[str], Command]:
    """Runs a command on the fake server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path, token="secret")))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    def done(*arguments: str) -> CommandResult:
        with pytest.raises(SystemExit) as stopped:
            run([*arguments])
        written = capsys.readouterr()
        return CommandResult(int(stopped.value.code or 0), written.out, written.err)

    return lambda command: partial(done, command)


@pytest.fixture
def why(command: Command) -> Command:
    """Runs `jobsworth why` in a folder of its own."""
    return partial(command, "why")
