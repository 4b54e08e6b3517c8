"""Decisions of the webhook on requests, without HTTP."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

import jobsworth
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.review import read_review
from jobsworth.api.api_server import ApiServer
from support.admission.admission_reviews import (
    UID,
    as_an_api_server_sends,
    body_of,
    operations_of,
    patched,
    review,
)
from support.admission.webhook_client import SERVER, WebhookClient, policies
from support.scaling.cross_referencing_jobs import controllers_of_many_names
from support.validation.engine_errors import job_with

ClientWith = Callable[..., WebhookClient]

LIMIT = {"limits": {"backoffLimit": {"maximum": 3}}}
TTL = {"defaults": {"ttlSecondsAfterFinished": {"value": 600}}}


def job(**spec: Any) -> dict[str, Any]:
    value = job_with()
    value["spec"] |= spec
    return value


def stored(value: dict[str, Any]) -> dict[str, Any]:
    """An object as an API server has stored it."""
    filled = jobsworth.default(value, kubernetes_version="1.36")
    sent = as_an_api_server_sends(filled, UID)
    return {**sent, "metadata": {**sent["metadata"], "resourceVersion": "7"}}


INVALID = job(backoffLimitPerIndex=1)


@pytest.mark.parametrize(
    "request_",
    [
        review(None, INVALID, operation="DELETE"),
        review(INVALID, operation="CONNECT"),
        review(INVALID, subResource="status"),
        review(INVALID, stored(job()), subResource="scale"),
        review(INVALID, resource={"group": "batch", "version": "v1beta1", "resource": "jobs"}),
        review(INVALID, resource={"group": "", "version": "v1", "resource": "jobs"}),
        review({"apiVersion": "v1", "kind": "Pod", "metadata": {}}, kind="Pod"),
        review(INVALID, resource={"group": "batch", "version": "v1", "resource": "pods"}),
    ],
)
@pytest.mark.parametrize("endpoint", ["mutate", "validate"])
def test_requests_that_need_no_review_are_allowed(
    client_with: ClientWith, endpoint: str, request_: dict[str, Any]
) -> None:
    client = client_with(LIMIT, TTL)
    assert client(endpoint, request_) == {"uid": UID, "allowed": True}
    assert client.outcomes[0].answer.verdict == "untouched"


CONTROLLERS_UPDATES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("finalizers", {"finalizers": ["batch.kubernetes.io/job-tracking"]}, {}),
    ("labels", {"labels": {"seen": "yes"}}, {}),
    ("annotations", {"annotations": {"seen": "yes"}}, {}),
    ("owner", {"ownerReferences": []}, {}),
    ("managed fields", {"managedFields": [{"manager": "kube-controller-manager"}]}, {}),
    ("resource version", {"resourceVersion": "8"}, {}),
    ("status", {}, {"status": {"active": 1}}),
]


@pytest.mark.parametrize(
    ("metadata", "parts"),
    [case[1:] for case in CONTROLLERS_UPDATES],
    ids=[case[0] for case in CONTROLLERS_UPDATES],
)
def test_controllers_may_keep_their_books_on_what_breaks_every_rule(
    client_with: ClientWith, metadata: dict[str, Any], parts: dict[str, Any]
) -> None:
    old = stored(job())
    # No server of this release would have let it in, and the policy would not either.
    old["spec"] |= {"backoffLimit": 5, "backoffLimitPerIndex": 1, "completionMode": "NonIndexed"}
    new = {**copy.deepcopy(old), **parts}
    new["metadata"] |= metadata
    client = client_with(LIMIT, TTL)
    for endpoint in ("mutate", "validate"):
        response = client(
            endpoint, review(new, old, user="system:serviceaccount:kube-system:job-controller")
        )
        assert response == {"uid": UID, "allowed": True}


def test_an_object_that_the_api_server_would_reject_is_denied_with_its_message(
    client_with: ClientWith,
) -> None:
    response = client_with()("validate", review(INVALID))
    message = "Invalid value: 1: requires indexed completion mode"
    assert response == {
        "uid": UID,
        "allowed": False,
        "status": {
            "metadata": {},
            "status": "Failure",
            "message": f'Job.batch "sample" is invalid: spec.backoffLimitPerIndex: {message}',
            "reason": "Invalid",
            "details": {
                "name": "sample",
                "group": "batch",
                "kind": "Job",
                "causes": [
                    {
                        "reason": "FieldValueInvalid",
                        "message": message,
                        "field": "spec.backoffLimitPerIndex",
                    }
                ],
            },
            "code": 422,
        },
    }


def test_several_causes_stand_in_brackets(client_with: ClientWith) -> None:
    response = client_with()("validate", review(job(backoffLimit=-1, parallelism=-1)))
    reason = "Invalid value: -1: must be greater than or equal to 0"
    assert response["status"]["message"] == (
        f'Job.batch "sample" is invalid: [spec.backoffLimit: {reason}, spec.parallelism: {reason}]'
    )


def test_a_denial_lists_as_many_causes_as_fit(client_with: ClientWith) -> None:
    value, _ = controllers_of_many_names(500)
    status = client_with()("validate", review(value))["status"]
    causes = status["details"]["causes"]
    # Each message prints the list of all owners.
    assert 2 <= len(causes) < 10
    assert [cause["message"].rpartition(" ")[2] for cause in causes] == [
        f"CronJob/n{number}" for number in range(1, len(causes) + 1)
    ]
    assert status["message"].endswith(f", and {499 - len(causes)} more]")


def test_a_denial_shortens_a_long_message_in_its_middle(client_with: ClientWith) -> None:
    value, _ = controllers_of_many_names(2000)
    status = client_with()("validate", review(value))["status"]
    message = status["details"]["causes"][0]["message"]
    assert message.startswith("Invalid value: ")
    assert message.endswith("CronJob/n1")
    assert " characters omitted) …" in message
    assert len(json.dumps(status)) < 200_000


def test_a_denial_lists_a_hundred_causes_and_counts_the_others(client_with: ClientWith) -> None:
    env = [{"name": f"{number}=", "value": ""} for number in range(300)]
    value = job()
    value["spec"]["template"]["spec"]["containers"][0]["env"] = env
    status = client_with()("validate", review(value))["status"]
    assert len(status["details"]["causes"]) == 100
    assert status["message"].endswith(", and 200 more]")


def test_a_denial_counts_at_least_the_errors_at_which_validation_stopped(
    client_with: ClientWith,
) -> None:
    env = [{"name": f"{number}=", "value": ""} for number in range(3000)]
    value = job()
    value["spec"]["template"]["spec"]["containers"][0]["env"] = env
    status = client_with()("validate", review(value))["status"]
    assert status["message"].endswith(", and at least 901 more]")


def test_an_object_that_cannot_be_decoded_is_a_bad_request(client_with: ClientWith) -> None:
    status = client_with()("validate", review(job(backoffLimit="6")))["status"]
    assert (status["code"], status["reason"]) == (400, "BadRequest")
    assert status["message"].startswith(
        'Job in version "v1" cannot be handled as a Job: spec.backoff'
    )


def test_validation_errors_can_be_warnings_or_ignored(client_with: ClientWith) -> None:
    warned = client_with(api_verdict="warn")("validate", review(INVALID))
    assert warned["allowed"]
    assert warned["warnings"] == [
        "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"
    ]
    assert client_with(api_verdict="off")("validate", review(INVALID)) == {
        "uid": UID,
        "allowed": True,
    }


def test_the_servers_own_warnings_are_not_repeated(client_with: ClientWith) -> None:
    ports = [{"containerPort": 80}, {"containerPort": 80}]
    warned = job_with({"containers": [{"name": "main", "image": "busybox:1.36", "ports": ports}]})
    assert [finding.code for finding in jobsworth.validate(warned)] == ["JW023"]
    assert "warnings" not in client_with()("validate", review(warned))


@pytest.mark.parametrize("api_verdict", ["deny", "warn", "off"])
def test_a_policy_is_evaluated_whatever_the_validation_finds(
    client_with: ClientWith, api_verdict: str
) -> None:
    client = client_with(LIMIT, api_verdict=api_verdict)
    assert not client("validate", review(job(backoffLimit=5)))["allowed"]


# A field of a release that we do not know yet, in each part of a Job, and one that we know but the
# configured release lacks.
UNKNOWN_FIELDS: list[tuple[str, tuple[str | int, ...]]] = [
    ("in the spec", ("spec",)),
    ("in the metadata", ("metadata",)),
    ("in the Pod", ("spec", "template", "spec")),
    ("in a container", ("spec", "template", "spec", "containers", 0)),
]
POLICIES: list[tuple[str, dict[str, Any]]] = [
    ("a limit", LIMIT),
    ("a required label", {"limits": {"labels": {"team": {"required": True}}}}),
    ("a lint rule", {"rules": {"JW201": "deny"}}),
    ("an expression", {"expressions": [{"expression": "object.spec.backoffLimit < 4"}]}),
]


def with_unknown(value: dict[str, Any], steps: tuple[str | int, ...]) -> dict[str, Any]:
    """A copy with a field that no release has, below the part that the steps lead to."""
    changed: Any = copy.deepcopy(value)
    part = changed
    for step in steps:
        part = part[step]
    part["notYetInvented"] = {"deep": [1]}
    result: dict[str, Any] = changed
    return result


@pytest.mark.parametrize("api_verdict", ["deny", "warn", "off"])
@pytest.mark.parametrize("steps", [steps for _, steps in UNKNOWN_FIELDS], ids=dict(UNKNOWN_FIELDS))
@pytest.mark.parametrize("spec", [spec for _, spec in POLICIES], ids=[name for name, _ in POLICIES])
@pytest.mark.parametrize("way", ["plain", "by a server", "update"])
def test_an_unknown_field_switches_no_policy_off(
    client_with: ClientWith,
    api_verdict: str,
    steps: tuple[str | int, ...],
    spec: dict[str, Any],
    way: str,
) -> None:
    value, old = job(backoffLimit=5), None
    if way != "plain":
        value = stored(value)
    if way == "update":
        old = stored(job(backoffLimit=2, activeDeadlineSeconds=60))
        old["metadata"]["labels"] = {"team": "research"}
        del value["metadata"]["resourceVersion"]
    response = client_with(spec, api_verdict=api_verdict)(
        "validate", review(with_unknown(value, steps), old)
    )
    assert not response["allowed"]
    if api_verdict != "deny":
        assert "JobPolicy p0" in response["status"]["message"]


def test_a_field_of_a_later_release_switches_no_policy_off() -> None:
    reviewer = Reviewer(ApiServer("1.29"), policies(LIMIT), api_verdict="warn")
    answer = reviewer.validate(
        read_review(body_of(job(backoffLimit=5, managedBy="example.com/queue")))
    )
    assert not answer.response.allowed


def test_an_unknown_field_of_the_stored_object_switches_no_policy_off(
    client_with: ClientWith,
) -> None:
    old = with_unknown(stored(job(backoffLimit=5)), ("spec",))
    raised = copy.deepcopy(old)
    raised["spec"]["backoffLimit"] = 9
    suspended = copy.deepcopy(old)
    suspended["spec"]["suspend"] = True
    client = client_with(LIMIT, api_verdict="warn")
    assert not client("validate", review(raised, old))["allowed"]
    assert client("validate", review(suspended, old))["allowed"]


@pytest.mark.parametrize("steps", [steps for _, steps in UNKNOWN_FIELDS], ids=dict(UNKNOWN_FIELDS))
@pytest.mark.parametrize("sent", ["as written", "by a server"])
def test_defaults_are_filled_in_beside_an_unknown_field(
    client_with: ClientWith, sent: str, steps: tuple[str | int, ...]
) -> None:
    value = job()
    if sent == "by a server":
        value = stored(value)
    value = with_unknown(value, steps)
    client = client_with(
        {"defaults": {"ttlSecondsAfterFinished": {"value": 600}, "backoffLimit": {"value": 2}}}
    )
    response = client("mutate", review(value))
    expected = copy.deepcopy(value)
    expected["spec"] |= {"ttlSecondsAfterFinished": 600}
    if sent == "as written":
        expected["spec"] |= {"backoffLimit": 2}
    assert patched(value, operations_of(response)) == expected
    assert client.outcomes[0].answer.unreadable == ("unknown_field",)


@pytest.mark.parametrize("api_verdict", ["warn", "off"])
@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({}, False),
        ({"onUnreadable": "deny"}, False),
        ({"onUnreadable": "allow"}, True),
        ({"onInternalError": "allow"}, True),
        ({"onInternalError": "allow", "onUnreadable": "deny"}, False),
        ({"onInternalError": "deny", "onUnreadable": "allow"}, True),
        ({"enforcement": "warn"}, True),
        ({"match": [{"namespaces": ["elsewhere"]}]}, True),
    ],
)
def test_a_value_that_cannot_be_decoded_is_denied_unless_the_policy_says_otherwise(
    client_with: ClientWith, spec: dict[str, Any], allowed: bool, api_verdict: str
) -> None:
    client = client_with({**LIMIT, **spec}, api_verdict=api_verdict)
    response = client("validate", review(job(backoffLimit="9")))
    assert response["allowed"] is allowed
    assert client.outcomes[0].answer.unreadable == ("wrong_type",)
    if not allowed:
        message = response["status"]["message"]
        assert "spec.backoffLimit" in message
        assert "cannot be evaluated" in message
        assert "[JP091]" in message


def test_parts_that_can_be_decoded_beside_a_wrong_type_are_evaluated(
    client_with: ClientWith,
) -> None:
    client = client_with({**LIMIT, "onUnreadable": "allow"}, api_verdict="off")
    response = client("validate", review(job(backoffLimit=5, parallelism="two")))
    assert not response["allowed"]
    assert "spec.backoffLimit" in response["status"]["message"]


def test_an_object_of_an_unknown_kind_is_unreadable(client_with: ClientWith) -> None:
    value = {**job(backoffLimit=1), "apiVersion": "batch/v9"}
    assert client_with()("validate", review(value))["allowed"]
    for spec, allowed in (({}, False), ({"onUnreadable": "allow"}, True)):
        client = client_with({**LIMIT, **spec}, api_verdict="warn")
        assert client("validate", review(value))["allowed"] is allowed
        assert client.outcomes[0].answer.unreadable == ("kind",)


def test_a_job_with_what_the_server_generated_is_valid(client_with: ClientWith) -> None:
    sent = as_an_api_server_sends(jobsworth.default(job(), kubernetes_version="1.36"), UID)
    assert client_with()("validate", review(sent)) == {"uid": UID, "allowed": True}


def test_a_job_that_was_exported_and_sent_anew_is_not(client_with: ClientWith) -> None:
    status = client_with()("validate", review(stored(job())))["status"]
    assert "`selector` not auto-generated" in status["message"]


def test_a_policy_violation_is_forbidden(client_with: ClientWith) -> None:
    client = client_with(LIMIT)
    response = client("validate", review(job(backoffLimit=5)))
    status = response["status"]
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert status["message"].startswith('jobs.batch "sample" is forbidden: JobPolicy p0: ')
    (cause,) = status["details"]["causes"]
    assert cause["field"] == "spec.backoffLimit"
    assert list(response["auditAnnotations"]) == ["p0"]
    assert client.outcomes[0].answer.verdict == "denied"
    assert client.outcomes[0].answer.policies == ("p0",)


def test_a_user_without_a_name_is_known(client_with: ClientWith) -> None:
    expression = "request.userInfo.username.startsWith('system:serviceaccount:ci:')"
    client = client_with({"expressions": [{"expression": expression}]})
    response = client("validate", review(job(), userInfo=None))
    assert "[JP040]" in response["status"]["message"]


def test_a_policy_that_warns_lets_through_and_warns(client_with: ClientWith) -> None:
    response = client_with({**LIMIT, "enforcement": "warn"})(
        "validate", review(job(backoffLimit=5))
    )
    assert response["allowed"]
    assert response["warnings"][0].startswith("JobPolicy p0: spec.backoffLimit: ")
    assert response["auditAnnotations"]["p0"].startswith("warn: ")


def test_an_audit_policy_annotates_and_does_not_warn(client_with: ClientWith) -> None:
    response = client_with({**LIMIT, "enforcement": "audit"})(
        "validate", review(job(backoffLimit=5))
    )
    assert response["allowed"]
    assert "warnings" not in response
    assert response["auditAnnotations"]["p0"].startswith("audit: ")


def test_warnings_are_short_and_few(client_with: ClientWith) -> None:
    long = {"enforcement": "warn", "limits": {"backoffLimit": {"maximum": 3, "message": "x" * 500}}}
    response = client_with(*[long] * 15)("validate", review(job(backoffLimit=5)))
    assert len(response["warnings"]) == 10
    assert all(len(text.encode()) <= 256 for text in response["warnings"])


def test_an_update_is_evaluated_by_what_it_changes(client_with: ClientWith) -> None:
    old = stored(job(backoffLimit=5))
    raised = copy.deepcopy(old)
    raised["spec"]["backoffLimit"] = 9
    other = copy.deepcopy(old)
    other["spec"]["suspend"] = True
    client = client_with(LIMIT)
    assert not client("validate", review(raised, old))["allowed"]
    assert client("validate", review(other, old))["allowed"]


@pytest.mark.parametrize("sent", ["as written", "by a server"])
def test_a_patch_makes_what_the_policies_fill_in(client_with: ClientWith, sent: str) -> None:
    value = job()
    filled = jobsworth.default(value, kubernetes_version="1.36")
    if sent == "by a server":
        value = {**filled, "metadata": {**filled["metadata"], "managedFields": []}}
    response = client_with(TTL)("mutate", review(value))
    operations = operations_of(response)
    made = patched(value, operations)
    assert made["spec"] == {**filled["spec"], "ttlSecondsAfterFinished": 600}
    if sent == "by a server":
        assert operations == [{"op": "add", "path": "/spec/ttlSecondsAfterFinished", "value": 600}]
    assert operations_of(client_with(TTL)("mutate", review(made))) == []


def test_without_a_default_that_applies_there_is_no_patch(client_with: ClientWith) -> None:
    client = client_with(TTL)
    assert client("mutate", review(job(ttlSecondsAfterFinished=1))) == {"uid": UID, "allowed": True}
    assert client("mutate", review(job(backoffLimit="6"))) == {"uid": UID, "allowed": True}


def test_a_dry_run_gets_the_same_answer(client_with: ClientWith) -> None:
    client = client_with(LIMIT)
    wet, dry = (
        client("validate", review(job(backoffLimit=5), dryRun=dry)) for dry in (False, True)
    )
    assert wet == dry
    assert [outcome.request and outcome.request.dry_run for outcome in client.outcomes] == [
        False,
        True,
    ]


@pytest.mark.parametrize(("on_error", "allowed"), [("deny", False), ("allow", True)])
def test_an_internal_error_follows_the_failure_policy(
    client_with: ClientWith, monkeypatch: pytest.MonkeyPatch, on_error: str, allowed: bool
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    client = client_with({**LIMIT, "onInternalError": on_error})
    monkeypatch.setattr(Reviewer, "validate", fail)
    response = client("validate", review(job()))
    assert response["allowed"] is allowed
    if not allowed:
        assert response["status"]["code"] == 500
        assert UID in response["status"]["message"]
    (outcome,) = client.outcomes
    assert outcome.request is not None
    assert (outcome.answer.verdict, outcome.request.uid) == ("failed", UID)
    assert "ZeroDivisionError" in outcome.error


def test_without_policies_an_internal_error_locks_no_one_out(
    client_with: ClientWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_with()
    monkeypatch.setattr(Reviewer, "validate", lambda *_: 1 / 0)
    assert client("validate", review(job())) == {"uid": UID, "allowed": True}


def test_namespace_labels_are_looked_up_only_where_a_policy_uses_them() -> None:
    client: list[str] = []

    def labels(name: str) -> dict[str, str]:
        client.append(name)
        return {"team": "research"}

    by_label = {"match": [{"namespaceSelector": {"matchLabels": {"team": "research"}}}], **LIMIT}
    for spec, expected in ((LIMIT, []), (by_label, ["default"])):
        reviewer = Reviewer(SERVER, policies(spec), namespace_labels=labels)
        reviewer.validate(read_review(body_of(job(backoffLimit=5))))
        assert client == expected


MANY = {"containers": [{"name": "a", "image": "a", "args": ["x"] * 30_000}]}
"""A Pod of more values than a review evaluates."""


@pytest.mark.parametrize("endpoint", ["mutate", "validate"])
def test_an_object_of_too_many_values_is_denied_if_a_policy_fails_closed(
    client_with: ClientWith, endpoint: str
) -> None:
    response = client_with(LIMIT)(endpoint, review(job(pod=MANY)))
    assert not response["allowed"]
    assert response["status"]["code"] == 413
    assert response["status"]["message"] == (
        'jobs.batch "sample" was not evaluated: it has more than 30,000 values: move bulk data into a '
        "ConfigMap or an image. A policy sets onInternalError: deny"
    )


@pytest.mark.parametrize("endpoint", ["mutate", "validate"])
def test_an_object_of_too_many_values_is_admitted_with_a_warning_if_no_policy_fails_closed(
    client_with: ClientWith, endpoint: str
) -> None:
    client = client_with({**LIMIT, "onInternalError": "allow"})
    response = client(endpoint, review(job(pod=MANY)))
    assert response["allowed"]
    assert "jobsworth did not evaluate the object" in response["warnings"][0]
    assert client.outcomes[-1].answer.verdict == "too_large"
    assert client.outcomes[-1].answer.unreadable == ("too_large",)


@pytest.mark.parametrize("enforcement", ["warn", "audit"])
def test_a_policy_that_denies_nothing_does_not_fail_closed(
    client_with: ClientWith, monkeypatch: pytest.MonkeyPatch, enforcement: str
) -> None:
    client = client_with({**LIMIT, "enforcement": enforcement, "onInternalError": "deny"})
    for endpoint in ("mutate", "validate"):
        assert client(endpoint, review(job(pod=MANY)))["allowed"]
    monkeypatch.setattr(Reviewer, "validate", lambda *_: 1 / 0)
    assert client("validate", review(job()))["allowed"]


def test_a_patch_that_is_too_large_is_not_sent(client_with: ClientWith) -> None:
    pod = {"containers": [{"name": f"c{number}", "image": "a"} for number in range(2000)]}
    spec = {"template": {"spec": {"restartPolicy": "Never", **pod}}}
    manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec}
    response = client_with(TTL)("mutate", review(manifest))
    assert "patch" not in response
    assert (
        "the patch with its defaults has more than 131,072 bytes" in response["status"]["message"]
    )


@pytest.mark.parametrize("endpoint", ["mutate", "validate"])
def test_an_object_of_the_other_kind_than_its_resource_is_no_internal_error(
    client_with: ClientWith, endpoint: str
) -> None:
    client = client_with(LIMIT, {"defaults": {"podFailurePolicy": {"rulesBefore": [IGNORE]}}})
    spec = {"template": {"spec": {"containers": [{"name": "a", "image": "a"}]}}}
    value = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a"}, "spec": spec}
    client(endpoint, review(value, kind="Job"))
    assert client.outcomes[-1].answer.verdict != "failed"
    assert "kind" in client.outcomes[-1].answer.unreadable


IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
