"""Generate certificates for development: a CA and a serving certificate in a folder."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
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

    Write ``ca.crt``, ``ca.key``, ``tls.crt`` and ``tls.key``, readable by their owner only.

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
    folder.mkdir(parents=True, exist_ok=True)
    contents = (signer.certificate, signer.key, pair.certificate, pair.key)
    for path, content in zip(files, contents, strict=True):
        write_private(path, content)
    return GeneratedFiles(paths, ca_key, expiry(pair.certificate))


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
