"""Measurements of benchmarks, each beside its anchor in the same run, for ``benchmarks/all.py``.

A benchmark prints its figures for people, and with ``--results FILE`` also writes its measurements.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measurement:
    """A figure of jobsworth, and that of the program which it is compared with.

    Attributes:
        benchmark: the name of the script, without its ending.
        what: the case.
        anchor: what it is compared with.
        unit: of both figures; lower is better unless it ends with "/s".
        value: of jobsworth.
        anchor_value: of the anchor.
        target: the ratio that the project wants to keep; None if it has none.
    """

    benchmark: str
    what: str
    anchor: str
    unit: str
    value: float
    anchor_value: float
    target: float | None = None

    @property
    def ratio(self) -> float:
        """The figure of jobsworth divided by that of its anchor."""
        return self.value / self.anchor_value

    @property
    def more_is_better(self) -> bool:
        """True for rates."""
        return self.unit.endswith("/s")

    @property
    def meets_target(self) -> bool:
        """True if the ratio is at least as good as its target."""
        if self.target is None:
            return True
        return self.ratio >= self.target if self.more_is_better else self.ratio <= self.target


def write(path: str | None, measurements: Sequence[Measurement]) -> None:
    """Write measurements to a file, if one is named."""
    if path is not None:
        Path(path).write_text(json.dumps([asdict(each) for each in measurements], indent=2) + "\n")


def read(path: Path) -> list[Measurement]:
    """Read the measurements that a benchmark wrote."""
    return [Measurement(**each) for each in json.loads(path.read_text())]


@dataclass(frozen=True)
class Runs:
    """The runs of a command.

    Attributes:
        seconds: the duration of each, on the clock.
        cpu_seconds: the CPU time of each, of all its processes.
        most_mib: the largest memory of a process, in MiB, of all commands so far.
    """

    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]
    most_mib: float

    @property
    def median(self) -> float:
        """The median duration in seconds."""
        return statistics.median(self.seconds)

    @property
    def cpu(self) -> float:
        """The median CPU time in seconds."""
        return statistics.median(self.cpu_seconds)


def in_turn(
    commands: Mapping[str, Sequence[str]],
    runs: int,
    folder: Path | None = None,
    *,
    warm: bool = True,
) -> dict[str, Runs]:
    """Run commands in turn, so that other load on the machine affects all of them.

    Args:
        commands: by name; their exit codes do not matter.
        runs: the number of runs of each.
        folder: the folder to run them in.
        warm: run each once more before, which is not counted.
    """
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    most = 0.0
    for number in range(0 if warm else 1, runs + 1):
        for name, command in commands.items():
            before, began = _cpu(), time.perf_counter()
            subprocess.run(command, cwd=folder, capture_output=True, check=False)
            if number:
                taken[name].append((time.perf_counter() - began, _cpu() - before))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        name: Runs(tuple(seconds for seconds, _ in each), tuple(cpu for _, cpu in each), most)
        for name, each in taken.items()
    }


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
