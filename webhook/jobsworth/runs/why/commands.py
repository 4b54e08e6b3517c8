"""Commands that show or remove a cause, to be pasted into a shell."""

from __future__ import annotations

import re
from collections.abc import Callable
from shlex import quote

from jobsworth.controller.pods import ACTIVE, TERMINATING
from jobsworth.lint.agents import QUIT_REQUESTS
from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.runs.cause import Cause
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.unfinished_job import kept_pods, overdue_pods

Words = tuple[str, ...]

FORCED = "--force"
LEADS: dict[Cause, str] = {
    Cause.IMAGE_PULL: "Push the image; if its name is wrong, delete the Job and create it anew:",
    Cause.MISSING_CONFIG: "Create what the message names; there are:",
    Cause.CONTAINER_RUNS_ON: "End the container now, and see below for the next run:",
    Cause.NO_PARALLELISM: "Raise the parallelism:",
}
"""Words before a command that changes something, or does not say its purpose."""
_CLAIM = re.compile(r'(?i)persistentvolumeclaim "([^"]+)"')
_TAINTS = ("get nodes", "-o", "custom-columns=NAME:.metadata.name,TAINTS:.spec.taints")


def cause_to_fix(found: Diagnosis) -> Cause:
    """Return the cause that a command is about: that of a wait, or of the failure that dooms the Job."""
    if found.doomed:
        return Cause.EXIT_CODE
    return found.cause if found.waiting is None else found.waiting.cause


def fixing_command(found: Diagnosis) -> str:
    """Return a command that removes the cause, or shows what it takes; empty without one."""
    made = _MADE.get(cause_to_fix(found))
    verb, *words = _BY_CAUSE.get(cause_to_fix(found), ("",)) if made is None else made(found)
    if not verb:
        return ""
    job, namespace = found.recording.job.name, found.recording.job.namespace
    within = ["-n", namespace] if namespace and " node" not in verb else []
    quoted = (quote(each.replace(_JOB, job)) for each in (*within, *words))
    return " ".join(("kubectl", verb, *quoted))


_JOB = "{job}"
_EVENTS = "get events", "--field-selector", f"involvedObject.name={_JOB}"


def _patch(spec: str) -> Words:
    return "patch job", _JOB, "--type=merge", "-p", f'{{"spec":{{{spec}}}}}'


def _suspended(found: Diagnosis) -> Words:
    queue = found.recording.queue
    if queue is not None:
        return f"describe {queue.kind.lower()}", queue.name
    labels = found.recording.manifest["metadata"].get("labels") or {}
    return ("describe workloads",) if QUEUE_LABEL in labels else _patch('"suspend":false')


def _logs(found: Diagnosis) -> Words:
    """Return the command for the log of the container that failed; of one that restarts, of its last run."""
    for group in found.groups:
        pod = group.pods[-1]
        failed = [each.name for each in pod.containers if each.exit_code]
        if failed and not pod.gone:
            return "logs", pod.name, "-c", failed[0]
    for pod in found.recording.pods:
        for last in pod.facts.last_runs:
            if not pod.gone and last.container not in pod.facts.sidecars:
                return "logs", pod.name, "-c", last.container, "--previous"
    return _EVENTS


def _initializing(found: Diagnosis) -> Words:
    for pod in found.recording.pods:
        if name := pod.facts.initializing or pod.facts.unstarted_sidecar:
            return "logs", pod.name, "-c", name
    return _EVENTS


def _runs_on(found: Diagnosis) -> Words:
    name, kept = next(iter(kept_pods(found.recording).items()))
    container = kept.keeping[0]
    request = next((each for key, each in QUIT_REQUESTS.items() if key in container), "kill 1")
    return "exec", name, "-c", container, "--", *re.sub(r" \(.*", "", request).split()


def _terminating(found: Diagnosis) -> Words:
    for pod in overdue_pods(found.recording):
        if not pod.facts.finalizers:
            return "delete pod", pod.name, FORCED
    return _pod(found, TERMINATING)


def _pod(found: Diagnosis, state: int = ACTIVE) -> Words:
    pods = [each.name for each in found.recording.pods if each.view.state == state]
    return ("describe pod", pods[0]) if pods else _EVENTS


def _unschedulable(found: Diagnosis) -> Words:
    message = "" if found.waiting is None else found.waiting.detail
    claim = _CLAIM.search(message)
    if claim or "PersistentVolumeClaims" in message or "volume node affinity" in message:
        return "describe pvc", *([claim[1]] if claim else [])
    if "taint" in message and "Insufficient" not in message:
        return _TAINTS
    if "affinity" in message or "selector" in message:
        return "get nodes", "--show-labels"
    return ("describe nodes",)


_BY_CAUSE: dict[Cause, Words] = {
    Cause.IMAGE_PULL: ("delete job", _JOB),
    Cause.MISSING_CONFIG: ("get configmaps,secrets",),
    Cause.VOLUME: ("describe pvc",),
    Cause.QUOTA: ("describe resourcequota",),
    Cause.NO_PARALLELISM: _patch('"parallelism":1'),
    Cause.PODS_REJECTED: _EVENTS,
    Cause.PODS_GONE: _EVENTS,
    Cause.OTHER_REASON: _EVENTS,
}
"""The verb with its resource, and the words behind the namespace."""
_MADE: dict[Cause, Callable[[Diagnosis], Words]] = {
    Cause.UNSCHEDULABLE: _unschedulable,
    Cause.SCHEDULING_GATED: _pod,
    Cause.NO_SCHEDULER: _pod,
    Cause.SANDBOX: _pod,
    Cause.PENDING: _pod,
    Cause.START_ERROR: _pod,
    Cause.INITIALIZING: _initializing,
    Cause.SUSPENDED: _suspended,
    Cause.CONTAINER_RUNS_ON: _runs_on,
    Cause.CRASH_LOOP: _logs,
    Cause.EXIT_CODE: _logs,
    Cause.TERMINATING: _terminating,
}
"""Commands that name Pods. Causes whose fix is an edit of the manifest have none."""
