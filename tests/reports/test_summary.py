"""The line that ends a report."""

from __future__ import annotations

from jobsworth.findings.result import Result
from jobsworth.findings.summary import Summary


def skipped(*kinds: str) -> str:
    results = [
        Result(file="a.yaml", document=0, kind=kind, status="skipped", findings=[])
        for kind in kinds
    ]
    return Summary(results).sentence()


def test_skipped_objects_are_counted() -> None:
    assert skipped("Service", "Secret") == "no Job or CronJob found; 2 other objects skipped"


def test_kinds_with_jobs_inside_are_named() -> None:
    assert skipped("JobSet", "Service", "ScaledJob", "JobSet") == (
        "no Job or CronJob found; 4 other objects skipped (the Jobs inside 2 JobSet, 1 ScaledJob are not "
        "validated)"
    )
