"""The page about the profiles is generated from their comments, and its figures are of these rules."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "profiles.md"
FIGURES = json.loads((ROOT / "docs" / "profiles.json").read_text("utf-8"))
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("profiles_page", ROOT / "docs" / "profiles.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_profiles(generator: ModuleType) -> None:
    text = PAGE.read_text("utf-8")
    renewal = "renew it: PYTHONPATH=webhook python docs/profiles.py"
    assert generator.page(text, FIGURES) == text, renewal
    assert text.count("\n| [JW") + text.count("\n| `limits.") > 40


def test_a_rule_without_a_reason_is_an_error(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = "\n".join(
        line for line in generator.source("baseline").splitlines() if "Not reported:" not in line
    )
    monkeypatch.setattr(generator, "source", lambda policy: bare)
    with pytest.raises(ValueError, match=r"baseline.yaml: .*: write a reason, then Not reported:"):
        generator.table("baseline", FIGURES)


def test_every_rule_was_measured() -> None:
    reported = FIGURES["reported"].values()
    assert all(
        repositories <= objects <= FIGURES["evaluated"] for objects, repositories in reported
    )
    assert all(repositories > 0 for objects, repositories in reported if objects)


def test_baseline_reports_few_real_manifests() -> None:
    objects, _ = FIGURES["reported"]["baseline"]
    assert objects <= FIGURES["objects"] / 10


def test_every_link_leads_to_a_file() -> None:
    targets = LINK.findall(PAGE.read_text("utf-8"))
    assert len(targets) > 30
    assert [target for target in targets if not (PAGE.parent / target).exists()] == []
