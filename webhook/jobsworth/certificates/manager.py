"""Looks after the certificates of an installation: carries out what :mod:`.rotation` decides."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from jobsworth.certificates import ca, leaf
from jobsworth.certificates.cluster_store import Seen
from jobsworth.certificates.folder_store import publish, published
from jobsworth.certificates.keypair import BadCertificate, KeyPair, expiry, join, read_key
from jobsworth.certificates.rotation import (
    Begin,
    Introduce,
    Keep,
    Policy,
    Promote,
    Publish,
    Reissue,
    Step,
    may_show,
    next_step,
)
from jobsworth.certificates.state import Holdings, decode, encode
from jobsworth.client.errors import ApiError

LOG = logging.getLogger("jobsworth.certificates")
MOST_STEPS = 12
"""Steps in one go; a first installation takes two, so more of them means that somebody undoes ours."""

Clock = Callable[[], datetime.datetime]


class Store(Protocol):
    """Where certificates are kept and published: a :class:`jobsworth.certificates.cluster_store.Cluster`."""

    def read(self) -> Seen: ...

    def write_secret(self, seen: Seen, data: Mapping[str, bytes]) -> None: ...

    def write_bundle(self, seen: Seen, configuration: str, bundle: bytes) -> None: ...


class Manager:
    """Keeps Secret, bundles and a folder of files as a policy wants them.

    One replica at a time tends Secret and bundles; each fills its own folder.
    """

    def __init__(
        self, store: Store, policy: Policy, folder: Path | None = None, clock: Clock | None = None
    ) -> None:
        self._store = store
        self._policy = policy
        self._folder = folder
        self._clock = clock or (lambda: datetime.datetime.now(datetime.UTC))
        self._trusted: tuple[KeyPair | None, datetime.datetime | None] = (None, None)

    def tend(self) -> bool:
        """Take every step that is due, and say whether all were taken.

        False means that another replica wrote meanwhile, or that somebody undoes what is done: go on later.

        Raises:
            ApiError: the API server could not be asked, or refused.
        """
        for _ in range(MOST_STEPS):
            seen = self._store.read()
            now = self._clock()
            holdings = decode(seen.data)
            step = next_step(holdings, seen.bundles, now, self._policy)
            if step is None:
                return True
            try:
                self._take(step, seen, holdings, now)
            except ApiError as error:
                if error.conflict:
                    return False
                raise
        LOG.warning("somebody undoes what is written to the Secret or the webhook configurations")
        return False

    def fill(self) -> bool:
        """Put the serving certificate into the folder, and say whether it holds the present one.

        A certificate that is there and serves is replaced only when every bundle has been seen to trust the
        new one for as long as bundles take to settle.

        Raises:
            ApiError: the API server could not be asked, or refused.
            OSError: the folder cannot be written.
        """
        if self._folder is None:
            return True
        seen = self._store.read()
        holdings = decode(seen.data)
        if holdings.serving is None or _broken(holdings.serving):
            return False
        bundle = join(holdings.bundle)
        there, trusted = published(self._folder)
        if there == holdings.serving and trusted == bundle:
            return True
        if not (there == holdings.serving or self._due(there, holdings.serving, seen)):
            return False
        publish(self._folder, holdings.serving, bundle)
        LOG.info(
            "wrote the certificate files",
            extra={
                "folder": str(self._folder),
                "expires": str(expiry(holdings.serving.certificate)),
            },
        )
        return True

    def _due(self, there: KeyPair | None, new: KeyPair, seen: Seen) -> bool:
        now = self._clock()
        if not may_show(new, seen.bundles):
            self._trusted = (None, None)
            return not _serves(there, now)
        pair, since = self._trusted
        if pair != new or since is None:
            self._trusted = (new, now)
            since = now
        return now - since >= self._policy.settle or not _serves(there, now)

    def _take(self, step: Step, seen: Seen, holdings: Holdings, now: datetime.datetime) -> None:
        if isinstance(step, Publish):
            for configuration in step.configurations:
                self._store.write_bundle(seen, configuration, step.bundle)
                LOG.info("wrote caBundle", extra={"configuration": configuration})
            return
        self._store.write_secret(seen, encode(self._after(step, holdings, now)))
        LOG.info(_told(step))

    def _after(self, step: Step, holdings: Holdings, now: datetime.datetime) -> Holdings:
        """The holdings after a step: what it takes is made here."""
        if isinstance(step, Keep):
            return step.holdings
        if isinstance(step, Reissue):
            assert holdings.authority is not None
            return replace(holdings, serving=self._issued(holdings.authority, now))
        if isinstance(step, Introduce):
            made = ca.create(now, self._policy.authority_lifetime)
            return replace(holdings, next=made, next_published=None)
        if isinstance(step, Promote):
            assert holdings.authority is not None
            assert holdings.next is not None
            return Holdings(
                authority=holdings.next,
                serving=self._issued(holdings.next, now),
                retired=(holdings.authority.certificate, *holdings.retired),
                retired_at=now,
            )
        assert isinstance(step, Begin)
        made = ca.create(now, self._policy.authority_lifetime)
        return Holdings(
            authority=made,
            serving=self._issued(made, now),
            retired=step.retired,
            retired_at=now if step.retired else None,
        )

    def _issued(self, signer: KeyPair, now: datetime.datetime) -> KeyPair:
        return leaf.issue(signer, self._policy.names, now, self._policy.lifetime)


def _told(step: Step) -> str:
    match step:
        case Begin(retired=()):
            return "made an authority and a serving certificate"
        case Begin():
            return "the authority was lost: made another, and trust the earlier ones for a while"
        case Introduce():
            return "made the next authority"
        case Promote():
            return "the next authority signs from now on"
        case Reissue(why=why):
            return f"issued a serving certificate: {why}"
        case Keep(why=why):
            return why
        case _:
            return "wrote caBundle"


def _broken(pair: KeyPair) -> bool:
    try:
        read_key(pair)
    except BadCertificate:
        return True
    return False


def _serves(pair: KeyPair | None, now: datetime.datetime) -> bool:
    """Whether a webhook that shows this certificate can be reached at all."""
    try:
        return pair is not None and not _broken(pair) and expiry(pair.certificate) > now
    except BadCertificate:
        return False
