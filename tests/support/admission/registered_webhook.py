"""The webhook within this process, registered with the API server of a test bed."""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jobsworth.admission.decision import Reviewer
from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.webhook import Webhook
from jobsworth.api.api_server import ApiServer
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.reader import read

if TYPE_CHECKING:
    from cluster.bed import TestBed

LABEL = "webhook-of"
"""The label of the namespaces that a registered webhook reviews; its value is the webhook's name."""


class RegisteredWebhook:
    """A webhook that the API server of a bed asks about Jobs and CronJobs in the webhook's namespaces.

    Attributes:
        reviews: the admission requests since the start, as the API server sent them.
        outcomes: their outcomes.
    """

    def __init__(self, bed: TestBed, name: str) -> None:
        self._bed, self._name = bed, name
        self._namespaces: dict[str, dict[str, str]] = {}
        self._reviewer = Reviewer(ApiServer(bed.release), PolicySet(()))
        self._webhook = Webhook(lambda: self._reviewer, self._observe)
        self.reviews: list[dict[str, Any]] = []
        self.outcomes: list[ReviewOutcome] = []

    def namespace(self, prefix: str, **labels: str) -> str:
        """A new namespace whose Jobs the webhook reviews."""
        name = self._bed.namespace(prefix)
        labels = {LABEL: self._name, **labels}
        self._bed.kubectl("label", "namespace", name, *(f"{k}={v}" for k, v in labels.items()))
        self._namespaces[name] = labels
        return name

    @property
    def policies(self) -> PolicySet:
        """The current policies."""
        return self._reviewer.policies

    def load(self, policies: PolicySet) -> None:
        """Replace the policies."""
        self._reviewer = Reviewer(
            ApiServer(self._bed.release), policies, namespace_labels=self._namespaces.get
        )

    def load_specs(self, **specs: dict[str, Any]) -> None:
        """Replace the policies with policies of these names and specs."""
        document = {"apiVersion": "jobsworth.dev/v1alpha1", "kind": "JobPolicy"}
        self.load(
            read(
                [
                    {**document, "metadata": {"name": name.replace("_", "-")}, "spec": spec}
                    for name, spec in specs.items()
                ]
            )
        )

    def answer(self, endpoint: Literal["mutate", "validate"], body: bytes) -> bytes:
        """Answer a review."""
        self.reviews.append({"endpoint": endpoint, **json.loads(body)["request"]})
        return self._webhook.answer(endpoint, body)

    def _observe(self, outcome: ReviewOutcome) -> None:
        self.outcomes.append(outcome)


@contextmanager
def registered_webhook(bed: TestBed, name: str) -> Iterator[RegisteredWebhook]:
    """Serve and register a webhook until the block ends; it has no policies at first."""
    webhook = RegisteredWebhook(bed, name)

    def answer(path: str, body: bytes) -> bytes:
        return webhook.answer("mutate" if path.startswith("/mutate") else "validate", body)

    kinds = ("Mutating", "Validating")
    with served(bed, answer) as port:
        try:
            for kind in kinds:
                bed.create(_configuration(bed, kind, name, port))
            yield webhook
        finally:
            for kind in kinds:
                bed.request("DELETE", f"{configurations_path(kind)}/{name}")


@contextmanager
def served(bed: TestBed, answer: Callable[[str, bytes], bytes]) -> Iterator[int]:
    """Serve a webhook over TLS that the CA of a bed signs, and yield its port.

    Args:
        answer: returns the answer to a path and an AdmissionReview.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answer))
    server.daemon_threads = True
    server.socket = _tls(bed).wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _handler(answer_to: Callable[[str, bytes], bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = answer_to(self.path, body)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _tls(bed: TestBed) -> ssl.SSLContext:
    pair = bed.ca.server("127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder, "tls.crt"), Path(folder, "tls.key")
        certificate.write_bytes(pair.certificate)
        key.write_bytes(pair.key)
        context.load_cert_chain(certificate, key)
    return context


def configurations_path(kind: str) -> str:
    return f"/apis/admissionregistration.k8s.io/v1/{kind.lower()}webhookconfigurations"


def _configuration(bed: TestBed, kind: str, name: str, port: int) -> dict[str, Any]:
    """The registration of one endpoint, with the match conditions of the chart that concern updates."""
    endpoint = "mutate" if kind == "Mutating" else "validate"
    labels = "object.metadata.?labels.orValue({}) != oldObject.metadata.?labels.orValue({})"
    webhook = {
        "name": f"{endpoint}.jobsworth.dev",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {
            "url": f"https://127.0.0.1:{port}/{endpoint}",
            "caBundle": base64.b64encode(bed.ca.certificate).decode(),
        },
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "timeoutSeconds": 10,
        "rules": [
            {
                "apiGroups": ["batch"],
                "apiVersions": ["v1"],
                "operations": ["CREATE", "UPDATE"],
                "resources": ["jobs", "cronjobs"],
                "scope": "Namespaced",
            }
        ],
        "namespaceSelector": {"matchLabels": {LABEL: name}},
        "matchConditions": [
            {
                "name": "written-by-people",
                "expression": "request.operation != 'UPDATE' || object.spec != oldObject.spec || "
                f"{labels} || {labels.replace('labels', 'annotations')}",
            }
        ],
    }
    if kind == "Mutating":
        webhook["reinvocationPolicy"] = "IfNeeded"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [webhook],
    }
