"""An arbiter for gunicorn that replaces workers without a gap and drains before it stops."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from gunicorn.arbiter import Arbiter as GunicornArbiter

from jobsworth.serving import scoreboard


class Arbiter(GunicornArbiter):  # type: ignore[misc]
    """Run the workers of :class:`jobsworth.serving.server.Server` and the monitor process.

    On SIGTERM the server reports not ready, then closes connections after each answer for
    ``drain_seconds``, then finishes requests in flight. A second SIGTERM ends the draining, SIGINT stops
    at once, SIGHUP replaces every worker.
    """

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        self._monitor: int | None = None
        self._stop_at: float | None = None

    def start(self) -> None:
        """Bind the port and start the monitor before the first worker."""
        super().start()
        self._keep_monitor()

    def manage_workers(self) -> None:
        """Keep the configured number of workers, not counting those that are leaving."""
        if self._stop_at is not None and time.monotonic() >= self._stop_at:
            raise StopIteration
        self.app.reload_changed_files()
        self._keep_monitor()
        states = {
            worker.age: self.app.scoreboard.state(worker.age) for worker in self.WORKERS.values()
        }
        staying = [
            age
            for age, state in states.items()
            if state in (scoreboard.STARTING, scoreboard.SERVING)
        ]
        for _ in range(self.num_workers - len(staying)):
            self.spawn_worker()
        if sum(states[age] == scoreboard.SERVING for age in staying) >= self.num_workers:
            self._release_workers(states)
        for age in sorted(staying)[: max(0, len(staying) - self.num_workers)]:
            self.app.scoreboard.set_state(age, scoreboard.LEAVING)

    def _release_workers(self, states: dict[int, int]) -> None:
        """Let workers leave that have requested it, because enough others serve."""
        for age, state in states.items():
            if state == scoreboard.LEAVE_REQUESTED:
                self.app.scoreboard.set_state(age, scoreboard.LEAVING)

    def reap_workers(self) -> None:
        """Reap the processes that have ended."""
        if self._monitor is not None:
            try:
                ended, _ = os.waitpid(self._monitor, os.WNOHANG)
            except ChildProcessError:
                ended = self._monitor
            if ended:
                self._monitor = None
        super().reap_workers()

    def handle_term(self) -> None:
        """Start to drain; stop at once if the server is already draining."""
        if self._stop_at is not None:
            raise StopIteration
        self.app.scoreboard.drain()
        self._stop_at = time.monotonic() + self.app.settings.drain_seconds
        self.log.info("Draining for %s seconds", self.app.settings.drain_seconds)

    def handle_hup(self) -> None:
        """Replace every worker, one by one."""
        for worker in self.WORKERS.values():
            if self.app.scoreboard.state(worker.age) == scoreboard.SERVING:
                self.app.scoreboard.set_state(worker.age, scoreboard.LEAVE_REQUESTED)

    def handle_usr2(self) -> None:
        """Ignore the signal: the orchestrator upgrades the server by replacing it."""

    def stop(self, graceful: bool = True) -> None:
        """Stop the workers and wait for them."""
        self.app.scoreboard.stop()
        super().stop(graceful)

    def halt(self, reason: str | None = None, exit_status: int = 0) -> None:
        """Stop the workers, then the monitor, then exit."""
        try:
            super().halt(reason, exit_status)
        finally:
            if self._monitor is not None:
                os.kill(self._monitor, signal.SIGTERM)

    def _keep_monitor(self) -> None:
        if self._monitor is not None:
            return
        process = os.fork()
        if process:
            self._monitor = process
            return
        try:
            for name in (*self.SIGNALS, signal.SIGCHLD):
                signal.signal(name, signal.SIG_DFL)
            for listener in self.LISTENERS:
                listener.close()
            self.app.monitor(os.getppid())
        finally:
            os._exit(0)
