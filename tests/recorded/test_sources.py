"""Every recording of an API server, or of Kubernetes' own code, has its source in sources.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from support.api_server.recorded_answers import recorded_gates, recorded_releases

TESTS = Path(__file__).parents[1]
SOURCES = tomllib.loads((TESTS / "recorded/sources.toml").read_text(encoding="utf-8"))
FOLDERS = ("recorded/data", "oracle/cases", "runs/why/data", "api/formats/data")
REQUESTS = ("recorded/data/cases.jsonl.xz", "recorded/data/published-policies.jsonl.xz")
"""Files without answers."""


def test_every_recording_has_a_source() -> None:
    files = {
        path.relative_to(TESTS).as_posix()
        for folder in FOLDERS
        for path in (TESTS / folder).glob("*.jsonl*")
    }
    assert files - {*REQUESTS} == SOURCES.keys()
    assert {tuple(each) for each in SOURCES.values()} == {
        ("answered", "version", "built_from", "gates")
    }


def test_the_versions_are_those_that_the_servers_reported() -> None:
    for release in recorded_releases():
        version, _ = recorded_gates(release)
        assert SOURCES[f"recorded/data/{release}.jsonl.xz"]["version"] == version
