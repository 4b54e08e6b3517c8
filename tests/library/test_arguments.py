"""Arguments of wrong types have errors that name them, before anything is evaluated."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

import jobsworth
from jobsworth.testing import assert_completes, assert_simulation, assert_valid

JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train"},
    "spec": {
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "registry.example.com/train:1.4"}],
            }
        }
    },
}
CRON_JOB = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "nightly"},
    "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": JOB["spec"]}},
}
POLICY = {
    "apiVersion": "jobsworth.dev/v1alpha1",
    "kind": "JobPolicy",
    "metadata": {"name": "team"},
    "spec": {"limits": {"backoffLimit": {"maximum": 3}}},
}
FAR = datetime(9999, 12, 31, tzinfo=UTC)


def valid(job: Any, **arguments: Any) -> None:
    assert_valid(job, isolated=True, **arguments)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "words"),
    [
        (jobsworth.validate, {"kubernetes_version": 1.30}, TypeError, 'such as "1.30", not float 1.3'),
        (jobsworth.validate, {"feature_gates": ["A"]}, TypeError, "feature_gates must be a mapping"),
        (jobsworth.validate, {"feature_gates": {1: True}}, TypeError, "a name in feature_gates must be"),
        (jobsworth.validate, {"feature_gates": {"A": "true"}}, TypeError, r"feature_gates\['A'\] must be"),
        (jobsworth.default, {"allow_privileged": "no"}, TypeError, "allow_privileged must be True or F"),
        (jobsworth.evaluate, {"policies": POLICY}, TypeError, "policies must be a list of JobPolicy"),
        (jobsworth.evaluate, {"policies": "team.yaml"}, TypeError, "policies must be a list of JobP"),
        (jobsworth.evaluate, {"policies": 5}, TypeError, "policies must be a list"),
        (jobsworth.evaluate, {"groups": "admins"}, TypeError, "groups must be a list of group names"),
        (jobsworth.evaluate, {"groups": [5]}, TypeError, r"groups\[0\] must be a str, not int 5"),
        (jobsworth.evaluate, {"namespace": 5}, TypeError, "namespace must be a str, not int 5"),
        (jobsworth.evaluate, {"namespace_labels": ["a"]}, TypeError, "namespace_labels must be a map"),
        (jobsworth.evaluate, {"user": 5}, TypeError, "user must be a str"),
        (jobsworth.evaluate, {"now": 5}, TypeError, "now must be a datetime, not int 5"),
        (jobsworth.evaluate, {"now": date(2027, 3, 28)}, TypeError, "now must be a datetime, not date"),
        (jobsworth.evaluate, {"now": datetime.min}, ValueError, "now: the year must be from 1971"),
        (jobsworth.explain, {"now": FAR}, ValueError, "now: the year must be from 1971 to 2199"),
        (jobsworth.explain, {"now": 0}, TypeError, "now must be a datetime, not int 0"),
        (jobsworth.explain, {"part": 5}, TypeError, "part must be a str"),
        (jobsworth.explain, {"part": "x"}, jobsworth.InputError, "Leave part out"),
        (jobsworth.explain, {"before": 5}, TypeError, "before must be a mapping"),
        (jobsworth.simulate, {"runs": "3"}, TypeError, "runs must be an int, not str '3'"),
        (jobsworth.simulate, {"runs": True}, TypeError, "runs must be an int, not bool"),
        (jobsworth.simulate, {"seed": 1.5}, TypeError, "seed must be an int"),
        (jobsworth.simulate, {"until": 5}, TypeError, "until must be a str such as 8h, not int 5"),
        (jobsworth.simulate, {"drain": 5}, TypeError, "drain must be a list of times"),
        (jobsworth.simulate, {"drain": [5]}, TypeError, r"drain\[0\] must be a str"),
        (jobsworth.simulate, {"spot": 5}, TypeError, "spot must be a str"),
        (jobsworth.simulate, {"scenario": 5}, TypeError, "scenario must be a mapping or the path"),
        (jobsworth.simulate, {"scenario": b"a.yaml"}, TypeError, "scenario must be a mapping or the"),
        (valid, {"fail_on": "high"}, ValueError, "fail_on must be one of error, warning, info"),
        (valid, {"ignore": "JW204"}, TypeError, "ignore must be a list of codes, not str 'JW204'"),
        (valid, {"ignore": ["JW999"]}, ValueError, "ignore: .*JW999"),
        (valid, {"policies": "team.yaml"}, TypeError, "policies must be a list of paths"),
        (valid, {"policies": [POLICY]}, TypeError, r"policies\[0\] must be the path of a file, not dict"),
        (valid, {"namespace": 5}, TypeError, "namespace must be a str"),
        (valid, {"kubernetes_version": 1.3}, TypeError, "kubernetes_version must be a str"),
        (valid, {"kubernetes_version": "9.9"}, jobsworth.UnknownRelease, "use 1.25 to"),
        (assert_completes, {"within": 7200}, TypeError, "within must be a str such as 8h, not int 7200"),
        (assert_completes, {"within": "x"}, jobsworth.BadQuestion, 'within: "x" is not a duration'),
        (assert_completes, {"at_least": 95}, ValueError, "at_least must be a share from 0 to 1"),
        (assert_completes, {"at_least": float("nan")}, ValueError, "at_least must be a share"),
        (assert_completes, {"at_least": "95%"}, TypeError, "at_least must be a number"),
        (assert_simulation, {}, TypeError, "pass at least one, such as complete >= 0.95"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(
    function: Any, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        function(JOB, **arguments)


def test_policies_may_be_any_iterable_of_documents() -> None:
    evaluation = jobsworth.evaluate(JOB, policies=iter([POLICY]))  # type: ignore[call-overload]
    assert "JP002" in {finding.code for finding in evaluation.findings}


def test_a_requirement_that_no_cron_job_has_is_refused_before_the_runs() -> None:
    with pytest.raises(jobsworth.BadRequirement, match="not a measure of a CronJob"):
        assert_completes(CRON_JOB, runs=100_000)


@pytest.mark.parametrize("bound", ["nan", "inf", "1e999"])
def test_a_bound_that_nothing_compares_with_is_refused(bound: str) -> None:
    with pytest.raises(jobsworth.BadRequirement, match="is not a number"):
        jobsworth.simulate(JOB).check(f"complete >= {bound}")


@pytest.mark.parametrize("reference", [5, b"job/train"])
def test_a_reference_is_a_text(reference: Any) -> None:
    with pytest.raises(TypeError, match="reference must be a str such as job/train"):
        jobsworth.why_recorded([JOB], reference)


def test_recorded_objects_are_a_list() -> None:
    with pytest.raises(TypeError, match="objects must be a list of mappings and models, not dict"):
        jobsworth.why_recorded(JOB)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"objects\[0\] must be a mapping"):
        jobsworth.why_recorded([5])  # type: ignore[list-item]


def test_text_that_is_no_unicode_has_a_finding() -> None:
    (located,) = jobsworth.validate_text("kind: Job\nname: \ud800\n")
    assert (located.finding.code, located.line) == ("JW090", 2)


@pytest.mark.parametrize("function", [jobsworth.why, jobsworth.wait])
@pytest.mark.parametrize(
    ("reference", "arguments", "words"),
    [
        (5, {}, "reference must be a str, not int"),
        (None, {}, "reference must be a str, not NoneType"),
        ("job/train", {"namespace": 5}, "namespace must be a str, not int"),
    ],
)
def test_what_is_read_from_a_cluster_is_named_by_texts(
    function: Any, reference: Any, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        function(reference, client=lambda path: {}, **arguments)


@pytest.mark.parametrize("name", ["timeout", "stuck_after"])
@pytest.mark.parametrize("seconds", ["5m", True])
def test_times_of_a_wait_are_numbers(name: str, seconds: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} must be a number of seconds"):
        jobsworth.wait("job/train", client=lambda path: {}, **{name: seconds})  # type: ignore[call-overload]
