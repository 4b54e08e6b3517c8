"""The values that random objects have: known ones of every field, and odd ones."""

from __future__ import annotations

import copy
import json
import lzma
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "oracle" / "cases"
CATEGORIES = ("job", "policy", "success", "meta", "cron", "pod")

# fmt: off
INTEGERS = (
    0, 1, 2, 3, -1, 5, 10, 63, 64, 100, 127, 128, 255, 256, 511, 512, 1000, 3600, 65535, 65536,
)
LARGE = (86400, 86401, 100_000, 100_001, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**31), -(2**31) - 1)
STRINGS = (
    "", "a", "main", "x-1", "A.b", "example.com/name", "-bad-", "$(X)", "a b", "1", "café",
    "a" * 63,
)
LONG = (
    "a" * 64, "a" * 253, "a." * 130 + "a", "x/" + "y" * 64, "a\nb", "..", "/a/../b", "0", "*",
    "a_b", "None",
)
QUANTITIES = (
    "0", "1", "100m", "1Gi", "1.5", "1e3", 2, 0.5, "-1", "1n", "0.1m", "1K", "", "9e99", "1 Gi",
)
TIMES = ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00.5+02:00", "2026-01-31", "")
KEYS = (
    "app", "example.com/name", "tier", "bad key", "x/y/z", "", "UPPER", "a" * 64,
    "kubernetes.io/arch",
)
ODD = (
    None, [], {}, "", 0, 1, -1, True, 1.5, "a<b>&", "x" * 300, "é", "1Gi", [None], [""],
    {"a": None}, 2**31 - 1, "\n",
)
# fmt: on


def odd_for(rng: random.Random, value: Any) -> Any:
    """Return an odd value, mostly of the value's own type: the server's answers are longer then."""
    alike = [odd for odd in ODD if type(odd) is type(value)]
    return copy.deepcopy(rng.choice(alike if alike and rng.random() < 0.8 else ODD))


def known_values() -> dict[str, list[Any]]:
    """The values of each field name in the recorded cases, each once."""
    seen: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for category in CATEGORIES:
        with lzma.open(CASES / f"{category}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for line in lines:
                found: list[tuple[Any, Any]] = []
                places_below(json.loads(line)["object"], found)
                for holder, key in found:
                    if isinstance(key, str):
                        seen[key][json.dumps(holder[key], sort_keys=True)] = holder[key]
    return {name: list(values.values()) for name, values in seen.items()}


def places_below(value: Any, found: list[tuple[Any, Any]]) -> None:
    """Every holder and key (or index) below a value."""
    parts: Any = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    for key, part in parts:
        found.append((value, key))
        places_below(part, found)
