"""Clients that load a webhook while it changes, as an API server and kube-proxy would."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from typing import Any

from support.admission.admission_reviews import body_of, response_of
from support.admission.running_webhook import Client, Serving

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {{name: number-{number}}}
spec:
  limits:
    backoffLimit: {{maximum: 6}}
"""
BROKEN_POLICY = b"apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicy\nspec: {limits: 1}\n"


class Load:
    """Clients, and what came of their requests."""

    def __init__(self, server: Serving, clients: int, longest_pause: float = 2.0) -> None:
        self._server = server
        self._longest_pause = longest_pause
        self._stop = threading.Event()
        self.ready = True
        self.lock = threading.Lock()
        self.answers: Counter[str] = Counter()
        self.policies: Counter[str] = Counter()
        self.certificates: set[bytes] = set()
        self.connections = 0
        self.failures: list[str] = []
        targets = [self._watch, *[self._client] * clients]
        self._threads = [
            threading.Thread(target=target, args=(number,)) for number, target in enumerate(targets)
        ]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait until every client has closed its connection."""
        for thread in self._threads[1:]:
            thread.join()
        self._stop.set()
        self._threads[0].join()

    def _watch(self, _: int) -> None:
        """Readiness as the endpoints of a Service follow it."""
        while not self._stop.wait(0.1):
            try:
                self.ready = self._server.probe("/readyz")[0] == 200
            except OSError:
                self.ready = False

    def _client(self, seed: int) -> None:
        chance = random.Random(seed)
        client = Client(self._server)
        good = body_of(job(backoff_limit=1))
        bad = body_of(job(backoff_limit=7))
        while client.connected or self.ready:
            denied = chance.random() < 0.5
            try:
                status, answer = client.post("validate", bad if denied else good)
            except Exception as error:
                with self.lock:
                    self.failures.append(f"{type(error).__name__}: {error}")
                client.close()
                continue
            self._note(client, status, answer, denied)
            if chance.random() < 0.002:
                client.close()
            if chance.random() < 0.01:
                time.sleep(chance.random() * self._longest_pause)
        with self.lock:
            self.connections += client.connections

    def _note(self, client: Client, status: int, answer: bytes, denied: bool) -> None:
        response = response_of(answer) if status == 200 else {"allowed": None}
        with self.lock:
            self.answers[f"{status} allowed={response['allowed']}"] += 1
            if client.certificate is not None:
                self.certificates.add(client.certificate)
            if response["allowed"] is denied or status != 200:
                self.failures.append(f"status {status}: {answer[:300]!r}")
            elif denied:
                text = response["status"]["message"]
                self.policies[text.partition("JobPolicy number-")[2].partition(":")[0]] += 1


def job(backoff_limit: int) -> dict[str, Any]:
    """A Job that the policies allow up to a backoffLimit of 6."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {
            "backoffLimit": backoff_limit,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox:1.36"}],
                }
            },
        },
    }
