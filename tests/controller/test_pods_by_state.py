"""Pods that are kept current by each change are seen as if they were read anew."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import ACTIVE, POD_FAILED, POD_SUCCEEDED, TERMINATING, Pod
from jobsworth.controller.pods_by_state import PodsByState

STATES = (ACTIVE, TERMINATING, POD_FAILED, POD_SUCCEEDED)
SIZES = st.integers(1, 9)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "change", "remove", "done"]),
        st.integers(0, 7),
        st.integers(-1, 9),
        st.sampled_from(STATES),
        st.booleans(),
        SIZES,
    ),
    max_size=30,
)


@given(CHANGES)
def test_each_answer_is_that_of_a_fresh_reading(
    changes: list[tuple[str, int, int, int, bool, int]],
) -> None:
    kept, pods, done = PodsByState(), dict[str, Pod](), IndexSet()
    for step, (what, which, index, state, ready, size) in enumerate(changes):
        known = list(pods)[which % len(pods)] if pods else None
        if what == "add":
            name = f"pod-{step}"
            pods[name] = Pod("default", name, name, index=index, state=state, ready=ready)
            kept.put(pods[name])
        elif what == "done" and index >= 0:
            done = done.union(IndexSet.of([index]))
        elif known is not None and what == "remove":
            del pods[known]
            kept.remove(known)
        elif known is not None and what == "change":
            pods[known] = replace(pods[known], state=state, ready=ready)
            kept.put(pods[known])
        fresh = PodsByState(pods.values())
        assert len(kept) == len(fresh) == len(pods)
        assert kept.all() == fresh.all() == list(pods.values())
        assert kept.in_order(kept.active) == list(fresh.active)
        assert kept.in_order(kept.others) == list(fresh.others)
        assert kept.ready == fresh.ready
        assert kept.indexes == fresh.indexes
        assert kept.are_distinct(size) == fresh.are_distinct(size)
        assert list(kept.free(done, size)) == list(fresh.free(done, size))
        assert [kept.get(uid) for uid in pods] == list(pods.values())
        assert kept.get("absent") is None


def test_only_the_first_free_indexes_need_to_be_asked_for() -> None:
    pods = PodsByState()
    for index in range(5):
        pods.put(Pod("default", f"{index}", f"{index}", index=index))
    free = pods.free(IndexSet(), 10)
    assert [next(free), next(free)] == [5, 6]
    pods.remove("3")
    assert next(pods.free(IndexSet(), 10)) == 3
    assert list(pods.free(IndexSet.of([3, 7]), 10)) == [5, 6, 8, 9]
