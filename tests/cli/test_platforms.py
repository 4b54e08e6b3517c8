"""Commands on Windows: those that people run there use nothing that only POSIX has, the servers say that they do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.files.validation_run import FILES_FOR_ONE_PROCESS
from support.cli import without_posix
from support.cli.command_processes import BAD, GOOD, ROOT

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata:
  name: retries
spec:
  limits: {backoffLimit: {maximum: 3}}
  expressions: [{expression: "object.metadata.name != 'x'", message: the name is x}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    more = GOOD.replace("spec:\n", "spec:\n  backoffLimit: 9\n", 1)
    texts = {"good.yaml": GOOD, "bad.yaml": BAD, "more.yaml": more, "policy.yaml": POLICY}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "many").mkdir()
    for number in range(FILES_FOR_ONE_PROCESS + 6):
        (tmp_path / "many" / f"{number}.yaml").write_text(GOOD)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command line where nothing exists that only POSIX has."""
    return subprocess.run(
        [sys.executable, str(without_posix.__file__), *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "webhook"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        ("validate --jobs 1 good.yaml", 0, "1 valid"),
        ("validate --jobs 1 --policy policy.yaml more.yaml", 1, "(policy retries)"),
        ("validate --jobs 1 --profile strict good.yaml", 0, "1 valid"),
        ("validate --jobs 1 -o json -o sarif=report.sarif bad.yaml", 1, "backoffLimitPerIndex"),
        ("validate --jobs 1 --fix --unsafe bad.yaml", 0, "fixed"),
        ("validate --jobs 1 --diff --unsafe bad.yaml", 1, "would be fixed"),
        ("validate --jobs 1 --baseline b.json --write-baseline bad.yaml", 0, "b.json: 1 finding"),
        ("default good.yaml", 0, "completions: 1"),
        ("default --policy policy.yaml good.yaml", 0, "completions: 1"),
        ("policy check policy.yaml", 0, "retries"),
        ("policy explain policy.yaml good.yaml", 0, "denied: 1 deny"),
        ("policy init team", 0, "team"),
        ("policy review good.yaml", 0, "AdmissionReview"),
        ("policy chart-values policy.yaml", 0, "policies:"),
        ("rule JW101", 0, "JW101"),
        ("schema", 0, "$schema"),
        ("explain good.yaml", 0, "Job train"),
        ("schedule @daily", 0, "UTC"),
        ("simulate --jobs 1 --runs 3 good.yaml", 0, "3 runs"),
        ("why good.yaml", 2, "status"),
        ("validate --jobs 1 many", 0, "70 valid"),
        ("certs generate --name localhost --directory made", 0, "expire"),
        ("audit --kubeconfig none", 2, "kubeconfig none does not exist"),
    ],
)
def test_the_command_needs_nothing_of_posix(
    folder: Path, arguments: str, code: int, shown: str
) -> None:
    done = run(folder, *arguments.split())
    assert "Traceback" not in done.stderr
    assert shown in done.stdout + done.stderr
    assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "reconcile"])
def test_a_server_says_that_it_needs_posix(folder: Path, command: str) -> None:
    done = run(folder, command)
    assert done.stderr == (
        f"Error: jobsworth {command} requires a POSIX system, such as Linux or macOS; on Windows, "
        "run it in WSL or from the container image\n"
    )
    assert done.returncode == 2


@pytest.mark.parametrize(
    "statement", ["import fcntl", "from os import fork", "from select import poll"]
)
def test_what_is_hidden_cannot_be_imported(statement: str) -> None:
    """Without this, the tests above would prove nothing."""
    code = f"from support.cli.without_posix import hide; hide(); {statement}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ImportError" in done.stderr or "ModuleNotFoundError" in done.stderr
