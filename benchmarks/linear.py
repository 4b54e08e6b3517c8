"""Measure the growth of the engine's time with the length of a list: CPU seconds for N and 4 N items.

    python benchmarks/linear.py
    python benchmarks/linear.py --shape distinct --only ownerReferences --bytes 750000

Every list and map that Jobs and CronJobs declare is grown until the larger of two objects has the size that
an API server admits, and so are the lists that rules compare with each other
(tests/support/scaling/cross_referencing_jobs.py). Both objects are validated as an update of one that differs
a little, which validates the new object like a create and compares the two. Linear is a ratio of 4, and more
where the larger object no longer fits into the processor's caches: the ratio of `json.loads` for the same
texts stands beside it. A ratio above 6, by that measure, is marked, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from jobsworth.api.api_server import RELEASES, ApiServer  # noqa: E402
from jobsworth.validation.engine import engine_for  # noqa: E402
from support.scaling.cost_growth import FACTOR, MAX_GROWTH, cpu_seconds  # noqa: E402
from support.scaling.cross_referencing_jobs import CROSSED  # noqa: E402
from support.scaling.large_objects import SHAPES, Place, changed, declared_places, grown  # noqa: E402

Request = tuple[dict[str, Any], dict[str, Any] | None]
Made = Callable[[int], Request]

_SAMPLE = 256
"""The number of items from which the size of one item is estimated."""


def cases(shapes: list[str]) -> Iterator[tuple[str, Made]]:
    """Yield the name of each case, and the function that creates it with a number of items."""
    for place in declared_places():
        for shape in shapes:
            yield f"{place.path} {shape}", _update_at(place, shape)
    yield from CROSSED.items()


def _update_at(place: Place, shape: str) -> Made:
    def made(count: int) -> Request:
        new = grown(place, shape, count)
        return new, changed(new, place)

    return made


def size(request: Request) -> int:
    """Return the size of the new object as JSON, in bytes."""
    return len(json.dumps(request[0], separators=(",", ":")))


def items_for(made: Made, bytes_: int) -> int:
    """Return the number of items of the smaller object for a size of the larger one."""
    count = _SAMPLE
    for _ in range(3):  # later items are longer, because their numbers have more digits
        count = max(1, count * bytes_ // (size(made(FACTOR * count)) or 1))
    return count


def parsing_growth(smaller: Request, larger: Request) -> float:
    """Return the ratio of the CPU times for parsing the two new objects."""
    texts = [json.dumps(request[0]) for request in (smaller, larger)]
    before, after = (cpu_seconds(lambda text=text: json.loads(text), 3) for text in texts)
    return after / before


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--bytes", type=int, default=3_000_000, help="size of the larger object")
    options.add_argument("--release", default="1.36", choices=RELEASES)
    options.add_argument("--shape", action="append", choices=SHAPES, help="distinct by default")
    options.add_argument("--only", default="", help="measure only cases whose name contains this")
    chosen = options.parse_args()
    engine = engine_for(ApiServer(chosen.release))
    superlinear = False
    print(
        f"| {'grown':98} | {'bytes':>9} | items at N | {'s at N':>7} | {'s at 4 N':>8} | ratio | json.loads |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, made in cases(chosen.shape or ["distinct"]):
        if chosen.only not in name:
            continue
        count = items_for(made, chosen.bytes)
        smaller, larger = made(count), made(FACTOR * count)
        engine.validate(*made(2))
        before = cpu_seconds(lambda request=smaller: engine.validate(*request), 2)
        after = cpu_seconds(lambda request=larger: engine.validate(*request))
        ratio, yardstick = after / before, parsing_growth(smaller, larger)
        marked = ratio > MAX_GROWTH * max(1, yardstick / FACTOR)
        superlinear |= marked
        print(
            f"| {name:98} | {size(larger):9,} | {count:10,} | {before:7.3f} | {after:8.3f} | {ratio:5.1f} "
            f"| {yardstick:10.1f} |{' superlinear' if marked else ''}",
            flush=True,
        )
    return int(superlinear)


if __name__ == "__main__":
    sys.exit(main())
