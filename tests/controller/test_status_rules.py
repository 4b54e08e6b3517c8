"""The checker of status updates reports what the API server would."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.times import write_time
from support.controller.job_syncs import NOW, with_condition
from support.controller.status_rules import broken_rules

START, LATER = write_time(NOW), write_time(NOW + 5)
SPEC: dict[str, Any] = {"completionMode": "Indexed", "completions": 3, "parallelism": 2}
LIMITED = {**SPEC, "backoffLimitPerIndex": 1}
OF_POLICY = {**SPEC, "successPolicy": {"rules": []}}
QUEUE: dict[str, Any] = {"completionMode": "NonIndexed", "parallelism": 2}


def status(*conditions: str, **fields: Any) -> dict[str, Any]:
    """A status; a condition with a dash before it is False."""
    entries = [with_condition(kind.lstrip("-"), str(kind[0] != "-")) for kind in conditions]
    return {"conditions": entries, "startTime": START, **fields}


def complete(**fields: Any) -> dict[str, Any]:
    return status("SuccessCriteriaMet", "Complete", **{"completionTime": LATER, **fields})


def failed(**fields: Any) -> dict[str, Any]:
    return status("FailureTarget", "Failed", **fields)


MET = status("SuccessCriteriaMet")
LISTS = {"succeeded": ["a", "b"], "failed": ["c"]}

BROKEN: list[tuple[int, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (1, SPEC, status(), status(active=-1)),
    (1, SPEC, status(), status(terminating=-1)),
    (2, SPEC, status(), status(uncountedTerminatedPods={"succeeded": [""]})),
    (2, SPEC, status(), status(uncountedTerminatedPods={"succeeded": ["a"], "failed": ["a"]})),
    (3, SPEC, MET, status("SuccessCriteriaMet", "FailureTarget", "Failed")),
    (4, SPEC, MET, status("SuccessCriteriaMet", "FailureTarget")),
    (5, OF_POLICY, status(), status("Complete", completionTime=LATER)),
    (6, SPEC, MET, status("-SuccessCriteriaMet")),
    (7, SPEC, status("Complete", completionTime=LATER), complete()),
    (8, SPEC, failed(), status("FailureTarget")),
    (8, SPEC, status("FailureTarget"), status("-FailureTarget")),
    (9, SPEC, status(failed=2), status(failed=1)),
    (10, SPEC, status(succeeded=2), status(succeeded=1)),
    (11, SPEC, complete(), complete(completionTime=write_time(NOW + 9))),
    (12, SPEC, MET, complete(active=1)),
    (12, SPEC, complete(), complete(active=1)),
    (13, SPEC, MET, complete(terminating=1)),
    (14, SPEC, MET, complete(uncountedTerminatedPods=LISTS)),
    (15, SPEC, {}, complete(startTime=None)),
    (16, SPEC, status(), status("Failed")),
    (16, LIMITED, status("Failed"), status("Failed", failedIndexes="1")),
    (17, SPEC, status(), status("Complete", completionTime=LATER)),
    (18, SPEC, MET, complete(completionTime=None)),
    (18, SPEC, MET, status("SuccessCriteriaMet", completionTime=LATER)),
    (19, SPEC, MET, complete(completionTime=write_time(NOW - 1))),
    (20, SPEC, status("FailureTarget"), status("Complete", "Failed", completionTime=LATER)),
    (21, SPEC, status(), status("Complete", "FailureTarget", completionTime=LATER)),
    (22, SPEC, status(), status(startTime=LATER)),
    (22, SPEC, status(), status(startTime=None)),
    (23, SPEC, status(), status(active=1, ready=2)),
    (24, SPEC, status(), status(completedIndexes="3")),
    (24, SPEC, status(), status(completedIndexes="1,0")),
    (24, QUEUE, status(), status(completedIndexes="0")),
    (25, LIMITED, status(), status(failedIndexes="x")),
    (25, SPEC, status(), status(failedIndexes="")),
    (26, LIMITED, status(), status(failedIndexes="1", completedIndexes="0,1")),
]


@pytest.mark.parametrize(("rule", "spec", "old", "new"), BROKEN)
def test_each_rule_can_be_broken(rule: int, spec: Any, old: Any, new: Any) -> None:
    assert str(rule) in [text.partition(":")[0] for text in broken_rules(spec, old, new)]


SUSPENDED = {**QUEUE, "suspend": True}
ELASTIC = {**SPEC, "parallelism": 3}


@pytest.mark.parametrize(
    ("spec", "old", "new"),
    [
        (SPEC, MET, complete(succeeded=3, completedIndexes="0-2", active=0, ready=0)),
        (SPEC, status("FailureTarget"), failed(failed=2)),
        (SPEC, status("-Suspended"), status(active=2, ready=1, startTime=START)),
        (QUEUE, status("Suspended"), status("-Suspended", startTime=LATER)),
        (SUSPENDED, status(), status("Suspended", startTime=None)),
        ({**SUSPENDED, "completions": 0}, {}, complete(startTime=None)),
        (ELASTIC, status(succeeded=3, completedIndexes="0-2"), status(succeeded=1)),
        (SPEC, status(active=1, ready=2), status(active=1, ready=2, failed=1)),
        (LIMITED, status(), status(failedIndexes="1", completedIndexes="0,2")),
    ],
)
def test_a_valid_update_is_accepted(spec: Any, old: Any, new: Any) -> None:
    assert broken_rules(spec, old, new) == []
