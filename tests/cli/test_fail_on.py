"""`--fail-on`: the severity that makes the exit code 1, alike in every report."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from jobsworth.files.configuration.configuration_document import configuration_schema
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


HIDING = {
    "kubernetes-version": '"1.31"',
    "feature-gates": "{JobManagedBy: true}\nkubernetes-version: '1.31'",
    "allow-privileged": "false",
    "select": "[]",
    "ignore": "[JW, JW0]",
    "severity": "{JW: info}",
    "per-file-ignores": '{"*": [JW, JW0]}',
    "policy": "[]",
    "admission-policy": "[]",
    "profile": "none",
    "profile-enforcement": "audit",
    "fail-on": "never",
    "namespace": "elsewhere",
    "min-confidence": "certain",
    "kinds": '[{apiVersion: "batch/*", kind: Job, path: spec.x, type: JobSpec, overwrites: [spec]}]',
    "jobset-version": '"0.8"',
}
"""A value of each key of a configuration that could hide an error."""


def test_each_key_of_a_configuration_is_tried_here_or_leaves_files_out() -> None:
    assert {*HIDING, "exclude"} == set(configuration_schema()["properties"])


@pytest.mark.parametrize("key", HIDING)
@pytest.mark.parametrize("name", [".jobsworth.yaml", "new/.jobsworth.yaml"])
def test_no_key_of_a_configuration_hides_an_error_of_the_api_server(
    validate: Validate, key: str, name: str
) -> None:
    files = {"new/job.yaml": INVALID, name: f"{key}: {HIDING[key]}\n", ".git/HEAD": ""}
    if key == "profile-enforcement":
        files[name] += "profile: strict\n"
    assert validate("new", files=files).code == 1


@pytest.mark.parametrize("report", ["json", "sarif", "junit"])
def test_a_report_agrees_that_never_in_a_configuration_is_not_for_the_api_server(
    validate: Validate, report: str
) -> None:
    files = {"a.yaml": INVALID, ".jobsworth.yaml": "fail-on: never\n"}
    done = validate("a.yaml", "-o", report, files=files)
    marks = {"json": '"fails": true', "sarif": '"exitCode": 1', "junit": 'failures="1"'}
    assert done.code == 1
    assert marks[report] in done.out


def test_never_in_a_configuration_is_for_lint_rules_and_policies(
    validate: Validate, tmp_path: Path
) -> None:
    policy = (
        "apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: p}\n"
        "spec: {limits: {backoffLimit: {maximum: 0}}}\n"
    )
    configuration = "fail-on: never\nseverity: {JW101: error}\npolicy: [policy.yaml]\n"
    files = {"warning.yaml": SHADOWED, "policy.yaml": policy, ".jobsworth.yaml": configuration}
    done = validate("warning.yaml", files=files)
    assert done.code == 0
    assert "JW101" in done.out
    assert "JP" in done.out
    files[".jobsworth.yaml"] = configuration.replace("never", "error")
    assert validate("warning.yaml", files=files).code == 1


def test_never_on_the_command_line_is_for_all(validate: Validate) -> None:
    files = {"a.yaml": INVALID, ".jobsworth.yaml": "fail-on: never\n"}
    assert validate("--fail-on", "never", "a.yaml", files=files).code == 0


def test_a_wrong_severity_is_an_error(validate: Validate) -> None:
    files = {**FILES, ".jobsworth.yaml": "fail-on: warnings\n"}
    done = validate("warning.yaml", files=files)
    assert done.code == 2
    assert (
        '.jobsworth.yaml:1: fail-on: unsupported value "warnings" (did you mean "warning"?)'
        in done.err
    )


def test_the_note_why_a_template_was_skipped_never_fails(command: Command) -> None:
    done = command(
        "validate", "--mixed", "--fail-on", "info", "t.yaml", files={"t.yaml": "kind: {{ Job }}\n"}
    )
    assert (done.code, "JW091" in done.out) == (0, True)
