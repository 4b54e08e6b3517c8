"""Every page in headless Chromium on a phone and on a desktop, in light and dark: nothing is too wide or overlaps.

``tests/browser/install`` provides what the tests need; they are skipped without. ``JOBSWORTH_SCREENSHOTS=FOLDER``
keeps the screenshots.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import jobsworth
from jobsworth.reports.calendar_page import calendar_page
from jobsworth.reports.timelines.statistics_page import statistics_page
from jobsworth.reports.timelines.timeline_page import timeline_page
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import statistics_of, summarize
from support.simulation.calendars import a_calendar, a_week
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    indexed,
    job,
    pod_template,
    run,
    scenario,
)
from support.timelines.chromium import Chromium, installed

pytestmark = pytest.mark.skipif(installed() is None, reason="Chromium is not installed")

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
AXE = CACHE / "jobsworth/npm/node_modules/axe-core/axe.min.js"
RECORD_LABELS = """
const write = CanvasRenderingContext2D.prototype.fillText;
window.labels = [];
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, most = Infinity) {
  const wide = Math.min(most, this.measureText(text).width);
  const left = x - (this.textAlign === "center" ? wide / 2 : this.textAlign === "right" ? wide : 0);
  labels.push({chart: this.canvas.id, text, y, left, right: left + wide, across: this.canvas.clientWidth});
  return write.call(this, text, x, y, most);
};
"""


def cron_job(**spec: Any) -> RunRecord:
    """An hourly CronJob in the night in which New York's clocks go back; one run does not end in time."""
    manifest = jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "report", "namespace": "batch"},
            "spec": {
                "schedule": "0 * * * *",
                "timeZone": "America/New_York",
                "concurrencyPolicy": "Forbid",
                "jobTemplate": {"spec": {"template": pod_template(), **spec}},
            },
        }
    )
    given = scenario(
        {"runs": 3, "duration": "170m"},
        {"probability": 0.3, "exitCode": 1},
        start="2026-11-01T03:30Z",
        until="9h",
        controllerAway=[{"from": "7h10m", "until": "8h"}],
        changes=[{"at": "6h30m", "spec": {"failedJobsHistoryLimit": 3}}],
    )
    return run(manifest, given)


def restarted() -> RunRecord:
    return run(
        job(restart="OnFailure", backoffLimit=3, completions=2, parallelism=2),
        scenario({"exitCode": 1, "duration": "2m"}, until="12h"),
    )


def evicted(size: int = 12) -> RunRecord:
    return run(
        indexed(IGNORE_DISRUPTIONS, size=size),
        scenario(
            disruptions=({"cause": "SpotReclaim", "after": {"exponential": {"mean": "15m"}}},)
        ),
    )


def many() -> str:
    luck = scenario({"probability": 0.3, "exitCode": 1})
    variants = [
        (
            f"backoffLimitPerIndex={limit}",
            statistics_of(
                [
                    summarize(run(indexed(size=4, backoffLimitPerIndex=limit), luck, seed))
                    for seed in range(1, 31)
                ]
            ),
        )
        for limit in (0, 1, 3)
    ]
    return statistics_page("Job train, scenario test", variants)


def never_complete() -> str:
    luck = scenario({"exitCode": 1})
    runs = [summarize(run(indexed(size=4, backoffLimitPerIndex=0), luck, n)) for n in (1, 2)]
    return statistics_page("Job train, scenario test", [("train", statistics_of(runs))])


def many_cron_jobs() -> str:
    statistics = statistics_of([summarize(cron_job())])
    return statistics_page("CronJob report", [("Forbid", statistics), ("again", statistics)])


def rejected() -> RunRecord:
    """A Job without a Pod: the page has no chart."""
    return run(
        job(activeDeadlineSeconds=600),
        scenario(rejections=[{"from": "0s", "until": "1h", "message": "exceeded quota"}]),
    )


def monthly() -> RunRecord:
    manifest = jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "report", "namespace": "batch"},
            "spec": {
                "schedule": "0 3 1 * *",
                "timeZone": "Europe/Berlin",
                "jobTemplate": {"spec": {"template": pod_template()}},
            },
        }
    )
    return run(manifest, scenario(start="2026-01-01T00:00Z", until="20000h"))


PAGES = {
    "rejected": lambda: timeline_page(rejected()),
    "monthly": lambda: timeline_page(monthly()),
    "cron-job": lambda: timeline_page(cron_job()),
    "cron-job-of-indexes": lambda: timeline_page(
        cron_job(completionMode="Indexed", completions=3, parallelism=3)
    ),
    "restarts": lambda: timeline_page(restarted()),
    "evictions": lambda: timeline_page(evicted()),
    "many": many,
    "calendar": lambda: calendar_page(a_week()),
    "empty-calendar": lambda: calendar_page(a_calendar()),
    "never-complete": never_complete,
    "many-cron-jobs": many_cron_jobs,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as started:
        started.call("Page.addScriptToEvaluateOnNewDocument", source=RECORD_LABELS)
        yield started


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_axe_finds_no_violation(
    browser: Chromium, tmp_path: Path, name: str, scheme: str, width: int
) -> None:
    path = tmp_path / f"{name}.html"
    path.write_text(PAGES[name](), encoding="utf-8")
    browser.width(width)
    browser.media(scheme)
    browser.open(path, "document.querySelector('footer')?.textContent || ''")
    browser.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    folder = os.environ.get("JOBSWORTH_SCREENSHOTS")
    if folder:
        browser.screenshot(Path(folder) / f"{name}-{width}-{scheme}.png")
    root = "document.documentElement"
    assert browser.evaluate(f"{root}.scrollWidth") <= browser.evaluate("innerWidth")
    wide = "[...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth).length"
    assert browser.evaluate(wide) == 0
    labels = json.loads(browser.evaluate("JSON.stringify(labels)"))
    assert overlapping(labels) == []
    assert browser.problems == []
    if AXE.exists():
        browser.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
        found = json.loads(
            browser.evaluate("axe.run().then(found => JSON.stringify(found.violations))")
        )
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def overlapping(labels: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the pairs of labels in one line of a chart that touch, and those that leave it."""
    lines: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for label in labels:
        lines.setdefault((label["chart"], label["y"]), []).append(label)
    found = []
    for line in lines.values():
        last = None
        for label in sorted(
            {each["text"]: each for each in line}.values(), key=lambda each: each["left"]
        ):
            if last is not None and label["left"] < last["right"] + 4:
                found.append((last["text"], label["text"]))
            if label["left"] < 0 or label["right"] > label["across"]:
                found.append((label["text"], ""))
            last = label
    return found


def test_a_page_has_no_empty_section(browser: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    path.write_text(timeline_page(rejected()), encoding="utf-8")
    browser.open(path)
    browser.evaluate("dispatchEvent(new Event('resize'))")
    heads = "[...document.querySelectorAll('h2')].map(each => each.textContent)"
    assert browser.evaluate(heads) == ["Outcome", "What happened", "Conditions"]
    assert browser.problems == []


def test_missed_runs_are_reached_by_the_keyboard(browser: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    path.write_text(timeline_page(cron_job()), encoding="utf-8")
    browser.open(path)
    described = "document.getElementById('described').textContent"
    browser.evaluate("document.getElementById('chart').focus()")
    found = []
    for _ in range(11):
        browser.press("ArrowDown")
        found.append(browser.evaluate(described))
    missed = "Sun 2026-11-01 02:00:00 -0500: missed, the previous Job was still running"
    assert any(each.startswith(missed) for each in found)
    assert any("created Sun 2026-11-01 00:00:00 -0400" in each for each in found)
