"""Certificates for development: an authority and a serving certificate in a folder."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jobsworth.certificates import ca, leaf
from jobsworth.certificates.folder_store import Paths, paths_in, write_private
from jobsworth.certificates.keypair import (
    BadCertificate,
    KeyPair,
    expiry,
    issued_by,
    names,
    read_key,
)

AUTHORITY_KEY = "ca.key"
LIFETIME = datetime.timedelta(days=365)


class AlreadyThere(Exception):
    """Files that would be overwritten; the message names them."""


@dataclass(frozen=True, slots=True)
class Made:
    """What :func:`generate` made.

    Attributes:
        paths: the files.
        authority_key: the authority's private key, to certify more servers with.
        expires: when both certificates end.
    """

    paths: Paths
    authority_key: Path
    expires: datetime.datetime


def generate(
    folder: Path,
    hosts: Sequence[str],
    *,
    lifetime: datetime.timedelta = LIFETIME,
    overwrite: bool = False,
    now: datetime.datetime | None = None,
) -> Made:
    """Make an authority and a serving certificate for host names and IP addresses.

    Files: ``ca.crt``, ``ca.key``, ``tls.crt``, ``tls.key``, readable by their owner alone.

    Raises:
        AlreadyThere: a file is there, and ``overwrite`` is not set.
        BadName: a host is neither a host name nor an address.
        OSError: the folder cannot be made or written.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    paths, authority_key = paths_in(folder), folder / AUTHORITY_KEY
    files = (paths.authority, authority_key, paths.certificate, paths.key)
    there = [str(path) for path in files if path.exists()]
    if there and not overwrite:
        raise AlreadyThere(f"already there: {', '.join(there)}")
    signer = ca.create(now, lifetime)
    pair = leaf.issue(signer, hosts, now, lifetime)
    folder.mkdir(parents=True, exist_ok=True)
    contents = (signer.certificate, signer.key, pair.certificate, pair.key)
    for path, content in zip(files, contents, strict=True):
        write_private(path, content)
    return Made(paths, authority_key, expiry(pair.certificate))


def ensure(folder: Path, hosts: Sequence[str], now: datetime.datetime | None = None) -> Paths:
    """Certificates for these hosts in a folder: those that are there where they serve, else new ones.

    They serve when they are for all the hosts, are of one authority, and last another day.

    Raises:
        AlreadyThere: the folder holds certificates that this project did not make.
        BadName: a host is neither a host name nor an address.
        OSError: the folder cannot be made or written.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    paths = paths_in(folder)
    if _serve(paths, hosts, now):
        return paths
    ours = (folder / AUTHORITY_KEY).exists()
    return generate(folder, hosts, overwrite=ours, now=now).paths


def _serve(paths: Paths, hosts: Sequence[str], now: datetime.datetime) -> bool:
    try:
        pair = KeyPair(paths.certificate.read_bytes(), paths.key.read_bytes())
        bundle = paths.authority.read_bytes()
        read_key(pair)
        lasts = min(expiry(pair.certificate), expiry(bundle)) > now + datetime.timedelta(days=1)
        return (lasts and frozenset(hosts) <= names(pair.certificate)) and issued_by(
            pair.certificate, bundle
        )
    except (OSError, BadCertificate):
        return False
