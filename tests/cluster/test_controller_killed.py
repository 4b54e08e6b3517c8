"""The reconciler is killed a hundred times during one Job: no Pod is counted twice, none is forgotten."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cluster.available_beds import bed_or_skip
from cluster.controller.job_policies import as_indexes, failure_policy, on_exit_codes

if TYPE_CHECKING:
    from cluster.controller.controllers import Jobsworth

COMPLETIONS = 1000
ALL_SUCCEED = 200  # of a second Job, whose Pods have no indexes
KILLS = 100
PARALLELISM = 5  # so many Pods end while it is being started: fewer than one in a hundred, to have the pace in hand
LEFT_OVER = 0.1  # of the work, after all kills
SEED = 2307  # of the KEP that promises it
FIRST_LONGEST, SHORTEST = 0.6, 0.02  # seconds that it works before it is killed
AT_LAST = 120.0

FAIL_TWICE = frozenset(range(7, COMPLETIONS, 25))
FAIL_AT_ONCE = frozenset(range(13, COMPLETIONS, 100))
FAILED = FAIL_TWICE | FAIL_AT_ONCE
FAILURES = 2 * len(FAIL_TWICE) + len(FAIL_AT_ONCE)


@pytest.fixture(scope="module")
def controller() -> Iterator[Jobsworth]:
    """On a bed where Pods run by themselves; not yet started."""
    with bed_or_skip(kubelet=True, audit=False) as bed:
        from cluster.controller.controllers import Jobsworth

        controller = Jobsworth(bed)
        yield controller
        controller.kill()


def test_killed_a_hundred_times_it_counts_every_pod_once(controller: Jobsworth) -> None:
    from cluster.controller.scenario import Scenario

    chance = random.Random(SEED)
    scenario = Scenario(controller)
    job = scenario.job(
        indexed=True,
        parallelism=PARALLELISM,
        completions=COMPLETIONS,
        backoff_limit_per_index=1,
        pod_failure_policy=failure_policy(on_exit_codes("FailIndex", 42)),
        exit_codes=dict.fromkeys(FAIL_TWICE, "1") | dict.fromkeys(FAIL_AT_ONCE, "42"),
    )
    beside = scenario.job("beside", parallelism=3, completions=ALL_SUCCEED, backoff_limit=0)

    longest = FIRST_LONGEST
    in_the_middle = 0
    for kills in range(KILLS):
        controller.start(pod_failure_backoff="10ms")
        time.sleep(chance.uniform(0, longest))
        controller.kill()
        assert not job.is_true("Failed"), f"it has ended after {kills} kills: too soon"
        status = job.status()
        in_the_middle += any(status.get("uncountedTerminatedPods", {}).values())
        done = (status.get("succeeded", 0) + status.get("failed", 0)) / COMPLETIONS
        # There is to be work left for every kill, and some after them.
        ahead = done > (1 - LEFT_OVER) * kills / KILLS
        longest = max(SHORTEST, longest * (0.8 if ahead else 1.1))
    print(f"killed {KILLS} times, {in_the_middle} of them with Pods recorded and not counted yet")

    controller.start(pod_failure_backoff="10ms")
    job.reaches(
        within=AT_LAST,
        succeeded=COMPLETIONS - len(FAILED),
        failed=FAILURES,
        completed_indexes=as_indexes(sorted(set(range(COMPLETIONS)) - FAILED)),
        failed_indexes=as_indexes(sorted(FAILED)),
    )
    job.ends("Failed", "FailedIndexes")
    beside.is_complete(succeeded=ALL_SUCCEED)
    phases = Counter(pod.phase for pod in job.pods())
    assert phases == {"Succeeded": COMPLETIONS - len(FAILED), "Failed": FAILURES}
    scenario.all_pods_are_free()
