"""What a user must do to install an extra, by the way jobsworth was installed."""

from __future__ import annotations

import sys

import pytest

from jobsworth.cli import run
from jobsworth.installation import how_to_install, missing_extra


@pytest.mark.parametrize(
    ("prefix", "advice"),
    [
        ("/home/a/.venv", "run pip install 'jobsworth[policy]', or '.[policy]' in a clone"),
        ("/home/a/.cache/uv/archive-v0/x1", "run uvx --from 'jobsworth[policy]' jobsworth"),
        ("/home/a/.local/share/uv/tools/jobsworth", "run uv tool install 'jobsworth[policy]'"),
        ("/home/a/.local/pipx/venvs/jobsworth", "run pipx install --force 'jobsworth[policy]'"),
        (r"C:\Users\a\pipx\venvs\jobsworth", "run pipx install --force 'jobsworth[policy]'"),
    ],
)
def test_the_advice_fits_the_tool_that_made_the_environment(prefix: str, advice: str) -> None:
    assert how_to_install("policy", prefix=prefix, environment={}) == advice


def test_a_hook_names_its_dependencies_whatever_made_the_environment() -> None:
    assert how_to_install("policy", prefix="/pipx/venvs/x", environment={"PRE_COMMIT": "1"}) == (
        "add additional_dependencies: ['.[policy]'] to the hook in .pre-commit-config.yaml"
    )


def test_a_missing_extra_names_the_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert missing_extra("webhooks", "webhook", "flask") == (
        "webhooks require the package flask: add additional_dependencies: ['.[webhook]'] to the hook in "
        ".pre-commit-config.yaml"
    )


def test_a_language_server_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jobsworth.lsp.language_server", None)
    monkeypatch.setitem(sys.modules, "pygls", None)
    with pytest.raises(SystemExit) as ended:
        run(["lsp"])
    assert ended.value.code == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "language servers require the package" in message
    assert "jobsworth[lsp]" in message
