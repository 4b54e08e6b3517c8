"""Certificates of another issuer, such as cert-manager: every replica stays reachable, however the issuer rotates."""

from __future__ import annotations

import datetime
import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsworth.certificates import ca, leaf
from jobsworth.certificates.folder_store import published
from jobsworth.certificates.issued_certificate import (
    MAX_PREVIOUS,
    IssuedCertificate,
    next_trust_step,
    read_issued,
)
from jobsworth.certificates.keypair import (
    BadCertificate,
    KeyPair,
    expiry,
    join,
    leads_to,
    pair_of,
    split,
)
from jobsworth.certificates.manager import Manager
from jobsworth.certificates.rotation import Bundle, Keep, Publish, RotationPolicy
from jobsworth.certificates.state import State, decode
from support.api_server.fake_certificate_store import FakeCertificateStore
from support.law_examples import number_of_examples

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
SECOND, HOUR, DAY = (datetime.timedelta(**{n: 1}) for n in ("seconds", "hours", "days"))
POLICY = RotationPolicy((), settle=30 * SECOND, overlap=DAY)
NAMES = ("jobsworth.ns.svc",)
LIFETIME = 900 * DAY
OLD, NEW, FOREIGN = (ca.create(NOW, LIFETIME) for _ in range(3))
EXPIRED = ca.create(NOW - 2 * DAY, DAY)


def issued_by_ca(signer: KeyPair) -> IssuedCertificate:
    return IssuedCertificate(leaf.issue(signer, NAMES, NOW, LIFETIME), (signer.certificate,))


def secret(signer: KeyPair) -> dict[str, bytes]:
    """The data that cert-manager writes."""
    pair = leaf.issue(signer, NAMES, NOW, LIFETIME)
    return {"tls.crt": pair.certificate, "tls.key": pair.key, "ca.crt": signer.certificate}


def trusting(current: KeyPair, *previous: KeyPair, since: datetime.datetime | None = None) -> State:
    """The stored state; the previous CAs are so from now on, unless another time is given."""
    return State(
        ca=KeyPair(current.certificate, b""),
        previous=tuple(each.certificate for each in previous),
        previous_since=(since or NOW) if previous else None,
    )


def bundles(*cas: KeyPair) -> list[Bundle]:
    return [Bundle("configuration", "webhook", join(tuple(each.certificate for each in cas)))]


IS_OLD, IS_NEW = issued_by_ca(OLD), issued_by_ca(NEW)
STEPS: list[tuple[str, State, IssuedCertificate | None, list[Bundle], object]] = [
    ("nothing is issued yet", State(), None, bundles(FOREIGN), None),
    ("the first CA", State(), IS_OLD, bundles(), trusting(OLD)),
    ("the first CA is published", trusting(OLD), IS_OLD, bundles(), (OLD,)),
    ("all is well", trusting(OLD), IS_OLD, bundles(OLD), None),
    ("a new CA", trusting(OLD), IS_NEW, bundles(OLD), trusting(NEW, OLD)),
    ("a new CA is published beside the old one", trusting(NEW, OLD), IS_NEW, bundles(OLD), (NEW, OLD)),
    ("the overlap", trusting(NEW, OLD), IS_NEW, bundles(NEW, OLD), None),
    ("after the overlap", trusting(NEW, OLD, since=NOW - DAY), IS_NEW, bundles(NEW, OLD), trusting(NEW)),
    ("the old CA is back", trusting(NEW, OLD), IS_OLD, bundles(NEW, OLD), trusting(OLD, NEW)),
    ("a new CA after an expired one", trusting(EXPIRED), IS_NEW, bundles(EXPIRED), trusting(NEW)),
    ("the bundles are lost", trusting(NEW, OLD), IS_NEW, bundles(), (NEW, OLD)),
    ("a bundle was edited", trusting(NEW), IS_NEW, bundles(NEW, FOREIGN), (NEW,)),
    ("the certificate is lost", trusting(OLD), None, bundles(OLD), None),
    ("the certificate and the bundles are lost", trusting(OLD), None, bundles(), (OLD,)),
    ("the stored CAs are lost", State(), IS_NEW, bundles(OLD, NEW), trusting(NEW, OLD)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "issued", "found", "wanted"),
    [case[1:] for case in STEPS],
    ids=[case[0] for case in STEPS],
)
def test_the_next_step(
    state: State,
    issued: IssuedCertificate | None,
    found: list[Bundle],
    wanted: object,
) -> None:
    step = next_trust_step(state, issued, found, NOW, POLICY)
    if wanted is None:
        assert step is None
    elif isinstance(wanted, State):
        assert isinstance(step, Keep)
        assert step.state == wanted
    else:
        assert isinstance(wanted, tuple)
        assert step == Publish(join(tuple(each.certificate for each in wanted)), ("configuration",))


def test_an_issuer_that_replaces_its_ca_in_a_loop_does_not_fill_the_secret() -> None:
    state = State()
    for _ in range(MAX_PREVIOUS + 5):
        signer = ca.create(NOW, LIFETIME)
        step = next_trust_step(state, issued_by_ca(signer), [], NOW, POLICY)
        assert isinstance(step, Keep)
        last, state = state, step.state
    assert len(state.previous) == MAX_PREVIOUS
    assert last.ca is not None
    assert state.previous[0] == last.ca.certificate


# What an issuer writes.


def intermediate(root: KeyPair) -> KeyPair:
    """A CA that a root has signed."""
    signer = x509.load_pem_x509_certificate(root.certificate)
    root_key = serialization.load_pem_private_key(root.key, None)
    assert isinstance(root_key, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    made = ca.builder(
        ca.subject("between"), signer.subject, key.public_key(), NOW, NOW + LIFETIME
    ).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    return pair_of(made, key, root_key)


def test_a_certificate_with_its_intermediate_ca_leads_to_the_root() -> None:
    between = intermediate(OLD)
    data = secret(between)
    chain = data["tls.crt"] + between.certificate
    issued = read_issued({**data, "tls.crt": chain, "ca.crt": OLD.certificate})
    assert issued == IssuedCertificate(KeyPair(chain, data["tls.key"]), (OLD.certificate,))
    assert leads_to(chain, [OLD.certificate])
    assert leads_to(chain, [between.certificate])
    assert not leads_to(chain, [NEW.certificate])
    assert not leads_to(data["tls.crt"], [OLD.certificate])


def test_a_self_signed_certificate_is_its_own_ca() -> None:
    data = {"tls.crt": OLD.certificate, "tls.key": OLD.key, "ca.crt": OLD.certificate}
    assert read_issued(data).cas == (OLD.certificate,)


def test_a_certificate_with_an_rsa_key_is_taken() -> None:
    key = rsa.generate_private_key(65537, 2048)
    name = ca.subject("webhook")
    signer = serialization.load_pem_private_key(OLD.key, None)
    issuer = x509.load_pem_x509_certificate(OLD.certificate).subject
    made = ca.builder(name, issuer, key.public_key(), NOW, NOW + DAY)  # type: ignore[arg-type]
    pair = pair_of(made, key, signer)  # type: ignore[arg-type]
    data = {"tls.crt": pair.certificate, "tls.key": pair.key, "ca.crt": OLD.certificate}
    assert read_issued(data).serving == pair


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"ca.crt": b""}, "no ca.crt"),
        ({"tls.crt": b"", "tls.key": b""}, "no tls.crt and no tls.key"),
        ({"tls.crt": b"rubbish"}, "not a certificate in PEM"),
        ({"tls.key": b"rubbish"}, "not a private key in PEM"),
        ({"tls.key": NEW.key}, "the private key does not match the certificate"),
        ({"ca.crt": b"rubbish"}, "no CA in ca.crt issued the certificate in tls.crt"),
        ({"ca.crt": NEW.certificate}, "no CA in ca.crt issued the certificate in tls.crt"),
    ],
)
def test_a_secret_that_cannot_be_used_is_reported(change: dict[str, bytes], why: str) -> None:
    with pytest.raises(BadCertificate, match=why):
        read_issued({**secret(OLD), **change})


# An installation over time.


class IssuedInstallation:
    """Some replicas over one store, an issuer that writes its Secret, and a clock that the test moves."""

    def __init__(self, root: Path) -> None:
        self.now = NOW
        self.store = FakeCertificateStore(issued={})
        self.folders = [root / "0", root / "1"]
        self.managers = [
            Manager(self.store, POLICY, folder, lambda: self.now) for folder in self.folders
        ]

    def issue(self, signer: KeyPair) -> None:
        self.store.issued = secret(signer)

    def look(self) -> None:
        for manager in self.managers:
            manager.reconcile()
            manager.fill()

    def shown(self) -> set[KeyPair | None]:
        return {published(folder)[0] for folder in self.folders}

    def lose_bundles(self) -> None:
        for name, webhooks in self.store.bundles.items():
            self.store.bundles[name] = dict.fromkeys(webhooks, b"")
            self.store.versions[name] += 1

    def assert_reachable(self) -> None:
        """Check that any API server trusts any replica: the certificate served is trusted and valid."""
        for pair in self.shown():
            assert pair is not None
            assert expiry(pair.certificate) > self.now
            for bundle in self.store.all_bundles():
                assert leads_to(pair.certificate, split(bundle))


@contextmanager
def installation() -> Iterator[IssuedInstallation]:
    with tempfile.TemporaryDirectory() as root:
        yield IssuedInstallation(Path(root))


def test_before_the_first_certificate_nothing_is_written(caplog: pytest.LogCaptureFixture) -> None:
    with installation() as it, caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert not it.managers[0].reconcile()
            assert not it.managers[0].fill()
        assert it.store.versions.total() == 0
        (line,) = caplog.messages
        assert line.startswith("waiting for a certificate in the Secret of the issuer: no tls.crt")


def test_the_private_key_of_the_issuer_is_not_copied() -> None:
    with installation() as it:
        it.issue(OLD)
        it.look()
        assert (it.store.data or {}).keys() == {"ca.crt"}


def test_a_new_ca_is_trusted_for_the_settle_time_before_its_certificate_is_shown() -> None:
    with installation() as it:
        it.issue(OLD)
        it.look()
        before = it.shown()
        it.issue(NEW)
        it.look()
        it.now += 29 * SECOND
        it.look()
        assert it.shown() == before
        assert {len(split(each)) for each in it.store.all_bundles()} == {2}
        it.now += 2 * SECOND
        it.look()
        (shown,) = it.shown()
        assert shown is not None
        assert leads_to(shown.certificate, [NEW.certificate])
        it.assert_reachable()
        it.now += DAY
        it.look()
        assert it.store.all_bundles() == [NEW.certificate] * 3
        it.assert_reachable()


def test_where_no_bundle_trusts_the_old_certificate_the_new_one_is_shown_at_once() -> None:
    with installation() as it:
        it.issue(OLD)
        it.look()
        it.issue(NEW)
        it.store.data = None
        it.lose_bundles()
        it.look()
        it.assert_reachable()


def test_of_an_unusable_secret_nothing_is_shown_and_lost_bundles_are_restored() -> None:
    with installation() as it:
        it.issue(OLD)
        it.look()
        before = it.shown()
        it.store.issued = {**secret(NEW), "ca.crt": b""}
        it.lose_bundles()
        it.now += 40 * SECOND
        it.look()
        assert it.shown() == before
        it.assert_reachable()


def test_when_all_is_well_no_object_is_written() -> None:
    with installation() as it:
        it.issue(OLD)
        it.look()
        before = dict(it.store.versions)
        it.now += DAY
        it.look()
        assert it.store.versions == before


EVENTS = ("new CA", "new certificate", "lost certificate", "lost bundles", "lost CAs", "race")


@pytest.mark.slow
@settings(
    max_examples=number_of_examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(EVENTS), st.sampled_from([SECOND, 31 * SECOND, HOUR, DAY, 4 * DAY])
        ),
        max_size=20,
    )
)
def test_however_the_issuer_rotates_and_whatever_is_lost_the_webhook_is_reachable(
    events: list[tuple[str, datetime.timedelta]],
) -> None:
    cas = iter([NEW, FOREIGN, OLD] * len(events))
    current = OLD
    with installation() as it:
        it.issue(current)
        it.look()
        it.assert_reachable()
        for event, pause in events:
            if event == "lost certificate":
                it.store.issued = {}
                it.look()
                it.assert_reachable()
            elif event == "lost bundles":
                it.lose_bundles()
            elif event == "lost CAs":
                it.store.data = None
            elif event == "race":
                it.store.before_write = lambda: (it.managers[1].reconcile(), None)[1]
            if event == "new CA":
                current = next(cas)
            if event in ("new CA", "new certificate", "lost certificate"):
                it.issue(current)
            for _ in range(2):  # the loser of a race decides anew
                it.look()
            it.assert_reachable()
            it.now += pause
            it.look()
            it.assert_reachable()
        it.now += 31 * SECOND
        it.look()
        assert it.store.issued is not None
        wanted = read_issued(it.store.issued).serving
        assert it.shown() == {wanted}
        it.now += DAY
        it.look()
        assert it.store.all_bundles() == [current.certificate] * 3
        assert decode(it.store.data or {}) == trusting(current)
