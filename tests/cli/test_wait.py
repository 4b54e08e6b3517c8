"""`jobsworth wait`: options, errors and the line of progress; the wait itself is tested in tests/following."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.cli import run
from jobsworth.cli.commands.wait import progress_line
from jobsworth.following.waiting.wait_options import Progress


def wait(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        run(["wait", *arguments])
    return int(str(stopped.value.code or 0)), capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["job/a", "job/b"], "name one Job, not 2"),
        (["job/a", "--timeout", "soon"], '--timeout "soon" is not a duration'),
        (["job/a", "--stuck-after", "0s"], "--stuck-after"),
        (["cronjob/a"], "only Jobs end"),
        (["pod/a"], "write job/NAME"),
        (["job/a", "--suspended", "maybe"], "--suspended"),
    ],
)
def test_a_wrong_command_line_is_an_error(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = tmp_path / "config"
    config.write_text(
        "{apiVersion: v1, kind: Config, current-context: a,"
        " contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a, user: {}}],"
        " clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]}"
    )
    monkeypatch.setenv("KUBECONFIG", str(config))
    code, error = wait(capsys, *arguments)
    assert code == 2
    assert words in error
    assert "internal error" not in error


def test_a_missing_kubeconfig_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    code, error = wait(capsys, "job/a")
    assert code == 2
    assert "no cluster is configured" in error


def test_the_line_of_progress() -> None:
    progress = Progress("train", True, 10, 3, 1, 4, 2, 0, False, 90.4)
    assert progress_line(progress) == (
        "train  0:01:30  3 of 10 indexes succeeded, 1 failed, 4 active, 2 pending"
    )
    queue = Progress("train", False, None, 0, 0, 0, 0, 2, True, 1)
    assert progress_line(queue) == "train  0:00:01  0 Pods succeeded, 2 terminating, suspended"
