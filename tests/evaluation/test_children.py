"""Findings about what operators create, at the fields of the object that has the template."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject

CONTAINER = {"name": "work", "image": "registry.example/work:1"}
SERVER = ApiServer("1.36")


def evaluated(api_version: str, kind: str, **parts: Any) -> Evaluation:
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "night"}, **parts}
    subject = Subject(value, written=lambda field: None)
    return Evaluator(SERVER).evaluate(subject)


def scaled(spec: dict[str, Any]) -> Evaluation:
    return evaluated("keda.sh/v1alpha1", "ScaledJob", spec={"jobTargetRef": spec})


def pod(**parts: Any) -> dict[str, Any]:
    return {"template": {"spec": {"containers": [CONTAINER], **parts}}}


def test_a_rejected_job_is_an_error_of_its_parent_in_the_words_of_the_server() -> None:
    container = {**CONTAINER, "volumeMounts": [{"name": "cache", "mountPath": "/c"}]}
    evaluation = scaled({"template": {"spec": {"containers": [container]}}})
    (finding,) = [each for each in evaluation.findings if each.severity == "error"]
    assert finding.source == "child"
    assert finding.field == ("spec.jobTargetRef.template.spec.containers[0].volumeMounts[0].name")
    assert finding.message == 'The API server rejects the Job that KEDA creates: Not found: "cache"'


def test_an_unknown_field_is_one_of_the_parent() -> None:
    evaluation = scaled({**pod(), "backofLimit": 3})
    (finding,) = [each for each in evaluation.findings if each.severity == "error"]
    assert finding.message == 'unknown field "spec.jobTargetRef.backofLimit"'
    assert finding.hint == 'did you mean "backoffLimit"?'
    assert finding.fix is not None
    assert finding.fix.edits[0].field == "spec.jobTargetRef.backofLimit"


def test_further_errors_are_reported_behind_those_of_decoding() -> None:
    spec = {**pod(restartPolicy="Sometimes"), "backofLimit": 3}
    evaluation = scaled(spec)
    fields = {each.field for each in evaluation.further if each.severity == "error"}
    assert fields == {"spec.jobTargetRef.template.spec.restartPolicy"}


def test_defaults_of_the_operator_are_no_errors() -> None:
    assert not [each for each in scaled(pod()).findings if each.severity == "error"]
    submitter = evaluated("ray.io/v1", "RayJob", spec={"submitterPodTemplate": pod()["template"]})
    (finding,) = [each for each in submitter.findings if each.severity == "error"]
    assert finding.field == "spec.submitterPodTemplate.spec.restartPolicy"
    assert "Required value" in finding.message


def test_rules_about_a_job_are_not_reported_for_pods_without_one() -> None:
    template = {"spec": {"restartPolicy": "Always", "containers": [CONTAINER]}}
    of_pods = evaluated(
        "batch.volcano.sh/v1alpha1", "Job", spec={"tasks": [{"template": template}]}
    )
    codes = {finding.code for finding in of_pods.findings}
    assert "JW502" in codes
    assert not any(code.startswith("JW2") for code in codes)


def errors_of(evaluation: Evaluation) -> list[tuple[str, str]]:
    return [(each.field, each.message) for each in evaluation.findings if each.severity == "error"]


REJECTED_PODS = "The API server rejects the Pods that KubeRay creates: "


def test_what_the_server_rejects_in_pods_only_is_an_error_of_those_that_no_job_creates() -> None:
    container = {**CONTAINER, "image": "tool:1 ", "imagePullPolicy": "Often"}
    head = {"template": {"spec": {"containers": [container], "ephemeralContainers": [CONTAINER]}}}
    found = dict(errors_of(evaluated("ray.io/v1", "RayCluster", spec={"headGroupSpec": head})))
    pod = "spec.headGroupSpec.template.spec"
    assert found[f"{pod}.containers[0].image"] == (
        f'{REJECTED_PODS}Invalid value: "tool:1 ": must not have leading or trailing whitespace'
    )
    assert (
        found[f"{pod}.ephemeralContainers"] == f"{REJECTED_PODS}Forbidden: cannot be set on create"
    )
    assert f"{pod}.containers[0].imagePullPolicy" in found


def test_labels_of_pods_that_no_job_creates_are_in_their_metadata() -> None:
    template = {"metadata": {"labels": {"a": "b c"}}, "spec": {"containers": [CONTAINER]}}
    found = evaluated("ray.io/v1", "RayCluster", spec={"headGroupSpec": {"template": template}})
    ((field, _),) = errors_of(found)
    assert field == "spec.headGroupSpec.template.metadata.labels"


@pytest.mark.parametrize(
    ("api_version", "kind", "parts", "owner"),
    [
        (
            "leaderworkerset.x-k8s.io/v1",
            "LeaderWorkerSet",
            lambda template: {"spec": {"leaderWorkerTemplate": {"workerTemplate": template}}},
            "StatefulSet",
        ),
        ("v1", "PodTemplate", lambda template: {"template": template}, "PodTemplate"),
    ],
)
def test_pods_that_are_rejected_although_their_owner_is_accepted_are_said_to_be_of_it(
    api_version: str, kind: str, parts: Any, owner: str
) -> None:
    template = {"spec": {"containers": [{**CONTAINER, "image": "tool:1 "}]}}
    evaluation = evaluated(api_version, kind, **parts(template))
    (finding,) = [each for each in evaluation.findings if each.code == "JW024"]
    assert finding.message.startswith(f"The API server accepts the {owner} but rejects its Pods: ")


def test_the_name_of_a_scaled_job_is_a_label_of_its_jobs() -> None:
    value = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledJob",
        "metadata": {"name": "x" * 64},
        "spec": {"jobTargetRef": pod()},
    }
    ((field, message),) = errors_of(Evaluator(SERVER).evaluate(Subject(value)))
    assert field == "metadata.name"
    assert "must be no more than 63 bytes" in message


def test_metadata_that_a_definition_does_not_keep_is_an_unknown_field_with_a_fix() -> None:
    template = {"metadata": {"creationTimestamp": None}, "spec": {"containers": [CONTAINER]}}
    evaluation = scaled({"template": template})
    (finding,) = [each for each in evaluation.findings if each.severity == "error"]
    path = "spec.jobTargetRef.template.metadata.creationTimestamp"
    assert finding.message == f'unknown field "{path}"'
    assert finding.fix is not None
    assert finding.fix.edits[0].field == path


def test_what_only_the_definition_of_the_kind_requires_is_an_error_of_the_object() -> None:
    probe = {"httpGet": {"port": 80, "httpHeaders": [{"name": "a"}]}}
    variables = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    container = {**CONTAINER, "livenessProbe": probe, "env": variables}
    evaluation = scaled({"template": {"spec": {"containers": [container]}}})
    path = "spec.jobTargetRef.template.spec.containers[0]"
    assert errors_of(evaluation) == [
        (f"{path}.livenessProbe.httpGet.httpHeaders[0].value", "Required value"),
        (f"{path}.env[1]", 'Duplicate value: {"name":"A"}'),
    ]
    assert {each.source for each in evaluation.findings if each.severity == "error"} == {"api"}


def test_what_a_job_must_not_have_either_is_reported_once() -> None:
    evaluation = scaled({"template": {"spec": {"containers": [CONTAINER, CONTAINER]}}})
    ((field, _),) = errors_of(evaluation)
    assert field == "spec.jobTargetRef.template.spec.containers[1].name"


def test_labels_of_a_template_are_not_those_of_the_object_or_of_a_job() -> None:
    template = {"metadata": {"labels": {"job-name": "a b"}}, "spec": {"containers": [CONTAINER]}}
    ((field, message),) = errors_of(evaluated("v1", "PodTemplate", template=template))
    assert field == "template.labels"
    assert "a valid label must be" in message


def test_the_ttl_of_a_job_that_the_operator_deletes_is_no_finding() -> None:
    assert "JW204" not in {finding.code for finding in scaled(pod()).findings}


def test_patterns_for_several_roles_report_each_role() -> None:
    template = {"spec": {"containers": [{**CONTAINER, "imagePullPolicy": "Often"}]}}
    replicas = {"Master": {"template": template}, "Worker": {"template": template}}
    evaluation = evaluated("kubeflow.org/v1", "PyTorchJob", spec={"pytorchReplicaSpecs": replicas})
    assert [each.field for each in evaluation.findings if each.severity == "error"] == [
        f"spec.pytorchReplicaSpecs.{role}.template.spec.containers[0].imagePullPolicy"
        for role in replicas
    ]


def test_a_template_that_the_operator_completes_has_no_verdict() -> None:
    spec = {"driver": {"template": {"spec": {"containers": [{"name": "spark"}]}}}}
    evaluation = evaluated("sparkoperator.k8s.io/v1beta2", "SparkApplication", spec=spec)
    assert evaluation.known
    assert not [each for each in evaluation.findings if each.severity == "error"]


def test_a_pod_template_is_validated_by_the_server_itself() -> None:
    template = {"spec": {"containers": [{**CONTAINER, "imag": "x"}]}}
    evaluation = evaluated("v1", "PodTemplate", template=template)
    (finding,) = [each for each in evaluation.findings if each.severity == "error"]
    assert (finding.source, finding.field) == ("api", "template.spec.containers[0].imag")


def test_an_object_inside_another_is_evaluated_as_itself() -> None:
    inner = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledJob",
        "metadata": {"name": "x"},
        "spec": {"jobTargetRef": pod(restartPolicy="Sometimes")},
    }
    evaluation = evaluated(
        "work.karmada.io/v1alpha1", "Work", spec={"workload": {"manifests": [inner]}}
    )
    fields = {each.field for each in evaluation.findings if each.severity == "error"}
    assert fields == {"spec.workload.manifests[0].spec.jobTargetRef.template.spec.restartPolicy"}


@pytest.mark.parametrize(
    ("api_version", "kind", "parts", "words"),
    [
        ("argoproj.io/v1alpha1", "Workflow", {}, "its templates hold single containers"),
        (
            "example.com/v1",
            "Fleet",
            {"spec": {"pods": pod()["template"]}},
            "contains a Pod template (spec.pods)",
        ),
    ],
)
def test_what_is_not_validated_says_so(
    api_version: str, kind: str, parts: dict[str, Any], words: str
) -> None:
    evaluation = evaluated(api_version, kind, **parts)
    (finding,) = evaluation.findings
    assert (finding.code, evaluation.known) == ("JW095", False)
    assert words in finding.message


def test_servers_of_kubernetes_are_no_jobs() -> None:
    evaluation = evaluated("apps/v1", "Deployment", spec=pod())
    assert (evaluation.known, evaluation.findings) == (False, [])
