"""An installation over years, with replicas that race, crash and are edited: no request ever fails."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsworth.certificates import ca
from jobsworth.certificates.folder_store import published
from jobsworth.certificates.keypair import expiry, issued_by, split
from jobsworth.certificates.manager import Manager
from jobsworth.certificates.rotation import RotationPolicy
from jobsworth.certificates.state import decode
from support.api_server.fake_certificate_store import MUTATING, VALIDATING, FakeCertificateStore
from support.law_examples import number_of_examples

START = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
SECOND, HOUR, DAY = (datetime.timedelta(**{n: 1}) for n in ("seconds", "hours", "days"))
POLICY = RotationPolicy(
    ("jobsworth.ns.svc",),
    lifetime=20 * DAY,
    renew_before=5 * DAY,
    ca_lifetime=60 * DAY,
    settle=30 * SECOND,
    overlap=DAY,
)


class Installation:
    """Some replicas over one store, each with its folder, and a clock that the test moves."""

    def __init__(self, root: Path, replicas: int = 2) -> None:
        self.now = START
        self.store = FakeCertificateStore()
        self.folders = [root / str(number) for number in range(replicas)]
        self.managers = [self._start(folder) for folder in self.folders]

    def _start(self, folder: Path) -> Manager:
        return Manager(self.store, POLICY, folder, lambda: self.now)

    def restart(self, number: int) -> None:
        self.managers[number] = self._start(self.folders[number])

    def look(self) -> None:
        for manager in self.managers:
            manager.reconcile()
            manager.fill()

    def assert_reachable(self) -> None:
        """Check that any API server trusts any replica: the certificate served is trusted and valid."""
        for folder in self.folders:
            pair, _ = published(folder)
            if pair is None:
                continue  # not ready yet
            assert expiry(pair.certificate) > self.now
            for bundle in self.store.all_bundles():
                assert any(issued_by(pair.certificate, each) for each in split(bundle))


@contextmanager
def installation(replicas: int = 2) -> Iterator[Installation]:
    with tempfile.TemporaryDirectory() as root:
        yield Installation(Path(root), replicas)


def test_a_first_installation_is_done_at_once() -> None:
    with installation() as it:
        it.look()
        shown = {published(folder)[0] for folder in it.folders}
        assert len(shown) == 1
        assert None not in shown
        assert [manager.fill() for manager in it.managers] == [True, True]  # and stay as they are
        it.assert_reachable()


def test_a_client_that_reverts_every_step_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with installation(1) as it:
        monkeypatch.setattr(it.store, "write_bundle", lambda *call: None)
        assert not it.managers[0].reconcile()
    assert caplog.messages[-1] == (
        "another client keeps reverting the Secret or the webhook configurations; find it in "
        "metadata.managedFields and stop it"
    )


def test_when_all_is_well_nothing_is_written() -> None:
    with installation() as it:
        it.look()
        before = dict(it.store.versions)
        it.now += DAY
        it.look()
        assert it.store.versions == before


@pytest.mark.slow
def test_over_half_a_year_cas_change_and_every_replica_stays_reachable() -> None:
    with installation() as it:
        cas, servings = set(), set()
        for _ in range(360):
            for pause in (10 * SECOND, 40 * SECOND, 12 * HOUR):
                it.look()
                it.assert_reachable()
                it.now += pause
            state = decode(it.store.data or {})
            assert state.ca is not None
            assert state.serving is not None
            cas.add(state.ca.certificate)
            servings.add(state.serving.certificate)
            assert len(state.bundle) <= 3
        assert len(cas) > 4
        assert len(servings) > 10


def test_during_a_rotation_both_cas_are_trusted_and_afterwards_one() -> None:
    with installation() as it:
        it.look()
        it.now += 36 * DAY
        it.look()
        assert {len(split(bundle)) for bundle in it.store.all_bundles()} == {2}
        it.now += 31 * SECOND
        it.look()
        assert {len(split(bundle)) for bundle in it.store.all_bundles()} == {2}
        it.now += 25 * HOUR
        it.look()
        assert {len(split(bundle)) for bundle in it.store.all_bundles()} == {1}


def test_of_two_replicas_that_write_at_once_one_wins_and_both_agree() -> None:
    with installation() as it:
        first, second = it.managers
        it.store.before_write = lambda: (second.reconcile(), None)[1]
        assert not first.reconcile()
        assert first.reconcile()
        assert second.reconcile()
        it.look()
        assert published(it.folders[0]) == published(it.folders[1])


def test_after_the_secret_was_lost_replicas_stay_reachable() -> None:
    with installation() as it:
        it.look()
        it.store.data = None
        for _ in range(10):
            it.look()
            it.assert_reachable()
            it.now += 10 * SECOND
        assert decode(it.store.data or {}).serving == published(it.folders[0])[0]


def test_after_the_secret_and_the_bundles_were_lost_the_new_certificate_is_used_at_once() -> None:
    with installation() as it:
        it.look()
        before = published(it.folders[0])[0]
        it.store.data = None
        for name, webhooks in it.store.bundles.items():
            it.store.bundles[name] = dict.fromkeys(webhooks, b"")
        it.look()
        assert published(it.folders[0])[0] != before
        it.assert_reachable()


def test_a_certificate_that_no_bundle_trusts_is_not_shown() -> None:
    with installation() as it:
        it.look()
        shown = published(it.folders[0])[0]
        it.store.data = None
        # Another installation's Secret is restored over this one, and no process updates the bundles.
        other = FakeCertificateStore()
        Manager(other, POLICY, None, lambda: it.now).reconcile()
        it.store.data = other.data
        for _ in range(10):
            assert not it.managers[0].fill()
            it.now += 30 * SECOND
        assert published(it.folders[0])[0] == shown


FOREIGN = ca.create(START, 600 * DAY)
EDITS: dict[str, Callable[[FakeCertificateStore], None]] = {
    "nothing": lambda store: None,
    "empty bundle": lambda store: store.bundles[MUTATING].update({"mutate.jobsworth.dev": b""}),
    "foreign bundle": lambda store: store.bundles[VALIDATING].update(
        {"validate.jobsworth.dev": FOREIGN.certificate}
    ),
    "no Secret": lambda store: setattr(store, "data", None),
    "no key": lambda store: (store.data or {}).pop("ca.key", None) and None,
    "rubbish": lambda store: (store.data or {}).update({"tls.crt": b"rubbish"}),
    "rubbish dates": lambda store: (store.data or {}).update({"next-ca-published": b"soon"}),
    "no next": lambda store: (store.data or {}).pop("next-ca.key", None) and None,
}


def edited(store: FakeCertificateStore, what: str) -> None:
    EDITS[what](store)
    for name in ("Secret", MUTATING, VALIDATING):
        store.versions[name] += 1


@pytest.mark.slow
@settings(
    max_examples=number_of_examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(EDITS)),
            st.booleans(),  # the second replica writes between the first one's read and write
            st.booleans(),  # the first one is restarted
            st.sampled_from([SECOND, 31 * SECOND, HOUR, DAY, 4 * DAY]),
        ),
        max_size=25,
    )
)
def test_after_any_edits_and_races_the_state_settles_and_the_webhook_is_reachable(
    events: list[tuple[str, bool, bool, datetime.timedelta]],
) -> None:
    with installation() as it:
        it.look()
        for edit, race, restart, pause in events:
            edited(it.store, edit)
            if race:
                it.store.before_write = lambda: (it.managers[1].reconcile(), None)[1]
            if restart:
                it.restart(0)
            it.look()
            it.look()  # the loser of a race decides anew
            it.assert_reachable()
            it.now += pause
            it.look()
            it.assert_reachable()
        for _ in range(3):
            it.now += 31 * SECOND
            it.look()
        assert published(it.folders[0]) == published(it.folders[1])
        it.assert_reachable()


def test_a_key_of_another_certificate_is_not_shown() -> None:
    with installation(replicas=1) as it:
        it.look()
        before, _ = published(it.folders[0])
        other = ca.create(START, POLICY.ca_lifetime)
        it.store.data["tls.key"] = other.key
        assert not it.managers[0].fill()
        assert published(it.folders[0])[0] == before
