"""Certificates as files in a folder, changed all at once or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from jobsworth.certificates.keypair import KeyPair

AUTHORITY, CERTIFICATE, KEY = "ca.crt", "tls.crt", "tls.key"
"""The files' names: those of a ``kubernetes.io/tls`` Secret, so that a mounted one looks the same."""
_DATA = "..data"


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the certificate files are.

    Attributes:
        certificate, key: what the webhook serves with.
        authority: what its clients trust: the ``caBundle``.
    """

    certificate: Path
    key: Path
    authority: Path


def paths_in(folder: Path) -> Paths:
    """The files of a folder, whether or not they are there."""
    return Paths(folder / CERTIFICATE, folder / KEY, folder / AUTHORITY)


def publish(folder: Path, serving: KeyPair, bundle: bytes) -> Paths:
    """Put certificate, key and bundle into a folder, in one step that a reader sees whole or not.

    As the kubelet does with a Secret: the files are links through ``..data``, which is a link to a
    folder of one version; replacing that link is atomic. Only the owner can read them.

    Raises:
        OSError: the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    version = folder / f"..{secrets.token_hex(8)}"
    version.mkdir(mode=0o700)
    contents = {CERTIFICATE: serving.certificate, KEY: serving.key, AUTHORITY: bundle}
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
    """The serving certificate and the bundle that a folder holds; None and empty where it holds none."""
    paths = paths_in(folder)
    try:
        pair = KeyPair(paths.certificate.read_bytes(), paths.key.read_bytes())
        return pair, paths.authority.read_bytes()
    except OSError:
        return None, b""


def write_private(path: Path, content: bytes) -> None:
    """Write a plain file that only the owner can read; an old one is replaced as a whole.

    Raises:
        OSError: it cannot be written.
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
