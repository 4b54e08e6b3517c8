"""What removes the cause of a diagnosis: in words, and as a command to paste."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from shlex import quote
from typing import NamedTuple

from jobsworth.controller.pods import ACTIVE, TERMINATING
from jobsworth.lint.agents import QUIT_REQUESTS
from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.kept_pods import crashing
from jobsworth.runs.recorded.messages import Meaning, meaning_of
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.message_advice import Advice
from jobsworth.runs.why.unfinished_job import (
    deleted_pods,
    kept_pods,
    on_unready_nodes,
    overdue_pods,
)

Words = tuple[str, ...]

FORCED = "--force"
_OF_NODE = "kubectl delete node "
_BY_SIGNAL = "-- kill 1"
_FINALIZERS = '{"metadata":{"finalizers":'
_LEADS: dict[Cause, str] = {
    Cause.CONTAINER_RUNS_ON: "End the container now:",
    Cause.NO_PARALLELISM: "Raise the parallelism:",
    Cause.INITIALIZING: "See what it does:",
    Cause.PENDING: "See what is missing:",
    Cause.RUNNING: "See the node, whose Pods are evicted unless it is back in time:",
}
"""Words before a command, where no advice about the cause says them."""
_SHOWING = ("get", "describe")
"""Verbs of commands that change nothing."""
_GOING_ON = (Cause.RUNNING, Cause.SYNCING)
"""States of an unfinished Job that need no fix, whatever its failures so far."""
_BY_LOG = (Cause.EXIT_CODE, Cause.BACKING_OFF)
"""Causes whose command is about the failures so far."""
_KEPT_FOR = 3600
"""Seconds for which an API server keeps Events by default."""


class Fix(NamedTuple):
    """What removes a cause: in words, and as a command to paste; both may be empty."""

    text: str = ""
    command: str = ""


NO_FIX = Fix()


def fix_of(found: Diagnosis) -> tuple[Fix, tuple[Advice, ...]]:
    """Return what removes the cause, and the rest of the advice."""
    cause, command, advice = cause_to_fix(found), fixing_command(found), found.advice
    lead = _LEADS.get(cause, "") if command else ""
    if command.endswith(FORCED) or command.startswith(_OF_NODE):
        lead = "If the machine is gone for good:"
        advice = tuple(each for each in advice if each.cause != Cause.TERMINATING)
    elif command.endswith(_BY_SIGNAL):
        lead = "End the container now (a code other than 0 fails the Pod):"
    elif _FINALIZERS in command:
        lead = "If the owner of the finalizer is gone for good:"
    if (
        cause == Cause.TERMINATING
        and found.waiting is not None
        and found.waiting.ends_at is not None
    ):
        return NO_FIX, tuple(each for each in advice if each.cause != cause)
    if lead or not advice or (found.outcome == "Unfinished" and cause in _GOING_ON):
        return Fix(lead, command), advice
    first, rest = advice[0], advice[1:]
    if not command:
        return Fix(first.words if first.code else first.text), rest
    if first.cause != cause and cause not in _BY_LOG:
        return Fix("", command), advice
    showing = command.split()[1] in _SHOWING
    lead = f"{first.text} See:" if showing else f"{first.text.rstrip('.')}:"
    return Fix(lead, command), rest


def cause_to_fix(found: Diagnosis) -> Cause:
    """Return the cause that a command is about: that of a wait, or of the failure that dooms the Job."""
    if found.doomed:
        return Cause.EXIT_CODE
    return found.cause if found.waiting is None else found.waiting.cause


def fixing_command(found: Diagnosis) -> str:
    """Return a command that removes the cause, or shows what it takes; empty without one."""
    cause = cause_to_fix(found)
    made = _MADE.get(cause)
    words = _by_message(found, cause)
    if not words:
        words = _BY_CAUSE.get(cause, ("",)) if made is None else made(found)
    verb, *rest = words
    if not verb:
        return ""
    job = found.recording.job
    return kubectl(job.namespace, verb, *(each.replace(_JOB, job.name) for each in rest))


def kubectl(namespace: str, verb: str, *words: str) -> str:
    """Return a command to paste, in a namespace unless it is about objects without one, or names another.

    Args:
        namespace: may be empty.
        verb: what to do, with the resource, such as ``describe pod``.
    """
    elsewhere = "-n" in words or not namespace or _OF_CLUSTER.search(verb)
    within = () if elsewhere else ("-n", namespace)
    return " ".join(("kubectl", verb, *map(quote, (*within, *words))))


def _by_message(found: Diagnosis, cause: Cause) -> Words:
    """Return the command that the message about the wait decides; empty if it decides none."""
    meaning = meaning_of(cause, _message(found))
    words = words_of(meaning, claims=" ".join(_claims(found)))
    return () if _CLAIMS in meaning.entry.command and len(words) == 1 else words


def words_of(meaning: Meaning, claims: str = "") -> Words:
    """Return the command of a message, the verb with its resource first; empty if it has none."""
    verb, _, rest = meaning.entry.command.partition(" ")
    resource, *words = meaning.fill(rest, job=_JOB, claims=claims).split() or [""]
    return (f"{verb} {resource.lower()}", *words) if verb else ()


_OF_CLUSTER = re.compile(r" node|webhookconfiguration|priorityclass|storageclass")
"""In a command about objects without a namespace."""
_CLAIMS = "{claims}"
_JOB = "{job}"
_OF_GARBAGE_COLLECTOR = ("foregroundDeletion", "orphan")
"""Finalizers that the garbage collector removes."""


def _events(found: Diagnosis) -> Words:
    """Return the command for the Events of the Job, unless they were read, or are gone."""
    recording = found.recording
    if recording.events or recording.now - recording.until > _KEPT_FOR:
        return ("",)
    return "get events", "--field-selector", f"involvedObject.name={_JOB}"


def _message(found: Diagnosis) -> str:
    """Return what the Pods or the API server say about the wait."""
    return "" if found.waiting is None else found.waiting.detail


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
    decisive = [each.pods[-1] for each in found.groups if each.effect == found.groups[0].effect]
    for pod in sorted(decisive, key=lambda each: each.view.finished_at, reverse=True):
        failed = [each.name for each in pod.containers if each.exit_code]
        if failed and not pod.gone:
            return "logs", pod.name, "-c", failed[0]
    for pod in found.recording.pods:
        for last in pod.facts.last_runs:
            helps = last.container in pod.facts.sidecars and last.container not in crashing(
                pod.facts
            )
            if not pod.gone and not helps:
                if last.reason == "OOMKilled":
                    return ("",)
                if last.never_ran:
                    return "describe pod", pod.name
                return "logs", pod.name, "-c", last.container, "--previous"
    return _events(found)


def _initializing(found: Diagnosis) -> Words:
    for pod in found.recording.pods:
        if name := pod.facts.initializing or pod.facts.unstarted_sidecar:
            return "logs", pod.name, "-c", name
    return _events(found)


_ISTIO_QUIT = ("pilot-agent", "request", "POST", "quitquitquit")


def _runs_on(found: Diagnosis) -> Words:
    """Return the command that ends the container: by its endpoint, else by a signal.

    Images of proxies have no shell and no curl, so that another container of the Pod makes the request.
    """
    name, kept = next(iter(kept_pods(found.recording).items()))
    container = kept.keeping[0]
    if "istio" in container:
        return "exec", name, "-c", container, "--", *_ISTIO_QUIT
    request = next((each for key, each in QUIT_REQUESTS.items() if key in container), "")
    if not request or not _offers_quit(found, container, request):
        return "debug", name, "--image=busybox", f"--target={container}", *_BY_SIGNAL.split()
    return "debug", name, "--image=curlimages/curl", "--", *request.partition(" (")[0].split()


def _offers_quit(found: Diagnosis, name: str, request: str) -> bool:
    """Return False if a container of the template lacks the option that the request takes."""
    _, _, option = request.partition(" (with --")
    spec = found.recording.manifest["spec"]["template"].get("spec") or {}
    written = next(
        (each for each in spec.get("containers") or () if each.get("name") == name), None
    )
    if written is None or not option:
        return True
    keys = ("command", "args", "env")
    return option.rstrip(")") in json.dumps([written.get(each) for each in keys]).lower()


def _terminating(found: Diagnosis) -> Words:
    for pod in overdue_pods(found.recording):
        if not pod.facts.finalizers:
            if found.recording.job.only_replace_failed and found.recording.end is None:
                return ("delete node", pod.facts.node) if pod.facts.node else ("",)
            return "delete pod", pod.name, FORCED
    return _pod(found, TERMINATING)


def _deleting(found: Diagnosis) -> Words:
    pods = deleted_pods(found.recording)
    if not pods:
        names = found.recording.manifest["metadata"].get("finalizers") or ()
        kept = [each for each in names if each in _OF_GARBAGE_COLLECTOR]
        if len(kept) == len(names):
            return "get job", _JOB, "-o", "jsonpath={.metadata.finalizers}"
        left = f"{_FINALIZERS}{json.dumps(kept) if kept else 'null'}}}}}"
        return "patch job", _JOB, "--type=merge", "-p", left
    if pods[0].facts.finalizers:
        return "patch pod", pods[0].name, "--type=merge", "-p", f"{_FINALIZERS}null}}}}"
    return _terminating(found)


def _pod(found: Diagnosis, state: int = ACTIVE) -> Words:
    pods = [each.name for each in found.recording.pods if each.view.state == state]
    if found.outcome != "Unfinished" and not pods:
        return ("",)
    return ("describe pod", pods[0]) if pods else _events(found)


def _pending(found: Diagnosis) -> Words:
    for pod in found.recording.pods:
        if name := pod.facts.unstarted_sidecar:
            return "logs", pod.name, "-c", name, "--previous"
    return _pod(found)


def _unready_node(found: Diagnosis) -> Words:
    lost = on_unready_nodes(found.recording)
    return ("describe node", lost[0].facts.node) if lost else ("",)


def _claims(found: Diagnosis) -> list[str]:
    """Return the claims of the template that the message names by their volumes; all, if it names none."""
    volumes = (found.recording.manifest["spec"]["template"].get("spec") or {}).get("volumes") or ()
    message = _message(found)
    claims = {
        each.get("name") or "": claim["claimName"]
        for each in volumes
        if (claim := each.get("persistentVolumeClaim")) and claim.get("claimName")
    }
    named = [
        claim
        for name, claim in claims.items()
        if re.search(rf'[\["]{re.escape(name)}[\]"]', message)
    ]
    return [*dict.fromkeys(named or claims.values())]


_BY_CAUSE: dict[Cause, Words] = {
    Cause.NO_PARALLELISM: _patch('"parallelism":1'),
    Cause.UNSCHEDULABLE: ("describe nodes",),
}
"""The verb with its resource, and the words behind the namespace."""
_MADE: dict[Cause, Callable[[Diagnosis], Words]] = {
    Cause.VOLUME: _pod,
    Cause.PODS_GONE: _events,
    Cause.OTHER_REASON: _events,
    Cause.SCHEDULING_GATED: _pod,
    Cause.NO_SCHEDULER: _pod,
    Cause.SANDBOX: _pod,
    Cause.PENDING: _pending,
    Cause.START_ERROR: _pod,
    Cause.INITIALIZING: _initializing,
    Cause.RUNNING: _unready_node,
    Cause.SUSPENDED: _suspended,
    Cause.CONTAINER_RUNS_ON: _runs_on,
    Cause.CRASH_LOOP: _logs,
    Cause.EXIT_CODE: _logs,
    Cause.BACKING_OFF: _logs,
    Cause.PODS_REJECTED: _events,
    Cause.TERMINATING: _terminating,
    Cause.DELETING: _deleting,
}
"""Commands that name Pods. Causes whose fix is an edit of the manifest have none."""
