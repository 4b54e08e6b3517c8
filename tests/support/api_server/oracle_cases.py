"""The recorded responses of a kube-apiserver, by category: see tests/oracle/README.md."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[2] / "oracle/cases"
CATEGORIES = ("job", "policy", "success", "meta", "cron", "decode", "update", "pod")


def cases(category: str) -> list[dict[str, Any]]:
    """Read the cases of a category."""
    with lzma.open(CASES / f"{category}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
