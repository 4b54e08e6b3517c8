"""Advice that the message of the kubelet or the scheduler, or the container concerned, decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from jobsworth.controller.pods import ACTIVE
from jobsworth.lint.agents import NATIVE_SIDECARS, QUIT_REQUESTS
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.kept_pods import crashing
from jobsworth.runs.recorded.messages import Meaning, meanings_of
from jobsworth.runs.recorded.pending_pods import gone_reason, pending_reason, rejection
from jobsworth.runs.recorded.recording import Recording
from jobsworth.runs.why.failure_groups import stopped
from jobsworth.runs.why.unfinished_job import kept_pods

SPEC = "spec.template.spec"
MAX_ADVICE = 3
"""Pieces of advice about one message: the scheduler lists a reason for each kind of node."""


class Advice(NamedTuple):
    """A change that helps.

    Attributes:
        code: of the lint rule; empty for advice by the cause or a message.
        field: the path of the field to change; may be empty.
        cause: what it is against; None for a lint rule's.
    """

    text: str
    code: str = ""
    field: str = ""
    cause: Cause | None = None

    @property
    def words(self) -> str:
        """The text, behind the rule and the field that it is about."""
        where = " ".join(filter(None, (self.code, self.field)))
        return f"{where}: {self.text}" if where else self.text


def advice_by_messages(recording: Recording, cause: Cause) -> list[Advice]:
    """Return the advice that the messages about Pods decide; empty if the cause alone does."""
    if cause in (Cause.OOM, Cause.CRASH_LOOP):
        return list(_out_of_memory(recording)) or list(_never_started(recording))
    if cause == Cause.EXIT_CODE:
        return list(_never_started(recording))
    if cause == Cause.CONTAINER_RUNS_ON:
        return [*_runs_on(recording), *_out_of_memory(recording)]
    message = " ".join(dict.fromkeys(_messages(recording, cause)))
    found: dict[str, Advice] = {}
    for each in meanings_of(cause, message):
        text = each.fill(each.entry.advice, request=_request(recording, each))
        place = _place(recording, each)
        told = each.entry.key and place in {advice.field for advice in found.values()}
        if text and not told:
            found.setdefault(text, Advice(text, field=place))
    return list(found.values())[:MAX_ADVICE]


def _messages(recording: Recording, cause: Cause) -> Iterator[str]:
    for pod in recording.pods:
        if pod.started is None and (pod.view.state == ACTIVE or stopped(recording, pod)):
            events = recording.events_of(pod.name)
            reason = gone_reason(events) if pod.gone else pending_reason(pod.facts, events)
            if reason is not None and reason.cause == cause:
                yield reason.words
    if cause in (Cause.QUOTA, Cause.PODS_REJECTED):
        rejected = rejection(recording.events)
        if rejected is not None and rejected.cause == cause:
            yield rejected.message
    if cause in (Cause.STORAGE_LIMIT, Cause.NODE_PRESSURE):
        yield from (pod.facts.message for pod in recording.pods)
        for unseen in recording.unseen:
            yield from (each.message for each in unseen.events if each.reason == "Evicted")
    if cause == Cause.SUSPENDED and recording.queue is not None:
        yield recording.queue.lacks
    for unseen in recording.unseen:
        gone = gone_reason(recording.events_of(unseen.name))
        if gone is not None and gone.cause == cause:
            yield gone.words


def _template(recording: Recording) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = recording.manifest["spec"]["template"].get("spec") or {}
    return spec


def _place(recording: Recording, read: Meaning) -> str:
    """Return the path of the field that advice concerns; empty if it names none."""
    template = _template(recording)
    field, wanted = read.entry.field, read.entry.key
    value = read.values[0] if read.values else ""
    part = template.get(field) if field else template
    below = f"{SPEC}.{field}" if field else SPEC
    if wanted == "requests":
        value_path = next((path for path, key, _ in _leaves(part, below) if key == value), "")
        return value_path or f"{below}[0].resources.requests"
    if wanted == "image":
        return f"{below}[0].image"
    if wanted:
        found = (
            path
            for path, key, leaf in _leaves(part, below)
            if _names(key, wanted) and leaf == value
        )
        return next(found, field and below)
    if field == "volumes":
        claims = (path for path, key, _ in _leaves(part, below) if key == "claimName")
        return next(claims, below)
    if field == "nodeSelector" and not part and template.get("affinity"):
        return f"{SPEC}.affinity"
    return field and below


def _request(recording: Recording, read: Meaning) -> str:
    """Return what containers request of a resource, as the end of a phrase; empty if they request none."""
    if read.entry.key != "requests" or not read.values:
        return ""
    leaves = [*_leaves(_template(recording).get("containers"), "")]
    for part in (".requests.", ".limits."):
        amounts = [
            str(leaf) for path, key, leaf in leaves if key == read.values[0] and part in path
        ]
        if amounts:
            return f" for the request of {' + '.join(amounts)}"
    return ""


def _names(key: str, wanted: str) -> bool:
    return key == wanted or (wanted == "name" and key == "secretName")


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the path, the last key and the value of each plain value."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if isinstance(part, Mapping | list):
                yield from _leaves(part, f"{path}.{key}")
            else:
                yield f"{path}.{key}", key, part
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{path}[{index}]")


def _container_path(recording: Recording, name: str) -> str:
    """Return the path of a container of the template; empty if it has none of this name."""
    template = _template(recording)
    for field in ("containers", "initContainers"):
        for index, each in enumerate(template.get(field) or ()):
            if each.get("name") == name:
                return f"{SPEC}.{field}[{index}]"
    return ""


def _out_of_memory(recording: Recording) -> Iterator[Advice]:
    """Yield the advice for each container that was killed for its memory, the last time that it ended."""
    killed: dict[str, bool] = {}
    for pod in recording.pods:
        names = [each.name for each in pod.containers if each.reason == "OOMKilled"]
        names += [each.container for each in pod.facts.last_runs if each.reason == "OOMKilled"]
        for name in names:
            killed[name] = bool({name, ""} & {*pod.facts.memory_limits})
    for name, limited in killed.items():
        path = _container_path(recording, name)
        place = f"{path}.resources" if path else ""
        if limited:
            text = (
                f"Raise resources.limits.memory of container {name} in a new Job, or lower what the program "
                "uses. A retry with the same limit ends the same way."
            )
            yield Advice(text, field=f"{place}.limits.memory" if place else "")
        else:
            text = (
                f"Give container {name} a memory request and a limit of what it needs in a new Job, so that "
                "its Pod gets a node with that much room: it has no limit, and the node ran out of memory."
            )
            yield Advice(text, field=place)


def _never_started(recording: Recording) -> Iterator[Advice]:
    """Yield the advice for a container in a crash loop that could never be started, or not on its node."""
    for pod in recording.pods:
        runs = {each.container: each.message for each in pod.facts.last_runs}
        for name, message in {**runs, **pod.facts.termination_messages}.items():
            if "exec format error" in message:
                yield Advice(
                    f"Build the image of container {name} for the architecture of the node, or select other "
                    "nodes in a new Job.",
                    field=_container_path(recording, name),
                )
                return
        names = crashing(pod.facts)
        for last in pod.facts.last_runs:
            if last.container in names and last.never_ran:
                yield Advice(
                    f"Correct the command of container {last.container}, or the image, in a new Job: the "
                    "program could not be started.",
                    field=_container_path(recording, last.container),
                )
                return


def _runs_on(recording: Recording) -> Iterator[Advice]:
    """Yield the advice for each container that keeps Pods after the work."""
    names = {name: each for each in kept_pods(recording).values() for name in each.keeping}
    for name, kept in names.items():
        path = _container_path(recording, name)
        if name not in kept.helpers:
            yield Advice(
                f"Let {name} end when {kept.done.name} has failed, for example by a file in a shared "
                "emptyDir, or run it in a Pod of its own.",
                field=path,
            )
            continue
        annotation = next((keys[-1] for mesh, keys in NATIVE_SIDECARS.items() if mesh in name), "")
        text = (
            f"Let the webhook that injects {name} leave it out of Jobs, or end it with the other "
            "containers."
        )
        if path:
            text = (
                f"Make {name} a native sidecar: move it to {SPEC}.initContainers, with restartPolicy: Always "
                "(Kubernetes 1.29 and later). The kubelet then ends it after the other containers."
            )
        elif annotation:
            text = (
                f"Let the webhook that injects {name} make it a native sidecar, with the annotation "
                f'{annotation}: "true" of the Pod template (Kubernetes 1.29 and later).'
            )
            path = "spec.template.metadata.annotations"
        yield Advice(text, field=path)
        quits = next((each for key, each in QUIT_REQUESTS.items() if key in name), "")
        ends = f"by its quit endpoint: {quits}" if quits else "by a quit endpoint or a signal"
        yield Advice(f"Or let the work end {name} at its end, {ends}.")
