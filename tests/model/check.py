"""Runs many histories, and prints a broken one in as few steps as show it.

``python -m model.check --count 10000 --jobs 2`` runs fresh ones, ``--seed 7 --count 1 --trace`` prints one as it
happens. Both ``webhook`` and ``tests`` must be on the ``PYTHONPATH``.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

from model.history import History
from model.mutations import FAULTS, put_in

BATCH = 25
MAX_ATTEMPTS = 400  # to shorten a history


class Breakage(NamedTuple):
    """A history in which something does not hold.

    Attributes:
        steps: seeds of those that it takes; None for all that follow from the seed.
        where: the function that found it, by which another history is known to show the same.
    """

    seed: int
    why: str
    where: str
    steps: Sequence[int] | None = None

    def __str__(self) -> str:
        return f"history {self.seed}: {self.why}"


def attempt(seed: int, steps: Sequence[int] | None = None) -> Breakage | None:
    """Run a history; None if all holds."""
    try:
        History(seed, steps).run()
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1].name
        return Breakage(seed, f"{type(error).__name__}: {error}", where, steps)
    return None


def first_broken(seeds: Sequence[int]) -> Breakage | None:
    """The first of these histories in which something does not hold."""
    return next((broken for seed in seeds if (broken := attempt(seed))), None)


def shortened(broken: Breakage) -> Breakage:
    """The same fault in fewer steps: parts are left out, ever smaller ones, while it still shows."""
    best = broken._replace(steps=broken.steps or History(broken.seed).steps)
    size, attempts = len(best.steps or ()) // 2, 0
    while size and attempts < MAX_ATTEMPTS:
        start = 0
        while start < len(best.steps or ()) and attempts < MAX_ATTEMPTS:
            steps = list(best.steps or ())
            del steps[start : start + size]
            attempts += 1
            again = attempt(broken.seed, steps)
            if again is not None and again.where == broken.where:
                best = again
            else:
                start += size
        size //= 2
    return best


def described(broken: Breakage) -> str:
    """Describe a broken history, and the law that does not hold in the end."""
    lines: list[str] = []
    try:
        History(broken.seed, broken.steps, trace=lines.append).run()
    except Exception as error:
        lines.append(f"{type(error).__name__}: {error}")
    return "\n".join(lines)


def _of_batch(fault: str | None, seeds: range) -> list[Breakage]:
    with put_in(fault) if fault else nullcontext():
        return [broken for seed in seeds if (broken := attempt(seed))]


def main() -> int:
    """Run as a command; 1 if something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many histories")
    parser.add_argument("--seed", type=int, help="of the first; by default another each time")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--trace", action="store_true", help="tell the first as it happens")
    parser.add_argument("--fault", choices=FAULTS, help="with this fault put in on purpose")
    options = parser.parse_args()
    first = time.time_ns() // 1000 % 10**9 if options.seed is None else options.seed
    if options.trace:
        with put_in(options.fault) if options.fault else nullcontext():
            History(first, trace=print).run()
        return 0
    begun = time.perf_counter()
    end = first + options.count
    batches = [range(start, min(start + BATCH, end)) for start in range(first, end, BATCH)]
    found: list[Breakage] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for some in pool.map(partial(_of_batch, options.fault), batches):
            found += some
    for broken in found:
        print(broken)
    if found:
        with put_in(options.fault) if options.fault else nullcontext():
            print(described(shortened(found[0])))
    taken = time.perf_counter() - begun
    print(f"{options.count} histories from seed {first}: {len(found)} broken, {taken:.1f} s")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
