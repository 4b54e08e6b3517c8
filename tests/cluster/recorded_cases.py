"""The creates and updates that are put to the API server of every release: see tests/recorded/README.md."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Collection, Iterator
from typing import Any

from cluster.dry_run_server import Server
from cluster.random_manifests import FieldPath, Generator
from jobsworth.api.batch.job import TRACKING_ANNOTATION
from jobsworth.api.declare import Struct
from jobsworth.api.declared_types import struct_below
from jobsworth.api.feature_gates import FEATURE_GATES
from jobsworth.api.kinds import Job

CREATED = "2026-01-01T00:00:00Z"
STARTED = {"startTime": CREATED}
SUSPENDED = {"conditions": [{"type": "Suspended", "status": "True", "lastTransitionTime": CREATED}]}
STATUSES: tuple[dict[str, Any], ...] = (
    STARTED,
    SUSPENDED,
    {**STARTED, **SUSPENDED},
    {},
    {**STARTED, "active": 1, "ready": 0},
    {**STARTED, **SUSPENDED, "active": 1},
    {},
)
"""The statuses of stored Jobs: of running, never started and suspended ones."""

Case = dict[str, Any]

BEHAVIOR: dict[str, tuple[str, ...]] = {
    "ContainerRestartRules": ("containers.restartPolicy", "initContainers.restartPolicy"),
    "DRAExtendedResource": ("containers.resources.limits",),
    "ElasticIndexedJob": ("spec.completions", "spec.parallelism"),
    "EnvFiles": ("env.valueFrom.fileKeyRef",),
    "GitRepoVolumeDriver": ("volumes.gitRepo",),
    "ImageVolume": ("volumes.image", "volumes.image.pullPolicy"),
    "JobMutableNodeSchedulingDirectives": ("template.spec.nodeSelector", "template.spec.affinity"),
    "MatchLabelKeysInPodTopologySpreadSelectorMerge": (
        "topologySpreadConstraints.matchLabelKeys",
        "topologySpreadConstraints.labelSelector",
    ),
    "MutablePodResourcesForSuspendedJobs": (
        "containers.resources.requests",
        "template.metadata.labels",
    ),
    "MutableSchedulingDirectivesForSuspendedJobs": (
        "template.spec.nodeSelector",
        "template.spec.tolerations",
        "template.spec.schedulingGates",
    ),
    "PodDeletionCost": ("template.metadata.annotations",),
    "PodLifecycleSleepActionAllowZero": ("lifecycle.preStop.sleep.seconds",),
    "ProcMountType": ("securityContext.procMount",),
    "RelaxedDNSSearchValidation": ("dnsConfig.searches",),
    "RelaxedEnvironmentVariableValidation": ("env.name", "envFrom.prefix"),
    "RestartAllContainersOnContainerExits": ("containers.restartPolicyRules.action",),
    "SELinuxMount": ("securityContext.seLinuxChangePolicy",),
    "StrictIPCIDRValidation": ("hostAliases.ip", "dnsConfig.nameservers"),
    "TaintTolerationComparisonOperators": ("tolerations.operator", "tolerations.value"),
    "UserNamespacesHostNetworkSupport": ("spec.hostUsers", "spec.hostNetwork"),
    "VolumeAttributesClass": ("volumeClaimTemplate.spec.volumeAttributesClassName",),
}
"""The fields, by the end of their paths, whose treatment depends on a gate that drops no field."""


def gated_paths(generator: Generator) -> dict[str, list[FieldPath]]:
    """Return the paths of a Job that each gate concerns, as far as the generator's schema has them."""
    found: dict[str, list[FieldPath]] = {gate: [] for gate in FEATURE_GATES}
    declared = {path: gate for path, gate in _declared(Job, ()) if gate}
    for path in generator.paths["Job"]:
        for end in range(1, len(path) + 1):
            gate = declared.get(path[:end])
            # Deep below a gated field lies mostly what all volumes and containers have.
            if gate and len(path) - end <= 2:
                found[gate].append(path)
        dotted = "." + ".".join(path)
        for gate, ends in BEHAVIOR.items():
            found[gate] += [path for end in ends if dotted.endswith("." + end)]
    return {gate: paths for gate, paths in found.items() if paths}


def _declared(struct: Struct, path: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    for name, field in struct.fields.items():
        yield (*path, name), field.gate
        if (below := struct_below(field)) is not None:
            yield from _declared(below, (*path, name))


def make_cases(
    oldest: Server, newest: Server, *, count: int, of_a_gate: int, seed: int
) -> Iterator[Case]:
    """Yield stored objects, then creates and updates, the same for the same seed and schemas.

    Args:
        oldest: a server of the oldest recorded release, with every gate on that it has.
        newest: likewise of the newest.
        count: how many creates, and how many updates, whatever they are about.
        of_a_gate: how many creates, and how many updates, are about the fields of each gate.
        seed: of the first object.
    """
    old, new = Generator(oldest.openapi()), Generator(newest.openapi())
    for number in range(count):
        # Every second one has only fields that all the releases have.
        generator = new if number % 2 else old
        yield {"id": f"create-{number}", "object": generator.object(seed + number)}
    stored = list(_stored(oldest, old, seed, count=60))
    yield from stored
    for number in range(count):
        of = stored[number % len(stored)]
        changed = old.change(of["stored"], seed + count + number)
        yield {"id": f"update-{number}", "of": of["id"], "object": changed}
    yield from cases_about_gates(newest, count=of_a_gate, seed=seed)


def cases_about_gates(
    newest: Server, *, count: int, seed: int, known: Collection[str] = ()
) -> Iterator[Case]:
    """Yield stored objects, creates and updates that set the fields of each gate.

    Args:
        newest: a server of the newest recorded release, with every gate on that it has.
        count: how many creates, and how many updates, are about the fields of each gate.
        seed: for each gate, the objects are the same for the same seed and schema.
        known: gates to leave out.
    """
    generator = Generator(newest.openapi())
    for gate, paths in gated_paths(generator).items():
        if gate in known:
            continue
        first = random.Random(f"{seed} {gate}").randrange(10**9)
        for number in range(count):
            made = generator.object(first + number, paths)
            yield {"id": f"create-{gate}-{number}", "gate": gate, "object": made}
        stored = list(_stored(newest, generator, first, count=6, about=paths, name=gate))
        yield from stored
        for number in range(count if stored else 0):
            of = stored[number % len(stored)]
            changed = generator.change(of["stored"], first + number, paths)
            yield {"id": f"update-{gate}-{number}", "gate": gate, "of": of["id"], "object": changed}


def tracking_cases() -> Iterator[Case]:
    """Yield updates that add, keep and remove the annotation of Jobs that are tracked with finalizers.

    Until 1.27 a server adds it to new Jobs, and lets no update add it (KEP-2307).
    """
    for number, noted in enumerate(({}, {TRACKING_ANNOTATION: ""})):
        yield {"id": f"tracked-stored-{number}", "stored": _tracked(number, noted)}
    updates = {
        "tracked-added": (0, {TRACKING_ANNOTATION: ""}),
        "tracked-added-with-value": (0, {TRACKING_ANNOTATION: "yes", "note": "a"}),
        "tracked-never": (0, {"note": "a"}),
        "tracked-kept": (1, {TRACKING_ANNOTATION: "", "note": "a"}),
        "tracked-changed": (1, {TRACKING_ANNOTATION: "no"}),
        "tracked-removed": (1, {}),
    }
    for name, (number, noted) in updates.items():
        changed = _tracked(number, noted)
        del changed["status"]
        yield {"id": name, "of": f"tracked-stored-{number}", "object": changed}


def _tracked(number: int, annotations: dict[str, str]) -> dict[str, Any]:
    """Return a stored Job that was started, with some annotations."""
    name, uid = f"tracked-{number}", str(uuid.UUID(int=number + 1))
    labels = {"controller-uid": uid, "job-name": name}
    container = {
        "name": "main",
        "image": "registry.example.com/tool:1.2",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }
    pod = {
        "containers": [container],
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
    }
    metadata = {"name": name, "namespace": "default", "uid": uid, "creationTimestamp": CREATED}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**metadata, "labels": labels, "annotations": annotations},
        "spec": {
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "suspend": False,
            "selector": {"matchLabels": {"controller-uid": uid}},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
        "status": STARTED,
    }


def _stored(
    server: Server,
    generator: Generator,
    seed: int,
    *,
    count: int,
    about: list[FieldPath] | None = None,
    name: str = "any",
) -> Iterator[Case]:
    """Objects as a server stores them, with statuses that a controller would have written."""
    found = 0
    for number in range(seed, seed + 40 * count):
        manifest = generator.object(number, about or ())
        manifest["metadata"] = {**manifest["metadata"], "name": f"stored-{name.lower()}-{found}"}
        if "finalizers" in manifest["metadata"] or "deletionTimestamp" in manifest["metadata"]:
            continue
        status = STATUSES[found % len(STATUSES)]
        if manifest["kind"] == "Job" and isinstance(manifest.get("spec"), dict):
            manifest["spec"]["suspend"] = found % 3 > 0
        answer = server.create(manifest)
        if answer.code != 201:
            continue
        stored = answer.body
        if stored["kind"] == "Job":
            stored["status"] = status
        stored["metadata"].pop("managedFields", None)
        stored["metadata"].pop("generateName", None)
        stored["metadata"]["creationTimestamp"] = CREATED
        own = str(uuid.UUID(int=random.Random(number).getrandbits(128), version=4))
        stored = json.loads(json.dumps(stored).replace(stored["metadata"]["uid"], own))
        yield {"id": f"{name}-{found}", "stored": stored}
        found += 1
        if found == count:
            return
