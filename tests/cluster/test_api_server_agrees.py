"""The engine and a live API server give the same errors for random Jobs."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("cryptography", reason="run pip install '.[cluster]'")

from cluster.available_beds import bed_or_skip
from cluster.bed import Answer
from cluster.differential import agree, compare, report
from cluster.dry_run_server import Server, from_kubeconfig
from jobsworth.validation.engine import engine_for
from support.validation.engine_errors import job_with

if TYPE_CHECKING:
    from cluster.bed import TestBed

_WANTED = os.environ.get("JOBSWORTH_SEED", "1")
SEED = random.randrange(2, 1_000_000) if _WANTED == "random" else int(_WANTED)
"""The same Jobs in every run, so that what is red is about the change; with JOBSWORTH_SEED others."""


def check(server: Server, count: int, *, updates: bool) -> None:
    outcome = agree(server, count, SEED * 1_000_000, updates=updates)
    reported = f"JOBSWORTH_SEED={SEED}\n{report(server, outcome, show=20)}"
    assert not outcome.differences, reported
    # Nearly all were validated, with each result among them: the agreement means something.
    assert sum(outcome.validated.values()) > 0.97 * count, reported
    assert (
        min(outcome.validated[kind] for kind in ("accepted", "invalid", "not decoded"))
        > 0.05 * count
    )


def test_on_500_new_jobs_of_the_newest_release(bed: TestBed) -> None:
    check(Server(bed.connection), 500, updates=False)


def test_on_500_new_jobs_of_an_older_release(older_bed: TestBed) -> None:
    check(Server(older_bed.connection), 500, updates=False)


def test_on_updates_of_the_newest_release(bed: TestBed) -> None:
    check(Server(bed.connection), 1000, updates=True)


def test_on_updates_of_an_older_release(older_bed: TestBed) -> None:
    check(Server(older_bed.connection), 1000, updates=True)


@pytest.fixture(scope="module")
def unusual_bed() -> Iterator[TestBed]:
    """An API server with settings of its own."""
    gates = {"ContainerRestartRules": False, "RestartAllContainersOnContainerExits": False}
    with bed_or_skip(feature_gates=gates, allow_privileged=True, audit=False) as bed:
        yield bed


def test_the_servers_settings_are_read_from_it(unusual_bed: TestBed) -> None:
    server = Server(unusual_bed.connection)
    assert not server.api_server.enabled("ContainerRestartRules")
    assert server.api_server.allow_privileged
    check(server, 500, updates=False)


def test_a_server_can_be_named_by_its_kubeconfig(bed: TestBed) -> None:
    pytest.importorskip("kubernetes", reason="run pip install '.[cluster]'")
    server = Server(from_kubeconfig(bed.kubeconfig))
    assert server.api_server.release == bed.release
    assert server.create(job_with()).code == 201


def test_a_difference_is_reported(bed: TestBed) -> None:
    server = Server(bed.connection)
    engine = engine_for(server.api_server)
    good, bad = job_with(), job_with({"hostname": "-"})
    accepted, rejected = server.create(good), server.create(bad)
    assert compare(engine, good, accepted) == ""
    assert compare(engine, bad, rejected) == ""
    assert compare(engine, good, rejected).startswith("missing [('spec.template.spec.hostname'")
    assert compare(engine, bad, accepted).startswith(
        "accepted, engine: [('spec.template.spec.hostname'"
    )
    accepted.body["spec"]["backoffLimit"] = 7
    assert compare(engine, good, accepted) == "spec.backoffLimit: server 7, engine 6"
    undecoded = Answer(400, {"message": "cannot be handled"})
    assert compare(engine, good, undecoded).startswith("not decoded: cannot be handled")
