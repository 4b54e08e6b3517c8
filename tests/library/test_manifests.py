"""The functions take the objects that Python programs have: mappings, models and lists."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from enum import Enum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubernetes import client

import jobsworth
from jobsworth.library.manifests import MAX_DEPTH, manifest_of

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
    with pytest.raises(jobsworth.UnknownKind, match="has no apiVersion and kind"):
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
    ],
)
def test_what_is_no_manifest_has_a_clear_error(
    manifest: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        jobsworth.validate(manifest)


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
