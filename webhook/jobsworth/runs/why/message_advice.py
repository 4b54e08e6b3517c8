"""Advice that the message of the kubelet or the scheduler, or the container concerned, decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from jobsworth.controller.pods import ACTIVE
from jobsworth.lint.agents import NATIVE_SIDECARS, QUIT_REQUESTS
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.kept_pods import crashing
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


class MessagePattern(NamedTuple):
    """Advice about a message that a pattern finds.

    Attributes:
        text: the advice; ``{0}`` is the first group of the pattern.
        field: the path of the field to change, below the Pod template's spec; empty without one.
        key: a key of that field whose value is the first group; empty without one.
    """

    pattern: str
    text: str
    field: str = ""
    key: str = ""


_ATTACH_LIMIT = (
    "The node has as many volumes as it can attach: use fewer volumes for each Pod, or nodes with a higher "
    "limit (kubectl describe csinode)."
)
_BY_MESSAGE: dict[Cause, tuple[MessagePattern, ...]] = {
    Cause.VOLUME: (
        MessagePattern(
            r"Multi-Attach error",
            "The volume is attached to another node, and its access mode allows only one: wait for the Pods "
            "that use it to end; for Pods on several nodes, use a claim with ReadWriteMany in a new Job.",
            "volumes",
        ),
        MessagePattern(
            r"(?i)attach\w* limit|max\w* (?:volume|number of)|too many volumes", _ATTACH_LIMIT, "volumes"
        ),
        MessagePattern(
            r"not found in the list of registered CSI drivers",
            "The CSI driver does not run on this node: install it there, or keep the Pod off the node.",
            "volumes",
        ),
        MessagePattern(
            r"hostPath type check failed",
            "Correct the path or the type of the hostPath volume: this node does not have it.",
            "volumes",
        ),
        MessagePattern(
            r"(?i)mount\.nfs|mount failed|timed out(?! waiting for the condition)|no route|refused|denied",
            "The node does not reach the storage: check the address, the export and the path of the volume, "
            "network policies, and the storage client on the node (kubectl describe pv).",
            "volumes",
        ),
        MessagePattern(
            r"unmounted volumes=\[([^\]]*)\]",
            "Volume {0} does not become ready: look for the Events of its claim and of its attachment.",
            "volumes",
            "name",
        ),
        MessagePattern(
            r"",
            "Look at the claim, the volume and its attachment.",
            "volumes",
        ),
    ),
    Cause.UNSCHEDULABLE: (
        MessagePattern(
            r'persistentvolumeclaim "([^"]+)" not found',
            "Create PersistentVolumeClaim {0} in the namespace of the Job, or correct the name in a new Job.",
            "volumes",
            "claimName",
        ),
        MessagePattern(
            r'persistentvolumeclaim "([^"]+)" (is being deleted|bound to non-existent)',
            "PersistentVolumeClaim {0} is being deleted or has lost its volume: create it anew.",
            "volumes",
            "claimName",
        ),
        MessagePattern(
            r"unbound immediate PersistentVolumeClaims|didn't find available persistent volumes",
            "Let the PersistentVolumeClaim be bound: its StorageClass must exist and have a provisioner that "
            "runs, or a PersistentVolume must fit. Nodes and requests do not matter.",
            "volumes",
        ),
        MessagePattern(
            r"volume node affinity conflict",
            "The volume of a claim is bound to a zone or node where no node takes the Pod: add a node there, "
            "or use a claim whose StorageClass has volumeBindingMode: WaitForFirstConsumer.",
            "volumes",
        ),
        MessagePattern(r"exceed max volume count", _ATTACH_LIMIT, "volumes"),
        MessagePattern(
            r"Insufficient ([\w./-]+?)(?=[,.]?(?:\s|$))",
            "No node has enough {0} free: add a node that is large enough, wait for other Pods to end, or "
            "lower the request in a new Job.",
            "containers",
            "requests",
        ),
        MessagePattern(
            r"taint\(?s?\)? \{(node\.kubernetes\.io/[^:}]+)",
            "Nodes have the taint {0}, which Kubernetes sets itself: repair the nodes, or uncordon them.",
        ),
        MessagePattern(
            r"taint\(?s?\)? \{((?!node\.kubernetes\.io/|node-role\.kubernetes\.io/)[^}]*)\}",
            "Nodes have the taint {0}, and the Pod does not tolerate it: add a toleration in a new Job, or "
            "remove the taint.",
            "tolerations",
        ),
        MessagePattern(
            r"untolerated taint\(s\)(?! \{)",
            "Nodes have taints that the Pod does not tolerate: add tolerations in a new Job, or remove the "
            "taints.",
            "tolerations",
        ),
        MessagePattern(
            r"didn't match Pod's node affinity|didn't match node selector",
            "Nodes lack the labels that nodeSelector or nodeAffinity requires: label a node, or correct the "
            "selector in a new Job.",
            "nodeSelector",
        ),
        MessagePattern(
            r"didn't match pod (?:anti-)?affinity|didn't satisfy existing pods anti-affinity",
            "Rules of podAffinity or podAntiAffinity exclude nodes: add nodes, or relax them in a new Job.",
            "affinity",
        ),
        MessagePattern(
            r"didn't match pod topology spread",
            "The constraints exclude nodes: add nodes in other zones, or set whenUnsatisfiable: "
            "ScheduleAnyway in a new Job.",
            "topologySpreadConstraints",
        ),
        MessagePattern(
            r"didn't have free ports",
            "Another Pod of the node uses the hostPort: remove it in a new Job, or add nodes.",
            "containers",
        ),
        MessagePattern(r"were unschedulable", "Nodes are cordoned: uncordon them, or add nodes."),
        MessagePattern(r"Too many pods", "Nodes have as many Pods as they take: add nodes."),
    ),
    Cause.SUSPENDED: (
        MessagePattern(
            r"(\w*Queue \S+) (?:doesn't|does not) exist",
            "Create {0}, or correct the label kueue.x-k8s.io/queue-name.",
        ),
        MessagePattern(
            r"(\w*Queue \S+) is (?:stopped|not active|inactive)",
            "{0} admits nothing: let its administrator see to it (kubectl describe).",
        ),
        MessagePattern(
            r"request > maximum capacity|insufficient quota for (\S+)",
            "The Job requests more than its queue can ever have: lower its requests or its parallelism, or "
            "raise nominalQuota of the ClusterQueue.",
            "containers",
            "requests",
        ),
        MessagePattern(
            r"insufficient unused quota(?: in cohort)?(?: for (\S+))?",
            "Wait for other Workloads of the queue to end, lower the requests or the parallelism, or raise "
            "nominalQuota of the ClusterQueue.",
            "containers",
            "requests",
        ),
        MessagePattern(
            r"it is deactivated",
            "Set spec.active: true on the Workload once the cause of its deactivation is gone.",
        ),
        MessagePattern(
            r"admission check (\S+) is",
            "The admission check {0} has to pass: look at its controller (kubectl describe workload).",
        ),
    ),
    Cause.START_ERROR: (
        MessagePattern(
            r"runAsNonRoot",
            "Set securityContext.runAsUser to the number of another user than root in a new Job, or use an "
            "image that has such a user.",
            "containers",
        ),
        MessagePattern(
            r"(?i)subpath",
            "Correct the subPath, or what its volume holds, in a new Job.",
            "containers",
        ),
    ),
    Cause.MISSING_CONFIG: (
        MessagePattern(
            r"references non-existent (?:config|secret) key: (\S+)",
            "Add the key {0}, which an item of the volume names.",
            "volumes",
            "key",
        ),
        MessagePattern(
            r"couldn't find key (\S+) in",
            "Add the key {0}.",
            "containers",
            "key",
        ),
        MessagePattern(
            r'configmap "([^"]+)" not found',
            "Create ConfigMap {0} in the namespace of the Job.",
            "",
            "name",
        ),
        MessagePattern(
            r'secret "([^"]+)" not found',
            "Create Secret {0} in the namespace of the Job.",
            "",
            "name",
        ),
    ),
    Cause.IMAGE_PULL: (
        MessagePattern(
            r"(?i)unauthorized|denied|authentication required|no basic auth|\b40[13]\b",
            "The registry refuses the node, or has no image of this name: give imagePullSecrets to the Pod "
            "template or its ServiceAccount, delete the Job and create it anew.",
            "imagePullSecrets",
        ),
        MessagePattern(
            r"(?i)toomanyrequests|rate limit|\b429\b",
            "The registry limits the rate: the kubelet tries again. Authenticate with imagePullSecrets, or "
            "use a mirror, in a new Job.",
            "imagePullSecrets",
        ),
        MessagePattern(
            r"(?i)no match for platform|exec format",
            "The image has no variant for the architecture of the node: push one, or select other nodes in a "
            "new Job.",
            "nodeSelector",
        ),
        MessagePattern(
            r"(?i)no such host|i/o timeout|connection refused|timed out|x509",
            "The node does not reach the registry: check its name, network and certificates. The kubelet "
            "tries again.",
            "containers",
            "image",
        ),
    ),
    Cause.QUOTA: (
        MessagePattern(
            r"failed quota: (\S+): must specify",
            "ResourceQuota {0} requires that each container has the requests and limits of the message: set "
            "them in a new Job, or default ones in a LimitRange.",
            "containers",
        ),
        MessagePattern(
            r"exceeded quota: ([^,\s]+)",
            "Wait for other Pods of the namespace to end, raise ResourceQuota {0}, or lower the requests in "
            "a new Job.",
        ),
    ),
    Cause.PODS_REJECTED: (
        MessagePattern(
            r"violates PodSecurity",
            "Delete the Job and create it anew with what the message requires, or let the namespace permit "
            "such Pods.",
        ),
        MessagePattern(
            r'serviceaccount "([^"]+)" not found',
            "Create ServiceAccount {0} in the namespace of the Job.",
            "serviceAccountName",
        ),
        MessagePattern(
            r"no PriorityClass with name (\S+) was found",
            "Create PriorityClass {0}, or correct the name in a new Job.",
            "priorityClassName",
        ),
        MessagePattern(
            r'failed calling webhook "([^"]+)"',
            "Repair the server of webhook {0}, which does not answer.",
        ),
        MessagePattern(
            r'admission webhook "([^"]+)" denied',
            "Change what the message of webhook {0} names in a new Job, or the rule of the webhook.",
        ),
        MessagePattern(
            r"because it is being terminated",
            "Create the Job in another namespace: this one is being deleted.",
        ),
        MessagePattern(
            r"ValidatingAdmissionPolicy '([^']+)'",
            "Change what the message of ValidatingAdmissionPolicy {0} names in a new Job, or the policy.",
        ),
        MessagePattern(
            r"(?:minimum|maximum) \S+ (?:usage|limit|request)\S* per |limit to request ratio per ",
            "Correct the requests and limits in a new Job, or the LimitRange of the namespace.",
            "containers",
        ),
        MessagePattern(
            r" is invalid: ",
            "Correct the fields that the message names, delete the Job and create it anew.",
        ),
    ),
}  # fmt: skip
"""In the order in which they are tried; the empty pattern is the default."""


def advice_by_messages(recording: Recording, cause: Cause) -> list[Advice]:
    """Return the advice that the messages about Pods decide; empty if the cause alone does."""
    if cause in (Cause.OOM, Cause.CRASH_LOOP):
        return list(_out_of_memory(recording)) or list(_never_started(recording))
    if cause == Cause.EXIT_CODE:
        return list(_never_started(recording))
    if cause == Cause.CONTAINER_RUNS_ON:
        return [*_runs_on(recording), *_out_of_memory(recording)]
    reads = _BY_MESSAGE.get(cause, ())
    message = " ".join(dict.fromkeys(_messages(recording, cause))) if reads else ""
    found: dict[str, Advice] = {}
    for each in reads if message else ():
        for match in re.finditer(each.pattern, message) if each.pattern or not found else ():
            value = ((match[1] if match.re.groups else "") or "").strip(" :")
            text = each.text.format(value)
            found.setdefault(text, Advice(text, field=_place(recording, each, value)))
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
    if cause == Cause.SUSPENDED and recording.queue is not None:
        yield recording.queue.lacks
    for unseen in recording.unseen:
        gone = gone_reason(recording.events_of(unseen.name))
        if gone is not None and gone.cause == cause:
            yield gone.words


def _template(recording: Recording) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = recording.manifest["spec"]["template"].get("spec") or {}
    return spec


def _place(recording: Recording, read: MessagePattern, value: str) -> str:
    """Return the path of the field that advice concerns; empty if it names none."""
    template = _template(recording)
    part = template.get(read.field) if read.field else template
    below = f"{SPEC}.{read.field}" if read.field else SPEC
    if read.key == "requests":
        value_path = next((path for path, key, _ in _leaves(part, below) if key == value), "")
        return value_path or f"{below}[0].resources.requests"
    if read.key == "image":
        return f"{below}[0].image"
    if read.key:
        found = (
            path
            for path, key, leaf in _leaves(part, below)
            if _names(key, read.key) and leaf == value
        )
        return next(found, read.field and below)
    if read.field == "volumes":
        claims = (path for path, key, _ in _leaves(part, below) if key == "claimName")
        return next(claims, below)
    if read.field == "nodeSelector" and not part and template.get("affinity"):
        return f"{SPEC}.affinity"
    return read.field and below


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
        if path or not annotation:
            text = (
                f"Make {name} a native sidecar: move it to {SPEC}.initContainers, with restartPolicy: Always "
                "(Kubernetes 1.29 and later). The kubelet then ends it after the other containers."
            )
        else:
            text = (
                f"Let the webhook that injects {name} make it a native sidecar, with the annotation "
                f'{annotation}: "true" of the Pod template (Kubernetes 1.29 and later).'
            )
            path = "spec.template.metadata.annotations"
        yield Advice(text, field=path)
        quits = next((each for key, each in QUIT_REQUESTS.items() if key in name), "")
        ends = f"by its quit endpoint: {quits}" if quits else "by a quit endpoint or a signal"
        yield Advice(f"Or let the work end {name} at its end, {ends}.")
