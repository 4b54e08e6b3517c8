"""Send many corrupted AdmissionReviews, and check for 5xx, hangs and growing memory.

    python benchmarks/admission_soak.py [--reviews 100000] [--clients 4] [--policy PATH]

Prints the memory of the workers after each tenth, and its slope per 100,000 reviews after the first tenth,
which is the warm-up, and in the second half. The exit code is 1 if a response was neither 200 nor 4xx, took
longer than ten seconds, if jobsworth caught an internal error, or if a worker's memory grew by more than a
tenth after the first half.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from support.admission.mutated_reviews import Mutator  # noqa: E402
from support.admission.running_webhook import Client, Serving, serving  # noqa: E402

SLOW_SECONDS = 10.0
MAX_GROWTH = 1.1
PARTS = 10


class Soak:
    """A client that sends reviews and records the responses."""

    def __init__(self, server: Serving) -> None:
        self.server = server
        self.lock = threading.Lock()
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.slowest = 0.0

    def run(self, seed: int, count: int) -> None:
        mutator, client = Mutator(seed), Client(self.server)
        for _ in range(count):
            endpoint, body, headers = mutator.endpoint(), mutator.body(), mutator.headers()
            began = time.perf_counter()
            try:
                status, answer = client.post(endpoint, body, headers)
            except Exception as error:
                client.close()
                self._note(0, f"{type(error).__name__}: {error}: {body[:200]!r}", began)
                continue
            wrong = _wrong(status, answer)
            self._note(status, f"{wrong}: {body[:200]!r}" if wrong else "", began)
        client.close()

    def _note(self, status: int, wrong: str, began: float) -> None:
        taken = time.perf_counter() - began
        with self.lock:
            self.statuses[status] += 1
            self.slowest = max(self.slowest, taken)
            if wrong or taken > SLOW_SECONDS:
                self.wrong.append(wrong or f"took {taken:.1f} s")


def _wrong(status: int, answer: bytes) -> str:
    try:
        value = json.loads(answer)
    except ValueError:
        return f"status {status}, no JSON: {answer[:100]!r}"
    if status == 200:
        return (
            "" if isinstance(value["response"]["allowed"], bool) else "neither allowed nor denied"
        )
    return "" if 400 <= status < 500 and value["message"] else f"status {status}"


def memory_of_workers(parent: int) -> dict[str, int]:
    """Return the resident memory of a process's children, in KiB (Linux)."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            status = (entry / "status").read_text()
        except (OSError, NotADirectoryError):
            continue
        lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        if lines.get("PPid") == str(parent):
            found[entry.name] = int(lines["VmRSS"].split()[0])
    return found


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--reviews", type=int, default=100_000)
    arguments.add_argument("--clients", type=int, default=4)
    arguments.add_argument("--policy", default=str(ROOT / "policies"))
    chosen = arguments.parse_args()
    options = ("--log", "denials", "--policy", chosen.policy)
    with serving(Path(tempfile.mkdtemp()), *options) as server:
        soak, began = Soak(server), time.perf_counter()
        count = chosen.reviews // PARTS // chosen.clients
        rows: list[dict[str, int]] = []
        for part in range(PARTS):
            threads = [
                threading.Thread(target=soak.run, args=(part * 1000 + number, count))
                for number in range(chosen.clients)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            rows.append(memory_of_workers(server.process.pid))
            seconds = time.perf_counter() - began
            print(
                f"after {sum(soak.statuses.values())}, {seconds:.0f} s: {rows[-1]} KiB", flush=True
            )
        taken = time.perf_counter() - began
        errors = server.metric("jobsworth_admission_internal_errors_total")
    middle, after = rows[PARTS // 2 - 1], rows[-1]
    growth = max(after[name] / middle[name] for name in middle if name in after)
    print(f"{sum(soak.statuses.values())} reviews in {taken:.0f} s: {dict(soak.statuses)}")
    print(f"slowest answer {soak.slowest:.2f} s; internal errors that were caught: {errors:.0f}")
    for start, since in ((0, "after the first tenth"), (PARTS // 2 - 1, "in the second half")):
        reviews = count * chosen.clients * (PARTS - 1 - start)
        slopes = [
            (after[name] - memory) * 100_000 / reviews
            for name, memory in rows[start].items()
            if name in after
        ]
        listed = ", ".join(f"{slope:+.0f}" for slope in slopes)
        print(f"slope of memory per 100,000 reviews {since}, KiB for each worker: {listed}")
    for wrong in soak.wrong[:10]:
        print(f"  {wrong}")
    bad = bool(soak.wrong) or errors > 0 or growth > MAX_GROWTH or after.keys() != rows[0].keys()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
