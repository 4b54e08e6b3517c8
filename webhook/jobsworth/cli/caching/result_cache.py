"""Results of files by their content, and by everything else that they depend on."""

from __future__ import annotations

import os
import sys
from hashlib import blake2b

import jobsworth
from jobsworth.cli.caching import cache_file
from jobsworth.cli.caching.stored_results import ResultReader, plain_results
from jobsworth.cli.inputs.repository_root import root_around
from jobsworth.manifests import ManifestError, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from jobsworth.cli.file_evaluation import FileEvaluator
    from jobsworth.reports.result import Result

    Entry = tuple[bytes, list[Any]]
    """A file's digest and its results."""

DIGEST_BYTES = 16
NOT_KEPT = b""
"""The digest of a file whose results depend on more than can be described."""
SPARE = 4
"""Entries of deleted files are dropped once there are so many times more entries than files."""


def cache_folder() -> str:
    """Return the folder of the cache: in the repository of the current folder, or in that folder itself."""
    root = root_around(os.path.join(os.getcwd(), "file"))
    return os.path.join(root or os.getcwd(), cache_file.FOLDER)


class KeyedFiles:
    """Evaluates files, with digests of all that their results depend on.

    Args:
        evaluator: evaluates each file.
    """

    __slots__ = ("_evaluator", "_shared")

    def __init__(self, evaluator: FileEvaluator) -> None:
        self._evaluator = evaluator
        self._shared: dict[str, blake2b] = {}  # of what the files of a folder share

    def evaluate(self, paths: Iterable[str]) -> list[tuple[bytes, list[Result]]]:
        """Evaluate files; return the results of each, with the digest under which they are kept.

        Raises:
            UsageError: a configuration above one of them is wrong.
        """
        digests = []

        def texts() -> Iterator[tuple[str, bytes | ManifestError]]:
            for path in paths:
                data = read_bytes(path)
                if isinstance(data, ManifestError) or self.passed_over(path, data):
                    digests.append(NOT_KEPT)
                else:
                    digests.append(self.digest(path, data))
                yield path, data

        results = self._evaluator.texts(texts())
        return list(zip(digests, results, strict=True))

    def passed_over(self, path: str, data: bytes) -> list[Result] | None:
        """Return the results of a file without a Job, which are not kept; None for another."""
        return self._evaluator.passed_over(path, data)

    def digest(self, path: str, data: bytes) -> bytes:
        """Return the digest of a file with this content; :data:`NOT_KEPT` if its results are not kept.

        That of the objects beside it follows, if it may refer to any.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        own = self._own_digest(path, data)
        return own + self._evaluator.neighbors_digest(path, data) if own else NOT_KEPT

    def has_digest(self, digest: bytes, path: str, data: bytes) -> bool:
        """Return True if a digest is that of a file with this content: as :meth:`digest`, but faster.

        If the file's own digest is the same, so is whether it may refer to other objects.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        own, neighbors = digest[:DIGEST_BYTES], digest[DIGEST_BYTES:]
        if self._own_digest(path, data) != own:
            return False
        return not neighbors or neighbors == self._evaluator.neighbors_digest(path, data)

    def _own_digest(self, path: str, data: bytes) -> bytes:
        context = self._evaluator.context(path)
        if context is None:
            return NOT_KEPT
        shared, own = context
        begun = self._shared.get(shared)
        if begun is None:
            text = shared.encode("utf-8", "surrogateescape")
            begun = self._shared[shared] = blake2b(text, digest_size=DIGEST_BYTES)
        digest = begun.copy()
        digest.update(own.encode("utf-8", "surrogateescape"))
        digest.update(data)
        return digest.digest()


class ResultCache:
    """The results of earlier runs with the same options and the same version.

    Args:
        evaluator: evaluates the files that have changed.
        options: the options that change results, other than the settings of a file.

    Attributes:
        files: evaluates the files that have changed.
    """

    def __init__(self, evaluator: FileEvaluator, options: str) -> None:
        self.files = KeyedFiles(evaluator)
        self._folder = cache_folder()
        self._key = cache_file.user_key(os.path.dirname(self._folder))
        version = f"{jobsworth.__version__} {sys.version} {_installation()} {options}"
        self._name = blake2b(version.encode(), digest_size=DIGEST_BYTES).hexdigest()
        self._reader = ResultReader()
        self._entries: dict[str, Entry] = {}
        self._changed = False
        self._found = 0
        if self._key is not None:
            self._entries = cache_file.load(self._folder, self._name, self._key) or {}

    def stored(self, path: str) -> list[Result] | None:
        """Return the results of a file if neither it nor its settings have changed; else None.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        self._found += 1
        if not self._entries:
            return None
        data = read_bytes(path)
        if isinstance(data, ManifestError):
            return None
        passed_over = self.files.passed_over(path, data)
        if passed_over is not None:
            return passed_over
        entry = self._entries.get(path)
        if entry is None or not self.files.has_digest(entry[0], path, data):
            return None
        return self._reader.results(entry[1])

    def add(self, path: str, digest: bytes, results: Sequence[Result]) -> None:
        """Keep the results of a file under its digest."""
        if digest != NOT_KEPT:
            self._entries[path] = digest, plain_results(results)
            self._changed = True

    def save(self) -> None:
        """Write the cache if it has changed."""
        if self._key is None or not self._changed:
            return
        if len(self._entries) > SPARE * max(self._found, 1000):
            self._entries = {
                path: entry for path, entry in self._entries.items() if os.path.exists(path)
            }
        cache_file.save(self._folder, self._name, self._key, self._entries)


def _installation() -> str:
    """Describe the installed files, which differ between checkouts of the same version."""
    found: list[str] = []
    folders = [os.path.dirname(jobsworth.__file__)]
    while folders:
        for entry in sorted(os.scandir(folders.pop()), key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    folders.append(entry.path)
            else:
                status = entry.stat()
                found.append(f"{entry.path} {status.st_mtime_ns} {status.st_size}")
    text = "\n".join(found).encode("utf-8", "surrogateescape")
    return blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
