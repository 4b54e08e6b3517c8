"""Each Pod is counted once, before its finalizer is removed: lists, counters, finalizers."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.times import write_time
from support.controller.job_syncs import (
    NOW,
    a_job,
    a_pod,
    an_indexed_job,
    pods,
    sync,
    uids,
    with_condition,
)

COMPLETE = ["SuccessCriteriaMet", "Complete"]


def pod(name: str, phase: str = "Running", index: Any = None, **more: Any) -> dict[str, Any]:
    return a_pod(phase, index, name=name, **more)


def uncounted(succeeded: str = "", failed: str = "", /, **more: Any) -> dict[str, Any]:
    """A status with Pods in its lists, each given by a letter."""
    lists = {
        "succeeded": [f"uid-{name}" for name in succeeded],
        "failed": [f"uid-{name}" for name in failed],
    }
    started = {"startTime": write_time(NOW - 600)}
    return {"uncountedTerminatedPods": lists, **started, **more}


def lists(write: dict[str, Any]) -> tuple[str, str]:
    """The Pods in the lists of a status, each by its letter."""
    written = write["uncountedTerminatedPods"]
    return tuple(
        "".join(uid.removeprefix("uid-") for uid in written.get(key, ()))
        for key in ("succeeded", "failed")
    )


TERMINATED = (4, "Succeeded"), (2, "Failed")
DELETED = [a_pod("Running", deleted=True), a_pod("Pending", deleted=True)]
BIG = {"parallelism": 20, "completions": 50, "backoffLimit": 50}

NEW: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, int]]] = {
    "Pods with the finalizer are new": (a_job(**BIG), pods(*TERMINATED), {"S": 4, "F": 2}),
    "Pods without it were counted before": (
        a_job(**BIG),
        pods(*TERMINATED, tracked=False),
        {"S": 0, "F": 0},
    ),
    "Pods that are deleted have failed": (
        a_job(**BIG),
        pods(*TERMINATED) + DELETED,
        {"S": 4, "F": 4},
    ),
    "not where they are replaced only once they have failed": (
        a_job(podReplacementPolicy="Failed", **BIG),
        pods(*TERMINATED) + DELETED,
        {"S": 4, "F": 2},
    ),
    "Pods that are deleted without the finalizer do not count": (
        a_job(**BIG),
        pods(*TERMINATED) + pods((2, "Terminating"), tracked=False),
        {"S": 4, "F": 2},
    ),
}


@pytest.mark.parametrize(("job", "given", "expected"), NEW.values(), ids=NEW)
def test_u40_what_is_new(
    job: dict[str, Any], given: list[dict[str, Any]], expected: dict[str, int]
) -> None:
    sync(job, given).shows(**expected)


def test_u40_what_is_in_the_lists_is_not_new() -> None:
    given = [pod("a", "Succeeded"), pod("b", "Failed"), pod("c", "Succeeded")]
    done = sync(a_job(**BIG, status=uncounted("a", "b")), given)
    done.shows(S=2, F=1, strip=3)


def test_u40_a_released_pod_is_not_new() -> None:
    given = [pod("a", "Succeeded"), pod("b", "Failed")]
    sync(a_job(**BIG), given, untracked="ab").shows(S=0, F=0, strip=0)


def test_recorded_pods_are_not_counted_twice_in_decisions() -> None:
    succeeded = a_job(completions=2, status=uncounted("a"))
    sync(succeeded, [pod("a", "Succeeded")]).shows(create=1, conditions=[])
    failed = a_job(completions=2, backoffLimit=1, status=uncounted("", "b"))
    sync(failed, [pod("b", "Failed")]).shows(F=1, conditions=[])
    gone = a_job(completions=2, backoffLimit=0, status=uncounted("", "c"))
    sync(gone).shows(F=1, conditions=["FailureTarget", "Failed"])
    done = a_job(completions=1, status=uncounted("c"))
    sync(done).shows(S=1, create=0, conditions=COMPLETE)


def test_u41_nothing_is_written_when_nothing_changed() -> None:
    status = {"startTime": write_time(NOW - 60), "active": 1, "ready": 0, "terminating": 0}
    job = a_job(status={**status, "uncountedTerminatedPods": {}})
    sync(job, pods((1, "Running"))).shows(writes=0, strip=0)
    job["status"]["active"] = 0
    sync(job, pods((1, "Running"))).shows(writes=1)


def test_u42_pods_go_through_the_lists_into_the_counters() -> None:
    given = [
        pod("a", "Succeeded"),
        pod("b", "Failed"),
        pod("c", "Succeeded", deleted=True),
        pod("d", "Failed", deleted=True),
        pod("e", "Pending", deleted=True),
        *pods((2, "Running")),
    ]
    done = sync(a_job(parallelism=5, completions=9), given)
    first, second = done.writes
    assert lists(first) == ("ac", "bde")
    assert lists(second) == ("", "")
    done.shows(S=2, F=3, strip=5)


def test_u43_pods_that_are_gone_are_counted_in_the_write_that_drops_them() -> None:
    status = uncounted("ae", "bf", succeeded=1, failed=1)
    given = [pod("a", "Succeeded"), pod("b", "Failed"), pod("c", "Succeeded"), pod("d", "Failed")]
    given += [pod("e", "Succeeded", tracked=False)]
    first, second = sync(a_job(**BIG, status=status), given).writes
    assert lists(first) == ("ac", "bd")
    assert (first["succeeded"], first["failed"]) == (2, 2)
    assert (second["succeeded"], second["failed"]) == (4, 4)


def test_u44_released_pods_that_the_cache_still_shows_with_the_finalizer() -> None:
    given = [
        pod("a", "Succeeded"),
        pod("b", "Failed"),
        pod("c", "Succeeded"),
        pod("d", "Failed"),
        pod("g", "Succeeded"),
        pod("h", "Failed"),
    ]
    status = uncounted("g", "h", succeeded=4, failed=4)
    first, second = sync(a_job(**BIG, status=status), given, untracked="cdgh").writes
    assert lists(first) == ("a", "b")
    assert (first["succeeded"], first["failed"]) == (5, 5)
    assert (second["succeeded"], second["failed"]) == (6, 6)


def test_u45_a_success_releases_running_pods_without_counting_them() -> None:
    given = [pod("a", "Succeeded", 0), pod("b", "Failed", 1), pod("c", "Pending", 2)]
    rules = {"rules": [{"succeededIndexes": "0"}]}
    done = sync(an_indexed_job(3, successPolicy=rules), given)
    assert sorted(done.stripped) == ["a", "b", "c"]
    done.shows(S=1, F=1, delete=1, T=1, conditions=["SuccessCriteriaMet"])
    gone = an_indexed_job(3, successPolicy=rules, status=done.status)
    after = sync(gone, [])
    after.shows(S=1, F=1, T=0, conditions=COMPLETE)
    assert after.status["completionTime"] == write_time(NOW)


def test_u46_a_failure_counts_what_runs_as_failed() -> None:
    given = [pod("b", "Failed"), pod("c", "Running")]
    sync(a_job(parallelism=2, completions=2, backoffLimit=0), given).shows(F=2, strip=2)


def test_u47_a_job_that_is_deleted_does_not_count_what_runs() -> None:
    job = a_job(metadata={"deletionTimestamp": write_time(NOW)})
    sync(job, pods((1, "Running"))).shows(S=0, F=0, strip=1)


def test_u48_the_status_is_stored_before_any_finalizer_goes() -> None:
    done = sync(a_job(completions=2), [pod("a", "Succeeded")], unstrippable="a")
    done.shows(writes=1, S=0, strip=0)
    assert lists(done.status) == ("a", "")


def test_u49_where_no_finalizer_can_be_removed_the_lists_stay() -> None:
    given = [pod("a", "Succeeded"), pod("b", "Failed")]
    done = sync(a_job(parallelism=2, completions=2), given, unstrippable="ab")
    assert lists(done.status) == ("a", "b")
    done.shows(writes=1, S=0, F=0)
    again = sync(a_job(parallelism=2, completions=2, status=done.status), given)
    again.shows(S=1, F=1, strip=2)


def test_u50_released_pods_are_counted_whatever_happens_to_others() -> None:
    given = [pod("a", "Succeeded"), pod("b", "Failed"), pod("c", "Succeeded", tracked=False)]
    status = uncounted("c", "x")
    done = sync(a_job(**BIG, status=status), given, unstrippable="ab")
    assert lists(done.status) == ("a", "b")
    done.shows(S=1, F=1, writes=1)


def test_u51_successes_of_an_indexed_job_take_one_write() -> None:
    given = [
        pod("a", "Succeeded", 1),
        pod("b", "Succeeded", 3),
        pod("c", "Succeeded", 3),
        pod("d", "Succeeded"),
        *(a_pod("Running", index) for index in (0, 2, 4)),
    ]
    sync(an_indexed_job(5), given).shows(writes=1, S=2, CI="1,3", strip=4)


def test_u52_indexes_beyond_the_completions_are_forgotten() -> None:
    status = {"completedIndexes": "3", "succeeded": 1, "startTime": write_time(NOW)}
    sync(an_indexed_job(2, status=status)).shows(CI="", S=0)
    sync(an_indexed_job(2, status=status), [pod("a", "Succeeded", 1)]).shows(CI="1", S=1)


def test_u53_every_failure_of_an_index_counts() -> None:
    given = [
        pod("a", "Failed", 1),
        pod("b", "Failed", 3),
        pod("c", "Failed", 3),
        pod("d", "Failed"),
    ]
    sync(an_indexed_job(5), given).shows(F=3, strip=4)


def test_u54_new_indexes_are_merged_into_those_that_are_stored() -> None:
    status = {"completedIndexes": "0-2,4,6,7", "succeeded": 6, "startTime": write_time(NOW - 9)}
    given = [
        pod("a", "Succeeded", 1),
        pod("b", "Succeeded", 3),
        pod("c", "Failed", 2),  # Kubernetes counts it, even if it is the Pod that succeeded
        pod("d", "Failed", 5),
    ]
    sync(an_indexed_job(7, status=status), given).shows(CI="0-4,6", S=6, F=1)


def test_u55_one_sync_writes_down_so_many_and_no_more() -> None:
    given = [*pods((500, "Succeeded")), pod("b", "Failed")]
    job = a_job(parallelism=9, completions=900, status=uncounted("", "ab"))
    done = sync(job, given)
    done.shows(strip=499, S=499, F=1)
    assert lists(done.status) == ("", "b")
    assert done.requeue_after is not None


def test_u56_so_it_is_with_indexes() -> None:
    given = [a_pod("Succeeded", index) for index in range(501)]
    sync(an_indexed_job(501), given).shows(CI="0-499", S=500, strip=500, conditions=COMPLETE[:1])


def test_the_rest_is_recorded_by_the_next_sync() -> None:
    settings = ControllerSettings(max_uncounted=2)
    given = [pod(name, "Succeeded", 2 - index) for index, name in enumerate("abc")]
    first = sync(an_indexed_job(3), given, settings=settings)
    first.shows(S=2, CI="0,1", conditions=["SuccessCriteriaMet"])
    left = [entry for entry in given if entry["metadata"]["name"] not in first.stripped]
    second = sync(an_indexed_job(3, status=first.status), left, settings=settings)
    second.shows(S=3, conditions=COMPLETE)


def test_pods_that_fill_the_list_do_not_wait_for_those_that_find_no_room() -> None:
    # A controller died after it had recorded as many Pods as it may, or no finalizer could be removed.
    given = [pod("c", "Succeeded"), pod("a", "Succeeded"), pod("b", "Failed")]
    job = a_job(parallelism=3, completions=9, status=uncounted("a", "b"))
    done = sync(job, given, settings=ControllerSettings(max_uncounted=2))
    done.shows(strip=2, S=1, F=1)
    assert done.requeue_after is not None


def test_u57_a_pod_that_was_counted_as_failed_stays_so() -> None:
    job = a_job(parallelism=2, completions=2, status=uncounted("", "a"))
    sync(job, [pod("a", "Succeeded")]).shows(S=0, F=1, strip=1)
    indexed = an_indexed_job(1, status=uncounted("", "a"))
    # The index has not succeeded either: it is run again.
    sync(indexed, [pod("a", "Succeeded", 0)]).shows(S=0, F=1, CI="", indexes=[0])


@pytest.mark.parametrize(
    ("kind", "given"), [("FailureTarget", "Failed"), ("SuccessCriteriaMet", "Succeeded")]
)
def test_u58_a_pod_that_is_terminating_keeps_the_job_from_its_end(kind: str, given: str) -> None:
    job = a_job(
        completions=1,
        podReplacementPolicy="Failed",
        status={"conditions": [with_condition(kind)], "startTime": write_time(NOW)},
    )
    done = sync(job, pods((1, given), (1, "Terminating")))
    assert lists(done.status) == ("", "")
    done.shows(conditions=[kind], T=1)
    assert not done.finished


def limited(**more: Any) -> dict[str, Any]:
    return an_indexed_job(2, backoffLimitPerIndex=1, **more)


def test_u59_a_failed_pod_stays_until_it_is_replaced() -> None:
    given = [pod("a", "Failed", 0, finished=NOW), pod("b", "Running", 1)]
    sync(limited(), given).shows(strip=0, F=0, FI="", create=0)


def test_u60_once_it_is_replaced_it_is_counted() -> None:
    given = [pod("a", "Failed", 0), pod("b", "Running", 1), pod("c", "Running", 0, failures=1)]
    sync(limited(), given).shows(strip=1, F=1, FI="")


def test_u61_once_its_index_has_failed_it_is_counted() -> None:
    given = [pod("a", "Failed", 0, failures=1), pod("b", "Running", 1)]
    sync(limited(), given).shows(strip=1, F=1, FI="0")


def test_u62_only_the_pods_that_lost_their_finalizer_move_into_the_counters() -> None:
    given = [pod("a", "Succeeded"), pod("b", "Succeeded"), pod("c", "Failed")]
    done = sync(a_job(**BIG), given, unstrippable="b")
    assert lists(done.status) == ("b", "")
    done.shows(S=1, F=1, writes=2)


def test_the_lists_are_the_ones_of_the_pods_given() -> None:
    given = pods((2, "Succeeded"))
    first = sync(a_job(completions=9), given).writes[0]
    assert first["uncountedTerminatedPods"]["succeeded"] == uids(*given)
