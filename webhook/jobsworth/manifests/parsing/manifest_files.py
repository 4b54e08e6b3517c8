"""Find and read manifest files."""

from __future__ import annotations

import os
import sys

from jobsworth.manifests.parsing.document import Document, Source, Text
from jobsworth.manifests.parsing.records import ManifestError, Position
from jobsworth.manifests.parsing.stream import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDIN = "-"
"""The path of standard input."""

EXTENSIONS = (".yaml", ".yml", ".json")
"""The extensions of manifests in a folder; a file that is named may have any extension."""


def find_manifests(paths: Iterable[str]) -> Iterator[str | ManifestError]:
    """Yield the files that ``paths`` select, in order, and an error for each nonexistent path.

    A file is yielded as it is; a folder yields all manifests below it, sorted by name, except those
    in hidden folders. A folder that symbolic links reach twice is read once. ``-`` is standard input.
    """
    for path in paths:
        if path != STDIN and os.path.isdir(path):
            yield from _in_folder(path, set())
        elif path == STDIN or os.path.lexists(path):
            yield path
        else:
            yield ManifestError(path, 1, 1, "no such file or folder; check the path")


def _in_folder(folder: str, seen: set[tuple[int, int]]) -> Iterator[str | ManifestError]:
    try:
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:
            return
        seen.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield ManifestError(folder, 1, 1, _reason(error))
        return
    for entry in found:
        path = entry.name if folder == os.curdir else entry.path
        try:
            is_folder = entry.is_dir()
            is_file = (
                entry.is_file() or entry.is_symlink()
            )  # a broken link: reading it reports the error
        except OSError:
            continue
        if is_folder:
            if not entry.name.startswith("."):
                yield from _in_folder(path, seen)
        elif is_file and entry.name.lower().endswith(EXTENSIONS):
            yield path


def read_file(path: str, *, name: str | None = None) -> list[Document]:
    """Read the documents of a file, or of standard input for ``-``.

    ``name`` is the file's name in errors; its extension distinguishes JSON from YAML. The default for
    standard input is ``<stdin>``. A file that cannot be read is one document with an error.
    """
    data = read_bytes(path, name=name)
    if isinstance(data, ManifestError):
        text = Text(Source(data.file, b""), b"", Position(1, 1), "yaml")
        return [Document(data.file, 0, None, None, data, (), text)]
    return read_text(data, shown_name(path, name))


def read_bytes(path: str, *, name: str | None = None) -> bytes | ManifestError:
    """Read the bytes of a file, or of standard input for ``-``, to inspect before ``read_text``."""
    try:
        if path == STDIN:
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        return ManifestError(shown_name(path, name), 1, 1, _reason(error))


def shown_name(path: str, name: str | None = None) -> str:
    """Return a file's name for errors, as in ``read_file``."""
    if name is not None:
        return name
    return "<stdin>" if path == STDIN else path


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file or folder, or a broken symbolic link; check the path"
    if isinstance(error, IsADirectoryError):
        return "this is a folder; name a file in it"
    if isinstance(error, PermissionError):
        return "permission denied; make the file readable"
    return f"cannot read this: {getattr(error, 'strerror', None) or error}"
