"""`jobsworth rule`, from its arguments to its output and exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.files.simulations.rule_simulations import simulation_section
from jobsworth.lint import manifest_rules, pages
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.lint.linter import RULES
from support.cli.command_runs import Command

ROOT = Path(__file__).parent.parent.parent
ALL = sorted((*RULES, *manifest_rules.MANIFEST_RULES), key=lambda rule: rule.code)


def test_without_arguments_all_rules_are_listed(command: Command) -> None:
    done = command("rule")
    assert done.code == 0
    head, *lines = done.out.splitlines()
    assert head.split() == ["code", "name", "severity", "fix", "summary"]
    assert [line.split()[0] for line in lines] == [rule.code for rule in ALL]


@pytest.mark.parametrize("word", ["JW101", "rule-shadowed"])
def test_a_code_or_a_name_prints_the_page(command: Command, word: str) -> None:
    done = command("rule", word)
    assert done.code == 0
    assert done.out == pages.page(ALL[0])
    assert done.out.startswith("# JW101 rule-shadowed\n")


def test_several_pages_are_printed_one_after_the_other(command: Command) -> None:
    done = command("rule", "JW401", "JW305", "JW004")
    titles = [line for line in done.out.splitlines() if line.startswith("# ")]
    assert titles == [
        "# JW401 schedule-never-fires",
        "# JW305 replaced-bytes",
        "# JW004 FieldValueInvalid",
    ]


def test_the_beginning_of_codes_lists_them(command: Command) -> None:
    lines = command("rule", "JW3").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [
        rule.code for rule in ALL if rule.code.startswith("JW3")
    ]


def test_json_has_all_that_the_pages_have(command: Command) -> None:
    (described,) = json.loads(command("rule", "JW404", "--output", "json").out)["rules"]
    rule = next(rule for rule in ALL if rule.code == "JW404")
    explained = pages.explanation(rule)
    assert described == {
        "code": "JW404",
        "name": "every-minute-of-hour",
        "severity": "warning",
        "confidence": "likely",
        "fix": "unsafe",
        "default": True,
        "summary": rule.summary,
        "why": explained.why,
        "bad": explained.bad,
        "good": explained.good,
        "sources": explained.sources,
    }


def test_json_lists_all_rules_and_codes_without_one(command: Command) -> None:
    everything = json.loads(command("rule", "-o", "json").out)["rules"]
    assert [described["code"] for described in everything] == [rule.code for rule in ALL]
    (verdict,) = json.loads(command("rule", "-o", "json", "JW004").out)["rules"]
    assert (verdict["fix"], "why" in verdict) == (None, False)


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("rule-shadow", 'unknown rule "rule-shadow": did you mean "rule-shadowed"?'),
        ("JW", None),
        ("xyz", 'unknown rule "xyz"'),
    ],
)
def test_an_unknown_rule_is_reported_with_a_similar_one(
    command: Command, word: str, complaint: str | None
) -> None:
    done = command("rule", word)
    assert done.code == (0 if complaint is None else 2)
    assert "Traceback" not in done.err
    if complaint is not None:
        assert complaint in done.err


@pytest.mark.slow
def test_pages_and_their_index_are_written(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "rules"
    assert command("rule", "--directory", str(folder)).code == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {"README.md", *(pages.file_name(entry) for entry in CATALOGUE.values())}
    shadowed = (folder / "JW101-rule-shadowed.md").read_text(encoding="utf-8")
    assert shadowed == pages.page(ALL[0], simulation_section(ALL[0]))


@pytest.mark.slow
def test_the_pages_in_the_repository_are_up_to_date(command: Command, tmp_path: Path) -> None:
    assert command("rule", "--directory", "pages").code == 0
    pages = tmp_path / "pages"
    written = {path.name: path.read_text(encoding="utf-8") for path in pages.iterdir()}
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs/rules").iterdir()}
    assert kept == written, "run: jobsworth rule --directory docs/rules"


def test_only_the_command_that_runs_is_imported() -> None:
    code = (
        "import sys\n"
        "from jobsworth.cli.click_application import application\n"
        "application(['rule', 'JW101'], standalone_mode=False)\n"
        "print(*sorted(name for name in sys.modules if name.startswith('jobsworth.cli.commands.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "webhook")},
    )
    assert done.stdout.splitlines()[-1] == "jobsworth.cli.commands.rule"


@pytest.mark.parametrize("words", [["certs generate"], ["policy"], ["certs", "x"]])
def test_a_command_has_one_name(command: Command, words: list[str]) -> None:
    done = command(*words)
    assert done.code == 2
    assert "Usage: jobsworth" in done.err


def test_help_teaches_by_example(command: Command) -> None:
    done = command("rule", "--help")
    assert "[RULE...]" in done.out
    assert "jobsworth rule JW101" in done.out


@pytest.mark.parametrize("code", ["JW001", "jw004", "JW090", "JW094"])
def test_codes_without_a_rule_have_a_page_that_says_what_to_do(command: Command, code: str) -> None:
    done = command("rule", code)
    assert done.code == 0
    assert len(done.out.splitlines()) > 6


def test_policy_codes_are_explained_too(command: Command) -> None:
    assert command("rule", "JP002").out.startswith("# JP002 above-maximum\n")
    assert command("rule", "jp").out.count("\n") >= 17
    done = command("rule", "JP777")
    assert (done.code, "Traceback" in done.err) == (2, False)
