"""Rules about the names of Jobs and Pods."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.lint.neighbors import Neighbors
from jobsworth.validation.engine import engine_for
from support.cli.command_runs import Validate
from support.lint.linted_jobs import RULE_OF, SEEN, cron_job, found, job, lint, with_metadata


def named(name: str, value: dict[str, Any]) -> dict[str, Any]:
    value["metadata"]["name"] = name
    return value


def indexed(completions: int) -> dict[str, Any]:
    return cron_job(job(completionMode="Indexed", completions=completions, parallelism=1))


def labelled(labels: dict[str, str], value: dict[str, Any]) -> dict[str, Any]:
    value["spec"]["jobTemplate"]["metadata"] = {"labels": labels}
    return value


def is_rejected(value: dict[str, Any]) -> bool:
    findings = engine_for(ApiServer("1.36")).validate(value)
    return any(finding.severity == "error" for finding in findings)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (named("n" * 52, indexed(11)), "metadata.name"),
        (named("n" * 51, indexed(101)), "metadata.name"),
        (named("nightly.report", indexed(2)), "metadata.name"),
        (labelled({"app": "a b"}, cron_job(job())), "spec.jobTemplate.metadata.labels"),
    ],
)
def test_jobs_that_will_be_rejected_are_reported(value: dict[str, Any], field: str) -> None:
    (finding,) = found("JW416", value)
    assert finding.field == field
    assert finding.message.startswith(
        "The API server will reject each Job of this CronJob: Invalid value: "
    )
    assert not is_rejected(value)


def test_a_label_that_the_server_generates_cannot_be_set_otherwise() -> None:
    value = cron_job(job())
    template = value["spec"]["jobTemplate"]["spec"]["template"]
    template["metadata"] = {"labels": {"job-name": "mine"}}
    (finding,) = found("JW416", value)
    assert finding.field == "spec.jobTemplate.spec.template.metadata.labels[job-name]"


@pytest.mark.parametrize(
    "value",
    [
        named("n" * 52, indexed(10)),
        named("n" * 52, cron_job(job())),
        named("nightly.report", cron_job(job())),
        named("n" * 63, job()),
        labelled({"app": "a"}, cron_job(job())),
    ],
)
def test_jobs_that_will_be_accepted_are_left_alone(value: dict[str, Any]) -> None:
    assert found("JW416", value) == []


@pytest.mark.parametrize(
    "value",
    [
        named("n" * 53, indexed(11)),
        cron_job(job({"restartPolicy": "Always"})),
    ],
)
def test_a_cron_job_that_is_rejected_itself_has_no_further_finding(value: dict[str, Any]) -> None:
    assert is_rejected(value)
    assert found("JW416", value) == []


@pytest.mark.parametrize(
    ("length", "value", "reported"),
    [
        (49, cron_job(job()), False),
        (50, cron_job(job()), True),
        (46, indexed(10), False),
        (47, indexed(10), True),
        (44, indexed(1000), False),
        (45, indexed(1000), True),
        (60, job(), False),
    ],
)
def test_the_number_of_the_run_must_fit_into_the_name_of_a_pod(
    length: int, value: dict[str, Any], reported: bool
) -> None:
    findings = found("JW417", named("n" * length, value))
    assert bool(findings) is reported
    if reported:
        assert f"at most {length - 1} characters" in findings[0].message


@pytest.mark.parametrize("value", [job(), cron_job(job())])
def test_a_name_with_dots_is_reported(value: dict[str, Any]) -> None:
    assert [finding.field for finding in found("JW217", named("a.b", value))] == ["metadata.name"]
    assert found("JW217", named("a-b", value)) == []


@pytest.mark.parametrize("code", ["JW217", "JW416", "JW417"])
def test_a_generated_name_is_not_known(code: str) -> None:
    value = cron_job(job())
    value["metadata"] = {"generateName": "n" * 60 + "."}
    assert found(code, value) == []


def test_a_generated_name_is_reported_unless_argo_cd_creates_the_job() -> None:
    value = job()
    value["metadata"] = {"generateName": "report-"}
    (finding,) = found("JW290", value)
    assert finding.field == "metadata.generateName"
    value["metadata"]["annotations"] = {"argocd.argoproj.io/hook": "PreSync"}
    assert found("JW290", value) == []


def test_a_name_beside_a_prefix_is_enough() -> None:
    assert found("JW290", job()) == []
    assert found("JW290", named("report", {**job(), "metadata": {"generateName": "report-"}})) == []


def is_job(value: Any) -> bool:
    return isinstance(value, dict) and value.get("apiVersion") == "batch/v1"


def reported_in_file(*values: Any) -> list[int]:
    """The positions of the objects of a file that JW280 reports."""
    neighbors, engine = Neighbors.of(values), engine_for(ApiServer("1.36"))
    found_in = [
        lint(each, engine, [RULE_OF["JW280"]], neighbors) if is_job(each) else [] for each in values
    ]
    SEEN.extend(finding for findings in found_in for finding in findings)
    return [index for index, findings in enumerate(found_in) if findings]


HOOK = {"annotations": {"helm.sh/hook": "pre-install"}}


@pytest.mark.parametrize("value", [job(), cron_job(job())], ids=["Job", "CronJob"])
def test_a_file_has_each_name_once(value: dict[str, Any]) -> None:
    other = {**value, "spec": {**value["spec"], "suspend": True}}
    assert reported_in_file(value, other) == [1]
    assert reported_in_file(value, with_metadata(value, name="b"), other, value, other) == [2, 4]
    assert reported_in_file(value, value) == []
    assert reported_in_file(value, with_metadata(other, namespace="b")) == []
    assert reported_in_file(value, {**other, "apiVersion": "batch.example.com/v1"}) == []
    assert reported_in_file(value, with_metadata(other, **HOOK)) == []
    assert reported_in_file(with_metadata(value, **HOOK), other) == []
    assert (
        reported_in_file(value, {"kind": "Job", "metadata": {"name": 7}}, {"metadata": 7}, []) == []
    )


def config_map(name: str = "settings", *, data: dict[str, str], **metadata: Any) -> dict[str, Any]:
    value = {"apiVersion": "v1", "kind": "ConfigMap", "data": data}
    return {**value, "metadata": {"name": name, **metadata}}


def fields_in_file(validate: Validate, *values: Any, file: str = "a.yaml") -> list[list[str]]:
    """The fields that JW280 reports in each object of a file."""
    text = "\n---\n".join(map(json.dumps, values))
    done = validate("--select", "JW280", "-o", "json", ".", files={file: text})
    return [[each["field"] for each in result["findings"]] for result in done.loaded["results"]]


def test_a_file_has_each_object_of_another_kind_once(validate: Validate) -> None:
    first, other = config_map(data={"a": "1"}), config_map(data={"b": "2"})
    twice = [[], [], ["metadata.name"]]
    once = [[], [], []]
    assert fields_in_file(validate, first, job(), other) == twice
    assert fields_in_file(validate, first, job(), first) == once
    assert fields_in_file(validate, first, job(), config_map("b", data={})) == once
    assert fields_in_file(validate, first, job(), config_map(data={}, namespace="b")) == once
    assert fields_in_file(validate, first, job(), config_map(data={}, **HOOK)) == once
    assert fields_in_file(validate, first, job(), {**other, "kind": "Secret"}) == once
    nameless = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": ""}}
    assert fields_in_file(validate, nameless, job(), {**nameless, "data": {"a": "1"}}) == once


def test_an_object_with_a_job_in_it_overwrites_another_of_its_kind(validate: Validate) -> None:
    spec = {"replicatedJobs": [{"name": "w", "template": {"spec": job()["spec"]}}]}
    first = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "a"}}
    other = {**first, "spec": {**spec, "suspend": True}}
    assert fields_in_file(validate, {**first, "spec": spec}, other) == [[], ["metadata.name"]]


@pytest.mark.parametrize("file", ["01-assert.yaml", "testdata/a.yaml"])
def test_what_no_client_applies_overwrites_nothing(validate: Validate, file: str) -> None:
    first, other = config_map(data={"a": "1"}), config_map(data={"b": "2"})
    assert fields_in_file(validate, first, job(), other, file=file) == [[], [], []]


def test_several_patches_of_a_file_may_change_one_object(validate: Validate) -> None:
    first, other = config_map(data={"a": "1"}), config_map(data={"b": "2"})
    files = {
        "kustomization.yaml": "resources: [base.yaml]\npatches: [{path: patch.yaml}]\n",
        "base.yaml": json.dumps(job()),
        "patch.yaml": "\n---\n".join(map(json.dumps, (first, job(), other))),
    }
    done = validate("--select", "JW280", "-o", "json", ".", files=files)
    assert "JW280" not in done.out


def test_a_file_without_a_job_is_not_compared(validate: Validate) -> None:
    first, other = config_map(data={"a": "1"}), config_map(data={"b": "2"})
    assert fields_in_file(validate, first, other) == [[], []]


def test_an_object_that_overwrites_another_can_be_ignored(validate: Validate) -> None:
    text = (
        'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {a: "1"}\n---\n'
        f"{json.dumps(job())}\n---\n"
        "kind: ConfigMap\napiVersion: v1\n"
        "metadata: {name: a}  # jobsworth: ignore[JW280] the second is meant\n"
    )
    done = validate("--select", "JW280,JW900", "-o", "json", "a.yaml", files={"a.yaml": text})
    assert [each["findings"] for each in done.loaded["results"]] == [[], [], []]


def test_objects_without_a_name_are_not_the_same() -> None:
    generated = {**job(), "metadata": {"generateName": "a-"}}
    assert reported_in_file(generated, {**generated, "spec": job(parallelism=2)["spec"]}) == []
