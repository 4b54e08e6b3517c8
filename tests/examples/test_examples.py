"""Every example is validated as a real API server validated it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import jobsworth
from jobsworth.manifests import expand_lists, read_file

ROOT = Path(__file__).parent.parent.parent
EXPECTED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "expected.json").read_text(encoding="utf-8")
)
FILES = sorted({case["file"] for case in EXPECTED})


def validated(file: str) -> list[tuple[int, int | None, bool, list[list[str]]]]:
    answers = []
    for document in expand_lists(read_file(str(ROOT / file))):
        assert document.error is None
        assert isinstance(document.value, dict)
        try:
            found = jobsworth.validate(document.value, kubernetes_version="1.36")
        except jobsworth.UnknownKind:
            continue
        errors = [finding for finding in found if finding.severity == "error"]
        causes = sorted([error.field, error.message] for error in errors)
        answers.append((document.index, document.item, not errors, causes))
    return answers


@pytest.mark.parametrize("file", FILES)
def test_an_example_is_validated_as_the_api_server_validated_it(file: str) -> None:
    answers = validated(file)
    cases = [case for case in EXPECTED if case["file"] == file]
    assert [answer[:3] for answer in answers] == [
        (case["document"], case.get("item"), case["valid"]) for case in cases
    ]
    for case, (_, _, _, causes) in zip(cases, answers, strict=True):
        if case["findings"] is not None:  # of what cannot be decoded, the wording is ours
            assert causes == sorted(case["findings"])


def test_no_example_is_forgotten() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "examples").rglob("*")
        if path.suffix in (".yaml", ".yml", ".json")
        and path.parent.name != "scenarios"
        and "kind: JobScenario" not in path.read_text(encoding="utf-8")
    }
    assert found == set(FILES)


@pytest.mark.parametrize("release", ["1.31", "1.33", "1.36", "1.37"])
def test_the_good_examples_are_valid_in_every_release_since_1_31(release: str) -> None:
    for path in sorted((ROOT / "examples/valid").iterdir()):
        for document in expand_lists(read_file(str(path))):
            assert isinstance(document.value, dict)
            try:
                found = jobsworth.validate(document.value, kubernetes_version=release)
            except jobsworth.UnknownKind:
                continue
            errors = [finding for finding in found if finding.severity == "error"]
            assert errors == [], path.name
