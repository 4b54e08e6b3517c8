"""Compare the time of one `jobsworth validate FILE` with a bare interpreter and with kubeconform.

    python benchmarks/cold_start.py [--jobsworth .venv/bin/jobsworth] [--kubeconform kubeconform]

The commands take turns, so that other load on the machine affects all of them. The bare interpreter is the
one that runs jobsworth. The output is the median of each in milliseconds, and its ratio to the bare
interpreter.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

from measurement import Measurement, in_turn, write  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobsworth", default=str(ROOT / ".venv/bin/jobsworth"))
    parser.add_argument("--kubeconform", default=shutil.which("kubeconform"))
    parser.add_argument("--file", default=str(ROOT / "examples/valid/ml-training.yaml"))
    parser.add_argument(
        "--published", help="kubeconform's -schema-location of the published schemas"
    )
    parser.add_argument("--runs", type=int, default=41)
    parser.add_argument("--results", help="also write the measurements to this file")
    options = parser.parse_args()
    interpreter = Path(options.jobsworth).read_text().splitlines()[0].removeprefix("#!")
    commands = {
        "python -c pass": [interpreter, "-c", "pass"],
        "python -c 'import click, yaml'": [interpreter, "-c", "import click, yaml"],
        "jobsworth validate": [options.jobsworth, "validate", options.file],
    }
    if options.kubeconform:
        location = f"{ROOT}/schemas/v1.36/{{{{.ResourceKind}}}}.json"
        commands["kubeconform"] = [
            options.kubeconform, "-strict", "-schema-location", location, options.file
        ]  # fmt: skip
        if options.published:
            commands["kubeconform, published schemas"] = [
                options.kubeconform, "-strict", "-schema-location", options.published, options.file
            ]  # fmt: skip
    runs = in_turn(commands, options.runs)
    bare, ours = runs["python -c pass"].median, runs["jobsworth validate"].median
    for name, each in runs.items():
        print(f"{name:34} {each.median * 1000:7.1f} ms  {each.median / bare:5.2f} x")
    targets = {"kubeconform": 1.8, "kubeconform, published schemas": None}
    write(
        options.results,
        [
            Measurement(
                "cold_start",
                "one file",
                anchor,
                "ms",
                ours * 1000,
                runs[anchor].median * 1000,
                targets[anchor],
            )
            for anchor in targets
            if anchor in runs
        ],
    )


if __name__ == "__main__":
    main()
