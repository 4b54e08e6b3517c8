"""The JSON report of explanations is what its published schema says, and it describes each of its keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobsworth.reports.explanation_report import explanation_schema
from support.cli.command_runs import Command
from support.reports.described_keys import undescribed

ROOT = Path(__file__).parents[2]
SCHEMA = explanation_schema()
CHECKER = Draft202012Validator(SCHEMA)
TRAINING = str(ROOT / "examples/valid/ml-training.yaml")
NIGHTLY = str(ROOT / "examples/valid/nightly-report.yaml")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        (str(ROOT / "examples/valid"),),
        (str(ROOT / "examples/scenarios"),),
        (str(ROOT / "docs/examples/job-set.yaml"),),
        (TRAINING, "--exit-code", "137"),
        (TRAINING, "--condition", "DisruptionTarget"),
    ],
    ids=lambda arguments: " ".join(Path(each).name for each in arguments),
)
def test_a_report_is_valid_and_described(command: Command, arguments: tuple[str, ...]) -> None:
    done = command("explain", *arguments, "-o", "json")
    assert done.out, done.err
    CHECKER.validate(done.loaded)
    assert undescribed(done.loaded, SCHEMA) == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [(TRAINING, "backoffLimit: ", "backoffLimit: 1"), (NIGHTLY, "30 4", "50 23")],
)  # fmt: skip
def test_a_comparison_is_valid_and_described(
    command: Command, path: str, old: str, new: str
) -> None:
    text = Path(path).read_text()
    assert old in text
    files = {"before/job.yaml": text.replace(old, new, 1), "after/job.yaml": text}
    done = command("explain", "after/job.yaml", "--against", "before", "-o", "json", files=files)
    (job, *_) = done.loaded["jobs"]
    assert "changed" in job
    CHECKER.validate(done.loaded)
    assert undescribed(done.loaded, SCHEMA) == []


def test_a_row_has_one_outcome_or_two(command: Command) -> None:
    report: dict[str, Any] = command("explain", TRAINING, "-o", "json").loaded
    row = report["jobs"][0]["exit_codes"][0]
    CHECKER.validate(report)
    row["before"] = row["after"] = row.pop("outcome")
    assert not CHECKER.is_valid(report)
    row["changed"] = False
    CHECKER.validate(report)


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "schemas/explain.json").read_text(encoding="utf-8")
    assert json.loads(published) == SCHEMA
    Draft202012Validator.check_schema(SCHEMA)
