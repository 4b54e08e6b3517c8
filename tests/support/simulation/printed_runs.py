"""The JSON reports of runs, from documents in a file: to be compared between versions and builds of Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jobsworth
from jobsworth.documents.declared import json_value
from jobsworth.reports.simulation_report import run_report
from jobsworth.runs.simulation.scenario_reader import is_scenario, scenario_of
from jobsworth.runs.simulation.scenario_run import run_once

SEEDS = (1, 2, 3)


def print_runs(documents: Path, reports: Path) -> None:
    """Run each Job in its scenario, and write the reports.

    Args:
        documents: a JSON object of lists, each a Job and a JobScenario.
        reports: the file to write.
    """
    pairs: dict[str, list[Any]] = json.loads(documents.read_text(encoding="utf-8"))
    printed = [_printed(pair, seed) for pair in pairs.values() for seed in SEEDS]
    reports.write_bytes("\n".join(printed).encode())


def _printed(pair: list[Any], seed: int) -> str:
    (scenario,) = (each for each in pair if is_scenario(each))
    (manifest,) = (each for each in pair if not is_scenario(each))
    record = run_once(jobsworth.default(manifest), scenario_of(scenario), seed)
    return json.dumps(json_value(run_report(record)), indent=1, ensure_ascii=False)
