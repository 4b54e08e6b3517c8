"""The Flask application: ``POST /mutate`` and ``POST /validate``, and clear errors for anything else.

The two endpoints are answered before Flask routes: docs/decisions/0009-answer-before-flask.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from jobsworth.admission.outcome import DOORS, Door
from jobsworth.admission.review import BadReview
from jobsworth.admission.webhook import Webhook

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

MOST_BYTES = 8 * 1024 * 1024
"""The longest body that is read.

An API server takes objects of up to 3 MiB; an update brings the object twice, and 2 MiB remain for the
rest and for what Go escapes (``<`` becomes six bytes).
"""

REASONS = {
    400: "BadRequest", 404: "NotFound", 405: "MethodNotAllowed", 408: "Timeout",
    413: "RequestEntityTooLarge", 415: "UnsupportedMediaType",
}  # fmt: skip
"""The API server's names for HTTP statuses."""

_PHRASES = {
    200: "OK", 400: "Bad Request", 408: "Request Timeout", 413: "Content Too Large",
    415: "Unsupported Media Type",
}  # fmt: skip
_PATHS = {f"/{door}": door for door in DOORS}


class Application(Flask):
    """A WSGI application around a :class:`~jobsworth.admission.webhook.Webhook`."""

    def __init__(self, webhook: Webhook) -> None:
        super().__init__("jobsworth.admission", static_folder=None)
        self._webhook = webhook
        for path, door in _PATHS.items():
            self.add_url_rule(
                path, endpoint=door, methods=["POST"], provide_automatic_options=False
            )
        self.register_error_handler(HTTPException, _refusal)

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, by WSGI."""
        door = _PATHS.get(environ["PATH_INFO"])
        if door is None or environ["REQUEST_METHOD"] != "POST":
            return super().wsgi_app(environ, start_response)
        status = 200
        try:
            body = self._read(door, environ)
            answer = self._webhook.answer(door, body)
        except BadReview as error:
            status = error.status
            answer = status_body(status, str(error))
        start_response(
            f"{status} {_PHRASES[status]}",
            [("Content-Type", "application/json"), ("Content-Length", str(len(answer)))],
        )
        return [answer]

    def _read(self, door: Door, environ: WSGIEnvironment) -> bytes:
        try:
            return read_body(environ)
        except BadReview as error:
            self._webhook.refuse(door, str(error))
            raise


def read_body(environ: WSGIEnvironment) -> bytes:
    """The body of a request that says that it is JSON.

    Raises:
        BadReview: it says otherwise, is compressed, too long, or too slow.
    """
    media_type = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise BadReview(f'expected content type application/json, got "{media_type[:80]}"', 415)
    encoding = environ.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
    if encoding != "identity":
        raise BadReview(
            f'content encoding "{encoding[:40]}" is not read: send the body uncompressed', 415
        )
    length = environ.get("CONTENT_LENGTH", "")
    # Without a length the body comes in chunks; one byte too many tells that it is too long.
    wanted = int(length) if length.isascii() and length.isdigit() else MOST_BYTES + 1
    if length and wanted > MOST_BYTES:
        raise _too_long()
    try:
        body: bytes = environ["wsgi.input"].read(wanted)
    except TimeoutError:
        raise BadReview("the body did not arrive in time", 408) from None
    if len(body) > MOST_BYTES:
        raise _too_long()
    if not body:
        raise BadReview("the body is empty: expected an AdmissionReview")
    return body


def status_body(code: int, message: str) -> bytes:
    """An HTTP error as the API server writes it: a ``Status`` of ``v1``."""
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


def _too_long() -> BadReview:
    return BadReview(f"the body is longer than {MOST_BYTES} bytes", 413)


def _refusal(error: HTTPException) -> Response:
    code = error.code or 400
    text = "POST an AdmissionReview to /mutate or /validate"
    headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
    answer: Any = status_body(code, f"{error.name}: {text}")
    return Response(answer, code, headers, mimetype="application/json")
