"""Whether the built-in Job controller is at work on the Jobs that we are told to adopt.

Two controllers of the same Jobs would undo each other's work. Nothing in the API says which controllers
a kube-controller-manager runs, so we look at what it does: a suspended Job without managedBy, made for
the purpose, gets its Suspended condition from the built-in controller within moments. It starts no Pod.
And while we work, we look who writes the status of such Jobs.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from jobsworth.client.errors import ApiError
from jobsworth.client.resources import jobs_path
from jobsworth.controller.times import read_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.client.api import Api
    from jobsworth.controller.controller_settings import ControllerSettings

MANAGER = "kube-controller-manager"
PROBE_SECONDS, PROBE_STEP = 5.0, 0.25
CLOCK_SKEW = 5


class BuiltInControllerActive(Exception):
    """The built-in Job controller is at work; the message says how we know, and what to do."""

    def __init__(self, how: str) -> None:
        super().__init__(
            f"the built-in Job controller is at work: {how}. Run kube-controller-manager with "
            "--controllers=*,-job-controller, or do without --adopt-unmanaged"
        )


def probe(api: Api, namespace: str, wait: Callable[[float], object]) -> str | None:
    """Make a suspended Job that names nobody, see whether anybody takes it, and delete it.

    Args:
        namespace: where to make it.
        wait: waits for so many seconds.

    Returns:
        None; or why it could not be found out.

    Raises:
        BuiltInControllerActive: somebody took it.
    """
    try:
        made = api.create(jobs_path(namespace), _probe_job(namespace))
    except ApiError as error:
        return f"cannot create a Job in the namespace {namespace} to find out: {error}"
    path = jobs_path(namespace, made["metadata"]["name"])
    try:
        for _ in range(int(PROBE_SECONDS / PROBE_STEP)):
            wait(PROBE_STEP)
            if (api.get(path).get("status") or {}).get("conditions"):
                raise BuiltInControllerActive(
                    f"within {PROBE_SECONDS:.0f} s it took a suspended Job that names no controller"
                )
    except ApiError as error:
        return f"cannot read the Job {path}: {error}"
    finally:
        _delete(api, path)
    return None


def has_written_status(job: dict[str, Any], settings: ControllerSettings, since: float) -> bool:
    """Whether the built-in controller has written the status of a Job that is ours to adopt.

    Args:
        job: as the watch brings it, with its managedFields.
        since: seconds since 1970; what it wrote before does not matter.
    """
    if not settings.manages(job["spec"].get("managedBy")):
        return False
    for entry in job["metadata"].get("managedFields") or ():
        if entry.get("manager") == MANAGER and entry.get("subresource") == "status":
            return (read_time(entry.get("time")) or 0) > since + CLOCK_SKEW
    return False


def _delete(api: Api, path: str) -> None:
    with suppress(ApiError):  # the TTL, or whoever reads its name, will see to it
        api.delete(path, {"propagationPolicy": "Background"})


def _probe_job(namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "generateName": "jobsworth-probe-",
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
