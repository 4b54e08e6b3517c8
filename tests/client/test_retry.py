"""After which errors a call is made again, and when."""

from __future__ import annotations

import pytest

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.retry import MAX_WAIT, Backoff, Retry


def error(code: int, retry_after: float | None = None) -> ApiError:
    return ApiError(code, "", "", retry_after)


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_server_sets_the_retry_delay(code: int) -> None:
    assert Retry().delay(error(code, 2.0), 1, read=False) == 2
    assert Retry().delay(error(code, 3600.0), 1, read=False) == MAX_WAIT


@pytest.mark.parametrize("code", [UNREACHABLE, 400, 403, 404, 409, 410, 422])
def test_a_rejection_is_final_and_a_lost_call_is_not_repeated(code: int) -> None:
    assert Retry(reads_while_busy=True).delay(error(code, 1.0), 1, read=True) is None


def test_a_caller_that_cannot_wait_gives_up() -> None:
    assert Retry(1).delay(error(503, 1.0), 1, read=True) is None


def test_tries_are_counted() -> None:
    delays = [Retry(3).delay(error(429, 1.0), tried, read=True) for tried in (1, 2, 3)]
    assert delays == [1, 1, None]


def test_only_reads_are_tried_again_unasked_and_only_if_wanted() -> None:
    patient = Retry(4, reads_while_busy=True)
    assert [patient.delay(error(502), tried, read=True) for tried in (1, 2, 3, 4)] == [
        1,
        2,
        4,
        None,
    ]
    assert patient.delay(error(502), 1, read=False) is None
    assert Retry(4).delay(error(502), 1, read=True) is None


def test_rejected_credentials_are_refreshed_once() -> None:
    assert Retry(1).delay(error(401), 1, read=False) == 0
    assert Retry(5).delay(error(401), 2, read=False) is None


def test_delays_double_and_begin_anew_when_all_has_been_well_for_a_while() -> None:
    now = [0.0]
    backoff = Backoff(1, 5, steady_after=10, clock=lambda: now[0], chance=lambda: 0.0)
    assert [backoff.next() for _ in range(5)] == [1, 2, 4, 5, 5]
    now[0] = 11
    assert backoff.next() == 1


def test_a_pause_is_at_least_as_long_as_the_server_asks() -> None:
    busy = ApiError(429, "TooManyRequests", "busy", retry_after=20)
    backoff = Backoff(1, 8, chance=lambda: 0.5)
    assert [backoff.after(busy), backoff.next(), backoff.next()] == [20, 3.0, 6.0]
    assert backoff.after(ApiError(503, "", "")) == 12.0
