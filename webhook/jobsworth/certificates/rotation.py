"""What to do next with the certificates of an installation: decided from values, done elsewhere.

The API server calls the webhook from several places, and the webhook runs in several replicas. No request
fails while certificates change, because of an order that every decision here keeps:

1. a new authority is made, and put into every ``caBundle`` beside the present one;
2. when all of them have held it for a while, a serving certificate is issued from it;
3. the earlier authority stays in the bundles until no replica can show what it signed.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jobsworth.certificates import ca as authorities
from jobsworth.certificates.keypair import (
    BadCertificate,
    KeyPair,
    expiry,
    issued_by,
    join,
    names,
    organisation,
    read_key,
    split,
)
from jobsworth.certificates.leaf import general_name
from jobsworth.certificates.state import Holdings

_DAY = datetime.timedelta(days=1)


class BadPolicy(ValueError):
    """Times that cannot be kept together; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How long certificates last, and when they are renewed.

    Attributes:
        names: host names and addresses of the serving certificate.
        lifetime: of a serving certificate.
        renew_before: how long before its end it is renewed.
        authority_lifetime: of an authority.
        settle: how long after a ``caBundle`` was written every API server is taken to know it.
        overlap: how long an authority that signs no longer is still trusted.
    """

    names: tuple[str, ...]
    lifetime: datetime.timedelta = 90 * _DAY
    renew_before: datetime.timedelta = 30 * _DAY
    authority_lifetime: datetime.timedelta = 730 * _DAY
    settle: datetime.timedelta = datetime.timedelta(seconds=30)
    overlap: datetime.timedelta = _DAY

    @property
    def authority_renew_before(self) -> datetime.timedelta:
        """An authority is followed by the next one while what it signs can still live its whole life."""
        return self.lifetime + self.renew_before


def check(policy: Policy) -> None:
    """Check that the times of a policy can be kept together.

    Raises:
        BadPolicy: a certificate would be renewed at once, or never in time.
    """
    if policy.lifetime <= policy.renew_before:
        raise BadPolicy("a serving certificate must last longer than it is renewed before its end")
    if policy.authority_lifetime <= policy.authority_renew_before + policy.overlap:
        raise BadPolicy(
            "an authority must last longer than a serving certificate, its renewal and the overlap"
            f" together: more than {policy.authority_renew_before + policy.overlap}"
        )
    if policy.renew_before <= policy.settle:
        raise BadPolicy("certificates must be renewed longer before their end than bundles settle")


@dataclass(frozen=True, slots=True)
class Bundle:
    """The ``caBundle`` of one webhook.

    Attributes:
        configuration: the kind and name of the configuration that it stands in.
        webhook: its name there.
        certificates: PEM; empty where there is none.
    """

    configuration: str
    webhook: str
    certificates: bytes


@dataclass(frozen=True, slots=True)
class Begin:
    """Make an authority and a serving certificate; go on trusting these."""

    retired: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Introduce:
    """Make the next authority."""


@dataclass(frozen=True, slots=True)
class Promote:
    """Let the next authority sign: issue a serving certificate from it, and retire the present one."""


@dataclass(frozen=True, slots=True)
class Reissue:
    """Issue a serving certificate from the present authority."""

    why: str


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep these holdings instead."""

    holdings: Holdings
    why: str


@dataclass(frozen=True, slots=True)
class Publish:
    """Write this bundle into the webhooks of these configurations."""

    bundle: bytes
    configurations: tuple[str, ...]


Step = Begin | Introduce | Promote | Reissue | Keep | Publish


def next_step(
    holdings: Holdings, bundles: Sequence[Bundle], now: datetime.datetime, policy: Policy
) -> Step | None:
    """The next thing to do; None when nothing is to be done at this moment.

    Each step leaves the installation working, so that it does not matter who takes the one after it, or when.
    """
    if _unfit(holdings.authority, now):
        return Begin(_ours(bundles, now))
    return (
        _mended(holdings, now, policy)
        or _unpublished(holdings, bundles)
        or _rotated(holdings, now, policy)
        or _renewed(holdings, now, policy)
        or _retired(holdings, now, policy)
    )


def may_show(serving: KeyPair | None, bundles: Sequence[Bundle]) -> bool:
    """Whether every API server that goes by these bundles trusts a serving certificate."""
    return serving is not None and all(
        any(issued_by(serving.certificate, authority) for authority in split(bundle.certificates))
        for bundle in bundles
    )


def _mended(holdings: Holdings, now: datetime.datetime, policy: Policy) -> Step | None:
    """What somebody edited, put right where nothing else can be decided before."""
    if holdings.next is not None and _unfit(holdings.next, now):
        return Keep(
            replace(holdings, next=None, next_published=None), "the next authority was unfit"
        )
    living = tuple(each for each in holdings.retired if _lives(each, now))
    if living != holdings.retired:
        return Keep(replace(holdings, retired=living), "a retired authority has ended")
    if holdings.retired and not _past(holdings.retired_at, now):
        return Keep(replace(holdings, retired_at=now), "nothing said when an authority retired")
    return None


def _unpublished(holdings: Holdings, bundles: Sequence[Bundle]) -> Step | None:
    wanted = frozenset(holdings.bundle)
    stale = [each for each in bundles if frozenset(split(each.certificates)) != wanted]
    if not stale:
        return None
    where = tuple(dict.fromkeys(each.configuration for each in stale))
    return Publish(join(holdings.bundle), where)


def _rotated(holdings: Holdings, now: datetime.datetime, policy: Policy) -> Step | None:
    """The next authority's way to being the present one; every bundle holds what it should."""
    assert holdings.authority is not None
    if holdings.next is None:
        ends = expiry(holdings.authority.certificate)
        return Introduce() if ends - now <= policy.authority_renew_before else None
    if not _past(holdings.next_published, now):
        return Keep(replace(holdings, next_published=now), "every bundle holds the next authority")
    assert holdings.next_published is not None
    return Promote() if now - holdings.next_published >= policy.settle else None


def _renewed(holdings: Holdings, now: datetime.datetime, policy: Policy) -> Step | None:
    why = _unfit_to_serve(holdings, now, policy)
    return Reissue(why) if why else None


def _unfit_to_serve(holdings: Holdings, now: datetime.datetime, policy: Policy) -> str:
    if holdings.serving is None:
        return "there was no serving certificate"
    assert holdings.authority is not None
    try:
        read_key(holdings.serving)
        certificate = holdings.serving.certificate
        if not issued_by(certificate, holdings.authority.certificate):
            return "another authority had issued it"
        if names(certificate) != frozenset(str(general_name(each).value) for each in policy.names):
            return "it was for other names"
        end = expiry(certificate)
        # With an authority that ends first, a new one would end no later.
        if end - now <= policy.renew_before and end < expiry(holdings.authority.certificate):
            return "it was about to end"
    except BadCertificate as error:
        return str(error)
    return ""


def _retired(holdings: Holdings, now: datetime.datetime, policy: Policy) -> Step | None:
    if not holdings.retired or holdings.retired_at is None:
        return None
    if now - holdings.retired_at < policy.overlap:
        return None
    return Keep(replace(holdings, retired=(), retired_at=None), "the overlap is over")


def _unfit(pair: KeyPair | None, now: datetime.datetime) -> bool:
    """Whether an authority cannot sign."""
    try:
        if pair is not None:
            authorities.check(pair, now)
    except BadCertificate:
        return True
    return pair is None


def _ours(bundles: Sequence[Bundle], now: datetime.datetime) -> tuple[bytes, ...]:
    """The authorities of ours that the bundles hold: what they signed may be shown still."""
    found = split(b"".join(bundle.certificates for bundle in bundles))
    return tuple(
        each
        for each in found
        if organisation(each) == authorities.ORGANISATION and _lives(each, now)
    )


def _lives(certificate: bytes, now: datetime.datetime) -> bool:
    try:
        return expiry(certificate) > now
    except BadCertificate:
        return False


def _past(moment: datetime.datetime | None, now: datetime.datetime) -> bool:
    """Whether a moment is known and over; one in the future was edited, or is another clock's."""
    return moment is not None and moment <= now + datetime.timedelta(minutes=5)
