"""Situations from published reports, written compactly, as the objects that an API server has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parents[2] / "runs" / "why" / "data" / "situations.yaml"
UID = "job-uid"
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}")

Object = dict[str, Any]


def situations() -> list[Object]:
    """Return the situations, each with ``items``, as kubectl prints them."""
    found: list[Object] = _dated(yaml.safe_load(DATA.read_text(encoding="utf-8")))
    return [{**each, "items": list(_items(each))} for each in found]


def _dated(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _dated(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_dated(part) for part in value]
    if isinstance(value, str) and _TIME.fullmatch(value):
        return f"2027-01-01T{value}Z"
    return value


def _items(situation: Object) -> list[Object]:
    job, pods = situation["job"], situation.get("pods") or []
    name = (pods[0]["name"] if pods else "job-").rpartition("-")[0] or "job"
    meta = {"name": name, "namespace": "batch", "uid": UID, "creationTimestamp": _dated("00:00:00")}
    template = {
        "restartPolicy": job.get("restart") or "Never",
        "containers": job["containers"],
        **({"volumes": job["volumes"]} if "volumes" in job else {}),
    }
    status = {"startTime": _dated("00:00:00"), **(job.get("status") or {})}
    if "end" in job:
        kind, reason, at, *message = job["end"]
        condition = {"type": kind, "status": "True", "reason": reason, "lastTransitionTime": at}
        status["conditions"] = [{**condition, "message": "".join(message)}]
    value = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**meta, "labels": job.get("labels") or {}},
        "spec": {**(job.get("spec") or {}), "template": {"spec": template}},
        "status": status,
    }
    events = [_event(each, name) for each in situation.get("events") or []]
    if "now" in situation:
        seen = {"kind": "Job", "reason": "Seen", "message": "", "at": situation["now"]}
        events.append(_event(seen, name))
    return [value, *(_pod(each, name, template) for each in pods), *events]


def _pod(given: Object, job: str, template: Object) -> Object:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": UID, "controller": True}
    meta: Object = {
        "name": given["name"],
        "namespace": "batch",
        "uid": f"uid-{given['name']}",
        "creationTimestamp": _dated("00:00:00"),
        "labels": {"batch.kubernetes.io/job-name": job},
        "ownerReferences": [owner],
    }
    if "index" in given:
        index = "batch.kubernetes.io/job-completion-index"
        meta["annotations"] = {index: str(given["index"])}
    for key in ("finalizers", "deletionTimestamp"):
        if key in given:
            meta[key] = given[key]
    if "deletionTimestamp" in given:
        meta["deletionGracePeriodSeconds"] = given.get("grace", 30)
    status: Object = {"phase": given["phase"], "conditions": given.get("conditions") or []}
    if "containers" in given:
        status["containerStatuses"] = given["containers"]
    if "init" in given:
        status["initContainerStatuses"] = given["init"]
    spec = {**template, "schedulerName": "default-scheduler", **(given.get("spec") or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status}


def _event(given: Object, job: str) -> Object:
    name = given.get("name") or job
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{given['reason']}.{given['at']}", "namespace": "batch"},
        "involvedObject": {"kind": given["kind"], "name": name, "namespace": "batch"},
        "type": given.get("type") or "Normal",
        "reason": given["reason"],
        "message": given["message"],
        "lastTimestamp": given["at"],
        "count": given.get("count") or 1,
    }
