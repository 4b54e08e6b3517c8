"""Kubernetes' own code for Jobs, linked into a program that reads lines: an API server without a server.

It decodes, defaults, validates and warns as the kube-apiserver of its release (binaries/linked/main.go). What a server has beside:
admission, conflicts, limits of size, field managers. Its interface is that of :class:`cluster.dry_run_server.Server`.
"""

from __future__ import annotations

import copy
import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from cluster.bed.connection import Answer
from cluster.dry_run_server import BEFORE_FIX
from cluster.go_sources import fetch
from cluster.programs import find, linked_version
from jobsworth.api.api_server import ApiServer
from jobsworth.api.feature_gates import is_gate

NAME_COPIED_SINCE = 31
"""The first minor version whose storage copies an object whose name it generates."""
PUBLISHED = "api/openapi-spec/v3/apis__batch__v1_openapi.json"


class LinkedServer:
    """A process with the code of one release.

    Args:
        release: such as ``1.37``.
        gates: feature gates that differ from the release's defaults.
        allow_privileged: as of kube-apiserver.

    Raises:
        MissingProgram: the program is not built.
    """

    def __init__(
        self,
        release: str,
        gates: Mapping[str, bool] | None = None,
        *,
        allow_privileged: bool = False,
    ) -> None:
        # Others are needed by these, and decide nothing about Jobs.
        known = {gate: on for gate, on in (gates or {}).items() if is_gate(gate)}
        self.api_server = ApiServer(release, known, allow_privileged=allow_privileged)
        names = {self.api_server.name_of(gate): on for gate, on in (gates or {}).items()}
        command = [str(find("linked-server", release))]
        if names:
            set_to = (f"{name}={str(on).lower()}" for name, on in names.items())
            command.append(f"--feature-gates={','.join(set_to)}")
        command.append(f"--allow-privileged={str(allow_privileged).lower()}")
        copied = self.api_server.minor >= NAME_COPIED_SINCE
        command.append(f"--copies-generated-names={str(copied).lower()}")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a line about each error that is reported twice
            text=True,
        )
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def openapi(self) -> dict[str, Any]:
        """Return the schema that the release publishes of the types of ``batch/v1``."""
        folder = fetch("k8s.io/kubernetes", f"v{linked_version(self.api_server.release)}")
        published: dict[str, Any] = json.loads((folder / PUBLISHED).read_text(encoding="utf-8"))
        return published

    def create(self, manifest: dict[str, Any]) -> Answer:
        """Return its answer to a create."""
        return self._ask({"object": manifest})

    def update(self, manifest: dict[str, Any], stored: dict[str, Any]) -> Answer:
        """Return its answer to an update of a stored object."""
        return self._ask({"object": manifest, "old": stored})

    def store(
        self, manifest: dict[str, Any], name: str, *, started: bool = False
    ) -> dict[str, Any] | None:
        """Return an object as it is stored, by this name; None where it cannot be.

        Args:
            manifest: the object.
            name: of the stored one.
            started: a Job gets a status as if its Pods had run.
        """
        metadata = {**manifest["metadata"], "name": name}
        metadata.pop("generateName", None)
        answer = self.create({**manifest, "metadata": metadata})
        if answer.code != 201:
            return None
        stored: dict[str, Any] = copy.deepcopy(answer.body)
        stored["metadata"]["resourceVersion"] = "1"
        if stored["kind"] != "Job":
            return stored
        created = stored["metadata"]["creationTimestamp"]
        version = linked_version(self.api_server.release)
        if started:
            stored["status"] = {"startTime": created}
        elif stored["spec"]["suspend"] and BEFORE_FIX.match(f"v{version}"):
            condition = {"type": "Suspended", "status": "True", "lastTransitionTime": created}
            stored["status"] = {"conditions": [condition]}
        return stored

    @contextmanager
    def namespace(self) -> Iterator[None]:
        """Do nothing: objects are not kept."""
        yield

    def _ask(self, request: dict[str, Any]) -> Answer:
        line = json.dumps(request)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            answered = self._process.stdout.readline()
        if not answered:
            raise RuntimeError(f"linked-server ended with {self._process.wait()}")
        answer = json.loads(answered)
        return Answer(answer["code"], answer["body"], tuple(answer.get("warnings", ())))
