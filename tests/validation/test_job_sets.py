"""The verdict on a JobSet, by layer: strict decoding, the CRD, the webhooks."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.jobset.versions import VERSIONS, UnknownJobSetVersion, known_version
from jobsworth.validation.job_sets import verdict
from support.validation.job_sets import JsonObject, job_set, replicated

DNS_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
NOT_CHECKED = (
    "",
    "Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation",
)


def causes(value: JsonObject, old: JsonObject | None = None, **how: Any) -> list[tuple[str, str]]:
    return [(finding.field, finding.message) for finding in verdict(value, old, **how).findings]


def with_gate(name: str) -> ApiServer:
    return ApiServer(gates={name: True})


def stored(value: JsonObject) -> JsonObject:
    defaulted = verdict(value).defaulted
    assert defaulted is not None
    metadata = {"uid": "1", "resourceVersion": "2", "namespace": "default"}
    return {**defaulted, "metadata": {**defaulted["metadata"], **metadata}}


def changed(value: JsonObject, **spec: Any) -> JsonObject:
    return {**deepcopy(value), "spec": {**deepcopy(value["spec"]), **spec}}


def test_defaults_are_those_of_the_crd_and_of_the_mutating_webhook() -> None:
    found = verdict(job_set(replicated())).defaulted
    assert found is not None
    assert found["spec"] == {
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All"},
        "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
        "replicatedJobs": [
            {
                "name": "workers",
                "groupName": "default",
                "replicas": 1,
                "template": {
                    "metadata": {},
                    "spec": {
                        "completionMode": "Indexed",
                        "template": {
                            "metadata": {},
                            "spec": {
                                "containers": [
                                    {"name": "main", "image": "busybox", "resources": {}}
                                ],
                                "restartPolicy": "OnFailure",
                            },
                        },
                    },
                },
            }
        ],
    }


def test_what_is_written_is_kept_although_the_webhook_omits_it_when_it_encodes() -> None:
    pod = {"hostNetwork": False, "volumes": [], "nodeSelector": {}}
    found = verdict(job_set(replicated(pod=pod))).defaulted
    assert found is not None
    kept = found["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert pod.items() <= kept.items()


def test_unknown_fields_are_reported_with_the_place_where_they_belong() -> None:
    [finding] = verdict(job_set(replicated(backofLimit=3))).findings
    assert finding.code == "JW001"
    assert finding.field == "spec.replicatedJobs[0].backofLimit"
    assert finding.message == 'unknown field "spec.replicatedJobs[0].backofLimit"'


def test_a_field_that_is_newer_than_the_types_of_jobset_is_unknown() -> None:
    value = job_set(replicated(job={"scheduling": {}}))
    [finding] = verdict(value).findings
    assert finding.hint == "JobSet 0.12 does not know this field, and drops it"


def test_the_crd_keeps_only_some_metadata_of_a_template() -> None:
    job = replicated()
    job["template"]["metadata"] = {"labels": {"a": "b"}, "generateName": "x-"}
    assert causes(job_set(job)) == [
        (
            "spec.replicatedJobs[0].template.metadata.generateName",
            'unknown field "spec.replicatedJobs[0].template.metadata.generateName"',
        )
    ]


def test_a_template_may_name_a_finalizer_twice() -> None:
    job = replicated()
    job["template"]["metadata"] = {"finalizers": ["example.com/a", "example.com/a"]}
    assert causes(job_set(job)) == []


def test_a_value_of_the_wrong_type_has_no_defaulted_object() -> None:
    found = verdict(job_set(replicated(job={"parallelism": "3"})))
    [finding] = found.findings
    assert (finding.code, finding.field) == (
        "JW002",
        "spec.replicatedJobs[0].template.spec.parallelism",
    )
    assert found.defaulted is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            job_set(replicated("a"), replicated("b"), replicated("a")),
            [("spec.replicatedJobs[2]", 'Duplicate value: {"name":"a"}')],
            id="list map",
        ),
        pytest.param(
            job_set(replicated(), successPolicy={"operator": "Some"}),
            [
                (
                    "spec.successPolicy.operator",
                    'Unsupported value: "Some": supported values: "All", "Any"',
                ),
                NOT_CHECKED,
            ],
            id="enumeration",
        ),
        pytest.param(
            job_set(replicated(), ttlSecondsAfterFinished=-1),
            [
                (
                    "spec.ttlSecondsAfterFinished",
                    "Invalid value: -1: spec.ttlSecondsAfterFinished in body should be greater "
                    "than or equal to 0",
                )
            ],
            id="minimum",
        ),
        pytest.param(
            job_set({"name": "a", "template": {}}),
            [
                (
                    "spec.replicatedJobs[0].template.spec.template.spec.containers",
                    'Invalid value: "null": '
                    "spec.replicatedJobs[0].template.spec.template.spec.containers in body must be "
                    'of type array: "null"',
                ),
                NOT_CHECKED,
            ],
            id="an empty template, of which the webhook makes containers: null",
        ),
        pytest.param(
            job_set(
                replicated("a"),
                replicated("b", dependsOn=[{"name": "a", "status": "Ready"}]),
                startupPolicy={"startupPolicyOrder": "InOrder"},
            ),
            [("spec", "Invalid value: StartupPolicy and DependsOn APIs are mutually exclusive")],
            id="rule in CEL",
        ),
        pytest.param(
            job_set(replicated("Workers")),
            [
                (
                    "spec.replicatedJobs[0].name",
                    f'Invalid value: "train-Workers-0": {DNS_1035}',
                )
            ],
            id="names of the Jobs",
        ),
        pytest.param(
            job_set(replicated(), name="x" * 60),
            [
                (
                    "spec.replicatedJobs[0].name",
                    f'Invalid value: "{"x" * 60}-workers-0": JobSet name is too long, job names '
                    "generated for this JobSet will exceed 63 characters",
                )
            ],
            id="length of the names of the Jobs",
        ),
        pytest.param(
            job_set(replicated(), successPolicy={"operator": "All", "targetReplicatedJobs": ["x"]}),
            [
                (
                    "",
                    "Internal error: invalid replicatedJob name 'x' does not appear in "
                    ".spec.ReplicatedJobs",
                )
            ],
            id="an error without field",
        ),
        pytest.param(
            job_set(replicated(), failurePolicy={"rules": [{"action": "RestartJob"}]}),
            [
                (
                    "",
                    "Internal error: RestartJob and RestartJobAndIgnoreMaxRestarts failure policy "
                    "actions are not allowed when RestartJob feature gate is disabled",
                )
            ],
            id="a feature gate",
        ),
    ],
)
def test_errors_are_in_the_words_of_the_server(
    value: JsonObject, expected: list[tuple[str, str]]
) -> None:
    assert causes(value) == expected


def test_errors_of_later_stages_are_known_before_the_first_are_fixed() -> None:
    value = job_set(
        replicated("Workers", backofLimit=3, job={"completions": "5"}),
        ttlSecondsAfterFinished=-1,
        managedBy="nobody",
    )
    found = verdict(value)
    assert [each.field for each in found.findings] == [
        "spec.replicatedJobs[0].backofLimit",
        "spec.replicatedJobs[0].template.spec.completions",
    ]
    assert [each.field for each in found.further] == [
        "spec.ttlSecondsAfterFinished",
        "spec.managedBy",
        "spec.replicatedJobs[0].name",
    ]


def test_an_error_without_field_has_a_place() -> None:
    value = job_set(replicated(), coordinator={"replicatedJob": "leader"})
    [finding] = verdict(value).findings
    assert (finding.field, finding.place) == ("", "spec.coordinator.replicatedJob")


def test_a_restart_policy_that_no_job_may_have_is_no_error_of_the_jobset() -> None:
    assert causes(job_set(replicated(pod={"restartPolicy": "Alway"}))) == []


def test_an_update_of_the_same_manifest_changes_nothing() -> None:
    value = job_set(replicated(), network={"subdomain": "net"})
    assert causes(value, stored(value)) == []
    assert causes(value, value) == []


@pytest.mark.parametrize(
    "change",
    [{"network": {"subdomain": "other"}}, {"successPolicy": {"operator": "Any"}}],
    ids=str,
)
def test_policies_are_immutable(change: JsonObject) -> None:
    old = stored(job_set(replicated()))
    [field] = change
    assert causes(changed(old, **change), old) == [
        (f"spec.{field}", "Invalid value: Value is immutable")
    ]


def test_a_policy_may_be_removed_or_added() -> None:
    old = stored(job_set(replicated()))
    new = changed(old, failurePolicy={"maxRestarts": 3})
    del new["spec"]["network"]
    assert causes(new, old) == []


def test_replicated_jobs_are_immutable() -> None:
    old = stored(job_set(replicated(replicas=2)))
    [(field, message)] = causes(changed(old, replicatedJobs=[]), old)
    assert (field, message) == (
        "spec.replicatedJobs",
        "Invalid value: []: field is immutable",
    )


@pytest.mark.parametrize("suspended", ["before", "after"])
def test_scheduling_of_a_suspended_jobset_may_change(suspended: str) -> None:
    old = stored(job_set(replicated(), suspend=suspended == "before"))
    new = changed(old, suspend=suspended == "after")
    pod = new["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["nodeSelector"] = {"disk": "ssd"}
    assert causes(new, old) == []
    pod["hostNetwork"] = True
    assert [field for field, _ in causes(new, old)] == ["spec.replicatedJobs"]


def test_types_of_an_update_are_those_of_the_crd() -> None:
    old = stored(job_set(replicated()))
    found = causes(changed(old, ttlSecondsAfterFinished="soon"), old)
    assert found == [
        (
            "spec.ttlSecondsAfterFinished",
            'Invalid value: "string": spec.ttlSecondsAfterFinished in body must be of type integer: '
            '"string"',
        ),
        NOT_CHECKED,
    ]


# Versions


@pytest.mark.parametrize(
    ("part", "since"),
    [
        ({"groupName": "a"}, "0.10"),
        ({"job": {"podReplacementPolicy": "Failed"}}, "0.8"),
        ({"pod": {"hostnameOverride": "a"}}, "0.10"),
        ({"pod": {"schedulingGroup": {}}}, "0.12"),
    ],
    ids=str,
)
def test_fields_are_known_since_a_version(part: JsonObject, since: str) -> None:
    value = job_set(replicated(**part))
    for version in VERSIONS:
        unknown = [
            each for each in verdict(value, version=version).findings if each.code == "JW001"
        ]
        known = VERSIONS.index(version) >= VERSIONS.index(since)
        assert (not unknown) == known, version


def test_earlier_versions_state_an_error_without_field_as_it_is() -> None:
    value = job_set(replicated(), coordinator={"replicatedJob": "leader"})
    assert causes(value, version="0.11") == [
        ("", "coordinator replicatedJob leader does not exist")
    ]


def test_the_values_of_an_enumeration_are_those_of_the_version() -> None:
    value = job_set(replicated(), failurePolicy={"rules": [{"action": "RestartJob"}]})
    assert causes(value, version="0.11")[0] == (
        "spec.failurePolicy.rules[0].action",
        'Unsupported value: "RestartJob": supported values: "FailJobSet", "RestartJobSet", '
        '"RestartJobSetAndIgnoreMaxRestarts"',
    )


@pytest.mark.parametrize("text", ["0.12", "v0.12.0", "0.12.1"])
def test_a_version_may_be_written_in_several_ways(text: str) -> None:
    assert known_version(text) == "0.12"


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(UnknownJobSetVersion, match=r"known are 0\.8, 0\.10, 0\.11, 0\.12"):
        verdict(job_set(replicated()), version="0.3")


def test_a_restart_in_place_has_requirements_for_each_job() -> None:
    """As ``TestValidateCreate`` of JobSet's webhook: "when in-place restart is enabled"."""
    value = job_set(replicated(), failurePolicy={"restartStrategy": "InPlaceRestart"})
    path = "spec.replicatedJobs[0].template.spec"
    end = "when in-place restart is enabled"
    assert causes(value, server=with_gate("InPlaceRestart")) == [
        (
            f"{path}.backoffLimit",
            f"Invalid value: null: replicatedJob workers: must be set to 2147483647 (MaxInt32) {end}",
        ),
        (
            f"{path}.podReplacementPolicy",
            f"Invalid value: null: replicatedJob workers: must be set to Failed {end}",
        ),
        (
            f"{path}.completions",
            "Invalid value: null: replicatedJob workers: completions and parallelism must be set and "
            f"equal to each other {end}",
        ),
    ]


def test_single_jobs_restart_only_beside_few_others() -> None:
    rules = {"rules": [{"name": "a", "action": "RestartJob"}]}
    few, many = (job_set(replicated(replicas=each), failurePolicy=rules) for each in (1024, 1025))
    gates = with_gate("RestartJob")
    assert causes(few, server=gates) == []
    assert causes(many, server=gates) == [
        (
            "",
            "Internal error: JobSet cannot have a failure policy rule with RestartJob or "
            "RestartJobAndIgnoreMaxRestarts action and a replicated job with replicas > 1024",
        )
    ]


def scaled(parallelism: int, completions: int) -> JsonObject:
    return job_set(replicated(job={"parallelism": parallelism, "completions": completions}))


def test_the_pods_of_an_elastic_job_set_may_change_in_number() -> None:
    old, path = stored(scaled(2, 2)), "spec.replicatedJobs[0].template.spec"
    gates = with_gate("ElasticJobSet")
    assert causes(scaled(4, 4), old) != []
    assert causes(scaled(4, 4), old, server=gates) == []
    assert causes(scaled(4, 4), old, server=gates, version="0.11") != []
    assert causes(scaled(4, 3), old, server=gates) == [
        (
            f"{path}.completions",
            "Invalid value: 3: completions must be equal to parallelism for Elastic Indexed Jobs",
        )
    ]
    assert causes(scaled(0, 0), old, server=gates) == [
        (f"{path}.parallelism", "Invalid value: 0: parallelism must be >= 1"),
        (f"{path}.completions", "Invalid value: 0: completions must be >= 1"),
    ]
    ended = {**old, "status": {"conditions": [{"type": "Completed", "status": "True"}]}}
    assert causes(scaled(4, 4), ended, server=gates) == [
        (
            path,
            "Forbidden: Cannot mutate parallelism or completions when JobSet is in a terminal state "
            "(Completed or Failed)",
        )
    ]
