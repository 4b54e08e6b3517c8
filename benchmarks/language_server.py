"""Measure a session of an editor with the language server: start, first diagnostics, each change.

    python benchmarks/language_server.py [--lines 200] [--changes 200]

A headless client types a value into a manifest of so many lines, character by character, and waits for the
diagnostics of each change. The output is the median and the 95th percentile in milliseconds: from sending the
change to the diagnostics of that version, at the client.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from support.editors.language_client import LanguageClient  # noqa: E402

GOAL_MS = 50
"""The median for 200 lines that the project wants to keep."""

COMMAND = [sys.executable, "-m", "jobsworth", "lsp"]
TYPED = "Sometimes, Never and Always"


def manifest(lines: int) -> str:
    """Return a manifest of one Job with about so many lines: containers, variables and a failure policy."""
    text = (ROOT / "examples/valid/ml-training.yaml").read_text("utf-8")
    before, volumes, after = text.partition("      volumes:\n")
    number = 0
    while (before + after).count("\n") < lines:
        before += f"""\
        - name: sidecar-{number}
          image: registry.example.com/sidecar:1.{number}
          resources:
            requests: {{cpu: 100m, memory: 64Mi}}
            limits: {{memory: 64Mi}}
          env:
            - name: LEVEL
              value: "{number}"
"""
        number += 1
    return before + volumes + after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--changes", type=int, default=200)
    options = parser.parse_args()
    text = manifest(options.lines)
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), text, options.changes)


def measure(folder: Path, text: str, changes: int) -> None:
    uri = (folder / "job.yaml").as_uri()
    began = time.perf_counter()
    with LanguageClient(COMMAND, folder=folder) as client:
        started = time.perf_counter()
        client.open(uri, text)
        opened = time.perf_counter()
        times, found = [], 0
        before, after = text.split("restartPolicy: Never", 1)
        for number in range(changes):
            typed = TYPED[: 1 + number % len(TYPED)]
            version = f"{before}restartPolicy: {typed}{after}"
            sent = time.perf_counter()
            found += len(client.replace(uri, version))
            times.append((time.perf_counter() - sent) * 1000)
    percentile = statistics.quantiles(times, n=20)[-1]
    print(f"{text.count(chr(10))} lines, {changes} changes, {found} diagnostics")
    print(f"start and initialize   {(started - began) * 1000:7.1f} ms")
    print(f"first diagnostics      {(opened - started) * 1000:7.1f} ms")
    print(f"didChange: median      {statistics.median(times):7.1f} ms (goal: below {GOAL_MS})")
    print(f"didChange: 95th        {percentile:7.1f} ms")


if __name__ == "__main__":
    main()
