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

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from jobsworth.record import Record

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
    "kubeflow.org": "Training Operator 1.9.0, MPI Operator 0.8.0",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet 0.10.0",
    "ray.io": "KubeRay 1.7.0",
    "sparkoperator.k8s.io": "Spark Operator 2.5.2",
    "trainer.kubeflow.org": "Kubeflow Trainer 2.3.0",
    "batch.volcano.sh": "Volcano 1.15.1",
    "disaggregatedset.x-k8s.io": "LeaderWorkerSet 0.10.0",
    "flow.volcano.sh": "Volcano 1.15.1",
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
        variables: the environment variables that the operator sets in containers, with ``*`` for any text.
        volumes: the volumes that the operator adds to Pods.
        claims: the field path of the names of claim templates, which become volumes of the Pods.
        job_name: the name of the Job or JobSet; ``{name}`` is that of the object. It ends in ``-`` for a
            generateName.
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
    variables: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    claims: str = ""
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
        own: the field path of what the reason is about, which an object may lack.
        reference: the field path at which it then names another object.
        operator: the program that handles it, for messages about its schedules.
        schedules: the field paths of its cron schedules, which the operator parses as Kubernetes does.
    """

    api_version: str
    kind: str
    reason: str
    manifests: tuple[str, ...] = ()
    own: str = ""
    reference: str = ""
    operator: str = ""
    schedules: tuple[str, ...] = ()


LIFETIME = ("JW201", "JW204", "JW205", "JW228")
"""Rules on deadlines and TTLs of Jobs whose operator deletes them."""


OF_JOB_SETS = ("JW204", "JW205", "JW228")
"""Rules on TTLs, which belong to the JobSet and not to its Jobs: see JW801."""
ONCE_IN_JOB_SETS = ("JW201", "JW206", "JW210")
"""Rules on what holds for all Jobs of a JobSet: its defaults."""
OF_RESTARTED_JOB_SETS = ("JW103", "JW104", "JW127")
"""Rules that let one Pod be replaced after a disruption, where the JobSet restarts all Jobs together."""
OF_IN_PLACE_RESTARTS = ("JW236",)
"""Rules on the number of retries, where the JobSet requires the largest possible one."""
OF_ENDED_JOBS = ("JW226",)
"""Rules on work that never ends, of Jobs that the JobSet deletes when others have succeeded."""

OF_COMPLETED_TEMPLATES = ("JW506",)
"""Rules on variables that are not set, of templates to which users add some elsewhere: in a TrainJob, or
beside the template."""

ABOUT_APPLYING = ("JW804",)
"""Rules on a client that applies the same manifest again, which operators do not do."""


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


_OF_TORCH = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
_OF_MPI = (
    "HYDRA_*",
    "I_MPI_*",
    "K_MPI_JOB_ROLE",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "OMPI_MCA_*",
)
_OF_RAY = ("FQ_RAY_IP", "KUBERAY_GEN_RAY_START_CMD", "RAY_*", "REDIS_PASSWORD", "REDIS_USERNAME")

_REPLICAS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "PyTorchJob": ("pytorchReplicaSpecs", "OnFailure", (*_OF_TORCH, "PET_*", "PYTHONUNBUFFERED")),
    "TFJob": ("tfReplicaSpecs", "Never", ("TF_CONFIG",)),
    "XGBoostJob": (
        "xgbReplicaSpecs",
        "Never",
        (*_OF_TORCH, "PYTHONUNBUFFERED", "WORKER_ADDRS", "WORKER_PORT"),
    ),
    "JAXJob": (
        "jaxReplicaSpecs",
        "Never",
        (
            "COORDINATOR_ADDRESS",
            "COORDINATOR_PORT",
            "NUM_PROCESSES",
            "PROCESS_ID",
            "PYTHONUNBUFFERED",
        ),
    ),
    "PaddleJob": (
        "paddleReplicaSpecs",
        "OnFailure",
        ("PADDLE_*", "POD_IP_DUMMY", "PYTHONUNBUFFERED"),
    ),
    "MPIJob": ("mpiReplicaSpecs", "Never", _OF_MPI),
}
"""The field with the roles of each kind of the Training Operator, the default restart policy, and the
variables that the operator sets."""
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
        claims="spec.volumeClaimPolicies[*].templates[*].metadata.name",
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
            job_name="trainjob",  # that of the TrainJob
            ignores=OF_COMPLETED_TEMPLATES,
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
            variables=_OF_RAY,
            volumes=("gcs-storage", "ray-logs", "ray-tls", "ray-token", "shared-mem"),
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
            variables=("PYTHONUNBUFFERED", "RAY_*"),
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
        variables=_OF_MPI,
        volumes=("mpi-job-config", "ssh-auth"),
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
        variables=_OF_MPI,
        volumes=("ssh-auth",),
        of_controller_gen=True,
    ),
    *(
        template
        for kind, (replicas, default, variables) in _REPLICAS.items()
        for template in _pods(
            "kubeflow.org/v1",
            kind,
            f"spec.{replicas}.{{*}}.template",
            operator="the Training Operator",
            copies={f"{POD}.restartPolicy": ".restartPolicy"},
            translates={"ExitCode": "Never"},
            defaults={f"{POD}.restartPolicy": default},
            variables=variables,
            volumes=("mpi-job-config", "mpi-job-kubectl") if kind == "MPIJob" else (),
            of_controller_gen=True,
        )
    ),
    *(
        template
        for version, kind, step in (
            ("leaderworkerset.x-k8s.io/*", "LeaderWorkerSet", "spec"),
            ("disaggregatedset.x-k8s.io/*", "DisaggregatedSet", "spec.roles[*].spec"),
        )
        for template in _pods(
            version,
            kind,
            f"{step}.leaderWorkerTemplate.workerTemplate",
            f"{step}.leaderWorkerTemplate.leaderTemplate",
            owner="StatefulSet",
            operator="LeaderWorkerSet",
            overwrites=(f"{POD}.hostname", f"{POD}.subdomain"),  # not validated in a StatefulSet
            variables=("LWS_*", "TPU_*"),
            claims=f"{step}.leaderWorkerTemplate.volumeClaimTemplates[*].metadata.name",
            of_controller_gen=True,
        )
    ),
    *(
        template
        for version, kind, path in (
            ("batch.volcano.sh/*", "Job", "spec.tasks[*].template"),
            ("batch.volcano.sh/*", "CronJob", "spec.jobTemplate.spec.tasks[*].template"),
            ("flow.volcano.sh/*", "JobTemplate", "spec.tasks[*].template"),
        )
        for template in _pods(
            version,
            kind,
            path,
            operator="Volcano",
            # those of the plugins svc, env, pytorch, tensorflow, mpi and hcclrank
            variables=("MPI_HOST", "TF_CONFIG", "VC_*", "VK_TASK_INDEX", *_OF_TORCH),
        )
    ),
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
            ignores=OF_COMPLETED_TEMPLATES,
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
            reason="containers of its templates are not Pod templates",
            manifests=(f"{spec}.templates[*].resource.manifest",),
            own=f"{spec}.templates",
            reference=f"{spec}.workflowTemplateRef",
            operator="Argo Workflows",
            schedules=tuple(schedules),
        )
        for kind, spec, *schedules in (
            ("Workflow", "spec"),
            ("WorkflowTemplate", "spec"),
            ("ClusterWorkflowTemplate", "spec"),
            ("CronWorkflow", "spec.workflowSpec", "spec.schedule", "spec.schedules[*]"),
        )
    ),
    *(
        UnvalidatedKind(
            api_version="tekton.dev/*",
            kind=kind,
            reason="its steps are containers with fields of their own, not Pod templates",
            own=own,
            reference=reference,
        )
        for kind, own, reference in (
            ("Task", "", ""),
            ("ClusterTask", "", ""),
            ("TaskRun", "spec.taskSpec", "spec.taskRef"),
            ("Pipeline", "spec.tasks[*].taskSpec", "spec.tasks[*].taskRef"),
            ("PipelineRun", "spec.pipelineSpec", "spec.pipelineRef"),
        )
    ),
    UnvalidatedKind(
        api_version="trainer.kubeflow.org/*",
        kind="TrainJob",
        reason="it patches the templates of its TrainingRuntime, which is validated if it is among the files",
    ),
    *(
        UnvalidatedKind(
            api_version="kubeflow.org/v2alpha1",
            kind=kind,
            reason="Kubeflow Trainer serves it as trainer.kubeflow.org/v1alpha1",
        )
        for kind in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime")
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

    __slots__ = (
        "_replaced", "_templates", "_unvalidated", "job_set_version", "templates", "unvalidated",
    )  # fmt: skip

    def __init__(self, more: Iterable[EmbeddedTemplate] = (), job_set_version: str = "") -> None:
        own = tuple(more)
        self.job_set_version = job_set_version
        self._replaced = replaced = {_key(entry) for entry in own}
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

    def is_shipped(self, api_version: str, kind: str) -> bool:
        """Return False for a kind that a configuration declares."""
        return (_group(api_version), kind) not in self._replaced

    def unvalidated_kind(self, api_version: object, kind: object) -> UnvalidatedKind | None:
        """Return the entry of a kind that cannot be validated; None for other kinds."""
        if not isinstance(api_version, str) or not isinstance(kind, str):
            return None
        entry = self._unvalidated.get((_group(api_version), kind))
        return entry if entry is not None and _is_version(entry.api_version, api_version) else None


def replaced_kinds(entries: Iterable[EmbeddedTemplate]) -> list[str]:
    """Return the shipped kinds that entries of a configuration replace.

    >>> entry = EmbeddedTemplate(api_version="keda.sh/*", kind="ScaledJob", path="spec.job", type="JobSpec")
    >>> replaced_kinds([entry, entry])
    ['ScaledJob']
    """
    shipped = {_key(entry) for entry in TEMPLATES}
    return sorted({entry.kind for entry in entries if _key(entry) in shipped})


def _key(entry: EmbeddedTemplate | UnvalidatedKind) -> tuple[str, str]:
    return _group(entry.api_version), entry.kind


def _group(api_version: str) -> str:
    group, slash, _ = api_version.rpartition("/")
    return group if slash else ""


def _is_version(pattern: str, api_version: str) -> bool:
    return pattern == api_version or pattern.endswith("/*")


SHIPPED = KindTable()
