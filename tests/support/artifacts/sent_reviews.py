"""Reviews sent to a webhook that runs outside of this clone."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from typing import Any

import yaml


def review(url: str, trust: ssl.SSLContext, text: str) -> dict[str, Any]:
    """Send the webhook the creation of a Job, and return the response."""
    job = yaml.safe_load(text)
    job["metadata"]["namespace"] = "default"
    request = {
        "uid": "1", "operation": "CREATE", "namespace": "default", "name": "train",
        "kind": {"group": "batch", "version": "v1", "kind": "Job"},
        "resource": {"group": "batch", "version": "v1", "resource": "jobs"},
        "userInfo": {"username": "jane"}, "object": job, "oldObject": None,
    }  # fmt: skip
    body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    with urllib.request.urlopen(
        urllib.request.Request(
            url, json.dumps(body).encode(), {"Content-Type": "application/json"}
        ),
        context=trust,
        timeout=10,
    ) as answer:
        response: dict[str, Any] = json.load(answer)["response"]
        return response


def ready(port: int) -> bool:
    """Return whether the webhook reports on its monitoring port that it is ready."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError):
        return False
