"""Releases and feature gates."""

from __future__ import annotations

import pytest

from jobsworth.api.api_server import (
    NEWEST_RELEASE,
    RELEASES,
    ApiServer,
    NewerRelease,
    UnknownGate,
    UnknownRelease,
    parse_gates,
)
from jobsworth.validation.engine import engine_for
from support.validation.engine_errors import job_with


def test_the_newest_release_is_the_default() -> None:
    assert ApiServer().release == NEWEST_RELEASE == "1.37"


@pytest.mark.parametrize(
    "text",
    [
        "1.31",
        "v1.31",
        "1.31.4",
        "v1.31.0",
        "v1.31.5-eks-abc123",
        "1.31.3-gke.1000",
        "v1.31.0+k3s1",
        "1.31+",
    ],
)
def test_a_release_may_be_written_as_clusters_report_it(text: str) -> None:
    assert ApiServer(text).release == "1.31"


def test_a_newer_release_is_judged_as_the_newest_known_one_with_a_warning() -> None:
    with pytest.warns(
        NewerRelease, match=rf"Kubernetes 1\.99 is newer .* judged as {RELEASES[-1]}"
    ):
        assert ApiServer("v1.99.0-rc.1").release == RELEASES[-1]


@pytest.mark.parametrize("text", ["1.24", "v1.24.17-eks-1", "2.0", "", "latest", "1.31.x", "1"])
def test_an_unknown_release_names_the_known_ones(text: str) -> None:
    with pytest.raises(UnknownRelease, match=r"use 1\.25 to 1\.38"):
        ApiServer(text)


@pytest.mark.parametrize(
    ("gate", "release", "on"),
    [
        ("JobManagedBy", "1.29", False),
        ("JobManagedBy", "1.30", False),
        ("JobManagedBy", "1.31", False),
        ("JobManagedBy", "1.32", True),
        ("JobManagedBy", "1.36", True),
        ("JobPodFailurePolicy", "1.25", False),
        ("JobPodFailurePolicy", "1.26", True),
        ("JobBackoffLimitPerIndex", "1.28", False),
        ("JobBackoffLimitPerIndex", "1.29", True),
        ("JobPodReplacementPolicy", "1.28", False),
        ("JobPodReplacementPolicy", "1.29", True),
        ("JobSuccessPolicy", "1.30", False),
        ("JobSuccessPolicy", "1.31", True),
        ("SidecarContainers", "1.28", False),
        ("SidecarContainers", "1.29", True),
        ("MutablePodResourcesForSuspendedJobs", "1.35", False),
        ("MutablePodResourcesForSuspendedJobs", "1.36", True),
    ],
)
def test_gates_are_on_from_the_release_that_turned_them_on(
    gate: str, release: str, on: bool
) -> None:
    assert ApiServer(release).enabled(gate) is on


def test_a_gate_can_be_set() -> None:
    assert ApiServer("1.31", {"JobManagedBy": True}).enabled("JobManagedBy")


@pytest.mark.parametrize(
    ("release", "gate", "complaint"),
    [
        (
            "1.36",
            "JobManagedby",
            'unknown feature gate "JobManagedby": did you mean "JobManagedBy"?',
        ),
        ("1.36", "Nonsense", 'unknown feature gate "Nonsense"'),
        ("1.29", "JobManagedBy", "does not exist in Kubernetes 1.29: introduced in 1.30"),
        ("1.36", "JobManagedBy", "is locked to true in Kubernetes 1.36"),
    ],
)
def test_a_gate_that_cannot_be_set_says_why(release: str, gate: str, complaint: str) -> None:
    with pytest.raises(UnknownGate) as caught:
        ApiServer(release, {gate: False})
    assert complaint in str(caught.value)


def test_gates_are_read_as_components_take_them() -> None:
    assert parse_gates("A=true, B=false,") == {"A": True, "B": False}


@pytest.mark.parametrize("text", ["A", "A=yes", "=", "A=true;B=false"])
def test_a_malformed_gate_shows_the_form(text: str) -> None:
    with pytest.raises(UnknownGate, match="Name=true or Name=false"):
        parse_gates(text)


def test_servers_compare_by_release_and_gates() -> None:
    assert ApiServer("1.31.2", {"JobManagedBy": True}) == ApiServer("1.31", {"JobManagedBy": True})
    assert len({ApiServer(release) for release in RELEASES}) == len(RELEASES)


def test_a_gate_has_the_name_of_its_release() -> None:
    present, former = "UserNamespacesSupport", "UserNamespacesStatelessPodsSupport"
    assert ApiServer("1.27", {former: True}).enabled(present)
    assert ApiServer("1.28", {present: True}).enabled(present)
    assert not ApiServer("1.27").enabled(present)
    with pytest.raises(UnknownGate, match=f'called "{former}" before 1.28'):
        ApiServer("1.27", {present: True})
    with pytest.raises(UnknownGate, match=f'called "{present}" since 1.28'):
        ApiServer("1.28", {former: True})


def test_a_dropped_field_names_its_gate_as_the_release_does() -> None:
    pod = {"containers": [{"name": "a", "image": "b"}], "hostUsers": False}
    found = engine_for(ApiServer("1.27")).validate(job_with(pod))
    assert any("UserNamespacesStatelessPodsSupport" in each.message for each in found)


def test_a_server_shows_its_release_and_gates() -> None:
    shown = repr(ApiServer("1.31", {"JobSuccessPolicy": False, "JobManagedBy": True}))
    assert shown == "Kubernetes 1.31 with JobManagedBy=true,JobSuccessPolicy=false"
