"""Measure the growth of reports with fixes and of --fix with the size of one file: CPU seconds.

    python benchmarks/linear_fixes.py
    python benchmarks/linear_fixes.py --only List --count 25 --count 100 --count 400

Every object of the files has findings with fixes (tests/support/fixable_manifests.py): many documents, one
List, one Job with many parts. The exit code is 1 if the time at the largest size grew by half more than the
size from the smallest.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from jobsworth.cli.fix_run import diff_lines  # noqa: E402
from jobsworth.files.configuration.configurations import Configurations  # noqa: E402
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator  # noqa: E402
from jobsworth.files.fixing.autofix_loop import autofix  # noqa: E402
from jobsworth.reports import sarif  # noqa: E402
from support.fixable_manifests import MANIFESTS  # noqa: E402
from support.scaling.cost_growth import cpu_seconds  # noqa: E402

COUNTS = (250, 500, 1000, 2000)
MAX_GROWTH = 1.5


def report(data: bytes) -> None:
    """Report the findings as SARIF, which includes their fixes."""
    options = EvaluationOptions(propose_changes=True)
    evaluator = FileEvaluator(Configurations(isolated=True), options=options)
    sarif.render(evaluator.text("job.yaml", data))


def fix(data: bytes) -> None:
    """Apply the fixes and compute the diff."""
    evaluator = FileEvaluator(Configurations(isolated=True))
    after = autofix(evaluator, "job.yaml", data, unsafe=False).data
    list(diff_lines("job.yaml", data, after, color=False))


ACTIONS: dict[str, Callable[[bytes], None]] = {"sarif": report, "fix, diff": fix}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--count", action="append", type=int, help="of parts; repeatable")
    options.add_argument("--only", default="", help="measure only files whose name contains this")
    chosen = options.parse_args()
    counts = chosen.count or COUNTS
    superlinear = False
    print(f"| {'file':20} | action    |" + "".join(f" {count:>7,} |" for count in counts))
    print("| --- | --- |" + " ---: |" * len(counts))
    for name, made in MANIFESTS.items():
        if chosen.only not in name:
            continue
        for action, measured in ACTIONS.items():
            measured(made(3).encode())  # what is imported and compiled at the first time
            print(f"| {name:20} | {action:9} |", end="", flush=True)
            taken = []
            for count in counts:
                data = made(count).encode()
                taken.append(cpu_seconds(lambda data=data, measured=measured: measured(data)))
                print(f" {taken[-1]:7.2f} |", end="", flush=True)
            marked = taken[-1] / taken[0] > MAX_GROWTH * counts[-1] / counts[0]
            superlinear |= marked
            print(" superlinear" if marked else "")
    return int(superlinear)


if __name__ == "__main__":
    sys.exit(main())
