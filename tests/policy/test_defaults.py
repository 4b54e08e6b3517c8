"""Defaults of policies: values, places, and exceptions."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from jobsworth.policy.defaults import merged
from jobsworth.policy.mutation.mutation import Mutation
from jobsworth.policy.places import at
from support.policy.kubectl_requests import WAYS, kubectl_request
from support.policy.policy_requests import SERVER, cron_job, document, job, policies, problems

INDEXED: dict[str, Any] = {"completionMode": "Indexed", "completions": 55, "parallelism": 5}
IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
IGNORED = {"action": "Ignore", "onPodConditions": [{"status": "True", "type": "DisruptionTarget"}]}
FAIL = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
COUNT = {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
FAIL_INDEX = {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [43]}}


def filled(value: Any, way: str = "file", *more: Any, old: Any = None, **defaults: Any) -> Mutation:
    held = policies(*more, **({"defaults": defaults} if defaults else {}))
    return held.default(kubectl_request(value, way, old), SERVER)


def spec_of(mutation: Mutation) -> dict[str, Any]:
    spec: dict[str, Any] = mutation.object["spec"]
    return spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("backoffLimitPerIndex", 2),
        ("maxFailedIndexes", 3),
        ("ttlSecondsAfterFinished", 60),
        ("activeDeadlineSeconds", 3600),
        ("managedBy", "example.com/queue"),
    ],
)
def test_fields_that_the_server_leaves_unset_are_defaulted_however_the_object_comes(
    name: str, value: Any, way: str
) -> None:
    spec = {**INDEXED, "backoffLimitPerIndex": 1} if name == "maxFailedIndexes" else INDEXED
    assert spec_of(filled(job(**spec), way, **{name: {"value": value}}))[name] == value


@pytest.mark.parametrize(
    ("written", "way", "when", "expected"),
    [
        # Nobody wrote it, and the server's default stands there.
        ({}, "file", "ifUnset", 3),
        ({}, "apply", "ifUnset", 3),
        ({}, "server-side apply", "ifUnset", 3),
        ({}, "create", "ifUnset", 6),
        ({}, "create", "ifServerDefault", 3),
        ({}, "create", "always", 3),
        # Somebody wrote just that.
        ({"backoffLimit": 6}, "file", "ifUnset", 6),
        ({"backoffLimit": 6}, "file", "ifServerDefault", 6),
        ({"backoffLimit": 6}, "apply", "ifServerDefault", 6),
        ({"backoffLimit": 6}, "server-side apply", "ifServerDefault", 6),
        ({"backoffLimit": 6}, "create", "ifUnset", 6),
        ({"backoffLimit": 6}, "create", "ifServerDefault", 3),
        ({"backoffLimit": 6}, "apply", "always", 3),
        # Somebody wrote something else.
        ({"backoffLimit": 9}, "file", "ifServerDefault", 9),
        ({"backoffLimit": 9}, "create", "ifServerDefault", 9),
        ({"backoffLimit": 9}, "create", "always", 3),
    ],
)
def test_a_default_knows_what_was_written(
    written: dict[str, Any], way: str, when: str, expected: int
) -> None:
    mutation = filled(job(**written), way, backoffLimit={"value": 3, "when": when})
    assert spec_of(mutation)["backoffLimit"] == expected
    assert bool(mutation.applied) == (expected == 3)


def test_a_value_that_another_webhook_has_filled_in_is_not_the_servers_default() -> None:
    request = kubectl_request(job(), "apply")
    request.object["spec"]["backoffLimit"] = 4
    mutation = policies(defaults={"backoffLimit": {"value": 3}}).default(request, SERVER)
    assert mutation.object is request.object


@pytest.mark.parametrize(
    ("defaults", "spec", "expected"),
    [
        ({"suspend": {"value": True, "when": "ifServerDefault"}}, {}, {"suspend": True}),
        ({"suspend": {"value": True}}, {"suspend": False}, {"suspend": False}),
        (
            {"podReplacementPolicy": {"value": "Failed", "when": "ifServerDefault"}},
            {},
            {"podReplacementPolicy": "Failed"},
        ),
        # Limits per index are for Indexed Jobs.
        (
            {"backoffLimitPerIndex": {"value": 1}, "maxFailedIndexes": {"value": 5}},
            {},
            {"backoffLimitPerIndex": None, "maxFailedIndexes": None, "backoffLimit": 6},
        ),
        ({"maxFailedIndexes": {"value": 5}}, INDEXED, {"maxFailedIndexes": None}),
        # With them the server would not have limited the retries of the whole Job.
        ({"backoffLimitPerIndex": {"value": 1}}, INDEXED, {"backoffLimit": 2**31 - 1}),
        (
            {"backoffLimitPerIndex": {"value": 1}},
            {**INDEXED, "backoffLimit": 6},
            {"backoffLimit": 6},
        ),
        (
            {"backoffLimitPerIndex": {"value": 1}, "backoffLimit": {"value": 0}},
            INDEXED,
            {"backoffLimitPerIndex": 1, "backoffLimit": 2**31 - 1},
        ),
        (
            {"backoffLimitPerIndex": {"value": 1}, "backoffLimit": {"value": 9, "when": "always"}},
            INDEXED,
            {"backoffLimit": 9},
        ),
        # A percentage is rounded down, within what the API allows.
        (
            {"backoffLimitPerIndex": {"value": 1}, "maxFailedIndexes": {"value": "10%"}},
            INDEXED,
            {"maxFailedIndexes": 5},
        ),
        (
            {"backoffLimitPerIndex": {"value": 1}, "maxFailedIndexes": {"value": "1%"}},
            INDEXED,
            {"maxFailedIndexes": 0},
        ),
        (
            {
                "backoffLimitPerIndex": {"value": 1},
                "maxFailedIndexes": {"value": "1%", "atLeast": 2},
            },
            INDEXED,
            {"maxFailedIndexes": 2},
        ),
        (
            {
                "backoffLimitPerIndex": {"value": 1},
                "maxFailedIndexes": {"value": "1%", "atLeast": 90},
            },
            INDEXED,
            {"maxFailedIndexes": 55},
        ),
        (
            {"backoffLimitPerIndex": {"value": 1}, "maxFailedIndexes": {"value": "50%"}},
            {**INDEXED, "completions": 200_000},
            {"backoffLimitPerIndex": 1, "maxFailedIndexes": 10_000},
        ),
    ],
)
def test_fields_of_the_job_spec(
    defaults: dict[str, Any], spec: dict[str, Any], expected: dict[str, Any]
) -> None:
    mutation = filled(job(**spec), **defaults)
    assert {name: spec_of(mutation).get(name) for name in expected} == expected
    assert not mutation.warnings


@pytest.mark.parametrize(
    ("when", "present", "expected"),
    [
        ("ifUnset", None, "shared"),
        ("ifUnset", "mine", "mine"),
        ("ifServerDefault", "mine", "mine"),
        ("always", "mine", "shared"),
    ],
)
@pytest.mark.parametrize("part", ["labels", "annotations"])
def test_labels_and_annotations(part: str, when: str, present: str | None, expected: str) -> None:
    metadata = {} if present is None else {part: {"example.com/queue": present, "other": "1"}}
    mutation = filled(
        job(metadata=metadata), **{part: {"example.com/queue": {"value": "shared", "when": when}}}
    )
    assert mutation.object["metadata"][part]["example.com/queue"] == expected
    assert present is None or mutation.object["metadata"][part]["other"] == "1"


@pytest.mark.parametrize(
    ("default", "written", "expected"),
    [
        ({"value": {"rules": [IGNORE]}}, None, [IGNORED]),
        ({"value": {"rules": [IGNORE]}}, [FAIL], [FAIL]),
        ({"value": {"rules": [IGNORE]}, "when": "always"}, [FAIL], [IGNORED]),
        ({"rulesBefore": [IGNORE]}, None, [IGNORED]),
        ({"rulesBefore": [IGNORE]}, [FAIL], [IGNORED, FAIL]),
        ({"rulesAfter": [COUNT]}, [FAIL], [FAIL, COUNT]),
        ({"rulesBefore": [IGNORE], "rulesAfter": [COUNT]}, [FAIL], [IGNORED, FAIL, COUNT]),
        # Where a rule stands already, it stands once.
        ({"rulesBefore": [IGNORE]}, [FAIL, IGNORE], [IGNORED, FAIL]),
        ({"rulesBefore": [IGNORE]}, [IGNORE, FAIL], [IGNORED, FAIL]),
        ({"rulesAfter": [FAIL]}, [FAIL, COUNT], [FAIL, COUNT]),
        # With the whole one, too.
        (
            {"value": {"rules": [FAIL]}, "rulesBefore": [IGNORE], "rulesAfter": [COUNT]},
            None,
            [IGNORED, FAIL, COUNT],
        ),
        # To fail an index is for Jobs that limit the retries of each.
        ({"rulesBefore": [FAIL_INDEX, IGNORE]}, [FAIL], [IGNORED, FAIL]),
    ],
)
def test_failure_policies(default: dict[str, Any], written: Any, expected: Any) -> None:
    spec = {} if written is None else {"podFailurePolicy": {"rules": written}}
    mutation = filled(job(**spec), podFailurePolicy=default)
    assert spec_of(mutation)["podFailurePolicy"]["rules"] == expected
    assert spec_of(mutation)["podReplacementPolicy"] == "Failed"
    assert not mutation.warnings


def test_fail_index_is_added_where_the_same_policy_limits_the_retries_of_each_index() -> None:
    mutation = filled(
        job(**INDEXED),
        backoffLimitPerIndex={"value": 1},
        podFailurePolicy={"rulesAfter": [FAIL_INDEX]},
    )
    assert spec_of(mutation)["podFailurePolicy"]["rules"] == [FAIL_INDEX]


@pytest.mark.parametrize(
    ("value", "defaults", "field", "reason"),
    [
        (
            job(pod={"restartPolicy": "OnFailure"}),
            {"podFailurePolicy": {"rulesBefore": [IGNORE]}},
            "spec.podFailurePolicy",
            'it requires restartPolicy Never, but the Pod template has "OnFailure"',
        ),
        (
            job(podReplacementPolicy="TerminatingOrFailed"),
            {"podFailurePolicy": {"value": {"rules": [IGNORE]}}},
            "spec.podFailurePolicy",
            'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed"',
        ),
        (
            job(podFailurePolicy={"rules": [FAIL]}),
            {"podReplacementPolicy": {"value": "TerminatingOrFailed", "when": "always"}},
            "spec.podReplacementPolicy",
            'supported values: "Failed"',
        ),
        (
            job(),
            {
                "podFailurePolicy": {
                    "rulesAfter": [
                        {
                            "action": "FailJob",
                            "onExitCodes": {
                                "containerName": "trainer",
                                "operator": "In",
                                "values": [3],
                            },
                        }
                    ]
                }
            },
            "spec.podFailurePolicy",
            '"trainer": must be one of the container or initContainer names',
        ),
        (
            job(**{**INDEXED, "completions": 200_000}),
            {"backoffLimitPerIndex": {"value": 1}},
            "spec.backoffLimitPerIndex",
            "spec.maxFailedIndexes: Required value",
        ),
        (
            job(podFailurePolicy={"rules": [FAIL] * 20}),
            {"podFailurePolicy": {"rulesBefore": [IGNORE]}},
            "spec.podFailurePolicy",
            "Too many: 21",
        ),
    ],
)
def test_a_default_that_would_make_the_object_invalid_is_left_out_with_the_reason(
    value: Any, defaults: dict[str, Any], field: str, reason: str
) -> None:
    request = kubectl_request(value, "file")
    mutation = policies(defaults={**defaults, "ttlSecondsAfterFinished": {"value": 60}}).default(
        request, SERVER
    )
    (rejected,) = mutation.rejected
    assert (rejected.policy, rejected.field) == ("house-rules", field)
    assert reason in rejected.reason
    assert mutation.warnings == (
        f"policy house-rules: default for {field} not set: {rejected.reason}",
    )
    # The others are filled in all the same.
    assert spec_of(mutation)["ttlSecondsAfterFinished"] == 60
    assert at(mutation.object, tuple(field.split("."))) == at(
        request.object, tuple(field.split("."))
    )


def test_rules_that_can_be_added_are_added_without_those_that_cannot() -> None:
    named = {"containerName": "trainer", "operator": "In", "values": [3]}
    unknown = {"action": "FailJob", "onExitCodes": named}
    mutation = filled(
        job(), podFailurePolicy={"rulesBefore": [IGNORE, unknown], "rulesAfter": [FAIL]}
    )
    assert spec_of(mutation)["podFailurePolicy"]["rules"] == [IGNORED, FAIL]
    assert len(mutation.warnings) == 1


def test_the_replacement_that_failure_policies_need_is_filled_in_before_them() -> None:
    elsewhere = {**FAIL, "onExitCodes": {**FAIL["onExitCodes"], "containerName": "elsewhere"}}
    mutation = filled(
        job(podReplacementPolicy="TerminatingOrFailed"),
        "file",
        podFailurePolicy={"rulesBefore": [IGNORE], "rulesAfter": [elsewhere]},
        podReplacementPolicy={"value": "Failed", "when": "always"},
    )
    assert spec_of(mutation)["podFailurePolicy"] == {"rules": [IGNORED]}
    assert [out.field for out in mutation.rejected] == ["spec.podFailurePolicy"]
    assert mutation.skipped == ()  # nothing is reported twice, as defaulted and as set already


def test_an_object_that_was_invalid_before_still_gets_defaults() -> None:
    mutation = filled(job(completions=-1), ttlSecondsAfterFinished={"value": 60})
    assert spec_of(mutation)["ttlSecondsAfterFinished"] == 60
    assert not mutation.warnings


def test_a_cron_job_is_filled_in_where_its_job_is() -> None:
    mutation = filled(
        cron_job(job(**INDEXED)),
        backoffLimit={"value": 3},
        backoffLimitPerIndex={"value": 1},
        maxFailedIndexes={"value": "10%"},
        podFailurePolicy={"rulesBefore": [IGNORE]},
        labels={"team": {"value": "ml"}},
    )
    spec = spec_of(mutation)
    assert spec["maxFailedIndexes"] == 5
    assert spec["podFailurePolicy"] == {"rules": [IGNORED]}
    assert mutation.object["metadata"]["labels"] == {"team": "ml"}
    assert [applied.field for applied in mutation.applied][1] == (
        "spec.jobTemplate.spec.backoffLimitPerIndex"
    )


class TestSeveralPolicies:
    """Precedence of several documents."""

    def test_the_one_with_the_higher_priority_decides_about_a_field(self) -> None:
        mutation = filled(
            job(),
            "file",
            document("a", defaults={"backoffLimit": {"value": 1}}),
            document("b", priority=5, defaults={"backoffLimit": {"value": 2}}),
        )
        assert spec_of(mutation)["backoffLimit"] == 2
        assert ("a", "spec.backoffLimit", "policy b sets it") in mutation.skipped

    def test_of_equals_the_first_by_name_decides(self) -> None:
        documents = [
            document(name, defaults={"labels": {"of": {"value": name}}}) for name in ("b", "a")
        ]
        assert filled(job(), "file", *documents).object["metadata"]["labels"] == {"of": "a"}

    def test_the_one_that_decides_does_so_also_where_it_leaves_the_value(self) -> None:
        mutation = filled(
            job(backoffLimit=7),
            "file",
            document("a", defaults={"backoffLimit": {"value": 1}}),
            document("b", defaults={"backoffLimit": {"value": 2, "when": "always"}}),
        )
        assert spec_of(mutation)["backoffLimit"] == 7

    def test_rules_of_all_are_added_the_firsts_outermost_in_front(self) -> None:
        mutation = filled(
            job(podFailurePolicy={"rules": [COUNT]}),
            "file",
            document("a", defaults={"podFailurePolicy": {"rulesBefore": [IGNORE]}}),
            document("b", defaults={"podFailurePolicy": {"rulesBefore": [FAIL]}}),
        )
        assert spec_of(mutation)["podFailurePolicy"]["rules"] == [IGNORED, FAIL, COUNT]
        assert mutation.applied[0].policy == "a, b"

    def test_a_document_that_matches_defaults_of_another_applies_too(self) -> None:
        gpu = [{"objectSelector": {"matchLabels": {"node": "gpu"}}}]
        mutation = filled(
            job(),
            "file",
            document("a", match=gpu, defaults={"backoffLimit": {"value": 1}}),
            document("b", defaults={"labels": {"node": {"value": "gpu"}}}),
        )
        assert spec_of(mutation)["backoffLimit"] == 1

    def test_documents_that_undo_each_others_labels_fill_in_nothing(self) -> None:
        def swing(name: str, of: str, to: str) -> dict[str, Any]:
            return document(
                name,
                match=[{"objectSelector": {"matchLabels": {"side": of}}}],
                defaults={
                    "labels": {"side": {"value": to, "when": "always"}},
                    "backoffLimit": {"value": 1},
                },
            )

        held = (swing("a", "left", "right"), swing("b", "right", "left"))
        mutation = filled(job(metadata={"labels": {"side": "left"}}), "file", *held)
        assert mutation.object["metadata"]["labels"] == {"side": "left"}
        assert "overwrite each other's labels" in mutation.warnings[0]


class TestUpdates:
    """Little is filled in on an update."""

    def test_nothing_where_the_spec_stays(self) -> None:
        old = job()
        new = copy.deepcopy(old)
        new["metadata"]["finalizers"] = ["example.com/x"]
        always = {"value": 3, "when": "always"}
        mutation = filled(
            new,
            old=old,
            backoffLimit=always,
            labels={"a": {"value": "b", "when": "always"}},
        )
        assert not mutation.applied

    @pytest.mark.parametrize(
        ("when", "old", "new", "expected"),
        [
            ("always", {"backoffLimit": 3}, {"backoffLimit": 9}, 3),
            ("always", {"backoffLimit": 9}, {"backoffLimit": 9, "parallelism": 2}, 9),
            ("ifUnset", {"backoffLimit": 9}, {"backoffLimit": 9, "parallelism": 2}, 9),
            ("ifServerDefault", {}, {"completions": 1, "parallelism": 2}, 6),
        ],
    )
    def test_only_what_is_to_hold_always_where_the_update_changes_it(
        self, when: str, old: dict[str, Any], new: dict[str, Any], expected: int
    ) -> None:
        mutation = filled(
            job(**{"completions": 1, **new}),
            old=job(**{"completions": 1, **old}),
            backoffLimit={"value": 3, "when": when},
        )
        assert spec_of(mutation)["backoffLimit"] == expected

    @pytest.mark.parametrize("name", ["suspend", "managedBy", "backoffLimitPerIndex"])
    def test_never_what_the_api_does_not_let_change_nor_who_may_run(self, name: str) -> None:
        value = {"suspend": True, "managedBy": "a.example/b", "backoffLimitPerIndex": 1}[name]
        old, new = job(suspend=True, **INDEXED), job(suspend=False, **INDEXED)
        mutation = filled(
            new,
            old=old,
            **{name: {"value": value, "when": "always"}},
            podFailurePolicy={"rulesBefore": [IGNORE]},
        )
        assert not mutation.applied
        assert not mutation.warnings

    def test_a_label_that_is_to_hold_always_comes_back(self) -> None:
        old = job(metadata={"labels": {"queue": "a"}}, suspend=True)
        new = job(metadata={"labels": {"queue": "b"}})
        mutation = filled(new, old=old, labels={"queue": {"value": "a", "when": "always"}})
        assert mutation.object["metadata"]["labels"] == {"queue": "a"}

    def test_a_cron_jobs_template_that_changes_is_filled_in_as_on_create(self) -> None:
        mutation = filled(
            cron_job(job(parallelism=2)),
            old=cron_job(job()),
            podFailurePolicy={"rulesBefore": [IGNORE]},
        )
        assert spec_of(mutation)["podFailurePolicy"] == {"rules": [IGNORED]}

    def test_a_cron_jobs_template_that_stays_is_left_alone(self) -> None:
        mutation = filled(
            cron_job(suspend=True), old=cron_job(), podFailurePolicy={"rulesBefore": [IGNORE]}
        )
        assert not mutation.applied


def test_an_object_that_is_being_deleted_is_left_alone() -> None:
    request = kubectl_request(job(), "create")
    request.object["metadata"]["deletionTimestamp"] = "2026-01-31T09:00:00Z"
    assert not policies(defaults={"backoffLimit": {"value": 1}}).default(request, SERVER).applied


def test_an_object_of_no_policys_concern_is_the_very_same() -> None:
    request = kubectl_request(job(), "create")
    held = policies(
        match=[{"namespaces": ["other"]}], defaults={"ttlSecondsAfterFinished": {"value": 1}}
    )
    assert held.default(request, SERVER).object is request.object


def test_each_defaulted_field_is_reported_once_with_the_old_and_the_new_value() -> None:
    mutation = filled(
        job(**INDEXED),
        backoffLimitPerIndex={"value": 1},
        backoffLimit={"value": 4, "when": "always"},
    )
    changes = [(one.field, one.before, one.after) for one in mutation.applied]
    assert changes == [
        ("spec.backoffLimitPerIndex", None, 1),
        ("spec.backoffLimit", 6, 4),
    ]


def test_the_reason_for_a_missing_default_on_update_is_reported() -> None:
    mutation = filled(
        job(ttlSecondsAfterFinished=2, backoffLimit=6),
        old=job(ttlSecondsAfterFinished=2, backoffLimit=5),
        ttlSecondsAfterFinished={"value": 3, "when": "always"},
        backoffLimit={"value": 3, "when": "ifServerDefault"},
        suspend={"value": True, "when": "always"},
    )
    assert {field: why for _, field, why in mutation.skipped} == {
        "spec.ttlSecondsAfterFinished": "this update does not change the field",
        "spec.backoffLimit": "on update, only defaults with always apply",
        "spec.suspend": "the default applies on create only",
    }


def test_the_reason_for_a_missing_default_is_reported() -> None:
    mutation = filled(
        job(backoffLimit=2),
        backoffLimit={"value": 3},
        backoffLimitPerIndex={"value": 1},
        suspend={"value": False},
        podFailurePolicy={"rulesAfter": [FAIL_INDEX]},
    )
    assert {field: why for _, field, why in mutation.skipped} == {
        "spec.backoffLimit": "a client set the field",
        "spec.backoffLimitPerIndex": "the default applies to Indexed Jobs only",
        "spec.suspend": "the field already has this value",
        "spec.podFailurePolicy": "rules with FailIndex apply to Jobs with backoffLimitPerIndex only",
    }


@pytest.mark.parametrize(
    ("defaults", "expected"),
    [
        (
            {"managedBy": {"value": "no-domain"}},
            "spec.defaults.managedBy.value: the API server rejects this default: Invalid value",
        ),
        (
            {"managedBy": {"value": "no-domain"}},
            "spec.defaults.managedBy.value: the API server rejects this default",
        ),
        (
            {"labels": {"bad key": {"value": "x"}}},
            "spec.defaults.labels[bad key].value: the API server rejects this default",
        ),
        (
            {"podFailurePolicy": {"rulesAfter": [{"action": "FailJob"}]}},
            "spec.defaults.podFailurePolicy.rulesAfter[0]: the API server rejects this default",
        ),
        (
            {
                "podFailurePolicy": {
                    "value": {
                        "rules": [
                            {
                                "action": "FailJob",
                                "onExitCodes": {"operator": "In", "values": [7, 3]},
                            }
                        ]
                    }
                }
            },
            "spec.defaults.podFailurePolicy.value.rules[0].onExitCodes.values: the API server rejects "
            "this default: Invalid value: [7,3]: must be ordered",
        ),
        ({"backoffLimit": {"value": -1}}, "spec.defaults.backoffLimit.value: -1 must be"),
        ({"backoffLimit": {"value": 1, "when": "never"}}, "spec.defaults.backoffLimit.when"),
        ({"maxFailedIndexes": {"value": "101%"}}, "spec.defaults.maxFailedIndexes"),
        ({"backofLimit": 1}, "spec.defaults.backofLimit: unknown field"),
        (
            {"podReplacementPolicy": {"value": "Fail"}},
            "spec.defaults.podReplacementPolicy.value: unsupported value",
        ),
    ],
)
def test_a_default_that_no_object_could_have_stops_the_load(
    defaults: dict[str, Any], expected: str
) -> None:
    (problem,) = problems(defaults=defaults)
    assert problem.startswith(expected)


def test_a_rule_may_name_a_container_that_only_some_jobs_have() -> None:
    codes = {"containerName": "trainer", "operator": "In", "values": [3]}
    rule = {"action": "FailJob", "onExitCodes": codes}
    assert not problems(defaults={"podFailurePolicy": {"rulesAfter": [rule]}})


def test_the_request_is_not_changed() -> None:
    request = kubectl_request(job(**INDEXED), "create")
    before = copy.deepcopy(request.object)
    held = policies(
        defaults={
            "backoffLimitPerIndex": {"value": 1},
            "labels": {"a": {"value": "b"}},
            "podFailurePolicy": {"rulesBefore": [IGNORE]},
        }
    )
    mutation = held.default(request, SERVER)
    assert mutation.object != before
    assert request.object == before
    assert held.default(replace(request, object=mutation.object), SERVER).applied == ()


def test_rules_on_other_conditions_are_other_rules() -> None:
    one = {"action": "Ignore", "onPodConditions": [{"type": "One", "status": "True"}]}
    other = {"action": "Ignore", "onPodConditions": [{"type": "Other", "status": "True"}]}
    false = {"action": "Ignore", "onPodConditions": [{"type": "One", "status": "False"}]}
    assert merged([one], after=[other, false]) == [one, other, false]
    assert merged([one], after=[{"action": "Ignore", "onPodConditions": [{"type": "One"}]}]) == [
        one
    ]


def test_a_default_that_a_plain_create_keeps_out_is_a_warning_for_its_user() -> None:
    warning = (
        "policy house-rules: default for spec.backoffLimit not set: the API server's 6 stays, because after "
        "a plain create it is unknown if a client wrote it (write the field, use kubectl apply, or set "
        "when: ifServerDefault)"
    )
    made = {way: filled(job(), way, backoffLimit={"value": 3}).warnings for way in WAYS}
    assert made.pop("create") == (warning,)
    assert set(made.values()) == {()}
    owned = job()
    owned["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch/v1", "kind": "CronJob", "name": "n", "uid": "u"}
    ]
    assert filled(owned, "create", backoffLimit={"value": 3}).warnings == ()
