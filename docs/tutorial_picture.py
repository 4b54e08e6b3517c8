"""Draw the picture of docs/tutorial.md: the Pods of both training Jobs in the same scenario, as SVG.

Run it from the root of the repository: ``PYTHONPATH=webhook python docs/tutorial_picture.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import yaml

import jobsworth
from jobsworth.reports.timelines.timeline_svg import timeline_svg
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once

if TYPE_CHECKING:
    from jobsworth.runs.run_record import RunRecord

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs/tutorial.svg"
JOBS = (("train-naive.yaml", "naive"), ("train-good.yaml", "good"))
SCENARIO = ROOT / "examples/scenarios/two-scale-downs.yaml"


def runs() -> list[tuple[str, RunRecord]]:
    """Return both Jobs in the scenario."""
    documents = yaml.safe_load_all(SCENARIO.read_text(encoding="utf-8"))
    (document,) = [each for each in documents if each["kind"] == "JobScenario"]
    scenario = read_scenario(document)
    found = []
    for file, name in JOBS:
        manifest = yaml.safe_load((ROOT / "examples/tutorial" / file).read_text(encoding="utf-8"))
        found.append((name, run_once(jobsworth.default(manifest), scenario, 1)))
    return found


def picture() -> str:
    """Return the picture."""
    return f"{timeline_svg(runs())}\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
