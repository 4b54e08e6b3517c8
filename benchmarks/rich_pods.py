"""Measure the engine: decoding, defaulting and validating one Job, in microseconds.

    python benchmarks/rich_pods.py

The input is the Jobs with rich Pod templates of the oracle tests, in one process, after everything is
compiled. The output is the best of several rounds, and the time of `json.loads` for the same texts.
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
    """Return the minimum over the rounds of the average time per input, in microseconds."""
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
        validating, parsing = best(engine.validate, objects), best(json.loads, texts)
        print(
            f"{title:9} {len(objects):5} Jobs, {sum(map(len, texts)) / len(texts):5.0f} bytes: "
            f"validated in {validating:6.1f} µs, json.loads {parsing:5.1f} µs"
        )


if __name__ == "__main__":
    main()
