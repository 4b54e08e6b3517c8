"""The JobPolicies on the pages of docs/ and in the README are valid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobsworth.policy.reader import read

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```ya?ml\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("*/*/README.md")),
)


def documents() -> list[Any]:
    found = []
    for page in PAGES:
        for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            if "kind: JobPolicy\n" in block:
                name = f"{page.relative_to(ROOT)}-{number}"
                found += [
                    pytest.param(each, id=name)
                    for each in yaml.safe_load_all(block)
                    if isinstance(each, dict) and each.get("kind") == "JobPolicy"
                ]
    return found


@pytest.mark.parametrize("document", documents())
def test_a_policy_on_a_page_is_valid(document: dict[str, Any]) -> None:
    read([document])
