"""An API server as far as an audit needs one: lists in pages, versions, namespaces, and faults on demand."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import yaml

Fault = Callable[[str, dict[str, str]], tuple[int, Any] | None]
"""A fault: status and body to answer for a path and query; None for the true answer."""


class FakeListServer:
    """Answers over plain HTTP on a port of its own.

    Attributes:
        jobs, cron_jobs, pods: what is stored; complete objects. Field selectors of Pods are ignored.
        emitted: Events about them, of other components.
        leases: by namespace/name.
        namespaces: labels by name.
        version: major and minor.
        faults: called in turn; the first that answers wins.
        requests: paths and queries so far.
        headers: of the last request.
        events: that were created, by name.
    """

    def __init__(self) -> None:
        self.jobs: list[dict[str, Any]] = []
        self.cron_jobs: list[dict[str, Any]] = []
        self.pods: list[dict[str, Any]] = []
        self.emitted: list[dict[str, Any]] = []
        self.leases: dict[str, dict[str, Any]] = {}
        self.namespaces: dict[str, dict[str, str]] = {"default": {}}
        self.version = ("1", "36")
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.headers: dict[str, str] = {}
        self.events: dict[str, dict[str, Any]] = {}
        self.url = ""

    def kubeconfig(self, folder: Path, **user: Any) -> Path:
        """A kubeconfig with the contexts ``test`` (the current one) and ``other``."""
        cluster = {"name": "c", "cluster": {"server": self.url}}
        contexts = [
            {"name": "test", "context": {"cluster": "c", "user": "u"}},
            {"name": "other", "context": {"cluster": "c", "user": "u", "namespace": "batch"}},
        ]
        file = folder / "kubeconfig"
        whole = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [cluster],
            "users": [{"name": "u", "user": user}],
            "contexts": contexts,
            "current-context": "test",
        }
        file.write_text(yaml.safe_dump(whole), encoding="utf-8")
        return file

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        self.requests.append((path, query))
        for fault in self.faults:
            found = fault(path, query)
            if found is not None:
                return found
        if path == "/version":
            return 200, {"major": self.version[0], "minor": self.version[1]}
        *_, last = parts = path.strip("/").split("/")
        if parts[:2] == ["api", "v1"] and last in ("pods", "events"):
            return 200, page(self._selected(last, parts, query), query)
        if parts[:2] == ["apis", "coordination.k8s.io"]:
            lease = self.leases.get(f"{parts[4]}/{last}")
            return (404, status(404, "NotFound", "no lease")) if lease is None else (200, lease)
        if parts[:3] == ["api", "v1", "namespaces"]:
            return self._namespaces(parts[3:], query)
        if parts[:3] == ["apis", "batch", "v1"] and parts[5:6] == ["jobs"] and len(parts) == 7:
            found = [each for each in self.jobs if each["metadata"]["name"] == last]
            return (200, found[0]) if found else (404, status(404, "NotFound", "no Job"))
        if parts[:3] != ["apis", "batch", "v1"] or last not in ("jobs", "cronjobs"):
            return 404, status(404, "NotFound", "the server could not find the requested resource")
        stored = self.jobs if last == "jobs" else self.cron_jobs
        if "namespaces" in parts:
            stored = [each for each in stored if each["metadata"]["namespace"] == parts[4]]
        return 200, page(stored, query)

    def _selected(
        self, resource: str, parts: list[str], query: dict[str, str]
    ) -> list[dict[str, Any]]:
        found = self.pods if resource == "pods" else self.emitted
        if "namespaces" in parts:
            found = [each for each in found if each["metadata"]["namespace"] == parts[3]]
        if resource == "events":
            wanted = [each.partition("=")[::2] for each in query["fieldSelector"].split(",")]
            found = [each for each in found if all(_field(each, *pair) for pair in wanted)]
        return found

    def create(self, path: str, event: dict[str, Any]) -> tuple[int, Any]:
        """Store an Event."""
        self.requests.append((path, {}))
        for fault in self.faults:
            found = fault(path, {})
            if found is not None:
                return found
        name = event["metadata"]["name"]
        if name in self.events:
            return 409, status(409, "AlreadyExists", f'events "{name}" already exists')
        self.events[name] = event
        return 201, event

    def _namespaces(self, name: list[str], query: dict[str, str]) -> tuple[int, Any]:
        found = [
            {"metadata": {"name": each, "labels": labels}}
            for each, labels in self.namespaces.items()
        ]
        if not name:
            return 200, page(found, query)
        named = [each for each in found if each["metadata"]["name"] == name[0]]
        return (
            (200, named[0])
            if named
            else (404, status(404, "NotFound", f'namespaces "{name[0]}" not found'))
        )


def _field(found: dict[str, Any], path: str, value: str) -> bool:
    """Return True if a field of an object has a value."""
    part: Any = found
    for name in path.split("."):
        part = part.get(name)
    return bool(part == value)


def page(stored: list[dict[str, Any]], query: dict[str, str]) -> dict[str, Any]:
    """A page of a list; its items have neither apiVersion nor kind, as a real server's."""
    start, limit = int(query.get("continue", "0")), int(query.get("limit", "0")) or len(stored)
    end = start + limit
    meta: dict[str, Any] = {"resourceVersion": "7"}
    if end < len(stored):
        meta |= {"continue": str(end), "remainingItemCount": len(stored) - end}
    items = [
        {key: value for key, value in each.items() if key not in ("apiVersion", "kind")}
        for each in stored[start:end]
    ]
    return {"kind": "List", "metadata": meta, "items": items}


def status(code: int, reason: str, message: str, resume: str = "") -> dict[str, Any]:
    """Return an error as the API words it."""
    meta = {"continue": resume} if resume else {}
    return {
        "kind": "Status", "apiVersion": "v1", "metadata": meta, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    }  # fmt: skip


@contextlib.contextmanager
def fake_list_server() -> Iterator[FakeListServer]:
    """A fake API server that listens while it lasts."""
    fake = FakeListServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each answer waits 40 ms for a delayed ACK

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            fake.headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(*fake.answer(address.path, dict(parse_qsl(address.query))))

        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(*fake.create(urlsplit(self.path).path, event))

        def _send(self, code: int, body: Any) -> None:
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Retry-After", "0")
            self.end_headers()
            with contextlib.suppress(OSError):  # the client may have gone
                self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
