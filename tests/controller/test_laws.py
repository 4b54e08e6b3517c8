"""Laws that hold whatever fails, and wherever the controller dies."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.controller.status import read_status, write_status
from support.controller.job_syncs import a_job, an_indexed_job
from support.controller.single_job_cluster import SingleJobCluster

kinds = st.sampled_from(
    ["sync", "sync", "sync", "well", "badly", "badly", "delete", "observe", "tick"]
)
steps = st.lists(
    st.tuples(
        kinds,
        st.integers(0, 40),
        st.none() | st.integers(0, 8),
        st.frozensets(st.integers(1, 10), max_size=2),
    ),
    max_size=40,
)
sizes = st.tuples(st.integers(1, 4), st.integers(1, 5))
LATER = 700  # longer than any backoff


def live_through(world: SingleJobCluster, story: list[tuple[Any, ...]]) -> None:
    for kind, number, dies_after, refusals in story:
        running = world.running()
        chosen = running[number % len(running)] if running else None
        if kind == "sync":
            world.sync(dies_after=dies_after, refusals=refusals)
        elif kind == "tick":
            world.now += number
        elif kind == "observe":
            world.observe()
        elif chosen is not None and kind == "delete":
            world.delete(chosen)
        elif chosen is not None:
            world.end(chosen, well=kind == "well")


def live_to_the_end(world: SingleJobCluster) -> None:
    """Nothing fails any more; every Pod ends well, unless it is being deleted."""
    for _ in range(80):
        if world.holds("Complete") or world.holds("Failed"):
            break
        world.observe()
        world.now += LATER
        world.sync()
        for name in world.terminating():
            world.end(name, well=False)
        world.sync()
        for name in world.running():
            world.end(name, well=True)
    world.observe()
    assert world.holds("Complete") != world.holds("Failed")


def ended(world: SingleJobCluster) -> int:
    status = world.job["status"]
    return int(status.get("succeeded", 0) + status.get("failed", 0))


def stored(world: SingleJobCluster) -> Any:
    return read_status(world.job["status"])


@settings(max_examples=150, deadline=None)
@given(sizes, st.integers(0, 6), steps)
def test_every_pod_is_counted_once(size: tuple[int, int], limit: int, story: Any) -> None:
    world = SingleJobCluster(a_job(parallelism=size[0], completions=size[1], backoffLimit=limit))
    live_through(world, story)
    live_to_the_end(world)
    assert ended(world) + world.let_go == world.created
    assert world.tracked == []


@settings(max_examples=150, deadline=None)
@given(sizes, st.none() | st.integers(0, 2), st.none() | st.integers(0, 2), steps)
def test_so_it_is_with_indexes(
    size: tuple[int, int], per_index: int | None, most: int | None, story: Any
) -> None:
    spec: dict[str, Any] = {"backoffLimit": 1000}
    if per_index is not None:
        spec["backoffLimitPerIndex"] = per_index
        if most is not None:
            spec["maxFailedIndexes"] = most
    world = SingleJobCluster(an_indexed_job(size[1], size[0], **spec))
    live_through(world, story)
    live_to_the_end(world)
    assert ended(world) + world.let_go == world.created
    status = stored(world)
    assert world.tracked == []
    if world.holds("Complete"):
        assert status.succeeded == size[1]
    else:
        assert status.failed_indexes


@settings(max_examples=100, deadline=None)
@given(sizes, st.sampled_from(["Failed", "TerminatingOrFailed"]), steps)
def test_never_more_pods_than_wanted_run(size: tuple[int, int], policy: str, story: Any) -> None:
    world = SingleJobCluster(
        an_indexed_job(size[1], size[0], podReplacementPolicy=policy, backoffLimit=1000)
    )
    for step in story:
        live_through(world, [step])
        running = world.running()
        if policy == "TerminatingOrFailed":
            running = [name for name in running if name not in world.terminating()]
        assert len(running) <= min(size)
        indexes = [world.pods[name]["metadata"]["labels"][INDEX] for name in running]
        assert len(set(indexes)) == len(indexes)


INDEX = "batch.kubernetes.io/job-completion-index"


@settings(max_examples=100, deadline=None)
@given(sizes, steps, steps)
def test_a_suspension_loses_no_count(size: tuple[int, int], before: Any, after: Any) -> None:
    world = SingleJobCluster(a_job(parallelism=size[0], completions=size[1], backoffLimit=1000))
    live_through(world, before)
    world.job["spec"]["suspend"] = True
    live_through(world, after)
    world.observe()
    for _ in range(3):
        world.sync()
        for name in world.terminating():
            world.end(name, well=False)
    if not world.holds("Complete"):
        assert world.holds("Suspended")
        assert world.running() == []
        assert "startTime" not in world.job["status"]
    world.job["spec"]["suspend"] = False
    live_to_the_end(world)
    assert ended(world) + world.let_go == world.created


@settings(max_examples=100, deadline=None)
@given(sizes, steps)
def test_a_sync_after_a_sync_has_nothing_to_do(size: tuple[int, int], story: Any) -> None:
    world = SingleJobCluster(a_job(parallelism=size[0], completions=size[1], backoffLimit=1000))
    live_through(world, story)
    for _ in range(5):  # what the story left, verdicts and surplus included
        world.observe()
        world.sync()
    before = world.job["status"], [*world.pods]
    world.sync(dies_after=0)
    assert (world.job["status"], [*world.pods]) == before
    assert world.made == 0


@settings(max_examples=60, deadline=None)
@given(sizes, steps)
def test_a_status_is_read_as_it_was_written(size: tuple[int, int], story: Any) -> None:
    world = SingleJobCluster(an_indexed_job(size[1], size[0], backoffLimitPerIndex=1))
    live_through(world, story)
    world.sync()
    assert write_status(stored(world)) == world.job["status"]
