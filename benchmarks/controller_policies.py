"""Measure what policies cost the Job controller: memory with 10,000 Jobs, and the CPU time of their syncs.

    python benchmarks/controller_policies.py [--jobs 10000] [--rounds 3] [--results FILE]

The Jobs are in a steady state, so that a sync makes no call. Each is synced twice: the first sync evaluates
it, the second finds the verdict that is already known, as every resync does. A process with policies (those
of ``policies/`` and the profile baseline, of which each Job violates some) and one without take turns.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from measurement import Measurement, write  # noqa: E402

MODES = ("without", "with")
FIGURES = {
    "memory": ("MiB", 1.5),
    "first": ("µs", None),
    "again": ("µs", 2.0),
}
"""Of each figure the unit, and the largest ratio that the project wants; None if it has none."""
WHAT = {
    "memory": "memory of the process with {jobs:,} Jobs",
    "first": "first sync of a Job",
    "again": "later sync of a Job that is unchanged",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results")
    parser.add_argument("--measure", choices=MODES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.jobs, policies=options.measure == "with")))
        return 0
    rounds: dict[str, list[dict[str, float]]] = {mode: [] for mode in MODES}
    for _ in range(options.rounds):
        for mode in MODES:
            command = [sys.executable, __file__, "--measure", mode, "--jobs", str(options.jobs)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rounds[mode].append(json.loads(done.stdout))
    measurements = []
    for figure, (unit, target) in FIGURES.items():
        without, having = (
            statistics.median(each[figure] for each in rounds[mode]) for mode in MODES
        )
        what = WHAT[figure].format(jobs=options.jobs)
        one = Measurement(
            "controller_policies", what, "without policies", unit, having, without, target
        )
        measurements.append(one)
        print(f"{what}: {having:.0f} {unit} with policies, {without:.0f} without: {one.ratio:.2f}")
    reports = rounds["with"][0]["reports"]
    print(f"violations reported with policies: {reports / options.jobs:.1f} for each Job")
    write(options.results, measurements)
    return 0


def measured(number: int, *, policies: bool) -> dict[str, float]:
    """Return the figures of a process with so many Jobs."""
    import kubernetes.client  # noqa: F401  (a part of what the controller has in memory)
    from controller_bed import resident_memory

    from jobsworth.controller.settings import ControllerSettings
    from jobsworth.reconciler.events import EventSink
    from jobsworth.reconciler.parallel import one_by_one
    from jobsworth.reconciler.reconciler import Reconciler
    from support.api_server.fake_job_api import FakeJobApi

    class Sink(EventSink):
        reports = 0

        def count(self, count: Any) -> None:
            self.reports += count.metric == "policy_violations_total"

    text = json.dumps(steady_job())
    sink = Sink()
    api = FakeJobApi(time.time)  # holds nothing: whatever a sync wrote would fail
    reconciler = Reconciler(
        api,
        ControllerSettings(),
        clock=time.time,
        monotonic=time.monotonic,
        calls=one_by_one,
        event_sink=sink,
    )
    reconciler.pods.replace((), 1, 0.0)
    reconciler.jobs.replace((another(text, each) for each in range(number)), 1, 0.0)
    active = load_active() if policies else None
    gc.collect()
    gc.freeze()  # as the process does
    reconciler.activate(active)
    first = sync_all(reconciler)
    reconciler.resync()
    again = sync_all(reconciler)
    assert not api.calls, api.calls[0]
    gc.collect()
    return {
        "memory": resident_memory(os.getpid()),
        "first": first / number * 1e6,
        "again": again / number * 1e6,
        "reports": sink.reports,
    }


def sync_all(reconciler: Any) -> float:
    """Sync all Jobs in the queue; return the CPU time in seconds."""
    began = time.process_time()
    while (outcome := reconciler.process_next_job()) is not None:
        assert not outcome.errors, outcome.errors
    return time.process_time() - began


def load_active() -> Any:
    """Return the policies of ``policies/`` and of the profile baseline."""
    from jobsworth.api.api_server import ApiServer
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles
    from jobsworth.files.policies.profiles import Profile
    from jobsworth.reconciler.policy_review import ActivePolicies

    files = [path for path in (ROOT / "policies").glob("*.yaml") if "_test" not in path.name]
    loaded = EffectivePolicyFiles(files, Profile("baseline", "warn")).load()
    assert not loaded.errors, loaded.errors
    evaluator = Evaluator(ApiServer("1.36"), policies=loaded.policies, api=False, lint=False)
    return ActivePolicies(evaluator)


def steady_job() -> dict[str, Any]:
    """Return a suspended Job as it is stored once its controller has nothing left to do."""
    from support.controller.simulated_reconciler import SimulatedReconciler

    simulation = SimulatedReconciler()
    simulation.create("train-00000", suspend=True, backoffLimit=9)
    simulation.run(600)
    return simulation.job("train-00000")


def another(text: str, number: int) -> dict[str, Any]:
    """Return another Job like this one."""
    job: dict[str, Any] = json.loads(text.replace("train-00000", f"train-{number:05}"))
    job["metadata"] |= {
        "uid": f"{number:08x}-5555-4666-8777-{number:012x}",
        "namespace": f"ml-{number % 20}",
    }
    return job


if __name__ == "__main__":
    sys.exit(main())
