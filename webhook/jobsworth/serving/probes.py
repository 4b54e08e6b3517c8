"""``/healthz``, ``/readyz`` and ``/metrics``: a WSGI application for a port without TLS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST

from jobsworth.admission import review_metrics
from jobsworth.admission.application import start, start_error
from jobsworth.admission.review import BadReview

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

METRICS = "/metrics"
PLAIN = "text/plain; charset=utf-8"


class Probes:
    """Answer probes and scrapes.

    Args:
        checks: returns the readiness checks by name, each with its problem, or an empty text if it passes.
        folder: the folder with the metrics of all processes.
    """

    def __init__(self, checks: Callable[[], dict[str, str]], folder: Path) -> None:
        self._checks = checks
        self._folder = folder

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one WSGI request."""
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return start_error(start_response, BadReview("use GET", 405))
        if path in ("/healthz", "/livez"):
            return start(start_response, 200, PLAIN, b"ok\n")
        if path == "/readyz":
            return start(start_response, *self._readiness())
        if path == METRICS:
            scraped = review_metrics.exposition(self._folder)
            return start(start_response, 200, CONTENT_TYPE_LATEST, scraped)
        return start_error(start_response, BadReview("use /healthz, /readyz or /metrics", 404))

    def _readiness(self) -> tuple[int, str, bytes]:
        checks = self._checks()
        lines = [
            f"[-]{name} failed: {problem}" if problem else f"[+]{name} ok"
            for name, problem in checks.items()
        ]
        ready = not any(checks.values())
        text = "\n".join([*lines, "ready" if ready else "not ready", ""])
        return (200 if ready else 503), PLAIN, text.encode()
