"""`--fix` fixes what the report shows, and says how much more it could fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import SHADOWED, SOUND

NO_TTL = SOUND.replace("  ttlSecondsAfterFinished: 86400\n", "")
RESTART = NO_TTL.replace("restartPolicy: Never", "restartPolicy: never")
PRIORITY = f"{SHADOWED}      priority: 5\n".replace("restartPolicy: Never", "restartPolicy: never")
"""The Pods of this Job would be rejected, which is reported only if the Job is valid."""


def test_fixes_of_hidden_findings_are_not_applied(validate: Validate, tmp_path: Path) -> None:
    done = validate("--fix", "--unsafe", "a.yaml", files={"a.yaml": RESTART})
    assert (tmp_path / "a.yaml").read_text() == NO_TTL
    assert done.err.splitlines()[-1] == "1 fixed; 1 more fixable with --info"


def test_fixes_of_info_findings_are_applied_with_info(validate: Validate, tmp_path: Path) -> None:
    validate("--fix", "--unsafe", "--info", "a.yaml", files={"a.yaml": NO_TTL})
    assert "ttlSecondsAfterFinished: 86400" in (tmp_path / "a.yaml").read_text()


def test_a_rule_that_is_selected_by_name_is_shown_and_fixed(
    validate: Validate, tmp_path: Path
) -> None:
    assert "JW204" in validate("--select", "JW204", "a.yaml", files={"a.yaml": NO_TTL}).out
    validate("--fix", "--unsafe", "--select", "no-ttl", "a.yaml")
    assert "ttlSecondsAfterFinished: 86400" in (tmp_path / "a.yaml").read_text()


def test_the_default_selection_names_no_rule(validate: Validate, tmp_path: Path) -> None:
    validate("--fix", "--unsafe", "--select", "default", "a.yaml", files={"a.yaml": NO_TTL})
    assert (tmp_path / "a.yaml").read_text() == NO_TTL


def test_known_findings_of_a_baseline_are_not_fixed(validate: Validate, tmp_path: Path) -> None:
    validate("--baseline", "b.json", "--write-baseline", "a.yaml", files={"a.yaml": SHADOWED})
    done = validate("--fix", "--unsafe", "--baseline", "b.json", "a.yaml")
    assert (tmp_path / "a.yaml").read_text() == SHADOWED
    assert "fixed" not in done.err.replace("b.json", "")
    validate("--fix", "--unsafe", "a.yaml")
    assert (tmp_path / "a.yaml").read_text() != SHADOWED


def test_a_report_counts_the_fixes_that_it_offers(validate: Validate) -> None:
    done = validate("a.yaml", "b.yaml", files={"a.yaml": RESTART, "b.yaml": SHADOWED})
    assert done.err.splitlines()[-1] == "1 fixable with --fix; 1 more fixable with --fix --unsafe"


def test_fixes_that_only_others_have_made_possible_are_told_apart(validate: Validate) -> None:
    announced = validate("a.yaml", files={"a.yaml": PRIORITY}).err
    assert announced.splitlines()[-1] == "1 fixable with --fix; 1 more fixable with --fix --unsafe"
    done = validate("--fix", "--unsafe", "a.yaml").err
    assert done.splitlines()[-1] == "3 fixed (1 of them found only after other fixes)"


IN_DISORDER = """
  podFailurePolicy:
    rules: [{action: FailJob, onExitCodes: {operator: In, values: [0, 3, 3, 1]}}]
"""
WITHOUT_INDEXES = """
  completions: 5
  backoffLimitPerIndex: 1
  maxFailedIndexes: 2
"""
MISPLACED = """
  template:
    backoffLimit: 3
    spec:
      backoffLimit: 4
"""


@pytest.mark.parametrize(
    ("spec", "number"),
    [
        (IN_DISORDER, 1),
        (WITHOUT_INDEXES, 1),
        (MISPLACED, 1),
        (f"{WITHOUT_INDEXES.replace('Indexes: 2', 'Indexes: 9')}  completionMode: indexed\n", 1),
    ],
    ids=["three errors", "two errors", "two moves", "an error that is hidden"],
)
def test_as_many_fixes_are_counted_as_are_made(
    validate: Validate, spec: str, number: int, tmp_path: Path
) -> None:
    pod = "      restartPolicy: Never\n      containers: [{name: a, image: 'a:1'}]\n"
    above = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:"
    text = above + (spec if "template" in spec else f"{spec}  template:\n    spec:\n") + pod
    announced = validate("--select", "JW0", "a.yaml", files={"a.yaml": text}).err
    assert announced.splitlines()[-1] == f"{number} fixable with --fix"
    done = validate("--select", "JW0", "--fix", "a.yaml").err
    assert done.splitlines()[-1] == f"{number} fixed"


def test_a_diff_without_safe_fixes_names_the_option_for_the_others(validate: Validate) -> None:
    done = validate("--diff", "a.yaml", files={"a.yaml": SHADOWED})
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-1] == "1 fixable with --unsafe"


def test_a_diff_counts_what_would_be_fixed(validate: Validate) -> None:
    done = validate("--diff", "a.yaml", files={"a.yaml": RESTART})
    assert done.err.splitlines()[-1] == ("1 would be fixed; 1 more fixable with --unsafe --info")
