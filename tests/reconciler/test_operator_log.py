"""The reconciler's log: one line for each finished Job, as text or as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.reconciler.operator_log import OperatorLog
from support.controller.simulated_reconciler import SimulatedReconciler

NOON = 1_800_000_000.0  # 2027-01-15T08:00:00Z
FIELDS: dict[str, Any] = {
    "completionMode": "Indexed",
    "completions": 2,
    "parallelism": 2,
    "backoffLimitPerIndex": 0,
}


def lines(**options: Any) -> list[str]:
    """Return the log of an Indexed Job of which one index fails, after 30 seconds."""
    written: list[str] = []
    log = OperatorLog(written.append, lambda: NOON, **options)
    simulation = SimulatedReconciler()
    simulation.create(**FIELDS)
    outcomes = simulation.run(30)
    for exit_code, pod in enumerate(simulation.running()):
        simulation.end(pod, exit_code=exit_code)
    outcomes += simulation.run(5)
    log.message("started")
    for outcome in outcomes:
        outcome.seconds = 0.0154
        log.synced(outcome)
    return written


def test_a_finished_job_has_one_line_with_its_result_and_counters() -> None:
    started, line = lines()
    assert started == "2027-01-15T08:00:00Z started"
    time_and_message, _, fields = line.partition(" job=")
    assert time_and_message == "2027-01-15T08:00:00Z Job finished"
    name, uid, *rest = fields.split(" ", 2)
    assert (name, uid.startswith("uid=")) == ("default/train", True)
    assert rest == [
        'result=Failed reason=FailedIndexes conditionMessage="Job has failed indexes" '
        "succeeded=1 failed=1 completedIndexes=0 failedIndexes=1 seconds=31"
    ]


def test_the_line_as_json_has_the_same_fields() -> None:
    started, line = map(json.loads, lines(format="json"))
    assert started == {"time": "2027-01-15T08:00:00Z", "message": "started"}
    assert line.pop("uid")
    assert line == {
        "time": "2027-01-15T08:00:00Z",
        "message": "Job finished",
        "job": "default/train",
        "result": "Failed",
        "reason": "FailedIndexes",
        "conditionMessage": "Job has failed indexes",
        "succeeded": 1,
        "failed": 1,
        "completedIndexes": "0",
        "failedIndexes": "1",
        "seconds": 31,
    }


@pytest.mark.parametrize(("verbosity", "messages"), [("quiet", 1), ("jobs", 2)])
def test_a_quiet_log_has_messages_only(verbosity: str, messages: int) -> None:
    assert len(lines(verbosity=verbosity)) == messages


def test_a_verbose_log_has_every_sync_too() -> None:
    found = [json.loads(line) for line in lines(format="json", verbosity="syncs")]
    syncs = [entry for entry in found if entry["message"] == "synced Job"]
    assert (syncs[0]["action"], syncs[0]["result"], syncs[0]["seconds"]) == (
        "pods_created",
        "success",
        0.015,
    )
    assert len(syncs) > 2
    assert [entry["message"] for entry in found].count("Job finished") == 1


def test_a_line_is_a_line_whatever_a_message_contains() -> None:
    for format in ("text", "json"):
        written: list[str] = []
        OperatorLog(written.append, lambda: NOON, format=format).message("bad\nanswer \x1b[31m")  # type: ignore[arg-type]
        assert written[0].isprintable()
