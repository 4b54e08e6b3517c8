"""The Jobs that a JobSet creates.

All Jobs of one ReplicatedJob differ only by their index, so the last one stands for them: its name is the
longest.
Source: ``constructJob`` in ``pkg/controllers/jobset_controller.go``, and ``addVolumes`` in
``volume_claim_policy.go`` beside it, JobSet 0.8 to 0.12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha1
from typing import Any, NamedTuple

from jobsworth.api.jobset.names import claim_name, coordinator_endpoint, job_name, subdomain
from jobsworth.api.jobset.rules import mounted_volumes
from jobsworth.api.jobset.versions import API_VERSION, KIND, NEWEST, at_least
from jobsworth.kinds.child import Child
from jobsworth.validation.decoded_object import copied
from jobsworth.validation.job_sets import job_set_engine

PREFIX = "jobset.sigs.k8s.io/"
ALPHA_PREFIX = "alpha.jobset.sigs.k8s.io/"
EXCLUSIVE_TOPOLOGY = f"{ALPHA_PREFIX}exclusive-topology"
NODE_SELECTOR_STRATEGY = f"{ALPHA_PREFIX}node-selector"
NAMESPACED_JOB = f"{ALPHA_PREFIX}namespaced-job"
NO_SCHEDULE = f"{ALPHA_PREFIX}no-schedule"
GROUPS_SINCE, UID_SINCE = "0.10", "0.10"
"""The first versions with the labels about groups, and with the label of the UID."""

WHAT = "the Job that JobSet creates"

SAMPLE_UID = "00000000-0000-4000-8000-000000000000"
"""Stands for the UID of a JobSet that is not stored yet."""

DEFAULT_NAMESPACE = "default"


def children(defaulted: dict[str, Any], version: str = NEWEST) -> list[Child]:
    """Return for each ReplicatedJob the last of its Jobs; none for a ReplicatedJob without replicas.

    Args:
        defaulted: a JobSet as it is stored: the `defaulted` of a verdict.
        version: of JobSet.
    """
    engine = job_set_engine(version)
    job_set, _ = engine.decoded(defaulted)
    _name(job_set)
    encoded = engine.encoded(job_set)
    jobs = encoded["spec"].get("replicatedJobs") or []
    return [
        _child(job_set, job, counts, version)
        for job, counts in zip(jobs, _counts(jobs), strict=True)
        if job.get("replicas", 0) > 0
    ]


class _Counts(NamedTuple):
    """The numbers of Jobs around one ReplicatedJob.

    Attributes:
        position: of the ReplicatedJob in its list.
        all: the number of Jobs of the JobSet.
        before: the number of Jobs of earlier ReplicatedJobs.
        group: the number of Jobs of its group.
        group_before: the number of Jobs of its group of earlier ReplicatedJobs.
    """

    position: int
    all: int
    before: int
    group: int
    group_before: int


def _counts(jobs: list[dict[str, Any]]) -> Iterator[_Counts]:
    of_groups: Counter[str] = Counter()
    for job in jobs:
        of_groups[job.get("groupName", "")] += job.get("replicas", 0)
    before, group_before = 0, Counter[str]()
    for index, job in enumerate(jobs):
        group, replicas = job.get("groupName", ""), job.get("replicas", 0)
        yield _Counts(index, of_groups.total(), before, of_groups[group], group_before[group])
        before += replicas
        group_before[group] += replicas


def _name(job_set: dict[str, Any]) -> None:
    """Fill in the metadata that the server generates for a JobSet that is not stored yet."""
    meta = job_set["metadata"]
    meta.setdefault("namespace", DEFAULT_NAMESPACE)
    meta.setdefault("uid", SAMPLE_UID)
    if "name" not in meta and "generateName" in meta:
        meta["name"] = f"{meta['generateName'][:58]}xxxxx"


def _child(
    job_set: dict[str, Any], replicated: dict[str, Any], counts: _Counts, version: str
) -> Child:
    meta, spec = job_set["metadata"], job_set["spec"]
    path = f"spec.replicatedJobs[{counts.position}]"
    template = copied(replicated["template"])
    last = replicated["replicas"] - 1
    name = job_name(meta.get("name", ""), replicated["name"], last)
    own = template.get("metadata", {})
    job: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": meta["namespace"],
            **{part: dict(own[part]) for part in ("labels", "annotations") if part in own},
            "ownerReferences": [_owner(meta)],
        },
        "spec": template.get("spec", {}),
    }
    origins = {
        part: f"{path}.template{'.' if part else ''}{part}" for part in ("", "metadata", "spec")
    }
    causes = {"metadata.name": f"{path}.name", "spec.suspend": "spec.suspend"}
    values = _label_values(job_set, replicated, counts, version)
    pod_template = job["spec"]["template"]
    exclusive = _exclusive_annotations(meta, own)
    for holder, place in ((job, ""), (pod_template, "spec.template.")):
        described = holder.setdefault("metadata", {})
        for part, added in (("labels", {}), ("annotations", exclusive)):
            described[part] = {**(described.get(part) or {}), **values, **added}
            for key in values:
                causes[f"{place}metadata.{part}[{key}]"] = _label_cause(key, path)
    pod = pod_template.setdefault("spec", {})
    if spec.get("network", {}).get("enableDNSHostnames"):
        pod["subdomain"] = subdomain(job_set)
        named = "subdomain" in spec["network"]
        causes["spec.template.spec.subdomain"] = (
            "spec.network.subdomain" if named else "metadata.name"
        )
    if {EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY} <= job["metadata"]["annotations"].keys():
        _place_exclusively(job, pod, causes)
    job["spec"]["suspend"] = bool(spec.get("suspend"))
    _add_volumes(job_set, pod, causes)
    return Child(value=job, what=WHAT, origins=origins, causes=causes)


def _owner(meta: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "name": meta.get("name", ""),
        "uid": meta["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _label_values(
    job_set: dict[str, Any], replicated: dict[str, Any], counts: _Counts, version: str
) -> dict[str, str]:
    """Return the labels, and annotations, of the last Job of a ReplicatedJob and of its Pods."""
    meta = job_set["metadata"]
    last = replicated["replicas"] - 1
    name = job_name(meta.get("name", ""), replicated["name"], last)
    restarts = job_set.get("status", {}).get("restarts", 0)
    values: dict[str, Any] = {
        "jobset-name": meta.get("name", ""),
        "replicatedjob-name": replicated["name"],
        "restart-attempt": restarts,
        "replicatedjob-replicas": replicated["replicas"],
        "global-replicas": counts.all,
        "job-index": last,
        "job-key": sha1(f"{meta['namespace']}/{name}".encode()).hexdigest(),
        "job-global-index": counts.before + last,
    }
    if at_least(version, UID_SINCE):
        values["jobset-uid"] = meta["uid"]
    if at_least(version, GROUPS_SINCE):
        values["group-name"] = replicated.get("groupName", "")
        values["group-replicas"] = counts.group
        values["job-group-index"] = counts.group_before + last
    if "coordinator" in job_set["spec"]:
        values["coordinator"] = coordinator_endpoint(job_set)
    return {f"{PREFIX}{key}": str(value) for key, value in values.items()}


def _label_cause(key: str, path: str) -> str:
    """Return the field of the JobSet that an injected label comes from."""
    by_name = {
        "jobset-name": "metadata.name",
        "jobset-uid": "metadata.name",
        "replicatedjob-name": f"{path}.name",
        "group-name": f"{path}.groupName",
        "coordinator": "spec.coordinator",
    }
    return by_name.get(key.removeprefix(PREFIX), f"{path}.replicas")


def _exclusive_annotations(meta: dict[str, Any], own: dict[str, Any]) -> dict[str, str]:
    """Return the annotations about exclusive placement of a JobSet or, before them, of a template."""
    added: dict[str, str] = {}
    for written in (meta.get("annotations", {}), own.get("annotations", {})):
        if EXCLUSIVE_TOPOLOGY in written:
            keys = (EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY)
            added |= {key: written[key] for key in keys if key in written}
    return added


def _place_exclusively(job: dict[str, Any], pod: dict[str, Any], causes: dict[str, str]) -> None:
    """Add the node selector and the toleration of exclusive placement by node labels."""
    meta = job["metadata"]
    selector = pod["nodeSelector"] = dict(pod.get("nodeSelector") or {})
    selector[NAMESPACED_JOB] = f"{meta['namespace']}_{meta['name']}"
    causes[f"spec.template.spec.nodeSelector[{NAMESPACED_JOB}]"] = causes["metadata.name"]
    tolerations = pod["tolerations"] = [*(pod.get("tolerations") or [])]
    tolerations.append({"key": NO_SCHEDULE, "operator": "Exists", "effect": "NoSchedule"})


def _add_volumes(job_set: dict[str, Any], pod: dict[str, Any], causes: dict[str, str]) -> None:
    """Add the volumes of the claims that the Pod mounts."""
    mounted = mounted_volumes(pod)
    for index, policy in enumerate(job_set["spec"].get("volumeClaimPolicies", ())):
        for position, template in enumerate(policy.get("templates", ())):
            name = template["metadata"].get("name", "")
            if name not in mounted:
                continue
            volumes = pod["volumes"] = pod.get("volumes") or []
            claim = claim_name(job_set["metadata"].get("name", ""), name)
            volumes.append({"name": name, "persistentVolumeClaim": {"claimName": claim}})
            causes[f"spec.template.spec.volumes[{len(volumes) - 1}]"] = (
                f"spec.volumeClaimPolicies[{index}].templates[{position}]"
            )
