"""Prometheus metrics, summed over all worker processes.

``prometheus_client`` keeps the values of each process in files of a shared folder. The environment variable
``PROMETHEUS_MULTIPROC_DIR`` must name this folder before the library is imported; without it the values
cover one process only.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.scope import KINDS

BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0)
"""Bucket bounds of the latency histogram, in seconds: a review takes tenths of a millisecond, under overload
seconds."""

OTHER = "other"
RETIRED = "0"
"""Replaces the process ID in the names of the files that hold the counts of ended processes."""


class WebhookMetrics:
    """The metrics of the webhook. Create them once, before the process forks."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.requests = Counter(
            "jobsworth_admission_requests_total",
            "Admission requests by endpoint, operation, kind and verdict.",
            ("endpoint", "operation", "kind", "verdict"),
            registry=registry,
        )
        self.findings = Counter(
            "jobsworth_admission_findings_total",
            "Admission requests with a finding, by code.",
            ("code",),
            registry=registry,
        )
        self.patches = Counter(
            "jobsworth_admission_patches_total",
            "Patched objects by kind.",
            ("kind",),
            registry=registry,
        )
        self.errors = Counter(
            "jobsworth_admission_internal_errors_total",
            "Admission requests that jobsworth could not review because of an internal error.",
            registry=registry,
        )
        self.unreadable = Counter(
            "jobsworth_admission_unreadable_total",
            "Admission requests that policies did not evaluate completely, by reason: a field of a later "
            "release (unknown_field), a value that cannot be decoded (wrong_type), another kind (kind).",
            ("endpoint", "reason"),
            registry=registry,
        )
        self.seconds = Histogram(
            "jobsworth_admission_duration_seconds",
            "Time from the end of the request body to the answer, in seconds.",
            ("endpoint",),
            buckets=BUCKETS,
            registry=registry,
        )
        self.loads = Counter(
            "jobsworth_file_loads_total",
            "Loads of changed files (policy, certificate) by result.",
            ("what", "result"),
            registry=registry,
        )
        self.load_seconds = Gauge(
            "jobsworth_file_load_duration_seconds",
            "Duration of the last load of changed files, in seconds.",
            ("what",),
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.current = Gauge(
            "jobsworth_file_load_success",
            "1 if the files are active; 0 if the last changed files were rejected.",
            ("what",),
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.policies = Gauge(
            "jobsworth_policies",
            "Active JobPolicy documents.",
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.expiry = Gauge(
            "jobsworth_certificate_expiry_timestamp_seconds",
            "Expiry of the serving certificate, in seconds since the epoch.",
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        # Looking up a metric by its labels takes longer than counting, so cache the few that exist.
        self._requests_of = cache(self.requests.labels)
        self._seconds_of = cache(self.seconds.labels)
        self._findings_of = cache(self.findings.labels)

    def observe(self, outcome: ReviewOutcome) -> None:
        """Count a request."""
        kind = outcome.kind if outcome.kind in KINDS.values() else OTHER
        self._requests_of(outcome.endpoint, outcome.operation, kind, outcome.verdict).inc()
        self._seconds_of(outcome.endpoint).observe(outcome.seconds)
        for code in outcome.codes:
            self._findings_of(code).inc()
        for reason in outcome.unreadable:
            self.unreadable.labels(outcome.endpoint, reason).inc()
        if outcome.verdict == "patched":
            self.patches.labels(kind).inc()
        elif outcome.verdict == "failed":
            self.errors.inc()

    def loaded(self, what: str, seconds: float, *, success: bool) -> None:
        """Count a load of changed files."""
        self.loads.labels(what, "loaded" if success else "refused").inc()
        self.load_seconds.labels(what).set(seconds)
        self.current.labels(what).set(int(success))


def exposition(folder: Path) -> bytes:
    """Return the metrics of all processes in the text format of Prometheus."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))
    return generate_latest(registry)


def retire(folder: Path) -> None:
    """Add the counts of processes that have ended to those of earlier ones, and delete their files.

    Otherwise every replaced worker would leave files behind until the server stops. Call this from one
    thread of one process, and never while :func:`exposition` runs.
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
