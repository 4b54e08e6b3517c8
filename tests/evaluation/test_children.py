"""Findings about what operators create, at the fields of the object that has the template."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import edited
from jobsworth.findings.fix import Edit, Fix
from jobsworth.kinds.kind_table import EmbeddedTemplate, KindTable
from support.lint.linted_jobs import job

CONTAINER = {"name": "work", "image": "registry.example/work:1"}
SERVER = ApiServer("1.36")
SPARK = {"spec": {"schedule": "@daily", "template": {"driver": {}, "executor": {}}}}


def evaluated(api_version: str, kind: str, **parts: Any) -> Evaluation:
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "night"}, **parts}
    subject = Subject(value, written=lambda field: None)
    return Evaluator(SERVER).evaluate(subject)


def scaled(spec: dict[str, Any]) -> Evaluation:
    return evaluated("keda.sh/v1alpha1", "ScaledJob", spec={"jobTargetRef": spec, "triggers": []})


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


def test_the_spec_of_the_job_has_the_name_that_it_has_in_the_parent() -> None:
    (finding,) = [each for each in scaled(pod(backoffLimit=2)).findings if each.severity == "error"]
    assert finding.hint == "this field belongs in spec.jobTargetRef"
    assert finding.fix is not None
    assert finding.fix.title == "Move it to spec.jobTargetRef"


def test_a_job_in_the_place_of_its_spec_is_moved_up() -> None:
    evaluation = scaled({"apiVersion": "batch/v1", "kind": "Job", "spec": pod()})
    hints = {each.field.rpartition(".")[2]: each.hint for each in evaluation.findings}
    assert hints["spec"] == "move its content up into spec.jobTargetRef"
    assert hints["kind"] == "this is a field of the top level; delete it here"
    fixes = [each.fix for each in evaluation.findings if each.fix is not None]
    assert len(fixes) == 3
    value = edited(evaluation.value, *(edit for fix in fixes for edit in fix.edits))
    assert value["spec"]["jobTargetRef"] == pod()
    assert [each for each in evaluation.further if each.severity == "error"] == []


def test_further_errors_are_reported_behind_those_of_decoding() -> None:
    spec = {**pod(restartPolicy="Sometimes"), "backofLimit": 3}
    evaluation = scaled(spec)
    fields = {each.field for each in evaluation.further if each.severity == "error"}
    assert fields == {"spec.jobTargetRef.template.spec.restartPolicy"}


@pytest.mark.parametrize(
    ("written", "wanted", "safe"),
    [("Onfailure", "OnFailure", True), ("nevr", "Never", False), ("Sometimes", None, False)],
)
def test_a_misspelled_policy_of_a_replica_has_a_fix(
    written: str, wanted: str | None, safe: bool
) -> None:
    containers = [{**CONTAINER, "name": "pytorch"}]
    worker = {"restartPolicy": written, "template": pod(containers=containers)["template"]}
    spec = {"pytorchReplicaSpecs": {"Worker": worker}}
    evaluation = evaluated("kubeflow.org/v1", "PyTorchJob", spec=spec)
    (finding,) = [each for each in evaluation.findings if each.severity == "error"]
    path = "spec.pytorchReplicaSpecs.Worker.restartPolicy"
    assert finding.field == path
    if wanted is None:
        assert finding.fix is None
    else:
        assert finding.fix == Fix(f"Set {wanted}", Edit("set", path, wanted), safe=safe)


def test_a_misspelled_value_has_its_fix_beside_a_decoding_error() -> None:
    evaluation = scaled({**pod(restartPolicy="onfailure"), "unknown": 3})
    fixes = {each.fix.title for each in evaluation.further if each.fix is not None}
    assert fixes == {"Set restartPolicy: OnFailure"}


def test_defaults_of_the_operator_are_no_errors() -> None:
    assert not [each for each in scaled(pod()).findings if each.severity == "error"]
    submitter = evaluated(
        "ray.io/v1",
        "RayJob",
        spec={
            "clusterSelector": {"ray.io/cluster": "a"},
            "submitterPodTemplate": pod()["template"],
        },
    )
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
        "spec": {"jobTargetRef": pod(), "triggers": []},
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
    container = {**CONTAINER, "name": "pytorch", "imagePullPolicy": "Often"}
    template = {"spec": {"containers": [container]}}
    replicas = {"Master": {"replicas": 1, "template": template}, "Worker": {"template": template}}
    evaluation = evaluated("kubeflow.org/v1", "PyTorchJob", spec={"pytorchReplicaSpecs": replicas})
    assert [each.field for each in evaluation.findings if each.severity == "error"] == [
        f"spec.pytorchReplicaSpecs.{role}.template.spec.containers[0].imagePullPolicy"
        for role in replicas
    ]


def test_a_template_that_the_operator_completes_has_no_verdict() -> None:
    spec = {
        "type": "Python",
        "sparkVersion": "4.0.0",
        "driver": {"template": {"spec": {"containers": [{"name": "spark"}]}}},
        "executor": {},
    }
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
        "spec": {"jobTargetRef": pod(restartPolicy="Sometimes"), "triggers": []},
    }
    evaluation = evaluated(
        "work.karmada.io/v1alpha1", "Work", spec={"workload": {"manifests": [inner]}}
    )
    fields = {each.field for each in evaluation.findings if each.severity == "error"}
    assert fields == {"spec.workload.manifests[0].spec.jobTargetRef.template.spec.restartPolicy"}


@pytest.mark.parametrize(
    ("schedules", "field"),
    [
        ({"schedule": "0 25 * * *"}, "spec.schedule"),
        ({"schedules": ["@daily", "0 25 * * *"]}, "spec.schedules[1]"),
        ({"schedules": ["TZ=Europe/Berlin 0 2 * * *"]}, ""),
    ],
)
def test_the_schedules_of_a_cron_workflow_are_validated(
    schedules: dict[str, Any], field: str
) -> None:
    spec = {**schedules, "workflowSpec": {"templates": []}}
    found = evaluated("argoproj.io/v1alpha1", "CronWorkflow", spec=spec).findings
    errors = [each for each in found if each.severity == "error"]
    assert [each.field for each in errors] == [field] * bool(field)
    for error in errors:
        assert error.message.startswith("Argo Workflows rejects the CronWorkflow: Invalid value:")
        assert "end of range (25) above maximum (23)" in error.message
    assert "JW095" in {each.code for each in found}


@pytest.mark.parametrize(
    ("api_version", "kind", "parts", "words"),
    [
        (
            "argoproj.io/v1alpha1",
            "Workflow",
            {},
            "containers of its templates are not Pod templates",
        ),
        (
            "argoproj.io/v1alpha1",
            "Workflow",
            {"spec": {"workflowTemplateRef": {"name": "load"}, "templates": [{"name": "a"}]}},
            "containers of its templates are not Pod templates",
        ),
        (
            "argoproj.io/v1alpha1",
            "CronWorkflow",
            {"spec": {"workflowSpec": {"workflowTemplateRef": {"name": "load"}}}},
            "it runs what spec.workflowSpec.workflowTemplateRef names",
        ),
        (
            "tekton.dev/v1",
            "Pipeline",
            {"spec": {"tasks": [{"name": "a", "taskRef": {"name": "b"}}]}},
            "it runs what spec.tasks[*].taskRef names",
        ),
        (
            "sparkoperator.k8s.io/v1beta2",
            "ScheduledSparkApplication",
            SPARK,
            "it has no spec.templ",
        ),
        (
            "kubeflow.org/v1beta2",
            "TFJob",
            {},
            "kubeflow.org/v1beta2 is not known, only kubeflow.org/v1",
        ),
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


def with_variable(name: str) -> dict[str, Any]:
    env = [{"name": "MODE", "value": "fast"}]
    return {"spec": {"containers": [{**CONTAINER, "args": [f"--to=$({name})"], "env": env}]}}


def replicas(field: str, role: str = "Worker") -> Any:
    return lambda template: {field: {role: {"replicas": 2, "template": template}}}


OPERATORS = [
    (
        "kubeflow.org/v1",
        "PyTorchJob",
        replicas("pytorchReplicaSpecs"),
        ["WORLD_SIZE", "PET_NNODES"],
    ),
    ("kubeflow.org/v1", "TFJob", replicas("tfReplicaSpecs"), ["TF_CONFIG"]),
    ("kubeflow.org/v1", "XGBoostJob", replicas("xgbReplicaSpecs"), ["WORKER_ADDRS", "RANK"]),
    (
        "kubeflow.org/v1",
        "JAXJob",
        replicas("jaxReplicaSpecs"),
        ["COORDINATOR_ADDRESS", "PROCESS_ID"],
    ),
    ("kubeflow.org/v1", "PaddleJob", replicas("paddleReplicaSpecs"), ["PADDLE_MASTER"]),
    ("kubeflow.org/v1", "MPIJob", replicas("mpiReplicaSpecs"), ["OMPI_MCA_plm_rsh_agent"]),
    ("kubeflow.org/v2beta1", "MPIJob", replicas("mpiReplicaSpecs", "Launcher"), ["K_MPI_JOB_ROLE"]),
    (
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        lambda template: {"leaderWorkerTemplate": {"workerTemplate": template}},
        ["LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "TPU_WORKER_ID"],
    ),
    (
        "batch.volcano.sh/v1alpha1",
        "Job",
        lambda template: {"tasks": [{"name": "a", "template": template}]},
        ["VC_TASK_INDEX", "VC_WORKER_HOSTS", "MASTER_ADDR"],
    ),
    (
        "ray.io/v1",
        "RayJob",
        lambda template: {"submitterPodTemplate": template},
        ["RAY_DASHBOARD_ADDRESS"],
    ),
]


@pytest.mark.parametrize(
    ("version", "kind", "spec", "names"), OPERATORS, ids=lambda each: str(each)[:20]
)
def test_a_variable_that_the_operator_sets_is_not_undefined(
    version: str, kind: str, spec: Any, names: list[str]
) -> None:
    def reported(name: str) -> bool:
        found = evaluated(version, kind, spec=spec(with_variable(name))).lint
        return "JW506" in [finding.code for finding in found]

    assert [name for name in names if reported(name)] == []
    assert reported("OUT_FOLDER")


@pytest.mark.parametrize("name", ["PET_NNODES", "FROM_A_TRAIN_JOB"])
def test_a_runtime_gets_variables_from_its_train_jobs(name: str) -> None:
    replicated = {"name": "node", "template": {"spec": {"template": with_variable(name)}}}
    runtime = {"template": {"spec": {"replicatedJobs": [replicated]}}}
    evaluation = evaluated("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", spec=runtime)
    assert "JW506" not in [finding.code for finding in evaluation.lint]


PYTORCH = {"template": {"spec": {"containers": [{**CONTAINER, "name": "pytorch"}]}}}


@pytest.mark.parametrize(
    ("api_version", "kind", "spec", "field", "words"),
    [
        (
            "keda.sh/v1alpha1", "ScaledJob", {"jobTargetref": pod(), "triggers": []},
            "spec.jobTargetref", 'unknown field "spec.jobTargetref"',
        ),
        (
            "keda.sh/v1alpha1", "ScaledJob", {"jobTargetRef": pod()}, "spec.triggers", "Required value",
        ),
        (
            "keda.sh/v1alpha1", "ScaledJob", {"scaleTargetRef": {}, "triggers": []},
            "spec.jobTargetRef", "Required value",
        ),
        (
            "kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": {"Worker": pod()}},
            "spec.pytorchReplicaSpecs.Worker.template.spec.containers", "container with name pytorch",
        ),
        (
            "kubeflow.org/v1", "PyTorchJob",
            {"pytorchReplicaSpecs": {"Master": {"replicas": 2, **PYTORCH}, "Worker": PYTORCH}},
            "spec.pytorchReplicaSpecs.Master.replicas", "must be 1",
        ),
        (
            "kubeflow.org/v1", "PyTorchJob",
            {"pytorchReplicaSpecs": {"Master": {"replicas": 1, **PYTORCH}}, "elasticPolicy": {"maxReplicas": 2}},
            "spec.pytorchReplicaSpecs.Worker", "must be configured if elastic policy is used",
        ),
        (
            "kubeflow.org/v2beta1", "MPIJob",
            {"mpiReplicaSpecs": {"Launcher": {"replicas": 2, **pod()}}},
            "spec.mpiReplicaSpecs.Launcher.replicas", "must be 1",
        ),
        ("ray.io/v1", "RayJob", {"entrypoint": "python a.py"}, "spec.rayClusterSpec", "ClusterSelector"),
        (
            "ray.io/v1", "RayJob", {"clusterSelector": {"a": "b"}, "ttlSecondsAfterFinished": 60},
            "spec.ttlSecondsAfterFinished", "shutdownAfterJobFinishes set to false",
        ),
        (
            "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
            {"leaderWorkerTemplate": {"size": 0, "workerTemplate": pod()["template"]}},
            "spec.leaderWorkerTemplate.size", "size must be equal or greater than 1",
        ),
        ("batch.volcano.sh/v1alpha1", "Job", {"tasks": [{"name": "a"}]}, "spec.tasks[0].template", "Required"),
        (
            "batch.volcano.sh/v1alpha1", "Job", {"minAvailable": 3, "tasks": [{"replicas": 2, **pod()}]},
            "spec.minAvailable", "total replicas",
        ),
        (
            "batch.volcano.sh/v1alpha1", "CronJob",
            {"schedule": "0 3 * *", "jobTemplate": {"spec": {"tasks": [pod()]}}},
            "spec.schedule", "expected exactly 5 fields",
        ),
    ],
)  # fmt: skip
def test_what_the_definition_or_the_operator_says_of_the_whole_object_is_an_error_there(
    api_version: str, kind: str, spec: dict[str, Any], field: str, words: str
) -> None:
    ((found, message),) = errors_of(evaluated(api_version, kind, spec=spec))
    assert found == field
    assert words in message


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mnist_test", "a lowercase RFC 1123 subdomain"),
        ("1night", "KubeRay rejects the RayCluster: Invalid value"),
        ("x" * 54, "should be no more than 53 characters"),
    ],
)
def test_the_name_of_an_object_is_judged_once(name: str, words: str) -> None:
    value = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name},
        "spec": {"headGroupSpec": {"template": pod()["template"]}},
    }
    ((field, message),) = errors_of(Evaluator(SERVER).evaluate(Subject(value)))
    assert field == "metadata.name"
    assert words in message


def test_labels_and_annotations_of_an_object_are_validated() -> None:
    value = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "a", "labels": {"team": "team a"}, "annotations": {"bad key!": ""}},
        "spec": {"tfReplicaSpecs": {}},
    }
    found = errors_of(Evaluator(SERVER).evaluate(Subject(value)))
    assert [field for field, _ in found] == ["metadata.labels", "metadata.annotations"]


def test_a_field_of_the_job_beside_its_place_belongs_there() -> None:
    evaluation = evaluated(
        "keda.sh/v1alpha1",
        "ScaledJob",
        spec={"jobTargetRef": pod(), "triggers": [], "backoffLimit": 2},
    )
    (finding,) = [each for each in evaluation.findings if each.severity == "error"]
    assert finding.hint == "this field belongs in spec.jobTargetRef"
    assert finding.fix is not None
    assert finding.fix.edits == (
        Edit("move", "spec.backoffLimit", "spec.jobTargetRef.backoffLimit"),
    )


def test_a_field_of_the_object_in_the_job_belongs_in_the_object() -> None:
    evaluation = scaled({**pod(), "successfulJobsHistoryLimit": 1})
    (finding,) = [each for each in evaluation.findings if each.severity == "error"]
    assert finding.hint == "this field belongs in spec"


def test_a_field_that_a_later_version_may_have_is_no_error() -> None:
    spec = {"jobTargetRef": pod(), "triggers": [], "fallback": {}}
    assert not errors_of(evaluated("keda.sh/v1alpha1", "ScaledJob", spec=spec))


def test_a_kind_of_a_configuration_has_none_of_the_rules_of_the_shipped_one() -> None:
    entry = EmbeddedTemplate(
        api_version="keda.sh/*", kind="ScaledJob", path="spec.job", type="JobSpec", operator="ours"
    )
    value = {
        "apiVersion": "keda.sh/v1",
        "kind": "ScaledJob",
        "metadata": {"name": "a"},
        "spec": {"job": pod(restartPolicy="Never")},
    }
    assert not errors_of(Evaluator(SERVER, kinds=KindTable([entry])).evaluate(Subject(value)))


def test_a_restart_policy_that_the_role_replaces_has_no_effect() -> None:
    container = {**CONTAINER, "name": "tensorflow"}
    worker = {"restartPolicy": "Never", **pod(restartPolicy="OnFailure", containers=[container])}
    evaluation = evaluated("kubeflow.org/v1", "TFJob", spec={"tfReplicaSpecs": {"Worker": worker}})
    (finding,) = [each for each in evaluation.findings if each.code == "JW805"]
    assert finding.field == "spec.tfReplicaSpecs.Worker.template.spec.restartPolicy"


@pytest.mark.parametrize("version", ["v1", "v2beta1"])
def test_volumes_that_the_operator_of_mpi_jobs_adds_are_known(version: str) -> None:
    mounts = [{"name": name, "mountPath": f"/{name}"} for name in ("mpi-job-config", "data")]
    pod_spec = {
        "containers": [CONTAINER],
        "initContainers": [{**CONTAINER, "name": "wait", "volumeMounts": mounts}],
    }
    roles = {
        "Launcher": {"template": {"spec": pod_spec}},
        "Worker": {"template": {"spec": {"containers": [CONTAINER]}}},
    }
    found = errors_of(
        evaluated(f"kubeflow.org/{version}", "MPIJob", spec={"mpiReplicaSpecs": roles})
    )
    assert [message for _, message in found if "mpi-job-config" in message] == []
    assert [field for field, message in found if '"data"' in message] != []


def test_labels_beside_the_metadata_of_a_template_are_unknown_there() -> None:
    template = {"labels": {"a": "b"}, "spec": {"containers": [CONTAINER]}}
    roles = {"Launcher": {"template": template}}
    found = errors_of(evaluated("kubeflow.org/v2beta1", "MPIJob", spec={"mpiReplicaSpecs": roles}))
    assert [field for field, _ in found if field.endswith("labels")] == [
        "spec.mpiReplicaSpecs.Launcher.template.labels"
    ]


def test_a_value_that_a_template_gets_when_it_is_processed_is_not_judged() -> None:
    policy = job({"restartPolicy": "${POLICY}"})
    unset = {"objects": [policy], "parameters": [{"name": "POLICY"}]}
    wrong = {"objects": [policy], "parameters": [{"name": "POLICY", "value": "Sometimes"}]}
    version = "template.openshift.io/v1"
    assert errors_of(evaluated(version, "Template", **unset)) == []
    assert errors_of(evaluated(version, "Template", **wrong)) != []
