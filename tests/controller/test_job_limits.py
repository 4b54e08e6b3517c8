"""Limits that end an index or a Job: per index, in all, of restarts."""

from __future__ import annotations

from typing import Any

import pytest

from support.controller.job_syncs import a_job, a_pod, an_indexed_job, pods, sync

FAILED = ["FailureTarget", "Failed"]
COMPLETE = ["SuccessCriteriaMet", "Complete"]


def on_code_three(action: str) -> dict[str, Any]:
    return {"action": action, "onExitCodes": {"operator": "In", "values": [3]}}


def limited(limit: int = 1, size: int = 2, **spec: Any) -> dict[str, Any]:
    return an_indexed_job(size, backoffLimitPerIndex=limit, **spec)


def bad(index: int, failures: int = 0, code: int = 3, **more: Any) -> dict[str, Any]:
    return a_pod("Failed", index, exit_code=code, failures=failures, **more)


RUNNING = [a_pod("Running", index, failures=0) for index in range(4)]
SUCCEEDED = [a_pod("Succeeded", index, failures=0) for index in range(4)]
ON_THREE = {rule: {"rules": [on_code_three(rule)]} for rule in ("FailIndex", "FailJob", "Ignore")}

PER_INDEX: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
    "an index that succeeded after a failure": (
        limited(),
        [bad(0), a_pod("Succeeded", 0, failures=1), SUCCEEDED[1]],
        {"S": 2, "F": 1, "FI": "", "conditions": COMPLETE},
    ),
    "a failed Pod is replaced before it is counted": (
        limited(),
        [bad(0), RUNNING[1]],
        {"A": 2, "F": 0, "indexes": [0], "FI": ""},
    ),
    "it is counted once it has been": (
        limited(),
        [bad(0), a_pod("Running", 0, failures=1), RUNNING[1]],
        {"A": 2, "F": 1, "FI": ""},
    ),
    "an index fails when its limit is used up": (
        limited(),
        [bad(0, failures=1), RUNNING[1]],
        {"A": 1, "F": 1, "FI": "0", "conditions": []},
    ),
    "or by a rule, at once": (
        limited(podFailurePolicy=ON_THREE["FailIndex"]),
        [bad(0), RUNNING[1]],
        {"A": 1, "F": 1, "FI": "0", "conditions": []},
    ),
    "a rule that fails the Job does not fail the index": (
        limited(podFailurePolicy=ON_THREE["FailJob"]),
        [bad(0)],
        {"F": 1, "FI": "", "conditions": FAILED},
    ),
    "an ignored failure is replaced": (
        limited(podFailurePolicy=ON_THREE["Ignore"]),
        [bad(0), RUNNING[1]],
        {"A": 2, "F": 0, "FI": "", "indexes": [0]},
    ),
    "the limit of the Job holds too": (
        limited(backoffLimit=1),
        [bad(0), bad(1)],
        {"F": 2, "conditions": FAILED, "FI": ""},
    ),
    "the Job fails when no index is left": (
        limited(0),
        [bad(0), SUCCEEDED[1]],
        {"S": 1, "F": 1, "FI": "0", "CI": "1", "conditions": FAILED},
    ),
    "or when too many indexes have failed": (
        limited(0, 4, maxFailedIndexes=1),
        [bad(0), SUCCEEDED[1], bad(2), RUNNING[3]],
        {"F": 3, "T": 1, "FI": "0,2", "CI": "1", "conditions": ["FailureTarget"]},
    ),
}


@pytest.mark.parametrize(("job", "given", "expected"), PER_INDEX.values(), ids=PER_INDEX)
def test_limits_per_index(
    job: dict[str, Any], given: list[dict[str, Any]], expected: dict[str, Any]
) -> None:
    sync(job, given).shows(**expected)


@pytest.mark.parametrize(
    ("job", "given", "reason"),
    [
        (
            PER_INDEX["the limit of the Job holds too"][0],
            [bad(0), bad(1)],
            "BackoffLimitExceeded",
        ),
        (limited(0), [bad(0), SUCCEEDED[1]], "FailedIndexes"),
        (limited(0, 4, maxFailedIndexes=1), [bad(0), bad(2)], "MaxFailedIndexesExceeded"),
    ],
)
def test_u89_to_u91_have_their_reasons(job: dict[str, Any], given: Any, reason: str) -> None:
    assert sync(job, given).reason == reason


def restarting(limit: int, **spec: Any) -> dict[str, Any]:
    return a_job(restart_policy="OnFailure", backoffLimit=limit, **spec)


def restarted(*restarts: int, phase: str = "Running") -> list[dict[str, Any]]:
    return [a_pod(phase, restarts=number) for number in restarts]


@pytest.mark.parametrize(
    ("job", "given", "expected"),
    [
        (restarting(0), restarted(0), {"A": 1, "conditions": []}),
        (restarting(0), restarted(1), {"F": 1, "conditions": ["FailureTarget"]}),
        (restarting(1), restarted(0), {"A": 1, "conditions": []}),
        (restarting(1), restarted(1), {"F": 1, "conditions": ["FailureTarget"]}),
        (restarting(1), restarted(1, phase="Pending"), {"F": 1, "conditions": ["FailureTarget"]}),
        (restarting(2), restarted(2), {"F": 1}),
        (restarting(2, parallelism=2), restarted(1, 1), {"F": 2}),
        (restarting(3, parallelism=2), restarted(1, 1), {"A": 2, "F": 0}),
        (
            restarting(6, parallelism=2, suspend=True),
            restarted(1, 1),
            {"A": 0, "F": 0, "conditions": ["Suspended"]},
        ),
        (
            restarting(6, parallelism=4, completions=4, suspend=True),
            pods((4, "Succeeded")),
            {"S": 4, "conditions": COMPLETE},
        ),
    ],
)
def test_u92_restarts_use_up_the_limit(
    job: dict[str, Any], given: list[dict[str, Any]], expected: dict[str, Any]
) -> None:
    sync(job, given).shows(**expected)


@pytest.mark.parametrize(
    ("limit", "failures", "ends"),
    [(0, 0, False), (1, 1, False), (1, 2, True), (6, 6, False), (6, 7, True)],
)
def test_u93_failed_pods_use_up_the_limit(limit: int, failures: int, ends: bool) -> None:
    done = sync(a_job(completions=1, backoffLimit=limit), pods((failures, "Failed")))
    assert done.holds("Failed") is ends
    done.shows(F=failures, A=0 if ends else 1)


def test_the_deadline_is_evaluated_before_the_limits_of_indexes() -> None:
    job = limited(0, activeDeadlineSeconds=5)
    assert sync(job, [bad(0), SUCCEEDED[1]]).reason == "DeadlineExceeded"


def test_as_many_failed_indexes_as_are_allowed_do_not_fail_the_job() -> None:
    job = limited(0, 3, maxFailedIndexes=1)
    sync(job, [bad(0), RUNNING[1], RUNNING[2]]).shows(FI="0", conditions=[])


def test_restarts_of_pods_that_terminate_use_up_the_limit_too() -> None:
    given = [a_pod(restarts=2, deleted=True), a_pod()]
    sync(restarting(2), given).shows(conditions=["FailureTarget"])
    sync(restarting(9), given).shows(conditions=[])
