"""The simulator decides what Kubernetes' own Job controller decided when the same scenarios were played to it.

``tests/cluster/controller/test_simulator_agrees.py`` plays and records them; see the README of ``agreement``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from support.simulation.job_outcomes import (
    FOLDER,
    NAMES,
    documents,
    readme_table,
    recorded,
    simulated,
)

README = FOLDER / "README.md"
TABLE = re.compile(r"(?<=<!-- outcomes -->\n).*(?=<!-- end of outcomes -->)", re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_job_ends_as_it_did_in_kubernetes(name: str, tmp_path: Path) -> None:
    assert simulated(name, tmp_path)._asdict() == recorded()[name]._asdict()


def test_every_scenario_has_an_outcome_of_its_own() -> None:
    outcomes = recorded()
    assert sorted(outcomes) == NAMES
    assert len(NAMES) >= 20
    same = [
        (name, other)
        for name in NAMES
        for other in NAMES
        if name < other and outcomes[name] == outcomes[other]
    ]
    assert same == []


@pytest.mark.parametrize("name", NAMES)
def test_a_file_names_its_job_and_its_scenario_alike(name: str) -> None:
    assert [each["metadata"]["name"] for each in documents(name)] == [name, name]


def test_the_readme_has_every_scenario_with_its_outcome() -> None:
    text = README.read_text(encoding="utf-8")
    if os.environ.get("JOBSWORTH_RENEW"):
        README.write_text(TABLE.sub(lambda _: readme_table(), text), encoding="utf-8")
        return
    (table,) = TABLE.findall(text)
    assert table == readme_table()
