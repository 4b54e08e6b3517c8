"""The webhook by HTTP, without a socket: what is not an AdmissionReview gets a 4xx and a clear body."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.admission.application import MAX_BYTES, create_application
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.review import BadReview
from jobsworth.admission.webhook import Webhook
from support.admission.admission_reviews import body_of, response_of
from support.admission.mutated_reviews import ODD_TEXTS, Mutator
from support.admission.webhook_client import SERVER, WebhookClient, policies
from support.law_examples import number_of_examples
from support.validation.engine_errors import job_with

CLIENT = WebhookClient(Reviewer(SERVER, policies({"limits": {"backoffLimit": {"maximum": 6}}})))
JSON = {"Content-Type": "application/json"}
GOOD = body_of(job_with())


@pytest.fixture
def client() -> FlaskClient:
    return create_application(CLIENT.webhook).test_client()


def ask(client: FlaskClient, path: str, body: bytes, **headers: str) -> Any:
    return client.post(path, data=body, headers={**JSON, **headers})


@pytest.mark.parametrize("path", ["/validate", "/mutate", "/validate?timeout=10s"])
def test_a_review_is_answered(client: FlaskClient, path: str) -> None:
    answer = ask(client, path, GOOD)
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert response_of(answer.data)["allowed"]


@pytest.mark.parametrize(
    ("headers", "body", "code", "message"),
    [
        ({"Content-Type": "text/plain"}, GOOD, 415, 'expected content type application/json, got "text/plain"'),
        ({"Content-Type": ""}, GOOD, 415, "expected content type application/json"),
        ({"Content-Type": "application/jsonp"}, GOOD, 415, "expected content type"),
        ({"Content-Encoding": "gzip"}, GOOD, 415, 'content encoding "gzip" is not supported'),
        ({}, b"", 400, "the body is empty"),
        ({}, b"no", 400, "not JSON"),
        ({}, b" " * (MAX_BYTES + 1), 413, f"send at most {MAX_BYTES} bytes"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_review_gets_a_clear_error(
    client: FlaskClient, headers: dict[str, str], body: bytes, code: int, message: str
) -> None:
    answer = ask(client, "/validate", body, **headers)
    assert answer.status_code == code
    status = answer.get_json()
    assert (status["kind"], status["code"]) == ("Status", code)
    assert message in status["message"]
    assert CLIENT.outcomes[-1].answer.verdict == "bad_request"
    assert message in CLIENT.outcomes[-1].error


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_a_content_type_may_have_parameters_and_capitals(
    client: FlaskClient, media_type: str
) -> None:
    assert ask(client, "/validate", GOOD, **{"Content-Type": media_type}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/validate", 405),
        ("PUT", "/mutate", 405),
        ("OPTIONS", "/mutate", 405),
        ("HEAD", "/validate", 405),
        ("GET", "/", 404),
        ("POST", "/validate/", 404),
        ("POST", "/metrics", 404),
        ("GET", "/healthz", 404),
        ("POST", "//validate", 404),
        ("POST", "/%76alidate/../x", 404),
    ],
)
def test_there_is_nothing_else(client: FlaskClient, method: str, path: str, code: int) -> None:
    answer = client.open(path, method=method, headers=JSON)
    assert answer.status_code == code
    if method != "HEAD":
        message = answer.get_json()["message"]
        assert "POST an AdmissionReview to /mutate or /validate" in message
        assert ("--monitor-bind" in message) == (code == 404)


@pytest.mark.parametrize("body", ODD_TEXTS, ids=lambda body: repr(body[:20]))
def test_odd_texts_are_bad_requests(client: FlaskClient, body: bytes) -> None:
    assert ask(client, "/validate", body).status_code == 400


@given(st.binary(max_size=300))
@settings(max_examples=number_of_examples(25))
def test_any_bytes_are_answered_with_a_4xx(body: bytes) -> None:
    answer = ask(create_application(CLIENT.webhook).test_client(), "/mutate", body)
    assert 400 <= answer.status_code < 500
    assert answer.get_json()["message"]


@pytest.mark.slow
def test_malformed_reviews_are_answered_or_rejected_and_never_fail() -> None:
    from jobsworth.files.policies.policy_files import load_policies

    client = WebhookClient(Reviewer(SERVER, load_policies(["policies"])))
    mutator = Mutator(seed=11)
    for _ in range(1500):
        endpoint, body = mutator.endpoint(), mutator.body()
        with suppress(BadReview):
            assert isinstance(response_of(client.webhook.answer(endpoint, body))["allowed"], bool)
    verdicts = {outcome.answer.verdict for outcome in client.outcomes}
    assert verdicts == {"allowed", "bad_request", "denied", "invalid", "patched", "untouched"}


def test_an_object_nested_too_deeply_is_a_bad_request(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def descend(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(Reviewer, "validate", descend)
    answer = ask(client, "/validate", GOOD)
    assert answer.status_code == 400
    assert answer.get_json()["message"] == "the object is nested too deeply: reduce its depth"


def test_a_webhook_can_change_its_reviewer_between_requests() -> None:
    strict = Reviewer(SERVER, policies({"limits": {"backoffLimit": {"maximum": 1}}}))
    reviewers = iter([strict, Reviewer(SERVER, policies())])
    webhook = Webhook(lambda: next(reviewers), lambda outcome: None)
    allowed = [response_of(webhook.answer("validate", GOOD))["allowed"] for _ in range(2)]
    assert allowed == [False, True]
