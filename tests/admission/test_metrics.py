"""The metrics of all processes, also of those that have ended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.admission.running_webhook import SOURCES

COUNT = """
import sys
from pathlib import Path
from prometheus_client import CollectorRegistry, generate_latest
from jobsworth.admission.outcome import Answer, ReviewOutcome
from jobsworth.admission.review import AdmissionResponse, read_review
from jobsworth.admission.review_metrics import WebhookMetrics
from support.admission.admission_reviews import body_of

answer = Answer(
    AdmissionResponse(allowed=True), "patched", codes=("JW004",), unreadable=("kind",),
    violations=(("retries", "deny"), ("deadline", "warn")),
)

metrics = WebhookMetrics(Path(sys.argv[1]))
for kind in ("Job", "CronJob", "made up"):
    request = read_review(body_of({"kind": kind, "metadata": {}}))
    metrics.observe(ReviewOutcome("validate", request, answer, seconds=0.002))
metrics.loaded("policy", 0.5, success=False)
metrics.expect_violations((f"policy-{number}", "audit") for number in range(200))
print(generate_latest(metrics.of_all_processes(CollectorRegistry())).decode())
"""


def python(code: str, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{SOURCES}:{SOURCES.parent}/tests"}
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.slow
def test_a_worker_continues_the_counts_of_the_one_that_it_replaces(tmp_path: Path) -> None:
    for _ in range(2):
        shown = python(COUNT, tmp_path).splitlines()
    labels = 'endpoint="validate",kind="%s",operation="CREATE",verdict="patched"'
    for kind in ("Job", "CronJob", "other"):
        assert f"jobsworth_admission_requests_total{{{labels % kind}}} 2.0" in shown
    unreadable = 'jobsworth_admission_unreadable_total{endpoint="validate",reason="kind"} 6.0'
    assert unreadable in shown
    assert 'jobsworth_admission_findings_total{code="JW004"} 6.0' in shown
    assert 'jobsworth_admission_duration_seconds_count{endpoint="validate"} 6.0' in shown
    assert 'jobsworth_file_loads_total{result="rejected",what="policy"} 2.0' in shown
    assert 'jobsworth_file_load_success{what="policy"} 0.0' in shown
    violations = 'jobsworth_admission_violations_total{effect="%s",policy="%s"} %s.0'
    assert violations % ("deny", "retries", 6) in shown
    assert violations % ("warn", "deadline", 6) in shown
    assert violations % ("audit", "policy-0", 0) in shown
    assert violations % ("audit", "other", 0) in shown
    assert sum(line.startswith("jobsworth_admission_violations_total{") for line in shown) == 101


@pytest.mark.slow
def test_a_file_that_a_process_is_creating_counts_nothing(tmp_path: Path) -> None:
    """It is empty for a moment, and forever if the process is killed then."""
    (tmp_path / "gauge_livesum_1.db").touch()
    (tmp_path / "counter_1.db").touch()
    assert 'jobsworth_admission_findings_total{code="JW004"} 3.0' in python(COUNT, tmp_path)
