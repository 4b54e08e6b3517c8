"""Objects as an API server stores them: Pods, Events, objects of Kueue and of gang scheduling."""

from __future__ import annotations

from jobsworth.api.core.pod_template import PodSpec
from jobsworth.api.core.references import ObjectReference
from jobsworth.api.declare import Boolean, Field, Int32, ListOf, Pointer, String, Struct, Time
from jobsworth.api.meta.object_meta import ObjectMeta

ContainerStateRunning = Struct(
    "ContainerStateRunning", "A container that runs.", startedAt=Field(Time)
)
ContainerStateWaiting = Struct(
    "ContainerStateWaiting",
    "A container that does not run, and why.",
    reason=Field(String),
    message=Field(String),
)
ContainerStateTerminated = Struct(
    "ContainerStateTerminated",
    "A container that has ended.",
    exitCode=Field(Int32, always=True),
    signal=Field(Int32),
    reason=Field(String),
    message=Field(String),
    startedAt=Field(Time),
    finishedAt=Field(Time),
    containerID=Field(String),
)
ContainerState = Struct(
    "ContainerState",
    "The state of a container: one of these.",
    waiting=Field(Pointer(ContainerStateWaiting)),
    running=Field(Pointer(ContainerStateRunning)),
    terminated=Field(Pointer(ContainerStateTerminated)),
)
ContainerStatus = Struct(
    "ContainerStatus",
    "The status of a container.",
    name=Field(String, always=True),
    state=Field(ContainerState),
    lastState=Field(ContainerState),
    ready=Field(Boolean, always=True),
    restartCount=Field(Int32, always=True),
    image=Field(String, always=True),
    imageID=Field(String, always=True),
    containerID=Field(String),
    started=Field(Pointer(Boolean)),
)
PodCondition = Struct(
    "PodCondition",
    "A condition of a Pod.",
    type=Field(String, always=True),
    status=Field(String, always=True),
    lastProbeTime=Field(Time),
    lastTransitionTime=Field(Time),
    reason=Field(String),
    message=Field(String),
)
PodStatus = Struct(
    "PodStatus",
    "The status of a Pod, as the kubelet and controllers record it.",
    phase=Field(String),
    conditions=Field(ListOf(PodCondition)),
    message=Field(String),
    reason=Field(String),
    nominatedNodeName=Field(String),
    hostIP=Field(String),
    podIP=Field(String),
    startTime=Field(Pointer(Time)),
    initContainerStatuses=Field(ListOf(ContainerStatus)),
    containerStatuses=Field(ListOf(ContainerStatus)),
    qosClass=Field(String),
    ephemeralContainerStatuses=Field(ListOf(ContainerStatus)),
)
Pod = Struct(
    "Pod",
    "Containers that run together on a node.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    spec=Field(PodSpec),
    status=Field(PodStatus),
)

EventSeries = Struct(
    "EventSeries",
    "The repetitions of an Event.",
    count=Field(Int32),
    lastObservedTime=Field(Time),
)
EventSource = Struct("EventSource", "The component.", component=Field(String), host=Field(String))
Event = Struct(
    "Event",
    "A report about another object.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    involvedObject=Field(ObjectReference),
    regarding=Field(ObjectReference),
    related=Field(Pointer(ObjectReference)),
    type=Field(String),
    reason=Field(String),
    action=Field(String),
    message=Field(String),
    note=Field(String),
    source=Field(EventSource),
    deprecatedSource=Field(EventSource),
    reportingComponent=Field(String),
    reportingController=Field(String),
    reportingInstance=Field(String),
    count=Field(Int32),
    deprecatedCount=Field(Int32),
    firstTimestamp=Field(Time),
    deprecatedFirstTimestamp=Field(Time),
    lastTimestamp=Field(Time),
    deprecatedLastTimestamp=Field(Time),
    eventTime=Field(Time),
    series=Field(Pointer(EventSeries)),
)

AdmissionCheckState = Struct(
    "AdmissionCheckState",
    "An admission check of a Workload (kueue.x-k8s.io/v1beta1).",
    name=Field(String),
    state=Field(String),
    message=Field(String),
)
RequeueState = Struct(
    "RequeueState", "The next try of a Workload that was evicted.", requeueAt=Field(Pointer(Time))
)
QueueSpec = Struct(
    "QueueSpec",
    "The spec of a Workload, LocalQueue, ClusterQueue or PodGroup.",
    queueName=Field(String),
    priority=Field(Pointer(Int32)),
    active=Field(Pointer(Boolean)),
    clusterQueue=Field(String),
    stopPolicy=Field(String),
    minMember=Field(Int32),
)
QueueStatus = Struct(
    "QueueStatus",
    "The status of a Workload, LocalQueue, ClusterQueue or PodGroup.",
    conditions=Field(ListOf(PodCondition)),
    admissionChecks=Field(ListOf(AdmissionCheckState)),
    requeueState=Field(Pointer(RequeueState)),
    phase=Field(String),
)
QueueObject = Struct(
    "QueueObject",
    "A Workload, LocalQueue, ClusterQueue or PodGroup.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    spec=Field(QueueSpec),
    status=Field(QueueStatus),
)
