"""Measure the simulation of wide Jobs: CPU time a Pod, by parallelism and by the number of Pods.

    python benchmarks/wide_jobs.py [--pods 20000] [--wide 10000]

The Pods of an Indexed Job all succeed. A Pod should cost the same whatever the parallelism and the number of
Pods of its Job. The anchors are the same Job at parallelism 50, and the wide Job with a fifth of the Pods.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

from measurement import Measurement, in_turn, write  # noqa: E402

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: wide}}
spec:
  completions: {pods}
  parallelism: {parallelism}
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: example.com/main:1}}]
---
apiVersion: jobsworth.dev/v1alpha1
kind: JobScenario
metadata: {{name: all-succeed}}
spec:
  until: 100000h
  pods:
    startup: {{uniform: {{min: 2s, max: 20s}}}}
    duration: {{logNormal: {{median: 10m, p95: 20m}}}}
"""
NARROW, MORE = 50, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=20_000)
    parser.add_argument("--wide", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--results", help="also write the measurements to this file")
    options = parser.parse_args()
    pods, wide = options.pods, options.wide
    cases = {(pods, NARROW), (pods, wide), (MORE * pods, wide)}
    with tempfile.TemporaryDirectory() as name:
        commands = {}
        for count, parallelism in sorted(cases):
            file = Path(name, f"{count}-{parallelism}.yaml")
            file.write_text(JOB.format(pods=count, parallelism=parallelism))
            simulate = (sys.executable, "-m", "jobsworth", "simulate", "--output", "json")
            path = f"PYTHONPATH={ROOT / 'webhook'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
            commands[f"{count} {parallelism}"] = ["env", path, *simulate, str(file)]
        runs = in_turn(commands, options.runs, warm=False)
    cost = {each: runs[f"{each[0]} {each[1]}"].cpu / each[0] * 1e6 for each in cases}
    measured = [
        Measurement(
            "wide_jobs",
            f"simulation of {count:,} Pods at parallelism {wide:,}",
            f"{pods:,} Pods at parallelism {parallelism:,}",
            "µs of CPU a Pod",
            cost[count, wide],
            cost[pods, parallelism],
            1.3,
        )
        for count, parallelism in ((pods, NARROW), (MORE * pods, wide))
    ]
    for each in measured:
        print(
            f"{each.what}: {each.value:.0f} {each.unit}, {each.ratio:.2f} times that of {each.anchor}"
        )
    write(options.results, measured)


if __name__ == "__main__":
    main()
