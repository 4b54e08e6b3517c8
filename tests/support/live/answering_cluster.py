"""A cluster in memory that answers reads by path: selectors, pages, logs, and errors on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from support.replay.recorded_jobs import UID, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]


def a_job(uid: str = UID, version: int = 1, end: str = "", **status: Any) -> Object:
    """Return the Job ``batch/train`` as an API server stores it.

    Args:
        end: the type of its last condition; empty for an unfinished Job.
    """
    reason = "CompletionsReached" if end == "Complete" else "BackoffLimitExceeded"
    value = stored(job(), (9, end, reason) if end else None, **status)
    value["metadata"] |= {"namespace": "batch", "uid": uid, "resourceVersion": str(version)}
    return value


class Rejected(Exception):
    """The error of a client of another library, which carries the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class AnsweringCluster:
    """Is called with a path and its query, as ``get`` of a user's program.

    Attributes:
        objects: by collection, such as ``jobs``.
        logs: the text of each Pod's log.
        denied: collections that RBAC denies.
        versions: those that are served of an API group; others have all.
        requests: the paths so far, with their query.
    """

    def __init__(self, *objects: Object) -> None:
        self.objects: dict[str, list[Object]] = {}
        self.logs: dict[str, str] = {}
        self.denied: set[str] = set()
        self.versions: dict[str, str] = {}
        self.requests: list[str] = []
        self.before: Callable[[str], None] = lambda path: None
        self.add(*objects)

    def add(self, *objects: Object) -> None:
        for each in objects:
            self.objects.setdefault(f"{each['kind'].lower()}s", []).append(each)

    def __call__(self, path: str) -> Any:
        self.requests.append(path)
        self.before(path)
        split = urlsplit(path)
        query = dict(parse_qsl(split.query))
        parts = [unquote(each) for each in split.path.split("/")]
        group, version = parts[2:4]
        if self.versions.get(group, version) != version:
            raise Rejected(404, "the server could not find the requested resource")
        at = parts.index("namespaces") if "namespaces" in parts else None
        namespace, collection, *rest = ("", *parts[4:]) if at is None else parts[at + 1 :]
        if collection in self.denied or (rest[1:] == ["log"] and "log" in self.denied):
            raise Rejected(403, f"{collection} is forbidden")
        stored = [
            each
            for each in self.objects.get(collection, [])
            if at is None or (each["metadata"].get("namespace") or "default") == namespace
        ]
        if not rest:
            return _page(stored, query)
        if rest[1:] == ["log"]:
            if rest[0] not in self.logs:
                raise Rejected(404, "no log")
            return self.logs[rest[0]]
        for each in stored:
            if each["metadata"]["name"] == rest[0]:
                return each
        raise Rejected(404, f'{collection} "{rest[0]}" not found')


def _page(stored: list[Object], query: dict[str, str]) -> Object:
    chosen = [each for each in stored if _selected(each, query)]
    start, limit = int(query.get("continue") or 0), int(query.get("limit") or len(chosen) or 1)
    more = start + limit < len(chosen)
    metadata = {"resourceVersion": "7", **({"continue": str(start + limit)} if more else {})}
    return {"metadata": metadata, "items": chosen[start : start + limit]}


def _selected(value: Object, query: dict[str, str]) -> bool:
    labels = value["metadata"].get("labels") or {}
    for each in filter(None, query.get("labelSelector", "").split(",")):
        key, _, wanted = each.partition("=")
        if labels.get(key) != wanted:
            return False
    for each in filter(None, query.get("fieldSelector", "").split(",")):
        path, _, wanted = each.replace("!=", "=!").partition("=")
        found: Any = value
        for part in path.split("."):
            found = (found or {}).get(part)
        if (found == wanted.removeprefix("!")) == wanted.startswith("!"):
            return False
    return True
