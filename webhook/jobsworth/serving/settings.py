"""Settings of the webhook server, and the gunicorn settings derived from them."""

from __future__ import annotations

import gc
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jobsworth.admission.decision import ApiVerdict
from jobsworth.admission.request_log import LogHandler

KEEP_ALIVE_SECONDS = 120
"""The idle time after which the server closes a connection. An API server does so after 90 seconds and must
be first; otherwise it may send a request on a connection that the webhook is closing."""

HEARTBEAT_SECONDS = 30
"""The time without a sign of life after which the arbiter replaces a worker. Its event loop gives them; a
review that hangs is noticed by `jobsworth.serving.request_limits`."""

YOUNG_OBJECTS = 20_000
"""The number of new objects between two garbage collections. A request creates some hundreds, and reference
counting frees nearly all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files that the webhook reads and reloads.

    Attributes:
        certificate, key: PEM.
        client_ca: PEM of the CA that must have signed client certificates; None to accept any client.
        release: a file with the release of the API server, which another process writes; None for none.
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None
    release: Path | None = None

    @property
    def of_certificate(self) -> tuple[Path, ...]:
        """The files of the TLS configuration."""
        return tuple(filter(None, (self.certificate, self.key, self.client_ca)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingSettings:
    """Settings of the webhook server.

    Attributes:
        bind: host and port of the webhook; an empty host for every address of IPv4 and IPv6.
        monitor_bind: host and port of ``/healthz``, ``/readyz`` and ``/metrics``, without TLS.
        workers: the number of worker processes.
        threads: the number of threads of each worker that review.
        drain_seconds: the time to keep serving after SIGTERM, closing each connection after its answer.
        graceful_seconds: the time to wait after that for requests in flight.
        api_verdict: how to handle objects that the API server would reject.
        log_requests: True to log every request, False to log only requests that are not allowed.
        readable_log: True to log readable lines for a terminal, without the start; False for JSON lines.
        files: the files to read and reload.
        exports: the hash of each policy that the API server enforces as exported, by name.
    """

    files: Files
    bind: tuple[str, int] = ("", 8443)
    monitor_bind: tuple[str, int] = ("", 8080)
    workers: int = 1
    threads: int = 2
    drain_seconds: float = 5
    graceful_seconds: float = 15
    api_verdict: ApiVerdict = "deny"
    log_requests: bool = True
    exports: Mapping[str, str] = field(default_factory=dict)
    readable_log: bool = False


def gunicorn_settings(settings: ServingSettings) -> dict[str, Any]:
    """Return the settings for gunicorn; a benchmark uses the same ones for another application."""
    return {
        "workers": settings.workers,
        "timeout": HEARTBEAT_SECONDS,
        "graceful_timeout": math.ceil(settings.drain_seconds + settings.graceful_seconds),
        "keepalive": KEEP_ALIVE_SECONDS,
        "control_socket_disable": True,
        "forwarded_allow_ips": "",
        "loglevel": "warning" if settings.readable_log else "info",
        "logconfig_dict": _logging(readable=settings.readable_log),
    }


def _logging(*, readable: bool) -> dict[str, Any]:
    """Return the log of gunicorn and of all libraries, for ``logging.config``."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "root": {"handlers": ["log"], "level": "WARNING"},  # asyncio, Flask
        "handlers": {"log": {"()": LogHandler, "readable": readable}},
        "loggers": {"gunicorn.error": {"handlers": ["log"], "propagate": False}},
    }


def after_fork() -> None:
    """Make garbage collection in a worker rare, and cheap: it leaves out what the server created before."""
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 20, 10)
