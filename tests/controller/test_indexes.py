"""Classification of completion indexes: succeeded, failed, delayed by backoff, or next."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats import indexes as api_indexes
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import read_job
from jobsworth.controller.pod_classification import classify_indexes, classify_pods
from jobsworth.controller.pods import read_pod
from jobsworth.controller.times import write_time
from support.controller.job_syncs import NOW, SETTINGS, a_job, a_pod, an_indexed_job, sync


def succeeded(*indexes: Any) -> list[dict[str, Any]]:
    return [a_pod("Succeeded", index) for index in indexes]


def failed(*indexes: Any, failures: int = 0) -> list[dict[str, Any]]:
    return [a_pod("Failed", index, failures=failures) for index in indexes]


def taken(pods: list[dict[str, Any]], size: int = 10, untracked: Any = (), **more: Any) -> Any:
    status = more.pop("status", {})
    job = read_job(an_indexed_job(size, status=status, **more), SETTINGS)
    classified = classify_pods(job, [read_pod(pod, SETTINGS) for pod in pods], frozenset(untracked))
    return classify_indexes(classified)


@pytest.mark.parametrize(
    ("stored", "pods", "text"),
    [
        ("", [], ""),
        ("0-3", [], "0-3"),
        ("", succeeded(3), "3"),
        ("0,1,3", succeeded(2), "0-3"),
        ("4-6", succeeded(3, 7), "3-7"),
        ("0", succeeded(0, 0, 2, 2), "0,2"),
        ("0", succeeded(None, "x", -1), "0"),
        ("0", succeeded(10, 11), "0"),
        ("0-12", [], "0-9"),
        ("5,12", [], "5"),
        ("0,1-foo,bar", succeeded(3), "0,3"),
        ("0", [a_pod("Succeeded", 4, tracked=False), a_pod("Running", 5)], "0"),
    ],
)
def test_u101_succeeded_indexes(stored: str, pods: list[dict[str, Any]], text: str) -> None:
    assert taken(pods, status={"completedIndexes": stored}).succeeded.text == text


@pytest.mark.parametrize(
    ("stored", "pods", "size", "text"),
    [
        ("", failed(1), 10, ""),
        ("", failed(1, failures=1), 10, "1"),
        ("", [a_pod("Failed", 1, failures=1, tracked=False)], 10, ""),
        ("", failed(10, failures=1), 10, ""),
        ("0", failed(1, failures=1), 10, "0,1"),
        ("9", [], 2, ""),
    ],
)
def test_u102_failed_indexes(stored: str, pods: list[dict[str, Any]], size: int, text: str) -> None:
    indexes = taken(pods, size, status={"failedIndexes": stored}, backoffLimitPerIndex=1)
    assert indexes.failed.text == text


def test_u102_a_rule_can_fail_an_index() -> None:
    rule = {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}}
    policy = {"rules": [rule]}
    assert taken(failed(4), backoffLimitPerIndex=1, podFailurePolicy=policy).failed.text == "4"


def delayed_pod(name: str, index: int, failures: int, ended: int = 0) -> dict[str, Any]:
    return a_pod("Failed", index, name=name, failures=failures, finished=NOW - ended)


@pytest.mark.parametrize(
    ("pods", "delayed"),
    [
        ([], {}),
        ([delayed_pod("a", 0, 0)], {0: "a"}),
        ([a_pod("Failed", 0, tracked=False)], {}),
        ([delayed_pod("gone", 0, 0)], {}),
        (failed(10), {}),
        ([delayed_pod("a", 0, 0), a_pod("Running", 0)], {}),
        ([delayed_pod("a", 0, 0), *succeeded(0)], {}),
        ([delayed_pod("a", 0, 3)], {}),
        ([delayed_pod("a", 0, 0), delayed_pod("b", 0, 2), delayed_pod("c", 0, 1)], {0: "b"}),
        ([delayed_pod("a", 0, 1, ended=9), delayed_pod("b", 0, 1, ended=5)], {0: "b"}),
        ([delayed_pod("a", 0, 1, ended=5), delayed_pod("b", 0, 1, ended=9)], {0: "a"}),
        ([delayed_pod("a", 0, 1), delayed_pod("b", 0, 1)], {0: "b"}),
    ],
)
def test_u103_the_pod_that_carries_most_failures_waits_for_its_successor(
    pods: list[dict[str, Any]], delayed: dict[int, str]
) -> None:
    found = taken(pods, untracked=["uid-gone"], backoffLimitPerIndex=3).delayed
    assert {index: pod.name for index, pod in found.items()} == delayed


IGNORING = {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [3]}}]}


@pytest.mark.parametrize(
    ("pods", "counts"),
    [
        ([], (0, 0)),
        ([a_pod("Failed", 0, failures=0)], (1, 0)),
        ([a_pod("Failed", 0, failures=3)], (4, 0)),
        ([a_pod("Failed", 0, failures=3, exit_code=3)], (3, 1)),
        ([a_pod("Failed", 0, failures=3, ignored=2, exit_code=3)], (3, 3)),
    ],
)
def test_u104_the_successor_continues_the_counts(pods: Any, counts: tuple[int, int]) -> None:
    job = an_indexed_job(1, backoffLimitPerIndex=9, podFailurePolicy=IGNORING)
    (creation,) = sync(job, pods).plan.creations
    assert (creation.failure_count, creation.ignored_count) == counts


def waiting(index: int, failures: int, ago: float = 0) -> dict[str, Any]:
    return a_pod("Failed", index, failures=failures, finished=int(NOW - ago))


@pytest.mark.parametrize(
    ("pods", "now", "created", "wait"),
    [
        ([], NOW, [0, 1, 2], None),
        ([waiting(1, 0)], NOW, [0, 2], 10.0),
        ([waiting(0, 1), waiting(1, 0), waiting(2, 2)], NOW, [], 10.0),
        ([waiting(0, 1), waiting(1, 0), waiting(2, 2)], NOW + 1, [], 9.0),
        ([waiting(0, 1), waiting(1, 0), waiting(2, 2)], NOW + 9.5, [], 1.0),
        ([waiting(0, 1), waiting(1, 0), waiting(2, 2)], NOW + 10, [1], 10.0),
    ],
)
def test_u105_each_index_waits_for_itself(
    pods: Any, now: float, created: list[int], wait: float | None
) -> None:
    job = an_indexed_job(3, backoffLimitPerIndex=9)
    sync(job, pods, now=now).shows(indexes=created, requeue=wait)


@pytest.mark.parametrize(
    ("active", "stored", "failed_indexes", "parallelism", "created"),
    [
        ([], "", None, 3, [0, 1, 2]),
        ([0], "", None, 3, [1, 2]),
        ([], "0-2", None, 3, [3, 4, 5]),
        ([3, 5, 8], "2-4,9", None, 8, [0, 1, 6, 7, 10]),
        ([3, 9], "1,5,9", "2,6,7", 7, [0, 4, 8, 10, 11]),
        ([], "0-18", None, 5, [19]),
    ],
)
def test_u106_the_lowest_free_indexes_are_next(
    active: Any, stored: str, failed_indexes: str | None, parallelism: int, created: list[int]
) -> None:
    spec = {} if failed_indexes is None else {"backoffLimitPerIndex": 1}
    done = IndexSet.read(stored, 20)
    status = {"completedIndexes": stored, "succeeded": len(done)}
    if failed_indexes is not None:
        status["failedIndexes"] = failed_indexes
    job = an_indexed_job(20, parallelism, status=status, **spec)
    sync(job, [a_pod("Running", index) for index in active]).shows(indexes=created)


@pytest.mark.parametrize(
    ("pods", "deleted"),
    [
        ([a_pod(name="a"), a_pod(index=-1, name="b"), a_pod(index=5, name="c")], ["a", "b", "c"]),
        ([a_pod("Running", 1, name="a"), a_pod("Pending", 1, name="b")], ["b"]),
        (
            [
                a_pod("Pending", 1, name="a"),
                a_pod("Running", 1, name="b", ready=True),
                a_pod("Running", 1, name="c"),
                a_pod("Running", 2, name="d"),
            ],
            ["a", "c"],
        ),
    ],
)
def test_u107_of_doubles_the_best_stays(pods: Any, deleted: list[str]) -> None:
    assert sorted(sync(an_indexed_job(5), pods).deleted) == deleted


def test_an_index_that_left_and_came_back_is_run_again() -> None:
    job = an_indexed_job(3, status={"completedIndexes": "0,2", "succeeded": 2})
    job["spec"] |= {"completions": 2, "parallelism": 2}
    smaller = sync(job, [a_pod("Running", 1)])
    smaller.shows(CI="0", S=1, create=0)
    job["status"] = smaller.status
    job["spec"] |= {"completions": 3, "parallelism": 3}
    sync(job, [a_pod("Running", 1)]).shows(indexes=[2])


def ready_since(seconds: int | None) -> dict[str, Any]:
    pod = a_pod("Running", ready=True)
    if seconds is not None:
        pod["status"]["conditions"][0]["lastTransitionTime"] = write_time(seconds)
    return pod


def created(seconds: int | None) -> dict[str, Any]:
    pod = a_pod("Running")
    pod["metadata"]["creationTimestamp"] = None if seconds is None else write_time(seconds)
    return pod


def sidecar_restarted(times: int) -> dict[str, Any]:
    pod = a_pod("Running")
    pod["spec"]["initContainers"] = [{"name": "proxy", "restartPolicy": "Always"}]
    pod["status"]["initContainerStatuses"] = [{"name": "proxy", "restartCount": times}]
    return pod


ON_A_NODE = {"spec": {"nodeName": "node"}}
RANKS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "what was let go of": (a_pod("Running", tracked=False, ready=True), a_pod("Pending")),
    "what has no node": (a_pod("Running", spec={"nodeName": ""}), a_pod("Pending", **ON_A_NODE)),
    "pending before unknown": (a_pod("Pending", **ON_A_NODE), a_pod("Unknown", **ON_A_NODE)),
    "unknown before running": (a_pod("Unknown", **ON_A_NODE), a_pod("Running")),
    "not ready before ready": (
        a_pod("Running", restarts=0),
        a_pod("Running", ready=True, restarts=9),
    ),
    "ready since it is not known when": (ready_since(None), ready_since(NOW)),
    "ready for less time": (ready_since(NOW - 5), ready_since(NOW - 9)),
    "restarted more often": (a_pod("Running", restarts=3), a_pod("Running", restarts=2)),
    "a container's restarts before a sidecar's": (
        a_pod("Running", restarts=1),
        sidecar_restarted(5),
    ),
    "a sidecar that restarted more often": (sidecar_restarted(2), sidecar_restarted(1)),
    "created it is not known when": (created(None), created(NOW)),
    "newer": (created(NOW - 5), created(NOW - 9)),
}


@pytest.mark.parametrize(("worse", "better"), RANKS.values(), ids=RANKS)
def test_the_order_of_deletions(worse: dict[str, Any], better: dict[str, Any]) -> None:
    worse["metadata"]["name"], better["metadata"]["name"] = "z", "a"
    job = a_job(parallelism=1, completions=9)
    for order in ([worse, better], [better, worse]):
        assert sync(job, order).deleted == ["z"]


def test_of_equals_the_first_by_name_is_deleted() -> None:
    given = [a_pod(name="b"), a_pod(name="a"), a_pod(name="c")]
    assert sync(a_job(parallelism=2, completions=9), given).deleted == ["a"]


sets = st.sets(st.integers(0, 60))


@given(sets)
def test_a_set_of_indexes_is_what_it_is_written_as(indexes: set[int]) -> None:
    written = IndexSet.of(indexes).text
    assert IndexSet.read(written, 61) == IndexSet.of(indexes)
    assert api_indexes.count(written, 61) == len(indexes)


@given(sets, sets, st.integers(0, 60))
def test_sets_of_indexes_are_sets(one: set[int], other: set[int], limit: int) -> None:
    mine, theirs = IndexSet.of(one), IndexSet.of(other)
    assert mine.union(theirs) == IndexSet.of(one | other)
    assert mine.overlap(theirs) == len(one & other)
    assert len(mine) == len(one)
    assert {index for index in range(61) if index in mine} == one
    assert [*mine.absent(limit)] == sorted({*range(limit)} - one)
    assert IndexSet.read(mine.text, limit) == IndexSet.of({i for i in one if i < limit})


@given(st.text("0123456789-,x+ ", max_size=30))
def test_any_text_can_be_read_for_indexes(text: str) -> None:
    read = IndexSet.read(text, 50)
    assert api_indexes.count(read.text, 50) == len(read)


@given(
    st.sets(st.integers(0, 400), min_size=60),
    st.sets(st.integers(0, 410), max_size=3),
    st.integers(0, 420),
)
def test_few_indexes_join_a_set_of_many_and_its_text_is_read_back(
    many: set[int], few: set[int], limit: int
) -> None:
    """The newly succeeded indexes of a large Job, whose list the next sync reads back."""
    union = IndexSet.of(many).union(IndexSet.of(few))
    assert union == IndexSet.of(many | few)
    assert IndexSet.read(union.text, limit) == IndexSet.of(
        index for index in many | few if index < limit
    )
