"""The fields of a JobSpec: bounds, enumerations, relations and defaults, in the API server's words."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import errors_of, job_with, server
from support.validation.validated_jobs import INDEXED, PER_INDEX, Errors, job, job_errors, stored

NOT_NEGATIVE = "Invalid value: -1: must be greater than or equal to 0"
MANY = {**PER_INDEX, "completions": 100_001}
IF_MANY = "when completions are above 100000 and used with backoff limit per index"
IGNORE_NOTHING: dict[str, Any] = {"podFailurePolicy": {"rules": []}}
RESTART_POLICIES = 'valid values: "OnFailure", "Never"'

SPECS: dict[str, tuple[dict[str, Any], Errors]] = {
    "nothing but a template is enough": ({}, {}),
    "zero is a number of Pods, retries, seconds": (
        {
            "parallelism": 0,
            "completions": 0,
            "backoffLimit": 0,
            "activeDeadlineSeconds": 0,
            "ttlSecondsAfterFinished": 0,
        },
        {},
    ),
    "a negative parallelism": ({"parallelism": -1}, {"parallelism": NOT_NEGATIVE}),
    "negative completions": ({"completions": -1}, {"completions": NOT_NEGATIVE}),
    "a negative deadline": ({"activeDeadlineSeconds": -1}, {"activeDeadlineSeconds": NOT_NEGATIVE}),
    "a negative backoffLimit": ({"backoffLimit": -1}, {"backoffLimit": NOT_NEGATIVE}),
    "a negative TTL": ({"ttlSecondsAfterFinished": -1}, {"ttlSecondsAfterFinished": NOT_NEGATIVE}),
    "an unknown completion mode": (
        {"completionMode": "indexed"},
        {
            "completionMode": 'Unsupported value: "indexed": '
            'supported values: "NonIndexed", "Indexed"'
        },
    ),
    "Indexed without completions": (
        {"completionMode": "Indexed", "parallelism": 2},
        {"completions": "Required value: when completion mode is Indexed"},
    ),
    "Indexed with 100,000 Pods at a time": ({**INDEXED, "parallelism": 100_000}, {}),
    "Indexed with more": (
        {**INDEXED, "parallelism": 100_001},
        {
            "parallelism": "Invalid value: 100001: must be less than or equal to 100000 "
            "when completion mode is Indexed"
        },
    ),
    "NonIndexed with more": ({"parallelism": 100_001}, {}),
}

LIMITS_PER_INDEX: dict[str, tuple[dict[str, Any], Errors]] = {
    "an Indexed Job": (PER_INDEX, {}),
    "a Job without indexes": (
        {"backoffLimitPerIndex": 1},
        {"backoffLimitPerIndex": "Invalid value: 1: requires indexed completion mode"},
    ),
    "a negative limit": (
        {**INDEXED, "backoffLimitPerIndex": -1},
        {"backoffLimitPerIndex": NOT_NEGATIVE},
    ),
    "a negative number of failed indexes": (
        {**PER_INDEX, "maxFailedIndexes": -1},
        {"maxFailedIndexes": NOT_NEGATIVE},
    ),
    "as many failed indexes as there are": ({**PER_INDEX, "maxFailedIndexes": 3}, {}),
    "more failed indexes than there are": (
        {**PER_INDEX, "maxFailedIndexes": 4},
        {"maxFailedIndexes": "Invalid value: 4: must be less than or equal to completions"},
    ),
    "failed indexes without a limit per index": (
        {**INDEXED, "maxFailedIndexes": 1},
        {"backoffLimitPerIndex": "Required value: when maxFailedIndexes is specified"},
    ),
    "failed indexes without indexes": (
        {"maxFailedIndexes": 1},
        {
            "backoffLimitPerIndex": "Required value: when maxFailedIndexes is specified",
            "maxFailedIndexes": "Invalid value: 1: requires indexed completion mode",
        },
    ),
    "many completions leave the number of failed indexes open": (
        MANY,
        {"maxFailedIndexes": "Required value: must be specified when completions is above 100000"},
    ),
    "many completions with bounds": (
        {**MANY, "maxFailedIndexes": 10_000, "parallelism": 10_000},
        {},
    ),
    "many completions with too wide bounds": (
        {**MANY, "maxFailedIndexes": 10_001, "parallelism": 10_001},
        {
            "maxFailedIndexes": "Invalid value: 10001: "
            f"must be less than or equal to 10000 {IF_MANY}",
            "parallelism": f"Invalid value: 10001: must be less than or equal to 10000 {IF_MANY}",
        },
    ),
}

REPLACEMENT: dict[str, tuple[dict[str, Any], Errors]] = {
    "when a Pod has failed": ({"podReplacementPolicy": "Failed"}, {}),
    "when a Pod terminates": ({"podReplacementPolicy": "TerminatingOrFailed"}, {}),
    "an unknown policy": (
        {"podReplacementPolicy": "Always"},
        {
            "podReplacementPolicy": 'Unsupported value: "Always": '
            'supported values: "Failed", "TerminatingOrFailed"'
        },
    ),
    "when a Pod has failed, with a failure policy": (
        {"podReplacementPolicy": "Failed", **IGNORE_NOTHING},
        {},
    ),
    "when a Pod terminates, with a failure policy": (
        {"podReplacementPolicy": "TerminatingOrFailed", **IGNORE_NOTHING},
        {
            "podReplacementPolicy": 'Unsupported value: "TerminatingOrFailed": '
            'supported values: "Failed"'
        },
    ),
}

MANAGERS: dict[str, tuple[dict[str, Any], Errors]] = {
    "a path with a domain": ({"managedBy": "kueue.x-k8s.io/multikueue"}, {}),
    "an empty name": ({"managedBy": ""}, {"managedBy": "Required value"}),
    "a name without a domain": (
        {"managedBy": "kueue"},
        {
            "managedBy": 'Invalid value: "kueue": '
            'must be a domain-prefixed path (such as "acme.io/foo")'
        },
    ),
    "63 bytes": ({"managedBy": f"acme.io/{'x' * 55}"}, {}),
    "64 bytes": (
        {"managedBy": f"acme.io/{'x' * 56}"},
        {"managedBy": "Too long: may not be more than 63 bytes"},
    ),
}

SELECTORS: dict[str, tuple[dict[str, Any], Errors]] = {
    "a selector of one's own, without manualSelector": (
        {"selector": {"matchLabels": {"app": "train"}}},
        {
            "selector": 'Invalid value: {"matchLabels":{"app":"train",'
            '"batch.kubernetes.io/controller-uid":"<uid>"}}: `selector` not auto-generated',
            "template.metadata.labels": "Invalid value: "
            '{"batch.kubernetes.io/controller-uid":"<uid>",'
            '"batch.kubernetes.io/job-name":"sample","controller-uid":"<uid>","job-name":"sample"}: '
            "`selector` does not match template `labels`",
        },
    ),
    "manualSelector without a selector": (
        {"manualSelector": True},
        {
            "selector": "Required value",
            "template.metadata.labels": "Invalid value: null: "
            "`selector` does not match template `labels`",
        },
    ),
    "a manual selector that the template does not match": (
        {"manualSelector": True, "selector": {"matchLabels": {"app": "train"}}},
        {
            "template.metadata.labels": "Invalid value: null: "
            "`selector` does not match template `labels`"
        },
    ),
}


def rows(table: dict[str, Any]) -> Any:
    return pytest.mark.parametrize(("spec", "errors"), table.values(), ids=table.keys())


@rows(SPECS)
def test_counts_limits_and_modes(spec: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**spec)) == errors


@rows(LIMITS_PER_INDEX)
def test_limits_per_index(spec: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**spec)) == errors


@rows(REPLACEMENT)
def test_replacement_of_pods(spec: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**spec)) == errors


@rows(MANAGERS)
def test_the_controller_in_charge(spec: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**spec)) == errors


@rows(SELECTORS)
def test_selectors(spec: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**spec)) == errors


@pytest.mark.parametrize(
    ("restart_policy", "spec", "message"),
    [
        pytest.param("Never", {}, "", id="Never"),
        pytest.param("OnFailure", {}, "", id="OnFailure"),
        pytest.param("", {}, f"Required value: {RESTART_POLICIES}", id="unset"),
        pytest.param("Always", {}, f"Required value: {RESTART_POLICIES}", id="Always"),
        pytest.param("Never", IGNORE_NOTHING, "", id="Never with a failure policy"),
        pytest.param(
            "OnFailure",
            IGNORE_NOTHING,
            'Invalid value: "OnFailure": '
            'only "Never" is supported when podFailurePolicy is specified',
            id="OnFailure with a failure policy",
        ),
    ],
)
def test_restart_policies(restart_policy: str, spec: dict[str, Any], message: str) -> None:
    found = job_errors(job({"restartPolicy": restart_policy}, **spec))
    assert found == ({"template.spec.restartPolicy": message} if message else {})


@pytest.mark.parametrize(
    ("name", "spec", "valid"),
    [
        pytest.param("train.v2", {}, True, id="a name with a dot, not Indexed"),
        pytest.param("train.v2", INDEXED, False, id="a name with a dot, Indexed"),
        pytest.param("a" * 61, INDEXED, True, id="61 letters and index 2"),
        pytest.param("a" * 62, INDEXED, False, id="62 letters and index 2"),
        pytest.param("a" * 61, {**INDEXED, "completions": 11}, False, id="61 letters, index 10"),
    ],
)
def test_the_last_hostname_of_an_indexed_job_is_a_dns_label(
    name: str, spec: dict[str, Any], valid: bool
) -> None:
    last = spec.get("completions", 1) - 1
    expected = f"will not able to create pod with invalid DNS label: {name}-{last}"
    message = f'Invalid value: "{name}": {expected}'
    assert job_errors(job(name=name, **spec)) == ({} if valid else {"metadata.name": message})


@pytest.mark.parametrize(
    ("spec", "defaults"),
    [
        pytest.param(
            {},
            {
                "parallelism": 1,
                "completions": 1,
                "backoffLimit": 6,
                "completionMode": "NonIndexed",
                "suspend": False,
                "podReplacementPolicy": "TerminatingOrFailed",
            },
            id="one Pod, six retries",
        ),
        pytest.param(
            {"parallelism": 2}, {"parallelism": 2, "completions": None}, id="a work queue"
        ),
        pytest.param(PER_INDEX, {"backoffLimit": 2**31 - 1}, id="a limit per index"),
        pytest.param(IGNORE_NOTHING, {"podReplacementPolicy": "Failed"}, id="a failure policy"),
    ],
)
def test_defaults(spec: dict[str, Any], defaults: dict[str, Any]) -> None:
    filled = stored(job(**spec))
    assert {field: filled.get(field) for field in defaults} == defaults


@pytest.mark.parametrize(
    ("spec", "since"),
    [
        pytest.param(PER_INDEX, 28, id="backoffLimitPerIndex"),
        pytest.param({"podReplacementPolicy": "Failed"}, 28, id="podReplacementPolicy"),
        pytest.param({"managedBy": "acme.io/jobs"}, 30, id="managedBy"),
    ],
)
def test_an_older_release_does_not_know_the_field(spec: dict[str, Any], since: int) -> None:
    (field,) = spec.keys() - INDEXED.keys()
    before = job_errors(job(**spec), at=server(f"1.{since - 1}"))
    assert before == {field: f'unknown field "spec.{field}"'}
    assert job_errors(job(**spec), at=server(f"1.{since}")) == {}


def test_an_invalid_value_in_a_stored_selector_is_kept() -> None:
    def selecting(value: str) -> dict[str, Any]:
        manual = job_with({}, {"labels": {"app": "a"}})
        expressions = [{"key": "app", "operator": "NotIn", "values": [value]}]
        selector = {"matchLabels": {"app": "a"}, "matchExpressions": expressions}
        spec = {**manual["spec"], "manualSelector": True, "selector": selector}
        return {**manual, "spec": spec}

    stored = selecting("-not-a-value-")
    assert {field for field, _ in errors_of(stored)} == {
        "spec.selector.matchExpressions[0].values[0]"
    }
    assert errors_of({**stored, "spec": {**stored["spec"], "suspend": True}}, stored) == set()
