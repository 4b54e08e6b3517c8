"""Jobs and Pods read from their JSON, by the documentation of the API and nothing of the project's code.

What the model knows of them it knows from here, so that a mistake of the controller's reading cannot
hide itself.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

Object = dict[str, Any]
INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"
OURS, RESERVED = "jobsworth.dev/job-tracking", "batch.kubernetes.io/job-tracking"


def finalizer_of(job: Object) -> str:
    """The finalizer that tracks the Pods of a Job."""
    by = job["spec"].get("managedBy")
    return RESERVED if by in (None, "kubernetes.io/job-controller") else OURS


def holds(status: Object, kind: str) -> bool:
    """Return True if a condition is True."""
    return condition(status, kind) is not None


def condition(status: Object, kind: str) -> Object | None:
    """The condition of a type that is True."""
    for entry in status.get("conditions") or ():
        if entry["type"] == kind and entry["status"] == "True":
            found: Object = entry
            return found
    return None


def finished(status: Object) -> bool:
    """Return True if a Job is complete, or has failed."""
    return holds(status, "Complete") or holds(status, "Failed")


def has_terminal_condition(status: Object) -> bool:
    """Return True if the status records that the Job has ended, or will, and with which result."""
    return any(
        holds(status, kind)
        for kind in ("SuccessCriteriaMet", "FailureTarget", "Complete", "Failed")
    )


def indexes(text: str | None) -> set[int]:
    """The indexes of a list such as ``1,3-5``."""
    found: set[int] = set()
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        if first:
            found |= set(range(int(first), int(last or first) + 1))
    return found


def uncounted(status: Object, outcome: str) -> set[str]:
    """Return the UIDs in uncountedTerminatedPods: of those that succeeded, or failed."""
    lists = status.get("uncountedTerminatedPods") or {}
    return set(lists.get(outcome) or ())


def seconds(text: str | None) -> int | None:
    """Seconds since 1970."""
    return None if text is None else int(datetime.fromisoformat(text).timestamp())


# Pods.


def uid_of(obj: Object) -> str:
    """The UID."""
    uid: str = obj["metadata"]["uid"]
    return uid


def owner_of(pod: Object) -> str | None:
    """The UID of a Pod's controller."""
    for owner in pod["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            uid: str = owner["uid"]
            return uid
    return None


def tracked_by(pod: Object, finalizer: str) -> bool:
    """Return True if a Pod has a finalizer."""
    return finalizer in (pod["metadata"].get("finalizers") or ())


def selected(job: Object, pod: Object) -> bool:
    """Return True if a Job's selector matches a Pod."""
    wanted = job["spec"]["selector"]["matchLabels"]
    labels = pod["metadata"].get("labels") or {}
    return all(labels.get(key) == value for key, value in wanted.items())


def phase(pod: Object) -> str:
    """The phase."""
    found: str = pod["status"].get("phase", "Pending")
    return found


def deleting(obj: Object) -> bool:
    """Return True if it is being deleted."""
    return "deletionTimestamp" in obj["metadata"]


def succeeded(pod: Object) -> bool:
    """Return True if a Pod has succeeded."""
    return phase(pod) == "Succeeded"


def ended(pod: Object) -> bool:
    """Return True if a Pod has ended."""
    return phase(pod) in ("Succeeded", "Failed")


def active(pod: Object) -> bool:
    """Return True if a Pod runs, or will, and is to go on."""
    return not ended(pod) and not deleting(pod)


def terminating(pod: Object) -> bool:
    """Return True if a Pod is being deleted and has not ended."""
    return not ended(pod) and deleting(pod)


def ready(pod: Object) -> bool:
    """Return True if a Pod is ready."""
    return holds(pod["status"], "Ready")


def index_of(pod: Object) -> int:
    """The completion index, -1 for none."""
    return int((pod["metadata"].get("annotations") or {}).get(INDEX, -1))


def tries(pod: Object) -> tuple[int, int]:
    """The failures of its index before a Pod: those that count, and those ignored."""
    annotations = pod["metadata"].get("annotations") or {}
    return int(annotations.get(FAILURES, 0)), int(annotations.get(IGNORED, 0))


def restarts(pod: Object) -> int:
    """The restarts of all containers."""
    status = pod["status"]
    return sum(
        entry["restartCount"]
        for field in ("containerStatuses", "initContainerStatuses")
        for entry in status.get(field) or ()
    )


def finished_at(pod: Object) -> int:
    """Return the finish time of a Pod: by its containers, else its readiness, else its deletion, else its creation."""
    meta, status = pod["metadata"], pod["status"]
    ends = [
        (entry["state"].get("terminated") or {}).get("finishedAt")
        for entry in status.get("containerStatuses") or ()
    ]
    if ends and all(ends):
        return max(seconds(end) or 0 for end in ends)
    for entry in status.get("conditions") or ():
        if entry["type"] == "Ready" and entry["status"] == "False":
            return seconds(entry["lastTransitionTime"]) or 0
    if deleting(pod):
        requested = seconds(meta["deletionTimestamp"]) or 0
        return requested - int(meta.get("deletionGracePeriodSeconds", 0))
    return seconds(meta["creationTimestamp"]) or 0


# The failure policy.


def replaces_only_failed(job: Object) -> bool:
    """Return True if a Pod that is being deleted is awaited before it is replaced, and counted (KEP-3939)."""
    spec = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or "podFailurePolicy" in spec


def has_failed(job: Object, pod: Object) -> bool:
    """Return True if a Pod counts as failed."""
    if phase(pod) == "Failed":
        return True
    return terminating(pod) and not replaces_only_failed(job)


def action_of(job: Object, pod: Object) -> tuple[str | None, str]:
    """Return the action of the failure policy for a failed Pod, and the message of the Job's condition."""
    policy = job["spec"].get("podFailurePolicy") or {}
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    for position, rule in enumerate(policy.get("rules") or ()):
        description = _matches(rule, pod, name)
        if description is not None:
            return rule["action"], f"{description} matching FailJob rule at index {position}"
    return None, ""


def _matches(rule: Object, pod: Object, name: str) -> str | None:
    codes = rule.get("onExitCodes")
    if codes is None:
        wanted = {(each["type"], each["status"]) for each in rule["onPodConditions"]}
        for entry in pod["status"].get("conditions") or ():
            if (entry["type"], entry["status"]) in wanted:
                return f"Pod {name} has condition {entry['type']}"
        return None
    for entry in pod["status"].get("containerStatuses") or ():
        code = (entry["state"].get("terminated") or {}).get("exitCode", 0)
        if code == 0 or codes.get("containerName", entry["name"]) != entry["name"]:
            continue
        if (code in codes["values"]) == (codes["operator"] == "In"):
            return f"Container {entry['name']} for pod {name} failed with exit code {code}"
    return None


def counts(job: Object, pod: Object) -> bool:
    """Return True if the failure of a Pod counts."""
    return action_of(job, pod)[0] != "Ignore"
