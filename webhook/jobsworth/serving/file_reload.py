"""Reload values when their files change; keep the active value if the new files are invalid.

A change is a change of the contents, not of the modification time. This covers editors, ``kubectl cp``,
and the kubelet, which replaces one symbolic link (``..data``) for all files of a ConfigMap or Secret.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")

POLL_SECONDS = 1.0


class Observer(Protocol):
    """Receives the result of each load."""

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Report that the value of the changed files is active."""

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Report that the changed files are invalid; the previous value, if any, stays active."""


class Reloading(Generic[T]):
    """A value that is reloaded when its files change.

    Args:
        what: the name in logs and metrics: ``policy`` or ``certificate``.
        load: loads the value; any exception means that the files are invalid.
        paths: the files and folders that `load` reads, folders with all files below them.
    """

    __slots__ = ("_load", "_paths", "_seen", "value", "what")

    def __init__(self, what: str, load: Callable[[], T], paths: Sequence[Path]) -> None:
        self.what = what
        self.value: T | None = None
        self._load = load
        self._paths = tuple(paths)
        self._seen: bytes | None = None

    def check(self, observer: Observer | None = None) -> bool:
        """Load the files if they have changed since the last check.

        Returns:
            True if there is a new value.
        """
        seen = fingerprint(self._paths)
        if seen == self._seen:
            return False
        # Set before reading the files, so that the next check detects a change during the read.
        self._seen = seen
        began = time.perf_counter()
        try:
            _require_regular(self._paths)
            value = self._load()
        except Exception as error:
            if observer is not None:
                observer.rejected(self.what, time.perf_counter() - began, error)
            return False
        self.value = value
        if observer is not None:
            observer.loaded(self.what, time.perf_counter() - began, value)
        return True

    def adopt(self, value: T) -> None:
        """Make a value active that equals what the files hold, without loading them."""
        self._seen = fingerprint(self._paths)
        self.value = value


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
