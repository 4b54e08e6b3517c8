"""The Flask application: ``POST /mutate``, ``POST /validate``, and a ``Status`` for any other request."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus

from flask import Flask, Request, Response, request
from werkzeug.exceptions import HTTPException

from jobsworth.admission.outcome import ENDPOINTS, Endpoint
from jobsworth.admission.review import BadReview
from jobsworth.admission.webhook import Webhook

JSON = "application/json"
MAX_BYTES = 8 * 1024 * 1024
"""The longest request body that the webhook reads, in bytes.

An API server accepts objects of up to 3 MiB. An update carries the object twice, which leaves 2 MiB for
the other fields and for characters that Go escapes (``<`` becomes six bytes).
"""

ENDPOINT_BY_PATH = {f"/{endpoint}": endpoint for endpoint in ENDPOINTS}

REASONS = {
    400: "BadRequest", 404: "NotFound", 405: "MethodNotAllowed", 408: "Timeout", 413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType", 500: "InternalError", 503: "ServiceUnavailable",
}  # fmt: skip
"""``Status.reason`` of the API server by HTTP status code; for others it is BadRequest."""


def create_application(webhook: Webhook) -> Flask:
    """Return the Flask application that answers AdmissionReviews by HTTP.

    The server in front of it limits the time for a request, and the length of bodies without a length.
    """
    application = Flask("jobsworth.admission", static_folder=None)
    application.url_map.merge_slashes = False
    for path, endpoint in ENDPOINT_BY_PATH.items():
        application.add_url_rule(
            path,
            endpoint=endpoint,
            view_func=_view(webhook, endpoint),
            methods=["POST"],
            provide_automatic_options=False,
        )
    application.register_error_handler(BadReview, error_response)
    application.register_error_handler(HTTPException, _http_error_response)
    return application


def _view(webhook: Webhook, endpoint: Endpoint) -> Callable[[], Response]:
    def answer() -> Response:
        try:
            body = read_body(request)
        except BadReview as error:
            webhook.reject(endpoint, error)
            raise
        return Response(webhook.answer(endpoint, body), mimetype=JSON)

    return answer


def read_body(received: Request) -> bytes:
    """Return the body of a request whose content type is JSON.

    Raises:
        BadReview: the content type is not JSON, or the body is compressed, empty or too long.
    """
    if received.mimetype != JSON:
        raise BadReview(
            f'expected content type application/json, got "{received.mimetype[:80]}"', 415
        )
    encoding = received.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding != "identity":
        raise BadReview(
            f'content encoding "{encoding[:40]}" is not supported: send the body uncompressed', 415
        )
    if (received.content_length or 0) > MAX_BYTES:
        raise body_too_long()
    body = received.get_data(cache=False)
    if not body:
        raise BadReview("the body is empty: send an AdmissionReview")
    return body


def body_too_long() -> BadReview:
    """Return the error of a body that is longer than :data:`MAX_BYTES`."""
    return BadReview(f"the body is too long: send at most {MAX_BYTES} bytes", 413)


def status_body(code: int, message: str) -> bytes:
    """Return the body of an HTTP error as the API server writes it: a ``Status`` of ``v1``."""
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": REASONS.get(code, "BadRequest"),
        "code": code,
    }
    return json.dumps(status, separators=(",", ":")).encode() + b"\n"


def error_response(error: BadReview) -> Response:
    """Return the response to a request that is not a valid AdmissionReview."""
    return Response(status_body(error.status, str(error)), error.status, mimetype=JSON)


def _http_error_response(error: HTTPException) -> Response:
    code = error.code or 400
    text = "POST an AdmissionReview to /mutate or /validate"
    if code == HTTPStatus.NOT_FOUND:
        text += "; /healthz, /readyz and /metrics are at the address of --monitor-bind"
    headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
    return Response(status_body(code, f"{error.name}: {text}"), code, headers, mimetype=JSON)
