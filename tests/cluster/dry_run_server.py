"""An API server for dry runs: its settings, and its answers about objects."""

from __future__ import annotations

import contextlib
import re
import ssl
from collections.abc import Iterator
from http.client import IncompleteRead, RemoteDisconnected
from pathlib import Path
from typing import Any

from cluster.bed.connection import Answer, Connection
from jobsworth.api.api_server import ApiServer, UnknownGate
from jobsworth.api.feature_gates import FEATURE_GATES

BEFORE_FIX = re.compile(r"v1\.36\.[01](?!\d)")
"""The versions in which the template of a suspended Job may change only once its status has the condition Suspended.
From 1.36.2 on, as the engine has it, also before the Job controller has seen a Job that was never started."""
PLURALS = {"Job": "jobs", "CronJob": "cronjobs"}
STRICT = "fieldValidation=Strict"


class Server:
    """A live API server.

    Attributes:
        api_server: what it is for the engine: its release, the gates that it has set otherwise than by
            default, and whether it allows privileged containers.

    Raises:
        UnknownRelease: of a release that the engine does not know.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._namespace = "default"
        version = self._get("/version")
        release = f"{version['major']}.{version['minor'].rstrip('+')}"
        self._wants_condition = BEFORE_FIX.match(version["gitVersion"]) is not None
        self.api_server = ApiServer(release)
        gates = dict(self._changed_gates())
        self.api_server = ApiServer(release, gates, allow_privileged=self._allows_privileged())

    def openapi(self) -> dict[str, Any]:
        """Return the schema that it publishes of the types of ``batch/v1``."""
        return self._get("/openapi/v3/apis/batch/v1")

    def create(self, manifest: dict[str, Any]) -> Answer:
        """Return its answer to a create; nothing is stored."""
        path = f"{self._path(manifest['kind'])}?dryRun=All&{STRICT}"
        return self._ask("POST", path, manifest)

    def update(self, manifest: dict[str, Any], stored: dict[str, Any]) -> Answer:
        """Return its answer to an update of a stored object; nothing is changed."""
        path = f"{self._path(stored['kind'])}/{stored['metadata']['name']}"
        return self._ask("PUT", f"{path}?dryRun=All&{STRICT}", manifest)

    def store(
        self, manifest: dict[str, Any], name: str, *, started: bool = False
    ) -> dict[str, Any] | None:
        """Store an object by this name; returns it as stored, None where it cannot be.

        Args:
            manifest: the object.
            name: of the stored one.
            started: a Job gets a status as if its Pods had run.
        """
        metadata = {**manifest["metadata"], "name": name}
        metadata.pop("generateName", None)
        answer = self._connection.request(
            "POST", f"{self._path(manifest['kind'])}?{STRICT}", {**manifest, "metadata": metadata}
        )
        if answer.code != 201:
            return None
        stored: dict[str, Any] = answer.body
        if stored["kind"] != "Job":
            return stored
        created = stored["metadata"]["creationTimestamp"]
        if started:
            stored = self._with_status(stored, {"startTime": created})
        elif stored["spec"]["suspend"] and self._wants_condition:
            condition = {"type": "Suspended", "status": "True", "lastTransitionTime": created}
            stored = self._with_status(stored, {"conditions": [condition]})
        return stored

    def _with_status(self, stored: dict[str, Any], status: dict[str, Any]) -> dict[str, Any]:
        """Return a stored Job with the status that its controller would have written; unchanged if rejected."""
        answer = self._connection.request(
            "PATCH",
            f"{self._path('Job')}/{stored['metadata']['name']}/status",
            {"status": status},
            content_type="application/merge-patch+json",
        )
        return answer.body if answer.code == 200 else stored

    @contextlib.contextmanager
    def namespace(self) -> Iterator[None]:
        """A namespace of its own for what is created meanwhile; deleted afterwards."""
        requested = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"generateName": "agree-"},
        }
        answer = self._connection.request("POST", "/api/v1/namespaces", requested)
        if answer.code != 201:
            raise RuntimeError(f"cannot create a namespace: {_message(answer)}")
        self._namespace = answer.body["metadata"]["name"]
        try:
            yield
        finally:
            self._connection.request("DELETE", f"/api/v1/namespaces/{self._namespace}")
            self._namespace = "default"

    def _ask(self, method: str, path: str, manifest: dict[str, Any]) -> Answer:
        """One request; code 0 where the server hangs up, as it does when it panics over an object."""
        try:
            return self._connection.request(method, path, manifest)
        except (RemoteDisconnected, IncompleteRead) as error:
            return Answer(0, str(error))

    def _path(self, kind: str) -> str:
        return f"/apis/batch/v1/namespaces/{self._namespace}/{PLURALS[kind]}"

    def _get(self, path: str) -> dict[str, Any]:
        try:
            answer = self._connection.request("GET", path)
        except OSError as error:
            raise RuntimeError(f"{self._connection.url} does not answer: {error}") from error
        if answer.code != 200:
            raise RuntimeError(f"{self._connection.url}{path}: {_message(answer)}")
        return answer.body  # type: ignore[no-any-return]

    def _changed_gates(self) -> Iterator[tuple[str, bool]]:
        """The gates that are not as the release has them, where the user may read the metrics."""
        answer = self._connection.request("GET", "/metrics")
        lines = answer.body.splitlines() if answer.code == 200 else ()
        for line in lines:
            if line.startswith("kubernetes_feature_enabled{"):
                name = line.partition('name="')[2].partition('"')[0]
                enabled = line.endswith(" 1")
                gate = next(
                    (gate for gate in FEATURE_GATES if self.api_server.name_of(gate) == name), ""
                )
                if gate and self.api_server.enabled(gate) != enabled:
                    with contextlib.suppress(UnknownGate):
                        ApiServer(self.api_server.release, {gate: enabled})
                        yield gate, enabled

    def _allows_privileged(self) -> bool:
        container = {"name": "main", "image": "busybox", "securityContext": {"privileged": True}}
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "probe"},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
        }
        return self.create(job).code == 201


def from_kubeconfig(path: Path) -> Connection:
    """A connection as a kubeconfig describes it, tokens and plugins included.

    Raises:
        ValueError: the file is not there, or no kubeconfig.
    """
    from kubernetes import config

    try:
        described = config.new_client_from_config(str(path)).configuration
    except config.ConfigException as error:
        raise ValueError(f"{path} is not a kubeconfig that can be used: {error}") from error
    tls = None
    if described.host.startswith("https:"):
        tls = ssl.create_default_context(cafile=described.ssl_ca_cert)
        if described.cert_file:
            tls.load_cert_chain(described.cert_file, described.key_file)
        if not described.verify_ssl:
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    token = described.api_key.get("authorization") or described.api_key.get("BearerToken")
    return Connection(described.host, tls, {"Authorization": token} if token else None)


def _message(answer: Answer) -> str:
    body = answer.body
    return body.get("message", "") if isinstance(body, dict) else f"HTTP status {answer.code}"
