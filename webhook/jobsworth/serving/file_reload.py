"""Reload values when their files change; keep the active value if the new files are invalid.

A change is a change of the contents, not of the modification time. This covers editors, ``kubectl cp``,
and the kubelet, which replaces one symbolic link (``..data``) for all files of a ConfigMap or Secret. A file
that is being written may look complete, so two successive checks must find the same contents.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")

POLL_SECONDS = 1.0

MAX_UNSETTLED = 30
"""The number of checks after which files that change all the time are reported."""


@dataclass(frozen=True, slots=True)
class Load(Generic[T]):
    """The result of loading changed files.

    Attributes:
        seconds: the duration.
        value: the value that is active now; None if the files are invalid: the one before, if any, stays
            active.
        before: the value that was active before; None if none was.
        error: the reason why the files are invalid; None if they are valid.
    """

    seconds: float
    value: T | None = None
    before: T | None = None
    error: Exception | None = None


class Reloading(Generic[T]):
    """A value that is reloaded when its files change.

    Args:
        load: loads the value; any exception means that the files are invalid.
        paths: the files and folders that `load` reads, folders with all files below them.
    """

    __slots__ = ("_load", "_next", "_paths", "_seen", "_unsettled", "value")

    def __init__(self, load: Callable[[], T], paths: Sequence[Path]) -> None:
        self.value: T | None = None
        self._load = load
        self._paths = tuple(paths)
        self._seen: bytes | None = None
        self._next: bytes | None = None
        self._unsettled = 0

    @property
    def is_unsettled(self) -> bool:
        """True if the last check found changed files that the next one must find alike."""
        return self._unsettled > 0

    def check(self) -> Load[T] | None:
        """Load the files if they have changed, and this check and the last one find the same contents.

        Without an active value, the files are loaded at once.

        Returns:
            The new value, or the error; None if nothing was loaded.
        """
        seen, began = fingerprint(self._paths), time.perf_counter()
        if seen == self._seen:
            self._next, self._unsettled = None, 0
            return None
        if self.value is not None and seen != self._next:
            self._next = seen
            self._unsettled += 1
            if self._unsettled != MAX_UNSETTLED:
                return None
            message = f"the files changed between each of {MAX_UNSETTLED} checks"
            return Load(0.0, before=self.value, error=ValueError(message))
        self._next, self._unsettled = None, 0
        # Set before reading the files, so that the next check detects a change during the read.
        self._seen, before = seen, self.value
        try:
            _require_regular(self._paths)
            value = self._load()
        except Exception as error:
            return Load(time.perf_counter() - began, before=before, error=error)
        self.value = value
        return Load(time.perf_counter() - began, value, before)


def fingerprint(paths: Iterable[Path]) -> bytes:
    """Return a digest of the contents of files, including missing and unreadable ones."""
    digest = hashlib.sha256()
    for file in _files(paths):
        try:
            content = file.read_bytes() if os.path.isfile(file) else b""
        except OSError as error:
            content = f"{error.errno}".encode()
        digest.update(
            f"\0{file}\0{os.path.exists(file)}\0{len(content)}\0".encode(errors="surrogateescape")
        )
        digest.update(content)
    return digest.digest()


def _require_regular(paths: Iterable[Path]) -> None:
    """Reject pipes and devices: reading one may take forever.

    Raises:
        ValueError: a file is neither regular nor missing.
    """
    for file in _files(paths):
        if os.path.exists(file) and not os.path.isfile(file):
            raise ValueError(f"{file}: not a regular file")


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        try:
            found = sorted(path.rglob("*")) if os.path.isdir(path) else [path]
        except OSError:
            found = [path]
        yield from (file for file in found if not os.path.isdir(file))


def follow(check: Callable[[], object], seconds: float = POLL_SECONDS) -> threading.Event:
    """Call `check` periodically in a new thread; set the returned event to stop it."""
    stop = threading.Event()

    def poll() -> None:
        while not stop.wait(seconds):
            check()

    threading.Thread(target=poll, name="jobsworth-files", daemon=True).start()
    return stop
