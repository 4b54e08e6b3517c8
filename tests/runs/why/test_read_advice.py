"""Advice reads the message: each kind of obstacle has its own, with the place in the manifest."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.failed_job import gone_cause
from support.replay.recorded_jobs import created, event, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
CONTAINER = {
    "name": "main",
    "image": "x:1",
    "resources": {
        "requests": {"memory": "64Gi", "nvidia.com/gpu": 8},
        "limits": {"memory": "64Gi"},
    },
    "env": [{"name": "T", "valueFrom": {"secretKeyRef": {"name": "token", "key": "password"}}}],
}
VOLUMES = [
    {"name": "tmp", "emptyDir": {}},
    {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
]


def a_job(restart: str = "Never", **status: Any) -> Object:
    value = stored(job(), **status)
    spec = value["spec"]["template"]["spec"]
    spec |= {"restartPolicy": restart, "containers": [CONTAINER], "volumes": VOLUMES}
    return value


def pending(status: Object, *events: Object) -> Diagnosis:
    value = pod("train-a", 1, code=None)
    value["status"] = {"phase": "Pending", **status}
    value["spec"] = {"nodeName": "node-0", "containers": [CONTAINER], "volumes": VOLUMES}
    return diagnose(read_recording(a_job(active=1), [value], events))


def unschedulable(reasons: str, *events: Object) -> Diagnosis:
    message = f"0/3 nodes are available: {reasons}. preemption: 0/3 nodes are available."
    scheduled = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": message,
    }
    return pending({"conditions": [scheduled]}, *events)


def advice(found: Diagnosis) -> list[tuple[str, str]]:
    return [(each.field, each.text) for each in found.advice]


@pytest.mark.parametrize(
    ("reasons", "field", "words"),
    [
        ("pod has unbound immediate PersistentVolumeClaims", "volumes[1].persistentVolumeClaim.claimName", "bound"),
        ('persistentvolumeclaim "data" not found', "volumes[1].persistentVolumeClaim.claimName", "Create PersistentVolumeClaim data"),
        ("3 node(s) had volume node affinity conflict", "volumes[1].persistentVolumeClaim.claimName", "WaitForFirstConsumer"),
        ("3 node(s) had untolerated taint {dedicated: gpu}", "tolerations", "dedicated: gpu"),
        ("3 node(s) had untolerated taint(s)", "tolerations", "add tolerations in a new Job"),
        ("3 node(s) didn't match Pod's node affinity/selector", "nodeSelector", "label the nodes"),
        ("3 node(s) didn't match pod anti-affinity rules", "affinity", "podAntiAffinity"),
        ("3 node(s) didn't match pod topology spread constraints", "topologySpreadConstraints", "ScheduleAnyway"),
        ("3 Insufficient memory", "containers[0].resources.requests.memory", "enough memory free"),
        ("3 Insufficient nvidia.com/gpu", "containers[0].resources.requests.nvidia.com/gpu", "enough nvidia.com/gpu"),
    ],
)  # fmt: skip
def test_the_message_of_the_scheduler_decides(reasons: str, field: str, words: str) -> None:
    (place, text), *_ = advice(unschedulable(reasons))
    assert place == f"spec.template.spec.{field}"
    assert words in text


def test_each_reason_of_one_message_has_its_advice() -> None:
    found = advice(unschedulable("1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}"))
    assert "spec.template.spec.tolerations" in [field for field, _ in found]
    assert any("enough cpu free" in text for _, text in found)


def test_each_taint_and_each_resource_is_named_but_that_of_the_control_plane() -> None:
    control = "1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }"
    found = advice(
        unschedulable(f"{control}, 2 node(s) had untolerated taint {{nvidia.com/gpu: present}}")
    )
    assert [text for _, text in found if "taint" in text] == [
        "Nodes have the taint nvidia.com/gpu: present, and the Pod does not tolerate it: add a toleration in a "
        "new Job, or remove the taint."
    ]
    found = advice(unschedulable("1 Insufficient cpu, 3 Insufficient memory"))
    assert [field.rpartition(".")[2] for field, _ in found[:2]] == ["requests", "memory"]


def test_room_is_not_what_a_taint_leaves_missing() -> None:
    assert (
        "for a node without the taint a: b ("
        in unschedulable("3 node(s) had untolerated taint {a: b}").sentence
    )
    assert "for a node with room" in unschedulable("3 Insufficient cpu").sentence


def test_more_nodes_do_not_bind_a_claim() -> None:
    found = unschedulable("pod has unbound immediate PersistentVolumeClaims")
    assert "for PersistentVolumeClaim data (" in found.sentence
    assert not any("Add nodes" in text for _, text in advice(found))


@pytest.mark.parametrize(
    ("reason", "message", "waits", "advised"),
    [
        ("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found', "StorageClass fast, which does not exist", "Create StorageClass fast"),
        ("ProvisioningFailed", 'failed to provision volume with StorageClass "gp3": rpc error: code = ResourceExhausted', "a volume of StorageClass gp3", "the provisioner of StorageClass gp3 names"),
        ("FailedBinding", "no persistent volumes available for this claim and no storage class is set", "PersistentVolumeClaim data", "make one the default"),
        ("ExternalProvisioning", "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the system administrator.", "provisioner ebs.csi.aws.com to make a volume", "Pods of provisioner ebs.csi.aws.com"),
        ("ProvisioningSucceeded", "Successfully provisioned volume pvc-1", "PersistentVolumeClaim data", "Let the PersistentVolumeClaim be bound"),
    ],
)  # fmt: skip
def test_the_events_of_a_claim_say_why_it_is_not_bound(
    reason: str, message: str, waits: str, advised: str
) -> None:
    said = event(reason, message, 5, about="data", kind="PersistentVolumeClaim")
    found = unschedulable("pod has unbound immediate PersistentVolumeClaims", said)
    assert f"for {waits} (" in found.sentence
    assert advised in advice(found)[0][1]


def test_the_request_is_named_with_the_resource_that_is_short() -> None:
    texts = [text for _, text in advice(unschedulable("3 Insufficient nvidia.com/gpu"))]
    assert any("enough nvidia.com/gpu free for the request of 8:" in text for text in texts)


def test_a_taint_named_after_a_resource_is_tolerated_before_nodes_are_added() -> None:
    for reasons in (
        "3 node(s) had untolerated taint {nvidia.com/gpu: present}, 5 Insufficient nvidia.com/gpu",
        "2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint {nvidia.com/gpu: }",
    ):
        found = unschedulable(reasons)
        assert advice(found)[0] == (
            "spec.template.spec.tolerations",
            "The nodes that have nvidia.com/gpu also have a taint of this name, and the Pod does not tolerate "
            "it: add a toleration in a new Job.",
        )
        assert "for a node whose taint nvidia.com/gpu its Pods tolerate (" in found.sentence
        assert not any("enough nvidia.com/gpu free" in text for _, text in advice(found))


@pytest.mark.parametrize(
    ("reason", "message", "words"),
    [
        (
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached",
            "the autoscaler adds no node: 2 Insufficient cpu, 1 max node group size reached",
        ),
        (
            "TriggeredScaleUp",
            "pod triggered scale-up: [{workers 1->2 (max: 3)}]",
            "the autoscaler adds a node: [{workers 1->2 (max: 3)}]",
        ),
    ],
)
def test_the_autoscaler_says_if_a_node_comes(reason: str, message: str, words: str) -> None:
    scheduled = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/3 nodes are available: 3 Insufficient cpu.",
    }
    said = event(reason, message, 9, "train-a", "Pod")
    found = pending({"conditions": [scheduled]}, said)
    assert f"3 Insufficient cpu; {words}" in found.sentence
    raised = any("maximum size of the node group" in text for _, text in advice(found))
    assert raised == (reason == "NotTriggerScaleUp")
    added = next(text for _, text in advice(found)).startswith("Wait for the new node")
    assert added == (reason == "TriggeredScaleUp")
    assert ("for a new node of the autoscaler" in found.sentence) == added


def test_a_node_that_is_not_ready_needs_repair_and_no_toleration() -> None:
    (field, text), *_ = advice(
        unschedulable("3 node(s) had untolerated taint {node.kubernetes.io/not-ready: }")
    )
    assert field == ""
    assert "repair the nodes" in text


@pytest.mark.parametrize(
    ("reason", "message", "words"),
    [
        ("FailedAttachVolume", 'Multi-Attach error for volume "pvc-1"', "ReadWriteMany"),
        ("FailedAttachVolume", "googleapi: maximum number of disks", "as many volumes"),
        ("FailedMount", "mount.nfs: Connection timed out", "does not reach the storage"),
        ("FailedMount", "Unable to attach or mount volumes: unmounted volumes=[data]", "Volume data"),
        ("FailedMount", "something new", "Look at the claim"),
    ],
)  # fmt: skip
def test_a_volume_that_is_not_mounted_is_no_missing_config(
    reason: str, message: str, words: str
) -> None:
    found = advice(pending({}, event(reason, message, 3, "train-a", "Pod")))
    assert words in found[0][1]
    assert found[0][0].startswith("spec.template.spec.volumes")
    assert not any("ConfigMap" in text for _, text in found)


def test_a_missing_secret_is_named_with_its_place() -> None:
    waiting = {"reason": "CreateContainerConfigError", "message": 'secret "token" not found'}
    found = advice(
        pending({"containerStatuses": [{"name": "main", "state": {"waiting": waiting}}]})
    )
    assert found[0] == (
        "spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.name",
        "Create Secret token in the namespace of the Job.",
    )


def killed(limits: Object, restart: str = "Never") -> list[tuple[str, str]]:
    value = pod("train-a", 0, 300, 137, reason="OOMKilled")
    value["spec"] = {"containers": [{"name": "main", "resources": {"limits": limits}}]}
    if restart == "OnFailure":
        last = value["status"]["containerStatuses"][0]["state"]
        waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
        value["status"] |= {
            "phase": "Running",
            "containerStatuses": [
                {"name": "main", "restartCount": 3, "state": waiting, "lastState": last}
            ],
        }
    return advice(diagnose(read_recording(a_job(restart, active=1), [value], ())))


def test_a_container_without_a_limit_is_not_told_to_raise_it() -> None:
    assert (
        killed({"memory": "64Mi"})[0][0]
        == "spec.template.spec.containers[0].resources.limits.memory"
    )
    (field, text), *_ = killed({})
    assert field == "spec.template.spec.containers[0].resources"
    assert "it has no limit" in text


def test_a_crash_loop_by_memory_has_the_advice_of_memory() -> None:
    assert "Raise resources.limits.memory" in killed({"memory": "64Mi"}, "OnFailure")[0][1]


@pytest.mark.parametrize(
    ("reason", "message", "cause"),
    [
        ("Evicted", "Evicted pod: Underutilized", "EvictionAPI"),
        ("Evicted", "The node was low on resource: memory.", "NodePressure"),
        ("ScaleDown", "deleting pod for node scale down", "EvictionAPI"),
        ("TaintManagerEviction", "Marking for deletion Pod batch/train-a", "Taint"),
        ("Preempted", "Preempted by pod x on node n1", "Preemption"),
    ],
)
def test_the_last_event_of_a_pod_that_is_gone_has_the_advice_of_its_cause(
    reason: str, message: str, cause: str
) -> None:
    value = stored(job(backoffLimit=0), (300, "Failed", "BackoffLimitExceeded"), failed=1)
    events = created("train-a", 1), event(reason, message, 290, "train-a", "Pod")
    found = diagnose(read_recording(value, (), events))
    assert found.cause == "PodsGone"
    assert gone_cause(found.recording) == cause
    assert f"by its last Event, {reason}" in found.sentence
    assert "DisruptionTarget" in found.advice[0].text


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ('Usage of EmptyDir volume "scratch" exceeds the limit "1Gi". ', "Raise sizeLimit (1Gi) of volume scratch "),
        ('Container main exceeded its local ephemeral storage limit "2Gi". ', "limits.ephemeral-storage (2Gi) of container main "),
        ("Pod ephemeral local storage usage exceeds the total limit of containers 3Gi. ", "of the containers (3Gi in all) "),
    ],
)  # fmt: skip
def test_the_limit_of_storage_that_was_exceeded_is_named(message: str, words: str) -> None:
    value = pod("train-a", 1, 60, 1)
    value["status"] |= {"phase": "Failed", "reason": "Evicted", "message": message}
    failed = stored(job(backoffLimit=0), (300, "Failed", "BackoffLimitExceeded"), failed=1)
    found = diagnose(read_recording(failed, [value], []))
    assert words in advice(found)[0][1]


def test_a_routine_event_of_a_claim_does_not_hide_what_failed() -> None:
    failed = 'failed to provision volume with StorageClass "gp3": UnauthorizedOperation'
    waits = "Waiting for a volume to be created either by the external provisioner 'x' or manually"
    events = [
        event("ProvisioningFailed", failed, 5, "data", "PersistentVolumeClaim"),
        event("ExternalProvisioning", waits, 9, "data", "PersistentVolumeClaim"),
    ]
    found = unschedulable("pod has unbound immediate PersistentVolumeClaims", *events)
    assert "for a volume of StorageClass gp3 (" in found.sentence


@pytest.mark.parametrize(
    ("reason", "message", "waits", "advised"),
    [
        ("FailedScheduling", "Failed to schedule pod, all available instance types exceed limits for nodepool, NodePool=batch", "room in NodePool batch", "NodePool batch is at its limits"),
        ("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 in backoff after failed scale-up", "a node that the autoscaler could not add", "could not add a node"),
        ("FailedResourceClaimCreation", 'PodResourceClaim gpu: resource claim template "l40s": resourceclaimtemplate.resource.k8s.io "l40s" not found', "ResourceClaimTemplate l40s, which does not exist", "Create ResourceClaimTemplate l40s"),
    ],
)  # fmt: skip
def test_the_event_that_names_the_cause_comes_before_the_room_on_nodes(
    reason: str, message: str, waits: str, advised: str
) -> None:
    found = unschedulable("3 Insufficient cpu", event(reason, message, 5, "train-a", "Pod"))
    assert f"for {waits} (" in found.sentence
    assert advised in advice(found)[0][1]


def test_a_scheduler_that_is_silent_about_a_missing_resource_claim_is_not_blamed() -> None:
    missing = 'resourceclaimtemplate.resource.k8s.io "l40s" not found'
    value = pod("train-a", 1, code=None)
    value["status"] = {"phase": "Pending"}
    value["spec"] = {"schedulerName": "default-scheduler"}
    said = event("FailedResourceClaimCreation", missing, 5, "train-a", "Pod")
    found = diagnose(read_recording(a_job(active=1), [value], [said]))
    assert "for ResourceClaimTemplate l40s, which does not exist (" in found.sentence


def test_a_pull_secret_that_does_not_exist_is_named_where_the_registry_refuses() -> None:
    refused = {"reason": "ImagePullBackOff", "message": 'pulling image "x:1": pull access denied'}
    status = {
        "containerStatuses": [{"name": "main", "image": "x:1", "state": {"waiting": refused}}]
    }
    unable = "Unable to retrieve some image pull secrets (regcred); attempting to pull may fail."
    said = event("FailedToRetrieveImagePullSecret", unable, 5, "train-a", "Pod")
    found = pending(status, said)
    assert "for Secret regcred to pull image x:1 (" in found.sentence
    assert advice(found)[0][1].startswith("Create Secret regcred ")
    refused["message"] = 'pulling image "x:1": not found'
    assert "regcred" not in pending(status, said).sentence


def test_a_token_of_a_missing_service_account_is_no_matter_of_volumes() -> None:
    message = (
        'MountVolume.SetUp failed for volume "kube-api-access-9q2tz" : failed to fetch token: '
        'serviceaccounts "exporter" not found'
    )
    found = pending({}, event("FailedMount", message, 5, "train-a", "Pod"))
    assert "for ServiceAccount exporter (" in found.sentence


def test_a_rule_that_stands_in_the_failure_policy_is_not_advised() -> None:
    disrupted = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
    value = pod("train-a", 1, 60, 1)
    value["status"]["conditions"] = [disrupted]
    failed = stored(job(backoffLimit=0), (300, "Failed", "BackoffLimitExceeded"), failed=1)
    assert any("so that disruptions do not count" in text for _, text in advice(
        diagnose(read_recording(failed, [value], []))
    ))  # fmt: skip
    condition = {"type": "DisruptionTarget", "status": "True"}
    rule = {"action": "Ignore", "onPodConditions": [condition]}
    failed["spec"]["podFailurePolicy"] = {"rules": [rule]}
    assert not any("so that disruptions do not count" in text for _, text in advice(
        diagnose(read_recording(failed, [value], []))
    ))  # fmt: skip


def test_a_pod_is_known_by_its_name_when_the_event_about_its_creation_is_gone() -> None:
    failed = stored(job(backoffLimit=0), (6000, "Failed", "BackoffLimitExceeded"), failed=1)
    said = "Deleting the pod to accommodate the terminationTime of the node."
    events = [
        event("Disrupted", said, 5900, "train-5d8kw", "Pod"),
        event("Killing", "of another Job", 5900, "train-a-5d8kw", "Pod"),
    ]
    found = diagnose(read_recording(failed, [], events))
    assert "Pod train-5d8kw was deleted by Karpenter for the end of its node" in found.sentence
    assert [each.name for each in found.recording.unseen] == ["train-5d8kw"]


@pytest.mark.parametrize(
    ("reasons", "victims", "words"),
    [
        ("3 Insufficient memory", "3 Preemption is not helpful for scheduling", "a larger node: none has enough memory ("),
        ("1 node(s) had untolerated taint(s), 2 Insufficient memory", "3 Preemption is not helpful", "a larger node: none has enough memory ("),
        ("1 node(s) had untolerated taint(s), 2 Insufficient memory", "1 Preemption is not helpful, 2 No preemption victims found", "a node with room for its Pods ("),
        ("3 Insufficient cpu, 3 Insufficient memory", "3 Preemption is not helpful for scheduling", "a node with room for its Pods ("),
    ],
)  # fmt: skip
def test_a_request_that_is_larger_than_any_node_waits_for_a_larger_one(
    reasons: str, victims: str, words: str
) -> None:
    message = f"0/3 nodes are available: {reasons}. preemption: 0/3 nodes are available: {victims}."
    scheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    found = pending({"conditions": [{**scheduled, "message": message}]})
    assert f"for {words}" in found.sentence
    assert ("even without other Pods" in advice(found)[0][1]) == ("larger" in words)


def test_a_kill_without_a_reason_has_the_causes_that_are_possible() -> None:
    failed = stored(job(backoffLimit=0), (300, "Failed", "BackoffLimitExceeded"), failed=1)
    found = diagnose(read_recording(failed, [pod("train-a", 1, 60, 137)], []))
    assert advice(found)[0][1].startswith("Code 137 without OOMKilled is SIGKILL by the kubelet")


@pytest.mark.parametrize(
    ("amounts", "waits"),
    [
        ("requested: limits.memory=80Gi, used: limits.memory=0, limited: limits.memory=64Gi", "a larger ResourceQuota team"),
        ("requested: limits.memory=8Gi, used: limits.memory=60Gi, limited: limits.memory=64Gi", "room in ResourceQuota team"),
        ("requested: cpu=1500m,memory=1Gi, used: cpu=0,memory=0, limited: cpu=1,memory=8Gi", "a larger ResourceQuota team"),
        ("requested: cpu=?, used: cpu=0, limited: cpu=1", "room in ResourceQuota team"),
    ],
)  # fmt: skip
def test_a_request_that_is_larger_than_the_quota_never_fits(amounts: str, waits: str) -> None:
    message = f'Error creating: pods "train-x" is forbidden: exceeded quota: team, {amounts}'
    found = diagnose(read_recording(a_job(), [], [event("FailedCreate", message, 5)]))
    assert f"for {waits}" in found.sentence


def test_the_request_that_node_pressure_exceeded_is_named_once() -> None:
    message = (
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 81916Ki. "
        "Container main was using 11530200Ki, request is 2Gi, has larger consumption of memory. "
    )
    values = []
    for number, name in enumerate(("train-a", "train-b")):
        value = pod(name, 1, 60, 137)
        said = message.replace("11530200", f"1153020{number}")
        value["status"] |= {"phase": "Failed", "reason": "Evicted", "message": said}
        values.append(value)
    failed = stored(job(backoffLimit=0), (300, "Failed", "BackoffLimitExceeded"), failed=2)
    found = diagnose(read_recording(failed, values, []))
    raised = [text for _, text in advice(found) if "Raise resources.requests.memory" in text]
    assert len(raised) == 1
    assert "of container main from 2Gi to the 11530200Ki" in raised[0]


def test_a_rule_that_the_restart_policy_forbids_is_not_advised() -> None:
    disrupted = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
    value = pod("train-a", 1, 60, 1)
    value["status"]["conditions"] = [disrupted]
    failed = stored(
        job(backoffLimit=0, restart="OnFailure"), (300, "Failed", "BackoffLimitExceeded"), failed=1
    )
    text = advice(diagnose(read_recording(failed, [value], [])))[0][1]
    assert "raise spec.backoffLimit in a new Job, or set restartPolicy: Never there" in text
