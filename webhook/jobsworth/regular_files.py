"""Read files that a user or a repository names: only regular files, and of bounded size.

A link in a repository can lead to a device that never ends, or to a pipe without a writer.
"""

from __future__ import annotations

import os
from errno import EFBIG, EINVAL, EISDIR
from stat import S_ISBLK, S_ISCHR, S_ISDIR, S_ISFIFO, S_ISREG, S_ISSOCK

MIB = 1 << 20
MAX_MANIFEST_BYTES = 64 * MIB
MAX_CONFIGURATION_BYTES = MIB
MAX_BASELINE_BYTES = 64 * MIB
MAX_CERTIFICATE_BYTES = MIB

_OWN_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""The folder of the pipes that a shell passes: ``validate <(helm template .)``."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without O_NONBLOCK, a pipe that replaces the file between stat and open would block."""


_KINDS = (
    (S_ISFIFO, "a named pipe"), (S_ISCHR, "a device"), (S_ISBLK, "a device"), (S_ISSOCK, "a socket"),
)  # fmt: skip


def read_regular_file(path: str, most: int) -> bytes:
    """Return the bytes of a regular file; symbolic links are followed.

    Args:
        path: of the file; one of the shell's own pipes (``/dev/fd/63``) is read as well.
        most: the maximum size in bytes.

    Raises:
        OSError: the file cannot be read, is not a regular one, or is larger; ``strerror`` says so.
        ValueError: the path has a NUL byte.
    """
    if path.startswith(_OWN_STREAMS):
        with open(path, "rb") as stream:
            return _within(stream.read(most + 1), path, most)
    _check(os.stat(path), path)
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        _check(status, path)
        parts, left = [], most + 1
        while left > 0:
            # One byte more than the size, so that a file of /proc, whose size is 0, is read, too.
            # More than a small file is, the system would have to allocate for it.
            part = os.read(descriptor, min(left, status.st_size + 1 if status.st_size else 65536))
            if not part:
                break
            parts.append(part)
            left -= len(part)
            if len(part) == status.st_size:
                break  # the whole file, unless it grows just now
    finally:
        os.close(descriptor)
    return _within(parts[0] if len(parts) == 1 else b"".join(parts), path, most)


def _within(data: bytes, path: str, most: int) -> bytes:
    if len(data) > most:
        limit = f"the limit is {most // MIB} MiB"
        raise OSError(EFBIG, f"the file is too large: {limit}", path)
    return data


def _check(status: os.stat_result, path: str) -> None:
    mode = status.st_mode
    if S_ISREG(mode):
        return
    if S_ISDIR(mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    kind = next((kind for is_kind, kind in _KINDS if is_kind(mode)), "a special file")
    raise OSError(EINVAL, f"it is {kind}, not a regular file", path)
