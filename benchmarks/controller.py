"""Compare jobsworth's Job controller with that of kube-controller-manager, on one test bed in one run.

    tests/cluster/install && python benchmarks/controller.py [--qps 50,100,1000] [--rounds 1]
        [--completions 600] [--parallelism 100] [--per-index] [--large] [--starvation] [--memory]

A Pod takes at least two calls: its creation, and the removal of its finalizer. ``controller_kubelet.py``
simulates the kubelets: every Pod succeeds as soon as it exists. The two controllers take turns with the
same Job; each is restarted, with the same limits. Pods per minute are the completions divided by the time
from the creation of the Job until it was observed to be complete.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from controller_bed import BUILT_IN, OURS, Bench, Run, for_controller  # noqa: E402

from cluster.bed import TestBed  # noqa: E402

BOTH = (BUILT_IN, OURS)
BURST = 1.5
"""The ratio of burst to QPS in kube-controller-manager's defaults (20 and 30)."""
UNLIMITED_BURST = 100_000
LARGE, LARGE_PARALLELISM = 10_000, 500
SMALL_JOBS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--qps", default="50,100,1000", help="calls per second; 0: no limit")
    parser.add_argument("--rounds", type=int, default=1, help="measurements of each")
    parser.add_argument("--completions", type=int, default=600)
    parser.add_argument("--parallelism", type=int, default=100)
    parser.add_argument(
        "--per-index", action="store_true", help="measure the cost of per-index limits"
    )
    parser.add_argument("--large", action="store_true", help="measure a Job of 10,000 completions")
    parser.add_argument(
        "--starvation", action="store_true", help="measure small Jobs while a large one runs"
    )
    parser.add_argument(
        "--memory", action="store_true", help="measure the memory of 100,000 cached Pods"
    )
    parser.add_argument("--only", choices=BOTH, help="measure only this controller")
    options = parser.parse_args()
    names = [name for name in BOTH if options.only in (None, name)]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"{cores} cores, Python {platform.python_version()}\n")
    extra = options.per_index or options.large or options.starvation
    if options.memory:
        from controller_memory import measure

        measure()
        if not extra:
            return
    with TestBed() as bed:
        bench = Bench(bed)
        if options.per_index:
            per_index(bench, options)
        if options.large:
            large(bench, names, options.rounds)
        if options.starvation:
            starvation(bench, names, options)
        if not extra:
            throughput(bench, names, options)


def job(completions: int, parallelism: int, **spec: Any) -> dict[str, Any]:
    """An Indexed Job."""
    container = {
        "name": "main",
        "image": "busybox",
        "command": ["sh", "-c", "exit 0"],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "bench"},
        "spec": {
            "completionMode": "Indexed",
            "completions": completions,
            "parallelism": parallelism,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            **spec,
        },
    }


def burst_of(qps: float) -> int:
    return round(BURST * qps) if qps else UNLIMITED_BURST


def throughput(bench: Bench, names: Sequence[str], options: argparse.Namespace) -> None:
    """Measure the same Job with each controller in turn, with several limits of calls per second."""
    wanted = job(options.completions, options.parallelism)
    header(wanted)
    for qps in map(float, options.qps.split(",")):
        runs: dict[str, list[Run]] = {name: [] for name in names}
        for number in range(options.rounds):
            for name in names[:: -1 if number % 2 else 1]:
                runs[name].append(measured(bench, name, qps, wanted))
        for name in names:
            row(name, f"{qps:g}" if qps else "any", runs[name], runs.get(BUILT_IN))


def large(bench: Bench, names: Sequence[str], rounds: int) -> None:
    """Measure a Job of 10,000 completions with each controller in turn, without a limit of calls."""
    wanted = job(LARGE, LARGE_PARALLELISM)
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names[:: -1 if number % 2 else 1]:
            runs[name].append(measured(bench, name, 0, wanted))
    header(wanted)
    for name in names:
        row(name, "any", runs[name], runs.get(BUILT_IN))
        seconds = statistics.median(run.seconds for run in runs[name])
        print(
            f"{seconds:.1f} s; the controller had {max(run.peak for run in runs[name]):.0f} MiB at most"
        )


def per_index(bench: Bench, options: argparse.Namespace) -> None:
    """Measure jobsworth's controller with and without limits per index, in turn, without a limit of calls."""
    kinds = {"without": {}, "with": {"backoffLimitPerIndex": 1, "maxFailedIndexes": 5}}
    runs: dict[str, list[Run]] = {kind: [] for kind in kinds}
    header(job(options.completions, options.parallelism))
    with bench.controller(OURS, 0, UNLIMITED_BURST) as process:
        bench.run(OURS, process, job(200, 200))
        for number in range(options.rounds):
            for kind in list(kinds)[:: -1 if number % 2 else 1]:
                wanted = job(options.completions, options.parallelism, **kinds[kind])
                runs[kind].append(bench.run(OURS, process, wanted))
    for kind in kinds:
        row(f"{kind} limits per index", "any", runs[kind], runs["without"])


def starvation(bench: Bench, names: Sequence[str], options: argparse.Namespace) -> None:
    """Measure the time until small Jobs have their first Pod while a large one runs."""
    print(
        f"\nSmall Jobs (5 completions) while one of {LARGE:,} runs: seconds to the first Pod,"
        " and to completion\n\n"
        "| QPS | controller | first Pod: median | worst | complete: median | worst |\n"
        "| --- | --- | --- | --- | --- | --- |"
    )
    for qps in map(float, options.qps.split(",")):
        waits: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
        for number in range(options.rounds):
            for name in names[:: -1 if number % 2 else 1]:
                waits[name] += small_jobs_beside_large(bench, name, qps)
        for name in names:
            first, whole = zip(*waits[name], strict=True)
            print(
                f"| {qps:g} | {name} | {statistics.median(first):.2f} | {max(first):.2f} |"
                f" {statistics.median(whole):.2f} | {max(whole):.2f} |",
                flush=True,
            )


def small_jobs_beside_large(bench: Bench, name: str, qps: float) -> list[tuple[float, float]]:
    """Measure small Jobs, one after the other, while a large one runs."""
    with bench.controller(name, qps, burst_of(qps)) as process:
        namespace = bench.bed.namespace("large")
        bench.bed.create(for_controller(job(LARGE, LARGE_PARALLELISM), name), namespace)
        time.sleep(10)  # until the burst is exhausted
        waits = [small_job(bench, name) for _ in range(SMALL_JOBS)]
        process.check()
    bench.clear(namespace, name)
    return waits


def small_job(bench: Bench, name: str) -> tuple[float, float]:
    """Return the seconds until a small Job has its first Pod, and until it is complete."""
    namespace = bench.bed.namespace("small")
    firsts: list[float] = []
    watcher = threading.Thread(target=lambda: firsts.append(bench.first_pod(namespace)))
    watcher.start()
    time.sleep(0.2)  # until its watch has started
    began = time.monotonic()
    bench.bed.create(for_controller(job(5, 5), name), namespace)
    bench.wait_for_end(namespace, "bench")
    ended = time.monotonic()
    watcher.join()
    return firsts[0] - began, ended - began


def measured(bench: Bench, name: str, qps: float, wanted: dict[str, Any]) -> Run:
    """Start a controller, run a small Job as a warm-up, then measure one run of a Job."""
    with bench.controller(name, qps, burst_of(qps)) as process:
        bench.run(name, process, job(20, 20))
        time.sleep(1.5)  # until the burst is available again
        return bench.run(name, process, wanted)


def header(wanted: dict[str, Any]) -> None:
    spec = wanted["spec"]
    print(
        f"\nIndexed, {spec['completions']:,} completions, parallelism {spec['parallelism']}\n\n"
        "| QPS | controller | Pods per minute | ratio | CPU | ratio | CPU of the API server |"
        " calls a Pod |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )


def row(name: str, qps: str, runs: Sequence[Run], beside: Sequence[Run] | None) -> None:
    """Print a line of the table: medians, and their ratios to those of another controller."""

    def both(of: Callable[[Run], float], form: str) -> str:
        median = statistics.median(map(of, runs))
        ratio = f"{median / statistics.median(map(of, beside)):.2f}" if beside else "–"
        return f"{format(median, form)} | {ratio}"

    run = runs[0]
    calls = ", ".join(
        f"{verb} {resource} {count / run.completions:.3f}"
        for (verb, resource), count in run.calls.most_common(6)
    )
    server = statistics.median(run.server_cpu for run in runs)
    print(
        f"| {qps} | {name} | {both(lambda run: run.per_minute, ',.0f')} |"
        f" {both(lambda run: run.cpu, '.2f')} | {server:.2f} | {calls} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
