"""``/healthz``, ``/readyz`` and ``/metrics``: an ASGI application for a port without TLS."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, MutableMapping
from typing import Any, NamedTuple

import uvicorn
from prometheus_client import CollectorRegistry, Metric, make_asgi_app
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.admission.application import JSON, status_body
from jobsworth.admission.review_metrics import MAX_POLICIES, OTHER
from jobsworth.serving.active_policies import ServedState
from jobsworth.serving.http_protocol import MonitorProtocol, http_settings
from jobsworth.serving.request_limits import Receive, Send

_PLAIN = "text/plain; charset=utf-8"


class Check(NamedTuple):
    """The result of a readiness check.

    Attributes:
        problem: why the server is not ready; empty if the check passes.
        note: what an administrator should know, although the check passes.
    """

    problem: str = ""
    note: str = ""


class Monitor:
    """Answer probes and scrapes.

    Args:
        checks: returns the results of the readiness checks by name.
        metrics: the metrics of all processes.
    """

    def __init__(self, checks: Callable[[], dict[str, Check]], metrics: CollectorRegistry) -> None:
        self._checks = checks
        self._metrics = make_asgi_app(metrics)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"]
        if scope["method"] not in ("GET", "HEAD"):
            await _respond(send, 405, JSON, status_body(405, "use GET"))
        elif path in ("/healthz", "/livez"):
            await _respond(send, 200, _PLAIN, b"ok\n")
        elif path == "/readyz":
            await _respond(send, *self._readiness())
        elif path == "/metrics":
            await self._metrics(scope, receive, send)
        else:
            message = "use /healthz, /readyz or /metrics"
            await _respond(send, 404, JSON, status_body(404, message))

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
        return (200 if ready else 503), _PLAIN, text.encode()


class MonitorServer(uvicorn.Server):
    """A server of the monitor, inside of a worker, which handles the signals."""

    def __init__(self, monitor: Monitor) -> None:
        super().__init__(uvicorn.Config(monitor, lifespan="off", **http_settings(MonitorProtocol)))

    def stop(self) -> None:
        """Accept no more connections, and end when the accepted ones are answered."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the signals to the worker."""
        yield


async def _respond(send: Send, code: int, media_type: str, body: bytes) -> None:
    headers = [
        (b"content-type", media_type.encode()),
        (b"content-length", b"%d" % len(body)),
    ]
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class StateMetrics(Collector):
    """The hash of the active policies, the result of each policy's load, and the release.

    Args:
        state: returns the active state; None before it is loaded.
    """

    def __init__(self, state: Callable[[], ServedState | None]) -> None:
        self._state = state

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        state = self._state()
        if state is None:
            return
        info = GaugeMetricFamily(
            "jobsworth_policies_info",
            "1, with the hash of the active policies: replicas with the same hash enforce the same.",
            labels=("hash",),
        )
        info.add_metric([state.policies.digest], 1)
        yield info
        loads = GaugeMetricFamily(
            "jobsworth_policy_load_success",
            "1 if a policy is active as the files define it; 0 if it is invalid: then its last valid version "
            "is active, if there is one.",
            labels=("policy",),
        )
        for name, success in _bounded(state).items():
            loads.add_metric([name], success)
        yield loads
        assumed = state.reviewer.server.release
        release = GaugeMetricFamily(
            "jobsworth_kubernetes_release_info",
            "1, with the release of the API server (empty if unknown) and the one whose rules apply.",
            labels=("server", "assumed"),
        )
        release.add_metric([state.release, assumed], 1)
        yield release
        yield GaugeMetricFamily(
            "jobsworth_kubernetes_release_skew",
            "1 if the API server runs another release than the one whose rules apply.",
            int(state.is_skewed),
        )


def _bounded(state: ServedState) -> dict[str, int]:
    """Return the result by policy, at most :data:`MAX_POLICIES` of them, the broken ones first."""
    policies = state.policies
    success = dict.fromkeys(sorted(policies.broken), 0)
    success |= dict.fromkeys(sorted(policies.valid), 1)
    shown = dict(list(success.items())[:MAX_POLICIES])
    if len(success) > len(shown):
        shown[OTHER] = min(list(success.values())[MAX_POLICIES:])
    return shown
