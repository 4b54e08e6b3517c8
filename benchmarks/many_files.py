"""Compare jobsworth with kubeconform on 2,000 files, in one run.

    python benchmarks/many_files.py [--valid FOLDER] [--kubeconform kubeconform] [--published LOCATION]

The files are YAML, generated from the manifests of the oracle tests, 1,800 Jobs and 200 CronJobs: valid ones,
and the mixture of the tests, most of which are broken. ``--valid FOLDER`` takes the valid ones from a folder,
repeated until there are 2,000. The programs take turns; the output is the median of each, and the ratios.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

from measurement import Measurement, in_turn, write  # noqa: E402

CASES = ROOT / "tests/oracle/cases"


def objects(*categories: str, valid: bool) -> Iterator[dict[str, Any]]:
    """Yield the objects of the oracle tests, all or only those that the API server accepted."""
    for category in categories:
        with lzma.open(CASES / f"{category}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                if not valid or case["code"] == 201:
                    yield case["object"]


def write_generated(folder: Path, count: int, *, valid: bool) -> None:
    """Write generated manifests to a folder: nine Jobs for each CronJob."""
    jobs = list(objects("job", "policy", "success", "pod", valid=valid))
    cron_jobs = cycle(list(objects("cron", valid=valid)))
    many = count * 9 // 10
    chosen = [*islice(cycle(jobs), many), *islice(cron_jobs, count - many)]
    for number, manifest in enumerate(chosen):
        text = yaml.safe_dump(manifest, sort_keys=False)
        (folder / f"{number:04}.yaml").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobsworth", default=str(ROOT / ".venv/bin/jobsworth"))
    parser.add_argument("--kubeconform", default=shutil.which("kubeconform"))
    parser.add_argument("--valid", type=Path, help="a folder of valid manifests")
    parser.add_argument(
        "--published", help="kubeconform's -schema-location of the published schemas"
    )
    parser.add_argument(
        "--schemas",
        default=f"{ROOT}/schemas/v1.36/{{{{.ResourceKind}}}}.json",
        help="kubeconform's -schema-location of the schemas of jobsworth",
    )
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--results", help="also write the measurements to this file")
    options = parser.parse_args()
    measured: list[Measurement] = []
    with tempfile.TemporaryDirectory() as name:
        for kind in ("valid", "broken"):
            folder = Path(name, kind)
            folder.mkdir()
            if kind == "valid" and options.valid is not None:
                files = cycle(sorted(options.valid.glob("*.yaml")))
                for number, file in enumerate(islice(files, options.files)):
                    shutil.copy(file, folder / f"{number:04}.yaml")
            else:
                write_generated(folder, options.files, valid=kind == "valid")
            measured += compare(kind, folder, options)
    write(options.results, measured)


def compare(kind: str, folder: Path, options: argparse.Namespace) -> list[Measurement]:
    """Measure the programs on one folder."""
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{options.files} {kind} files, {size / options.files:.0f} bytes on average")
    validate = [options.jobsworth, "validate"]
    commands = {
        "all findings as text": [*validate, "."],
        "quiet": [*validate, "--quiet", "."],
    }
    anchors = {}
    if options.kubeconform:
        strict = [options.kubeconform, "-strict", "-schema-location"]
        anchors["kubeconform, schemas of jobsworth"] = [*strict, options.schemas, "."]
        if options.published:
            anchors["kubeconform, published schemas"] = [*strict, options.published, "."]
    runs = in_turn({**commands, **anchors}, options.runs, folder)
    for title, each in runs.items():
        print(f"{title:34} {each.median:6.2f} s, {each.cpu:5.2f} s of CPU time")
    measured = []
    for anchor in anchors:
        for title in commands:
            measured.append(
                Measurement(
                    "many_files",
                    f"{options.files} {kind} files, {title}",
                    anchor,
                    "s",
                    runs[title].median,
                    runs[anchor].median,
                    1.5 if kind == "valid" else None,
                )
            )
            print(f"{title:34} {measured[-1].ratio:6.2f} times {anchor}")
    return measured


if __name__ == "__main__":
    main()
