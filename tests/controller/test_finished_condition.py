"""The finished condition of a Job: failure policy, success policy, order of conditions."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.status import Condition, Status
from jobsworth.controller.times import write_time
from support.controller.job_syncs import (
    LONG_AGO,
    NOW,
    a_job,
    a_pod,
    an_indexed_job,
    pods,
    sync,
    with_condition,
)

FAILED = ["FailureTarget", "Failed"]
COMPLETE = ["SuccessCriteriaMet", "Complete"]
STARTED = {"startTime": write_time(NOW - 600)}


def on_codes(action: str, *codes: int, operator: str = "In", **more: Any) -> dict[str, Any]:
    return {"action": action, "onExitCodes": {"operator": operator, "values": codes, **more}}


def on_condition(action: str, kind: str = "DisruptionTarget") -> dict[str, Any]:
    return {"action": action, "onPodConditions": [{"type": kind, "status": "True"}]}


def policed(*rules: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """A Job of two Pods with a failure policy."""
    size = {"parallelism": 2, "completions": 2, **spec}
    return a_job(podFailurePolicy={"rules": list(rules)}, **size)


FATAL = on_codes("FailJob", 5, 6, 7)


def failed(code: int = 1, **more: Any) -> dict[str, Any]:
    return a_pod("Failed", exit_code=code, **more)


def test_u63_a_rule_for_another_container_does_not_match() -> None:
    job = policed(on_codes("FailJob", 5, containerName="sidecar"))
    sync(job, [failed(5)]).shows(F=1, create=2, conditions=[])


def test_u64_a_pod_that_runs_has_not_failed() -> None:
    sync(policed(FATAL), [a_pod(exit_code=5)]).shows(F=0, A=2, conditions=[])


def test_u65_a_pod_can_fail_its_job() -> None:
    done = sync(policed(FATAL), [failed(5, name="p")])
    done.shows(F=1, conditions=FAILED, create=0, events=["PodFailurePolicy"])
    assert done.message == (
        "Container main for pod default/p failed with exit code 5 matching FailJob rule at index 0"
    )
    indexed = an_indexed_job(2, podFailurePolicy={"rules": [FATAL]})
    sync(indexed, [a_pod("Failed", 0, exit_code=5)]).shows(F=1, conditions=FAILED)


def test_u66_what_is_stored_is_repeated_to_the_letter() -> None:
    stored = with_condition("FailureTarget", reason="PodFailurePolicy", message="of old")
    done = sync(policed(FATAL, status={"conditions": [stored], **STARTED}))
    done.shows(conditions=FAILED)
    assert (done.reason, done.message) == ("PodFailurePolicy", "of old")


def test_u67_the_end_waits_for_pods_that_terminate() -> None:
    done = sync(policed(FATAL), [failed(5), a_pod()])
    done.shows(F=2, T=1, A=0, delete=1, conditions=["FailureTarget"])
    later = sync(policed(FATAL, status=done.status))
    later.shows(F=2, T=0, conditions=FAILED)


def test_u68_codes_that_are_not_listed() -> None:
    job = policed(on_codes("FailJob", 5, 6, 7, operator="NotIn"))
    done = sync(job, [failed(42)])
    assert done.message.endswith("failed with exit code 42 matching FailJob rule at index 0")
    sync(job, [failed(5)]).shows(F=1, conditions=[])


def test_u69_an_init_container_may_be_the_one_that_matches() -> None:
    pod = failed(143)
    ended = {"exitCode": 5, "finishedAt": write_time(LONG_AGO)}
    pod["status"]["initContainerStatuses"] = [{"name": "setup", "state": {"terminated": ended}}]
    assert sync(policed(FATAL), [pod]).message.startswith("Container setup for pod")


def test_u70_the_first_rule_wins_whatever_container_it_matches() -> None:
    pod = failed(2)
    ended = {"exitCode": 6, "finishedAt": write_time(LONG_AGO)}
    pod["status"]["containerStatuses"].append({"name": "other", "state": {"terminated": ended}})
    job = policed(on_codes("Ignore", 2), FATAL, completions=1, parallelism=1)
    sync(job, [pod]).shows(A=1, F=0, conditions=[])


def test_u71_an_ignored_failure_does_not_count_but_delays() -> None:
    job = policed(on_condition("Ignore"), completions=1, parallelism=1, backoffLimit=0)
    disrupted = {"conditions": [("DisruptionTarget", "True")]}
    sync(job, [failed(143, **disrupted)]).shows(A=1, F=0, strip=1)
    late = sync(job, [failed(143, finished=NOW, **disrupted)])
    late.shows(A=0, F=0, create=0, requeue=10.0)


def test_u72_a_failure_without_a_rule_counts() -> None:
    done = sync(policed(FATAL, backoffLimit=0), [failed(1)])
    done.shows(F=1, conditions=FAILED)
    assert done.reason == "BackoffLimitExceeded"


def test_u73_counting_before_ignoring() -> None:
    job = policed(on_codes("Count", 1), on_codes("Ignore", 1))
    sync(job, [failed(1)]).shows(F=1, conditions=[])


def test_u74_a_condition_can_fail_the_job() -> None:
    pod = failed(1, name="p", conditions=[("DisruptionTarget", "True")])
    done = sync(policed(on_condition("FailJob")), [pod])
    assert done.message == (
        "Pod default/p has condition DisruptionTarget matching FailJob rule at index 0"
    )


def test_u75_a_pod_that_terminates_has_not_failed_yet() -> None:
    job = policed(FATAL, completions=1, parallelism=1, backoffLimit=0)
    sync(job, [a_pod(deleted=True)]).shows(F=0, T=1, create=0, conditions=[])


ENOUGH = {"rules": [{"succeededIndexes": "0,1", "succeededCount": 1}]}
THREE = [
    a_pod("Failed", 0),
    a_pod("Running", 0),
    a_pod("Succeeded", 1),
    a_pod("Running", 2),
]


@pytest.mark.parametrize(
    ("spec", "failed_indexes"),
    [
        ({}, None),
        ({"podFailurePolicy": {"rules": [on_codes("FailJob", 99)]}}, None),
        ({"backoffLimitPerIndex": 2}, ""),
    ],
)
def test_u76_a_success_policy_ends_the_job(
    spec: dict[str, Any], failed_indexes: str | None
) -> None:
    done = sync(an_indexed_job(3, successPolicy=ENOUGH, **spec), THREE)
    done.shows(S=1, F=1, T=2, FI=failed_indexes, conditions=["SuccessCriteriaMet"])
    assert done.message == "Matched rules at index 0"
    assert done.reason == "SuccessPolicy"


def met(**spec: Any) -> dict[str, Any]:
    """Return a Job whose status has SuccessCriteriaMet by its policy."""
    stored = with_condition(
        "SuccessCriteriaMet", reason="SuccessPolicy", message="Matched rules at index 0"
    )
    status = {"conditions": [stored], "completedIndexes": "1", "succeeded": 1, **STARTED}
    return an_indexed_job(3, successPolicy=ENOUGH, status=status, **spec)


def test_u77_once_nothing_runs_the_job_is_complete() -> None:
    done = sync(met())
    done.shows(conditions=COMPLETE, events=["Completed"])
    assert done.reason == "SuccessPolicy"


def test_u78_what_runs_is_deleted_first() -> None:
    sync(met(), [a_pod("Running", 0), a_pod("Running", 2)]).shows(
        delete=2, T=2, conditions=["SuccessCriteriaMet"]
    )


def test_u79_of_a_failure_and_a_success_in_one_sync_the_failure_wins() -> None:
    both = [a_pod("Failed", 0, exit_code=5), a_pod("Succeeded", 1), a_pod("Running", 2)]
    fatal = sync(an_indexed_job(3, successPolicy=ENOUGH, podFailurePolicy={"rules": [FATAL]}), both)
    assert (fatal.reason, fatal.status["failed"]) == ("PodFailurePolicy", 2)
    indexes = an_indexed_job(2, successPolicy=ENOUGH, backoffLimitPerIndex=0)
    done = sync(indexes, [a_pod("Failed", 0), a_pod("Succeeded", 1)])
    done.shows(FI="0", CI="1")
    assert done.reason == "FailedIndexes"
    limit = an_indexed_job(3, successPolicy=ENOUGH, backoffLimit=1)
    given = [a_pod("Failed", 0), a_pod("Failed", 2), a_pod("Succeeded", 1)]
    assert sync(limit, given).reason == "BackoffLimitExceeded"


@pytest.mark.parametrize(
    ("spec", "given"),
    [
        ({"podFailurePolicy": {"rules": [FATAL]}}, [a_pod("Failed", 0, exit_code=5)]),
        ({"backoffLimitPerIndex": 0}, [a_pod("Failed", 0)]),
        ({"backoffLimit": 0}, [a_pod("Failed", 0)]),
    ],
)
def test_u80_a_success_that_is_stored_stands(spec: dict[str, Any], given: Any) -> None:
    done = sync(met(**spec), given)
    done.shows(conditions=COMPLETE, FI="0" if "backoffLimitPerIndex" in spec else None)


def test_u81_so_does_a_failure() -> None:
    stored = with_condition("FailureTarget", reason="PodFailurePolicy", message="of old")
    job = an_indexed_job(2, successPolicy=ENOUGH, status={"conditions": [stored], **STARTED})
    sync(job, [a_pod("Succeeded", 1)]).shows(S=1, conditions=FAILED)


NOTHING = Status()
TRUE = Condition("Suspended", "True", "JobSuspended", "Job suspended", 1, 1)
FALSE = Condition("Suspended", "False", "JobResumed", "Job resumed", 2, 2)


@pytest.mark.parametrize(
    ("before", "condition", "after"),
    [
        ((), TRUE, (TRUE,)),
        ((), FALSE, ()),
        ((TRUE,), FALSE, (FALSE,)),
        ((TRUE,), Condition("Suspended", "True", "Other", "x", 3, 3), "replaced"),
        ((TRUE,), Condition("Suspended", "True", "JobSuspended", "Job suspended", 9, 9), (TRUE,)),
    ],
)
def test_u94_conditions_are_added_or_replaced_in_place(
    before: Any, condition: Any, after: Any
) -> None:
    other = Condition("example.com/Custom", "True")
    status = Status(conditions=(other, *before)).with_condition(condition)
    assert status.conditions == (other, *((condition,) if after == "replaced" else after))


def test_a_finished_condition_while_suspended() -> None:
    job = a_job(suspend=True, backoffLimit=0)
    sync(job, pods((1, "Failed"))).shows(conditions=FAILED)


def test_a_suspended_job_without_completions_is_complete_at_once() -> None:
    done = sync(a_job(completions=0, parallelism=1, suspend=True))
    done.shows(conditions=COMPLETE, writes=2)
    assert "startTime" not in done.status
    sync(a_job(completions=0)).shows(conditions=COMPLETE, writes=2, create=0)


def test_too_many_successes_are_reported() -> None:
    sync(a_job(completions=1), pods((2, "Succeeded"))).shows(
        events=["TooManySucceededPods", "Completed"]
    )


def test_backoff_does_not_delay_a_finished_condition() -> None:
    job = a_job(completions=1, backoffLimit=0)
    sync(job, [a_pod("Failed", finished=NOW)], backoff=BackoffRecord(1, NOW)).shows(
        conditions=FAILED
    )


def test_the_failure_policy_is_evaluated_before_the_backoff_limit() -> None:
    assert sync(policed(FATAL, backoffLimit=0), [failed(5)]).reason == "PodFailurePolicy"


def test_a_pod_that_cannot_be_deleted_delays_the_end_but_not_the_failure_target() -> None:
    given = [a_pod("Failed"), a_pod(name="a"), a_pod(name="b")]
    job = a_job(parallelism=3, completions=3, backoffLimit=0)
    done = sync(job, given, undeletable=["b"])
    done.shows(conditions=["FailureTarget"], A=1, T=1, F=1, strip=1, delete=1)
    job["status"] = done.status
    rest = [a_pod("Running", name="a", deleted=True), a_pod(name="b")]
    sync(job, rest).shows(F=3, T=2, A=0, conditions=["FailureTarget"])


def test_a_job_does_not_end_while_a_pod_keeps_its_finalizer() -> None:
    done = sync(an_indexed_job(1), [a_pod("Succeeded", 0, name="a")], unstrippable=["a"])
    done.shows(S=1, conditions=["SuccessCriteriaMet"])
    assert not done.finished


def test_the_successes_of_an_indexed_job_are_its_indexes() -> None:
    lists = {"uncountedTerminatedPods": {"succeeded": ["uid-a", "uid-gone"]}}
    job = an_indexed_job(3, status={"completedIndexes": "1", "succeeded": 1, **lists, **STARTED})
    sync(job, [a_pod("Succeeded", 0, name="a")]).shows(CI="0,1", S=2)


def test_conditions_have_transition_times() -> None:
    done = sync(a_job(completions=1), pods((1, "Succeeded")), now=NOW + 0.75)
    for condition in done.status["conditions"]:
        assert condition["lastTransitionTime"] == write_time(NOW)
        assert condition["lastProbeTime"] == write_time(NOW)
