"""The next step for an installation's certificates: a table of what is found and what is to be done."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip("cryptography")

from jobsworth.certificates import ca, leaf
from jobsworth.certificates.keypair import KeyPair, join
from jobsworth.certificates.rotation import (
    BadRotationPolicy,
    Begin,
    Bundle,
    Introduce,
    Keep,
    Promote,
    Publish,
    Reissue,
    RotationPolicy,
    Step,
    check,
    may_show,
    next_step,
)
from jobsworth.certificates.state import State, decode, encode

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
POLICY = RotationPolicy(("jobsworth.ns.svc", "::1"), lifetime=90 * DAY, renew_before=30 * DAY)
CA = ca.create(NOW, POLICY.ca_lifetime)
NEXT = ca.create(NOW, POLICY.ca_lifetime)
OLD = ca.create(NOW - 700 * DAY, POLICY.ca_lifetime).certificate
FOREIGN = leaf.issue(CA, ["elsewhere"], NOW, DAY).certificate
SETTLED = State(CA, leaf.issue(CA, POLICY.names, NOW, POLICY.lifetime))
ROTATING = replace(SETTLED, next=NEXT, next_published=NOW)
MUTATING, VALIDATING = "MutatingWebhookConfiguration a", "ValidatingWebhookConfiguration a"


def bundles(*certificates: bytes) -> list[Bundle]:
    bundle = join(certificates)
    return [Bundle(MUTATING, "m", bundle), Bundle(VALIDATING, "v", bundle)]


def test_at_first_a_ca_is_created() -> None:
    assert next_step(State(), bundles(), NOW, POLICY) == Begin(())


def test_then_it_is_published_where_it_is_not_known() -> None:
    found = [Bundle(MUTATING, "m", CA.certificate), Bundle(VALIDATING, "v", b"")]
    assert next_step(SETTLED, found, NOW, POLICY) == Publish(CA.certificate, (VALIDATING,))


def test_then_nothing_is_to_be_done() -> None:
    assert next_step(SETTLED, bundles(CA.certificate), NOW, POLICY) is None


def test_without_configurations_nothing_is_published() -> None:
    assert next_step(SETTLED, [], NOW, POLICY) is None


def test_another_layout_of_a_bundle_is_the_same_bundle() -> None:
    found = [Bundle(MUTATING, "m", b"# ours\n" + CA.certificate.replace(b"\n", b"\r\n"))]
    assert next_step(SETTLED, found, NOW, POLICY) is None


DAMAGES: list[tuple[str, State, type[Step]]] = [
    ("the CA's key is lost", replace(SETTLED, ca=KeyPair(CA.certificate, b"")), Begin),
    ("the CA is another's", replace(SETTLED, ca=KeyPair(CA.certificate, NEXT.key)), Begin),
    ("the CA is a server's", replace(SETTLED, ca=SETTLED.serving), Begin),
    ("the serving certificate is lost", replace(SETTLED, serving=None), Reissue),
    ("its key is lost", replace(SETTLED, serving=KeyPair(SETTLED.serving.certificate, b"")), Reissue),  # type: ignore[union-attr]
    ("it is rubbish", replace(SETTLED, serving=KeyPair(b"a", b"b")), Reissue),
    ("it is another CA's", replace(SETTLED, serving=leaf.issue(NEXT, POLICY.names, NOW, 90 * DAY)), Reissue),
    ("it is for other names", replace(SETTLED, serving=leaf.issue(CA, ["a"], NOW, 90 * DAY)), Reissue),
    ("a previous CA is malformed", replace(SETTLED, previous=(b"x",), previous_since=NOW), Keep),
    ("no date of retirement", replace(SETTLED, previous=(OLD,)), Keep),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "step"), [(h, s) for _, h, s in DAMAGES], ids=[d[0] for d in DAMAGES]
)
def test_edited_state_is_repaired(state: State, step: type[Step]) -> None:
    found = bundles(CA.certificate, *state.previous)
    assert isinstance(next_step(state, found, NOW, POLICY), step)


def test_a_lost_ca_is_trusted_on_while_webhooks_may_show_what_it_signed() -> None:
    found = bundles(CA.certificate, OLD, FOREIGN[:200])
    assert next_step(State(), found, NOW, POLICY) == Begin((CA.certificate, OLD))
    assert next_step(State(), found, NOW + 100 * DAY, POLICY) == Begin((CA.certificate,))


def test_foreign_certificates_are_removed_from_a_bundle() -> None:
    step = next_step(SETTLED, bundles(CA.certificate, FOREIGN), NOW, POLICY)
    assert step == Publish(CA.certificate, (MUTATING, VALIDATING))


def test_a_serving_certificate_is_renewed_before_its_end_and_not_before() -> None:
    found = bundles(CA.certificate)
    assert next_step(SETTLED, found, NOW + 59 * DAY, POLICY) is None
    assert next_step(SETTLED, found, NOW + 60 * DAY, POLICY) == Reissue("it was about to expire")


def test_a_serving_certificate_that_cannot_last_longer_is_not_renewed_again_and_again() -> None:
    late = NOW + POLICY.ca_lifetime - 10 * DAY
    pair = leaf.issue(CA, POLICY.names, late, POLICY.lifetime)
    rotating = replace(ROTATING, serving=pair, next_published=late)
    assert next_step(rotating, bundles(CA.certificate, NEXT.certificate), late, POLICY) is None


def test_a_ca_is_followed_while_what_it_signs_can_live_its_whole_life() -> None:
    late = NOW + POLICY.ca_lifetime - POLICY.lifetime - POLICY.renew_before
    fresh = replace(SETTLED, serving=leaf.issue(CA, POLICY.names, late, POLICY.lifetime))
    assert next_step(fresh, bundles(CA.certificate), late - DAY, POLICY) is None
    assert next_step(fresh, bundles(CA.certificate), late, POLICY) == Introduce()


def test_the_next_ca_signs_only_when_every_bundle_has_held_it_for_a_while() -> None:
    both = bundles(CA.certificate, NEXT.certificate)
    introduced = replace(ROTATING, next_published=None)
    assert isinstance(
        next_step(introduced, [*both[:1], *bundles(CA.certificate)], NOW, POLICY), Publish
    )
    assert next_step(introduced, both, NOW, POLICY) == Keep(
        ROTATING, "every bundle holds the next CA"
    )
    assert next_step(ROTATING, both, NOW + POLICY.settle / 2, POLICY) is None
    assert next_step(ROTATING, both, NOW + POLICY.settle, POLICY) == Promote()
    assert isinstance(
        next_step(ROTATING, bundles(CA.certificate), NOW + POLICY.settle, POLICY), Publish
    )


def test_a_date_in_the_future_does_not_stop_a_rotation() -> None:
    edited = replace(ROTATING, next_published=NOW + 99 * DAY)
    assert next_step(edited, bundles(CA.certificate, NEXT.certificate), NOW, POLICY) == Keep(
        ROTATING, "every bundle holds the next CA"
    )


def test_a_previous_ca_leaves_after_the_overlap() -> None:
    state = replace(SETTLED, previous=(OLD,), previous_since=NOW)
    found = bundles(CA.certificate, OLD)
    assert (
        next_step(state, found, NOW + POLICY.overlap - datetime.timedelta(seconds=1), POLICY)
        is None
    )
    assert next_step(state, found, NOW + POLICY.overlap, POLICY) == Keep(
        SETTLED, "removed the previous CA: the overlap is over"
    )


def test_a_certificate_may_be_shown_when_every_bundle_trusts_it() -> None:
    assert may_show(SETTLED.serving, bundles(NEXT.certificate, CA.certificate))
    assert may_show(SETTLED.serving, [])
    assert not may_show(SETTLED.serving, [*bundles(CA.certificate), *bundles(NEXT.certificate)])
    assert not may_show(SETTLED.serving, bundles())
    assert not may_show(None, [])


@pytest.mark.parametrize(
    "state", [State(), SETTLED, ROTATING, replace(SETTLED, previous=(OLD,), previous_since=NOW)]
)
def test_holdings_are_read_back_from_a_secret(state: State) -> None:
    assert decode(encode(state)) == state


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda p: replace(p, renew_before=90 * DAY), "must be longer than the time before expiry"),
        (lambda p: replace(p, ca_lifetime=121 * DAY), "the lifetime of a CA must be longer"),
        (lambda p: replace(p, settle=30 * DAY), "longer than the settle time"),
        (
            lambda p: replace(
                p, settle=p.renew_before, overlap=2 * p.renew_before, ca_lifetime=999 * DAY
            ),
            "at which certificates are renewed must be longer than the settle time",
        ),
    ],
)
def test_times_that_cannot_be_kept_together_are_rejected(
    change: Callable[[RotationPolicy], RotationPolicy], why: str
) -> None:
    check(POLICY)
    with pytest.raises(BadRotationPolicy, match=why):
        check(change(POLICY))


def reason(state: State) -> str:
    step = next_step(state, bundles(CA.certificate), NOW, POLICY)
    assert isinstance(step, Reissue)
    return step.why


def test_the_reason_for_a_new_serving_certificate_is_given() -> None:
    assert reason(replace(SETTLED, serving=None)) == "there was no serving certificate"
    other = leaf.issue(NEXT, POLICY.names, NOW, 90 * DAY)
    assert reason(replace(SETTLED, serving=other)) == "another CA had issued it"
    elsewhere = leaf.issue(CA, ["a"], NOW, 90 * DAY)
    assert reason(replace(SETTLED, serving=elsewhere)) == "it was for other names"
