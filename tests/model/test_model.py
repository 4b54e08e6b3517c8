"""The Job controller in a simulated cluster: see :mod:`model.history`.

A few hundred histories. CI runs 10,000 (``python -m model.check --count 10000 --seed 0``); without a seed,
``model.check`` tries others each time.
"""

from __future__ import annotations

import pytest

from model.check import Breakage, attempt, described, first_broken, shortened
from model.history import History
from model.mutations import FAULTS, put_in
from support.law_examples import some_of

BATCHES, BATCH = 4, 50
ENOUGH = 300  # histories in which a fault must show

# Where a fault shows that shows seldom; found by: python -m model.check --count 5000 --seed 0 --fault ...
SHOWN_BY = {
    "a recorded success is forgotten once the phase differs": 490,
    "an index is completed before its failures are recorded": 1261,
    "a success that comes again ends the wait": 685,
    "a write whose answer was lost is forgotten": 654,
    "strays are freed though they were adopted": 2419,
    "a Pod that was gone is counted again": 516,
    "a change during a sync is lost": 4391,
}


def report(broken: Breakage) -> str:
    shown = shortened(broken)
    return f"{broken}\n{described(shown)}\n(python -m model.check --count 1 --seed {broken.seed})"


@pytest.mark.slow
@pytest.mark.parametrize("batch", some_of(range(BATCHES), every=2))
def test_no_pod_is_lost_or_counted_twice_and_every_job_ends_as_it_should(batch: int) -> None:
    broken = first_broken(range(batch * BATCH, (batch + 1) * BATCH))
    assert broken is None, report(broken)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_put_in_on_purpose_is_caught(fault: str) -> None:
    seeds = [SHOWN_BY.get(fault, 0), *range(ENOUGH)]
    with put_in(fault):
        assert first_broken(seeds) is not None


def test_a_seed_leads_to_the_same_history_each_time() -> None:
    traceds: list[list[str]] = [[], []]
    for traced in traceds:
        History(11, trace=traced.append).run()
    assert traceds[0] == traceds[1]
    assert len(traceds[0]) > 10


def test_a_broken_history_is_shortened() -> None:
    with put_in("suspended Jobs run"):
        broken = first_broken(range(ENOUGH))
        assert broken is not None
        shown = shortened(broken)
        assert shown.where == broken.where
        assert len(shown.steps or ()) < len(History(broken.seed).steps) / 2
        assert "suspend" in described(shown)
    assert attempt(broken.seed, shown.steps) is None
