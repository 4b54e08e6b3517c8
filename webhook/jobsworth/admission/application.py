"""The Flask application: ``POST /mutate``, ``POST /validate``, and a ``Status`` for any other request.

The application answers both endpoints before Flask routes the request, see
docs/decisions/0009-answer-before-flask.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from jobsworth.admission.outcome import ENDPOINTS, Endpoint
from jobsworth.admission.review import BadReview
from jobsworth.admission.webhook import Webhook

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

JSON = "application/json"
MOST_BYTES = 8 * 1024 * 1024
"""The longest request body that the webhook reads, in bytes.

An API server accepts objects of up to 3 MiB. An update carries the object twice, which leaves 2 MiB for
the other fields and for characters that Go escapes (``<`` becomes six bytes).
"""

REASONS = {
    400: "BadRequest", 404: "NotFound", 405: "MethodNotAllowed", 408: "Timeout", 413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType", 500: "InternalError", 503: "ServiceUnavailable",
}  # fmt: skip
"""``Status.reason`` of the API server by HTTP status code; for others it is BadRequest."""

_PATHS = {f"/{endpoint}": endpoint for endpoint in ENDPOINTS}


class Application(Flask):
    """A WSGI application around a :class:`~jobsworth.admission.webhook.Webhook`."""

    def __init__(self, webhook: Webhook) -> None:
        super().__init__("jobsworth.admission", static_folder=None)
        self._webhook = webhook
        for path, endpoint in _PATHS.items():
            self.add_url_rule(
                path, endpoint=endpoint, methods=["POST"], provide_automatic_options=False
            )
        self.register_error_handler(HTTPException, _error_response)

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one WSGI request."""
        endpoint = _PATHS.get(environ["PATH_INFO"])
        if endpoint is None or environ["REQUEST_METHOD"] != "POST":
            return super().wsgi_app(environ, start_response)
        try:
            answer = self._webhook.answer(endpoint, self._read(endpoint, environ))
        except BadReview as error:
            return start_error(start_response, error)
        return start(start_response, 200, JSON, answer)

    def _read(self, endpoint: Endpoint, environ: WSGIEnvironment) -> bytes:
        try:
            return read_body(environ)
        except BadReview as error:
            self._webhook.reject(endpoint, error)
            raise


def read_body(environ: WSGIEnvironment) -> bytes:
    """Return the body of a request whose content type is JSON.

    Raises:
        BadReview: the content type is not JSON, or the body is compressed, empty or too long.
    """
    media_type = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if media_type != JSON:
        raise BadReview(f'expected content type application/json, got "{media_type[:80]}"', 415)
    encoding = environ.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
    if encoding != "identity":
        raise BadReview(
            f'content encoding "{encoding[:40]}" is not supported: send the body uncompressed', 415
        )
    length = int(environ.get("CONTENT_LENGTH") or 0)  # the server requires one
    if length > MOST_BYTES:
        raise BadReview(f"the body is too long: send at most {MOST_BYTES} bytes", 413)
    body: bytes = environ["wsgi.input"].read(length)
    if not body:
        raise BadReview("the body is empty: send an AdmissionReview")
    return body


def start(start_response: StartResponse, code: int, media_type: str, body: bytes) -> list[bytes]:
    """Start a WSGI response, and return its body."""
    headers = [("Content-Type", media_type), ("Content-Length", str(len(body)))]
    start_response(f"{code} {HTTPStatus(code).phrase}", headers)
    return [body]


def start_error(start_response: StartResponse, error: BadReview) -> list[bytes]:
    """Start a WSGI response to a bad request, and return its body: a ``Status``."""
    return start(start_response, error.status, JSON, status_body(error.status, str(error)))


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


def _error_response(error: HTTPException) -> Response:
    code = error.code or 400
    text = "POST an AdmissionReview to /mutate or /validate"
    headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
    answer: Any = status_body(code, f"{error.name}: {text}")
    return Response(answer, code, headers, mimetype=JSON)
