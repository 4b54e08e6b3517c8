"""Decide the next step for the certificates of an installation, from values only.

Several API servers call several replicas of the webhook. No request fails while certificates change, because
every decision keeps this order:

1. create the next CA, and publish it in every ``caBundle`` beside the current one;
2. when all bundles have held it for the ``settle`` time, issue a serving certificate from it;
3. keep the previous CA in the bundles until no replica can serve a certificate that it signed.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jobsworth.certificates import ca
from jobsworth.certificates.keypair import (
    BadCertificate,
    KeyPair,
    expiry,
    issued_by,
    join,
    leads_to,
    names,
    organization,
    read_key,
    split,
)
from jobsworth.certificates.leaf import general_name
from jobsworth.certificates.state import State

_DAY = datetime.timedelta(days=1)


class BadRotationPolicy(ValueError):
    """Durations that contradict each other; the message states which and why."""


@dataclass(frozen=True, slots=True)
class RotationPolicy:
    """Lifetimes and renewal times of certificates.

    Attributes:
        names: host names and IP addresses of the serving certificate.
        lifetime: the lifetime of a serving certificate.
        renew_before: the time before its expiry at which a serving certificate is renewed.
        ca_lifetime: the lifetime of a CA.
        settle: the time after which every API server is assumed to use a new ``caBundle``.
        overlap: the time for which a previous CA stays trusted.
    """

    names: tuple[str, ...]
    lifetime: datetime.timedelta = 90 * _DAY
    renew_before: datetime.timedelta = 30 * _DAY
    ca_lifetime: datetime.timedelta = 730 * _DAY
    settle: datetime.timedelta = datetime.timedelta(seconds=30)
    overlap: datetime.timedelta = _DAY

    @property
    def ca_renew_before(self) -> datetime.timedelta:
        """The time before its expiry at which a CA is replaced.

        The certificates that it signs can still reach their full lifetime.
        """
        return self.lifetime + self.renew_before


def check(policy: RotationPolicy) -> None:
    """Check that the durations of a policy are consistent.

    Raises:
        BadRotationPolicy: a certificate would be renewed at once, or too late.
    """
    if policy.lifetime <= policy.renew_before:
        raise BadRotationPolicy(
            "the lifetime of a serving certificate must be longer than the time before expiry at which "
            "it is renewed"
        )
    if policy.ca_lifetime <= policy.ca_renew_before + policy.overlap:
        raise BadRotationPolicy(
            "the lifetime of a CA must be longer than that of a serving certificate, its renewal time and the"
            f" overlap together: more than {policy.ca_renew_before + policy.overlap}"
        )
    if policy.overlap <= policy.settle:
        raise BadRotationPolicy(
            "the overlap must be longer than the settle time, after which replicas use a new certificate"
        )
    if policy.renew_before <= policy.settle:
        raise BadRotationPolicy(
            "the time before expiry at which certificates are renewed must be longer than the settle time"
        )


@dataclass(frozen=True, slots=True)
class Bundle:
    """The ``caBundle`` of one webhook.

    Attributes:
        configuration: the kind and name of the webhook configuration.
        webhook: the name of the webhook in the configuration.
        certificates: PEM; empty if the bundle is empty.
    """

    configuration: str
    webhook: str
    certificates: bytes


@dataclass(frozen=True, slots=True)
class Begin:
    """Create a CA and a serving certificate, and keep trusting the previous CAs."""

    previous: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Introduce:
    """Create the next CA."""


@dataclass(frozen=True, slots=True)
class Promote:
    """Sign with the next CA: issue a serving certificate from it, and make the current CA a previous one."""


@dataclass(frozen=True, slots=True)
class Reissue:
    """Issue a serving certificate from the current CA."""

    why: str


@dataclass(frozen=True, slots=True)
class Keep:
    """Store this state."""

    state: State
    why: str


@dataclass(frozen=True, slots=True)
class Publish:
    """Write this bundle into the webhooks of these configurations."""

    bundle: bytes
    configurations: tuple[str, ...]


Step = Begin | Introduce | Promote | Reissue | Keep | Publish


def next_step(
    state: State, bundles: Sequence[Bundle], now: datetime.datetime, policy: RotationPolicy
) -> Step | None:
    """Return the next step; None if no step is due.

    Each step leaves the installation working, so any replica can take the next one at any later time.
    """
    if _cannot_sign(state.ca, now):
        return Begin(_ours(bundles, now))
    return (
        repaired(state, now, policy)
        or unpublished(state, bundles)
        or _rotated(state, now, policy)
        or _renewed(state, now, policy)
        or expired_overlap(state, now, policy)
    )


def may_show(serving: KeyPair | None, bundles: Sequence[Bundle]) -> bool:
    """Return True if every API server with these bundles trusts a serving certificate."""
    return serving is not None and all(
        leads_to(serving.certificate, split(bundle.certificates)) for bundle in bundles
    )


def is_trusted(serving: KeyPair | None, bundles: Sequence[Bundle]) -> bool:
    """Return True if a bundle trusts a serving certificate."""
    return serving is not None and any(
        leads_to(serving.certificate, split(bundle.certificates)) for bundle in bundles
    )


def repaired(state: State, now: datetime.datetime, policy: RotationPolicy) -> Step | None:
    """Repair edits to the state that must be fixed before any other decision."""
    if state.next is not None and _cannot_sign(state.next, now):
        return Keep(replace(state, next=None, next_published=None), "discarded an invalid next CA")
    living = tuple(each for each in state.previous if not_expired(each, now))
    if living != state.previous:
        return Keep(replace(state, previous=living), "removed an expired previous CA")
    if state.previous and not _past(state.previous_since, now):
        return Keep(
            replace(state, previous_since=now),
            "the overlap of the previous CA had no start time: starts now",
        )
    return None


def unpublished(state: State, bundles: Sequence[Bundle]) -> Step | None:
    """Return the step that writes the bundle where another one is; None if it is in every webhook."""
    wanted = frozenset(state.bundle)
    stale = [each for each in bundles if frozenset(split(each.certificates)) != wanted]
    if not stale:
        return None
    where = tuple(dict.fromkeys(each.configuration for each in stale))
    return Publish(join(state.bundle), where)


def _rotated(state: State, now: datetime.datetime, policy: RotationPolicy) -> Step | None:
    """Decide the next step of a CA rotation; every bundle is up to date."""
    assert state.ca is not None
    if state.next is None:
        ends = expiry(state.ca.certificate)
        return Introduce() if ends - now <= policy.ca_renew_before else None
    if not _past(state.next_published, now):
        return Keep(replace(state, next_published=now), "every bundle holds the next CA")
    assert state.next_published is not None
    return Promote() if now - state.next_published >= policy.settle else None


def _renewed(state: State, now: datetime.datetime, policy: RotationPolicy) -> Step | None:
    why = _reissue_reason(state, now, policy)
    return Reissue(why) if why else None


def _reissue_reason(state: State, now: datetime.datetime, policy: RotationPolicy) -> str:
    if state.serving is None:
        return "there was no serving certificate"
    assert state.ca is not None
    try:
        read_key(state.serving)
        certificate = state.serving.certificate
        if not issued_by(certificate, state.ca.certificate):
            return "another CA had issued it"
        if names(certificate) != frozenset(str(general_name(each).value) for each in policy.names):
            return "it was for other names"
        end = expiry(certificate)
        # If the CA expires first, a new certificate would expire no later than this one.
        if end - now <= policy.renew_before and end < expiry(state.ca.certificate):
            return "it was about to expire"
    except BadCertificate as error:
        return str(error)
    return ""


def expired_overlap(state: State, now: datetime.datetime, policy: RotationPolicy) -> Step | None:
    """Return the step that removes the previous CAs; None before the end of the overlap."""
    if not state.previous or state.previous_since is None:
        return None
    if now - state.previous_since < policy.overlap:
        return None
    return Keep(
        replace(state, previous=(), previous_since=None),
        "removed the previous CA: the overlap is over",
    )


def _cannot_sign(pair: KeyPair | None, now: datetime.datetime) -> bool:
    """Return True if a CA cannot sign."""
    try:
        if pair is not None:
            ca.check(pair, now)
    except BadCertificate:
        return True
    return pair is None


def _ours(bundles: Sequence[Bundle], now: datetime.datetime) -> tuple[bytes, ...]:
    """Return our CAs in the bundles: a replica may still serve a certificate that they signed."""
    found = split(b"".join(bundle.certificates for bundle in bundles))
    return tuple(
        each for each in found if organization(each) == ca.ORGANIZATION and not_expired(each, now)
    )


def not_expired(certificate: bytes, now: datetime.datetime) -> bool:
    """Return True for a certificate that has not expired; False also if it cannot be read."""
    try:
        return expiry(certificate) > now
    except BadCertificate:
        return False


def _past(moment: datetime.datetime | None, now: datetime.datetime) -> bool:
    """Return True if a time is known and past; a future time was edited, or is of another clock."""
    return moment is not None and moment <= now + datetime.timedelta(minutes=5)
