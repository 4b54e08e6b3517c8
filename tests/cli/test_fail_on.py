"""`--fail-on`: the severity that makes the exit code 1, alike in every report."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from support.cli.command_runs import Command, Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

FILES = {
    "error.yaml": INVALID,
    "warning.yaml": SHADOWED,
    "info.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: "
    "{restartPolicy: Never, containers: [{name: a, image: 'b:1'}]}}}\n",
    "sound.yaml": SOUND,
    "unreadable.yaml": "a: [\n",
}
EXIT_CODES = {
    "error.yaml": (1, 1, 1, 0),
    "warning.yaml": (0, 1, 1, 0),
    "info.yaml": (0, 0, 1, 0),
    "sound.yaml": (0, 0, 0, 0),
    "unreadable.yaml": (2, 2, 2, 2),
}
THRESHOLDS = ("error", "warning", "info", "never")


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_the_exit_code_is_that_of_the_lowest_severity_that_fails(
    validate: Validate, file: str, threshold: str
) -> None:
    done = validate("--fail-on", threshold, file, files=FILES)
    assert done.code == EXIT_CODES[file][THRESHOLDS.index(threshold)]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_every_report_agrees_with_the_exit_code(
    validate: Validate, tmp_path: Path, file: str, threshold: str
) -> None:
    arguments = ["--fail-on", threshold, "-o", "json=j", "-o", "sarif=s", "-o", "junit=x", file]
    done = validate(*arguments, files=FILES)
    report = json.loads((tmp_path / "j").read_text())
    assert report["summary"]["exit_code"] == done.code
    assert any(result["fails"] for result in report["results"]) == bool(done.code)
    (invocation,) = json.loads((tmp_path / "s").read_text())["runs"][0]["invocations"]
    assert invocation["exitCode"] == done.code
    suites = ET.parse(tmp_path / "x").getroot()
    failed = int(suites.get("failures", "0")) + int(suites.get("errors", "0"))
    assert bool(failed) == bool(done.code)


def test_a_run_that_fails_on_warnings_says_so(validate: Validate) -> None:
    done = validate("--fail-on", "warning", "warning.yaml", files=FILES)
    assert done.err.splitlines()[-1] == (
        "exit code 1: 1 finding of at least severity warning (--fail-on)"
    )


def test_info_findings_that_fail_the_run_are_shown(validate: Validate) -> None:
    assert "info: Job a" in validate("--fail-on", "info", "info.yaml", files=FILES).out
    assert "info: Job a" in validate("-q", "--fail-on", "info", "info.yaml", files=FILES).out


def test_the_configuration_has_it_too_and_the_command_line_wins(validate: Validate) -> None:
    files = {**FILES, ".jobsworth.yaml": "fail-on: warning\n"}
    assert validate("warning.yaml", files=files).code == 1
    assert validate("--fail-on", "error", "warning.yaml").code == 0


def test_a_wrong_severity_is_an_error(validate: Validate) -> None:
    files = {**FILES, ".jobsworth.yaml": "fail-on: warnings\n"}
    done = validate("warning.yaml", files=files)
    assert done.code == 2
    assert '.jobsworth.yaml:1: fail-on: "warnings": did you mean "warning"?' in done.err


def test_the_note_why_a_template_was_skipped_never_fails(command: Command) -> None:
    done = command(
        "validate", "--mixed", "--fail-on", "info", "t.yaml", files={"t.yaml": "kind: {{ Job }}\n"}
    )
    assert (done.code, "JW091" in done.out) == (0, True)
