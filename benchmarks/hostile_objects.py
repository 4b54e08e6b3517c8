"""Review objects that are as large as an API server accepts: CPU seconds, bytes of answers, resident memory.

    python benchmarks/hostile_objects.py                  # 3 MB: each list, map and string
    python benchmarks/hostile_objects.py --values 29000   # as large as the budget of a request allows
    python benchmarks/hostile_objects.py --what lists --only volumes --shape distinct

Every declared list and map of Jobs and CronJobs is grown in every shape (tests/support/scaling), and every
declared string with every text, each by itself. `/mutate` and `/validate` review each object on create and
on update, with the five policies of policies/, which apply to all of them. One process reviews, as a worker
does, and another one makes the objects. The exit code is 1 if a review takes more than 4 s of CPU time, an
answer has more than 300 kB, the process more than 300 MiB, or jobsworth catches an internal error.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from jobsworth.admission.review import BadReview  # noqa: E402
from jobsworth.api.api_server import RELEASES, ApiServer  # noqa: E402
from jobsworth.evaluation.budget import size  # noqa: E402
from support.scaling.hostile_requests import Objects, Reviewed, bodies, large, long  # noqa: E402
from support.scaling.large_objects import SHAPES, declared_places  # noqa: E402
from support.scaling.long_strings import TEXTS, declared_string_places  # noqa: E402

MAX_SECONDS, MAX_ANSWER, MAX_MEMORY = 4.0, 300_000, 300 << 10
SHOWN = 12
UNLIMITED = 1 << 40

Made = Callable[[int], Objects]


class Row(NamedTuple):
    """The cost of one review.

    Attributes:
        seconds: of CPU time.
        answer: the bytes of the answer.
        memory: the largest resident memory of the process, in KiB.
        body: the bytes of the request.
        values: the size of the object, see :func:`jobsworth.evaluation.budget.size`.
        verdict: of the webhook.
        name: the place, the shape, the operation and the endpoint.
    """

    seconds: float
    answer: int
    memory: int
    body: int
    values: int
    verdict: str
    name: str

    @property
    def wrong(self) -> bool:
        """True if the review exceeds a limit or failed."""
        return (
            self.seconds > MAX_SECONDS
            or self.answer > MAX_ANSWER
            or self.memory > MAX_MEMORY
            or self.verdict == "failed"
        )

    def __str__(self) -> str:
        return (
            f"| {self.seconds:6.2f} | {self.answer:9,} | {self.memory / 1024:6.0f} | {self.body:9,} "
            f"| {self.values:9,} | {self.verdict:11} | {self.name} |"
        )


HEADER = (
    "| CPU s  |    answer |    MiB | body      |    values | verdict     | object |\n"
    "| ---: | ---: | ---: | ---: | ---: | --- | --- |"
)


def review_all(requests: Connection, release: str) -> None:
    """Review the requests that arrive, and send back what each cost."""
    reviewed = Reviewed(ApiServer(release))
    for (_, endpoint), body in bodies(large(declared_places()[0], "distinct", 3)).items():
        reviewed(endpoint, body)  # compiles what the first request compiles
    while True:
        endpoint, body = requests.recv()
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        began = time.process_time()
        try:
            answer = len(reviewed(endpoint, body))
        except BadReview:
            answer = 0
        seconds = time.process_time() - began
        requests.send((seconds, answer, _peak(), reviewed.verdict))


def _peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise RuntimeError("no VmHWM in /proc/self/status: this benchmark needs Linux")


def cases(what: str, shapes: list[str]) -> Iterator[tuple[str, Made]]:
    """Yield the name of each object, and the function that makes it of a size."""
    if what != "strings":
        for place in declared_places():
            for shape in shapes:
                yield f"{place.path} {shape}", lambda n, p=place, s=shape: large(p, s, n)
    if what != "lists":
        for place in declared_string_places():
            for name, text in TEXTS.items():
                yield f"{place.path} {name}", lambda n, p=place, t=text: long(p, t(n))


def fitting(made: Made, bytes_: int, values: int) -> Objects:
    """Return an object of almost so many bytes, and at most so many values."""
    count = 1024
    for _ in range(2):  # later items are longer, because their numbers have more digits
        new, _ = made(count)
        length = len(json.dumps(new, ensure_ascii=False, separators=(",", ":")).encode())
        count = max(1, int(count * min(bytes_ / length, values / size(new, UNLIMITED))))
    return made(count)


def rows(chosen: argparse.Namespace) -> Iterator[Row]:
    """Review every object, and yield what each review cost."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=review_all, args=(there, chosen.release), daemon=True)
    process.start()
    for name, made in cases(chosen.what, chosen.shape or list(SHAPES)):
        if chosen.only not in name:
            continue
        objects = fitting(made, chosen.bytes, chosen.values)
        values = size(objects[0], UNLIMITED)
        for (operation, endpoint), body in bodies(objects).items():
            here.send((endpoint, body))
            seconds, answer, memory, verdict = here.recv()
            full = f"{name} {operation} {endpoint}"
            yield Row(seconds, answer, memory, len(body), values, verdict, full)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--bytes", type=int, default=3_000_000, help="size of the objects")
    options.add_argument("--values", type=int, default=UNLIMITED, help="largest size in values")
    options.add_argument("--release", default="1.36", choices=RELEASES)
    options.add_argument("--what", choices=("lists", "strings", "all"), default="all")
    options.add_argument("--shape", action="append", choices=SHAPES, help="all by default")
    options.add_argument("--only", default="", help="only objects whose name contains this")
    options.add_argument("--verbose", action="store_true", help="print every review")
    chosen = options.parse_args()
    found = []
    for row in rows(chosen):
        found.append(row)
        if row.wrong or chosen.verbose:
            print(row, flush=True)
    for title, key in (
        ("slowest", lambda row: row.seconds),
        ("longest answers", lambda row: row.answer),
        ("most memory", lambda row: row.memory),
    ):
        print(f"\n{len(found):,} reviews, {title}\n\n{HEADER}")
        for row in sorted(found, key=key, reverse=True)[:SHOWN]:
            print(row)
    return int(any(row.wrong for row in found))


if __name__ == "__main__":
    sys.exit(main())
