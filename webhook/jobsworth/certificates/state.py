"""What is kept between two runs: authorities and serving certificate, as the data of a Secret."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from jobsworth.certificates.keypair import KeyPair, join, split

AUTHORITY, AUTHORITY_KEY = "ca.crt", "ca.key"
NEXT, NEXT_KEY, NEXT_PUBLISHED = "next-ca.crt", "next-ca.key", "next-ca-published"
RETIRED, RETIRED_AT = "retired-ca.crt", "ca-retired"
SERVING, SERVING_KEY = "tls.crt", "tls.key"
KEYS = (
    AUTHORITY, AUTHORITY_KEY, NEXT, NEXT_KEY, NEXT_PUBLISHED, RETIRED, RETIRED_AT, SERVING,
    SERVING_KEY,
)  # fmt: skip
"""The keys of the Secret's data that are ours; others are left alone."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """Authorities and serving certificate.

    Attributes:
        authority: signs the serving certificate.
        serving: what the webhook shows.
        next: the authority that follows, while it is being made known.
        next_published: when every ``caBundle`` was seen to hold ``next``.
        retired: earlier authorities, without their keys: a webhook may still show what they signed.
        retired_at: when the last of them was retired.
    """

    authority: KeyPair | None = None
    serving: KeyPair | None = None
    next: KeyPair | None = None
    next_published: datetime.datetime | None = None
    retired: tuple[bytes, ...] = ()
    retired_at: datetime.datetime | None = None

    @property
    def bundle(self) -> tuple[bytes, ...]:
        """The authorities to trust: that of the serving certificate first."""
        pairs = [pair.certificate for pair in (self.authority, self.next) if pair is not None]
        return split(join((*pairs, *self.retired)))


def decode(data: Mapping[str, bytes]) -> Holdings:
    """What the data of a Secret holds. A part that is missing or no text of its kind is None."""
    return Holdings(
        authority=_pair(data, AUTHORITY, AUTHORITY_KEY),
        serving=_pair(data, SERVING, SERVING_KEY),
        next=_pair(data, NEXT, NEXT_KEY),
        next_published=_moment(data.get(NEXT_PUBLISHED)),
        retired=split(data.get(RETIRED, b"")),
        retired_at=_moment(data.get(RETIRED_AT)),
    )


def encode(holdings: Holdings) -> dict[str, bytes]:
    """The data of a Secret; ``decode`` reads it back."""
    data: dict[str, bytes] = {}
    for certificate, key, pair in (
        (AUTHORITY, AUTHORITY_KEY, holdings.authority),
        (SERVING, SERVING_KEY, holdings.serving),
        (NEXT, NEXT_KEY, holdings.next),
    ):
        if pair is not None:
            data[certificate], data[key] = pair.certificate, pair.key
    if holdings.retired:
        data[RETIRED] = join(holdings.retired)
    for name, moment in (
        (NEXT_PUBLISHED, holdings.next_published),
        (RETIRED_AT, holdings.retired_at),
    ):
        if moment is not None:
            data[name] = moment.isoformat().encode()
    return data


def _pair(data: Mapping[str, bytes], certificate: str, key: str) -> KeyPair | None:
    if not data.get(certificate) or not data.get(key):
        return None
    return KeyPair(data[certificate], data[key])


def _moment(text: bytes | None) -> datetime.datetime | None:
    try:
        moment = datetime.datetime.fromisoformat((text or b"").decode())
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
