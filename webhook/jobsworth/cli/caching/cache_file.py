"""The folder ``.jobsworth_cache`` of a repository, and the files in it.

Each file has the results of one way to run ``jobsworth validate``. It begins with a message authentication
code, whose key is a file of the user outside of any repository: a cache that came with a checkout, or that
was changed, is not read. Files are replaced as a whole, so that concurrent runs do not disturb each other;
the last one wins.
"""

from __future__ import annotations

import marshal
import os
import time
from hashlib import blake2b

from jobsworth.cli.inputs.repository_root import is_within
from jobsworth.regular_files import MIB, read_regular_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = ".jobsworth_cache"
MOST_BYTES = 256 * MIB
KEY_BYTES = 32
CODE_BYTES = 32
DAYS_KEPT = 30

_ENDING = ".results"
_OWN_FILES = {
    ".gitignore": "*\n",
    "CACHEDIR.TAG": (
        "Signature: 8a477f597d28d172789f06886806bc55\n"
        "# This folder is a cache of jobsworth: https://bford.info/cachedir/\n"
    ),
}
"""Keep the folder out of git and out of backups."""


def user_key(repository: str) -> bytes | None:
    """Return the key of this user, created at the first call; None if it cannot be kept.

    Args:
        repository: the folder that is validated; a key inside of it may be known to its authors.
    """
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(folder) or is_within(folder, repository):
        return None
    path = os.path.join(folder, "jobsworth", "cache-key")
    try:
        key = read_regular_file(path, KEY_BYTES)
        if len(key) == KEY_BYTES and _is_private(path):
            return key
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError:
        return None
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        key = os.urandom(KEY_BYTES)
        temporary = f"{path}.{os.getpid()}"
        _write_new(temporary, key)
        try:
            os.link(temporary, path)  # unlike a rename, it does not replace the key of another run
        except FileExistsError:
            return read_regular_file(path, KEY_BYTES)
        finally:
            os.unlink(temporary)
    except OSError:
        return None
    return key


def load(folder: str, name: str, key: bytes) -> Any:
    """Return the content of a file of the cache; None if there is none, or another wrote it."""
    if not _is_own(folder):
        return None
    try:
        data = read_regular_file(_path(folder, name), MOST_BYTES)
    except OSError:
        return None
    code, content = data[:CODE_BYTES], memoryview(data)[CODE_BYTES:]
    if not _equal(code, _code(key, name, content)):
        return None
    try:
        return marshal.loads(content)
    except (EOFError, ValueError, TypeError):
        return None


def save(folder: str, name: str, key: bytes, value: Any) -> None:
    """Replace a file of the cache; nothing happens if the folder cannot be written."""
    try:
        content = marshal.dumps(value)
    except ValueError:  # a value that marshal does not know
        return
    if len(content) + CODE_BYTES > MOST_BYTES:
        return
    try:
        os.makedirs(folder, exist_ok=True)
        if not _is_own(folder):
            return
        for file, text in _OWN_FILES.items():
            if not os.path.lexists(os.path.join(folder, file)):
                _write_new(os.path.join(folder, file), text.encode())
        path = _path(folder, name)
        temporary = f"{path}.{os.getpid()}"
        try:
            _write_new(temporary, _code(key, name, content) + content)
            os.replace(temporary, path)
        except OSError:
            if os.path.lexists(temporary):
                os.unlink(temporary)
            raise
        _remove_old(folder, path)
    except OSError:
        return


def remove(folder: str) -> int:
    """Delete a cache folder; return the number of deleted files of results.

    Raises:
        OSError: a file cannot be deleted; ``strerror`` and ``filename`` say which one.
    """
    if not _is_own(folder):
        return 0
    number = 0
    for entry in list(os.scandir(folder)):
        if entry.name in _OWN_FILES or _ENDING in entry.name:
            os.unlink(entry.path)
            number += entry.name.endswith(_ENDING)
    os.rmdir(folder)
    return number


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, name + _ENDING)


def _is_own(folder: str) -> bool:
    """Return True for a folder, and not a link to one, which could lead anywhere."""
    return os.path.isdir(folder) and not os.path.islink(folder)


def _is_private(path: str) -> bool:
    status = os.stat(path)
    if not hasattr(os, "getuid"):
        return True  # Windows: the profile's access rights apply
    return status.st_uid == os.getuid() and not status.st_mode & 0o077


def _write_new(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)


def _code(key: bytes, name: str, content: bytes | memoryview) -> bytes:
    code = blake2b(key=key, digest_size=CODE_BYTES, person=b"jobsworth cache")
    code.update(name.encode())
    code.update(b"\0")
    code.update(content)
    return code.digest()


def _equal(one: bytes, other: bytes) -> bool:
    from hmac import compare_digest

    return compare_digest(one, other)


def _remove_old(folder: str, newest: str) -> None:
    """Delete results that no run has written for a month: of earlier versions and other options."""
    limit = time.time() - DAYS_KEPT * 86400
    for entry in list(os.scandir(folder)):
        if (
            _ENDING in entry.name
            and entry.path != newest
            and entry.stat(follow_symlinks=False).st_mtime < limit
        ):
            os.unlink(entry.path)
