"""Measure the latency that the webhooks and the API server's own policies add to the creation of a Job.

    tests/cluster/install && python benchmarks/admission_latency.py [--creates 1000] [--clients 1]

One API server, one webhook (a process on this machine, over TLS), and five namespaces with different
admission: none; a ValidatingAdmissionPolicy; that and a MutatingAdmissionPolicy; the validating webhook;
both webhooks. All have the same rules (``admission_latency_rules.py``), which is checked before the
measurement. The same Job is created in the five namespaces in turn; the order changes from round to round.
The output is the duration of a create in milliseconds, and the difference to no admission: of the medians,
and of the 99th percentiles.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import copy
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from admission_latency_rules import (  # noqa: E402
    JOB,
    JOB_POLICY,
    admission_policies,
    namespace,
    webhooks,
)
from measurement import Measurement, write  # noqa: E402

from cluster.bed import TestBed, free_ports  # noqa: E402

WAYS = {
    "none": "no admission",
    "policy": "ValidatingAdmissionPolicy",
    "policies": "Validating- and MutatingAdmissionPolicy",
    "webhook": "validating webhook",
    "webhooks": "mutating and validating webhook",
}
MUTATED = ("policies", "webhooks")
WARM_UP = 100
READY_WITHIN_SECONDS = 30.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--creates", type=int, default=1000, help="creates in each namespace")
    parser.add_argument("--clients", type=int, default=1, help="number of concurrent clients")
    parser.add_argument("--workers", type=int, default=1, help="worker processes of the webhook")
    parser.add_argument("--results", help="also write the measurements to this file")
    options = parser.parse_args()
    with TestBed(audit=False) as bed, tempfile.TemporaryDirectory() as folder:
        for name in WAYS:
            bed.create(namespace(name))
        with webhook(bed, Path(folder), options.workers) as url:
            ca_bundle = base64.b64encode(bed.ca.certificate).decode()
            for each in [
                *webhooks(url, ca_bundle, ["webhook", "webhooks"], ["webhooks"]),
                *admission_policies(["policy", "policies"], ["policies"]),
            ]:
                bed.create(each)
            for name in WAYS:
                try_out(bed, name)
            measure(bed, list(WAYS), WARM_UP, options.clients)
            taken = measure(bed, list(WAYS), options.creates, options.clients)
            print_table(taken, WAYS, bed.release, options)
            base = statistics.median(taken["none"]) * 1000
            write(
                options.results,
                [
                    Measurement(
                        "admission_latency",
                        f"create with the {WAYS[name]}",
                        WAYS["none"],
                        "ms",
                        statistics.median(taken[name]) * 1000,
                        base,
                    )
                    for name in ("webhook", "webhooks")
                ],
            )


@contextlib.contextmanager
def webhook(bed: TestBed, folder: Path, workers: int, *more: str) -> Iterator[str]:
    """Run `jobsworth serve`, with further options, as a separate process and yield its address."""
    port, monitor = free_ports(2)
    pair = bed.ca.server("127.0.0.1")
    (folder / "tls.crt").write_bytes(pair.certificate)
    (folder / "tls.key").write_bytes(pair.key)
    (folder / "policy.yaml").write_text(JOB_POLICY, encoding="utf-8")
    command = [
        sys.executable, "-m", "jobsworth", "serve",
        f"--bind=127.0.0.1:{port}", f"--monitor-bind=127.0.0.1:{monitor}",
        f"--tls-cert={folder / 'tls.crt'}", f"--tls-key={folder / 'tls.key'}",
        f"--policy={folder / 'policy.yaml'}", f"--kubernetes-version={bed.release}",
        f"--workers={workers}", "--log=denials", "--drain-seconds=0", *more,
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "webhook")}
    with open(folder / "log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            _await_ready(process, f"http://127.0.0.1:{monitor}/readyz", folder / "log")
            yield f"https://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
        time.sleep(0.05)
    raise SystemExit(f"the webhook is not ready:\n{log.read_text(encoding='utf-8')}")


def try_out(bed: TestBed, name: str) -> None:
    """Wait until the rules are active in a namespace."""
    validated, mutated = name != "none", name in MUTATED
    wrongs: list[Callable[[dict[str, Any]], Any]] = [
        lambda job: job["spec"].pop("activeDeadlineSeconds"),
        lambda job: job["spec"].update(activeDeadlineSeconds=100_000),
        lambda job: job["spec"].update(backoffLimit=11),
        lambda job: job["spec"].update(parallelism=101, completions=101),
        lambda job: job["metadata"].pop("labels"),
        lambda job: job["spec"]["podFailurePolicy"]["rules"].reverse(),
        lambda job: job["spec"]["template"]["spec"]["containers"][0].update(image="train:latest"),
    ]
    for number, spoil in enumerate(wrongs):
        job = copy.deepcopy(JOB)
        spoil(job)
        _until(
            lambda job=job: (_create(bed, name, job)[0] == 201) != validated,  # type: ignore[misc]
            f"invalid Job {number} in bench-{name}",
        )

    def filled_in() -> bool:
        code, stored = _create(bed, name, JOB)
        annotations = stored.get("metadata", {}).get("annotations", {})
        found = (
            stored.get("spec", {}).get("ttlSecondsAfterFinished") == 86400,
            "cluster-autoscaler.kubernetes.io/safe-to-evict" in annotations,
        )
        return bool(code == 201 and found == (mutated, mutated))

    _until(filled_in, f"defaults in bench-{name}")


def _until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"unexpected result: {what}")
        time.sleep(0.2)


def _create(bed: TestBed, name: str, job: Any) -> tuple[int, dict[str, Any]]:
    answer = bed.request("POST", f"/apis/batch/v1/namespaces/bench-{name}/jobs", job)
    return answer.code, answer.body


def measure(bed: TestBed, names: list[str], creates: int, clients: int) -> dict[str, list[float]]:
    """Create Jobs in each namespace and return the seconds that each create took."""
    taken: dict[str, list[float]] = {name: [] for name in names}
    failures: list[str] = []

    def client(first: int) -> None:
        for number in range(first, creates, clients):
            turn = number % len(names)
            for name in [*names[turn:], *names[:turn]]:
                began = time.perf_counter()
                code, body = _create(bed, name, JOB)
                took = time.perf_counter() - began
                if code != 201:
                    failures.append(f"bench-{name}: {code} {json.dumps(body)}")
                    return
                taken[name].append(took)

    gc.disable()
    threads = [threading.Thread(target=client, args=(each,)) for each in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.enable()
    if failures:
        raise SystemExit(failures[0])
    return taken


def print_table(
    taken: dict[str, list[float]], ways: dict[str, str], release: str, options: argparse.Namespace
) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    at_once = "one at a time" if options.clients == 1 else f"{options.clients} concurrently"
    print(
        f"Kubernetes {release}; {options.creates} creates in each namespace, {at_once}; "
        f"{options.workers} workers; {cores} cores, Python {platform.python_version()}\n"
    )
    print("| admission | median | ratio | p99 | added to the median | added to the p99 |")
    print("| --- | --- | --- | --- | --- | --- |")
    base_median, base_p99 = _median_and_p99(taken["none"])
    for name, label in ways.items():
        median, p99 = _median_and_p99(taken[name])
        added = (
            "| | |"
            if name == "none"
            else f"| {median - base_median:+.2f} ms | {p99 - base_p99:+.2f} ms |"
        )
        ratio = median / base_median
        print(f"| {label} | {median:.2f} ms | {ratio:.2f} | {p99:.2f} ms {added}")


def _median_and_p99(seconds: list[float]) -> tuple[float, float]:
    return statistics.median(seconds) * 1000, statistics.quantiles(seconds, n=100)[98] * 1000


if __name__ == "__main__":
    main()
