"""What kube-apiserver made of CEL expressions: see tests/recorded."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, NamedTuple

RECORDING = Path(__file__).parents[2] / "recorded" / "data" / "cel.jsonl.xz"


class RecordedExpression(NamedTuple):
    """An expression with the answers.

    Attributes:
        expression: its text.
        returns: the type that it must return: ``any``, ``bool`` or ``string``.
        refused: of each release that refuses it, the text.
        results: of each release that accepts it, the results on the cases.
    """

    expression: str
    returns: str
    refused: dict[str, str]
    results: dict[str, list[dict[str, Any]]]


def recorded_expressions() -> list[RecordedExpression]:
    """All of them, in the order of the recording."""
    with lzma.open(RECORDING, "rt", encoding="utf-8") as lines:
        return [_read(json.loads(line)) for line in lines]


def _read(line: dict[str, Any]) -> RecordedExpression:
    spread = {
        part: {release: answer for answer, releases in line[part] for release in releases}
        for part in ("refused", "results")
    }
    return RecordedExpression(line["expression"], line["returns"], **spread)
