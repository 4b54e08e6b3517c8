"""The audit that runs continuously, on a real API server: seconds, memory and API calls of an audit.

Usage: ``python benchmarks/continuous_audit.py [JOBS CRON_JOBS]``; 10,000 and 500 by default. The objects are
the valid examples in 50 namespaces; the policies are the examples in ``policies/``, and one that a seventh of
the objects violates.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "webhook")]

from cluster.bed import Process, TestBed, free_ports  # noqa: E402

NAMESPACES = 50
INTERVAL = 60
POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: prefer-retries}
spec: {enforcement: warn, limits: {backoffLimit: {minimum: 1}}}
"""


def objects(kind: str, count: int, namespaces: list[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the valid examples of a kind in turn, each in a namespace."""
    examples = [
        document
        for file in sorted((ROOT / "examples/valid").glob("*.yaml"))
        for document in yaml.safe_load_all(file.read_text(encoding="utf-8"))
        if document["kind"] == kind
    ]
    for index, example in zip(range(count), itertools.cycle(examples), strict=False):
        metadata = {key: part for key, part in example["metadata"].items() if key != "namespace"}
        yield (
            {**example, "metadata": {**metadata, "name": f"example-{index}"}},
            namespaces[index % len(namespaces)],
        )


def metric(port: int, name: str) -> float:
    """Return the sum of a metric; -1 before it is served."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
    except OSError:
        return -1.0
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def memory(process: int) -> int:
    """Return the largest resident set of a process, in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def cpu(process: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(jobs: int, cron_jobs: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="jobsworth-audit-"))
    policy = folder / "prefer-retries.yaml"
    policy.write_text(POLICY)
    with TestBed(api_server_flags=("--allow-privileged=true",)) as bed:
        namespaces = [bed.namespace("team") for _ in range(NAMESPACES)]
        wanted = [
            *objects("Job", jobs, namespaces),
            *objects("CronJob", cron_jobs, namespaces),
        ]
        begun = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda each: bed.create(*each), wanted))
        print(f"created {len(wanted)} objects in {time.monotonic() - begun:.0f} s", flush=True)
        (port,) = free_ports(1)
        options = [
            "--policy", str(ROOT / "policies"), "--policy", str(policy), "--interval", f"{INTERVAL}s",
            "--monitor-bind", f"127.0.0.1:{port}",
        ]  # fmt: skip
        with bed.calls() as calls:
            process = Process(
                [sys.executable, "-m", "jobsworth", "audit", "-A", *options],
                folder / "log",
                {"PYTHONPATH": str(ROOT / "webhook"), "KUBECONFIG": str(bed.kubeconfig)},
            )
            before: dict[tuple[str, str], int] = {}
            used = 0.0
            for number in itertools.count(1):
                name = 'jobsworth_audit_runs_total{result="complete"}'
                while metric(port, name) < number:
                    process.check()
                    time.sleep(0.2)
                seconds = metric(port, "jobsworth_audit_duration_seconds")
                counted = calls.count(user_agent="jobsworth")
                made = {key: count - before.get(key, 0) for key, count in counted.items()}
                before, spent = dict(counted), cpu(process.pid)
                print(
                    f"audit {number}: {seconds:.1f} s, {spent - used:.1f} s of CPU, "
                    f"at most {memory(process.pid)} MiB, calls {made}",
                    flush=True,
                )
                used = spent
                if not made["create", "events"]:
                    break  # every object with findings has its Event
            process.kill()
        print((folder / "log").read_text())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or (10_000, 500)))
