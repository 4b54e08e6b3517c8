"""The table of feature gates is one that Kubernetes could have: a law for each gate and its stages."""

from __future__ import annotations

import pytest

from jobsworth.api.feature_gates import FEATURE_GATES

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
