"""The webhooks that policies require: each request matches one, and it fails closed where a policy can deny."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.policy.export.match_conditions import is_among
from jobsworth.policy.matching import CRITERIA
from jobsworth.policy.patterns import compiled_selector, selector_text
from jobsworth.policy.request import CRON_JOB_CONTROLLERS, PolicyRequest
from jobsworth.registration import (
    EVERYTHING,
    can_deny,
    desired_webhooks,
    scope_of_defaults,
    scope_of_denials,
)
from support.cel.evaluated import evaluated
from support.policy.policy_requests import document, policies, problems

TEMPLATE: dict[str, Any] = {
    "name": "validate.jobsworth.dev",
    "failurePolicy": "Fail",
    "namespaceSelector": {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"]}
        ]
    },
    "matchConditions": [{"name": "not-a-probe", "expression": "true"}],
}
LIMITS = {"backoffLimit": {"maximum": 3}}


def registered(*documents: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    scope = scope_of_denials(policies(*documents).policies)
    return desired_webhooks(TEMPLATE, scope, **{"may_fail": True, **more})


def shown(webhooks: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Name, failure policy, namespaces and the condition that was added to the template's."""
    return [
        (
            each["name"].removesuffix(".jobsworth.dev"),
            each["failurePolicy"],
            selector_text({"matchExpressions": each["namespaceSelector"]["matchExpressions"][1:]}),
            " ".join(one["expression"] for one in each["matchConditions"][1:]),
        )
        for each in webhooks
    ]


TEAM = 'request.namespace.matches("(?s)^(?:team\\\\-.*)$")'
NOT_BY_CRON_JOB = "made by a CronJob"
OPEN = [("validate", "Ignore", "everything", "")]
TABLE: dict[str, tuple[dict[str, Any], list[tuple[str, str, str, str]]]] = {
    "a policy that only warns": ({"enforcement": "warn", "limits": LIMITS}, OPEN),
    "a policy that only audits": ({"enforcement": "audit", "limits": LIMITS}, OPEN),
    "a policy with defaults only": ({"defaults": {"backoffLimit": {"value": 1, "when": "ifUnset"}}}, OPEN),
    "rules that warn": ({"rules": {"JW101": "warn"}}, OPEN),
    "all requests": (
        {"limits": LIMITS, "cronJobJobs": "enforce"},
        [("validate", "Fail", "everything", "")],
    ),
    "some namespaces": (
        {"limits": LIMITS, "cronJobJobs": "enforce", "match": [{"namespaces": ["team-*"]}]},
        [
            ("validate", "Fail", "everything", TEAM),
            ("validate-ignore", "Ignore", "everything", f"!({TEAM})"),
        ],
    ),
    "one kind": (
        {"limits": LIMITS, "match": [{"kinds": ["Job"]}]},
        [
            ("validate", "Fail", "everything", 'request.resource.resource in ["jobs"]'),
            ("validate-ignore", "Ignore", "everything", '!(request.resource.resource in ["jobs"])'),
        ],
    ),
    "namespaces with a label": (
        {
            "limits": LIMITS,
            "cronJobJobs": "enforce",
            "match": [{"namespaceSelector": {"matchLabels": {"tier": "production"}}}],
        },
        [
            ("validate", "Fail", "tier in (production)", ""),
            ("validate-ignore", "Ignore", "tier notin (production)", ""),
        ],
    ),
    "namespaces by the label with their name": (
        {
            "limits": LIMITS,
            "match": [{
                "kinds": ["Job", "CronJob"],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ml"}},
            }],
            "cronJobJobs": "enforce",
        },
        [
            ("validate", "Fail", "everything", 'request.namespace in ["ml"]'),
            ("validate-ignore", "Ignore", "everything", '!(request.namespace in ["ml"])'),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_the_webhooks_that_a_policy_requires(case: str) -> None:
    spec, expected = TABLE[case]
    assert shown(registered(document(**spec))) == expected


def test_until_a_replica_is_ready_everything_fails_open() -> None:
    assert shown(registered(document(limits=LIMITS), may_fail=False)) == OPEN


def test_a_template_that_fails_open_stays_so() -> None:
    found = desired_webhooks({**TEMPLATE, "failurePolicy": "Ignore"}, EVERYTHING, may_fail=True)
    assert shown(found) == OPEN


def test_defaults_are_required_where_their_policy_matches() -> None:
    held = policies(
        document(
            enforcement="warn",
            match=[{"namespaces": ["ml"]}],
            defaults={"backoffLimit": {"value": 1, "when": "ifUnset"}},
        )
    ).policies
    found = desired_webhooks(TEMPLATE, scope_of_defaults(held), may_fail=True)
    assert [each["failurePolicy"] for each in found] == ["Fail", "Ignore"]


@pytest.mark.parametrize(
    ("defaults", "is_required"),
    [
        ({"pod": {"priorityClassName": {"value": "low"}}}, True),
        ({"managedBy": {"value": "example.com/queue"}}, True),
        ({"ttlSecondsAfterFinished": {"value": 60}}, False),
    ],
)
def test_the_webhook_is_required_for_an_update_that_restores_what_a_policy_for_creations_set(
    defaults: dict[str, Any], is_required: bool
) -> None:
    held = policies(match=[{"operations": ["CREATE"]}], defaults=defaults).policies
    found = desired_webhooks(TEMPLATE, scope_of_defaults(held), may_fail=True)
    (called,) = [each for each in found if matches(each, request(operation="UPDATE"))]
    assert (called["failurePolicy"] == "Fail") is is_required


def test_a_job_of_a_cron_job_is_not_required_where_the_policy_audits_it() -> None:
    fail, ignore = registered(document(limits=LIMITS))
    controller = {"user": CRON_JOB_CONTROLLERS[0], "owners": ["CronJob"]}
    assert [matches(each, request(**controller)) for each in (fail, ignore)] == [False, True]
    assert [matches(each, request()) for each in (fail, ignore)] == [True, False]


# The law


def request(
    *,
    kind: str = "Job",
    operation: str = "CREATE",
    namespace: str = "default",
    name: str = "",
    labels: dict[str, str] | None = None,
    old_labels: dict[str, str] | None = None,
    owners: list[str] | None = None,
    user: str = "jane",
    groups: tuple[str, ...] = (),
    namespace_labels: dict[str, str] | None = None,
) -> PolicyRequest:
    metadata: dict[str, Any] = {"generateName": "train-"} if not name else {"name": name}
    if labels is not None:
        metadata["labels"] = labels
    if owners is not None:
        metadata["ownerReferences"] = [{"kind": each, "name": "x"} for each in owners]
    old = {"metadata": {"labels": old_labels} if old_labels is not None else {}, "spec": {}}
    return PolicyRequest(
        operation=operation,  # type: ignore[arg-type]
        kind=kind,
        namespace=namespace,
        name=name,
        object={"metadata": metadata, "spec": {}},
        old=old if operation == "UPDATE" else None,
        user=user,
        groups=groups,
        namespace_labels={"kubernetes.io/metadata.name": namespace, **(namespace_labels or {})},
    )


def variables(request: PolicyRequest) -> dict[str, Any]:
    """The variables of a matchCondition, as the API server sets them: it omits what is empty."""
    asked: dict[str, Any] = {
        "operation": request.operation,
        "namespace": request.namespace,
        "resource": {"group": "batch", "version": "v1", "resource": f"{request.kind.lower()}s"},
        "userInfo": {"username": request.user},
    }
    if request.name:
        asked["name"] = request.name
    if request.groups:
        asked["userInfo"]["groups"] = list(request.groups)
    return {"request": asked, "object": request.object, "oldObject": request.old or None}


def matches(webhook: dict[str, Any], request: PolicyRequest) -> bool:
    """What the API server decides about a webhook and a request."""
    labels = request.namespace_labels or {}
    return compiled_selector(webhook["namespaceSelector"])(labels) and all(
        evaluated(each["expression"], variables(request)) for each in webhook["matchConditions"]
    )


def some(values: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    one = st.sampled_from(values)
    return st.builds(lambda *drawn: list(dict.fromkeys(drawn)), one, one)


NAMESPACES = ("default", "team-a", "team-b", "ml", "kube-system")
PATTERNS = ("default", "team-*", "m?", "team-[a]", "*", "team-[!a]")
LABEL_VALUES = st.sampled_from(["a", "b"])
LABELS = st.fixed_dictionaries({}, optional={"tier": LABEL_VALUES, "gpu": LABEL_VALUES})
SELECTORS = st.one_of(
    st.builds(lambda tier: {"matchLabels": {"tier": tier}}, LABEL_VALUES),
    st.builds(lambda tier: {"matchLabels": {"tier": tier, "gpu": "a"}}, LABEL_VALUES),
    st.builds(
        lambda key, operator: {"matchExpressions": [{"key": key, "operator": operator}]},
        st.sampled_from(["tier", "gpu"]),
        st.sampled_from(["Exists", "DoesNotExist"]),
    ),
    st.builds(
        lambda key, operator, values: {
            "matchExpressions": [{"key": key, "operator": operator, "values": values}]
        },
        st.sampled_from(["tier", "gpu", "kubernetes.io/metadata.name"]),
        st.sampled_from(["In", "NotIn"]),
        some(("a", "b", "ml")),
    ),
)


MATCHERS = st.sets(st.sampled_from(list(CRITERIA)), min_size=1, max_size=3).flatmap(
    lambda names: st.fixed_dictionaries({name: VALUES[name] for name in sorted(names)})
)
VALUES = {
    "kinds": some(("Job", "CronJob")),
    "operations": some(("CREATE", "UPDATE")),
    "namespaces": some(PATTERNS),
    "namespaceSelector": SELECTORS,
    "names": some(("train-*", "x", "train-1")),
    "objectSelector": SELECTORS,
    "owners": some(("CronJob", "Job*")),
    "users": some(("jane", "system:*")),
    "groups": some(("admins", "system:*")),
}
SPECS = st.fixed_dictionaries(
    {"limits": st.just(LIMITS)},
    optional={
        "match": st.lists(MATCHERS, min_size=1, max_size=2),
        "exempt": st.lists(MATCHERS, min_size=1, max_size=1),
        "enforcement": st.sampled_from(["deny", "deny", "warn"]),
        "cronJobJobs": st.sampled_from(["audit", "enforce"]),
    },
)
REQUESTS = st.builds(
    request,
    kind=st.sampled_from(["Job", "CronJob"]),
    operation=st.sampled_from(["CREATE", "UPDATE"]),
    namespace=st.sampled_from(NAMESPACES),
    name=st.sampled_from(["", "x", "train-1"]),
    labels=st.none() | LABELS,
    old_labels=st.none() | LABELS,
    owners=st.none() | st.lists(st.sampled_from(["CronJob", "JobSet"]), max_size=2),
    user=st.sampled_from(["jane", *CRON_JOB_CONTROLLERS]),
    groups=st.sampled_from([(), ("admins",), ("system:masters", "x")]),
    namespace_labels=LABELS,
)


@given(st.lists(SPECS, max_size=3), st.lists(REQUESTS, min_size=1, max_size=12))
def test_one_webhook_matches_each_request_and_fails_closed_just_where_a_policy_can_deny(
    specs: list[dict[str, Any]], requests: list[PolicyRequest]
) -> None:
    made = [document(f"p{number}", **spec) for number, spec in enumerate(specs)]
    held = policies(*(each for each in made if not problems(each)))  # some would exempt everything
    scope = scope_of_denials(held.policies)
    webhooks = desired_webhooks(TEMPLATE, scope, may_fail=True)
    assert len({each["name"] for each in webhooks}) == len(webhooks)
    for one in requests:
        found = [each["failurePolicy"] for each in webhooks if matches(each, one)]
        if one.namespace == "kube-system":
            assert found == []
            continue
        can = any(
            can_deny(policy)
            and decision.applies
            and not (policy.cron_job_jobs == "audit" and one.is_made_by_a_cron_job)
            for policy, decision in held.decisions(one)
        )
        assert found == ["Fail" if can else "Ignore"]


MANY = [
    document(f"p{number}", limits=LIMITS, match=[{"namespaceSelector": {"matchLabels": {f"k{number}": "v"}}}])
    for number in range(7)
]  # fmt: skip


@given(st.fixed_dictionaries({}, optional={f"k{number}": st.just("v") for number in range(7)}))
def test_with_many_selectors_the_number_of_webhooks_is_bounded_and_no_request_is_missed(
    labels: dict[str, str],
) -> None:
    webhooks = registered(*MANY)
    assert len(webhooks) <= 32
    found = [
        each["failurePolicy"]
        for each in webhooks
        if matches(each, request(namespace_labels=labels))
    ]
    assert len(found) == 1
    if labels:
        assert found == ["Fail"]


@given(
    st.lists(st.text(alphabet="ab-[]!*?^.\\", min_size=1, max_size=8), min_size=1, max_size=3),
    st.text(alphabet="ab-[]!^.\\", max_size=8),
)
def test_a_name_pattern_means_the_same_in_cel(patterns: list[str], name: str) -> None:
    condition = is_among("request.name", patterns)
    assert isinstance(condition, str)
    expected = any(fnmatchcase(name, each) for each in patterns)
    assert evaluated(condition, {"request": {"name": name}}) == expected
