"""``/healthz``, ``/readyz`` and ``/metrics``: a WSGI application for a port without TLS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST

from jobsworth.admission.application import start, start_error
from jobsworth.admission.review import BadReview

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

METRICS = "/metrics"
PLAIN = "text/plain; charset=utf-8"


class Check(NamedTuple):
    """The result of a readiness check.

    Attributes:
        problem: why the server is not ready; empty if the check passes.
        note: what an administrator should know, although the check passes.
    """

    problem: str = ""
    note: str = ""


class Probes:
    """Answer probes and scrapes.

    Args:
        checks: returns the results of the readiness checks by name.
        exposition: returns the metrics of all processes in the text format of Prometheus.
    """

    def __init__(
        self, checks: Callable[[], dict[str, Check]], exposition: Callable[[], bytes]
    ) -> None:
        self._checks = checks
        self._exposition = exposition

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
            return start(start_response, 200, CONTENT_TYPE_LATEST, self._exposition())
        return start_error(start_response, BadReview("use /healthz, /readyz or /metrics", 404))

    def _readiness(self) -> tuple[int, str, bytes]:
        checks = self._checks()
        lines = [
            f"[-]{name} failed: {check.problem}"
            if check.problem
            else f"[+]{name} ok{f': {check.note}' if check.note else ''}"
            for name, check in checks.items()
        ]
        ready = not any(check.problem for check in checks.values())
        text = "\n".join([*lines, "ready" if ready else "not ready", ""])
        return (200 if ready else 503), PLAIN, text.encode()
