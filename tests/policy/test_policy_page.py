"""The reference of JobPolicy names everything that there is, and what it shows can be loaded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobsworth.policy.document import schema
from jobsworth.policy.matching import CRITERIA
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.reader import read
from jobsworth.policy.violation import CODES

PAGE = "".join(
    (Path(__file__).parents[2] / "docs" / name).read_text("utf-8")
    for name in ("policy.md", "policy-requests.md")
)


def shown() -> list[Any]:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    documents = [document for block in blocks for document in yaml.safe_load_all(block)]
    return [document for document in documents if document.get("kind") == "JobPolicy"]


def test_every_code_stands_there_with_its_meaning() -> None:
    for code, meaning in CODES.items():
        assert f"| `{code}` | {meaning} |" in PAGE


@pytest.mark.parametrize(
    "name",
    [
        *(field.key for field in FIELDS.values()),
        *(f"spec.{name}" for name in schema()["properties"]["spec"]["properties"]),
        *CRITERIA,
    ],
)
def test_every_field_and_criterion_stands_there(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_examples_of_the_page_can_be_loaded() -> None:
    documents = shown()
    assert len(documents) >= 3
    assert len(read(documents).policies) == len(documents)
