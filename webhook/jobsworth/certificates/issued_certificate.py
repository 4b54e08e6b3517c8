"""Decide the next step where another issuer, such as cert-manager, writes the serving certificate.

Certificate and CA change in one Secret at the same time, but API servers and replicas learn of them at
different times. No request fails while the issuer changes its CA, because every decision keeps this order:

1. publish the new CA in every ``caBundle`` beside the previous one;
2. when all bundles have held it for the ``settle`` time, replicas serve the new certificate;
3. keep the previous CA in the bundles for the ``overlap`` time.

The bundle is stored as a :class:`.state.State` without private keys.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jobsworth.certificates.keypair import (
    BadCertificate,
    KeyPair,
    check_match,
    join,
    leads_to,
    split,
)
from jobsworth.certificates.rotation import (
    Bundle,
    Keep,
    RotationPolicy,
    Step,
    expired_overlap,
    not_expired,
    repaired,
    unpublished,
)
from jobsworth.certificates.state import CA, SERVING, SERVING_KEY, State

MAX_PREVIOUS = 20
"""The largest number of previous CAs: a Secret holds 1 MiB, and an issuer may replace its CA in a loop."""


@dataclass(frozen=True, slots=True)
class IssuedCertificate:
    """The contents of an issuer's Secret.

    Attributes:
        serving: the serving certificate, with the intermediate CAs that follow it, and its key.
        cas: the CA certificates to trust.
    """

    serving: KeyPair
    cas: tuple[bytes, ...]


def read_issued(data: Mapping[str, bytes]) -> IssuedCertificate:
    """Read the data of an issuer's Secret, which has the keys of cert-manager.

    Raises:
        BadCertificate: a part is missing, or the parts do not belong together; the message states which.
    """
    missing = [key for key in (SERVING, SERVING_KEY, CA) if not data.get(key)]
    if missing:
        raise BadCertificate(f"no {' and no '.join(missing)}")
    issued = IssuedCertificate(KeyPair(data[SERVING], data[SERVING_KEY]), split(data[CA]))
    check_match(issued.serving)
    if not leads_to(issued.serving.certificate, issued.cas):
        raise BadCertificate(f"no CA in {CA} issued the certificate in {SERVING}")
    return issued


def next_trust_step(
    state: State,
    issued: IssuedCertificate | None,
    bundles: Sequence[Bundle],
    now: datetime.datetime,
    policy: RotationPolicy,
) -> Step | None:
    """Return the next step; None if no step is due.

    Args:
        state: the stored bundle.
        issued: the contents of the issuer's Secret; None if it is missing or invalid.
        bundles: the ``caBundle`` of every webhook.
        now: the time.
        policy: only ``settle`` and ``overlap`` apply.
    """
    if issued is not None and frozenset(_cas(state)) != frozenset(issued.cas):
        return _adopted(state, issued, bundles, now)
    if state.ca is None:
        return None
    return (
        repaired(state, now, policy)
        or unpublished(state, bundles)
        or expired_overlap(state, now, policy)
    )


def _adopted(
    state: State, issued: IssuedCertificate, bundles: Sequence[Bundle], now: datetime.datetime
) -> Keep:
    # Without a stored bundle, replicas may serve a certificate of any CA that the webhooks trust.
    before = _cas(state) or split(b"".join(each.certificates for each in bundles))
    previous = tuple(
        each
        for each in dict.fromkeys((*before, *state.previous))
        if each not in issued.cas and not_expired(each, now)
    )[:MAX_PREVIOUS]
    adopted = State(
        ca=KeyPair(join(issued.cas), b""),
        previous=previous,
        previous_since=now if previous else None,
    )
    return Keep(
        adopted,
        "the issuer has a new CA; previous CAs stay trusted for the overlap"
        if previous
        else "trusted the CA of the issuer",
    )


def _cas(state: State) -> tuple[bytes, ...]:
    return () if state.ca is None else split(state.ca.certificate)
