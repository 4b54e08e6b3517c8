"""How the webhook is served: what can be chosen, and what gunicorn is told."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jobsworth.admission.decision import ApiVerdict

KEEP_ALIVE_SECONDS = 120
"""An API server closes a connection that it has not used for 90 seconds: it must be the first to do so,
or it may send a request on a connection that is being closed."""

HANG_SECONDS = 40
"""No webhook is waited for longer than 30 seconds."""

YOUNG_OBJECTS = 20_000
"""How many objects are made between two rounds of the garbage collector, which a request makes
some hundreds of; nearly all of them go by reference counting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Where the webhook reads what it follows.

    Attributes:
        certificate, key: PEM.
        policies: files and folders of JobPolicy documents.
        client_ca: PEM of the CA whose clients are let in; None to let in any.
    """

    certificate: Path
    key: Path
    policies: tuple[Path, ...] = ()
    client_ca: Path | None = None

    @property
    def of_certificate(self) -> tuple[Path, ...]:
        """The files that TLS takes."""
        return tuple(filter(None, (self.certificate, self.key, self.client_ca)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to serve.

    Attributes:
        bind: host and port of the webhook.
        monitor_bind: host and port of ``/healthz``, ``/readyz`` and ``/metrics``, without TLS.
        workers: processes.
        threads: of each worker.
        drain_seconds: how long to serve on after SIGTERM, while clients are sent elsewhere.
        graceful_seconds: how long to wait after that for what is in flight.
        requests_per_worker: after how many requests a worker is replaced; 0 for never.
        api_verdict: what to make of objects that the API server would refuse.
        log_requests: whether every request is logged, or only those that are not allowed.
        files: what to follow.
    """

    files: Files
    bind: tuple[str, int] = ("0.0.0.0", 8443)
    monitor_bind: tuple[str, int] = ("0.0.0.0", 8080)
    workers: int = 2
    threads: int = 4
    drain_seconds: float = 10
    graceful_seconds: int = 15
    requests_per_worker: int = 100_000
    api_verdict: ApiVerdict = "deny"
    log_requests: bool = True


def gunicorn_settings(settings: Settings) -> dict[str, Any]:
    """The webhook's settings as gunicorn knows them; a benchmark gives another application the same."""
    host, port = settings.bind
    return {
        "bind": [f"[{host}]:{port}" if ":" in host else f"{host}:{port}"],
        "workers": settings.workers,
        "threads": settings.threads,
        "keepalive": KEEP_ALIVE_SECONDS,
        "timeout": HANG_SECONDS,
        "graceful_timeout": settings.graceful_seconds,
        "preload_app": True,
        "control_socket_disable": True,
        # No proxy stands between an API server and its webhook: nobody is believed about addresses.
        "forwarded_allow_ips": "",
        "forwarder_headers": "",
        "limit_request_fields": 50,
        "limit_request_field_size": 8190,
        "limit_request_line": 2048,
        "errorlog": "-",
        "loglevel": "info",
        "proc_name": "jobsworth",
    }


def before_fork(*_: object) -> None:
    """Keep the garbage collector off what is there for good, so that its pages stay shared, too."""
    gc.collect()
    gc.freeze()


def after_fork(*_: object) -> None:
    """Let the garbage collector of a worker run seldom."""
    gc.set_threshold(YOUNG_OBJECTS, 20, 100)
