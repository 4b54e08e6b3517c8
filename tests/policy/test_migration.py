"""The policies of docs/migrate.md have the recorded verdicts of the engines that they come from."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import jobsworth
from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.reader import read

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "migrate.md").read_text("utf-8")
FILES = sorted((DOCS / "examples" / "migration").glob("*.yaml"))
RECORD = json.loads(
    lzma.decompress((Path(__file__).parent / "data/migration.json.xz").read_bytes())
)
CASES: list[dict[str, Any]] = RECORD["cases"]

each_policy = pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))


@each_policy
def test_the_verdicts_are_those_of_the_engine(file: Path) -> None:
    policies = read([yaml.safe_load(file.read_text("utf-8"))])
    evaluator = Evaluator(ApiServer("1.36", allow_privileged=True), policies=policies, lint=False)
    for case in CASES:
        evaluation = evaluator.evaluate(Subject(case["object"]))
        denied = any(finding.severity == "error" for _, finding in evaluation.violations)
        assert denied is (file.stem in case["denied"]), case["object"]
        assert not evaluation.api


@each_policy
def test_the_page_has_the_number_of_denied_objects(file: Path) -> None:
    count = sum(file.stem in case["denied"] for case in CASES)
    assert 5 <= count <= len(CASES) - 5
    row = next(line for line in PAGE.splitlines() if f"({file.relative_to(DOCS)})" in line)
    assert row.endswith(f"| {count} |")


def test_the_page_names_what_was_compared() -> None:
    assert {name for case in CASES for name in case["denied"]} == {file.stem for file in FILES}
    assert f"{len(CASES)} generated Jobs and CronJobs: {len(CASES) * len(FILES):,} verdicts" in PAGE
    for program, version in RECORD["engines"].items():
        assert re.search(rf"{program} {re.escape(version)}\b", PAGE, re.IGNORECASE)
    for repository, commit in RECORD["sources"].items():
        assert f"https://github.com/{repository}" in PAGE
        assert commit[:7] in PAGE


def test_the_policies_of_the_page_can_be_loaded_together() -> None:
    blocks = re.findall(r"^  ```yaml\n(.*?)^  ```", PAGE, re.DOTALL | re.MULTILINE)
    documents = [yaml.safe_load(text) for text in blocks]
    documents += [yaml.safe_load(file.read_text("utf-8")) for file in FILES]
    job = CASES[0]["object"]
    assert jobsworth.evaluate(job, policies=documents).policy is not None
