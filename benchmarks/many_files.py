"""Compare jobsworth with kubeconform on 2,000 files, in one run.

    python benchmarks/many_files.py [--jobsworth .venv/bin/jobsworth] [--kubeconform kubeconform]

The files are YAML, generated from the manifests of the oracle tests: 1,800 Jobs and 200 CronJobs. The two
programs take turns; the output is the median of each, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests/oracle/cases"


def objects(*categories: str) -> Iterator[dict[str, Any]]:
    for category in categories:
        with lzma.open(CASES / f"{category}.jsonl.xz", "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["object"] for line in lines)


def write(folder: Path) -> None:
    jobs = list(objects("job", "policy", "success", "pod"))
    chosen = [*islice(cycle(jobs), 1800), *islice(cycle(objects("cron")), 200)]
    for number, manifest in enumerate(chosen):
        text = yaml.safe_dump(manifest, sort_keys=False)
        (folder / f"{number:04}.yaml").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobsworth", default=str(ROOT / ".venv/bin/jobsworth"))
    parser.add_argument("--kubeconform", default=shutil.which("kubeconform"))
    parser.add_argument(
        "--schemas",
        default=f"{ROOT}/schemas/v1.36/{{{{.ResourceKind}}}}.json",
        help="kubeconform's -schema-location",
    )
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"2,000 files, {size / 2000:.0f} bytes on average")
        commands = {"jobsworth": [options.jobsworth, "validate", "--quiet", name]}
        commands["jobsworth --jobs 1"] = [*commands["jobsworth"], "--jobs", "1"]
        if options.kubeconform:
            commands["kubeconform"] = [
                options.kubeconform, "-strict", "-schema-location", options.schemas, name
            ]  # fmt: skip
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(options.runs):
            for title, command in commands.items():
                began = time.perf_counter()
                subprocess.run(command, capture_output=True, check=False)
                times[title].append(time.perf_counter() - began)
        for title, taken in times.items():
            print(f"{title:20} {statistics.median(taken):6.2f} s")
        if "kubeconform" in times:
            ratio = statistics.median(times["jobsworth"]) / statistics.median(times["kubeconform"])
            print(f"jobsworth takes {ratio:.2f} times as long as kubeconform")


if __name__ == "__main__":
    main()
