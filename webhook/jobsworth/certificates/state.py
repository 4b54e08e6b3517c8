"""The persistent state: CAs and serving certificate, stored as the data of a Secret."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from jobsworth.certificates.keypair import KeyPair, join, split

CA, CA_KEY = "ca.crt", "ca.key"
NEXT, NEXT_KEY, NEXT_PUBLISHED = "next-ca.crt", "next-ca.key", "next-ca-published"
PREVIOUS, PREVIOUS_SINCE = "retired-ca.crt", "ca-retired"
SERVING, SERVING_KEY = "tls.crt", "tls.key"
KEYS = (
    CA, CA_KEY, NEXT, NEXT_KEY, NEXT_PUBLISHED, PREVIOUS, PREVIOUS_SINCE, SERVING,
    SERVING_KEY,
)  # fmt: skip
"""The keys of the Secret that this module manages; it leaves other keys unchanged."""


@dataclass(frozen=True, slots=True)
class State:
    """CAs and serving certificate.

    Attributes:
        ca: the CA that signs the serving certificate; its key is empty if another issuer has it.
        serving: the serving certificate of the webhook; None if another issuer stores it elsewhere.
        next: the next CA, while it is being published.
        next_published: the time since when every ``caBundle`` has held ``next``.
        previous: previous CAs, without their keys: a webhook may still serve a certificate that they signed.
        previous_since: the time since when the last of them has been a previous CA.
    """

    ca: KeyPair | None = None
    serving: KeyPair | None = None
    next: KeyPair | None = None
    next_published: datetime.datetime | None = None
    previous: tuple[bytes, ...] = ()
    previous_since: datetime.datetime | None = None

    @property
    def bundle(self) -> tuple[bytes, ...]:
        """The CA certificates to trust: that of the serving certificate first."""
        pairs = [pair.certificate for pair in (self.ca, self.next) if pair is not None]
        return split(join((*pairs, *self.previous)))


def decode(data: Mapping[str, bytes]) -> State:
    """Read the state from the data of a Secret. A missing or malformed part is None."""
    return State(
        ca=KeyPair(data[CA], data.get(CA_KEY, b"")) if data.get(CA) else None,
        serving=_pair(data, SERVING, SERVING_KEY),
        next=_pair(data, NEXT, NEXT_KEY),
        next_published=_moment(data.get(NEXT_PUBLISHED)),
        previous=split(data.get(PREVIOUS, b"")),
        previous_since=_moment(data.get(PREVIOUS_SINCE)),
    )


def encode(state: State) -> dict[str, bytes]:
    """Return the state as the data of a Secret; ``decode`` reads it back."""
    data: dict[str, bytes] = {}
    for certificate, key, pair in (
        (CA, CA_KEY, state.ca),
        (SERVING, SERVING_KEY, state.serving),
        (NEXT, NEXT_KEY, state.next),
    ):
        if pair is not None:
            data[certificate] = pair.certificate
            if pair.key:
                data[key] = pair.key
    if state.previous:
        data[PREVIOUS] = join(state.previous)
    for name, moment in (
        (NEXT_PUBLISHED, state.next_published),
        (PREVIOUS_SINCE, state.previous_since),
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
