"""The page of many runs in headless Chromium: for screen readers, in light and dark, with no request to anywhere.

``tests/browser/install`` provides what the tests need; they are skipped without. ``JOBSWORTH_SCREENSHOTS=FOLDER``
keeps the screenshots.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jobsworth.reports.timelines.statistics_page import statistics_page
from jobsworth.runs.run_statistics import statistics_of, summarize
from support.simulation.simulated_runs import indexed, run, scenario
from support.timelines.chromium import Chromium, installed

pytestmark = pytest.mark.skipif(installed() is None, reason="Chromium is not installed")

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
AXE = CACHE / "jobsworth/npm/node_modules/axe-core/axe.min.js"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    luck = scenario(
        {"probability": 0.3, "exitCode": 1, "duration": {"uniform": {"min": "1m", "max": "9m"}}}
    )
    variants = [
        (
            f"backoffLimitPerIndex={limit}",
            statistics_of(
                [
                    summarize(run(indexed(size=4, backoffLimitPerIndex=limit), luck, seed))
                    for seed in range(1, 51)
                ]
            ),
        )
        for limit in (0, 1, 3)
    ]
    path = tmp_path_factory.mktemp("page") / "many.html"
    path.write_text(statistics_page("Job train, scenario test", variants), encoding="utf-8")
    return path


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_and_nothing_is_loaded(page: Path, scheme: str) -> None:
    with Chromium() as browser:
        browser.open(page, "document.querySelector('footer')?.textContent || ''")
        browser.media(scheme)
        folder = os.environ.get("JOBSWORTH_SCREENSHOTS")
        if folder:
            browser.screenshot(Path(folder) / f"many-{scheme}.png")
        browser.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
        found = json.loads(
            browser.evaluate("axe.run().then(found => JSON.stringify(found.violations))")
        )
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
        assert browser.problems == []
        assert [each for each in browser.requests if not each.startswith(("file:", "data:"))] == []
