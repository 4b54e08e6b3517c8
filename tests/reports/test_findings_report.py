"""The JSON report is what its published schema says, for every status and command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobsworth.reports.findings_report import findings_schema
from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

PUBLISHED = Path(__file__).parents[2] / "schemas" / "report.json"
CHECKER = Draft202012Validator(findings_schema())

TYPO = SOUND.replace("kind: Job", "kind: Jobb")
FILES = {
    "valid.yaml": SOUND,
    "invalid.yaml": INVALID,
    "warning.yaml": SHADOWED,
    "typo.yaml": TYPO,
    "unknown-field.yaml": SOUND.replace("activeDeadlineSeconds", "activeDeadlineSecond"),
    "other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
    "list.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pod"}]}),
    "template.yaml": "{{ if x }}\nkind: Job\n{{ end }}\n",
    "unreadable.yaml": "kind: Job\nspec: [\n",
    "broken.yaml": "apiVersion: batch/v1\nkind: Job\nspec:\n\tcompletions: 3\n",
}


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == findings_schema()
    Draft202012Validator.check_schema(findings_schema())


@pytest.mark.parametrize(
    "arguments",
    [
        ["."],
        ["--mixed", "."],
        ["--statistics", "."],
        ["--fail-on", "info", "."],
        ["--fix", "--unsafe", "."],
        ["missing.yaml"],
        ["valid.yaml"],
    ],
)
def test_every_report_is_valid(validate: Validate, arguments: list[str]) -> None:
    done = validate("-o", "json", *arguments, files=FILES)
    CHECKER.validate(done.loaded)
    assert done.loaded["summary"]["exit_code"] == done.code


def test_a_key_that_no_reader_expects_is_no_key_of_the_report(validate: Validate) -> None:
    """Each key of a report is described."""

    def check(value: Any, described: dict[str, Any]) -> None:
        described = described["anyOf"][0] if "anyOf" in described else described
        if "$ref" in described:
            described = findings_schema()["$defs"][described["$ref"].rpartition("/")[2]]
        if isinstance(value, dict) and "properties" in described:
            assert value.keys() <= described["properties"].keys()
            for key, part in value.items():
                check(part, described["properties"][key])
        elif isinstance(value, list) and "items" in described:
            for item in value:
                check(item, described["items"])

    for arguments in (["--statistics", "."], ["--fix", "."]):
        check(validate("-o", "json", *arguments, files=FILES).loaded, findings_schema())


@pytest.mark.parametrize(
    ("file", "status", "code"),
    [
        ("valid.yaml", "valid", 0),
        ("invalid.yaml", "invalid", 1),
        ("typo.yaml", "invalid", 1),
        ("unknown-field.yaml", "invalid", 1),
        ("other.yaml", "skipped", 0),
        ("unreadable.yaml", "error", 2),
    ],
)
def test_all_reports_tell_the_same_story(
    validate: Validate, file: str, status: str, code: int
) -> None:
    """Status, counts, sentence and exit code agree for each kind of document."""
    done = validate("-o", "json", file, files={file: FILES[file]})
    (result,) = done.loaded["results"]
    summary = done.loaded["summary"]
    assert (result["status"], done.code) == (status, code)
    assert summary[status] == 1
    assert sum(summary[each] for each in ("valid", "invalid", "skipped", "error")) == 1
    text = validate(file)
    assert text.code == code
    sentence = {
        "valid": "1 valid, 0 invalid",
        "invalid": "0 valid, 1 invalid; 1 error",
        "skipped": "no Job or CronJob found; 1 other object skipped",
        "error": "1 unreadable",
    }[status]
    assert sentence in text.err
    assert (": error: " in text.out) == (code != 0)
