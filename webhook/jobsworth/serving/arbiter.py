"""gunicorn's arbiter, made to replace workers without a gap and to drain before it stops."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from gunicorn.arbiter import Arbiter as GunicornArbiter

from jobsworth.serving import scoreboard


class Arbiter(GunicornArbiter):  # type: ignore[misc]
    """Keeps the workers of :class:`jobsworth.serving.server.Server`, and the monitor's process.

    On SIGTERM readiness goes first, then clients are sent elsewhere for as long as the settings say,
    then what is in flight is finished. A second SIGTERM cuts the draining short, SIGINT stops at once,
    SIGHUP replaces every worker.
    """

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        self._monitor: int | None = None
        self._stop_at: float | None = None

    def start(self) -> None:
        """Bind, and start the monitor, before there is any worker."""
        super().start()
        self._keep_monitor()

    def manage_workers(self) -> None:
        """Have as many workers as there should be, beside those that are leaving."""
        if self._stop_at is not None and time.monotonic() >= self._stop_at:
            raise StopIteration
        self.app.look_at_files()
        self._keep_monitor()
        states = {worker.age: self.app.board.state(worker.age) for worker in self.WORKERS.values()}
        staying = [
            age
            for age, state in states.items()
            if state in (scoreboard.STARTING, scoreboard.SERVING)
        ]
        for _ in range(self.num_workers - len(staying)):
            self.spawn_worker()
        if sum(states[age] == scoreboard.SERVING for age in staying) >= self.num_workers:
            self._let_go(states)
        for age in sorted(staying)[: max(0, len(staying) - self.num_workers)]:
            self.app.board.set_state(age, scoreboard.LEAVING)

    def _let_go(self, states: dict[int, int]) -> None:
        """Let those leave that wish to: enough others serve."""
        for age, state in states.items():
            if state == scoreboard.WISHES_TO_LEAVE:
                self.app.board.set_state(age, scoreboard.LEAVING)

    def reap_workers(self) -> None:
        """Take note of the processes that have ended."""
        if self._monitor is not None:
            try:
                ended, _ = os.waitpid(self._monitor, os.WNOHANG)
            except ChildProcessError:
                ended = self._monitor
            if ended:
                self._monitor = None
        super().reap_workers()

    def handle_term(self) -> None:
        """Begin to drain; stop when that has been begun already."""
        if self._stop_at is not None:
            raise StopIteration
        self.app.board.drain()
        self._stop_at = time.monotonic() + self.app.settings.drain_seconds
        self.log.info("Draining for %s seconds", self.app.settings.drain_seconds)

    def handle_hup(self) -> None:
        """Replace every worker, one by one."""
        for worker in self.WORKERS.values():
            if self.app.board.state(worker.age) == scoreboard.SERVING:
                self.app.board.set_state(worker.age, scoreboard.WISHES_TO_LEAVE)

    def handle_usr2(self) -> None:
        """Do nothing: a server that is to be upgraded is replaced by its orchestrator."""

    def stop(self, graceful: bool = True) -> None:
        """End the workers, and wait until they have."""
        self.app.board.stop()
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
