"""Random objects of the kinds from which operators create Jobs or Pods, valid and broken.

Their templates have fields of the schemas that an API server publishes of the CRDs. Other fields are set where the
operator copies them to what it creates.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from cluster.random_job_sets import as_built_in
from cluster.random_manifests import FieldPath, Generator
from jobsworth.kinds.children import templates_at

Json = dict[str, Any]

NAMES = ("night", "train-42")
ANY_NAMES = (*NAMES, "a.b", "x" * 40, "x" * 58, "x" * 63, "x" * 64)
"""The names of ScaledJobs: the other operators reject all but those of DNS labels of a certain length."""
POLICIES = ("Never", "OnFailure", "Always", "ExitCode", "Alway", "")


FORMER_FIELD = "workloadRef"
"""A field of a Pod that the CRDs of KubeRay have and Kubernetes 1.36 does not: an alpha of 1.35."""
OF_THE_CLUSTER = ("priorityClassName", "runtimeClassName")
"""Fields that name objects that a Pod needs, which the server does not have."""


class OfKind:
    """A kind whose objects are made.

    Attributes:
        api_version, kind: the kind.
        schema: the name of its schema.
        resource: the path of its objects in the API, with ``{}`` for the namespace.
        templates: the field paths of its templates; ``{*}`` stands for every key of a map, ``[*]`` for every item.
    """

    def __init__(self, api_version: str, kind: str, schema: str, *templates: str) -> None:
        self.api_version, self.kind, self.schema = api_version, kind, schema
        self.templates = templates
        root = "apis" if "/" in api_version else "api"
        self.resource = f"/{root}/{api_version}/namespaces/{{}}/{kind.lower()}s"

    @property
    def openapi(self) -> str:
        """The path of the document with its schema."""
        return "/openapi/v3" + self.resource.partition("/namespaces")[0]

    def has(self, field: str) -> bool:
        """Return True for a field of one of the templates."""
        steps = tuple(re.sub(r"\[\d+\]", "", field).split("."))
        for path in self.templates:
            wanted = path.replace("[*]", "").split(".")
            if len(steps) > len(wanted) and all(
                one in (two, "{*}") for one, two in zip(wanted, steps, strict=False)
            ):
                return True
        return False

    def prefixes(self) -> tuple[FieldPath, ...]:
        """Return the paths of the templates as the generator has them: lists and maps are no step of their own."""
        return tuple(
            tuple(step.removesuffix("[*]") for step in path.split(".") if step != "{*}")
            for path in self.templates
        )


RAY_PODS = ("headGroupSpec.template", "workerGroupSpecs[*].template")

KINDS = (
    OfKind("v1", "PodTemplate", "io.k8s.api.core.v1.PodTemplate", "template"),
    OfKind("keda.sh/v1alpha1", "ScaledJob", "sh.keda.v1alpha1.ScaledJob", "spec.jobTargetRef"),
    OfKind(
        "ray.io/v1",
        "RayJob",
        "io.ray.v1.RayJob",
        "spec.submitterPodTemplate",
        *(f"spec.rayClusterSpec.{path}" for path in RAY_PODS),
    ),
    OfKind(
        "ray.io/v1", "RayCluster", "io.ray.v1.RayCluster", *(f"spec.{path}" for path in RAY_PODS)
    ),
    OfKind(
        "kubeflow.org/v2beta1",
        "MPIJob",
        "org.kubeflow.v2beta1.MPIJob",
        "spec.mpiReplicaSpecs.{*}.template",
    ),
    OfKind(
        "kubeflow.org/v1",
        "PyTorchJob",
        "org.kubeflow.v1.PyTorchJob",
        "spec.pytorchReplicaSpecs.{*}.template",
    ),
    OfKind(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        "io.x-k8s.leaderworkerset.v1.LeaderWorkerSet",
        "spec.leaderWorkerTemplate.workerTemplate",
        "spec.leaderWorkerTemplate.leaderTemplate",
    ),
)


SPECS = {
    "PodTemplate": "_pod_template",
    "ScaledJob": "_scaled_job",
    "RayCluster": "_cluster",
    "RayJob": "_ray_job",
    "MPIJob": "_mpi_job",
    "PyTorchJob": "_py_torch_job",
    "LeaderWorkerSet": "_leader_worker_set",
}
"""The methods that make the spec of each kind."""


class OperatorObjects(Generator):
    """Makes objects of :data:`KINDS`.

    Args:
        schemas: the schemas of all of them, as the API server publishes them.
    """

    kinds: ClassVar[dict[str, str]] = {each.kind: each.schema for each in KINDS}

    def __init__(self, schemas: Json) -> None:
        super().__init__(as_built_in({"components": {"schemas": schemas}}))
        self._of_templates = {
            each.kind: [
                path
                for path in self.paths[each.kind]
                if FORMER_FIELD not in path
                and any(
                    path[: len(prefix)] == prefix and len(path) > len(prefix)
                    for prefix in each.prefixes()
                )
            ]
            for each in KINDS
        }

    def made(self, of: OfKind, seed: int) -> Json:
        """Return an object to create; the same for the same seed and schemas."""
        rng = random.Random(f"{of.kind} {seed}")
        made = self._simple(rng, of)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            self._set_in_template(rng, made, of)
        for _ in range(rng.choice((0, 0, 0, 0, 1, 1, 2))):
            templates = [found.value for path in of.templates for found in templates_at(made, path)]
            self._spoil_below(rng, rng.choice(templates))
        for found in (found for path in of.templates for found in templates_at(made, path)):
            _without_objects_of_the_cluster(found.value)
        return made

    def _set_in_template(self, rng: random.Random, made: Json, of: OfKind) -> None:
        paths = self._of_templates[of.kind]
        path = rng.choice(paths)
        # Of the thousand paths of a Pod, most are those of volumes and of the three kinds of containers.
        for _ in range(2):
            if len(path) > len(of.prefixes()[0]) + 4:
                path = rng.choice(paths)
        self._set_at(rng, made, of.kind, path)

    def _simple(self, rng: random.Random, of: OfKind) -> Json:
        is_odd = of.kind == "ScaledJob" and rng.random() < 0.2
        name = rng.choice(ANY_NAMES if is_odd else NAMES)
        made = {"apiVersion": of.api_version, "kind": of.kind, "metadata": {"name": name}}
        spec = getattr(self, SPECS[of.kind])(rng)
        return {**made, **(spec if of.kind == "PodTemplate" else {"spec": spec})}

    def _template(self, rng: random.Random, *policies: str, container: str = "main") -> Json:
        pod: Json = {"containers": [{"name": container, "image": "busybox:1.36"}]}
        if rng.random() < 0.3:
            pod["volumes"] = [{"name": "data", "emptyDir": {}}]
        if rng.random() < 0.1:
            pod["restartPolicy"] = rng.choice(POLICIES[:5])
        elif policies:
            pod["restartPolicy"] = rng.choice(policies)
        template: Json = {"spec": pod}
        if rng.random() < 0.2:
            template["metadata"] = {"labels": {"team": "a"}}
        return template

    def _pod_template(self, rng: random.Random) -> Json:
        return {"template": self._template(rng)}

    def _scaled_job(self, rng: random.Random) -> Json:
        job: Json = {"template": self._template(rng)}
        if rng.random() < 0.4:
            job |= {"completions": rng.choice((1, 3)), "parallelism": 2}
        if rng.random() < 0.3:
            job["completionMode"] = "Indexed"
        if rng.random() < 0.2:
            job["backoffLimit"] = rng.choice((0, 3, -1))
        return {"jobTargetRef": job, "triggers": [{"type": "cpu", "metadata": {"value": "50"}}]}

    def _cluster(self, rng: random.Random) -> Json:
        cluster: Json = {"headGroupSpec": {"rayStartParams": {}, "template": self._template(rng)}}
        if rng.random() < 0.6:
            group: Json = {"groupName": "small", "replicas": 1, "minReplicas": 1, "maxReplicas": 1}
            group |= {"rayStartParams": {}, "template": self._template(rng)}
            cluster["workerGroupSpecs"] = [group]
        return cluster

    def _ray_job(self, rng: random.Random) -> Json:
        spec: Json = {"entrypoint": "python train.py", "rayClusterSpec": self._cluster(rng)}
        spec["submitterPodTemplate"] = self._template(rng, "Never", "OnFailure")
        if rng.random() < 0.3:
            spec["submitterConfig"] = {"backoffLimit": rng.choice((0, 5, -1))}
        return spec

    def _mpi_job(self, rng: random.Random) -> Json:
        replicas: Json = {"Launcher": {"replicas": 1, "template": self._template(rng)}}
        if rng.random() < 0.7:
            replicas["Worker"] = {"replicas": 2, "template": self._template(rng)}
        for role in replicas.values():
            if rng.random() < 0.5:
                role["restartPolicy"] = rng.choice(("Never", "OnFailure"))
        policy: Json = {"cleanPodPolicy": "Running"}
        for field, values in (
            ("backoffLimit", (0, 3)),
            ("activeDeadlineSeconds", (0, 600)),
            ("ttlSecondsAfterFinished", (0, 60)),
            ("suspend", (True, False)),
        ):
            if rng.random() < 0.2:
                policy[field] = rng.choice(values)
        return {"mpiReplicaSpecs": replicas, "runPolicy": policy}

    def _py_torch_job(self, rng: random.Random) -> Json:
        replicas = {
            role: {"replicas": 1, "template": self._template(rng, container="pytorch")}
            for role in (("Master", "Worker") if rng.random() < 0.6 else ("Master",))
        }
        for role in replicas.values():
            if rng.random() < 0.5:
                role["restartPolicy"] = rng.choice(POLICIES)
        return {"pytorchReplicaSpecs": replicas}

    def _leader_worker_set(self, rng: random.Random) -> Json:
        templates = {"workerTemplate": self._template(rng), "size": 2}
        if rng.random() < 0.4:
            templates["leaderTemplate"] = self._template(rng)
        return {"replicas": 1, "leaderWorkerTemplate": templates}


def _without_objects_of_the_cluster(template: Any) -> None:
    """Remove what does not only depend on the object."""
    pod = template.get("spec") if isinstance(template, dict) else None
    pod = pod["template"].get("spec") if isinstance(pod, dict) and "template" in pod else pod
    if isinstance(pod, dict):
        for field in (*OF_THE_CLUSTER, FORMER_FIELD):
            pod.pop(field, None)


def schemas_of(documents: Iterator[Json]) -> Json:
    """Return the schemas of several documents of an API server."""
    return {
        name: schema
        for document in documents
        for name, schema in document["components"]["schemas"].items()
    }
