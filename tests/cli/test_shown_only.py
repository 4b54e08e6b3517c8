"""What a report does not show costs no work, and showing it changes no verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jobsworth.findings.finding import Finding
from jobsworth.lint.linter import RULES, Linter
from jobsworth.validation.decoded_object import DecodedObject
from support.cli.command_runs import Validate

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))
VALID = (ROOT / "examples/valid/ml-training.yaml").read_text()
INVALID = (ROOT / "examples/invalid/max-failed-indexes-alone.yaml").read_text()


def test_no_rule_reports_errors_by_default() -> None:
    """The exit code of a run without options is the API server's verdict."""
    assert [rule.code for rule in RULES if rule.severity == "error"] == []


@pytest.mark.slow
@pytest.mark.parametrize("threshold", ["error", "warning", "info", "never"])
def test_a_quiet_report_shows_what_fails_as_the_whole_report_does(
    validate: Validate, threshold: str
) -> None:
    paths = [str(file) for file in EXAMPLES]
    options = ("--fail-on", threshold, "--output", "json")
    whole = json.loads(validate(*options, *paths).out)["results"]
    quiet = json.loads(validate(*options, "--quiet", *paths).out)["results"]
    failing = {"error": 1, "warning": 2, "info": 3, "never": 0}[threshold]
    severities = ("error", "warning", "info")[:failing]
    assert quiet == [
        result
        for result in whole
        if result["status"] == "error"
        or any(
            finding["severity"] in severities
            and not (result["status"] == "skipped" and finding["severity"] == "info")
            for finding in result["findings"]
        )
    ]


@pytest.mark.parametrize(
    ("options", "linted"),
    [
        (("--quiet",), ["twice", "rejected"]),
        (("--quiet", "--fail-on", "warning"), ["accepted", "twice", "rejected"]),
        (("--quiet", "--ignore", "JW501"), ["accepted", "twice", "rejected"]),
        ((), ["accepted", "twice", "rejected"]),
    ],
)
def test_a_quiet_run_lints_only_the_jobs_that_it_may_show(
    validate: Validate, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], linted: list[str]
) -> None:
    """The Job with a key twice is one that the API server accepts, and the run fails."""
    seen = []
    lint = Linter.lint

    def noted(self: Linter, decoded: DecodedObject, *others: Any, **named: Any) -> list[Finding]:
        seen.append(decoded.written["metadata"]["name"])
        return lint(self, decoded, *others, **named)

    monkeypatch.setattr(Linter, "lint", noted)
    accepted = VALID.replace("name: train-recommender", "name: accepted", 1)
    twice = VALID.replace("name: train-recommender", "name: twice\n  name: twice", 1)
    rejected = VALID.replace("name: train-recommender", "name: rejected", 1)
    rejected = rejected.replace("restartPolicy: Never", "restartPolicy: Always")
    run = validate(
        *options, "jobs.yaml", files={"jobs.yaml": f"{accepted}---\n{twice}---\n{rejected}"}
    )
    assert (run.code, list(dict.fromkeys(seen))) == (1, linted)


def test_info_findings_are_counted_but_not_shown(validate: Validate) -> None:
    shown = validate("--info", "job.yaml", files={"job.yaml": INVALID})
    hidden = validate("job.yaml")
    assert "info" in shown.out
    assert "info" not in hidden.out
    assert set(hidden.out.splitlines()) <= set(shown.out.splitlines())
    assert "info" in hidden.err
