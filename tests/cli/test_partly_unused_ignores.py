"""Ignores that list more than they suppress."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import SHADOWED

COMMENT = "# jobsworth: ignore[WORDS] agreed\n" + SHADOWED
ANNOTATION = SHADOWED.replace(
    "  name: shadowed\n", "  name: shadowed\n  annotations: {jobsworth.dev/ignore: 'WORDS'}\n"
)


@pytest.mark.parametrize("form", [COMMENT, ANNOTATION])
def test_a_word_that_suppresses_nothing_is_reported(validate: Validate, form: str) -> None:
    done = validate("a.yaml", files={"a.yaml": form.replace("WORDS", "JW101,JW501")})
    assert "[JW900 unused-ignore]" in done.out
    assert "no JW501 finding in this document; remove JW501 from this ignore" in done.out


def test_a_word_at_a_line_is_about_that_line(validate: Validate) -> None:
    line = SHADOWED.splitlines()[-1]
    text = SHADOWED.replace(line, f"{line}  # jobsworth: ignore[JW101,JW501]")
    done = validate("a.yaml", files={"a.yaml": text})
    assert "finding on this line; remove" in done.out


@pytest.mark.parametrize("words", ["JW101", "rule-shadowed", "JW1", "JW101,JW1"])
def test_words_that_suppress_something_are_not(validate: Validate, words: str) -> None:
    assert "JW900" not in validate("a.yaml", files={"a.yaml": COMMENT.replace("WORDS", words)}).out


def test_a_word_whose_rule_did_not_run_is_not(validate: Validate) -> None:
    files = {"a.yaml": COMMENT.replace("WORDS", "JW101,JW501")}
    assert "JW900" not in validate("--ignore", "JW501", "a.yaml", files=files).out


def test_the_annotation_keeps_all_words_that_suppress_something(
    validate: Validate, tmp_path: Path
) -> None:
    words = "JW101,JW501,rule-shadowed"
    validate("--fix", "a.yaml", files={"a.yaml": ANNOTATION.replace("WORDS", words)})
    assert "jobsworth.dev/ignore: 'JW101,rule-shadowed'" in (tmp_path / "a.yaml").read_text()


def test_the_annotation_is_fixed_safely(validate: Validate, tmp_path: Path) -> None:
    validate("--fix", "a.yaml", files={"a.yaml": ANNOTATION.replace("WORDS", "JW101,JW501")})
    assert "jobsworth.dev/ignore: 'JW101'" in (tmp_path / "a.yaml").read_text()
