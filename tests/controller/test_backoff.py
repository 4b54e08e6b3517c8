"""The backoff: counted failures, and the delay before the next Pod."""

from __future__ import annotations

import pytest

from jobsworth.controller.backoff import BackoffRecord, index_remaining, remaining
from jobsworth.controller.pods import Pod
from jobsworth.controller.settings import ControllerSettings
from support.controller.job_syncs import NOW

SHORT = ControllerSettings(backoff_base=5.0, backoff_cap=700.0)


def pod(finished: int, **more: int) -> Pod:
    return Pod("default", f"pod-{finished}", f"uid-{finished}", finished_at=finished, **more)


@pytest.mark.parametrize(
    ("record", "succeeded", "failed", "after"),
    [
        (BackoffRecord(), [], [], BackoffRecord()),
        (BackoffRecord(3, 7), [], [], BackoffRecord(3, 7)),
        (BackoffRecord(), [], [10], BackoffRecord(1, 10)),
        (BackoffRecord(), [], [20, 10], BackoffRecord(2, 20)),
        (BackoffRecord(), [30], [10, 20], BackoffRecord(0, None, 30)),
        (BackoffRecord(), [20], [5, 10, 30, 40], BackoffRecord(2, 40, 20)),
        (BackoffRecord(2, 5), [], [10], BackoffRecord(3, 10)),
        (
            BackoffRecord(2, 15),
            [],
            [10],
            BackoffRecord(3, 15),
        ),  # which is known later than it finished
        (BackoffRecord(), [10], [10], BackoffRecord(0, None, 10)),
        (BackoffRecord(4, 9), [10], [], BackoffRecord(0, None, 10)),
    ],
)
def test_u98_failures_in_a_row(
    record: BackoffRecord, succeeded: list[int], failed: list[int], after: BackoffRecord
) -> None:
    assert record.after([*map(pod, succeeded)], [*map(pod, failed)]) == after


def test_a_success_that_comes_again_ends_no_other_row() -> None:
    # Its finalizer could not be removed, so that it is there at every sync.
    stuck = [pod(10)]
    record = BackoffRecord().after(stuck, [pod(20)])
    assert record.after(stuck, [pod(30)]) == BackoffRecord(2, 30, 10)
    assert record.after([*stuck, pod(25)], []) == BackoffRecord(0, None, 25)


@pytest.mark.parametrize(
    ("failures", "ago", "left"),
    [
        (0, 0, 0),
        (1, 0, 5),
        (1, 1, 4),
        (1, 5, 0),
        (1, 6, 0),
        (2, 0, 10),
        (3, 0, 20),
        (8, 0, 640),
        (9, 0, 700),
        (10**9, 0, 700),
    ],
)
def test_u100_the_delay_doubles_up_to_a_cap(failures: int, ago: int, left: int) -> None:
    assert remaining(failures, NOW - ago, NOW, SHORT) == left
    assert BackoffRecord(failures, NOW - ago).remaining(NOW, SHORT) == left


@pytest.mark.parametrize(("counted", "ignored"), [(2, 0), (1, 1)])
def test_u100_an_index_waits_by_what_its_pod_carries(counted: int, ignored: int) -> None:
    last = pod(NOW, failure_count=counted, ignored_count=ignored)
    assert index_remaining(last, NOW, SHORT) == 20
    assert index_remaining(None, NOW, SHORT) == 0
