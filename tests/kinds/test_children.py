"""What operators create from the templates in objects of other kinds."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.kinds.children import children_of
from jobsworth.kinds.kind_table import POD, SHIPPED

CONTAINERS = [{"name": "work", "image": "registry.example/work:1"}]
TEMPLATE = {"spec": {"containers": CONTAINERS}}


def of(api_version: str, kind: str, spec: dict[str, Any], **parts: Any) -> list[Any]:
    value = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "night", "namespace": "team"},
        "spec": spec,
        **parts,
    }
    return children_of(value, SHIPPED)


def test_a_scaled_job_creates_jobs_that_are_restarted_on_failure() -> None:
    (child,) = of("keda.sh/v1alpha1", "ScaledJob", {"jobTargetRef": {"template": TEMPLATE}})
    assert child.value["metadata"] == {
        "name": "night-xxxxx",
        "namespace": "team",
        "labels": {
            "app.kubernetes.io/name": "night",
            "app.kubernetes.io/part-of": "night",
            "scaledjob.keda.sh/name": "night",
        },
    }
    assert child.value["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"
    assert child.origin(f"{POD}.containers[0]") == "spec.jobTargetRef.template.spec.containers[0]"
    assert child.origin("metadata.name") == "metadata.name"
    assert child.origin(f"{POD}.restartPolicy") == "spec.jobTargetRef"
    assert child.what == "the Job that KEDA creates"


def test_the_template_of_the_parent_stays_as_it_is() -> None:
    of("keda.sh/v1alpha1", "ScaledJob", {"jobTargetRef": {"template": TEMPLATE}})
    assert TEMPLATE == {"spec": {"containers": CONTAINERS}}


def test_a_submitter_of_a_ray_job_is_a_job_without_a_default_for_the_restart_policy() -> None:
    spec = {"submitterPodTemplate": TEMPLATE, "submitterConfig": {"backoffLimit": 5}}
    (child,) = of("ray.io/v1", "RayJob", spec)
    assert child.value["spec"]["backoffLimit"] == 5
    assert child.origin("spec.backoffLimit") == "spec.submitterConfig.backoffLimit"
    assert "restartPolicy" not in child.value["spec"]["template"]["spec"]
    assert child.origin(f"{POD}.restartPolicy") == "spec.submitterPodTemplate.spec.restartPolicy"


def test_the_retries_of_a_submitter_have_a_default() -> None:
    (child,) = of("ray.io/v1", "RayJob", {"submitterPodTemplate": TEMPLATE})
    assert child.value["spec"]["backoffLimit"] == 2


def test_a_launcher_takes_its_restart_policy_and_limits_from_the_parent() -> None:
    spec = {
        "runPolicy": {"activeDeadlineSeconds": 60},
        "mpiReplicaSpecs": {"Launcher": {"restartPolicy": "Never", "template": TEMPLATE}},
    }
    (child,) = of("kubeflow.org/v2beta1", "MPIJob", spec)
    assert child.value["metadata"]["name"] == "night-launcher"
    assert child.value["spec"]["activeDeadlineSeconds"] == 60
    assert child.value["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert child.origin(f"{POD}.restartPolicy") == "spec.mpiReplicaSpecs.Launcher.restartPolicy"
    assert child.origin("spec.activeDeadlineSeconds") == "spec.runPolicy.activeDeadlineSeconds"


def test_pods_without_a_job_may_have_any_restart_policy() -> None:
    pods = {"spec": {"containers": CONTAINERS, "restartPolicy": "Always"}}
    (child,) = of("batch.volcano.sh/v1alpha1", "Job", {"tasks": [{"template": pods}]})
    assert child.is_pod
    assert child.errors == ()
    assert child.origin("spec.backoffLimit") is None


def test_the_pods_of_a_stateful_set_are_always_restarted() -> None:
    pods = {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}
    spec = {"leaderWorkerTemplate": {"workerTemplate": pods}}
    (child,) = of("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec)
    (error,) = child.errors
    assert error.message == 'Unsupported value: "Never": supported values: "Always"'


def test_a_stateful_set_may_have_no_deadline_for_its_pods() -> None:
    pods = {"spec": {"containers": CONTAINERS, "activeDeadlineSeconds": 60}}
    spec = {"leaderWorkerTemplate": {"workerTemplate": pods}}
    (child,) = of("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec)
    (error,) = child.errors
    assert error.field == f"{POD}.activeDeadlineSeconds"


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("Alway", 'Unsupported value: "Alway": supported values: "Always", "OnFailure", "Never"'),
        ("ExitCode", None),
        ("Always", None),
        (None, None),
    ],
)
def test_pods_of_the_training_operator_have_the_restart_policy_of_their_role(
    policy: str | None, message: str | None
) -> None:
    pods = {"spec": {"containers": CONTAINERS, "restartPolicy": "Sometimes"}}
    role = {"template": pods, **({} if policy is None else {"restartPolicy": policy})}
    (child,) = of("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": {"Master": role}})
    assert [error.message for error in child.errors] == ([] if message is None else [message])
    assert child.origin(f"{POD}.restartPolicy") == "spec.pytorchReplicaSpecs.Master.restartPolicy"


@pytest.mark.parametrize(("policy", "judged"), [("Never", "Never"), ("Always", "OnFailure")])
def test_containers_are_judged_by_the_restart_policy_of_their_pod(policy: str, judged: str) -> None:
    pods = {"spec": {"containers": CONTAINERS, "restartPolicy": policy}}
    (child,) = of("ray.io/v1", "RayCluster", {"headGroupSpec": {"template": pods}})
    assert child.value["spec"]["template"]["spec"]["restartPolicy"] == judged


def test_a_launcher_never_takes_the_restart_policy_of_its_template() -> None:
    pods = {"spec": {"containers": CONTAINERS, "restartPolicy": "Always"}}
    (child,) = of(
        "kubeflow.org/v2beta1", "MPIJob", {"mpiReplicaSpecs": {"Launcher": {"template": pods}}}
    )
    assert child.value["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"


def test_an_empty_template_is_judged() -> None:
    (child,) = of("v1", "PodTemplate", {}, template={})
    assert child.value["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"


def test_metadata_that_the_definition_does_not_keep_is_unknown() -> None:
    pods = {**TEMPLATE, "metadata": {"labels": {"a": "b"}, "creationTimestamp": None}}
    (child,) = of("keda.sh/v1alpha1", "ScaledJob", {"jobTargetRef": {"template": pods}})
    assert child.unknown == ("spec.template.metadata.creationTimestamp",)
    (child,) = of("v1", "PodTemplate", {}, template=pods)
    assert child.unknown == ()


def test_a_restart_policy_that_the_operator_overwrites_is_no_error() -> None:
    pods = {"spec": {"containers": CONTAINERS, "restartPolicy": "Sometimes"}}
    spec = {"pytorchReplicaSpecs": {"Master": {"template": pods}, "Worker": {"template": pods}}}
    children = of("kubeflow.org/v1", "PyTorchJob", spec)
    assert [child.errors for child in children] == [(), ()]


def test_parameters_of_a_template_have_their_values() -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "spec": {"parallelism": "${{P}}"}}
    (child,) = children_of(
        {
            "apiVersion": "template.openshift.io/v1",
            "kind": "Template",
            "objects": [job],
            "parameters": [{"name": "P", "value": "4"}],
        },
        SHIPPED,
    )
    assert child.value["spec"]["parallelism"] == 4
    assert child.origin("spec.parallelism") == "objects[0].spec.parallelism"


def test_what_is_no_map_has_no_children() -> None:
    assert of("keda.sh/v1alpha1", "ScaledJob", {"jobTargetRef": []}) == []
    assert of("ray.io/v1", "RayCluster", {"workerGroupSpecs": {"template": {}}}) == []


CLAIMED = {
    "spec": {
        "containers": [
            {**CONTAINERS[0], "volumeMounts": [{"name": "models", "mountPath": "/models"}]}
        ]
    }
}


def test_claim_templates_become_volumes_of_the_pods_that_mount_them() -> None:
    spec = {
        "leaderWorkerTemplate": {
            "workerTemplate": CLAIMED,
            "volumeClaimTemplates": [
                {"metadata": {"name": "models"}},
                {"metadata": {"name": "not-mounted"}},
            ],
        }
    }
    (child,) = of("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec)
    volumes = child.value["spec"]["template"]["spec"]["volumes"]
    assert [volume["name"] for volume in volumes] == ["models"]
    assert child.origin(f"{POD}.volumes[0].name") is None
    assert "volumes" not in CLAIMED["spec"]


def test_a_volume_that_the_operator_adds_need_not_be_in_the_template() -> None:
    mount = {"name": "ray-token", "mountPath": "/token"}
    template = {"spec": {"containers": [{**CONTAINERS[0], "volumeMounts": [mount]}]}}
    (child,) = of("ray.io/v1", "RayCluster", {"headGroupSpec": {"template": template}})
    assert child.value["spec"]["template"]["spec"]["volumes"][0]["name"] == "ray-token"


def test_a_job_set_of_a_runtime_does_not_have_the_name_of_the_runtime() -> None:
    job_set = {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": TEMPLATE}}}]}
    (child,) = of(
        "trainer.kubeflow.org/v1alpha1",
        "ClusterTrainingRuntime",
        {"template": {"spec": job_set}},
        metadata={"name": "torch-2.5"},
    )
    assert child.value["metadata"] == {"name": "trainjob"}
