"""Requests that a document matches, and the reasons."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.matching import MatchDecision
from jobsworth.policy.patterns import selector_text
from support.policy.policy_requests import (
    cron_job,
    document,
    job,
    policies,
    policy_findings,
    requested,
)

LIMITS = {"backoffLimit": {"maximum": 0}}


def decided(value: Any, old: Any = None, more: Any = None, **spec: Any) -> MatchDecision:
    held = policies(limits=LIMITS, **spec)
    ((_, decision),) = held.decisions(requested(value, old, **(more or {})))
    return decision


ML = job(metadata={"namespace": "ml-vision", "labels": {"tier": "gold"}})
ROBOT = {"user": "system:serviceaccount:ci:robot", "groups": ("system:serviceaccounts", "ci")}


@pytest.mark.parametrize(
    ("match", "applies", "because"),
    [
        ({"namespaces": ["ml-*"]}, True, 'matches: namespace "ml-vision" is among namespaces [ml-*]'),
        (
            {"namespaces": ["ml", "web-?"]},
            False,
            'does not match: namespace "ml-vision" is not among namespaces [ml, web-?]',
        ),
        (
            {"kinds": ["Job"], "operations": ["CREATE"]},
            True,
            'matches: kind "Job" is among kinds [Job], and operation "CREATE" is among operations [CREATE]',
        ),
        (
            {"kinds": ["CronJob"]},
            False,
            'does not match: kind "Job" is not among kinds [CronJob]',
        ),
        (
            {"operations": ["UPDATE"]},
            False,
            'does not match: operation "CREATE" is not among operations [UPDATE]',
        ),
        (
            {"objectSelector": {"matchLabels": {"tier": "gold"}}},
            True,
            'matches: Job "train" matches objectSelector tier=gold',
        ),
        (
            {"objectSelector": {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}},
            False,
            'does not match: Job "train" does not match objectSelector !tier',
        ),
        ({"names": ["tr*"]}, True, 'matches: name "train" is among names [tr*]'),
        (
            {"users": ["system:serviceaccount:ci:*"]},
            True,
            'matches: user "system:serviceaccount:ci:robot" is among users [system:serviceaccount:ci:*]',
        ),
        (
            {"groups": ["ops", "ci"]},
            True,
            "matches: a group of [system:serviceaccounts, ci] is among groups [ops, ci]",
        ),
        ({"groups": ["ops"]}, False,
            "does not match: a group of [system:serviceaccounts, ci] is not among groups [ops]"),
        ({"owners": ["JobSet"]}, False, "does not match: no owner is not among owners [JobSet]"),
        (
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ml-vision"}}},
            True,
            'matches: namespace "ml-vision" matches namespaceSelector '
            "kubernetes.io/metadata.name=ml-vision",
        ),
        (
            [{"namespaces": ["web"]}, {"kinds": ["Job"]}],
            True,
            'matches: kind "Job" is among kinds [Job]',
        ),
        (
            [{"namespaces": ["web"]}, {"kinds": ["CronJob"]}],
            False,
            'does not match: namespace "ml-vision" is not among namespaces [web], and '
            'kind "Job" is not among kinds [CronJob]',
        ),
    ],
)  # fmt: skip
def test_a_match(match: Any, applies: bool, because: str) -> None:
    decision = decided(ML, more=ROBOT, match=match if isinstance(match, list) else [match])
    assert (decision.applies, decision.certain) == (applies, True)
    assert decision.because == because


def test_a_document_without_a_match_matches_everything() -> None:
    assert decided(ML).because == "applies to every Job and CronJob"
    assert decided(cron_job()).applies


def test_an_exemption_wins_over_a_match() -> None:
    exempt = [{"groups": ["ops"]}, {"namespaces": ["ml-*"], "kinds": ["Job"]}]
    decision = decided(ML, more=ROBOT, match=[{"namespaces": ["*"]}], exempt=exempt)
    assert not decision.applies
    assert decision.because == (
        'exempt: kind "Job" is among kinds [Job], and namespace "ml-vision" is among namespaces [ml-*]'
    )


SELECTED = {"namespaceSelector": {"matchLabels": {"env": "prod"}}}


@pytest.mark.parametrize(
    ("labels", "spec", "applies", "certain"),
    [
        ({"env": "prod"}, {"match": [SELECTED]}, True, True),
        ({"env": "test"}, {"match": [SELECTED]}, False, True),
        ({}, {"match": [SELECTED]}, False, True),
        (None, {"match": [SELECTED]}, True, False),
        ({"env": "prod"}, {"exempt": [SELECTED]}, False, True),
        ({"env": "test"}, {"exempt": [SELECTED]}, True, True),
        (None, {"exempt": [SELECTED]}, True, False),
        (None, {"match": [{**SELECTED, "kinds": ["CronJob"]}]}, False, True),
        (None, {"match": [SELECTED], "exempt": [{"kinds": ["Job"]}]}, False, True),
    ],
)
def test_labels_of_a_namespace(labels: Any, spec: Any, applies: bool, certain: bool) -> None:
    decision = decided(ML, more={"namespace_labels": labels}, **spec)
    assert (decision.applies, decision.certain) == (applies, certain)


def test_an_unknown_value_warns_instead_of_denying() -> None:
    held = policies(match=[SELECTED], limits=LIMITS)
    assert [text[:5] for text in policy_findings(held, ML)] == ["warn:"]
    known = {"namespace_labels": {"env": "prod"}}
    assert [text[:5] for text in policy_findings(held, ML, **known)] == ["deny:"]
    assert "with unknown labels may match" in decided(ML, match=[SELECTED]).because


@pytest.mark.parametrize(
    ("spec", "condition"),
    [
        (
            {"match": [SELECTED]},
            "if the labels of the namespace, which are not known here, match env=prod",
        ),
        (
            {"exempt": [SELECTED]},
            "unless the labels of the namespace, which are not known here, match env=prod",
        ),
        (
            {"match": [{"users": ["ci", "ops"]}]},
            "if the user, who is not known here, is among users [ci, ops]",
        ),
        (
            {"match": [{"groups": ["ops"]}]},
            "if the user, who is not known here, is in one of the groups [ops]",
        ),
    ],
)
def test_a_warning_instead_of_a_denial_has_its_condition(spec: Any, condition: str) -> None:
    (reported,) = policy_findings(policies(**spec, limits=LIMITS), ML)
    assert reported.startswith("warn: ")
    assert reported.endswith(f" It is denied {condition}.")
    # A policy that warns does not deny, whatever is found to be true.
    warning = policies(**spec, limits=LIMITS, enforcement="warn")
    assert "denied" not in policy_findings(warning, ML)[0]


def test_a_user_who_is_not_known_may_be_meant_but_is_not_exempt() -> None:
    assert not decided(ML, match=[{"users": ["*"]}]).certain
    assert decided(ML, exempt=[{"users": ["ops"]}]).certain
    decision = decided(ML, exempt=[{"users": ["ops"]}, {"groups": ["ops"], "names": ["*"]}])
    assert decision.applies
    assert decision.because == (
        "applies to every Job and CronJob; not exempt by users [ops] or groups [ops], because the user is not "
        "known (set --user)"
    )


def test_a_rejected_update_cannot_leave_a_policy_or_earn_an_exemption() -> None:
    plain = job(metadata={"namespace": "ml-vision"})
    gold = {"objectSelector": {"matchLabels": {"tier": "gold"}}}
    assert decided(plain, ML, match=[gold]).applies, "the stored object matches"
    assert decided(ML, plain, match=[gold]).applies, "the new object matches"
    assert decided(ML, plain, exempt=[gold]).applies, "the stored object is not exempt"
    assert not decided(ML, ML, exempt=[gold]).applies


def test_owners_and_generated_names() -> None:
    owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "a", "uid": "u"}
    owned = job(metadata={"name": None, "generateName": "run-", "ownerReferences": [owner]})
    assert decided(owned, match=[{"owners": ["JobSet"]}]).because == (
        "matches: an owner of [JobSet] is among owners [JobSet]"
    )
    assert decided(owned, match=[{"names": ["run-*"]}]).applies


def test_an_update_neither_gains_an_exemption_by_owner_nor_leaves_a_policy() -> None:
    owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "a", "uid": "1"}
    bare, owned = job(), job(metadata={"ownerReferences": [owner]})
    by_owner = [{"owners": ["JobSet"]}]
    for new, old in ((owned, bare), (bare, owned)):
        assert decided(new, old, exempt=by_owner).applies
        assert decided(new, old, match=by_owner).applies
    assert not decided(owned, owned, exempt=by_owner).applies
    assert not decided(bare, bare, match=by_owner).applies


def test_documents_are_evaluated_in_the_order_of_precedence() -> None:
    held = policies(
        document("c", limits=LIMITS),
        document("b", priority=1, limits=LIMITS),
        document("a", limits=LIMITS),
        document("d", priority=-1, limits=LIMITS),
    )
    assert [policy.name for policy in held.policies] == ["b", "a", "c", "d"]


def test_a_set_knows_whether_it_needs_namespace_labels() -> None:
    assert not policies(match=[{"namespaces": ["a"]}], limits=LIMITS).needs_namespace_labels
    assert policies(exempt=[SELECTED], limits=LIMITS).needs_namespace_labels


def test_a_selector_without_requirements_is_written_as_everything() -> None:
    assert selector_text({}) == "everything"
    assert selector_text({"matchLabels": {}, "matchExpressions": []}) == "everything"
