"""Failures recorded on a test bed: what an API server had of the Jobs, compactly."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.saved_objects import SavedObjects

DATA = Path(__file__).parents[2] / "runs" / "why" / "data" / "failures.jsonl.xz"
_NOISE = ("managedFields", "selfLink")

Object = dict[str, Any]


def diagnosed(saved: Object) -> Diagnosis:
    """Return the diagnosis of the Job of a recording."""
    objects = SavedObjects()
    for each in saved["items"]:
        assert objects.add(each) is None, each
    (job,) = objects.to_diagnose()
    found = objects.diagnosis(job, ApiServer("1.36"), lambda value, codes: ())
    assert isinstance(found, Diagnosis)
    return found


def write_failures(
    saved: dict[str, Object], expected: dict[str, tuple[str, tuple[str, ...]]]
) -> None:
    """Write recordings, each with the cause and the words that its sentence must have."""
    DATA.parent.mkdir(exist_ok=True)
    lines = []
    for name, objects in saved.items():
        cause, words = expected[name.partition(" ")[0]]
        items = [_without_noise(each) for each in objects["items"]]
        lines.append(json.dumps({"name": name, "cause": cause, "words": words, "items": items}))
    DATA.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9))


def recorded_failures() -> list[Object]:
    """Return the recordings."""
    text = lzma.decompress(DATA.read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def _without_noise(value: Object) -> Object:
    meta = {key: part for key, part in value["metadata"].items() if key not in _NOISE}
    return {**value, "metadata": meta}
