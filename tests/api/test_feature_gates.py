"""The table of feature gates is one that Kubernetes could have: a law for each gate and its stages."""

from __future__ import annotations

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.feature_gates import FEATURE_GATES
from support.api_server.recorded_answers import Recording, recorded_releases

STAGES = ["alpha", "beta", "stable", "deprecated"]


@pytest.mark.parametrize("gate", sorted(FEATURE_GATES))
def test_a_gate_advances(gate: str) -> None:
    stages = FEATURE_GATES[gate]
    releases = []
    for release, stage, on, locked in stages:
        major, minor = release.split(".")
        assert major == "1"
        assert stage in STAGES
        assert type(on) is bool
        assert type(locked) is bool
        assert not (stage == "alpha" and on)
        assert stage != "stable" or on
        assert not locked or stage in ("stable", "deprecated")
        releases.append(int(minor))
    assert releases == sorted(set(releases))


@pytest.mark.parametrize("release", recorded_releases())
def test_a_gate_is_on_by_default_where_a_real_server_has_it_on(release: str) -> None:
    recording = Recording.read(release)
    server = ApiServer(recording.version)
    for section in recording.sections[1:]:
        # What was changed is not the default; a gate of a server without it does not start.
        assert server.enabled(section.changed) is not section.gates[section.changed]
