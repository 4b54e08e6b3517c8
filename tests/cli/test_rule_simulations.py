"""The simulations on the pages of rules: the bad and the good example end differently."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.cli.commands.rule import COMMAND, RuleOptions
from jobsworth.files.simulations.rule_simulations import (
    SCENARIOS,
    simulated_examples,
    simulation_section,
)
from jobsworth.lint import manifest_rules, pages
from jobsworth.lint.linter import RULES
from jobsworth.runs.run_record import RunRecord
from support.cli.command_processes import ROOT
from support.cli.command_runs import Command
from support.cli.parsed_options import parsed

RULE_OF = {rule.code: rule for rule in (*RULES, *manifest_rules.MANIFEST_RULES)}

each_scenario = pytest.mark.parametrize("code", SCENARIOS)


def ending(record: RunRecord) -> tuple[str, str, int]:
    return record.job.outcome, record.job.reason, len(record.job.pods)


@each_scenario
def test_the_examples_of_a_rule_end_differently_in_its_scenario(code: str) -> None:
    bad, good = simulated_examples(RULE_OF[code])
    assert ending(bad) != ending(good)
    assert good.job.outcome != "Unfinished"


@each_scenario
def test_a_generated_page_shows_the_simulation_of_now(code: str) -> None:
    rule = RULE_OF[code]
    page = (ROOT / "docs/rules" / pages.file_name(rule)).read_text(encoding="utf-8")
    assert simulation_section(rule) in page, "renew it: jobsworth rule --directory docs/rules"


def test_a_rule_of_failure_policies_that_says_something_in_a_simulation_has_one() -> None:
    assert {"JW101", "JW102", "JW104", "JW105", "JW127", "JW211", "JW212", "JW213"} <= set(
        SCENARIOS
    )
    assert simulation_section(RULE_OF["JW401"]) == ""


def test_the_page_that_the_terminal_shows_runs_no_simulation(command: Command) -> None:
    assert "simulation" not in command("rule", "JW102").out


def test_the_simulations_of_a_page_are_those_that_its_reader_gets(
    tmp_path: Path, command: Command
) -> None:
    explained = pages.explanation(RULE_OF["JW102"])
    files = {
        "bad.yaml": explained.bad,
        "good.yaml": explained.good,
        "scenario.yaml": SCENARIOS["JW102"].text,
    }
    done = command(
        "simulate", "bad.yaml", "--compare", "good.yaml", "--scenario", "scenario.yaml", files=files
    )
    assert done.code == 0
    assert "bad.yaml   Failed: PodFailurePolicy" in done.out
    assert "good.yaml  Complete: CompletionsReached  15 min 18 s" in done.out


@pytest.mark.slow
def test_all_pages_are_generated_with_their_simulations(tmp_path: Path) -> None:
    options = parsed(RuleOptions, "--directory", str(tmp_path))
    assert COMMAND.run(options) == 0
    with_simulation = {
        path.name[:5] for path in tmp_path.iterdir() if "## In a simulation" in path.read_text()
    }
    assert with_simulation == set(SCENARIOS)
