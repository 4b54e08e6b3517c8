"""Representations of the objects that the functions return: one line in a console, however large they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import jobsworth

ROOT = Path(__file__).parents[2]


def manifest(name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(yaml.safe_load_all((ROOT / name).read_text(encoding="utf-8")))
    return found


TRAINING = manifest("examples/valid/ml-training.yaml")
RECORDED = manifest("docs/examples/recordings/train.yaml")["items"]


@pytest.mark.parametrize(
    ("returned", "shown"),
    [
        (jobsworth.explain(TRAINING), "<explanation of Job train-recommender: 2 rules>"),
        (
            jobsworth.simulate(TRAINING, runs=3),
            "<3 runs of Job train-recommender, scenario default>",
        ),
        (jobsworth.simulate(TRAINING), "<1 run of Job train-recommender, scenario default>"),
    ],
)
def test_an_object_is_one_line(returned: object, shown: str) -> None:
    assert repr(returned) == shown


def test_a_diagnosis_is_its_sentence() -> None:
    found = jobsworth.why_recorded(RECORDED)
    assert repr(found) == f"<Failed, EvictionAPI: {found.sentence}>"
