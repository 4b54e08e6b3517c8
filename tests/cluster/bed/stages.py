"""What kwok does with the Pods of a bed: they run, and end, as annotations of the Pod say."""

from __future__ import annotations

import json
from typing import Any

NODE = "node-0"
INDEX = "batch.kubernetes.io/job-completion-index"
EXIT_CODE = "bed/exit-code"
"""Annotation of a Pod: with which exit code its containers end, ``0`` by default; ``never``: it runs until it
is deleted. With ``.3`` appended: that of completion index 3 alone."""
RUN_FOR = "bed/run-for"
"""Annotation of a Pod: how long it runs, such as ``500ms``; without it, it ends at once."""


def stages() -> str:
    """kwok's configuration: its stages of Pods and nodes, as JSON documents."""
    alive = {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}
    documents = [
        _stage(
            "node-ready",
            "Node",
            [{"key": ".status.phase", "operator": "NotIn", "values": ["Running"]}],
            {"statusTemplate": NODE_STATUS},
        ),
        _stage(
            "pod-runs",
            "Pod",
            [alive, {"key": ".status.phase", "operator": "In", "values": ["Pending"]}],
            {"statusTemplate": RUNNING},
        ),
        _stage(
            "pod-ends",
            "Pod",
            [
                alive,
                {"key": ".status.phase", "operator": "In", "values": ["Running"]},
                {
                    "key": f'.metadata.annotations | .["{EXIT_CODE}." + (.["{INDEX}"] // "")] // .["{EXIT_CODE}"]',
                    "operator": "NotIn",
                    "values": ["never"],
                },
            ],
            {"statusTemplate": ENDED},
            delay={"durationFrom": {"expressionFrom": f'.metadata.annotations["{RUN_FOR}"]'}},
        ),
        # A deleted Pod goes, but for the finalizers of others: the Job controller's own must be kept.
        _stage(
            "pod-goes",
            "Pod",
            [{"key": ".metadata.deletionTimestamp", "operator": "Exists"}],
            {"delete": True},
        ),
    ]
    return "\n---\n".join(json.dumps(document) for document in documents)


def _stage(
    name: str, kind: str, when: list[dict[str, Any]], then: dict[str, Any], **more: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": kind},
            "selector": {"matchExpressions": when},
            "next": then,
            **more,
        },
    }


NODE_STATUS = """
phase: Running
conditions:
- {type: Ready, status: "True", reason: TestBed, lastHeartbeatTime: {{ Now | Quote }}, lastTransitionTime: {{ Now | Quote }}}
capacity: {cpu: 1k, memory: 1Ti, pods: 1M}
allocatable: {cpu: 1k, memory: 1Ti, pods: 1M}
"""

RUNNING = """
{{ $now := Now }}
phase: Running
startTime: {{ $now | Quote }}
conditions:
- {type: Ready, status: "True", lastTransitionTime: {{ $now | Quote }}}
- {type: ContainersReady, status: "True", lastTransitionTime: {{ $now | Quote }}}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: true
  restartCount: 0
  state: {running: {startedAt: {{ $now | Quote }}}}
{{ end }}
"""

ENDED = (
    (
        """
{{ $now := Now }}
{{ $said := or .metadata.annotations dict }}
{{ $index := get $said "INDEX" }}
{{ $code := coalesce (get $said (printf "EXIT_CODE.%s" $index)) (get $said "EXIT_CODE") "0" }}
phase: {{ if eq $code "0" }}Succeeded{{ else }}Failed{{ end }}
conditions:
- {type: Ready, status: "False", lastTransitionTime: {{ $now | Quote }}}
- {type: ContainersReady, status: "False", lastTransitionTime: {{ $now | Quote }}}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: false
  restartCount: 0
  state:
    terminated:
      exitCode: {{ $code }}
      reason: {{ if eq $code "0" }}Completed{{ else }}Error{{ end }}
      startedAt: {{ $now | Quote }}
      finishedAt: {{ $now | Quote }}
{{ end }}
"""
    )
    .replace("EXIT_CODE", EXIT_CODE)
    .replace("INDEX", INDEX)
)


def node() -> dict[str, Any]:
    """The node that kwok plays."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}


def placement() -> list[dict[str, Any]]:
    """What stands in for a scheduler: the API server itself puts every new Pod on the node.

    A MutatingAdmissionPolicy, which is on by default from Kubernetes 1.36 on.
    """
    api_version = "admissionregistration.k8s.io/v1"
    name = {"name": "bed-placement"}
    policy = {
        "apiVersion": api_version,
        "kind": "MutatingAdmissionPolicy",
        "metadata": name,
        "spec": {
            "failurePolicy": "Fail",
            "reinvocationPolicy": "Never",
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["pods"],
                    }
                ]
            },
            "matchConditions": [
                {"name": "unplaced", "expression": "!has(object.spec.nodeName)"},
                {"name": "ungated", "expression": "!has(object.spec.schedulingGates)"},
            ],
            "mutations": [
                {
                    "patchType": "ApplyConfiguration",
                    "applyConfiguration": {
                        "expression": f'Object{{spec: Object.spec{{nodeName: "{NODE}"}}}}'
                    },
                }
            ],
        },
    }
    binding = {
        "apiVersion": api_version,
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": name,
        "spec": {"policyName": name["name"]},
    }
    return [policy, binding]
