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
    BadPolicy,
    Begin,
    Bundle,
    Introduce,
    Keep,
    Policy,
    Promote,
    Publish,
    Reissue,
    Step,
    check,
    may_show,
    next_step,
)
from jobsworth.certificates.state import Holdings, decode, encode

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
POLICY = Policy(("jobsworth.ns.svc", "::1"), lifetime=90 * DAY, renew_before=30 * DAY)
CA = ca.create(NOW, POLICY.authority_lifetime)
NEXT = ca.create(NOW, POLICY.authority_lifetime)
OLD = ca.create(NOW - 700 * DAY, POLICY.authority_lifetime).certificate
FOREIGN = leaf.issue(CA, ["elsewhere"], NOW, DAY).certificate
SETTLED = Holdings(CA, leaf.issue(CA, POLICY.names, NOW, POLICY.lifetime))
ROTATING = replace(SETTLED, next=NEXT, next_published=NOW)
MUTATING, VALIDATING = "MutatingWebhookConfiguration a", "ValidatingWebhookConfiguration a"


def bundles(*certificates: bytes) -> list[Bundle]:
    bundle = join(certificates)
    return [Bundle(MUTATING, "m", bundle), Bundle(VALIDATING, "v", bundle)]


def test_at_first_an_authority_is_made() -> None:
    assert next_step(Holdings(), bundles(), NOW, POLICY) == Begin(())


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


DAMAGES: list[tuple[str, Holdings, type[Step]]] = [
    ("the authority's key is lost", replace(SETTLED, authority=KeyPair(CA.certificate, b"")), Begin),
    ("the authority is another's", replace(SETTLED, authority=KeyPair(CA.certificate, NEXT.key)), Begin),
    ("the authority is a server's", replace(SETTLED, authority=SETTLED.serving), Begin),
    ("the serving certificate is lost", replace(SETTLED, serving=None), Reissue),
    ("its key is lost", replace(SETTLED, serving=KeyPair(SETTLED.serving.certificate, b"")), Reissue),  # type: ignore[union-attr]
    ("it is rubbish", replace(SETTLED, serving=KeyPair(b"a", b"b")), Reissue),
    ("it is another authority's", replace(SETTLED, serving=leaf.issue(NEXT, POLICY.names, NOW, 90 * DAY)), Reissue),
    ("it is for other names", replace(SETTLED, serving=leaf.issue(CA, ["a"], NOW, 90 * DAY)), Reissue),
    ("a retired authority is rubbish", replace(SETTLED, retired=(b"x",), retired_at=NOW), Keep),
    ("no date of retirement", replace(SETTLED, retired=(OLD,)), Keep),
]  # fmt: skip


@pytest.mark.parametrize(
    ("holdings", "step"), [(h, s) for _, h, s in DAMAGES], ids=[d[0] for d in DAMAGES]
)
def test_what_somebody_edited_is_put_right(holdings: Holdings, step: type[Step]) -> None:
    found = bundles(CA.certificate, *holdings.retired)
    assert isinstance(next_step(holdings, found, NOW, POLICY), step)


def test_a_lost_authority_is_trusted_on_while_webhooks_may_show_what_it_signed() -> None:
    found = bundles(CA.certificate, OLD, FOREIGN[:200])
    assert next_step(Holdings(), found, NOW, POLICY) == Begin((CA.certificate, OLD))
    assert next_step(Holdings(), found, NOW + 100 * DAY, POLICY) == Begin((CA.certificate,))


def test_what_others_put_into_a_bundle_is_taken_out() -> None:
    step = next_step(SETTLED, bundles(CA.certificate, FOREIGN), NOW, POLICY)
    assert step == Publish(CA.certificate, (MUTATING, VALIDATING))


def test_a_serving_certificate_is_renewed_before_its_end_and_not_before() -> None:
    found = bundles(CA.certificate)
    assert next_step(SETTLED, found, NOW + 59 * DAY, POLICY) is None
    assert next_step(SETTLED, found, NOW + 60 * DAY, POLICY) == Reissue("it was about to end")


def test_a_serving_certificate_that_cannot_last_longer_is_not_renewed_again_and_again() -> None:
    late = NOW + POLICY.authority_lifetime - 10 * DAY
    pair = leaf.issue(CA, POLICY.names, late, POLICY.lifetime)
    rotating = replace(ROTATING, serving=pair, next_published=late)
    assert next_step(rotating, bundles(CA.certificate, NEXT.certificate), late, POLICY) is None


def test_an_authority_is_followed_while_what_it_signs_can_live_its_whole_life() -> None:
    late = NOW + POLICY.authority_lifetime - POLICY.lifetime - POLICY.renew_before
    fresh = replace(SETTLED, serving=leaf.issue(CA, POLICY.names, late, POLICY.lifetime))
    assert next_step(fresh, bundles(CA.certificate), late - DAY, POLICY) is None
    assert next_step(fresh, bundles(CA.certificate), late, POLICY) == Introduce()


def test_the_next_authority_signs_only_when_every_bundle_has_held_it_for_a_while() -> None:
    both = bundles(CA.certificate, NEXT.certificate)
    introduced = replace(ROTATING, next_published=None)
    assert isinstance(
        next_step(introduced, [*both[:1], *bundles(CA.certificate)], NOW, POLICY), Publish
    )
    assert next_step(introduced, both, NOW, POLICY) == Keep(
        ROTATING, "every bundle holds the next authority"
    )
    assert next_step(ROTATING, both, NOW + POLICY.settle / 2, POLICY) is None
    assert next_step(ROTATING, both, NOW + POLICY.settle, POLICY) == Promote()
    assert isinstance(
        next_step(ROTATING, bundles(CA.certificate), NOW + POLICY.settle, POLICY), Publish
    )


def test_a_date_in_the_future_does_not_stop_a_rotation() -> None:
    edited = replace(ROTATING, next_published=NOW + 99 * DAY)
    assert next_step(edited, bundles(CA.certificate, NEXT.certificate), NOW, POLICY) == Keep(
        ROTATING, "every bundle holds the next authority"
    )


def test_a_retired_authority_leaves_after_the_overlap() -> None:
    holdings = replace(SETTLED, retired=(OLD,), retired_at=NOW)
    found = bundles(CA.certificate, OLD)
    assert (
        next_step(holdings, found, NOW + POLICY.overlap - datetime.timedelta(seconds=1), POLICY)
        is None
    )
    assert next_step(holdings, found, NOW + POLICY.overlap, POLICY) == Keep(
        SETTLED, "the overlap is over"
    )


def test_a_certificate_may_be_shown_when_every_bundle_trusts_it() -> None:
    assert may_show(SETTLED.serving, bundles(NEXT.certificate, CA.certificate))
    assert may_show(SETTLED.serving, [])
    assert not may_show(SETTLED.serving, [*bundles(CA.certificate), *bundles(NEXT.certificate)])
    assert not may_show(SETTLED.serving, bundles())
    assert not may_show(None, [])


@pytest.mark.parametrize(
    "holdings", [Holdings(), SETTLED, ROTATING, replace(SETTLED, retired=(OLD,), retired_at=NOW)]
)
def test_holdings_are_read_back_from_a_secret(holdings: Holdings) -> None:
    assert decode(encode(holdings)) == holdings


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda p: replace(p, renew_before=90 * DAY), "must last longer than it is renewed"),
        (lambda p: replace(p, authority_lifetime=121 * DAY), "an authority must last longer"),
        (lambda p: replace(p, settle=30 * DAY), "bundles settle"),
    ],
)
def test_times_that_cannot_be_kept_together_are_refused(
    change: Callable[[Policy], Policy], why: str
) -> None:
    check(POLICY)
    with pytest.raises(BadPolicy, match=why):
        check(change(POLICY))
