"""Record what kube-apiserver of each release makes of CEL expressions, in ``tests/recorded/data/cel.jsonl.xz``.

    tests/cluster/install --only admission-policies
    cd tests
    PYTHONPATH=../webhook:. python -m cluster.cel_recording

A line per expression: ``expression``; the type that it must return, ``returns``; ``refused``, pairs of a text and the
releases that refuse it so; ``results``, pairs of the results on the cases and the releases that have them.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cluster.cel_expressions import CASES, CONDITIONS, MESSAGES, VALUES, VARIABLES
from cluster.native_policies import RELEASES, Expression, evaluated

RECORDING = Path(__file__).parents[1] / "recorded" / "data" / "cel.jsonl.xz"


def main() -> None:
    asked = expressions()
    lines = [
        _line(each, answer) for each, answer in zip(asked, evaluated(asked, CASES), strict=True)
    ]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    RECORDING.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(lines)} expressions, {len(RELEASES)} releases: {RECORDING.stat().st_size} bytes")


def expressions() -> list[Expression]:
    """Return all expressions with the type that each must return."""
    values = [("any", text) for texts in VALUES.values() for text in texts]
    conditions = [("bool", text) for text in CONDITIONS]
    messages = [("string", text) for text in MESSAGES]
    return [_asked(text, returns) for returns, text in (*values, *conditions, *messages)]


def _asked(text: str, returns: str) -> Expression:
    asked: Expression = {"expression": text, "returns": returns, "params": True}
    if "variables" in text:
        asked["variables"] = VARIABLES
    # Permissions cannot be checked without a cluster.
    asked["cases"] = () if "authorizer" in text else tuple(range(len(CASES)))
    return asked


def _line(asked: Expression, answer: Mapping[str, Any]) -> dict[str, Any]:
    results = {
        release: [
            {key: _without_addresses(found[key]) for key in ("value", "error") if key in found}
            for found in each
        ]
        for release, each in answer["results"].items()
    }
    return {
        "expression": asked["expression"],
        "returns": asked["returns"],
        "refused": _grouped(answer["refusals"]),
        "results": _grouped(results),
    }


def _without_addresses(value: Any) -> Any:
    """Return a value without the address in memory that Go prints of a named format."""
    if isinstance(value, list):
        return [_without_addresses(part) for part in value]
    if isinstance(value, str):
        return re.sub(r"^\{(\w+) 0x[0-9a-f]+ \d+\}$", r"\1", value)
    return value


def _grouped(by_release: Mapping[str, Any]) -> list[tuple[Any, list[str]]]:
    """Return each different answer with the releases that gave it."""
    groups: dict[str, tuple[Any, list[str]]] = {}
    for release in RELEASES:
        if release in by_release:
            answer = by_release[release]
            groups.setdefault(json.dumps(answer), (answer, []))[1].append(release)
    return list(groups.values())


if __name__ == "__main__":
    main()
