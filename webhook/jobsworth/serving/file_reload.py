"""Values made of files, and made anew when the files change; where the new is broken, the old stays.

The files' contents decide, not their dates: editors, ``kubectl cp`` and the kubelet, which swaps a
symbolic link (``..data``) for all files of a ConfigMap or Secret at once, all come to the same.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")

SECONDS_BETWEEN_LOOKS = 1.0


class Observer(Protocol):
    """Is told how loading went."""

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """The value of the changed files is in force."""

    def refused(self, what: str, seconds: float, error: Exception) -> None:
        """The changed files are broken; the value before them, if any, stays in force."""


class Reloading(Generic[T]):
    """A value that follows its files.

    Args:
        what: a name for people: ``policy``, ``certificate``.
        load: makes the value; whatever it raises means that the files are broken.
        paths: the files and folders that `load` reads; of a folder, all files below it count.
    """

    __slots__ = ("_load", "_paths", "_seen", "value", "what")

    def __init__(self, what: str, load: Callable[[], T], paths: Sequence[Path]) -> None:
        self.what = what
        self.value: T | None = None
        self._load = load
        self._paths = tuple(paths)
        self._seen: bytes | None = None

    def check(self, observer: Observer | None = None) -> bool:
        """Load the files if they have changed since the last look.

        Returns:
            Whether there is a new value.
        """
        seen = fingerprint(self._paths)
        if seen == self._seen:
            return False
        # Noted before they are read: what changes while they are is seen at the next look.
        self._seen = seen
        began = time.perf_counter()
        try:
            value = self._load()
        except Exception as error:
            if observer is not None:
                observer.refused(self.what, time.perf_counter() - began, error)
            return False
        self.value = value
        if observer is not None:
            observer.loaded(self.what, time.perf_counter() - began, value)
        return True


def fingerprint(paths: Iterable[Path]) -> bytes:
    """What files contain, and what is missing or cannot be read, as a digest."""
    digest = hashlib.sha256()
    for path in paths:
        for file in _files(path):
            try:
                content = file.read_bytes()
            except OSError as error:
                content = f"{error.errno}".encode()
            digest.update(f"\0{file}\0{len(content)}\0".encode(errors="surrogateescape"))
            digest.update(content)
    return digest.digest()


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        return sorted(file for file in path.rglob("*") if file.is_file())
    except OSError:
        return [path]


def follow(check: Callable[[], object], seconds: float = SECONDS_BETWEEN_LOOKS) -> threading.Event:
    """Look for changes now and then, in a thread of its own; set the returned event to end it."""
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(seconds):
            check()

    threading.Thread(target=look, name="jobsworth-files", daemon=True).start()
    return stop
