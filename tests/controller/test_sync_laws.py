"""Laws that hold whatever fails, and wherever the controller dies."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.controller.status import read_status, write_status
from support.controller.job_syncs import a_job, an_indexed_job
from support.controller.single_job_cluster import SingleJobCluster
from support.law_examples import number_of_examples

KINDS = ["sync", "sync", "sync", "well", "badly", "badly", "delete", "observe", "tick"]


def stories(kinds: list[str]) -> Any:
    """Lists of steps of these kinds."""
    return st.lists(
        st.tuples(
            st.sampled_from(kinds),
            st.integers(0, 40),
            st.none() | st.integers(0, 8),
            st.frozensets(st.integers(1, 10), max_size=2),
        ),
        max_size=40,
    )


steps = stories(KINDS)
steps_with_any_phase = stories([*KINDS, "rewrite", "rewrite"])
sizes = st.tuples(st.integers(1, 4), st.integers(1, 5))
LATER = 700  # longer than any backoff


def live_through(cluster: SingleJobCluster, story: list[tuple[Any, ...]]) -> None:
    for kind, number, dies_after, rejections in story:
        running = cluster.running()
        chosen = running[number % len(running)] if running else None
        if kind == "sync":
            cluster.sync(dies_after=dies_after, rejections=rejections)
        elif kind == "tick":
            cluster.now += number
        elif kind == "observe":
            cluster.observe()
        elif kind == "rewrite":
            cluster.rewrite_phase(number)
        elif chosen is not None and kind == "delete":
            cluster.delete(chosen)
        elif chosen is not None:
            cluster.end(chosen, well=kind == "well")


def live_to_the_end(cluster: SingleJobCluster) -> None:
    """Nothing fails any more; every Pod ends well, unless it is being deleted."""
    for _ in range(80):
        if cluster.holds("Complete") or cluster.holds("Failed"):
            break
        cluster.observe()
        cluster.now += LATER
        cluster.sync()
        for name in cluster.terminating():
            cluster.end(name, well=False)
        cluster.sync()
        for name in cluster.running():
            cluster.end(name, well=True)
    cluster.observe()
    assert cluster.holds("Complete") != cluster.holds("Failed")


def ended(cluster: SingleJobCluster) -> int:
    status = cluster.job["status"]
    return int(status.get("succeeded", 0) + status.get("failed", 0))


def stored(cluster: SingleJobCluster) -> Any:
    return read_status(cluster.job["status"])


@settings(max_examples=number_of_examples(25), deadline=None)
@given(sizes, st.integers(0, 6), steps_with_any_phase)
def test_every_pod_is_counted_once(size: tuple[int, int], limit: int, story: Any) -> None:
    cluster = SingleJobCluster(a_job(parallelism=size[0], completions=size[1], backoffLimit=limit))
    live_through(cluster, story)
    live_to_the_end(cluster)
    assert ended(cluster) + cluster.released_early == cluster.created
    assert cluster.tracked == []


@settings(max_examples=number_of_examples(25), deadline=None)
@given(sizes, st.none() | st.integers(0, 2), st.none() | st.integers(0, 2), steps)
def test_so_it_is_with_indexes(
    size: tuple[int, int], per_index: int | None, most: int | None, story: Any
) -> None:
    spec: dict[str, Any] = {"backoffLimit": 1000}
    if per_index is not None:
        spec["backoffLimitPerIndex"] = per_index
        if most is not None:
            spec["maxFailedIndexes"] = most
    cluster = SingleJobCluster(an_indexed_job(size[1], size[0], **spec))
    live_through(cluster, story)
    live_to_the_end(cluster)
    assert ended(cluster) + cluster.released_early == cluster.created
    status = stored(cluster)
    assert cluster.tracked == []
    if cluster.holds("Complete"):
        assert status.succeeded == size[1]
    else:
        assert status.failed_indexes


@settings(max_examples=number_of_examples(25), deadline=None)
@given(sizes, st.none() | st.integers(0, 2), steps_with_any_phase)
def test_no_pod_with_an_index_is_counted_twice_whatever_its_phase_becomes(
    size: tuple[int, int], per_index: int | None, story: Any
) -> None:
    spec = {} if per_index is None else {"backoffLimitPerIndex": per_index}
    cluster = SingleJobCluster(an_indexed_job(size[1], size[0], **spec))
    live_through(cluster, story)
    live_to_the_end(cluster)
    assert ended(cluster) + cluster.released_early <= cluster.created
    assert cluster.tracked == []


@settings(max_examples=number_of_examples(20), deadline=None)
@given(sizes, st.sampled_from(["Failed", "TerminatingOrFailed"]), steps)
def test_never_more_pods_than_wanted_run(size: tuple[int, int], policy: str, story: Any) -> None:
    cluster = SingleJobCluster(
        an_indexed_job(size[1], size[0], podReplacementPolicy=policy, backoffLimit=1000)
    )
    for step in story:
        live_through(cluster, [step])
        running = cluster.running()
        if policy == "TerminatingOrFailed":
            running = [name for name in running if name not in cluster.terminating()]
        assert len(running) <= min(size)
        indexes = [cluster.pods[name]["metadata"]["labels"][INDEX] for name in running]
        assert len(set(indexes)) == len(indexes)


INDEX = "batch.kubernetes.io/job-completion-index"


@settings(max_examples=number_of_examples(20), deadline=None)
@given(sizes, steps, steps)
def test_a_suspension_loses_no_count(size: tuple[int, int], before: Any, after: Any) -> None:
    cluster = SingleJobCluster(a_job(parallelism=size[0], completions=size[1], backoffLimit=1000))
    live_through(cluster, before)
    cluster.job["spec"]["suspend"] = True
    live_through(cluster, after)
    cluster.observe()
    for _ in range(3):
        cluster.sync()
        for name in cluster.terminating():
            cluster.end(name, well=False)
    if not cluster.holds("Complete"):
        assert cluster.holds("Suspended")
        assert cluster.running() == []
        assert "startTime" not in cluster.job["status"]
    cluster.job["spec"]["suspend"] = False
    live_to_the_end(cluster)
    assert ended(cluster) + cluster.released_early == cluster.created


@settings(max_examples=number_of_examples(20), deadline=None)
@given(sizes, steps)
def test_a_sync_after_a_sync_has_nothing_to_do(size: tuple[int, int], story: Any) -> None:
    cluster = SingleJobCluster(a_job(parallelism=size[0], completions=size[1], backoffLimit=1000))
    live_through(cluster, story)
    for _ in range(5):  # what the story left, finished conditions and surplus included
        cluster.observe()
        cluster.sync()
    before = cluster.job["status"], [*cluster.pods]
    cluster.sync(dies_after=0)
    assert (cluster.job["status"], [*cluster.pods]) == before
    assert cluster.made == 0


@settings(max_examples=number_of_examples(30), deadline=None)
@given(sizes, steps)
def test_a_status_is_read_as_it_was_written(size: tuple[int, int], story: Any) -> None:
    cluster = SingleJobCluster(an_indexed_job(size[1], size[0], backoffLimitPerIndex=1))
    live_through(cluster, story)
    cluster.sync()
    assert write_status(stored(cluster)) == cluster.job["status"]
