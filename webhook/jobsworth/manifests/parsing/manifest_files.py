"""Find and read manifest files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator

from jobsworth.manifests.parsing.document import Document, Source, Text
from jobsworth.manifests.parsing.records import ManifestError, Position
from jobsworth.manifests.parsing.stream import read_text
from jobsworth.regular_files import MAX_MANIFEST_BYTES, MIB, read_regular_file

STDIN = "-"
TEXT = "<text>"
"""The name of a text that is in no file."""
"""The path of standard input."""

EXTENSIONS = (".yaml", ".yml", ".json")
"""The extensions of manifests in a folder; a file that is named may have any extension."""


LEAVES = "this is a symbolic link out of the repository and is not followed; name the file that it leads to"


NEVER_SEARCHED = (".git", ".hg", ".svn", ".jj")
"""Folders that have no manifests of their own."""


def _pass_over(folder: str) -> bool:
    return False


def find_manifests(
    paths: Iterable[str],
    *,
    follows: Callable[[str], bool] = lambda path: True,
    enters: Callable[[str], bool] = _pass_over,
) -> Iterator[str | ManifestError]:
    """Yield the files that ``paths`` select, in order, and an error for each nonexistent path.

    A file is yielded as it is; a folder yields all manifests below it, sorted by name, except those
    in hidden folders for which ``enters`` returns False. A folder that symbolic links reach twice is
    read once. ``-`` is standard input.
    A path, and a symbolic link below one, is an error if ``follows`` returns False for it.
    """
    for path in paths:
        if path != STDIN and not follows(path):
            yield ManifestError(path, 1, 1, LEAVES)
        elif path != STDIN and os.path.isdir(path):
            yield from _in_folder(path, set(), follows, enters)
        elif path == STDIN or os.path.lexists(path):
            yield path
        else:
            yield ManifestError(path, 0, 0, _missing(path))


def _missing(path: str) -> str:
    if path.startswith(("https://", "http://")):
        return "an address is not read; download it: curl -fsSL ADDRESS | jobsworth validate -"
    return "no such file or folder; check the path"


def _in_folder(
    folder: str,
    seen: set[tuple[int, int]],
    follows: Callable[[str], bool],
    enters: Callable[[str], bool],
) -> Iterator[str | ManifestError]:
    try:
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:
            return
        seen.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as entries:
            # Most files of a repository are not manifests.
            found = [
                entry
                for entry in entries
                if entry.name.lower().endswith(EXTENSIONS) or entry.is_dir()
            ]
            found.sort(key=lambda entry: entry.name)
    except OSError as error:
        yield ManifestError(folder, 1, 1, _reason(error))
        return
    for entry in found:
        path = entry.name if folder == os.curdir else entry.path
        try:
            is_folder = entry.is_dir()
            # Do not skip a broken link: reading it reports the error.
            is_file = entry.is_file() or (entry.is_symlink() and not os.path.exists(entry.path))
        except OSError:
            continue
        if is_folder:
            if entry.name in NEVER_SEARCHED or (entry.name.startswith(".") and not enters(path)):
                continue
            if entry.is_symlink() and not follows(path):
                yield ManifestError(path, 1, 1, LEAVES)
            else:
                yield from _in_folder(path, seen, follows, enters)
        elif is_file:
            leaves = entry.is_symlink() and not follows(path)
            yield ManifestError(path, 1, 1, LEAVES) if leaves else path


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


def read_bytes(
    path: str, *, name: str | None = None, most: int = MAX_MANIFEST_BYTES
) -> bytes | ManifestError:
    """Read the bytes of a regular file, or of standard input for ``-``, to inspect before ``read_text``.

    ``most`` is the maximum size.
    """
    try:
        if path == STDIN:
            if sys.stdin is None:  # Python has None for a stream that is closed
                message = "standard input is closed; redirect a manifest to it, or name a file"
                return ManifestError(shown_name(path, name), 1, 1, message)
            data = sys.stdin.buffer.read(most + 1)
            if len(data) > most:
                message = f"standard input is too large: the limit is {most // MIB} MiB"
                return ManifestError(shown_name(path, name), 1, 1, message)
            return data
        return read_regular_file(path, most)
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
