"""Odd configuration files, baselines, file names and encodings end in a report, never in a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.cli.command_processes import run
from support.cli.command_runs import Command

pytestmark = pytest.mark.slow  # each test starts processes

ROOT = Path(__file__).parent.parent.parent
GOOD = (ROOT / "examples" / "valid" / "ml-training.yaml").read_text()
BAD = GOOD.replace("apiVersion: batch/v1", "apiVersion: batch/v1\nmadeUp: 1", 1)
INTERNAL = "internal error"


def shell(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "webhook"), **more}
    return subprocess.run(
        f"{sys.executable} -m jobsworth {command}",
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "text", ['tool = "tool.jobsworth"', "[[tool]]\n# tool.jobsworth", "tool = [1] # tool.jobsworth"]
)
def test_a_pyproject_whose_tool_is_no_table_has_no_configuration(
    text: str, command: Command
) -> None:
    done = command("validate", "job.yaml", files={"pyproject.toml": text, "job.yaml": GOOD})
    assert (done.code, done.err) == (0, "1 object in 1 file; 1 valid, 0 invalid\n")


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a = " + "[" * 100_000, "pyproject.toml", "a value is nested too deeply"),
        ("a = " + "{b=" * 100_000, "pyproject.toml", "a value is nested too deeply"),
        (
            ".".join(["a"] * 50_000) + " = 1",
            "pyproject.toml:2",
            "a dotted key has more than 100 parts",
        ),
        (
            "[" + " . ".join(["a"] * 50_000) + "]",
            "pyproject.toml:2",
            "a dotted key has more than 100 parts",
        ),
    ],
    ids=lambda value: value[:30],
)
def test_a_pyproject_that_is_too_deep_is_an_error(
    text: str, place: str, problem: str, command: Command
) -> None:
    files = {"pyproject.toml": f"# tool.jobsworth\n{text}\n", "job.yaml": GOOD}
    done = command("validate", "job.yaml", files=files)
    assert done.code == 2
    assert f"{place}: invalid TOML: {problem}" in done.err


def test_a_pyproject_with_long_values_is_read(command: Command) -> None:
    text = 'a = "{}"\nb = [{}]\n[tool.jobsworth]\nexclude = ["*"]\n'.format(
        "words. " * 90, ", ".join(["1.5"] * 500)
    )
    done = command("validate", "job.yaml", files={"pyproject.toml": text, "job.yaml": GOOD})
    assert "1 file excluded" in done.err


def test_a_baseline_that_is_too_deep_is_an_error(command: Command) -> None:
    files = {"known.json": "[" * 100_000, "job.yaml": GOOD}
    done = command("validate", "--baseline", "known.json", "job.yaml", files=files)
    assert done.code == 2
    assert "--baseline: known.json is nested too deeply" in done.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an invalid manifest whose name is not UTF-8."""
    with open(os.fsencode(tmp_path) + b"/\xff.yaml", "w") as file:
        file.write(BAD)
    return tmp_path


@pytest.mark.parametrize("output", ["text", "concise", "json", "sarif", "junit", "github"])
@pytest.mark.parametrize("to_file", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_file_name_that_is_not_utf_8_is_reported(
    output: str, to_file: bool, encoding: str, folder: Path
) -> None:
    where = "--output-file report" if to_file else ""
    done = shell(f"validate -o {output} {where} .", folder, PYTHONIOENCODING=encoding)
    assert done.returncode == 1, done.stderr
    report = (folder / "report").read_bytes() if to_file else done.stdout
    expected = {"json": rb"\udcff.yaml", "sarif": b"%FF.yaml"}.get(output, rb"\xff.yaml")
    assert expected in report
    if output in ("json", "sarif"):
        json.loads(report)
    elif output == "junit":
        ElementTree.fromstring(report)


def test_a_baseline_holds_a_file_name_that_is_not_utf_8(folder: Path) -> None:
    assert shell("validate --baseline b.json --write-baseline .", folder).returncode == 0
    assert shell("validate --baseline b.json .", folder).returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        "validate {}", "validate -o concise {}", "validate -o json {}", "validate -o sarif {}",
        "validate -o junit {}", "validate -o github {}", "validate --diff {}", "default -o json {}",
        "default {}", "policy check {}", "policy explain {} {}", "policy test {}", "rule {}", "rule",
        "rule -o json", "rule JW101", "schema", "validate --baseline {} {}", "validate --config {} {}",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"PYTHONIOENCODING": "ascii"}, marks=pytest.mark.slow),
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["ascii", "C"],
)
def test_names_are_written_in_any_locale(
    command: str, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "ä.yaml").write_text(GOOD.replace("name:", "madeUp: ö\n  name:", 1))
    done = shell(command.replace("{}", "ä.yaml"), tmp_path, **environment)
    assert INTERNAL.encode() not in done.stderr
    if "json" in command or "sarif" in command:
        json.loads(done.stdout.decode("utf-8"))
    elif "junit" in command:
        ElementTree.fromstring(done.stdout)


def test_a_file_in_utf_16_shows_no_excerpt(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("apiVersion: batch/v1\nkind: Job\n", encoding="utf-16")
    done = run("validate", "job.yaml", folder=tmp_path)
    assert "save the file as UTF-8" in done.stdout
    assert " | " not in done.stdout
