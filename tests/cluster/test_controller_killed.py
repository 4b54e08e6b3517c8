"""The reconciler is killed again and again: no Pod is counted twice, none is forgotten."""

from __future__ import annotations

import operator
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.bed.stages import NEVER
from cluster.controller.job_policies import (
    as_indexes,
    failure_policy,
    on_exit_codes,
    success_policy,
)
from cluster.controller.waiting import eventually

if TYPE_CHECKING:
    from cluster.controller.controllers import Jobsworth
    from cluster.controller.job import Job
    from cluster.controller.pods_created import PodsCreated

KILLS = int(os.environ.get("JOBSWORTH_KILLS", "20"))
COMPLETIONS = 200 + 10 * KILLS
ALL_SUCCEED = 4 * KILLS  # of a second Job, whose Pods have no indexes
PARALLELISM = 5  # so many Pods end while it is being started: fewer than ten for a kill, to have the pace in hand
LEFT_OVER = 0.1  # of the work, after all kills
SEED = 2307  # of the KEP that promises it
FIRST_MAX_SECONDS, MIN_SECONDS = 0.6, 0.02  # seconds that it works before it is killed
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


@pytest.mark.slow
def test_killed_again_and_again_it_counts_every_pod_once(controller: Jobsworth) -> None:
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

    longest = FIRST_MAX_SECONDS
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
        longest = max(MIN_SECONDS, longest * (0.8 if ahead else 1.1))
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


MAX_WORK_SECONDS = 0.9  # seconds that it works before it is killed, when Jobs of every kind run
SWITCHES = 6  # how often the suspended Job is suspended or resumed in a round, at most
BRIEF = {"pod_failure_backoff": "10ms", "max_pod_failure_backoff": "50ms"}


@dataclass(frozen=True)
class Kind:
    """A kind of Job that is to end in one way only, however often its controller dies.

    Attributes:
        spec: arguments of ``scenario.job``.
        end, reason: its terminal condition, and that condition's reason.
        status: counters and lists that follow from the spec.
    """

    spec: dict[str, Any]
    end: str
    reason: str
    status: dict[str, Any]


KINDS = {
    "per-index": Kind(
        {
            "indexed": True,
            "completions": 60,
            "parallelism": 5,
            "backoff_limit_per_index": 1,
            "pod_failure_policy": failure_policy(on_exit_codes("FailIndex", 42)),
            "exit_codes": {7: "1", 13: "42", 27: "1", 47: "1"},
        },
        "Failed",
        "FailedIndexes",
        {
            "succeeded": 56,
            "failed": 7,
            "completed_indexes": "0-6,8-12,14-26,28-46,48-59",
            "failed_indexes": "7,13,27,47",
        },
    ),
    "too-many-indexes": Kind(
        {
            "indexed": True,
            "completions": 12,
            "parallelism": 1,
            "backoff_limit_per_index": 0,
            "max_failed_indexes": 2,
            "exit_codes": {2: "1", 5: "1", 8: "1"},
        },
        "Failed",
        "MaxFailedIndexesExceeded",
        {
            "succeeded": 6,
            "failed": 3,
            "completed_indexes": "0,1,3,4,6,7",
            "failed_indexes": "2,5,8",
        },
    ),
    "always-failing": Kind(
        {"completions": 3, "parallelism": 1, "backoff_limit": 8, "exit_code": "1"},
        "Failed",
        "BackoffLimitExceeded",
        {"failed": 9},
    ),
    "fatal": Kind(
        {
            "indexed": True,
            "completions": 20,
            "parallelism": 1,
            "pod_failure_policy": failure_policy(on_exit_codes("FailJob", 42)),
            "exit_codes": {11: "42"},
        },
        "Failed",
        "PodFailurePolicy",
        {"succeeded": 11, "failed": 1, "completed_indexes": "0-10"},
    ),
    "success-policy": Kind(
        {
            "indexed": True,
            "completions": 20,
            "parallelism": 12,
            "pod_replacement_policy": "Failed",
            "success_policy": success_policy(indexes="0-7"),
            "exit_codes": dict.fromkeys(range(8, 20), NEVER),
        },
        "Complete",
        "SuccessPolicy",
        {"succeeded": 8, "failed": 0, "completed_indexes": "0-7"},
    ),
    "ignored": Kind(
        {
            "indexed": True,
            "completions": 10,
            "parallelism": 4,
            "pod_failure_policy": failure_policy(on_exit_codes("Ignore", 7)),
            "success_policy": success_policy(indexes="0,2-9"),
            "exit_codes": {1: "7"},
        },
        "Complete",
        "SuccessPolicy",
        {"succeeded": 9, "failed": 0, "completed_indexes": "0,2-9"},
    ),
    "suspended": Kind(
        {"completions": 40, "parallelism": 6, "backoff_limit": 1000, "run_for": "200ms"},
        "Complete",
        "CompletionsReached",
        {"succeeded": 40, "failed": 0},  # a suspended Job's Pods are deleted uncounted
    ),
    "all-succeed": Kind(
        {"completions": 60, "parallelism": 5, "backoff_limit": 0},
        "Complete",
        "CompletionsReached",
        {"succeeded": 60, "failed": 0},
    ),
}
# Of the others, some Pods are deleted, or fail, without being counted.
EVERY_POD_COUNTS = KINDS.keys() - {"ignored", "success-policy", "suspended"}


@dataclass
class Tally:
    """What has happened until now.

    Attributes:
        kills: how often the controller was killed.
        in_the_middle: how many kills left Pods recorded in ``uncountedTerminatedPods``.
        jobs: Jobs that have ended exactly.
    """

    kills: int = 0
    in_the_middle: int = 0
    jobs: int = 0

    def printed(self, pods: int) -> None:
        """Print one line: progress, and at last the figures (``pytest -s`` shows them while it runs)."""
        print(
            f"{self.kills} kills, {self.in_the_middle} of them with Pods recorded and not counted yet; "
            f"{self.jobs} Jobs have ended exactly, of {pods} Pods",
            flush=True,
        )


def test_killed_at_any_moment_it_ends_jobs_of_every_kind_exactly(controller: Jobsworth) -> None:
    """Round after round of Jobs, until it has been killed so often; JOBSWORTH_KILLS says how often."""
    from cluster.controller.pods_created import PodsCreated
    from cluster.controller.scenario import Scenario

    chance = random.Random(SEED)
    pods_created = PodsCreated(controller.bed)
    tally = Tally()
    while tally.kills < KILLS:
        scenario = Scenario(controller)
        jobs = {name: scenario.job(name, **kind.spec) for name, kind in KINDS.items()}
        _killed_until_all_end(controller, jobs, chance, tally)
        controller.start(**BRIEF)
        for name, job in jobs.items():
            _ended_exactly(job, KINDS[name], pods_created, every_pod=name in EVERY_POD_COUNTS)
        scenario.all_pods_are_free()
        scenario.ends()
        controller.kill()
        tally.kills += 1
        tally.jobs += len(jobs)
        tally.printed(pods_created.of_all_jobs())


def _killed_until_all_end(
    controller: Jobsworth, jobs: dict[str, Job], chance: random.Random, tally: Tally
) -> None:
    """Kill it again and again until all Jobs have ended. No kill takes a Pod off the counters."""
    switches = list[Callable[[], None]](
        [jobs["suspended"].is_suspended, jobs["suspended"].is_resumed]
    )
    switches *= SWITCHES // 2
    running = dict(jobs)
    counted = dict.fromkeys(jobs, (0, 0))
    while running:
        controller.start(**BRIEF)
        before = chance.uniform(0, MAX_WORK_SECONDS)
        time.sleep(before / 2)
        if "suspended" in running and switches and chance.random() < 0.5:
            switches.pop(0)()
        time.sleep(before / 2)
        controller.kill()
        tally.kills += 1
        recorded = False
        for name, job in list(running.items()):
            status = job.status()
            recorded |= any(status.get("uncountedTerminatedPods", {}).values())
            now = (status.get("succeeded", 0), status.get("failed", 0))
            assert all(map(operator.ge, now, counted[name])), f"{name}: {counted[name]} to {now}"
            counted[name] = now
            if _has_ended(status):
                del running[name]
        tally.in_the_middle += recorded
        if running.keys() == {"suspended"} and switches and len(switches) % 2:
            switches.pop(0)()
            switches.clear()


def _has_ended(status: dict[str, Any]) -> bool:
    return any(
        each["type"] in ("Complete", "Failed") and each["status"] == "True"
        for each in status.get("conditions", ())
    )


def _ended_exactly(job: Job, kind: Kind, pods_created: PodsCreated, *, every_pod: bool) -> None:
    """Its condition, counters and lists are what they must be, and each of its Pods is counted once."""
    status = job.status()
    job.ends(kind.end, kind.reason)
    job.reaches(**kind.status)
    if every_pod:
        counted = status.get("succeeded", 0) + status.get("failed", 0)
        eventually(
            lambda: (
                ""
                if pods_created.of_job(job.uid) == counted
                else f"{counted} Pods counted, {pods_created.of_job(job.uid)} created"
            ),
            explain=job.described,
        )
