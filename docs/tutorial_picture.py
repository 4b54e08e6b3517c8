"""Draw the picture of docs/tutorial.md: the Pods of both training Jobs in the same scenario, as SVG.

Run it from the root of the repository: ``PYTHONPATH=webhook python docs/tutorial_picture.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import yaml

import jobsworth
from jobsworth.whatif.simulation.scenario_reader import read_scenario
from jobsworth.whatif.simulation.scenario_run import run_once
from jobsworth.whatif.virtual_time import MINUTE, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.run_record import PodRecord, RunRecord

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs/tutorial.svg"
JOBS = (("train-naive.yaml", "naive"), ("train-good.yaml", "good"))
SCENARIO = ROOT / "examples/scenarios/two-scale-downs.yaml"

WIDTH, LEFT, RIGHT = 760, 60, 30
ROW, BAR = 26, 14
TICK = 10 * MINUTE
WORDS = {"succeeded": "succeeded", "failed": "failed, counted", "ignored": "failed, ignored"}
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.soft { fill: #57606a; font-size: 12px; }
.title { font-weight: 600; font-size: 14px; }
line { stroke: #d0d7de; }
.succeeded { fill: #1a7f37; }
.failed { fill: #cf222e; }
.ignored { fill: #b15c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .soft { fill: #9da7b3; }
  line { stroke: #30363d; }
  .succeeded { fill: #3fb950; }
  .failed { fill: #ff6b61; }
  .ignored { fill: #e3923a; }
}
"""


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
    both = runs()
    end = max(record.end for _, record in both)
    lines, top = [], 20
    for name, record in both:
        drawn, top = _panel(name, record, end, top)
        lines += drawn
    lines += _ticks(end, top)
    lines += _legend(top + 42)
    height = top + 60
    summary = "; ".join(f"{name}: {_outcome(record)}" for name, record in both)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>Pods of the training Job over time; {summary}</title>",
            f"<style>\n{STYLE}</style>",
            *lines,
            "</svg>\n",
        ]
    )


def _panel(name: str, record: RunRecord, end: int, top: int) -> tuple[list[str], int]:
    """Return the lines of one Job, and the place of the next."""
    lines = [f'<text class="title" x="{LEFT}" y="{top}">{name}: {_outcome(record)}</text>']
    for number, pod in enumerate(record.job.pods, 1):
        y = top + 10 + (number - 1) * ROW
        lines.append(
            f'<text class="soft" x="{LEFT - 10}" y="{y + 12}" text-anchor="end">Pod {number}</text>'
        )
        lines.append(_bar(pod, end, y))
    return lines, top + 10 + len(record.job.pods) * ROW + 24


def _bar(pod: PodRecord, end: int, y: int) -> str:
    stop = end if pod.ended is None else pod.ended
    start = pod.created if pod.started is None else pod.started
    x = _place(start, end)
    words = f"{WORDS[pod.counted]} after {spoken(stop - start)}"
    return (
        f'<rect class="{pod.counted}" x="{x}" y="{y}" width="{_place(stop, end) - x}" height="{BAR}" rx="2">'
        f"<title>{words}</title></rect>"
    )


def _ticks(end: int, top: int) -> Iterator[str]:
    for time in range(0, end + 1, TICK):
        x = _place(time, end)
        yield f'<line x1="{x}" x2="{x}" y1="{top - 14}" y2="{top - 8}"/>'
        yield f'<text class="soft" x="{x}" y="{top + 8}" text-anchor="middle">{time // MINUTE} min</text>'


def _legend(y: int) -> Iterator[str]:
    for number, (kind, words) in enumerate(WORDS.items()):
        x = LEFT + number * 160
        yield f'<rect class="{kind}" x="{x}" y="{y - 11}" width="{BAR}" height="{BAR}" rx="2"/>'
        yield f'<text x="{x + BAR + 6}" y="{y}">{words}</text>'


def _place(time: int, end: int) -> int:
    return LEFT + time * (WIDTH - LEFT - RIGHT) // end


def _outcome(record: RunRecord) -> str:
    job = record.job
    return f"{job.outcome} after {spoken(record.end if job.finished is None else job.finished)}"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
