"""Actions of users on Jobs, and on Pods of Jobs by hand."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import jobs_path, pods_path
from model.object_fields import deleting
from model.random_job_specs import draw_job
from model.recording_server import NAMESPACE, Server

Object = dict[str, Any]
FOREIGN_MANAGER = "example.com/other"
SHARED_LABEL = "app"


class User:
    """A user of the cluster. Each step describes what it did.

    Args:
        manager: the managedBy of the Jobs that are ours, None for none.

    Attributes:
        shared_label: all Jobs select by the same label.
    """

    def __init__(self, server: Server, manager: str | None) -> None:
        self.server = server
        self.manager = manager
        self.shared_label = False

    def create(self, chance: random.Random, name: str, manager: str | None = None) -> str | None:
        """Create a Job, if its name is free."""
        if self.server.find("jobs", name) is not None:
            return None
        body = draw_job(chance, name, manager or self.manager)
        if self.shared_label:
            labels = {SHARED_LABEL: NAMESPACE}
            body["spec"] |= {"manualSelector": True, "selector": {"matchLabels": labels}}
            body["spec"]["template"]["metadata"]["labels"] = {**labels, "job": name}
        try:
            self.server.request("POST", jobs_path(NAMESPACE), body)
        except ApiError as error:
            return f"cannot create {name}: {error}"
        return f"creates {name}: {body['spec']}"

    def recreate(self, chance: random.Random) -> str | None:
        """Create a Job of the same name again, perhaps one of another controller."""
        return self.create(chance, "train", FOREIGN_MANAGER if chance.random() < 0.15 else None)

    def suspend(self, chance: random.Random) -> str | None:
        """Suspend a Job, or resume it."""
        return self._edit(chance, lambda spec: {"suspend": not spec.get("suspend", False)})

    def scale(self, chance: random.Random) -> str | None:
        """Want more or fewer Pods; of an elastic Job more or fewer indexes too."""

        def change(spec: Object) -> Object:
            size = chance.randint(0, 4)
            elastic = spec.get("completions") == spec["parallelism"]
            if spec["completionMode"] == "Indexed" and elastic:
                return {"parallelism": size, "completions": size}
            return {"parallelism": size}

        return self._edit(chance, change)

    def limit(self, chance: random.Random) -> str | None:
        """Change a limit, or when Pods are replaced."""

        def change(spec: Object) -> Object:
            edits: list[Object] = [
                {"backoffLimit": chance.choice([0, 1, 3, 6])},
                {"activeDeadlineSeconds": chance.choice([None, 1, 30, 300])},
            ]
            if "podFailurePolicy" not in spec:
                policy = chance.choice(["Failed", "TerminatingOrFailed"])
                edits.append({"podReplacementPolicy": policy})
            if "backoffLimitPerIndex" in spec:
                most = chance.randint(0, spec["completions"])
                edits.append({"maxFailedIndexes": chance.choice([None, most])})
            return chance.choice(edits)

        return self._edit(chance, change)

    def delete(self, chance: random.Random) -> str | None:
        """Delete a Job, in one of the three ways."""
        job = self._one(chance)
        if job is None:
            return None
        name, policy = (
            job["metadata"]["name"],
            chance.choice(["Foreground", "Background", "Orphan"]),
        )
        self.server.request("DELETE", jobs_path(NAMESPACE, name), {"propagationPolicy": policy})
        return f"deletes {name}, {policy}"

    def meddle(self, chance: random.Random) -> str | None:
        """Take a Pod's label or its owner from it, or give the label back."""
        pods = self.server.stored("pods")
        if not pods:
            return None
        pod = chance.choice(pods)
        meta = pod["metadata"]
        labels = dict(meta["labels"])
        key = "batch.kubernetes.io/controller-uid" if "controller-uid" in labels else SHARED_LABEL
        what = chance.choice(["label", "owner", "owner"])
        if what == "owner":
            if not meta.get("ownerReferences"):
                return None
            patch: Object = {"ownerReferences": []}
        elif key in labels:
            patch = {"labels": {key: None}}
        else:
            patch = {"labels": {key: labels.get("controller-uid", NAMESPACE)}}
        self.server.change("pods", NAMESPACE, meta["name"], {"metadata": patch})
        return f"changes the {what} of {meta['name']}: {patch}"

    def strip(self, chance: random.Random) -> str | None:
        """Take the tracking finalizer off a Pod by hand."""
        pods = [
            pod
            for pod in self.server.stored("pods")
            if any(
                name.endswith("/job-tracking") for name in pod["metadata"].get("finalizers") or ()
            )
        ]
        if not pods:
            return None
        meta = chance.choice(pods)["metadata"]
        left = [name for name in meta["finalizers"] if not name.endswith("/job-tracking")]
        self.server.change("pods", NAMESPACE, meta["name"], {"metadata": {"finalizers": left}})
        description = f"takes the finalizer off {meta['name']}"
        if chance.random() < 0.7 and self.server.find("pods", meta["name"]) is not None:
            path = pods_path(NAMESPACE, meta["name"])
            self.server.request("DELETE", path, {"gracePeriodSeconds": 0})
            description += ", and deletes it by force"
        return description

    def note(self, chance: random.Random) -> str | None:
        """Another controller adds a condition of its own to a Job."""
        job = self._one(chance)
        if job is None:
            return None
        conditions = job["status"].get("conditions") or []
        noted = [*conditions, {"type": f"example.com/n{len(conditions)}", "status": "True"}]
        self.server.change(
            "jobs", NAMESPACE, job["metadata"]["name"], {"status": {"conditions": noted}}
        )
        return f"adds a condition to {job['metadata']['name']}"

    def _edit(self, chance: random.Random, change: Callable[[Object], Object]) -> str | None:
        job = self._one(chance)
        if job is None:
            return None
        name, spec = job["metadata"]["name"], change(job["spec"])
        try:
            self.server.request("PATCH", jobs_path(NAMESPACE, name), {"spec": spec})
        except ApiError as error:
            return f"cannot edit {name}: {error}"
        return f"edits {name}: {spec}"

    def _one(self, chance: random.Random) -> Object | None:
        jobs = [job for job in self.server.stored("jobs") if not deleting(job)]
        return chance.choice(jobs) if jobs else None
