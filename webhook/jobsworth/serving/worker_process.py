"""The life of a worker: it follows the files, answers probes, returns memory, and drains before it ends."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import signal
import socket
import time
from collections.abc import Callable, MutableMapping
from typing import Any
from wsgiref.types import WSGIApplication

from jobsworth.admission.request_log import Log
from jobsworth.admission.review import BadReview
from jobsworth.admission.review_metrics import WebhookMetrics
from jobsworth.serving.file_reload import follow
from jobsworth.serving.monitor import Monitor, MonitorServer
from jobsworth.serving.reloaded_files import ServedFiles
from jobsworth.serving.request_limits import Receive, RequestLimits, Send

LEAVE_SECONDS = 1.0
"""The time that a worker with a hanging review gives the other reviews to end."""
PROBE_SECONDS = 0.3
"""The time that it then gives the probes that it has accepted; the next worker accepts the others."""
SUCCESSION_SECONDS = 0.5
"""The time from SIGTERM to the end of readiness, in which the successors after SIGHUP begin to count."""
TRIM_SECONDS = 10.0
"""The time between two returns of freed memory. One takes some milliseconds, in a thread of its own."""


class WorkerProcess:
    """An ASGI application: the requests of one worker, and its start and end.

    On SIGTERM the worker is no longer ready, keeps serving for `drain_seconds`, and closes each connection
    after its answer. Then uvicorn accepts no more connections and finishes the requests in flight.

    Args:
        application: answers the requests.
        files: the policies and the certificate.
        monitor: answers probes and scrapes.
        monitor_listener: the listening socket of the monitor, shared by all workers.
        metrics, log: record that the worker serves, and why it ends.
        threads: the number of threads that run the application.
        drain_seconds: the time to keep serving after SIGTERM.
        rejected: called with path and error of each request that does not reach the application.
    """

    def __init__(
        self,
        application: WSGIApplication,
        files: ServedFiles,
        monitor: Monitor,
        monitor_listener: socket.socket,
        *,
        metrics: WebhookMetrics,
        log: Log,
        threads: int,
        drain_seconds: float,
        rejected: Callable[[str, BadReview], object],
    ) -> None:
        self._requests = RequestLimits(
            application, threads=threads, rejected=rejected, hung=self._leave
        )
        self._files = files
        self._monitor_server = MonitorServer(monitor)
        self._monitor_listener = monitor_listener
        self._metrics = metrics
        self._log = log
        self._drain_seconds = drain_seconds
        self._trimmed = time.monotonic()
        self._arbiter = os.getpid()  # which creates this object and forks the workers

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or accompany the worker from its start to its end."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._requests(scope, receive, send)

    def begin(self) -> None:
        """Count the worker, right after its fork: the kernel queues its connections while it starts."""
        self._metrics.serves(True)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()  # lifespan.startup
        loop = asyncio.get_running_loop()
        stop = signal.getsignal(signal.SIGTERM)
        assert callable(stop)
        loop.add_signal_handler(signal.SIGTERM, self._drain, stop)
        stop_following = follow(self._check)
        monitoring = loop.create_task(self._monitor_server.serve(sockets=[self._monitor_listener]))
        await send({"type": "lifespan.startup.complete"})
        await receive()  # lifespan.shutdown
        stop_following.set()
        self._monitor_server.stop()
        await monitoring
        await send({"type": "lifespan.shutdown.complete"})

    def _check(self) -> None:
        if os.getppid() != self._arbiter:
            os._exit(1)  # the arbiter was killed: nothing else would stop this worker
        self._files.load()
        if time.monotonic() - self._trimmed > TRIM_SECONDS:
            self._trimmed = time.monotonic()
            return_freed_memory()

    def _drain(self, stop: Callable[[int, None], object]) -> None:
        self._requests.draining = True
        loop = asyncio.get_running_loop()
        loop.call_later(SUCCESSION_SECONDS, self._metrics.serves, False)
        loop.call_later(self._drain_seconds, stop, signal.SIGTERM, None)

    def _leave(self) -> None:
        """End soon, because a review hangs in a thread that nothing can stop."""
        self._log.event("error", "a review takes too long: leaving", process=os.getpid())
        self._requests.draining = True
        loop = asyncio.get_running_loop()
        loop.call_later(LEAVE_SECONDS, self._monitor_server.stop)
        loop.call_later(LEAVE_SECONDS + PROBE_SECONDS, os._exit, 1)


def return_freed_memory() -> None:
    """Return the memory of ended connections to the operating system.

    Their cycles of references are too few for an early collection. glibc keeps freed pages between others in
    use: of the 103 MB after 45 seconds of strangers, trimming returns 45. Other C libraries have no such
    function.
    """
    gc.collect()  # 5 ms at most: what the server created before its fork is left out
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
