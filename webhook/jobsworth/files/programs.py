"""Run git, helm, kustomize and kubectl within limits: they read folders that others wrote.

Each program has a session of its own, which is ended as a whole: kustomize starts git, which would otherwise
live on after a timeout or Ctrl-C. In a session without a terminal, nothing can wait for a password either.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import IO

from jobsworth.regular_files import MAX_MANIFEST_BYTES, MIB

MAX_SECONDS = 120
"""The maximum time of a program, and half of its maximum CPU time, which several threads use up."""

MAX_MEMORY_BYTES = 2048 * MIB
MAX_OUTPUT_BYTES = MAX_MANIFEST_BYTES + MIB
"""A manifest of the maximum size, and what git says about it."""

KEPT_ERROR_BYTES = MIB // 16
"""The end of the error output that is kept; the rest is read and forgotten."""

_PART_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Output:
    """The outcome of a program that ended by itself.

    Attributes:
        code: the exit code; negative for a signal, which is then its number.
        stdout: the whole standard output.
        stderr: the end of the error output.
    """

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def error(self) -> str:
        """The error output as text; the signal that ended the program, if there is none."""
        text = self.stderr.decode(errors="replace").strip()
        if text or self.code >= 0:
            return text
        with suppress(ValueError):
            return f"it was ended by the signal {signal.Signals(-self.code).name}"
        return f"it was ended by the signal {-self.code}"


class ProgramError(Exception):
    """Raised for a program that cannot be started, or that exceeds a limit; the message is for people."""


def find_program(name: str) -> str | None:
    """Return the path of a program in the PATH; None if it is not installed.

    Windows also searches the current folder, and a PATH may name it: it may be a repository under review.
    """
    found = shutil.which(name)
    return found if found is not None and os.path.isabs(found) else None


def run_program(
    command: Sequence[str], *, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> Output:
    """Run a program to its end, and return what it wrote.

    Args:
        command: the program and its arguments.
        stdin: its standard input.
        environment: its environment variables; without them, those of this process.

    Raises:
        ProgramError: it cannot be started, takes too long, or writes too much.
    """
    name = os.path.basename(command[0])
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramError(f"{name} cannot be run: {error.strerror}") from error
    try:
        return _output_of(process, name)
    except BaseException:
        _end(process)
        raise


def _output_of(process: subprocess.Popen[bytes], name: str) -> Output:
    _limit(process.pid)
    assert process.stdout is not None
    assert process.stderr is not None
    output = _Reader(process.stdout, MAX_OUTPUT_BYTES, lambda: _end(process))
    errors = _Reader(process.stderr, KEPT_ERROR_BYTES, None)
    end = time.monotonic() + MAX_SECONDS
    for reader in (output, errors):
        reader.join(max(0.0, end - time.monotonic()))
    too_long = ProgramError(f"{name} took longer than {MAX_SECONDS} s")
    if output.is_alive() or errors.is_alive():
        raise too_long
    try:
        code = process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise too_long from None
    if output.exceeded:
        raise ProgramError(f"{name} wrote more than {MAX_OUTPUT_BYTES // MIB} MiB")
    return Output(code, output.data, errors.data)


class _Reader(Thread):
    """Reads a stream to its end, since a program whose output is not read would wait.

    Args:
        stream: the stream.
        most: the number of bytes to keep.
        exceeded: called when there are more; None to keep the last bytes.
    """

    def __init__(self, stream: IO[bytes], most: int, exceeded: Callable[[], None] | None) -> None:
        super().__init__(daemon=True)
        self.data = b""
        self.exceeded = False
        self._stream, self._most, self._end = stream, most, exceeded
        self.start()

    def run(self) -> None:
        parts = bytearray()
        with self._stream:
            while part := os.read(self._stream.fileno(), _PART_BYTES):
                parts += part
                if len(parts) <= self._most:
                    continue
                if self._end is None:
                    del parts[: -self._most]
                elif not self.exceeded:
                    self.exceeded = True
                    self._end()
                    break
        self.data = bytes(parts)


def _limit(process: int) -> None:
    """Limit the memory and CPU time of a process, and of those that it starts, where the system can do so.

    The limits are set from outside: code between fork and exec can block in a process that has threads, and
    a shell with ``ulimit`` would be one more program. Without ``prlimit``, as on macOS and Windows, only time
    and output are limited.
    """
    try:
        import resource
    except ImportError:
        return
    if not hasattr(resource, "prlimit"):
        return
    # Go reserves more addresses than it uses, so the limit is one for data, not for addresses (RLIMIT_AS).
    limits = ((resource.RLIMIT_DATA, MAX_MEMORY_BYTES), (resource.RLIMIT_CPU, 2 * MAX_SECONDS))
    for kind, most in limits:
        # The process may have ended, and a user may have set a lower limit for all processes.
        with suppress(OSError, ValueError):
            resource.prlimit(process, kind, (most, most))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all that it started, unless it has ended; on Windows the program alone."""
    if process.returncode is not None:
        return
    with suppress(OSError):
        # Nobody has waited for the program, so its number is not that of another one yet.
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
