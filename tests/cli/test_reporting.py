"""Destinations of reports, and statistics of findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

FILES = {"a.yaml": SHADOWED, "b.yaml": SHADOWED, "c.yaml": INVALID, "d.yaml": SOUND}


@pytest.mark.parametrize("output", ["text", "concise", "json", "sarif", "junit", "github"])
def test_every_report_can_go_to_a_file(output: str, validate: Validate, tmp_path: Path) -> None:
    printed = validate("-o", output, ".", files=FILES)
    written = validate("-o", output, "--output-file", "report.out", ".")
    assert written.out == ""
    assert (tmp_path / "report.out").read_text(encoding="utf-8") == printed.out
    assert written.code == printed.code == 1
    assert "4 objects in 4 files" in written.err


@pytest.mark.parametrize(
    ("options", "option"),
    [
        (["--output-file", "no/such/report"], "--output-file"),
        (["--output", "sarif=no/such/report"], "--output"),
        (["-o", "text", "-o", "sarif=no/such/report"], "--output"),
    ],
)
def test_a_file_that_cannot_be_written_is_an_error_of_its_option(
    options: list[str], option: str, validate: Validate
) -> None:
    done = validate(*options, "a.yaml", files=FILES)
    assert done.code == 2
    assert done.err.startswith(f"Error: {option}: cannot write no/such/report: ")


@pytest.mark.parametrize("output", ["text", "concise", "github"])
def test_the_reports_for_people_show_info_findings_on_request(
    output: str, validate: Validate
) -> None:
    files = {"job.yaml": SOUND.replace("  activeDeadlineSeconds: 3600\n", "")}
    done = validate("-o", output, "job.yaml", files=files)
    assert (done.out, done.code) == ("", 0)
    assert "info finding (show with --info)" in done.err
    assert "JW201" in validate("-o", output, "--info", "job.yaml").out
    assert "JW201" in validate("-o", output, "--select", "JW201", "job.yaml").out
    assert "JW201" in validate("-o", output, "--fail-on", "info", "job.yaml").out


@pytest.mark.parametrize("output", ["json", "sarif", "junit"])
def test_the_reports_for_programs_always_have_info_findings(
    output: str, validate: Validate
) -> None:
    files = {"job.yaml": SOUND.replace("  activeDeadlineSeconds: 3600\n", "")}
    assert "JW201" in validate("-o", output, "job.yaml", files=files).out


def test_statistics_count_by_code_with_names(validate: Validate) -> None:
    done = validate("--statistics", ".", files=FILES)
    first, second = done.out.splitlines()
    assert first == "2  warning  JW101  rule-shadowed (2 with a fix)"
    assert second.startswith("1  error    JW004  FieldValueInvalid")
    assert done.code == 1


def test_statistics_of_nothing_are_nothing(validate: Validate) -> None:
    assert validate("--statistics", "d.yaml", files=FILES).out == ""


def test_statistics_are_a_part_of_the_json_report(validate: Validate) -> None:
    loaded = validate("--statistics", "-o", "json", ".", files=FILES).loaded
    assert len(loaded["results"]) == 4
    assert loaded["statistics"][0] == {
        "count": 2,
        "severity": "warning",
        "code": "JW101",
        "name": "rule-shadowed",
        "fixable": 2,
    }


def test_a_report_that_has_no_place_for_statistics_says_so(validate: Validate) -> None:
    done = validate("--statistics", "-o", "sarif", ".", files=FILES)
    assert done.code == 2
    assert "--statistics requires --output text, concise, json" in done.err


@pytest.mark.parametrize("output", ["json", "sarif", "junit", "github", "concise", "text"])
def test_a_quiet_report_has_only_what_is_invalid(output: str, validate: Validate) -> None:
    done = validate("-q", "-o", output, ".", files=FILES)
    assert "c.yaml" in done.out
    assert "a.yaml" not in done.out
    assert done.err == ""


def test_a_fix_is_in_the_json_report(validate: Validate) -> None:
    done = validate("-o", "json", "a.yaml", files=FILES)
    (finding,) = json.loads(done.out)["results"][0]["findings"]
    assert finding["fix"]["title"] == "Move the rule up"
    assert finding["fix"]["safe"] is False
