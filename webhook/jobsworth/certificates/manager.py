"""Manage the certificates of an installation.

Carry out the steps that :mod:`.rotation` decides or, where another issuer writes the serving certificate,
:mod:`.issued_certificate`.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from jobsworth.certificates import ca, leaf
from jobsworth.certificates.cluster_store import ClusterSnapshot
from jobsworth.certificates.folder_store import publish, published
from jobsworth.certificates.issued_certificate import (
    IssuedCertificate,
    next_trust_step,
    read_issued,
)
from jobsworth.certificates.keypair import BadCertificate, KeyPair, check_match, expiry, join
from jobsworth.certificates.registrar import Registrar
from jobsworth.certificates.rotation import (
    Begin,
    Introduce,
    Keep,
    Promote,
    Publish,
    Reissue,
    RotationPolicy,
    Step,
    is_trusted,
    may_show,
    next_step,
)
from jobsworth.certificates.state import State, decode, encode
from jobsworth.client.api_errors import ApiError

LOG = logging.getLogger("jobsworth.certificates")
MAX_STEPS = 12
"""The largest number of steps in one call. A first installation takes two; if more are due after this
number, another client reverts the changes."""

Clock = Callable[[], datetime.datetime]


class Store(Protocol):
    """The storage of certificates: a :class:`jobsworth.certificates.cluster_store.Cluster`."""

    def read(self) -> ClusterSnapshot: ...

    def write_secret(self, seen: ClusterSnapshot, data: Mapping[str, bytes]) -> None: ...

    def write_bundle(self, seen: ClusterSnapshot, configuration: str, bundle: bytes) -> None: ...


class Manager:
    """Keep Secret, bundles and a folder of files as a policy requires.

    Only the leader reconciles Secret and bundles; each replica fills its own folder.

    Args:
        store: the storage of certificates.
        policy: the rotation policy.
        folder: the folder of the files; None to write no files.
        clock: returns the time.
        registrar: creates the webhook configurations; None if they are created otherwise.
    """

    def __init__(
        self,
        store: Store,
        policy: RotationPolicy,
        folder: Path | None = None,
        clock: Clock | None = None,
        registrar: Registrar | None = None,
    ) -> None:
        self._store = store
        self._policy = policy
        self._folder = folder
        self._registrar = registrar
        self._clock = clock or (lambda: datetime.datetime.now(datetime.UTC))
        self._trusted: tuple[KeyPair | None, datetime.datetime | None] = (None, None)
        self._complaint = ""

    def reconcile(self) -> bool:
        """Take every step that is due, and return True if no step is left.

        False means that another replica or client changed the objects at the same time: call again later.

        Raises:
            ApiError: the API server rejected a call or could not be reached.
        """
        for _ in range(MAX_STEPS):
            seen = self._store.read()
            now = self._clock()
            state = decode(seen.data)
            if seen.issued is None:
                step = next_step(state, seen.bundles, now, self._policy)
            else:
                issued = self._issued_certificate(seen.issued)
                step = next_trust_step(state, issued, seen.bundles, now, self._policy)
            try:
                if step is None:
                    bundle = join(state.bundle)
                    if not bundle:
                        return False  # the issuer has not issued a certificate yet
                    return self._registrar is None or self._registrar.reconcile(seen, bundle)
                self._take(step, seen, state, now)
            except ApiError as error:
                if error.conflict:
                    return False
                raise
        LOG.warning(
            "another client keeps reverting the Secret or the webhook configurations; "
            "find it in metadata.managedFields and stop it"
        )
        return False

    def fill(self) -> bool:
        """Write the serving certificate to the folder, and return True if the folder holds the current one.

        A valid certificate in the folder is replaced only after every bundle has trusted the new one for
        the ``settle`` time of the policy; at once if no bundle trusts it any more.

        Raises:
            ApiError: the API server rejected a call or could not be reached.
            OSError: the folder cannot be written.
        """
        if self._folder is None:
            return True
        seen = self._store.read()
        state = decode(seen.data)
        serving = state.serving
        if seen.issued is not None:
            issued = self._issued_certificate(seen.issued)
            serving = None if issued is None else issued.serving
        if serving is None or _invalid(serving):
            return False
        bundle = join(state.bundle)
        there, trusted = published(self._folder)
        if there == serving and trusted == bundle:
            return True
        if not (there == serving or self._due(there, serving, seen)):
            return False
        publish(self._folder, serving, bundle)
        LOG.info(
            "wrote the certificate files",
            extra={
                "folder": str(self._folder),
                "expires": str(expiry(serving.certificate)),
            },
        )
        return True

    def _issued_certificate(self, data: Mapping[str, bytes]) -> IssuedCertificate | None:
        """Return what another issuer has issued; None, and a log line once, if it cannot be used."""
        issued, complaint = None, ""
        try:
            issued = read_issued(data)
        except BadCertificate as error:
            complaint = str(error)
        if complaint and complaint != self._complaint:
            LOG.warning(f"waiting for a certificate in the Secret of the issuer: {complaint}")
        self._complaint = complaint
        return issued

    def _due(self, there: KeyPair | None, new: KeyPair, seen: ClusterSnapshot) -> bool:
        now = self._clock()
        if not may_show(new, seen.bundles):
            self._trusted = (None, None)
            return not _valid(there, now)
        if seen.bundles and not is_trusted(there, seen.bundles):
            return True  # the Secret and the bundles were lost: every API server rejects it already
        pair, since = self._trusted
        if pair != new or since is None:
            self._trusted = (new, now)
            since = now
        return now - since >= self._policy.settle or not _valid(there, now)

    def _take(
        self, step: Step, seen: ClusterSnapshot, state: State, now: datetime.datetime
    ) -> None:
        if isinstance(step, Publish):
            for configuration in step.configurations:
                self._store.write_bundle(seen, configuration, step.bundle)
                LOG.info("wrote caBundle", extra={"configuration": configuration})
            return
        self._store.write_secret(seen, encode(self._after(step, state, now)))
        LOG.info(_message(step))

    def _after(self, step: Step, state: State, now: datetime.datetime) -> State:
        """Return the state after a step, with new certificates where the step requires them."""
        if isinstance(step, Keep):
            return step.state
        if isinstance(step, Reissue):
            assert state.ca is not None
            return replace(state, serving=self._issued(state.ca, now))
        if isinstance(step, Introduce):
            made = ca.create(now, self._policy.ca_lifetime)
            return replace(state, next=made, next_published=None)
        if isinstance(step, Promote):
            assert state.ca is not None
            assert state.next is not None
            return State(
                ca=state.next,
                serving=self._issued(state.next, now),
                previous=(state.ca.certificate, *state.previous),
                previous_since=now,
            )
        assert isinstance(step, Begin)
        made = ca.create(now, self._policy.ca_lifetime)
        return State(
            ca=made,
            serving=self._issued(made, now),
            previous=step.previous,
            previous_since=now if step.previous else None,
        )

    def _issued(self, signer: KeyPair, now: datetime.datetime) -> KeyPair:
        return leaf.issue(signer, self._policy.names, now, self._policy.lifetime)


def _message(step: Step) -> str:
    match step:
        case Begin(previous=()):
            return "created a CA and a serving certificate"
        case Begin():
            return "the CA was lost: created a new one; previous CAs stay trusted for the overlap"
        case Introduce():
            return "created the next CA"
        case Promote():
            return "promoted the next CA: it signs from now on"
        case Reissue(why=why):
            return f"issued a serving certificate: {why}"
        case Keep(why=why):
            return why
        case _:
            return "wrote caBundle"


def _invalid(pair: KeyPair) -> bool:
    try:
        check_match(pair)
    except BadCertificate:
        return True
    return False


def _valid(pair: KeyPair | None, now: datetime.datetime) -> bool:
    """Return True if a certificate matches its key and has not expired."""
    try:
        return pair is not None and not _invalid(pair) and expiry(pair.certificate) > now
    except BadCertificate:
        return False
