"""What operators create from an object, read from their sources and written without the table of kinds.

It stands beside ``jobsworth.kinds``, which is held against it. Each function returns the requests that an operator
makes, and the field of the object for each part of what is created. The versions are those of ``operator_crds``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]

MAX_LABEL = 63
JOBS = "/apis/batch/v1/namespaces/{}/jobs"
PODS = "/api/v1/namespaces/{}/pods"
STATEFUL_SETS = "/apis/apps/v1/namespaces/{}/statefulsets"
POD_TEMPLATES = "/api/v1/namespaces/{}/podtemplates"


class Creation(NamedTuple):
    """A request of an operator.

    Attributes:
        resource: the path of the objects in the API, with ``{}`` for the namespace.
        body: the object that is created.
        origins: the field paths of its parts, and those in the object that the operator read them from.
    """

    resource: str
    body: Json
    origins: Mapping[str, str]

    def origin(self, field: str) -> str | None:
        """Return the field of the object for one of what is created; None for what the operator adds."""
        best = max(
            (part for part in self.origins if _is_within(field, part)), key=len, default=None
        )
        if best is None:
            return None
        return self.origins[best] + field[len(best) :]


def _is_within(field: str, part: str) -> bool:
    return field == part or field.startswith((f"{part}.", f"{part}["))


def created_from(stored: Json) -> list[Creation]:
    """Return what the operator creates from an object, as the API server stored it."""
    return list(_CREATIONS[stored["kind"]](copy.deepcopy(stored)))


def _pod_of(template: Json) -> Json:
    """Return the Pod of a template, with the list that an operator looks into if it is not there."""
    pod: Json = template.setdefault("spec", {})
    pod.setdefault("containers", [])
    return pod


def _pod_template(stored: Json) -> Iterator[Creation]:
    yield Creation(POD_TEMPLATES, stored, {"metadata": "metadata", "template": "template"})


def _scaled_job(stored: Json) -> Iterator[Creation]:
    # KEDA, pkg/scaling/executor/scale_jobs.go, generateJobs
    name, spec = stored["metadata"]["name"], stored["spec"]["jobTargetRef"]
    template = spec["template"]
    metadata = template.setdefault("metadata", {})
    metadata["generateName"] = f"{name}-"
    metadata.setdefault("labels", {})["scaledjob.keda.sh/name"] = name
    is_defaulted = not template.get("spec", {}).get("restartPolicy")
    if is_defaulted:
        template.setdefault("spec", {})["restartPolicy"] = "OnFailure"
    labels = {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/version": "2.21.0",
        "app.kubernetes.io/part-of": name,
        "app.kubernetes.io/managed-by": "keda-operator",
        "scaledjob.keda.sh/name": name,
    }
    job = _job({"generateName": f"{name}-", "labels": labels}, spec)
    names = ("metadata.labels", "metadata.name", "metadata.generateName")
    origins = {"spec": "spec.jobTargetRef", **dict.fromkeys(names, "metadata.name")}
    if is_defaulted:
        origins["spec.template.spec.restartPolicy"] = "spec.jobTargetRef"
    if len(name) > MAX_LABEL:  # as the labels of the Job
        origins["spec.template.labels"] = "metadata.name"
    yield Creation(JOBS, job, origins)


def _ray_job(stored: Json) -> Iterator[Creation]:
    # KubeRay, controllers/ray/rayjob_controller.go, createNewK8sJob
    spec, name = stored["spec"], stored["metadata"]["name"]
    template = spec["submitterPodTemplate"]
    for container in _pod_of(template)["containers"][:1]:
        if not container.get("command"):
            container |= {"command": ["/bin/bash", "-ce", "--"], "args": ["ray job submit"]}
        container.setdefault("env", []).append({"name": "PYTHONUNBUFFERED", "value": "1"})
    job_spec = {"backoffLimit": 2, "template": template}
    retries = spec.get("submitterConfig", {}).get("backoffLimit")
    if retries is not None:
        job_spec["backoffLimit"] = retries
    labels = {"ray.io/originated-from-cr-name": name, "ray.io/originated-from-crd": "RayJob"}
    yield Creation(
        JOBS,
        _job({"name": name, "labels": labels}, job_spec),
        {
            "spec.template": "spec.submitterPodTemplate",
            "spec.backoffLimit": "spec.submitterConfig.backoffLimit",
        },
    )
    yield from _ray_pods(name, spec["rayClusterSpec"], "spec.rayClusterSpec")


def _ray_cluster(stored: Json) -> Iterator[Creation]:
    yield from _ray_pods(stored["metadata"]["name"], stored["spec"], "spec")


def _ray_pods(name: str, cluster: Json, path: str) -> Iterator[Creation]:
    # KubeRay, controllers/ray/common/pod.go, DefaultHeadPodTemplate, DefaultWorkerPodTemplate and BuildPod
    head = cluster["headGroupSpec"]["template"]
    yield _ray_pod(f"{name}-head", head, f"{path}.headGroupSpec.template", [])
    for index, group in enumerate(cluster.get("workerGroupSpecs", ())):
        worker = group["template"]
        template = f"{path}.workerGroupSpecs[{index}].template"
        yield _ray_pod(f"{name}-worker", worker, template, [_waits_for_head(worker)])


def _waits_for_head(worker: Json) -> Json:
    """Return the init container of a worker, which has much of what its first container has.

    It also has resources, which are left out: they count for those of the Pod, if it has any.
    """
    first = next(iter(_pod_of(worker)["containers"]), {})
    copied = ("image", "imagePullPolicy", "securityContext", "env", "volumeMounts")
    return {
        "name": "wait-gcs-ready",
        "command": ["/bin/bash", "-c", "--"],
        "args": ["ray health-check"],
        **{field: copy.deepcopy(first[field]) for field in copied if field in first},
    }


def _ray_pod(prefix: str, template: Json, path: str, before: list[Json]) -> Creation:
    pod = _pod_of(template)
    own = len(pod.get("initContainers", ()))
    origins = {"spec": f"{path}.spec", "metadata.annotations": f"{path}.metadata.annotations"}
    origins |= {f"metadata.{part}": f"{path}.metadata.{part}" for part in ("labels", "finalizers")}
    for container in pod["containers"][:1]:
        if not any(port.get("name") == "metrics" for port in container.get("ports", ())):
            container.setdefault("ports", []).append({"name": "metrics", "containerPort": 8080})
        mounts = container.setdefault("volumeMounts", [])
        if not any(mount.get("mountPath") == "/dev/shm" for mount in mounts):
            volumes = pod.setdefault("volumes", [])
            if not any(volume.get("name") == "shared-mem" for volume in volumes):
                volumes.append({"name": "shared-mem", "emptyDir": {"medium": "Memory"}})
            mounts.append({"name": "shared-mem", "mountPath": "/dev/shm"})
        container |= {"command": ["/bin/bash", "-c", "--"], "args": ["ray start"]}
        container.setdefault("env", []).append({"name": "RAY_PORT", "value": "6379"})
        probe = {"exec": {"command": ["true"]}, "initialDelaySeconds": 10}
        container.setdefault("livenessProbe", probe)
        container.setdefault("readinessProbe", probe)
        for number, _ in enumerate(before, own):
            pod.setdefault("initContainers", []).extend(before)
            origins[f"spec.initContainers[{number}]"] = f"{path}.spec.containers[0]"
    metadata = {**template.get("metadata", {}), "generateName": f"{prefix}-"}
    metadata.pop("name", None)
    metadata.pop("namespace", None)
    metadata["labels"] = {**metadata.get("labels", {}), "ray.io/is-ray-node": "yes"}
    return Creation(PODS, _pod(metadata, pod), origins)


def _mpi_job(stored: Json) -> Iterator[Creation]:
    # MPI Operator, pkg/controller/mpi_job_controller.go, newLauncherJob and newWorker
    spec, name = stored["spec"], stored["metadata"]["name"]
    policy = spec.get("runPolicy", {})
    roles = "spec.mpiReplicaSpecs"
    launcher = spec["mpiReplicaSpecs"]["Launcher"]
    template = _mpi_template(launcher, name, f"{name}-launcher", "OnFailure")
    job_spec: Json = {"template": template}
    limits = ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
    job_spec |= {limit: policy[limit] for limit in limits if limit in policy}
    if policy.get("suspend"):
        job_spec["suspend"] = True
    metadata = template.get("metadata", {})
    template["metadata"] = {part: metadata[part] for part in ("labels", "annotations") if metadata}
    yield Creation(
        JOBS,
        _job({"name": f"{name}-launcher", "labels": {"app": name}}, job_spec),
        {
            "spec.template": f"{roles}.Launcher.template",
            "spec.template.spec.restartPolicy": f"{roles}.Launcher.restartPolicy",
            **{f"spec.{limit}": f"spec.runPolicy.{limit}" for limit in limits},
        },
    )
    worker = spec["mpiReplicaSpecs"].get("Worker")
    if worker is not None:
        template = _mpi_template(worker, name, f"{name}-worker-0", "Never")
        search = f"{name}.default.svc.cluster.local"
        template["spec"].setdefault("dnsConfig", {}).setdefault("searches", []).append(search)
        metadata = template.get("metadata", {})
        metadata = {part: metadata[part] for part in ("labels", "annotations") if part in metadata}
        yield Creation(
            PODS,
            _pod({"name": f"{name}-worker-0", **metadata}, template["spec"]),
            {
                "spec": f"{roles}.Worker.template.spec",
                "spec.restartPolicy": f"{roles}.Worker.restartPolicy",
                "metadata.labels": f"{roles}.Worker.template.metadata.labels",
                "metadata.annotations": f"{roles}.Worker.template.metadata.annotations",
            },
        )


def _mpi_template(role: Json, job: str, hostname: str, policy: str) -> Json:
    template: Json = role.setdefault("template", {})
    metadata = template.setdefault("metadata", {})
    metadata["labels"] = {**metadata.get("labels", {}), "training.kubeflow.org/job-name": job}
    metadata.setdefault("annotations", {})
    pod = _pod_of(template)
    pod |= {"hostname": hostname, "subdomain": job}
    pod["restartPolicy"] = _policy(role, policy)
    if pod.get("hostNetwork"):
        pod["dnsPolicy"] = "ClusterFirstWithHostNet"
    for container in pod["containers"][:1]:
        container.setdefault("env", []).append({"name": "K_MPI_JOB_ROLE", "value": "launcher"})
        container.setdefault("volumeMounts", []).append(
            {"name": "ssh-auth", "mountPath": "/root/.ssh"}
        )
        secret = {"secretName": f"{job}-ssh"}
        pod.setdefault("volumes", []).append({"name": "ssh-auth", "secret": secret})
    return template


def _policy(role: Json, default: str) -> str:
    """Return the restart policy of a role of a job of Kubeflow: ``ExitCode`` is its own, and means ``Never``."""
    policy = role.get("restartPolicy") or default
    return "Never" if policy == "ExitCode" else str(policy)


def _py_torch_job(stored: Json) -> Iterator[Creation]:
    # Training Operator, pkg/controller.v1/common/pod.go, createNewPod, and pkg/controller.v1/pytorch/envvar.go
    name = stored["metadata"]["name"]
    for role, replica in stored["spec"]["pytorchReplicaSpecs"].items():
        template = replica.setdefault("template", {})
        pod = _pod_of(template)
        pod["restartPolicy"] = _policy(replica, "OnFailure")
        for container in pod["containers"]:
            container.setdefault("env", []).append({"name": "WORLD_SIZE", "value": "2"})
        for container in [each for each in pod["containers"] if each["name"] == "pytorch"][:1]:
            ports = container.setdefault("ports", [])
            if not any(port.get("name") == "pytorchjob-port" for port in ports):
                ports.append({"name": "pytorchjob-port", "containerPort": 23456})
        path = f"spec.pytorchReplicaSpecs.{role}"
        metadata = {**template.get("metadata", {}), "name": f"{name}-{role.lower()}-0"}
        metadata.pop("namespace", None)
        metadata["labels"] = {
            **metadata.get("labels", {}),
            "training.kubeflow.org/job-name": name,
        }
        yield Creation(
            PODS,
            _pod(metadata, pod),
            {
                "spec": f"{path}.template.spec",
                "spec.restartPolicy": f"{path}.restartPolicy",
                **{
                    f"metadata.{part}": f"{path}.template.metadata.{part}"
                    for part in ("labels", "annotations", "finalizers")
                },
            },
        )


def _leader_worker_set(stored: Json) -> Iterator[Creation]:
    # LeaderWorkerSet, pkg/controllers: constructLeaderStatefulSet… and constructWorkerStatefulSetApplyConfiguration
    templates, name = stored["spec"]["leaderWorkerTemplate"], stored["metadata"]["name"]
    leader = "leaderTemplate" if "leaderTemplate" in templates else "workerTemplate"
    for field, created in ((leader, name), ("workerTemplate", f"{name}-0")):
        template = copy.deepcopy(templates[field])
        labels = {"leaderworkerset.sigs.k8s.io/name": name}
        metadata = template.setdefault("metadata", {})
        metadata["labels"] = {**metadata.get("labels", {}), **labels}
        spec = {
            "serviceName": name,
            "replicas": 1,
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": labels},
            "template": template,
        }
        body = {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": created, "labels": labels},
            "spec": spec,
        }
        path = f"spec.leaderWorkerTemplate.{field}"
        origins = {"spec.template": path}
        origins |= {
            f"spec.template.{part}": f"{path}.metadata.{part}" for part in ("labels", "annotations")
        }
        yield Creation(STATEFUL_SETS, body, origins)


def _job(metadata: Json, spec: Json) -> Json:
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _pod(metadata: Json, spec: Json) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


_CREATIONS = {
    "PodTemplate": _pod_template,
    "ScaledJob": _scaled_job,
    "RayJob": _ray_job,
    "RayCluster": _ray_cluster,
    "MPIJob": _mpi_job,
    "PyTorchJob": _py_torch_job,
    "LeaderWorkerSet": _leader_worker_set,
}
