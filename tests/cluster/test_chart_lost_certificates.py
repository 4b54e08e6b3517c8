"""After the CA bundles and the Secret were lost, Jobs are refused for three seconds at most."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import NAME, Installation, wait_for
from cluster.programs import NEWEST
from cluster.refused_jobs import RefusedJobs

if TYPE_CHECKING:
    from cluster.bed import TestBed

MAX_SECONDS = 3.0
MERGE = "application/merge-patch+json"
VALUES: dict[str, Any] = {
    "policies": {"retries": {"limits": {"backoffLimit": {"maximum": 3}}}},
    "webhook": {"workers": 1, "drainSeconds": 0, "mutating": {"failurePolicy": "Fail"}},
}


@pytest.fixture(scope="module")
def quiet() -> Iterator[TestBed]:
    with bed_or_skip(NEWEST, audit=False) as bed:
        yield bed


@pytest.fixture(params=["manager", "chart"])
def it(quiet: TestBed, request: pytest.FixtureRequest) -> Iterator[Installation]:
    with Installation(quiet, {**VALUES, "registration": {"mode": request.param}}) as installation:
        time.sleep(3.0)  # the registration fails closed, and every watch is open
        yield installation


def without_bundles(it: Installation) -> None:
    for kind in ("mutating", "validating"):
        path = f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations/{NAME}"
        webhooks = it.bed.get(path)["webhooks"]
        for webhook in webhooks:
            webhook["clientConfig"].pop("caBundle", None)
        it.bed.request("PATCH", path, {"webhooks": webhooks}, content_type=MERGE)


def without_secret(it: Installation) -> None:
    path = f"/api/v1/namespaces/{it.namespace}/secrets/{NAME}-certificates"
    it.bed.request("PATCH", path, {"data": None}, content_type=MERGE)


def deleted_secret(it: Installation) -> None:
    path = f"/api/v1/namespaces/{it.namespace}/secrets/{NAME}-certificates"
    it.bed.request("DELETE", path)


LOSSES = {
    "bundles": (without_bundles,),
    "bundles and the Secret's data": (without_secret, without_bundles),
    "Secret and bundles": (deleted_secret, without_bundles),
}


@pytest.mark.parametrize("lost", LOSSES)
def test_jobs_are_refused_for_three_seconds_at_most(it: Installation, lost: str) -> None:
    with RefusedJobs(it.bed, it.bed.namespace("team")) as jobs:
        for lose in LOSSES[lost]:
            lose(it)
        time.sleep(12.0)
        wait_for(jobs.is_admitted, "the webhook to be trusted")
    print(f"after the loss of {lost}: {jobs}")
    assert jobs.seconds <= MAX_SECONDS, jobs
    assert jobs.denies(backoffLimit=9)
