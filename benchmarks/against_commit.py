"""Fail if this version is slower than an earlier commit: CPU time, in turn, in one run.

    python benchmarks/against_commit.py [--commit HEAD~1] [--limit 1.25]

Both versions run with the same interpreter and packages: one file, 60 files of five documents, and objects
in the engine. The least CPU time of several runs counts, because other load only adds to it. A case beyond
the limit is measured again with more runs before it counts as slower.
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
from measurement import in_turn  # noqa: E402

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
CASES: dict[str, Sequence[str]] = {
    "one file": ["-m", "jobsworth", "validate", "{here}/examples/valid/ml-training.yaml"],
    "60 files": ["-m", "jobsworth", "validate", "--jobs", "1", "{files}"],
    "60 files, quiet": ["-m", "jobsworth", "validate", "--quiet", "--jobs", "1", "{files}"],
    "objects in the engine": ["-c", REVIEWS, "{here}/tests/oracle/cases/policy.jsonl.xz"],
}
ROUNDS, MORE_ROUNDS = 7, 25


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", default="HEAD~1")
    parser.add_argument("--limit", type=float, default=1.25)
    options = parser.parse_args()
    git = ["git", "-C", str(ROOT)]
    found = subprocess.run(
        [*git, "rev-parse", "--verify", "-q", options.commit],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        print(f"there is no {options.commit} to compare with: nothing is compared")
        return 0
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
        slower = 0
        for case, arguments in CASES.items():
            given = [part.format(here=ROOT, files=files) for part in arguments]
            ratio = compare(given, before, ROUNDS)
            if ratio > options.limit:
                ratio = compare(given, before, MORE_ROUNDS)
            verdict = "slower" if ratio > options.limit else "ok"
            slower += ratio > options.limit
            print(
                f"{case:24} {ratio:.2f} times the CPU time of {options.commit}: {verdict}",
                flush=True,
            )
    return 1 if slower else 0


def compare(arguments: Sequence[str], before: Path, rounds: int) -> float:
    """Return the CPU time of a command with this version divided by that with an earlier one."""
    commands = {
        str(root): [
            *("env", "-u", "PYTHONDONTWRITEBYTECODE", f"PYTHONPATH={root}/webhook"),
            *(sys.executable, *arguments),
        ]
        for root in (ROOT, before)
    }
    runs = in_turn(commands, rounds)
    now, then = (min(each.cpu_seconds) for each in runs.values())
    return now / then


if __name__ == "__main__":
    sys.exit(main())
