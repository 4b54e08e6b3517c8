"""The audit of running objects: evaluated once for each change, counted, reported, never changed."""

from __future__ import annotations

import time
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.audit.live_audit import AuditMetrics, FindingLabels, LiveAudit
from jobsworth.client.api_resources import jobs_path
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding
from jobsworth.lint.selection import Selection
from support.api_server.fake_job_api import FakeJobApi
from support.controller.simulated_reconciler import NAMESPACE, job

pytest.importorskip("prometheus_client")


def finding(severity: str = "warning", code: str = "JW101") -> Finding:
    return Finding(
        source="lint",
        severity=severity,
        code=code,
        field="spec.backoffLimit",
        reason="Lint",
        message="is zero",
    )


class Audited:
    """An audit whose evaluator returns what a test wants, and counts its calls."""

    def __init__(self, *found: tuple[str, Finding]) -> None:
        self.found = list(found)
        self.evaluations = 0
        self.api = FakeJobApi(time.time)
        self.audit = LiveAudit(self._evaluate, self.api, time.time)

    def _evaluate(self, job: dict[str, Any]) -> list[tuple[str, Finding]]:
        self.evaluations += 1
        return self.found

    def show(self, job: dict[str, Any]) -> None:
        """Show a Job to the watch; it is evaluated if it has changed."""
        self.audit.observe(job)
        while self.audit._pending:
            pending = self.audit._next()
            assert pending is not None
            self.audit.evaluate(pending)


@pytest.fixture
def stored() -> dict[str, Any]:
    return FakeJobApi(time.time).request("POST", jobs_path(NAMESPACE), job())


def test_a_job_is_validated_again_only_when_it_changes(stored: dict[str, Any]) -> None:
    audited = Audited(("", finding()))
    audited.show(stored)
    audited.show({**stored, "status": {"active": 3}})
    assert audited.evaluations == 1
    stored["metadata"]["generation"] += 1
    audited.show(stored)
    assert audited.evaluations == 2


def test_a_finding_is_counted_until_the_job_ends_or_goes(stored: dict[str, Any]) -> None:
    audited = Audited(("", finding()), ("spot", finding("error", "JP012")), ("", finding()))
    audited.show(stored)
    kinds = {
        FindingLabels(NAMESPACE, "lint", "warning", "JW101", ""): 1,
        FindingLabels(NAMESPACE, "lint", "error", "JP012", "spot"): 1,
    }
    assert audited.audit.counted() == (kinds, 1)
    shown = [
        metric for family in AuditMetrics(audited.audit).collect() for metric in family.samples
    ]
    assert ("jobsworth_audit_jobs", 1) in [(each.name, each.value) for each in shown]
    audited.show({**stored, "status": {"conditions": [{"type": "Complete", "status": "True"}]}})
    assert audited.audit.counted() == ({}, 0)
    audited.show(stored)
    audited.audit.forget(stored["metadata"]["uid"])
    assert audited.audit.counted() == ({}, 0)


def test_one_event_says_all_and_is_not_repeated_by_the_next_process(stored: dict[str, Any]) -> None:
    audited = Audited(("", finding()), ("", finding("error", "JW001")))
    audited.show(stored)
    again = LiveAudit(audited._evaluate, audited.api, time.time, log=pytest.fail)
    again.observe(stored)
    again.evaluate(stored)
    (event,) = audited.api.all("events")
    assert event["message"] == (
        "spec.backoffLimit: is zero [JW101]; spec.backoffLimit: is zero [JW001]"
    )
    assert event["involvedObject"]["uid"] == stored["metadata"]["uid"]
    assert (event["type"], event["reason"]) == ("Warning", "AuditFindings")


def test_hints_are_counted_but_not_reported(stored: dict[str, Any]) -> None:
    audited = Audited(("", finding("info")))
    audited.show(stored)
    assert audited.audit.counted()[1] == 1
    assert audited.api.calls == []


def test_the_real_evaluator_finds_nothing_in_a_good_job_and_something_in_a_poor_one() -> None:
    api = FakeJobApi(time.time)
    evaluator = Evaluator(ApiServer("1.36"))
    poor = {
        "podFailurePolicy": {
            "rules": [
                {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [1]}},
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}},
            ]
        }
    }
    codes = []
    for name, spec in (("sound", {"ttlSecondsAfterFinished": 60}), ("poor", poor)):
        stored = api.request("POST", jobs_path(NAMESPACE), job(name, **spec))
        found = evaluator.evaluate(Subject(stored, "stored")).reported(Selection())
        assert not [each for _, each in found if each.source == "api"]
        codes.append({each.code for _, each in found})
    assert codes[1] - codes[0]


def test_nothing_but_events_is_written(stored: dict[str, Any]) -> None:
    audited = Audited(("", finding()))
    audited.show(stored)
    assert {(call.method, call.resource) for call in audited.api.calls} == {("POST", "events")}
