"""Generate certificates for development: a CA and a serving certificate in a folder."""

from __future__ import annotations

import contextlib
import datetime
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import replace
from pathlib import Path

from jobsworth.certificates import ca, leaf
from jobsworth.certificates.folder_store import Paths, paths_in, read_pem, write_private
from jobsworth.certificates.keypair import (
    BadCertificate,
    KeyPair,
    expiry,
    issued_by,
    names,
    read_key,
)

CA_KEY = "ca.key"
LIFETIME = datetime.timedelta(days=365)


class FilesExist(Exception):
    """Files exist that would be overwritten; the message names them."""


@dataclass(frozen=True, slots=True)
class GeneratedFiles:
    """The result of :func:`generate`.

    Attributes:
        paths: the certificate files.
        ca_key: the private key of the CA, to sign more serving certificates with.
        expires: the expiry of both certificates.
    """

    paths: Paths
    ca_key: Path
    expires: datetime.datetime


def generate(
    folder: Path,
    hosts: Sequence[str],
    *,
    lifetime: datetime.timedelta = LIFETIME,
    overwrite: bool = False,
    now: datetime.datetime | None = None,
) -> GeneratedFiles:
    """Generate a CA and a serving certificate for host names and IP addresses.

    Write ``ca.crt``, ``ca.key``, ``tls.crt`` and ``tls.key``, readable by their owner only: all of them, or
    none if the disk is full.

    Raises:
        FilesExist: a file exists, and ``overwrite`` is not set.
        BadName: a host is neither a host name nor an IP address.
        OSError: the folder cannot be created or written.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    paths, ca_key = paths_in(folder), folder / CA_KEY
    files = (paths.ca, ca_key, paths.certificate, paths.key)
    there = [str(path) for path in files if path.exists()]
    if there and not overwrite:
        raise FilesExist(f"these files exist already: {', '.join(there)}")
    signer = ca.create(now, lifetime)
    pair = leaf.issue(signer, hosts, now, lifetime)
    contents = (signer.certificate, signer.key, pair.certificate, pair.key)
    _write_all(folder, dict(zip(files, contents, strict=True)), first=ca_key)
    return GeneratedFiles(paths, ca_key, expiry(pair.certificate))


def _write_all(folder: Path, contents: Mapping[Path, bytes], first: Path) -> None:
    """Write files to a new folder inside of their own, then move them.

    Args:
        folder: the folder of the files; created if it does not exist.
        contents: the content of each file.
        first: the file to move first, by which :func:`ensure` recognizes a set that was moved in part.
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as new:
            for path, content in contents.items():
                write_private(Path(new, path.name), content)
            for path in sorted(contents, key=lambda each: each != first):
                replace(Path(new, path.name), path)
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()
        raise


def ensure(folder: Path, hosts: Sequence[str], now: datetime.datetime | None = None) -> Paths:
    """Return the certificates of a folder, generated anew if they are not usable for these hosts.

    Usable certificates cover all hosts, are signed by the CA in the folder, and are valid for another day.

    Raises:
        FilesExist: the folder holds certificates that this project did not generate.
        BadName: a host is neither a host name nor an IP address.
        OSError: the folder cannot be created or written.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    paths = paths_in(folder)
    if _usable(paths, hosts, now):
        return paths
    ours = (folder / CA_KEY).exists()
    return generate(folder, hosts, overwrite=ours, now=now).paths


def _usable(paths: Paths, hosts: Sequence[str], now: datetime.datetime) -> bool:
    try:
        pair = KeyPair(read_pem(paths.certificate), read_pem(paths.key))
        bundle = read_pem(paths.ca)
        read_key(pair)
        lasts = min(expiry(pair.certificate), expiry(bundle)) > now + datetime.timedelta(days=1)
        return (lasts and frozenset(hosts) <= names(pair.certificate)) and issued_by(
            pair.certificate, bundle
        )
    except (OSError, BadCertificate):
        return False
