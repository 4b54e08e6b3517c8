"""Paths of API resources, and resourceVersions."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

CORE = "/api/v1"
BATCH = "/apis/batch/v1"
COORDINATION = "/apis/coordination.k8s.io/v1"


def resource_path(group: str, resource: str, namespace: str = "", name: str = "") -> str:
    """Return the path of one object, or of a collection.

    >>> resource_path(CORE, "pods", "batch", "train-0")
    '/api/v1/namespaces/batch/pods/train-0'

    Args:
        group: the path of the API group and version.
        resource: the plural name of the resource.
        namespace: empty for a cluster-scoped resource, or for the objects of all namespaces.
        name: empty for all objects.
    """
    within = f"/namespaces/{_segment(namespace)}" if namespace else ""
    return f"{group}{within}/{resource}" + (f"/{_segment(name)}" if name else "")


def _segment(name: str) -> str:
    """Return a name as one segment of a path: urllib3 resolves ``..``, which would name another resource."""
    return quote(name, safe="") if name.strip(".") else name.replace(".", "%2E")


def pods_path(namespace: str, name: str = "") -> str:
    """Return the path of a namespace's Pods, or of one; of all namespaces' Pods if none is given."""
    return resource_path(CORE, "pods", namespace, name)


def jobs_path(namespace: str, name: str = "") -> str:
    """Return the path of a namespace's Jobs, or of one; of all namespaces' Jobs if none is given."""
    return resource_path(BATCH, "jobs", namespace, name)


def events_path(namespace: str, name: str = "") -> str:
    """Return the path of a namespace's events, or of one."""
    return resource_path(CORE, "events", namespace, name)


def namespaces_path(name: str = "") -> str:
    """Return the path of the namespaces, or of one."""
    return resource_path(CORE, "namespaces", name=name)


def resource_version(obj: Any) -> int:
    """Return the resourceVersion of an object or list as a number; 0 if it has none.

    Two versions of one resource can be compared: the API guarantees this since Kubernetes 1.35 (KEP-5504),
    and the revisions of etcd have always been increasing numbers.
    """
    text = (obj.get("metadata") or {}).get("resourceVersion") if isinstance(obj, dict) else None
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 20 else 0
