"""Fail if this version is slower than an earlier commit: CPU time, in turn, in one run.

    python benchmarks/against_commit.py [--commit HEAD~1] [--limit 1.25] [--growing]

Both versions run with the same interpreter and packages: one file, 60 files of five documents, and objects
in the engine. The least CPU time of several runs counts, because other load only adds to it. A case beyond
the limit is measured again with more runs before it counts as slower. ``--growing`` measures what grows with
the work instead: rich Jobs in the engine and its lint rules, and many runs of a simulation.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

from many_files import write_generated  # noqa: E402
from measurement import Measurement, in_turn, write  # noqa: E402

REVIEWS = """\
import json, lzma, sys
from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
evaluator = Evaluator(ApiServer())
with lzma.open(sys.argv[1], "rt", encoding="utf-8") as lines:
    objects = [json.loads(line)["object"] for line in lines]
for value in objects[:600]:
    evaluator.evaluate(Subject(value))
"""
RICH = """\
import sys, yaml
from pathlib import Path
from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
evaluator = Evaluator(ApiServer())
texts = [file.read_text() for file in sorted(Path(sys.argv[1]).glob("*.yaml"))]
objects = [value for text in texts for value in yaml.safe_load_all(text)]
for _ in range(40):
    for value in objects:
        evaluator.evaluate(Subject(value))
"""
RUNS = """\
apiVersion: batch/v1
kind: Job
metadata: {name: hundred}
spec:
  completions: 100
  parallelism: 20
  completionMode: Indexed
  backoffLimitPerIndex: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: example.com/main:1}]
"""
CASES: dict[str, Sequence[str]] = {
    "one file": ["-m", "jobsworth", "validate", "{here}/examples/valid/ml-training.yaml"],
    "60 files": ["-m", "jobsworth", "validate", "--jobs", "1", "{files}"],
    "60 files, quiet": ["-m", "jobsworth", "validate", "--quiet", "--jobs", "1", "{files}"],
    "objects in the engine": ["-c", REVIEWS, "{here}/tests/oracle/cases/policy.jsonl.xz"],
}
GROWING: dict[str, Sequence[str]] = {
    "rich Jobs, engine and rules": ["-c", RICH, "{here}/examples/valid"],
    "50 runs of a Job of 100 indexes": [
        *("-m", "jobsworth", "simulate", "--jobs", "1", "--runs", "50", "{runs}"),
    ],
}
ROUNDS, MORE_ROUNDS = 7, 25
TARGET = 0.6
"""The ratio to reach for what grows."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", default="HEAD~1")
    parser.add_argument("--limit", type=float, default=1.25)
    parser.add_argument("--growing", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--results", help="also write the measurements to this file")
    options = parser.parse_args()
    git = ["git", "-C", str(ROOT)]
    found = subprocess.run(
        [*git, "rev-parse", "--verify", "-q", options.commit],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        why = f"there is no {options.commit} to compare with: nothing is compared"
        print(why, file=sys.stderr)
        return 0 if options.results is None else 1
    with tempfile.TemporaryDirectory() as name:
        before, files = Path(name, "before"), Path(name, "files")
        before.mkdir()
        archive = subprocess.run(
            [*git, "archive", found.stdout.strip(), "webhook", "schemas"],
            capture_output=True,
            check=True,
        )
        subprocess.run(["tar", "-x", "-C", before], input=archive.stdout, check=True)
        files.mkdir()
        write_generated(files, 300, valid=False)
        written = sorted(files.iterdir())
        for first in range(0, len(written), 5):
            texts = [file.read_text() for file in written[first : first + 5]]
            for file in written[first : first + 5]:
                file.unlink()
            written[first].write_text("---\n".join(texts))
        runs = Path(name, "runs.yaml")
        runs.write_text(RUNS)
        slower, measured = 0, []
        for case, arguments in (GROWING if options.growing else CASES).items():
            given = [part.format(here=ROOT, files=files, runs=runs) for part in arguments]
            now, then = compare(given, before, options.rounds)
            if now / then > options.limit and not options.growing:
                now, then = compare(given, before, MORE_ROUNDS)
            ratio = now / then
            anchor, target = f"commit {options.commit}", TARGET if options.growing else None
            measured.append(
                Measurement("against_commit", case, anchor, "s of CPU", now, then, target)
            )
            verdict = "slower" if ratio > options.limit else "ok"
            slower += ratio > options.limit
            print(
                f"{case:24} {ratio:.2f} times the CPU time of {options.commit}: {verdict}",
                flush=True,
            )
    write(options.results, measured)
    if options.growing:
        return 0
    return 1 if slower else 0


def compare(arguments: Sequence[str], before: Path, rounds: int) -> tuple[float, float]:
    """Return the seconds of CPU time of a command with this version, and with an earlier one."""
    commands = {
        str(root): [
            *("env", "-u", "PYTHONDONTWRITEBYTECODE", f"PYTHONPATH={root}/webhook"),
            *(sys.executable, *arguments),
        ]
        for root in (ROOT, before)
    }
    runs = in_turn(commands, rounds)
    now, then = (min(each.cpu_seconds) for each in runs.values())
    return now, then


if __name__ == "__main__":
    sys.exit(main())
