"""Run the benchmarks beside their anchors, and write ``benchmarks/results.json`` and the page of it.

    python benchmarks/all.py [--short] [--only NAME] [--valid FOLDER] [--published LOCATION]
    python benchmarks/all.py --render       # only the page, from results.json

Every figure is measured beside a named anchor in the same run. What is not installed (kubeconform; the
programs of ``tests/cluster/install``) is left out, and named. ``--short`` tries that all of it runs; its
figures mean little.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

from measurement import Measurement, read  # noqa: E402

RESULTS = ROOT / "benchmarks/results.json"
PAGE = ROOT / "benchmarks/results.md"
PLOT = ROOT / "benchmarks/results.svg"

BENCHMARKS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "cold_start": (["cold_start.py"], [], ["--runs", "5"]),
    "many_files": (["many_files.py"], ["--runs", "5"], ["--runs", "2", "--files", "200"]),
    "repository": (["repository.py"], ["--runs", "5"], ["--runs", "1", "--files", "5000"]),
    "validate": (["admission.py"], [], ["--rounds", "2", "--seconds", "0.5"]),
    "validate-lint": (
        ["admission.py", "--policy=policies/ml-training.yaml", "--namespace=ml-vision"],
        [],
        ["--rounds", "2", "--seconds", "0.5"],
    ),
    "mutate": (
        ["admission.py", "--endpoint", "mutate"], [], ["--rounds", "2", "--seconds", "0.5"]
    ),
    "admission_latency": (["admission_latency.py"], [], ["--creates", "50"]),
    "wide_jobs": (["wide_jobs.py"], [], ["--pods", "1000", "--wide", "500"]),
    "against_commit": (
        ["against_commit.py", "--growing", "--commit", "ccddb00b"], [], ["--rounds", "1"]
    ),
    "controller_policies": (
        ["controller_policies.py"], [], ["--jobs", "200", "--rounds", "1"]
    ),
}  # fmt: skip
"""Each benchmark: its command, the further options of a long run, and those of a short one."""

BAR, ROW, LABEL, WIDTH = 10, 26, 420, 860
MAX_RATIO = 3.0
"""Longer bars are cut."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", choices=BENCHMARKS, action="append")
    parser.add_argument("--valid", help="a folder of valid manifests, for many_files")
    parser.add_argument(
        "--published", help="kubeconform's -schema-location of the published schemas"
    )
    parser.add_argument("--render", action="store_true")
    options = parser.parse_args()
    if options.render:
        render(json.loads(RESULTS.read_text()))
        return 0
    measured: list[Measurement] = []
    failed: dict[str, str] = {}
    for name in options.only or BENCHMARKS:
        command, long, short = BENCHMARKS[name]
        more = [*(short if options.short else long)]
        if options.valid and name == "many_files":
            more += ["--valid", options.valid]
        if options.published and name in {"many_files", "cold_start"}:
            more += ["--published", options.published]
        print(f"== {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder, "results.json")
            script, *arguments = command
            done = subprocess.run(
                [
                    *(sys.executable, ROOT / "benchmarks" / script),
                    *(*arguments, *more, "--results", str(results)),
                ],
                check=False,
                cwd=ROOT,
                stderr=subprocess.PIPE,
                text=True,
            )
            if done.returncode == 0:
                measured += read(results)
            else:
                failed[name] = (done.stderr.strip().splitlines() or ["no message"])[-1]
                print(f"not measured: {failed[name]}", file=sys.stderr)
    content = {
        "date": datetime.now(UTC).date().isoformat(),
        "short": options.short,
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "python": platform.python_version(),
        "not_measured": failed,
        "measurements": [asdict(each) for each in [*kept(measured, options.only), *measured]],
    }
    if not options.short:
        RESULTS.write_text(json.dumps(content, indent=2) + "\n")
        render(content)
    for each in measured:
        if not each.meets_target and not options.short:
            print(f"missed: {each.what}: {each.ratio:.2f} of {each.anchor}, target {each.target}")
    return 1 if failed and options.short else 0


def kept(measured: list[Measurement], only: list[str] | None) -> list[Measurement]:
    """Return the earlier measurements that a run of some benchmarks leaves as they are."""
    if only is None or not RESULTS.exists():
        return []
    new = {(each.benchmark, each.what, each.anchor) for each in measured}
    earlier = [Measurement(**each) for each in json.loads(RESULTS.read_text())["measurements"]]
    return [each for each in earlier if (each.benchmark, each.what, each.anchor) not in new]


def render(content: dict[str, object]) -> None:
    """Write the page and the plot of the results."""
    raw = content["measurements"]
    assert isinstance(raw, list)
    measured = [Measurement(**each) for each in raw]
    lines = [
        "# Results of the benchmarks",
        "",
        f"Made by `python benchmarks/all.py` on {content['date']}: {content['cores']} cores, Python "
        f"{content['python']}. Each ratio is from one run.",
        "",
        "![Ratios to the anchors](results.svg)",
        "",
        "| what | jobsworth | anchor | | ratio | target |",
        "| --- | ---: | --- | ---: | ---: | --- |",
    ]
    for each in measured:
        target = ""
        if each.target is not None:
            sign = "≥" if each.more_is_better else "≤"
            target = f"{sign} {each.target:g}" + ("" if each.meets_target else ", **missed**")
        lines.append(
            f"| {each.what} | {each.value:,.4g} {each.unit} | {each.anchor} "
            f"| {each.anchor_value:,.4g} {each.unit} | {each.ratio:.2f} | {target} |"
        )
    failed = content["not_measured"]
    assert isinstance(failed, dict)
    lines += [f"\nNot measured: {name}: {why}" for name, why in failed.items()]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    PLOT.write_text(plot(measured), encoding="utf-8")


def plot(measured: list[Measurement]) -> str:
    """Return a bar chart of the ratios as SVG; a line shows 1, a mark the target."""
    height = ROW * len(measured) + 30
    scale = (WIDTH - LABEL - 60) / MAX_RATIO
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="11" role="img" aria-label="Ratios of jobsworth to its anchors">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, each in enumerate(measured):
        top = 20 + number * ROW
        length = min(each.ratio, MAX_RATIO) * scale
        color = "#2563eb" if each.meets_target else "#c2410c"
        label = f"{each.what}, beside {each.anchor}".replace("&", "&amp;").replace("<", "&lt;")
        parts.append(f'<text x="{LABEL - 8}" y="{top + BAR}" text-anchor="end">{label}</text>')
        parts.append(
            f'<rect x="{LABEL}" y="{top}" width="{length:.1f}" height="{BAR + 2}" fill="{color}"/>'
        )
        parts.append(f'<text x="{LABEL + length + 6:.1f}" y="{top + BAR}">{each.ratio:.2f}</text>')
        if each.target is not None:
            place = LABEL + min(each.target, MAX_RATIO) * scale
            parts.append(
                f'<path d="M{place:.1f} {top - 3}v{BAR + 8}" stroke="#111827" stroke-width="2"/>'
            )
    parts.append(
        f'<path d="M{LABEL + scale:.1f} 8V{height - 8}" stroke="#6b7280" stroke-dasharray="3 3"/>'
    )
    parts.append(f'<text x="{LABEL + scale - 3:.1f}" y="9" text-anchor="middle">1</text></svg>')
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
