"""Write HTTP/1.1 responses."""

from __future__ import annotations

import time
from email.utils import formatdate
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jobsworth.admission.application import start_error
from jobsworth.admission.review import BadReview

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from jobsworth.serving.request_heads import Environ


def respond(application: WSGIApplication, environ: Environ, *, closes: bool) -> bytes:
    """Call a WSGI application, and return its response to one request."""
    started: list[Any] = []
    body = b"".join(application(environ, lambda *start: started.extend(start)))  # type: ignore[arg-type]
    lines = [
        f"HTTP/1.1 {started[0]}",
        "Server: jobsworth",
        f"Date: {_date(int(time.time()))}",
        f"Connection: {'close' if closes else 'keep-alive'}",
        *(f"{name}: {value}" for name, value in started[1]),
    ]
    # In one piece, so that a short response is one TLS record.
    head = "\r\n".join([*lines, "\r\n"]).encode("latin-1")
    return head if environ["REQUEST_METHOD"] == "HEAD" else head + body


def refusal(error: BadReview) -> bytes:
    """Return the response to a request that does not reach the application; it is the last one."""
    return respond(lambda _, start: start_error(start, error), {"REQUEST_METHOD": ""}, closes=True)


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
