"""What the engine costs: decoding, defaulting and judging one Job, in microseconds.

    python benchmarks/rich_pods.py

Over the Jobs with rich Pod templates that the tests hold against a real API server, in one process, once
everything is compiled; the best of several rounds, beside what `json.loads` takes for the same texts.
"""

from __future__ import annotations

import json
import lzma
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for

CASES = Path(__file__).parent.parent / "tests/oracle/cases"
ROUNDS = 9


def best(action: Callable[[Any], object], inputs: list[Any]) -> float:
    """The least time for one input on average, in microseconds, over the rounds."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for value in inputs:
            action(value)
        rounds.append((time.perf_counter() - began) / len(inputs) * 1e6)
    return min(rounds)


def main() -> None:
    with lzma.open(CASES / "pod.jsonl.xz", "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    engine = engine_for(ApiServer("1.36"))
    for title, chosen in {
        "all": cases,
        "accepted": [case for case in cases if case["code"] == 201],
        "rejected": [case for case in cases if case["code"] == 422],
    }.items():
        objects = [case["object"] for case in chosen]
        texts = [json.dumps(value) for value in objects]
        judging, parsing = best(engine.validate, objects), best(json.loads, texts)
        print(
            f"{title:9} {len(objects):5} Jobs, {sum(map(len, texts)) / len(texts):5.0f} bytes: "
            f"judged in {judging:6.1f} µs, json.loads {parsing:5.1f} µs"
        )


if __name__ == "__main__":
    main()
