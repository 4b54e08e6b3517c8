"""Processes that never outlive the process that started them."""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import socket
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
# Linux sends the death signal when the *thread* ends that started a process, so one thread that lives
# as long as the interpreter starts them all.
_STARTER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="process-starter")
_RUNNING: weakref.WeakSet[Process] = weakref.WeakSet()


class ProcessDied(RuntimeError):
    """A program ended that should have kept running; the message has the end of its log."""


class Process:
    """A running program, whose output goes to a file.

    Attributes:
        name: what it is called in messages.
        log: the file with its standard output and error.
    """

    def __init__(
        self,
        arguments: list[str],
        log: Path,
        env: dict[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.name = Path(arguments[0]).name
        self.log = log
        self._arguments = arguments
        self._folder = folder
        self._env = {**os.environ, **(env or {})}
        self._popen = _STARTER.submit(self._start).result()
        _RUNNING.add(self)

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as output:
            return subprocess.Popen(
                self._arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._env,
                cwd=self._folder,
                start_new_session=True,  # Ctrl-C is for pytest, which then stops the bed
                # One system call, no lock: safe although other threads run.
                preexec_fn=_die_with_parent if _LIBC is not None else None,  # noqa: PLW1509
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def running(self) -> bool:
        return self._popen.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Return its exit code; None while it runs."""
        return self._popen.poll()

    def check(self) -> None:
        """Raises ProcessDied unless it runs."""
        if not self.running:
            raise ProcessDied(
                f"{self.name} ended with code {self._popen.returncode}; its log ends:\n{self.tail()}"
            )

    def tail(self, lines: int = 12) -> str:
        """The end of its log."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def stop(self, timeout: float = 10) -> None:
        """Ask it to end, and after so many seconds make it."""
        if self.running:
            self._popen.terminate()
            try:
                self._popen.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
        _RUNNING.discard(self)

    def kill(self) -> None:
        """End it as a crash would."""
        if self.running:
            self._popen.kill()
            self._popen.wait()
        _RUNNING.discard(self)

    def pause(self) -> None:
        """Stop it from running, without ending it: it looks like a network that drops everything."""
        self._popen.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it run again."""
        self._popen.send_signal(signal.SIGCONT)


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nothing listens on at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _die_with_parent() -> None:
    assert _LIBC is not None
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@atexit.register
def _kill_all() -> None:
    for process in list(_RUNNING):
        process.kill()
