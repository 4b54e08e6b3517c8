"""What messages about Pods mean that do not start: one table for the wait, the advice and the command.

The messages are those of the kubelet, the scheduler, the container runtime, the API server, Kueue and the
cluster autoscaler. Sources: Kubernetes 1.26 to 1.37, Kueue 0.14, and cluster-autoscaler 1.33.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jobsworth.runs.cause import Cause

DENIED = re.compile(
    r"(?i)unauthorized|denied|authentication required|no basic auth|\b40[13]\b|insufficient_scope"
)
"""In the message of a registry that refuses the node."""
OVER_QUOTA = "one Pod requests more than the whole quota"
"""Follows the message about a quota in which no end of other Pods makes room."""
TOO_SMALL = "the request is larger than a whole node"
"""Follows the message about the one resource of which each node has too little, whatever Pods it has."""
NODE_COMES = "the autoscaler adds a node"
OWN_CLAIMS = "the PersistentVolumeClaims of its Pods"
"""What a Pod waits for where the scheduler does not name its claims."""
BOUND = "it exists and is bound: the scheduler tries again by itself"
"""What ends the wait for one claim."""


class MessageMeaning(NamedTuple):
    """What a message means that a pattern finds.

    In the texts ``{0}`` is the first group of the pattern that has text, ``{1}`` the next.

    Attributes:
        pattern: the empty one finds any message that no other finds.
        advice: what to change, in which ``{request}`` is what containers request of the first group; empty
            for the advice of the cause.
        field: the path of the field to change, below the Pod template's spec; empty without one.
        key: a key of that field whose value is the first group; empty without one.
        waits_for: what the Job or Pod waits for, as a noun phrase in which ``{image}`` is the image; empty
            for that of the cause.
        ends: what ends the wait, as a clause after "when"; empty for that of the cause.
        command: the words behind kubectl that make the change or show what it takes. ``{job}`` is the name of
            the Job, ``{claims}`` are those of the PersistentVolumeClaims of the template. Empty for the
            command of the cause.
        alone: nothing else that the message means counts beside it.
        fault: the wait is not intended, although other waits of this cause are: somebody has to act.
    """

    pattern: str
    advice: str = ""
    field: str = ""
    key: str = ""
    waits_for: str = ""
    ends: str = ""
    command: str = ""
    alone: bool = False
    fault: bool = False


class Meaning(NamedTuple):
    """A meaning, and the words of a message that fill its texts."""

    entry: MessageMeaning
    values: tuple[str, ...]

    def fill(self, text: str, **names: str) -> str:
        """Return one of its texts with the words of the message in it."""
        return text.format(*self.values, **names)


def meanings_of(cause: Cause, message: str) -> Iterator[Meaning]:
    """Yield what a message about a cause means, once for each place that a pattern finds."""
    known = False
    for entry in MEANINGS.get(cause, ()) if message else ():
        for match in re.finditer(entry.pattern, message) if entry.pattern or not known else ():
            known = True
            groups = (each.strip(" :") for each in match.groups() if each is not None)
            yield Meaning(entry, tuple(groups))
            if entry.alone:
                return


def meaning_of(cause: Cause, message: str) -> Meaning:
    """Return the meaning that decides what is waited for: the first; one without texts if none is known."""
    return next(meanings_of(cause, message), _NOTHING)


_NOTHING = Meaning(MessageMeaning(""), ())
_SEE_TAINTS = "get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints"
_NODE_FITS = "a node fits: nodes are added, or their labels, taints or volumes change"
_ATTACH_LIMIT = (
    "The node has as many volumes as it can attach: use fewer volumes for each Pod, or nodes with a higher "
    "limit (kubectl describe csinode)."
)
_CREATED = "it is created in the namespace of the Job: the kubelet tries again by itself"
_NEW_JOB = "delete job {job}"
_KEY_ADDED = "the key is added: the kubelet tries again by itself"


def _unfit(
    pattern: str,
    advice: str = "",
    field: str = "",
    *,
    which: str = "that takes its Pods",
    command: str,
) -> MessageMeaning:
    """Return the meaning of a message about nodes that a Pod cannot use, whatever room they have.

    Args:
        which: the node that it waits for, as a relative clause or the like.
    """
    return MessageMeaning(pattern, advice, field, "", f"a node {which}", _NODE_FITS, command)


def _volume(pattern: str, advice: str, key: str = "") -> MessageMeaning:
    """Return the meaning of a message about volumes that a node does not mount."""
    return MessageMeaning(pattern, advice, "volumes", key, command="describe pvc {claims}")


def _image(pattern: str, words: str, advice: str = "", field: str = "") -> MessageMeaning:
    """Return the meaning of a message about an image, with the reason in a few words."""
    waits_for = f"image {{image}} ({words})" if words else "image {image}"
    return MessageMeaning(pattern, advice, field, waits_for=waits_for, command=_NEW_JOB)


MEANINGS: dict[Cause, tuple[MessageMeaning, ...]] = {
    Cause.VOLUME: (
        MessageMeaning(
            r'failed to fetch token: serviceaccounts? "([^"]+)" not found',
            "Create ServiceAccount {0} in the namespace of the Job: the kubelet tries again by itself.",
            "serviceAccountName",
            "",
            "ServiceAccount {0}",
            "it is created: the kubelet tries again by itself",
            "create serviceaccount {0}",
            alone=True,
        ),
        MessageMeaning(
            r"Multi-Attach error.*used by pod\(s\) ([\w.-]+)",
            "The volume is attached to another node, that of Pod {0}, and its access mode allows only one: "
            "wait for that Pod to end. If it is of the previous run, concurrencyPolicy: Forbid keeps the "
            "runs apart.",
            "volumes",
            waits_for="a volume that Pod {0} uses on another node",
            ends="that Pod has ended: the volume is then attached by itself",
            command="describe pod {0}",
            alone=True,
        ),
        _volume(
            r"Multi-Attach error",
            "The volume is attached to another node, and its access mode allows only one: wait for the Pods "
            "that use it to end; for Pods on several nodes, use a claim with ReadWriteMany in a new Job.",
        ),
        _volume(r"(?i)attach\w* limit|max\w* (?:volume|number of)|too many volumes", _ATTACH_LIMIT),
        _volume(
            r"not found in the list of registered CSI drivers",
            "The CSI driver does not run on this node: install it there, or keep the Pod off the node.",
        ),
        _volume(
            r"hostPath type check failed",
            "Correct the path or the type of the hostPath volume: this node does not have it.",
        ),
        _volume(
            r"(?i)mount\.nfs|mount failed|timed out(?! waiting for the condition)|no route|refused|denied",
            "The node does not reach the storage: check the address, the export and the path of the volume, "
            "network policies, and the storage client on the node (kubectl describe pv).",
        ),
        _volume(
            r"unmounted volumes=\[([^\]]*)\]",
            "Volume {0} does not become ready: look for the Events of its claim and of its attachment.",
            "name",
        ),
        _volume(r"", "Look at the claim, the volume and its attachment."),
    ),
    Cause.UNSCHEDULABLE: (
        MessageMeaning(
            rf"{NODE_COMES}: ",
            "Wait for the new node. If none joins within 15 minutes, look for the reason in the log of the "
            "autoscaler.",
            waits_for="a new node of the autoscaler",
            ends="the new node is ready",
            command="get nodes",
            alone=True,
        ),
        MessageMeaning(
            r'(?i)resourceclaimtemplate\S* "([^"]+)" not found',
            "Create ResourceClaimTemplate {0} in the namespace of the Job, or correct the name in a new Job.",
            "resourceClaims",
            waits_for="ResourceClaimTemplate {0}, which does not exist",
            ends="it is created: its controller tries again by itself",
            command="get resourceclaimtemplates",
            alone=True,
        ),
        MessageMeaning(
            r"exceed limits for nodepool(?:: \"?|, NodePool=)([\w.-]+)",
            "NodePool {0} is at its limits: wait until nodes of it are free, or raise its spec.limits.",
            waits_for="room in NodePool {0}",
            ends="nodes of the NodePool are free, or its spec.limits are raised",
            command="describe nodepools {0}",
            alone=True,
        ),
        MessageMeaning(
            r'(?i)persistentvolumeclaim "([^"]+)" not found',
            "Create PersistentVolumeClaim {0} in the namespace of the Job, or correct the name in a new Job.",
            "volumes",
            "claimName",
            "PersistentVolumeClaim {0}",
            BOUND,
            "get pvc",
        ),
        MessageMeaning(
            r'(?i)persistentvolumeclaim "([^"]+)" (?:is being deleted|bound to non-existent)',
            "PersistentVolumeClaim {0} is being deleted or has lost its volume: create it anew.",
            "volumes",
            "claimName",
            "PersistentVolumeClaim {0}",
            BOUND,
            "describe pvc {0}",
        ),
        MessageMeaning(
            r'(?i)storageclass(?:\.storage\.k8s\.io)? "([^"]*)" not found',
            "Create StorageClass {0}: its name in a PersistentVolumeClaim is immutable, so that a misspelled "
            "one takes a new claim.",
            "volumes",
            waits_for="StorageClass {0}, which does not exist",
            ends="it exists and the claim is bound: both are tried again",
            command="get storageclasses",
            alone=True,
        ),
        MessageMeaning(
            r'failed to provision volume with StorageClass "([^"]*)"',
            "Remove the cause that the provisioner of StorageClass {0} names: it tries again.",
            "volumes",
            waits_for="a volume of StorageClass {0}",
            ends="its provisioner makes the volume: it tries again",
            command="describe pvc {claims}",
            alone=True,
        ),
        MessageMeaning(
            r"no persistent volumes available for this claim and no storage class is set",
            "Name a StorageClass in a new PersistentVolumeClaim, make one the default, or create a "
            "PersistentVolume that fits.",
            "volumes",
            waits_for=OWN_CLAIMS,
            ends="they are bound: the scheduler tries again by itself",
            command="get storageclasses,pv",
            alone=True,
        ),
        MessageMeaning(
            r"""external provisioner ['"]([^'"]+)['"]""",
            "Look at the Pods of provisioner {0}, which has not made the volume.",
            "volumes",
            waits_for="provisioner {0} to make a volume",
            ends="the volume is made: the scheduler tries again by itself",
            command="get csidrivers,storageclasses",
            alone=True,
        ),
        MessageMeaning(
            r"unbound immediate PersistentVolumeClaims|didn't find available persistent volumes|"
            r"binding volumes: ",
            "Let the PersistentVolumeClaim be bound: its StorageClass must exist and have a provisioner that "
            "runs, or a PersistentVolume must fit. Nodes and requests do not matter.",
            "volumes",
            "",
            OWN_CLAIMS,
            "they exist and are bound: the scheduler tries again by itself",
            "describe pvc {claims}",
        ),
        _unfit(
            r"volume node affinity conflict",
            "The volume of a claim is bound to a zone or node where no node takes the Pod: add a node there, "
            "or use a claim whose StorageClass has volumeBindingMode: WaitForFirstConsumer.",
            "volumes",
            command="describe pvc {claims}",
        ),
        _unfit(r"exceed max volume count", _ATTACH_LIMIT, "volumes", command="describe nodes"),
        MessageMeaning(
            r"in backoff after failed scale-up",
            "The autoscaler could not add a node, for want of capacity or quota in the cloud, say, and tries "
            "again after a backoff. See its status, or add a node that is large enough.",
            waits_for="a node that the autoscaler could not add",
            command="get configmap -n kube-system cluster-autoscaler-status -o yaml",
        ),
        _unfit(
            r"(?s)taint\(?s?\)? \{([\w./-]+)[:}].*Insufficient \1|"
            r"Insufficient ([\w./-]+).*taint\(?s?\)? \{\2[:}]",
            "The nodes that have {0} also have a taint of this name, and the Pod does not tolerate it: add a "
            "toleration in a new Job.",
            "tolerations",
            which="whose taint {0} its Pods tolerate",
            command=_SEE_TAINTS,
        )._replace(alone=True),
        MessageMeaning(
            rf"Insufficient ([\w./-]+?)(?=[,;]).*{TOO_SMALL}",
            "No node that its Pods may use has enough {0}{request}, even without other Pods: add a larger "
            "node, or lower the request in a new Job.",
            "containers",
            "requests",
            "a larger node: none has enough {0}",
            "a node that is large enough is added",
            "describe nodes",
        ),
        MessageMeaning(
            r"Insufficient ([\w./-]+?)(?=[,.;]?(?:\s|$))",
            "No node has enough {0} free{request}: add a node that is large enough, wait for other Pods to "
            "end, or lower the request in a new Job.",
            "containers",
            "requests",
            command="describe nodes",
        ),
        MessageMeaning(
            r"max node group size reached|max cluster \w+ limit reached",
            "The autoscaler may not add nodes: raise the maximum size of the node group.",
        ),
        MessageMeaning(
            r"didn't have free ports",
            "Another Pod of the node uses the hostPort: remove it in a new Job, or add nodes.",
            "containers",
            command="describe nodes",
        ),
        MessageMeaning(
            r"Too many pods",
            "Nodes have as many Pods as they take: add nodes.",
            command="describe nodes",
        ),
        _unfit(
            r"taint\(?s?\)? \{(node\.kubernetes\.io/(?:disk|memory|pid)-pressure)",
            "Nodes have the taint {0}: free what they are short of, or add nodes. The kubelet removes the "
            "taint by itself.",
            which="without the taint {0}",
            command=_SEE_TAINTS,
        ),
        _unfit(
            r"taint\(?s?\)? \{(node\.kubernetes\.io/(?!disk-|memory-|pid-)[^:}]+)",
            "Nodes have the taint {0}, which Kubernetes sets itself: repair the nodes, or uncordon them.",
            which="without the taint {0}",
            command=_SEE_TAINTS,
        ),
        _unfit(
            r"taint\(?s?\)? \{((?!node\.kubernetes\.io/|node-role\.kubernetes\.io/)[^}]*)\}",
            "Nodes have the taint {0}, and the Pod does not tolerate it: add a toleration in a new Job, or "
            "remove the taint.",
            "tolerations",
            which="without the taint {0}",
            command=_SEE_TAINTS,
        ),
        _unfit(
            r"untolerated taint\(s\)(?! \{)",
            "Nodes have taints that the Pod does not tolerate: add tolerations in a new Job, or remove the "
            "taints.",
            "tolerations",
            which="whose taints its Pods tolerate",
            command=_SEE_TAINTS,
        ),
        _unfit(
            r"didn't match Pod's node affinity|didn't match node selector",
            "Nodes lack the labels that nodeSelector or nodeAffinity requires: correct the selector in a new "
            "Job, or label the nodes that are meant for its Pods.",
            "nodeSelector",
            which="that matches nodeSelector and nodeAffinity",
            command="get nodes --show-labels",
        ),
        _unfit(
            r"didn't match pod (?:anti-)?affinity|didn't satisfy existing pods anti-affinity",
            "Rules of podAffinity or podAntiAffinity exclude nodes: add nodes, or relax them in a new Job.",
            "affinity",
            command="get nodes --show-labels",
        ),
        _unfit(
            r"didn't match pod topology spread",
            "The constraints exclude nodes: add nodes in other zones, or set whenUnsatisfiable: "
            "ScheduleAnyway in a new Job.",
            "topologySpreadConstraints",
            command="get nodes --show-labels",
        ),
        _unfit(
            r"were unschedulable",
            "Nodes are cordoned: uncordon them, or add nodes.",
            command="get nodes",
        ),
        _unfit(r"nodes are available: *\S", command="describe nodes"),
    ),
    Cause.SUSPENDED: (
        MessageMeaning(
            r"(\w*Queue \S+) (?:doesn't|does not) exist",
            "Create {0}, or correct the label kueue.x-k8s.io/queue-name.",
            waits_for="{0}, which does not exist",
            command="get localqueues,clusterqueues",
            fault=True,
        ),
        MessageMeaning(
            r"(\w*Queue \S+) is (?:stopped|not active|inactive)",
            "{0} admits nothing: let its administrator see to it (kubectl describe).",
        ),
        MessageMeaning(
            r"request > maximum capacity|insufficient quota for (\S+)",
            "The Job requests more than its queue can ever have: lower its requests or its parallelism, or "
            "raise nominalQuota of the ClusterQueue.",
            "containers",
            "requests",
            fault=True,
        ),
        MessageMeaning(
            r"insufficient unused quota(?: in cohort)?(?: for (\S+))?",
            "Wait for other Workloads of the queue to end, lower the requests or the parallelism, or raise "
            "nominalQuota of the ClusterQueue.",
            "containers",
            "requests",
        ),
        MessageMeaning(
            r"it is deactivated",
            "Set spec.active: true on the Workload once the cause of its deactivation is gone.",
            fault=True,
        ),
        MessageMeaning(
            r"admission check (\S+) is",
            "The admission check {0} has to pass: look at its controller (kubectl describe workload).",
        ),
    ),
    Cause.NODE_PRESSURE: (
        MessageMeaning(
            r"low on resource: ([\w-]+)\..*?Container (\S+) was using (\S+), request is ([1-9][^,\s]*)",
            "Raise resources.requests.{0} of container {1} from {3} to the {2} that it used in a new Job: "
            "the kubelet evicts first what uses more than it requests.",
            "containers",
            "requests",
        ),
    ),
    Cause.STORAGE_LIMIT: (
        MessageMeaning(
            r'Usage of EmptyDir volume "([^"]+)" exceeds the limit "([^"]+)"',
            "Raise sizeLimit ({1}) of volume {0} in a new Job, or write less to it.",
        ),
        MessageMeaning(
            r'Container (\S+) exceeded its local ephemeral storage limit "([^"]+)"',
            "Raise resources.limits.ephemeral-storage ({1}) of container {0} in a new Job, or write less.",
        ),
        MessageMeaning(
            r"usage exceeds the total limit of containers (\S+?)\.?(?=\s|$)",
            "Raise resources.limits.ephemeral-storage of the containers ({0} in all) in a new Job, or write "
            "less: logs and emptyDir volumes count.",
        ),
    ),
    Cause.START_ERROR: (
        MessageMeaning(
            r"runAsNonRoot",
            "Set securityContext.runAsUser to the number of another user than root in a new Job, or use an "
            "image that has such a user.",
            "containers",
        ),
        MessageMeaning(
            r"(?i)subpath",
            "Correct the subPath, or what its volume holds, in a new Job.",
            "containers",
        ),
    ),
    Cause.MISSING_CONFIG: (
        *(
            MessageMeaning(
                rf"references non-existent {noun} key: (\S+)",
                f"Add the key {{0}} to the {kind} of the volume, one of whose items names it.",
                "volumes",
                "key",
                f"key {{0}} of a {kind}",
                _KEY_ADDED,
                f"describe {kind.lower()}s",
            )
            for noun, kind in (("config", "ConfigMap"), ("secret", "Secret"))
        ),
        MessageMeaning(
            r"couldn't find key (\S+) in (ConfigMap|Secret) (?:[^\s/]*/)?([^\s,]+)",
            "Add the key {0}.",
            "containers",
            "key",
            "key {0} of {1} {2}",
            _KEY_ADDED,
            "describe {1} {2}",
        ),
        MessageMeaning(
            r'configmap "([^"]+)" not found',
            "Create ConfigMap {0} in the namespace of the Job.",
            "",
            "name",
            "ConfigMap {0}",
            _CREATED,
            "get configmaps",
        ),
        MessageMeaning(
            r'secret "([^"]+)" not found',
            "Create Secret {0} in the namespace of the Job.",
            "",
            "name",
            "Secret {0}",
            _CREATED,
            "get secrets",
        ),
        MessageMeaning(r"", command="get configmaps,secrets"),
    ),
    Cause.IMAGE_PULL: (
        MessageMeaning(
            r"image pull secrets \(([^)]+)\)",
            "Create Secret {0} with access to the registry in the namespace of the Job: the kubelet tries "
            "again by itself.",
            "imagePullSecrets",
            "",
            "Secret {0} to pull image {image}",
            "it gives the access: the kubelet tries again by itself",
            "get secrets",
            alone=True,
        ),
        _image(
            r"(?i)toomanyrequests|rate limit|\b429\b",
            "rate limit",
            "The registry limits the rate: the kubelet tries again. Authenticate with imagePullSecrets, or "
            "use a mirror, in a new Job.",
            "imagePullSecrets",
        )._replace(command="", ends="the limit is over: the kubelet tries again by itself"),
        _image(
            DENIED.pattern,
            "access denied",
            "The registry refuses the node, or has no image of this name. If the node's role lacks the "
            "right, grant it: the kubelet tries again. Else give imagePullSecrets to the Pod template or its "
            "ServiceAccount, delete the Job and create it anew.",
            "imagePullSecrets",
        )._replace(ends="the node may pull the image"),
        _image(
            r"(?i)no match for platform|exec format",
            "not for this platform",
            "The image has no variant for the architecture of the node: push one, or select other nodes in a "
            "new Job.",
            "nodeSelector",
        ),
        _image(
            r"(?i)no such host|timeout|connection refused|timed out|x509",
            "registry not reached",
            "The node does not reach the registry: check its name, network and certificates. The kubelet "
            "tries again.",
            "containers",
        )._replace(key="image", command="", ends="the node reaches the registry"),
        _image(r"(?i)not found|manifest unknown", "not found"),
        _image(r"(?i)couldn't parse|invalid reference", "invalid name"),
        _image(r"", ""),
    ),
    Cause.QUOTA: (
        MessageMeaning(
            r"exceeded quota: ([^,\s]+), requested: (?:count/)?jobs\.batch",
            "Delete finished Jobs of the namespace, which count, or raise ResourceQuota {0}. "
            "ttlSecondsAfterFinished deletes them in time.",
            waits_for="room in ResourceQuota {0}",
            command="describe resourcequota {0}",
            alone=True,
        ),
        MessageMeaning(
            r"failed quota: ([^:\s]+): must specify",
            "ResourceQuota {0} requires that each container has the requests and limits of the message: set "
            "them in a new Job, or default ones in a LimitRange.",
            "containers",
            "",
            "requests and limits that ResourceQuota {0} requires",
            "a LimitRange sets them, or the ResourceQuota no longer requires them",
            "describe resourcequota {0}",
        ),
        MessageMeaning(
            rf"exceeded quota: ([^,\s]+).*{OVER_QUOTA}",
            "A Pod requests more than ResourceQuota {0} has in all: raise the quota, or lower the requests "
            "in a new Job.",
            "containers",
            "",
            "a larger ResourceQuota {0}: one Pod requests more than all of it",
            "the ResourceQuota is raised, or the Job is created anew with lower requests",
            "describe resourcequota {0}",
            alone=True,
        ),
        MessageMeaning(
            r"exceeded quota: ([^,\s]+)",
            "Wait for other Pods of the namespace to end, raise ResourceQuota {0}, or lower the requests in "
            "a new Job.",
            waits_for="room in ResourceQuota {0}",
            command="describe resourcequota {0}",
        ),
        MessageMeaning(r"", command="describe resourcequota"),
    ),
    Cause.PODS_REJECTED: (
        MessageMeaning(
            r'violates PodSecurity "([^:"]+)',
            "Delete the Job and create it anew with what the message requires, or let the namespace permit "
            "such Pods.",
            waits_for="Pods that Pod Security {0} permits",
            ends="the namespace permits such Pods (label pod-security.kubernetes.io/enforce), or the Job is "
            "created anew",
            command=_NEW_JOB,
        ),
        MessageMeaning(
            r'serviceaccount "([^"]+)" not found',
            "Create ServiceAccount {0} in the namespace of the Job.",
            "serviceAccountName",
            "",
            "ServiceAccount {0}",
            "it is created: the controller tries again by itself",
            "create serviceaccount {0}",
        ),
        MessageMeaning(
            r"because it is being terminated",
            "Create the Job in another namespace: this one is being deleted.",
            waits_for="a namespace that is not being deleted",
        ),
        MessageMeaning(
            r"ValidatingAdmissionPolicy '([^']+)'",
            "Change what the message of ValidatingAdmissionPolicy {0} names in a new Job, or the policy.",
            waits_for="ValidatingAdmissionPolicy {0} to accept its Pods",
        ),
        MessageMeaning(
            r"no PriorityClass with name (\S+) was found",
            "Create PriorityClass {0}, or correct the name in a new Job.",
            "priorityClassName",
            waits_for="PriorityClass {0}",
            command="get priorityclasses",
        ),
        MessageMeaning(
            r'failed calling webhook "([^"]+)".*https://[^./]+\.([^./]+)\.svc',
            "Repair the server of webhook {0}, which does not answer: its Pods are in namespace {1}.",
            waits_for="webhook {0} to answer",
            ends="the webhook answers: the controller tries again by itself",
            command="get pods,endpointslices -n {1}",
        ),
        MessageMeaning(
            r'failed calling webhook "([^"]+)"(?!.*https://[^./]+\.[^./]+\.svc)',
            "Repair the server of webhook {0}, which does not answer.",
            waits_for="webhook {0} to answer",
            ends="the webhook answers: the controller tries again by itself",
            command="get mutatingwebhookconfigurations,validatingwebhookconfigurations",
        ),
        MessageMeaning(
            r'admission webhook "([^"]+)" denied',
            "Change what the message of webhook {0} names in a new Job, or the rule of the webhook.",
            waits_for="webhook {0} to accept its Pods",
        ),
        MessageMeaning(
            r"(?:minimum|maximum) \S+ (?:usage|limit|request)\S* per |limit to request ratio per ",
            "Correct the requests and limits in a new Job, or the LimitRange of the namespace.",
            "containers",
            waits_for="Pods within the LimitRange",
            command="describe limitrange",
        ),
        MessageMeaning(
            r" is invalid: ",
            "Correct the fields that the message names, delete the Job and create it anew.",
            waits_for="a valid Pod template",
            ends="the Job is created anew with a corrected Pod template: the template is immutable",
            command=_NEW_JOB,
        ),
    ),
}  # fmt: skip
"""In the order in which they are tried: the first decides what is waited for."""
