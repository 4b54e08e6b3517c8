"""Lint rules that a policy requires."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.lint.linter import RULES
from jobsworth.policy.limits.lint_rules import IN_MANIFESTS
from jobsworth.policy.reader import read
from jobsworth.provenance.generated_fields import strip_admitted
from jobsworth.validation.engine import engine_for
from support.policy.policy_requests import (
    SERVER,
    cron_job,
    document,
    job,
    of_manifest,
    policies,
    policy_findings,
    problems,
    requested,
)
from support.random_objects.random_jobs import random_job

OFF_BY_DEFAULT = sorted(rule.code for rule in RULES if not rule.on)


def asked(**rules: str) -> dict[str, str]:
    (policy,) = read([document(rules=rules)]).policies
    assert policy.rules is not None
    return dict(policy.rules.effects)


def test_only_rules_that_deny_can_deny() -> None:
    for rules, denies in (
        ({"JW101": "warn", "JW102": "off"}, False),
        ({"JW101": "warn", "JW102": "deny"}, True),
        ({"JW101": "deny"}, True),
    ):
        (policy,) = policies(rules=rules).policies
        assert policy.rules is not None
        assert policy.rules.can_deny is denies


def test_rules_are_named_by_code_name_beginning_or_default() -> None:
    assert asked(JW201="deny") == {"JW201": "deny"}
    assert asked(**{"no-deadline": "warn"}) == {"JW201": "warn"}
    of_failure_policies = {rule.code for rule in RULES if rule.code.startswith("JW1")}
    assert set(asked(JW1="deny")) == of_failure_policies - IN_MANIFESTS
    assert set(asked(default="warn")).isdisjoint(OFF_BY_DEFAULT)


def test_the_word_that_names_fewer_rules_counts_more() -> None:
    effects = asked(JW201="off", default="warn", JW2="deny")
    assert "JW201" not in effects
    assert effects["JW202"] == "deny"
    assert effects["JW101"] == "warn"


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("XX999", 'spec.rules[XX999]: unknown rule "XX999" (use a code (JW101), a name (rule-shadowed) or a prefix (JW1))'),
        ("no-dedline", 'spec.rules[no-dedline]: unknown rule "no-dedline" (did you mean "no-deadline"?)'),
        (
            "JW004",
            "spec.rules[JW004]: is an error of the API server, which rejects the object itself "
            "(name a lint rule, such as JW101)",
        ),
        (
            "JW301",
            "spec.rules[JW301]: checks the text of a manifest, which an object in a cluster does not have "
            "(remove it here and run it with jobsworth validate)",
        ),
        (
            "exported-manifest",
            "spec.rules[exported-manifest]: checks the text of a manifest, which an object "
            "in a cluster does not have (remove it here and run it with jobsworth validate)",
        ),
    ],
)  # fmt: skip
def test_a_word_that_names_no_rule_of_objects(word: str, problem: str) -> None:
    assert problems(rules={word: "deny"}) == [problem]


def test_a_finding_keeps_the_rule_s_code_name_and_words() -> None:
    held = policies(rules={"no-deadline": "deny", "JW204": "warn"})
    denied, warned = held.evaluate(requested(job()), SERVER).findings
    assert (denied.violation.code, denied.violation.reason, denied.effect) == (
        "JW201",
        "no-deadline",
        "deny",
    )
    assert denied.violation.field == "spec.activeDeadlineSeconds"
    assert (warned.violation.code, warned.effect) == ("JW204", "warn")


def test_the_enforcement_of_the_document_is_the_most_that_a_rule_leads_to() -> None:
    held = policies(enforcement="audit", rules={"no-deadline": "deny"})
    assert [text[:6] for text in policy_findings(held, job())] == ["audit:"]


def test_documents_that_require_different_rules_get_only_their_own() -> None:
    held = policies(
        document("a", rules={"JW201": "deny"}),
        document("b", rules={"JW204": "warn"}),
        document("c", match=[{"kinds": ["CronJob"]}], rules={"JW201": "warn"}),
    )
    found = held.evaluate(requested(job()), SERVER).findings
    assert [(one.policy, one.violation.code) for one in found] == [("a", "JW201"), ("b", "JW204")]
    found = held.evaluate(requested(cron_job()), SERVER).findings
    assert {(one.policy, one.violation.code) for one in found} >= {("a", "JW201"), ("c", "JW201")}


RULE = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 42]}}
EVERY = {"JW1": "deny", "JW2": "deny", "JW4": "deny", "JW5": "deny"}


def as_stored(value: Any) -> Any:
    """A Job as a validating webhook sees it: with what the server fills in and makes up."""
    made = requested(value).object
    uid = "0b3c2f5e-7c1d-4a2e-9d7a-1f2e3d4c5b6a"
    labels = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": "train",
        "controller-uid": uid,
        "job-name": "train",
    }
    made["metadata"] |= {
        "uid": uid,
        "creationTimestamp": "2025-11-03T08:00:00Z",
        "generation": 1,
        "managedFields": [{"manager": "kubectl-create", "operation": "Update", "fieldsV1": {}}],
    }
    made["spec"]["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    made["spec"]["template"]["metadata"]["labels"] = labels
    return made


@pytest.mark.parametrize(
    "value",
    [
        job(),
        job(activeDeadlineSeconds=20),
        job(podFailurePolicy={"rules": [RULE]}),
        job({"restartPolicy": "OnFailure"}),
        job(completionMode="Indexed", completions=8, parallelism=4, backoffLimitPerIndex=1),
        job(podFailurePolicy={"rules": [RULE]}, podReplacementPolicy="Failed", backoffLimit=3),
        # The server sets completions: 1 only beside an unset parallelism.
        job(completions=1, parallelism=3),
        job(parallelism=1, ttlSecondsAfterFinished=20),
    ],
)
def test_a_rule_says_of_a_defaulted_object_what_it_says_of_the_manifest(value: Any) -> None:
    held = policies(rules=EVERY)
    linted = held.evaluate(of_manifest(value, SERVER), SERVER).findings
    stored = held.evaluate(requested(as_stored(value)), SERVER).findings
    assert [one.violation for one in stored] == [one.violation for one in linted]
    assert linted, "this would show nothing"


@pytest.mark.parametrize("reported", [True, False])
def test_a_default_that_a_user_wrote_is_distinguished_from_one_of_the_server_where_possible(
    reported: bool,
) -> None:
    value = job(completionMode="Indexed", completions=8, podReplacementPolicy="TerminatingOrFailed")
    stored = as_stored(value)
    if reported:
        applied = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(value)}
        stored["metadata"]["annotations"] = applied
    found = policies(rules={"JW210": "deny"}).evaluate(requested(stored), SERVER).findings
    assert bool(found) == reported


@given(st.integers(0, 10**6))
def test_a_rule_says_the_same_of_an_object_that_is_already_decoded(seed: int) -> None:
    value = random_job(seed)
    engine = engine_for(SERVER)
    if not engine.decode_object(value).is_valid or value["kind"] != "Job":
        return
    held = policies(rules=EVERY)
    sent = requested(as_stored(value))
    verdict = held.evaluate(sent, SERVER, engine.decode_object(strip_admitted(sent.object)))
    assert verdict == held.evaluate(sent, SERVER)
    # So it is if the decoded object has no defaults yet, as in a request that cannot be decoded completely.
    assert held.evaluate(of_manifest(value, SERVER), SERVER, engine.decode_object(value)) == (
        held.evaluate(of_manifest(value, SERVER), SERVER)
    )
