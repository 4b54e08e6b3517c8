"""Find what the product calls more than linearly often while a list, map or string grows.

    python benchmarks/linear_calls.py
    python benchmarks/linear_calls.py --what strings --only schedule

Every declared list and map of Jobs and CronJobs is grown in every shape, and every string with every text.
Each of them is evaluated, reported, defaulted and reviewed, with every lint rule and the policies of
policies/. Functions are counted, not seconds; comparisons in `evaluate` count as calls. The exit code is 1
if a function is called more than six times as often at four times the size. tests/scaling tries a sample of
the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from support.scaling.cost_growth import superlinear_calls  # noqa: E402
from support.scaling.hostile_requests import Objects, large, long  # noqa: E402
from support.scaling.large_objects import SHAPES, declared_places  # noqa: E402
from support.scaling.long_strings import TEXTS, declared_string_places  # noqa: E402
from support.scaling.product_actions import ACTIONS  # noqa: E402

CHARACTERS_PER_ITEM = 20

Made = Callable[[int], Objects]


def cases(what: str) -> Iterator[tuple[str, Made]]:
    """Yield the name of each object, and the function that makes it with a number of items."""
    if what != "strings":
        for place in declared_places():
            for shape in SHAPES:
                yield f"{place.path} {shape}", lambda n, p=place, s=shape: large(p, s, n)
    if what != "lists":
        for string in declared_string_places():
            for name, text in TEXTS.items():

                def made(count: int, string=string, text=text) -> Objects:
                    return long(string, text(CHARACTERS_PER_ITEM * count))

                yield f"{string.path} {name}", made


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--what", choices=("lists", "strings", "all"), default="all")
    options.add_argument("--only", default="", help="only objects whose name contains this")
    chosen = options.parse_args()
    tried = superlinear = 0
    for name, made in cases(chosen.what):
        if chosen.only not in name:
            continue
        for what, action in ACTIONS.items():
            found = superlinear_calls(lambda n, action=action, made=made: action(made(n)))
            tried += 1
            superlinear += bool(found)
            for function, (before, after) in found.items():
                print(f"{name}: {what}: {function}: {before:,} and {after:,} calls", flush=True)
    print(f"{tried:,} actions, {superlinear:,} superlinear")
    return int(superlinear > 0)


if __name__ == "__main__":
    sys.exit(main())
