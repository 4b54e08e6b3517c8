"""Acquisition, renewal and loss of a Lease over time."""

from __future__ import annotations

import threading

import pytest

from jobsworth.client.leases import LeaderElection
from support.api_server.fake_job_api import FakeJobApi, lost
from support.fake_clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def api(clock: FakeClock) -> FakeJobApi:
    return FakeJobApi(clock)


def candidate(api: FakeJobApi, clock: FakeClock, identity: str) -> LeaderElection:
    return LeaderElection(
        api, "ns", "lease", identity, now=clock, clock=clock, stop=threading.Event()
    )


def holder(api: FakeJobApi) -> str:
    return str(api.all("leases")[0]["spec"]["holderIdentity"])


def test_the_first_gets_it_and_keeps_it_by_renewing(api: FakeJobApi, clock: FakeClock) -> None:
    first, second = candidate(api, clock, "first"), candidate(api, clock, "second")
    assert first.attempt()
    for _ in range(20):
        clock.now += 2
        assert first.attempt()
        assert not second.attempt()
    assert holder(api) == "first"
    assert api.all("leases")[0]["spec"]["leaseTransitions"] == 0


def test_it_can_be_taken_once_it_has_run_out_by_ones_own_clock(
    api: FakeJobApi, clock: FakeClock
) -> None:
    first, second = candidate(api, clock, "first"), candidate(api, clock, "second")
    first.attempt()
    clock.now += 1000  # the second has only just seen it
    assert not second.attempt()
    clock.now += 14
    assert not second.attempt()
    clock.now += 1
    assert second.attempt()
    assert api.all("leases")[0]["spec"]["leaseTransitions"] == 1
    assert not first.attempt()


def test_a_leader_relies_on_it_for_less_long_than_others_wait(
    api: FakeJobApi, clock: FakeClock
) -> None:
    first = candidate(api, clock, "first")
    first.attempt()
    api.before = lost
    clock.now += 9
    assert not first.attempt()
    assert first.leads
    clock.now += 1
    assert not first.leads


def test_one_of_two_that_take_it_at_once_gets_it(api: FakeJobApi, clock: FakeClock) -> None:
    first, second = candidate(api, clock, "first"), candidate(api, clock, "second")
    first.attempt()
    first.release()
    steals = [True]

    def interleave(call: object) -> None:
        if getattr(call, "method", "") == "PATCH" and steals:
            steals.clear()
            assert second.attempt()

    api.before = interleave
    assert not first.attempt()
    assert holder(api) == "second"


def test_a_released_lease_can_be_acquired_at_once(api: FakeJobApi, clock: FakeClock) -> None:
    first, second = candidate(api, clock, "first"), candidate(api, clock, "second")
    first.attempt()
    assert not second.attempt()
    first.release()
    assert second.attempt()
    first.release()  # no longer his
    assert holder(api) == "second"
