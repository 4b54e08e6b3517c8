"""Detect a built-in Job controller that manages the same Jobs as ``--adopt-unmanaged``.

Two controllers of the same Jobs would undo each other's changes. The API does not report which
controllers a kube-controller-manager runs, so the probe observes it: it creates a suspended Job without
managedBy, which the built-in controller gives a Suspended condition within moments. The Job starts no
Pod. Later, the reconciler probes again when the managedFields of a Job name the built-in controller.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import jobs_path
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.times import read_time

MANAGER = "kube-controller-manager"
PROBE_SECONDS, PROBE_STEP = 5.0, 0.25
CLOCK_SKEW = 5


class BuiltInControllerActive(Exception):
    """The built-in Job controller is active; the message has the evidence and the remedy."""

    def __init__(self, evidence: str) -> None:
        super().__init__(
            f"the built-in Job controller is active: {evidence}. Run kube-controller-manager with "
            "--controllers=*,-job-controller, or remove --adopt-unmanaged"
        )


def probe_name() -> str:
    """Return a name for the Job of a probe, by which our own controller can leave that Job alone."""
    return f"jobsworth-probe-{secrets.token_hex(4)}"


def probe(api: Api, namespace: str, name: str, wait: Callable[[float], object]) -> str | None:
    """Create a suspended Job without managedBy, watch for a status written by a controller, delete it.

    Args:
        namespace: namespace of the Job.
        name: name of the Job.
        wait: waits for a number of seconds.

    Returns:
        None if no controller has written its status; else the reason why the probe failed.

    Raises:
        BuiltInControllerActive: a controller has written its status.
    """
    try:
        api.create(jobs_path(namespace), _probe_job(namespace, name))
    except ApiError as error:
        return f"cannot create the probe Job in namespace {namespace}: {error}"
    path = jobs_path(namespace, name)
    try:
        for _ in range(int(PROBE_SECONDS / PROBE_STEP)):
            wait(PROBE_STEP)
            if (api.get(path).get("status") or {}).get("conditions"):
                raise BuiltInControllerActive(
                    f"within {PROBE_SECONDS:.0f} s it wrote the status of a suspended Job without managedBy"
                )
    except ApiError as error:
        return f"cannot read the probe Job {path}: {error}"
    finally:
        _delete(api, path)
    return None


def names_built_in_controller(
    job: dict[str, Any], settings: ControllerSettings, since: float
) -> bool:
    """Return True if the built-in controller may have written the status of a Job that we manage.

    A client can write such managedFields, too: it chooses the names of field managers.

    Args:
        job: the object from the watch, with its managedFields.
        since: seconds since 1970; ignore earlier writes.
    """
    if not settings.manages(job["spec"].get("managedBy")):
        return False
    for entry in job["metadata"].get("managedFields") or ():
        if entry.get("manager") == MANAGER and entry.get("subresource") == "status":
            return (read_time(entry.get("time")) or 0) > since + CLOCK_SKEW
    return False


def _delete(api: Api, path: str) -> None:
    with suppress(ApiError):  # ttlSecondsAfterFinished or a user cleans it up
        api.delete(path, {"propagationPolicy": "Background"})


def _probe_job(namespace: str, name: str) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"app.kubernetes.io/managed-by": "jobsworth"},
        },
        "spec": {
            "suspend": True,
            "ttlSecondsAfterFinished": 60,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "never-started", "image": "scratch"}],
                }
            },
        },
    }
