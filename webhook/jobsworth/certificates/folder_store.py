"""Store certificates as files in a folder, and replace all of them atomically."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from jobsworth.certificates.keypair import KeyPair
from jobsworth.regular_files import MAX_CERTIFICATE_BYTES, read_regular_file

CA, CERTIFICATE, KEY = "ca.crt", "tls.crt", "tls.key"
"""The file names: those of a ``kubernetes.io/tls`` Secret, so that a mounted Secret works, too."""
_DATA = "..data"


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths of the certificate files.

    Attributes:
        certificate, key: the serving certificate and its private key.
        ca: the CA certificates that clients must trust: the ``caBundle``.
    """

    certificate: Path
    key: Path
    ca: Path


def paths_in(folder: Path) -> Paths:
    """Return the paths of the files in a folder, existing or not."""
    return Paths(folder / CERTIFICATE, folder / KEY, folder / CA)


def publish(folder: Path, serving: KeyPair, bundle: bytes) -> Paths:
    """Write certificate, key and bundle into a folder in one atomic step.

    The layout is that of a Secret volume: the files are links through ``..data``, which links to a folder
    with one version; replacing that link is atomic. Only the owner can read the files.

    Raises:
        OSError: the folder cannot be created or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    version = folder / f"..{secrets.token_hex(8)}"
    version.mkdir(mode=0o700)
    contents = {CERTIFICATE: serving.certificate, KEY: serving.key, CA: bundle}
    for name, content in contents.items():
        _write(version / name, content)
    _link(folder / _DATA, version.name)
    for name in contents:
        _link(folder / name, f"{_DATA}/{name}")
    for old in folder.glob("..*"):
        if old.is_dir() and not old.is_symlink() and old != version:
            shutil.rmtree(old, ignore_errors=True)
    return paths_in(folder)


def published(folder: Path) -> tuple[KeyPair | None, bytes]:
    """Return the serving certificate and the bundle in a folder; None and empty if a file is missing."""
    paths = paths_in(folder)
    try:
        pair = KeyPair(read_pem(paths.certificate), read_pem(paths.key))
        return pair, read_pem(paths.ca)
    except OSError:
        return None, b""


def read_pem(file: Path) -> bytes:
    """Return the bytes of a certificate or key file; raises OSError."""
    return read_regular_file(str(file), MAX_CERTIFICATE_BYTES)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only the owner can read, replacing an existing one atomically.

    Raises:
        OSError: the file cannot be written.
    """
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        _write(new, content)
        new.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def _write(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _link(path: Path, target: str) -> None:
    if path.is_symlink() and path.readlink() == Path(target):
        return
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    new.symlink_to(target)
    new.replace(path)
