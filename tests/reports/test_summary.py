"""The line that ends a report."""

from __future__ import annotations

from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.findings.summary import Summary
from jobsworth.lint.manifest_rules import UNVALIDATED


def skipped(*kinds: str) -> str:
    results = [
        Result(file="a.yaml", document=0, kind=kind, status="skipped", findings=[])
        for kind in kinds
    ]
    return Summary(results).sentence()


def test_skipped_objects_are_counted() -> None:
    assert skipped("Service", "Secret") == "no Job or CronJob found; 2 other objects skipped"


def test_kinds_with_jobs_inside_are_named() -> None:
    results = [
        Result(
            file="a.yaml",
            document=0,
            kind=kind,
            status="skipped",
            findings=[LocatedFinding(UNVALIDATED.finding("", "not validated"))] if noted else [],
        )
        for kind, noted in (("Workflow", True), ("Service", False), ("Fleet", True))
    ]
    assert Summary(results, infos=True).sentence() == (
        "no Job or CronJob found; 2 info findings; 3 other objects skipped (with Jobs or Pods that are not "
        "validated: 1 Fleet, 1 Workflow)"
    )
