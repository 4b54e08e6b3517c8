"""Compare the time of one `jobsworth validate FILE` with a bare interpreter and with kubeconform.

    python benchmarks/cold_start.py [--jobsworth .venv/bin/jobsworth] [--kubeconform kubeconform]

The commands take turns, so that other load on the machine affects all of them. The bare interpreter is the
one that runs jobsworth. The output is the median of each in milliseconds, and its ratio to the bare
interpreter.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobsworth", default=str(ROOT / ".venv/bin/jobsworth"))
    parser.add_argument("--kubeconform", default=shutil.which("kubeconform"))
    parser.add_argument("--file", default=str(ROOT / "examples/valid/ml-training.yaml"))
    parser.add_argument("--runs", type=int, default=41)
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
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(options.runs):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            times[name].append((time.perf_counter() - began) * 1000)
    bare = statistics.median(times["python -c pass"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{name:34} {median:7.1f} ms  {median / bare:5.2f} x")


if __name__ == "__main__":
    main()
