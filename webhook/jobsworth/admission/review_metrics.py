"""What Prometheus is told, right for several worker processes.

``prometheus_client`` keeps the numbers of each process in files of a common folder, which the
environment's ``PROMETHEUS_MULTIPROC_DIR`` must name before the library is imported; without it the
numbers are those of one process.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

from jobsworth.admission.outcome import Outcome
from jobsworth.admission.scope import KINDS

BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0)
"""Of the latency, in seconds: a verdict takes tenths of a millisecond, a bad day seconds."""

OTHER = "other"
RETIRED = "0"
"""Takes a process's number in the names of the files that hold the counts of ended processes."""


class Metrics:
    """The webhook's metrics; made once in a process, before it forks."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.requests = Counter(
            "jobsworth_admission_requests_total",
            "Requests by endpoint, operation, kind and verdict.",
            ("endpoint", "operation", "kind", "verdict"),
            registry=registry,
        )
        self.findings = Counter(
            "jobsworth_admission_findings_total",
            "Requests that had a finding, by its code.",
            ("code",),
            registry=registry,
        )
        self.patches = Counter(
            "jobsworth_admission_patches_total",
            "Objects that were patched, by kind.",
            ("kind",),
            registry=registry,
        )
        self.errors = Counter(
            "jobsworth_admission_internal_errors_total",
            "Requests that could not be judged because jobsworth failed.",
            registry=registry,
        )
        self.unreadable = Counter(
            "jobsworth_admission_unreadable_total",
            "Requests of which policies did not evaluate all, by reason: a field of a later release "
            "(unknown_field), a value that cannot be decoded (wrong_type), another kind (kind).",
            ("endpoint", "reason"),
            registry=registry,
        )
        self.seconds = Histogram(
            "jobsworth_admission_duration_seconds",
            "Time from a request's body to its answer.",
            ("endpoint",),
            buckets=BUCKETS,
            registry=registry,
        )
        self.loads = Counter(
            "jobsworth_file_loads_total",
            "Times that changed files were loaded (policy, certificate), by result.",
            ("what", "result"),
            registry=registry,
        )
        self.load_seconds = Gauge(
            "jobsworth_file_load_duration_seconds",
            "Time that the last loading took.",
            ("what",),
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.current = Gauge(
            "jobsworth_file_load_success",
            "Whether what is in force is what the files say; 0 after broken ones were refused.",
            ("what",),
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.policies = Gauge(
            "jobsworth_policies",
            "JobPolicy documents in force.",
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.expiry = Gauge(
            "jobsworth_certificate_expiry_timestamp_seconds",
            "When the serving certificate expires, in seconds since the epoch.",
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        # To find a metric by its labels takes longer than to count; there are few of each.
        self._requests_of = cache(self.requests.labels)
        self._seconds_of = cache(self.seconds.labels)
        self._findings_of = cache(self.findings.labels)

    def observe(self, outcome: Outcome) -> None:
        """Count a request."""
        kind = outcome.kind if outcome.kind in KINDS.values() else OTHER
        self._requests_of(outcome.door, outcome.operation, kind, outcome.verdict).inc()
        self._seconds_of(outcome.door).observe(outcome.seconds)
        for code in outcome.codes:
            self._findings_of(code).inc()
        for reason in outcome.unreadable:
            self.unreadable.labels(outcome.door, reason).inc()
        if outcome.verdict == "patched":
            self.patches.labels(kind).inc()
        elif outcome.verdict == "failed":
            self.errors.inc()

    def loaded(self, what: str, seconds: float, *, success: bool) -> None:
        """Count a loading of files."""
        self.loads.labels(what, "loaded" if success else "refused").inc()
        self.load_seconds.labels(what).set(seconds)
        self.current.labels(what).set(int(success))


def exposition(folder: Path) -> bytes:
    """The metrics of all processes together, in Prometheus' text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))
    return generate_latest(registry)


def retire(folder: Path) -> None:
    """Add the counts of processes that have ended to those of earlier ones, and delete their files.

    Otherwise every recycled worker would leave files behind for the life of the server. To be called
    by one thread of one process, and not while :func:`exposition` runs.
    """
    for prefix in ("counter", "histogram"):
        for file in folder.glob(f"{prefix}_*.db"):
            process = file.stem.removeprefix(f"{prefix}_")
            if process == RETIRED or _runs(int(process)):
                continue
            kept = MmapedDict(str(folder / f"{prefix}_{RETIRED}.db"))
            for key, value, stamp, _ in MmapedDict.read_all_values_from_file(str(file)):
                kept.write_value(key, kept.read_value(key)[0] + value, stamp)
            kept.close()
            file.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
