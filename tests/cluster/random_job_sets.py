"""Random JobSets, valid and broken, from the schema that an API server publishes of the CRD."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any, ClassVar

from cluster.random_manifests import Generator

NAMES = ("leader", "workers", "ps", "a", "driver-1")
ODD_NAMES = ("", "Workers", "a_b", "1st", "a.b", "x" * 30, "x" * 50, "w-")
REASONS = ("BackoffLimitExceeded", "PodFailurePolicy", "FailedIndexes", "Whatever")
ACTIONS = ("FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts")
KNOWN: dict[str, list[Any]] = {
    "operator": ["All", "Any", "In", "NotIn", "Exists", "all"],
    "startupPolicyOrder": ["AnyOrder", "InOrder", "inOrder"],
    "restartStrategy": ["Recreate", "BlockingRecreate", "InPlaceRestart", "recreate"],
    "action": [*ACTIONS, "RestartJob", "FailJob", "Ignore", "Count"],
    "onJobFailureReasons": [["PodFailurePolicy"], ["Whatever"], []],
    "targetReplicatedJobs": [["workers"], ["nobody"], [], ["leader", "workers"]],
    "whenDeleted": ["Delete", "Retain", "Keep"],
    "managedBy": ["acme.io/jobs", "x", "", "kueue.x-k8s.io/multikueue", "a.b/" + "c" * 80],
    "groupName": ["default", "workers", "A", "g" * 64, ""],
    "subdomain": ["net", "Net", "a.b", "n" * 64, "1a", ""],
    "replicas": [1, 2, 0, -1, 3, 2**31 - 1],
    "jobIndex": [0, 1, -1, 5],
    "podIndex": [0, 1, -1, 5],
    "dependsOn": [
        [],
        [{"name": "workers", "status": "Ready"}],
        [{"name": "leader", "status": "Done"}],
    ],
}
"""The values of fields of JobSet that the cases of Jobs do not have."""

EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
BY_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector"


class JobSetGenerator(Generator):
    """Makes JobSets.

    Args:
        openapi: the document at ``/openapi/v3/apis/jobset.x-k8s.io/v1alpha2``.
    """

    kinds: ClassVar[dict[str, str]] = {"JobSet": "io.x-k8s.jobset.v1alpha2.JobSet"}

    def __init__(self, openapi: dict[str, Any]) -> None:
        super().__init__(as_built_in(openapi))
        self._known.update(KNOWN)
        self._own = [
            path for path in self.paths["JobSet"] if "template" not in path and path[0] == "spec"
        ]
        self._of_template = [path for path in self.paths["JobSet"] if "template" in path]

    def object(self, seed: int, about: Any = ()) -> dict[str, Any]:
        """A JobSet to create; the same for the same seed and schema."""
        rng = random.Random(seed)
        made = self._job_set(rng)
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            self._set_some(rng, made)
        for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
            self._spoil(rng, made)
        return made

    def change(self, stored: dict[str, Any], seed: int, about: Any = ()) -> dict[str, Any]:
        """A stored JobSet with some of it changed, to update it."""
        rng = random.Random(seed)
        changed = copy.deepcopy(stored)
        changed["metadata"].pop("managedFields", None)
        if rng.random() < 0.4:
            changed["spec"]["suspend"] = rng.random() < 0.7
        for _ in range(rng.choice((0, 1, 1, 2))):
            self._change_one(rng, changed)
        return changed

    def _change_one(self, rng: random.Random, changed: dict[str, Any]) -> None:
        spec = changed["spec"]
        draw = rng.random()
        if draw < 0.35:
            for template in _pod_templates(spec):
                what = rng.choice(("nodeSelector", "labels", "annotations", "tolerations", "other"))
                if what == "nodeSelector":
                    template["spec"]["nodeSelector"] = {"disk": "ssd"}
                elif what == "tolerations":
                    template["spec"]["tolerations"] = [{"operator": "Exists"}]
                elif what != "other":
                    template["metadata"] = {what: {"team": "a"}}
                else:
                    template["spec"]["hostNetwork"] = True
        elif draw < 0.5:
            spec.pop(rng.choice(("network", "successPolicy", "startupPolicy", "managedBy")), None)
        elif draw < 0.8:
            self._set_some(rng, changed)
        else:
            self._spoil(rng, changed)

    def _set_some(self, rng: random.Random, made: dict[str, Any]) -> None:
        paths = self._own if rng.random() < 0.4 else self._of_template
        path = rng.choice(paths)
        # Of the thousand paths of a Pod, most are those of volumes and of the three kinds of containers.
        for _ in range(2):
            if len(path) > 7:
                path = rng.choice(paths)
        self._set_at(rng, made, "JobSet", path)

    def _job_set(self, rng: random.Random) -> dict[str, Any]:
        names = rng.sample(NAMES, rng.choice((1, 1, 2, 2, 3)))
        if rng.random() < 0.08:
            names[-1] = rng.choice(ODD_NAMES)
        spec: dict[str, Any] = {"replicatedJobs": [self._job(rng, name) for name in names]}
        first, last = spec["replicatedJobs"][0], spec["replicatedJobs"][-1]
        if rng.random() < 0.2:
            last["dependsOn"] = [
                {"name": rng.choice(names), "status": rng.choice(("Ready", "Complete", "Ready"))}
            ]
        if rng.random() < 0.1:
            spec["startupPolicy"] = {"startupPolicyOrder": rng.choice(("InOrder", "AnyOrder"))}
        if rng.random() < 0.2:
            spec["successPolicy"] = {
                "operator": rng.choice(("All", "Any")),
                "targetReplicatedJobs": [rng.choice((*names, "nobody"))],
            }
        if rng.random() < 0.3:
            spec["failurePolicy"] = self._failure_policy(rng, names)
        if rng.random() < 0.2:
            spec["network"] = {
                "enableDNSHostnames": rng.random() < 0.6,
                "subdomain": rng.choice(("net", "net", "Net", "n" * 64)),
            }
        if rng.random() < 0.15:
            spec["coordinator"] = {
                "replicatedJob": rng.choice((*names, "nobody")),
                "jobIndex": rng.choice((0, 0, 1)),
                "podIndex": rng.choice((0, 0, 9)),
            }
        if rng.random() < 0.15:
            spec["volumeClaimPolicies"] = [self._claims(rng, first)]
        if rng.random() < 0.15:
            spec["suspend"] = rng.random() < 0.7
        metadata: dict[str, Any] = {"name": rng.choice(("sample", "train-42"))}
        if rng.random() < 0.1:
            metadata["name"] = rng.choice(("a.b", "x" * 45, "x" * 56, "x" * 60, "1st"))
        elif rng.random() < 0.05:
            metadata = {"generateName": rng.choice(("sample-", "x" * 50))}
        if rng.random() < 0.1:
            metadata["annotations"] = {EXCLUSIVE: "zone", BY_SELECTOR: "true"}
        return {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": metadata,
            "spec": spec,
        }

    def _job(self, rng: random.Random, name: str) -> dict[str, Any]:
        pod: dict[str, Any] = {"containers": [{"name": "main", "image": "busybox:1.36"}]}
        spec: dict[str, Any] = {"template": {"spec": pod}}
        if rng.random() < 0.4:
            pod["restartPolicy"] = rng.choice(("Never", "Never", "OnFailure", "Always"))
        if rng.random() < 0.5:
            spec |= {"completions": rng.choice((1, 3, 12)), "parallelism": rng.choice((1, 2))}
        elif rng.random() < 0.2:
            spec["parallelism"] = 2
        if rng.random() < 0.15:
            spec["completionMode"] = rng.choice(("NonIndexed", "Indexed"))
        if rng.random() < 0.15:
            spec["backoffLimitPerIndex"] = 1
        if rng.random() < 0.15:
            on = {"operator": "In", "values": rng.choice(([42], [42, 42], [0]))}
            spec["podFailurePolicy"] = {"rules": [{"action": "FailJob", "onExitCodes": on}]}
        if rng.random() < 0.2:
            pod["volumes"] = [{"name": "data", "emptyDir": {}}]
        if rng.random() < 0.1:
            pod["containers"][0]["resources"] = {"limits": {"cpu": 0.5, "memory": "1024Mi"}}
        if rng.random() < 0.1:
            # What the Go types omit when it is encoded.
            pod |= {"hostNetwork": False, "nodeSelector": {}, "initContainers": []}
        job: dict[str, Any] = {"name": name, "template": {"spec": spec}}
        if rng.random() < 0.4:
            job["replicas"] = rng.choice((1, 2, 3, 12))
        if rng.random() < 0.1:
            job["template"]["metadata"] = {
                "labels": {"app": "x"},
                "annotations": {EXCLUSIVE: "rack", BY_SELECTOR: "true"},
            }
        return job

    def _failure_policy(self, rng: random.Random, names: list[str]) -> dict[str, Any]:
        rules = []
        for index in range(rng.choice((0, 1, 2))):
            rule: dict[str, Any] = {"action": rng.choice(ACTIONS)}
            if rng.random() < 0.5:
                rule["name"] = rng.choice((f"rule{index}", "same", "-", "r" * 129))
            if rng.random() < 0.5:
                rule["onJobFailureReasons"] = [rng.choice(REASONS)]
            if rng.random() < 0.4:
                rule["targetReplicatedJobs"] = [rng.choice((*names, "nobody"))]
            rules.append(rule)
        policy: dict[str, Any] = {"maxRestarts": rng.choice((0, 3)), "rules": rules}
        if rng.random() < 0.2:
            policy["restartStrategy"] = rng.choice(("Recreate", "BlockingRecreate"))
        return policy

    def _claims(self, rng: random.Random, job: dict[str, Any]) -> dict[str, Any]:
        name = rng.choice(("cache", "cache", "data", "Bad", "c" * 58))
        if rng.random() < 0.8:
            container = job["template"]["spec"]["template"]["spec"]["containers"][0]
            container["volumeMounts"] = [{"name": name, "mountPath": "/cache"}]
        claim = {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": rng.choice(("1Gi", "1024Mi", 1))}},
        }
        return {"templates": [{"metadata": {"name": name}, "spec": claim}]}


def _pod_templates(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the Pod templates of a stored JobSet, as far as it was not spoiled meanwhile."""
    for job in spec.get("replicatedJobs") or ():
        template: Any = job
        for step in ("template", "spec", "template"):
            template = template.get(step) if isinstance(template, dict) else None
        if isinstance(template, dict) and isinstance(template.get("spec"), dict):
            yield template


def as_built_in(schema: Any) -> Any:
    """Return the schema of a CRD with quantities and int-or-strings as the schemas of built-in kinds have them."""
    if isinstance(schema, list):
        return [as_built_in(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string") is True:
        alike = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
        return alike if "pattern" in schema else {**alike, "format": "int-or-string"}
    return {name: as_built_in(part) for name, part in schema.items()}
