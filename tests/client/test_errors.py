"""API errors: their meaning for programs, and their text for users."""

from __future__ import annotations

import math
from typing import Any

import pytest

from jobsworth.client.api_errors import UNREACHABLE, ApiError, NotConfigured, error_of


@pytest.mark.parametrize(
    ("code", "body", "trait"),
    [
        (409, {"reason": "Conflict"}, "conflict"),
        (404, {"reason": "NotFound"}, "not_found"),
        (
            403,
            {"details": {"causes": [{"reason": "NamespaceTerminating"}]}},
            "namespace_terminating",
        ),
        (422, {"message": "metadata.uid: Invalid value"}, "another_object"),
    ],
)
def test_meanings_of_errors(code: int, body: dict[str, object], trait: str) -> None:
    assert getattr(error_of(code, body), trait)
    assert not getattr(error_of(500, "broken"), trait)


def test_already_exists_is_no_conflict() -> None:
    assert not error_of(409, {"reason": "AlreadyExists"}).conflict


@pytest.mark.parametrize(
    ("code", "uncertain"),
    [(UNREACHABLE, True), (200, True), (400, False), (404, False), (409, False), (429, False),
     (500, True), (504, True)],
)  # fmt: skip
def test_a_call_may_have_been_carried_out_unless_the_server_says_no(
    code: int, uncertain: bool
) -> None:
    assert ApiError(code, "", "").may_have_been_carried_out is uncertain


def test_without_a_configuration_nothing_is_carried_out() -> None:
    assert not NotConfigured("no cluster is known").may_have_been_carried_out


def test_a_status_has_the_retry_delay_and_the_continue_token() -> None:
    status = {"metadata": {"continue": "there"}, "details": {"retryAfterSeconds": 3}}
    error = error_of(410, status)
    assert (error.retry_after, error.continue_token, error.expired) == (3, "there", True)


def test_the_header_counts_for_more_than_the_status() -> None:
    assert error_of(429, {"details": {"retryAfterSeconds": 3}}, 1.0).retry_after == 1


@pytest.mark.parametrize(
    ("asked", "waited"),
    [(3, 3), (30, 30), (31, 30), (1e9, 30), (math.inf, 30), (-5, None), (math.nan, None)],
)
def test_a_server_cannot_ask_for_more_than_a_short_wait(asked: float, waited: float | None) -> None:
    assert error_of(429, {"details": {"retryAfterSeconds": asked}}).retry_after == waited
    assert error_of(503, "busy", asked).retry_after == waited


def test_users_get_the_explanation_and_programs_the_message() -> None:
    error = ApiError(403, "Forbidden", "secrets is forbidden").while_trying_to("read Secret a/b")
    assert str(error) == "cannot read Secret a/b: secrets is forbidden"
    assert error.message == "secrets is forbidden"


def test_no_answer_writes_to_the_terminal_what_it_likes() -> None:
    for answer in ({"message": "a\x1b[2Jb\nc"}, "a\x1b[2Jb\nc"):
        assert str(error_of(500, answer)) == "a [2Jb c"


@pytest.mark.parametrize(
    "answer",
    [None, [], 3, "", {}, {"metadata": 3, "details": [1]}, {"details": {"causes": [1, None]}},
     {"details": {"causes": 7, "retryAfterSeconds": "soon"}}, {"message": ["a"], "reason": {}}],
)  # fmt: skip
def test_every_answer_becomes_an_error_with_a_text(answer: Any) -> None:
    assert str(error_of(500, answer))
