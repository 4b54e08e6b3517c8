"""Trace the calls of a command in these packages, and the frames above the first read of its manifest.

    python benchmarks/call_path.py [--path] [COMMAND...]

The command is ``validate examples/valid/ml-training.yaml`` by default. Calls during imports do not count.
``--path`` also prints the frames above the first read of the last argument.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = tuple(str(ROOT / "webhook" / package) for package in ("jobsworth", "kube_cel"))
sys.path[:0] = [str(ROOT / "webhook")]

IMPORTS = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
READS = "read_regular_file"
"""The function that opens every file."""


class Trace:
    """Counts the calls of functions of these packages.

    Args:
        file: the manifest whose first read is looked for.

    Attributes:
        calls: the number of calls.
        codes: the functions that were called.
        deepest: the largest number of frames.
        read: the frames above the first read of the file, outermost first.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self.calls = 0
        self.codes: set[CodeType] = set()
        self.deepest = 0
        self.read: list[CodeType] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(SOURCES):
            return
        frames = []
        above: FrameType | None = frame
        while above is not None:
            if above.f_code.co_filename in IMPORTS or above.f_code.co_name == "<module>":
                if above.f_code.co_filename != __file__:
                    return
                break
            if above.f_code.co_filename.startswith(SOURCES):
                frames.append(above.f_code)
            above = above.f_back
        self.calls += 1
        self.codes.add(code)
        self.deepest = max(self.deepest, len(frames))
        if code.co_name == READS and not self.read and self._file in frame.f_locals.values():
            self.read = frames[::-1]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "--path", action="store_true", help="print the frames above the first read"
    )
    options.add_argument("command", nargs="*", help="a command of jobsworth")
    chosen = options.parse_args()
    command = chosen.command or ["validate", "examples/valid/ml-training.yaml"]
    os.chdir(ROOT)
    from jobsworth.cli import run

    trace = Trace(command[-1])
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        sys.setprofile(trace)
        try:
            run(command)
        except SystemExit:  # which ends all commands but validate
            pass
        finally:
            sys.setprofile(None)
    files = {code.co_filename for code in trace.codes}
    print(
        f"{trace.calls} calls of {len(trace.codes)} functions in {len(files)} files, at most "
        f"{trace.deepest} frames deep; the manifest is read {len(trace.read)} frames deep"
    )
    if chosen.path:
        for code in trace.read:
            print(f"  {code.co_filename.removeprefix(SOURCES[0] + '/')}: {code.co_qualname}")


if __name__ == "__main__":
    main()
