"""The kinds of other API groups that contain Jobs or Pod templates, as data.

An entry says where a template stands, its type, and the kind that owns the Pods, whose rules for the restart
policy apply. It also lists what the operator reads from elsewhere, sets by default, and overwrites. Each row
was read from the CRD and the source of the operator in the version that :data:`VERSIONS` names.

>>> [entry.path for entry in SHIPPED.templates_of("ray.io/v1", "RayJob")][-1]
'spec.submitterPodTemplate'
>>> SHIPPED.templates_of("batch.volcano.sh/v1alpha1", "Job")[0].owner, SHIPPED.templates_of("batch/v1", "Job")
('Pod', ())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal

    TemplateType = Literal["Object", "JobTemplateSpec", "JobSpec", "JobSetSpec", "PodTemplateSpec"]
    Owner = Literal["Job", "StatefulSet", "Pod"]

TYPES: tuple[TemplateType, ...] = (
    "Object",
    "JobTemplateSpec",
    "JobSpec",
    "JobSetSpec",
    "PodTemplateSpec",
)
"""The types of templates: a whole object, the parts of a Job, the spec of a JobSet, a Pod template."""
OWNERS: tuple[Owner, ...] = ("Job", "StatefulSet", "Pod")
"""The owners of Pods: a Job restarts them on failure or never, a StatefulSet always; a Pod that is created by
the operator itself may have any restart policy."""

VERSIONS = {
    "jobset.x-k8s.io": "JobSet 0.12.0",
    "keda.sh": "KEDA 2.21.0",
    "kubeflow.org": "Training Operator 1.9.0, MPI Operator 0.7.0",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet 0.9.0",
    "ray.io": "KubeRay 1.6.2",
    "sparkoperator.k8s.io": "Spark Operator 2.4.0",
    "trainer.kubeflow.org": "Kubeflow Trainer 2.2.1",
    "batch.volcano.sh": "Volcano 1.13.0",
}
"""The version of each operator whose CRDs and source were read, by API group."""

POD = "spec.template.spec"
"""The field path of the Pod in a Job."""


METADATA = ("annotations", "finalizers", "labels", "name", "namespace")
"""The fields of a template's metadata in a CRD that controller-gen made: it leaves out the others."""


class EmbeddedTemplate(Record, kw_only=True):
    """A template in objects of one kind.

    Attributes:
        api_version: the apiVersion of the kind; ``*`` stands for every version of the group.
        kind: its name.
        path: the field path of the template; ``[*]`` stands for every item of a list, ``.{*}`` for every key
            of a map.
        type: the type of the template.
        owner: the kind that owns the Pods.
        operator: the program that creates objects from it, for messages; empty for the API server itself.
        copies: the fields of the Job that the operator copies, with their source, whatever the template has.
            A source that begins with a dot is a sibling of the template.
        translates: the texts that the operator replaces in what it copies.
        labels: the labels of the Job whose value is the name of the object.
        defaults: the fields of the Job that the operator sets if they are not set.
        overwrites: the fields of the Job that the operator overwrites or deletes; nothing is reported there.
        job_name: the name of the Job; ``{name}`` is that of the object. It ends in ``-`` for a generateName.
        ignores: the lint rules that the operator makes pointless.
        of_controller_gen: controller-gen made the CRD from the Go types of the template: it has no field of a
            template's metadata but :data:`METADATA`, and requires more than the API server does of a Job.
        is_patch: the operator completes the template, which has no verdict: lint rules only.
    """

    api_version: str
    kind: str
    path: str
    type: TemplateType
    owner: Owner = "Job"
    operator: str = ""
    copies: Mapping[str, str] = {}
    translates: Mapping[str, str] = {}
    labels: tuple[str, ...] = ()
    defaults: Mapping[str, object] = {}
    overwrites: tuple[str, ...] = ()
    job_name: str = "{name}"
    ignores: tuple[str, ...] = ()
    of_controller_gen: bool = False
    is_patch: bool = False


class UnvalidatedKind(Record, kw_only=True):
    """A kind without a template that can be validated.

    Attributes:
        api_version, kind: as in :class:`EmbeddedTemplate`.
        reason: a clause about the reason.
        manifests: the field paths of texts that are whole manifests.
    """

    api_version: str
    kind: str
    reason: str
    manifests: tuple[str, ...] = ()


LIFETIME = ("JW201", "JW204", "JW205", "JW228")
"""Rules on deadlines and TTLs of Jobs whose operator deletes them."""


OF_JOB_SETS = ("JW204", "JW205", "JW228")
"""Rules on TTLs, which belong to the JobSet and not to its Jobs: see JW801."""
ONCE_IN_JOB_SETS = ("JW201", "JW206")
"""Rules on what holds for all Jobs of a JobSet: its defaults."""


def _pods(api_version: str, kind: str, *paths: str, **parts: object) -> Iterator[EmbeddedTemplate]:
    for path in paths:
        values: dict[str, object] = {"owner": "Pod", **parts}
        yield EmbeddedTemplate(
            api_version=api_version,
            kind=kind,
            path=path,
            type="PodTemplateSpec",
            **values,  # type: ignore[arg-type]
        )


def _objects(api_version: str, kind: str, path: str, operator: str = "") -> EmbeddedTemplate:
    return EmbeddedTemplate(
        api_version=api_version, kind=kind, path=path, type="Object", operator=operator
    )


_REPLICAS = {
    "PyTorchJob": ("pytorchReplicaSpecs", "OnFailure"),
    "TFJob": ("tfReplicaSpecs", "Never"),
    "XGBoostJob": ("xgbReplicaSpecs", "Never"),
    "JAXJob": ("jaxReplicaSpecs", "Never"),
    "PaddleJob": ("paddleReplicaSpecs", "OnFailure"),
    "MPIJob": ("mpiReplicaSpecs", "Never"),
}
"""The field with the roles of each kind of the Training Operator, and the default restart policy."""
_RAY_PODS = (f"{POD}.containers[0].command", f"{POD}.containers[0].args")

TEMPLATES: tuple[EmbeddedTemplate, ...] = (
    *_pods("v1", "PodTemplate", "template"),
    EmbeddedTemplate(
        api_version="jobset.x-k8s.io/*",
        kind="JobSet",
        path="spec.replicatedJobs[*].template",
        type="JobTemplateSpec",
        operator="JobSet",
        defaults={"spec.completionMode": "Indexed", f"{POD}.restartPolicy": "OnFailure"},
        overwrites=("metadata.name", "metadata.namespace", "spec.suspend"),
        job_name="{name}-x-0",
        ignores=OF_JOB_SETS,
    ),
    *(
        EmbeddedTemplate(
            api_version="trainer.kubeflow.org/*",
            kind=kind,
            path="spec.template.spec",
            type="JobSetSpec",
            operator="Kubeflow Trainer",
        )
        for kind in ("TrainingRuntime", "ClusterTrainingRuntime")
    ),
    EmbeddedTemplate(
        api_version="keda.sh/*",
        kind="ScaledJob",
        path="spec.jobTargetRef",
        type="JobSpec",
        operator="KEDA",
        defaults={f"{POD}.restartPolicy": "OnFailure"},
        job_name="{name}-",
        labels=("app.kubernetes.io/name", "app.kubernetes.io/part-of", "scaledjob.keda.sh/name"),
        of_controller_gen=True,
        ignores=LIFETIME,
    ),
    *(
        template
        for kind, cluster in (
            ("RayCluster", ""),
            ("RayJob", "rayClusterSpec."),
            ("RayService", "rayClusterConfig."),
            ("RayCronJob", "jobTemplate.rayClusterSpec."),
        )
        for template in _pods(
            "ray.io/*",
            kind,
            f"spec.{cluster}headGroupSpec.template",
            f"spec.{cluster}workerGroupSpecs[*].template",
            operator="KubeRay",
            overwrites=_RAY_PODS,
            of_controller_gen=True,
        )
    ),
    *(
        EmbeddedTemplate(
            api_version="ray.io/*",
            kind=kind,
            path=f"{spec}.submitterPodTemplate",
            type="PodTemplateSpec",
            operator="KubeRay",
            copies={"spec.backoffLimit": f"{spec}.submitterConfig.backoffLimit"},
            labels=("ray.io/originated-from-cr-name",),
            defaults={"spec.backoffLimit": 2},
            overwrites=(f"{POD}.containers[0].command",),
            of_controller_gen=True,
            ignores=LIFETIME,
        )
        for kind, spec in (("RayJob", "spec"), ("RayCronJob", "spec.jobTemplate"))
    ),
    EmbeddedTemplate(
        api_version="kubeflow.org/v2beta1",
        kind="MPIJob",
        path="spec.mpiReplicaSpecs.Launcher.template",
        type="PodTemplateSpec",
        operator="the MPI Operator",
        copies={
            f"{POD}.restartPolicy": ".restartPolicy",
            "spec.ttlSecondsAfterFinished": "spec.runPolicy.ttlSecondsAfterFinished",
            "spec.activeDeadlineSeconds": "spec.runPolicy.activeDeadlineSeconds",
            "spec.backoffLimit": "spec.runPolicy.backoffLimit",
            "spec.suspend": "spec.runPolicy.suspend",
        },
        defaults={f"{POD}.restartPolicy": "OnFailure"},
        overwrites=(f"{POD}.hostname", f"{POD}.subdomain"),
        job_name="{name}-launcher",
        labels=("app",),
        of_controller_gen=True,
    ),
    *_pods(
        "kubeflow.org/v2beta1",
        "MPIJob",
        "spec.mpiReplicaSpecs.Worker.template",
        operator="the MPI Operator",
        copies={f"{POD}.restartPolicy": ".restartPolicy"},
        defaults={f"{POD}.restartPolicy": "Never"},
        overwrites=(f"{POD}.hostname", f"{POD}.subdomain"),
        of_controller_gen=True,
    ),
    *(
        template
        for kind, (replicas, default) in _REPLICAS.items()
        for template in _pods(
            "kubeflow.org/v1",
            kind,
            f"spec.{replicas}.{{*}}.template",
            operator="the Training Operator",
            copies={f"{POD}.restartPolicy": ".restartPolicy"},
            translates={"ExitCode": "Never"},
            defaults={f"{POD}.restartPolicy": default},
            of_controller_gen=True,
        )
    ),
    *_pods(
        "leaderworkerset.x-k8s.io/*",
        "LeaderWorkerSet",
        "spec.leaderWorkerTemplate.workerTemplate",
        "spec.leaderWorkerTemplate.leaderTemplate",
        owner="StatefulSet",
        operator="LeaderWorkerSet",
        overwrites=(f"{POD}.hostname", f"{POD}.subdomain"),  # not validated in a StatefulSet
        of_controller_gen=True,
    ),
    *_pods("batch.volcano.sh/*", "Job", "spec.tasks[*].template", operator="Volcano"),
    *(
        template
        for kind, paths in (
            ("SparkApplication", ("spec.driver.template", "spec.executor.template")),
            (
                "ScheduledSparkApplication",
                ("spec.template.driver.template", "spec.template.executor.template"),
            ),
            ("SparkConnect", ("spec.server.template", "spec.executor.template")),
        )
        for template in _pods(
            "sparkoperator.k8s.io/*",
            kind,
            *paths,
            operator="the Spark Operator",
            is_patch=True,
        )
    ),
    _objects("template.openshift.io/v1", "Template", "objects[*]"),
    _objects("v1", "Template", "objects[*]"),
    _objects("kubernetes.crossplane.io/*", "Object", "spec.forProvider.manifest", "Crossplane"),
    _objects(
        "work.open-cluster-management.io/*",
        "ManifestWork",
        "spec.workload.manifests[*]",
        "Open Cluster Management",
    ),
    _objects("work.karmada.io/*", "Work", "spec.workload.manifests[*]", "Karmada"),
    _objects(
        "workload.codeflare.dev/*",
        "AppWrapper",
        "spec.components[*].template",
        "the AppWrapper controller",
    ),
)
"""Every template, in the order of the documents' kinds."""

UNVALIDATED_KINDS: tuple[UnvalidatedKind, ...] = (
    *(
        UnvalidatedKind(
            api_version="argoproj.io/*",
            kind=kind,
            reason="its templates hold single containers, which are not Pod templates",
            manifests=(f"{spec}.templates[*].resource.manifest",),
        )
        for kind, spec in (
            ("Workflow", "spec"),
            ("WorkflowTemplate", "spec"),
            ("ClusterWorkflowTemplate", "spec"),
            ("CronWorkflow", "spec.workflowSpec"),
        )
    ),
    *(
        UnvalidatedKind(
            api_version="tekton.dev/*",
            kind=kind,
            reason="its steps are containers with fields of their own, not Pod templates",
        )
        for kind in (
            "Task",
            "ClusterTask",
            "TaskRun",
            "Pipeline",
            "PipelineRun",
        )
    ),
    UnvalidatedKind(
        api_version="trainer.kubeflow.org/*",
        kind="TrainJob",
        reason="it patches the templates of its TrainingRuntime, which is validated instead",
    ),
    UnvalidatedKind(
        api_version="kueue.x-k8s.io/*",
        kind="Workload",
        reason="Kueue writes it for a Job, which is validated instead",
    ),
)
"""Kinds of batch workloads whose Pods cannot be validated, with the reason."""


class KindTable:
    """The kinds that contain Jobs or Pod templates: the shipped ones and those of a configuration.

    Args:
        more: entries of a configuration. They replace the shipped entries of the same kind.
        job_set_version: the version of JobSet in the cluster; empty for the newest that is known.

    Attributes:
        templates: every entry with a template.
        unvalidated: every kind without one.
        job_set_version: the version of JobSet.
    """

    __slots__ = ("_templates", "_unvalidated", "job_set_version", "templates", "unvalidated")

    def __init__(self, more: Iterable[EmbeddedTemplate] = (), job_set_version: str = "") -> None:
        own = tuple(more)
        self.job_set_version = job_set_version
        replaced = {_key(entry) for entry in own}
        self.templates = (*own, *(entry for entry in TEMPLATES if _key(entry) not in replaced))
        self.unvalidated = tuple(
            entry for entry in UNVALIDATED_KINDS if _key(entry) not in replaced
        )
        self._templates: dict[tuple[str, str], list[EmbeddedTemplate]] = {}
        for entry in self.templates:
            self._templates.setdefault(_key(entry), []).append(entry)
        self._unvalidated = {_key(entry): entry for entry in self.unvalidated}

    def templates_of(self, api_version: object, kind: object) -> tuple[EmbeddedTemplate, ...]:
        """Return the templates of a kind; empty for one that the table does not have."""
        if not isinstance(api_version, str) or not isinstance(kind, str):
            return ()
        entries = self._templates.get((_group(api_version), kind), ())
        return tuple(entry for entry in entries if _is_version(entry.api_version, api_version))

    def unvalidated_kind(self, api_version: object, kind: object) -> UnvalidatedKind | None:
        """Return the entry of a kind that cannot be validated; None for other kinds."""
        if not isinstance(api_version, str) or not isinstance(kind, str):
            return None
        entry = self._unvalidated.get((_group(api_version), kind))
        return entry if entry is not None and _is_version(entry.api_version, api_version) else None


def _key(entry: EmbeddedTemplate | UnvalidatedKind) -> tuple[str, str]:
    return _group(entry.api_version), entry.kind


def _group(api_version: str) -> str:
    group, slash, _ = api_version.rpartition("/")
    return group if slash else ""


def _is_version(pattern: str, api_version: str) -> bool:
    return pattern == api_version or pattern.endswith("/*")


SHIPPED = KindTable()
