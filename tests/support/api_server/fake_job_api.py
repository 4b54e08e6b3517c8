"""An API server in memory, faithful to the real one in everything that a Job controller relies on.

Optimistic locking, UIDs, finalizers and deletion timestamps, the validation of Jobs (the project's
engine) and of their status, watches with bookmarks, and errors on demand. It is one of
:class:`jobsworth.client.api_interface.Api`, without any thread or transport: :mod:`reconciler.fake_http` puts
it behind real HTTP.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import CONTROLLER_UID_LABEL, generated_labels
from jobsworth.client.api_errors import UNREACHABLE, ApiError, ErrorDetail
from jobsworth.client.api_interface import APPLY, JSON, Api
from jobsworth.controller.times import write_time
from jobsworth.validation.engine import engine_for
from support.api_server.merge_patches import merged, strategically_merged
from support.api_server.versioned_store import KINDS, Change, Object, VersionedStore, copied
from support.controller.status_rules import broken_rules

__all__ = ["Call", "Change", "FakeJobApi", "Object", "lost"]
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


class Call(NamedTuple):
    """A call that was made."""

    method: str
    resource: str
    namespace: str
    name: str
    subresource: str
    body: Any


class FakeJobApi(VersionedStore, Api):
    """The server, called in process.

    Args:
        clock: seconds since 1970.
        chance: what names and UIDs are drawn from.

    Attributes:
        calls: all calls that were made.
        rejected: those that validation rejected, with the reason.
        before: called before a call is carried out; may raise, and then it is not.
        after: called afterwards; may raise, and then the answer is lost.
        terminating: namespaces in which nothing can be created.
    """

    def __init__(self, clock: Callable[[], float], chance: random.Random | None = None) -> None:
        super().__init__()
        self.clock = clock
        self.chance = chance or random.Random(0)
        self.calls: list[Call] = []
        self.rejected: list[tuple[Call, ApiError]] = []
        self.before: Callable[[Call], None] = lambda call: None
        self.after: Callable[[Call], None] = lambda call: None
        self.terminating: set[str] = set()
        self._engine = engine_for(ApiServer("1.36"))

    # The API.

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Object:
        """Carry a call out."""
        call = Call(method, *_parsed(path), copied(body))
        with self.changed:
            self.calls.append(call)
            self.before(call)
            try:
                answer = copied(self._carry_out(call, query or {}, content_type))
            except ApiError as error:
                self.rejected.append((call, error))
                raise
            self.after(call)
        return answer

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        """The changes from a version on, as they come, until :meth:`end_watches`."""
        return self.changes_from(_parsed(path)[0], int(query["resourceVersion"]))

    # Carrying out.

    def _carry_out(self, call: Call, query: Mapping[str, str], content_type: str) -> Object:
        match call.method:
            case "GET" if call.name:
                return self._present(call)
            case "GET":
                return self._list(call, query)
            case "POST":
                return self._create(call)
            case "PUT":
                return self._update(call, call.body)
            case "PATCH":
                return self._patch(call, content_type)
            case "DELETE":
                return self._delete(call)
        raise ApiError(405, "MethodNotAllowed", call.method)

    def _present(self, call: Call) -> Object:
        present = self._objects[call.resource].get((call.namespace, call.name))
        if present is None:
            raise ApiError(404, "NotFound", f'{call.resource} "{call.name}" not found')
        return present

    def _list(self, call: Call, query: Mapping[str, str]) -> Object:
        items = [
            item
            for (namespace, _), item in self._objects[call.resource].items()
            if call.namespace in ("", namespace)
        ]
        start, limit = int(query.get("continue", 0)), int(query.get("limit", 0)) or len(items)
        metadata = {"resourceVersion": str(self._version)}
        if start + limit < len(items):
            metadata["continue"] = str(start + limit)
        return {"metadata": metadata, "items": items[start : start + limit]}

    def _create(self, call: Call) -> Object:
        if call.namespace in self.terminating:
            message = f"namespace {call.namespace} is being terminated"
            raise ApiError(
                403, "Forbidden", message, details=(ErrorDetail("NamespaceTerminating"),)
            )
        obj = copied(call.body)
        meta = obj["metadata"]
        if not meta.get("name"):
            suffix = "".join(self.chance.choices(ALPHABET, k=5))
            meta["name"] = meta["generateName"][:58] + suffix
        if (call.namespace, meta["name"]) in self._objects[call.resource]:
            raise ApiError(409, "AlreadyExists", f"{meta['name']} already exists")
        uid = f"{self.chance.getrandbits(128):032x}"
        uid = f"{uid[:8]}-{uid[8:12]}-{uid[12:16]}-{uid[16:20]}-{uid[20:]}"
        created = {"uid": uid, "creationTimestamp": write_time(int(self.clock()))}
        meta |= {**created, "namespace": call.namespace}
        obj["apiVersion"], obj["kind"] = KINDS[call.resource]
        if call.resource == "pods":
            obj["status"] = {"phase": "Pending"}
        if call.resource == "jobs":
            obj = self._new_job(obj)
        return self._put(call.resource, None, obj)

    def _new_job(self, obj: Object) -> Object:
        errors = [finding for finding in self._engine.validate(obj) if finding.severity == "error"]
        if errors:
            raise ApiError(422, "Invalid", "; ".join(f"{e.field}: {e.message}" for e in errors))
        job = {**self._engine.default(obj), "metadata": obj["metadata"], "status": {}}
        job["metadata"]["generation"] = 1
        spec = job["spec"]
        if not spec.get("manualSelector"):
            labels = spec["template"].setdefault("metadata", {}).setdefault("labels", {})
            labels |= generated_labels(job)
            spec["selector"] = {"matchLabels": {CONTROLLER_UID_LABEL: job["metadata"]["uid"]}}
        return job

    def _update(self, call: Call, body: Object) -> Object:
        present = self._present(call)
        given = body["metadata"].get("resourceVersion")
        if given not in (None, present["metadata"]["resourceVersion"]):
            raise ApiError(409, "Conflict", "the object has been modified")
        if body["metadata"].get("uid", present["metadata"]["uid"]) != present["metadata"]["uid"]:
            raise ApiError(409, "Conflict", "the UID in the precondition does not match")
        changed = {**copied(body), "apiVersion": present["apiVersion"]}
        changed["kind"] = present["kind"]
        changed["metadata"] = self._kept_metadata(present, changed["metadata"])
        if call.subresource == "status":
            changed["spec"] = present["spec"]
            if call.resource == "jobs":
                new, old = changed.get("status") or {}, present["status"]
                rejected = broken_rules(present["spec"], old, new)
                if rejected:
                    raise ApiError(422, "Invalid", "; ".join(rejected))
        elif call.resource in ("jobs", "pods"):
            changed["status"] = present.get("status", {})
        if call.resource == "jobs" and changed["spec"] != present["spec"]:
            self._check_update(changed, present)
            changed["metadata"]["generation"] += 1
        return self._put(call.resource, present, changed)

    def _check_update(self, changed: Object, present: Object) -> None:
        errors = [
            finding
            for finding in self._engine.validate(changed, present)
            if finding.severity == "error"
        ]
        if errors:
            raise ApiError(422, "Invalid", "; ".join(f"{e.field}: {e.message}" for e in errors))

    def _kept_metadata(self, present: Object, given: Object) -> Object:
        old = present["metadata"]
        fixed = ("uid", "creationTimestamp", "namespace", "name", "generation", "generateName",
                 "deletionTimestamp", "deletionGracePeriodSeconds")  # fmt: skip
        kept = {**given, **{key: old[key] for key in fixed if key in old}}
        if "deletionTimestamp" in old:
            added = set(kept.get("finalizers") or ()) - set(old.get("finalizers") or ())
            if added:
                raise ApiError(422, "Invalid", "no finalizer can be added to what is being deleted")
        return kept

    def _patch(self, call: Call, content_type: str) -> Object:
        if (
            content_type == APPLY
            and (call.namespace, call.name) not in self._objects[call.resource]
        ):
            return self._create(call)
        present = self._present(call)
        wanted = (call.body.get("metadata") or {}).get("uid")
        if wanted not in (None, present["metadata"]["uid"]):
            message = f'metadata.uid: Invalid value: "{wanted}": field is immutable'
            raise ApiError(422, "Invalid", message)
        merge = strategically_merged if "strategic" in content_type else merged
        return self._update(call, merge(present, call.body))

    def _delete(self, call: Call) -> Object:
        present = self._present(call)
        options = call.body or {}
        uid = (options.get("preconditions") or {}).get("uid")
        if uid not in (None, present["metadata"]["uid"]):
            raise ApiError(409, "Conflict", "the UID in the precondition does not match")
        if call.resource == "jobs":
            present = self._prepare_job_deletion(present, options.get("propagationPolicy"))
        grace = self._grace(call.resource, present, options.get("gracePeriodSeconds"))
        deleting = copied(present)
        meta = deleting["metadata"]
        if "deletionTimestamp" not in meta:
            meta["deletionTimestamp"] = write_time(int(self.clock()) + grace)
            meta["deletionGracePeriodSeconds"] = grace
        elif grace < meta["deletionGracePeriodSeconds"]:
            meta["deletionGracePeriodSeconds"] = grace
        return self._put(call.resource, present, deleting)

    def _grace(self, resource: str, present: Object, requested: int | None) -> int:
        """Remove a Pod that runs on a node only once the kubelet deletes it with a period of 0."""
        if resource != "pods" or not present["spec"].get("nodeName"):
            return 0
        if present["status"].get("phase") in ("Succeeded", "Failed"):
            return 0
        return 30 if requested is None else requested

    def _prepare_job_deletion(self, job: Object, policy: str | None) -> Object:
        if policy == "Foreground":
            finalizers = [*(job["metadata"].get("finalizers") or ()), "foregroundDeletion"]
            return self._put("jobs", job, merged(job, {"metadata": {"finalizers": finalizers}}))
        if policy != "Background":  # batch/v1 orphans the Pods by default
            for pod in self._dependents(job["metadata"]["uid"]):
                others = [
                    owner
                    for owner in pod["metadata"]["ownerReferences"]
                    if owner["uid"] != job["metadata"]["uid"]
                ]
                self._put("pods", pod, merged(pod, {"metadata": {"ownerReferences": others}}))
        return job

    def collect_garbage(self) -> None:
        """Do what the garbage collector does: delete Pods whose Job is gone or waits for them."""
        with self.changed:
            jobs = {job["metadata"]["uid"]: job for job in self._objects["jobs"].values()}
            for pod in list(self._objects["pods"].values()):
                owners = pod["metadata"].get("ownerReferences") or ()
                job = jobs.get(owners[0]["uid"]) if owners else None
                waiting = job is not None and "deletionTimestamp" in job["metadata"]
                if (
                    owners
                    and (job is None or waiting)
                    and "deletionTimestamp" not in pod["metadata"]
                ):
                    meta = pod["metadata"]
                    self._delete(Call("DELETE", "pods", meta["namespace"], meta["name"], "", None))
            for job in jobs.values():
                finalizers = job["metadata"].get("finalizers") or []
                if "foregroundDeletion" in finalizers and not self._dependents(
                    job["metadata"]["uid"]
                ):
                    left = [name for name in finalizers if name != "foregroundDeletion"]
                    self._put("jobs", job, merged(job, {"metadata": {"finalizers": left}}))

    def _dependents(self, uid: str) -> list[Object]:
        return [
            pod
            for pod in self._objects["pods"].values()
            if any(owner["uid"] == uid for owner in pod["metadata"].get("ownerReferences") or ())
        ]


def _parsed(path: str) -> tuple[str, str, str, str]:
    """Resource, namespace, name and subresource of a path."""
    parts = path.strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:]
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 2:
        namespace, parts = parts[1], parts[2:]
    resource, name, subresource = (*parts, "", "")[:3]
    if resource not in KINDS:
        raise ApiError(404, "NotFound", f"no such resource: {path}")
    return resource, namespace, name, subresource


def lost(call: Call) -> None:
    """For ``before`` or ``after``: no answer comes."""
    raise ApiError(UNREACHABLE, "", f"{call.method} {call.resource}: connection reset")
