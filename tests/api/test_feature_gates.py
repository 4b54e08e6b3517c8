"""The table of feature gates is that of Kubernetes.

Beside it lies what ``test/compatibility_lifecycle/reference/versioned_feature_list.yaml`` of Kubernetes 1.33.13, 1.34.4,
1.35.4, 1.36.1, 1.37.2 and 1.38.0-beta.0 has of these gates: of each, the newest of the lists that has it, and the first
release without it. Of a stage that depends on ``--min-compatibility-version``, what is so without that option.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.feature_gates import FEATURE_GATES
from support.api_server.recorded_answers import recorded_gates, recorded_releases

STAGES = ["alpha", "beta", "stable", "deprecated", "removed"]
LISTED: dict[str, list[list[Any]]] = json.loads(
    (Path(__file__).parent / "data/versioned_feature_list.json").read_text(encoding="utf-8")
)
NOT_LISTED = {
    # Removed before Kubernetes kept the list.
    "AppArmorFields": "1.30 beta on, 1.31 stable on locked, 1.33 removed on locked",
    "CronJobTimeZone": "1.24 alpha, 1.25 beta on, 1.27 stable on locked, 1.29 removed on locked",
    "IndexedJob": "1.21 alpha, 1.22 beta on, 1.24 stable on locked, 1.26 removed on locked",
    "JobMutableNodeSchedulingDirectives": "1.23 beta on, 1.27 stable on locked, 1.29 removed on locked",
    "JobPodFailurePolicy": "1.25 alpha, 1.26 beta on, 1.31 stable on locked, "
    "1.33 removed on locked",
    "JobReadyPods": "1.23 alpha, 1.24 beta on, 1.29 stable on locked, 1.31 removed on locked",
    "JobTrackingWithFinalizers": "1.22 alpha, 1.23 beta on, 1.26 stable on locked, "
    "1.29 removed on locked",
    "MinDomainsInPodTopologySpread": "1.24 alpha, 1.25 beta, 1.27 beta on, 1.30 stable on locked, "
    "1.32 removed on locked",
    "SuspendJob": "1.21 alpha, 1.22 beta on, 1.24 stable on locked, 1.26 removed on locked",
    # Listed from 1.35 on, but kube-apiserver 1.35.4 does not have it.
    "ImageVolumeWithDigest": "1.36 alpha",
}


def written(release: str, stage: str, on: bool, locked: bool) -> str:
    return f"{release} {stage}{' on' * on}{' locked' * locked}"


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
        assert not locked or stage in ("stable", "deprecated", "removed")
        releases.append(int(minor))
    assert releases == sorted(set(releases))


@pytest.mark.parametrize("gate", sorted(FEATURE_GATES))
def test_a_gate_has_the_stages_that_kubernetes_lists(gate: str) -> None:
    known = [written(*stage) for stage in FEATURE_GATES[gate]]
    listed = [
        written(release, "stable" if stage == "GA" else stage.lower(), on, locked)
        for release, stage, on, locked in LISTED.get(gate, ())
    ]
    assert ", ".join(known) == NOT_LISTED.get(gate, ", ".join(listed))


@pytest.mark.parametrize("release", recorded_releases())
def test_a_gate_is_on_by_default_where_a_real_server_has_it_on(release: str) -> None:
    version, sections = recorded_gates(release)
    server = ApiServer(version)
    assert len(sections) > 1
    for section in sections[1:]:
        # What was changed is not the default; a gate of a server without it does not start.
        assert server.enabled(section.changed) is not section.gates[section.changed]
