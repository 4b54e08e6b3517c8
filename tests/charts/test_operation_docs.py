"""The pages about operation: the values, alerts and policies that they name are those of the chart."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from jobsworth.files.policies.policy_files import load_policies

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "jobsworth"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
PAGES = [ROOT / "docs" / f"{name}.md" for name in ("platforms", "production", "queueing")]
A_VALUE = re.compile(r"`([a-z][A-Za-z]+(?:\.[a-z][A-Za-z]+)*)(?:: [^`]*)?`")
BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_values_that_a_page_names_exist(page: Path) -> None:
    sections = {name for name, value in VALUES.items() if isinstance(value, dict)}
    named = [path for path in A_VALUE.findall(page.read_text()) if path.split(".")[0] in sections]
    assert named or page.stem == "queueing"
    for path in named:
        part: Any = VALUES
        for key in path.split("."):
            assert key in part, path
            part = part[key]


def test_every_alert_is_explained_and_every_explained_alert_exists() -> None:
    rules = (CHART / "templates" / "prometheus-rule.yaml").read_text()
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    headings = re.findall(r"^### (Jobsworth.*)$", page, re.MULTILINE)
    explained = [name for heading in headings for name in heading.split(", ")]
    assert sorted(explained) == sorted(re.findall(r"alert: (\w+)", rules))
    anchors = {heading.lower().replace(",", "").replace(" ", "-") for heading in headings}
    linked = re.findall(
        r"alert: \w+\n(?:(?!alert:).*\n)*? +runbook_url: \{\{ \$runbook \}\}#(\S+)", rules
    )
    assert len(linked) == len(explained)
    assert set(linked) == anchors


@pytest.mark.parametrize(
    "variant", sorted((CHART / "ci").glob("*-values.yaml")), ids=lambda p: p.stem
)
def test_a_platforms_values_are_named_on_its_page(variant: Path) -> None:
    if "docs/platforms.md" in variant.read_text():
        assert f"ci/{variant.name}" in (ROOT / "docs" / "platforms.md").read_text()


@pytest.mark.slow
def test_the_examples_for_queueing_controllers_are_valid(tmp_path: Path) -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    values, policy = BLOCK.findall((ROOT / "docs" / "queueing.md").read_text())
    jsonschema.validate(yaml.safe_load(values), schema)
    file = tmp_path / "queued.yaml"
    file.write_text(policy)
    assert [each.name for each in load_policies([str(file)]).policies] == ["queued"]
