"""The functions take the objects that Python programs have: mappings, models and lists."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubernetes import client

import jobsworth
from jobsworth.library.manifests import MAX_DEPTH, manifest_of
from jobsworth.testing import assert_valid

CONTAINER = client.V1Container(name="main", image="registry.example.com/train:1.4")


def model(restart_policy: str = "Never") -> client.V1Job:
    pod = client.V1PodSpec(restart_policy=restart_policy, containers=[CONTAINER])
    return client.V1Job(
        api_version="batch/v1",
        kind="Job",
        metadata=client.V1ObjectMeta(name="train", labels={"team": "vision"}),
        spec=client.V1JobSpec(
            backoff_limit=3, template=client.V1PodTemplateSpec(spec=pod), completions=0
        ),
    )


def sent(job: client.V1Job) -> dict[str, Any]:
    """Return a model as the client sends it."""
    value: dict[str, Any] = client.ApiClient().sanitize_for_serialization(job)
    return value


def test_a_model_is_what_the_client_sends() -> None:
    job = model()
    job.metadata.creation_timestamp = datetime(2027, 3, 28, 1, 30, tzinfo=UTC)
    assert manifest_of(job) == sent(job)


def test_a_model_is_validated() -> None:
    assert jobsworth.validate(model()) == jobsworth.validate(sent(model())) == []
    (finding,) = jobsworth.validate(model("Always"))
    assert finding.field == "spec.template.spec.restartPolicy"


def test_a_model_without_kind_has_that_of_its_class() -> None:
    """Such as the items of ``list_namespaced_job``, and what programs pass to ``create_namespaced_job``."""
    job = model("Always")
    job.api_version = job.kind = None
    (finding,) = jobsworth.validate(job)
    assert finding.field == "spec.template.spec.restartPolicy"
    assert manifest_of(job) == sent(model("Always"))
    schedule = client.V1CronJobSpec(
        schedule="@daily", job_template=client.V1JobTemplateSpec(spec=model().spec)
    )
    cron_job = client.V1CronJob(metadata=client.V1ObjectMeta(name="etl"), spec=schedule)
    assert jobsworth.validate(cron_job) == []
    with pytest.raises(jobsworth.UnknownKind, match="the object is a JobList: pass its items"):
        jobsworth.validate(client.V1JobList(items=[job]))
    with pytest.raises(
        jobsworth.UnknownKind, match="manifest is a V1JobSpec, a part of an object: pass the V1Job"
    ):
        jobsworth.validate(job.spec)


def test_a_read_only_mapping_is_validated_and_stays_as_it_is() -> None:
    job = sent(model("Always"))
    mapping = MappingProxyType({**job, "spec": OrderedDict(job["spec"])})
    assert jobsworth.validate(mapping) == jobsworth.validate(job)
    assert mapping["spec"] == job["spec"]


def test_of_a_list_the_result_has_an_item_for_each_object() -> None:
    jobs = [model(), model("Always")]
    first, second = jobsworth.validate(jobs)
    assert (len(first), len(second)) == (0, 1)
    assert [each["spec"]["parallelism"] for each in jobsworth.default([model()])] == [1]
    assert [each.known for each in jobsworth.evaluate([model(), {"kind": "Pod"}])] == [True, False]
    assert jobsworth.validate([]) == []


def test_findings_carry_their_fixes_and_hints() -> None:
    job = sent(model())
    job["spec"]["podFailurePolicy"] = {
        "rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42, 3]}}]
    }
    (finding,) = jobsworth.validate(job)
    assert finding.fix is not None
    assert finding.fix.title == "Sort the exit codes"
    (evaluated,) = (each for each in jobsworth.evaluate(job).findings if each.severity == "error")
    assert evaluated.fix == finding.fix
    job = sent(model())
    job["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"memory": "2GB"}}
    (finding,) = jobsworth.validate(job)
    assert "2Gi" in finding.hint


@pytest.mark.parametrize(
    ("manifest", "error", "words"),
    [
        (None, TypeError, "not NoneType"),
        ("kind: Job", TypeError, "jobsworth.validate_text"),
        (42, TypeError, "a model of the kubernetes package such as V1Job"),
        ({}, jobsworth.UnknownKind, "Set apiVersion: batch/v1 and kind: Job or CronJob"),
        ({"apiVersion": "v1", "kind": "Pod"}, jobsworth.UnknownKind, "is a Pod of v1"),
        ({"apiVersion": "v1", "kind": "List", "items": []}, jobsworth.UnknownKind, "its items"),
        ([{"apiVersion": "v1", "kind": "Pod"}], jobsworth.UnknownKind, r"manifests\[0\]: the obj"),
        ([model(), 1], TypeError, r"manifests\[1\]: manifest must be"),
        ({"metadata": {"name": object()}}, TypeError, "metadata.name: a value of type object"),
        ({"metadata": {1: "x"}}, TypeError, "metadata: the key 1 is not a str"),
        (bytearray(b"kind: Job"), TypeError, "jobsworth.validate_text"),
        (
            {"spec": {"parallelism": float("nan")}},
            TypeError,
            "spec.parallelism: nan has no form in JSON",
        ),
        (
            {"spec": {"parallelism": float("inf")}},
            TypeError,
            "spec.parallelism: inf has no form in JSON",
        ),
        (
            {"spec": {"parallelism": 10**5000}},
            TypeError,
            "spec.parallelism: an integer of more than",
        ),
        ({"spec": {"completionMode": "\ud800"}}, TypeError, "spec.completionMode: a surrogate"),
        ({"spec": {"\udfff": 1}}, TypeError, r"spec: the key '\\udfff': a surrogate"),
        (
            {"apiVersion": "batch/v1", "kind": "\x1b[31m"},
            jobsworth.UnknownKind,
            r"a \\x1b\[31m of batch",
        ),
    ],
)
def test_what_is_no_manifest_has_a_clear_error(
    manifest: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        jobsworth.validate(manifest)


FUNCTIONS = (
    jobsworth.validate,
    jobsworth.default,
    jobsworth.evaluate,
    jobsworth.explain,
    jobsworth.simulate,
)


@pytest.mark.parametrize("value", [float("nan"), "\ud800", [10**5000], b"3", object()])
def test_a_value_without_a_form_in_json_is_named_by_every_function(value: Any) -> None:
    job = sent(model())
    job["spec"]["parallelism"] = value
    for function in (*FUNCTIONS, assert_valid):
        with pytest.raises(TypeError, match=r"^spec\.parallelism(\[0\])?: "):
            function(job)


def test_an_integral_float_is_rejected_by_every_function() -> None:
    """The client sends 3.0, which no server decodes as an integer, although YAML's 3.0 is one."""
    job = {**sent(model()), "spec": {**sent(model())["spec"], "parallelism": 3.0}}
    (finding,) = jobsworth.validate(job)
    assert finding.field == "spec.parallelism"
    for function in (jobsworth.explain, jobsworth.simulate):
        with pytest.raises(jobsworth.InputError, match="the API server rejects the object"):
            function(job)
    for value in (job, [{}, job]):
        with pytest.raises(
            AssertionError, match=r"spec\.parallelism \[JW002\]\n *Invalid value: 3\.0: "
        ):
            assert_valid(value)


def test_a_path_in_place_of_an_object_or_a_text_is_answered_with_advice() -> None:
    path: Any = Path("job.yaml")
    with pytest.raises(TypeError, match="read the file, and decode its text"):
        jobsworth.validate(path)
    with pytest.raises(TypeError, match=r"pass path\.read_text\(\)"):
        jobsworth.validate_text(path)


@pytest.mark.parametrize("function", [jobsworth.validate, jobsworth.evaluate])
def test_the_stored_object_is_checked_by_its_own_name(function: Any) -> None:
    job = sent(model())
    cron_job = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "train"}}
    with pytest.raises(
        TypeError, match=r"^old must be a mapping.*, not str: decode the text first"
    ):
        function(job, old="kind: Job")
    with pytest.raises(TypeError, match=r"^old.spec: a value of type object"):
        function(job, old={"spec": object()})
    for stored, words in ((cron_job, "a CronJob of batch/v1"), ({}, "no apiVersion and kind")):
        with pytest.raises(jobsworth.UnknownKind, match=f"^old: the object .*{words}"):
            function(job, old=stored)
    with pytest.raises(TypeError, match=r"^old is the stored object of one manifest"):
        function([job], old=job)


def test_a_function_that_takes_no_list_does_not_ask_for_one() -> None:
    for function in (jobsworth.explain, jobsworth.simulate):
        with pytest.raises(TypeError, match=r"such as V1Job, not list$"):
            function([model()])


@pytest.mark.parametrize("function", [jobsworth.explain, jobsworth.simulate])
def test_what_has_no_job_is_named_with_what_to_pass(function: Any) -> None:
    with pytest.raises(
        (jobsworth.UnknownKind, jobsworth.InputError), match=r"is a Pod of v1. Pass a Job"
    ):
        function({"apiVersion": "v1", "kind": "Pod"})
    with pytest.raises(
        (jobsworth.UnknownKind, jobsworth.InputError), match=r"no apiVersion and kind. Pass"
    ):
        function({})


@pytest.mark.parametrize("function", [jobsworth.explain, jobsworth.simulate])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_of_a_list_one_item_is_asked_for(function: Any, count: int) -> None:
    for version, kind in (("v1", "List"), ("batch/v1", "JobList")):
        with pytest.raises(jobsworth.UnknownKind, match=f"a {kind} of {version}: pass one of its"):
            function({"apiVersion": version, "kind": kind, "items": [sent(model())] * count})


def test_no_function_changes_its_arguments() -> None:
    job = sent(model())
    before = deepcopy(job)
    for function in (*FUNCTIONS, assert_valid):
        function(job)
    jobsworth.validate(job, old=job)
    assert job == before


def test_many_threads_get_the_results_of_one() -> None:
    def findings(release: str) -> list[Any]:
        return jobsworth.validate(model("Always"), kubernetes_version=release)

    expected = list(map(findings, jobsworth.RELEASES))
    with ThreadPoolExecutor(16) as threads:
        for found in threads.map(lambda _: list(map(findings, jobsworth.RELEASES)), range(16)):
            assert found == expected


def test_the_snake_case_of_to_dict_has_the_sentence_that_helps() -> None:
    for function in (jobsworth.validate, jobsworth.evaluate, jobsworth.default, jobsworth.explain):
        with pytest.raises(jobsworth.UnknownKind, match="Pass the V1Job itself"):
            function(model().to_dict())


def test_a_mapping_that_contains_itself_has_a_clear_error() -> None:
    job: dict[str, Any] = {}
    job["spec"] = job
    with pytest.raises(TypeError, match=f"more than {MAX_DEPTH} levels"):
        jobsworth.validate(job)


class Policy(Enum):
    NEVER = "Never"


def test_values_of_other_types_are_converted_as_the_client_does() -> None:
    assert manifest_of({"a": (1, 2), "b": Policy.NEVER, "c": True, "d": None}) == {
        "a": [1, 2], "b": "Never", "c": True, "d": None,
    }  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text().filter(lambda key: key != "api_version"), JSON, max_size=4))
def test_a_value_of_json_is_its_own_manifest(value: dict[str, Any]) -> None:
    assert manifest_of(value) == value
