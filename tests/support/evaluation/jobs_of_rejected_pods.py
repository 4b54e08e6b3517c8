"""Jobs that the API server accepts and whose Pods it rejects, and others that look alike and are fine."""

from __future__ import annotations

from typing import Any

from support.validation.engine_errors import job_with

MAIN = {"name": "main", "image": "registry.example.com/tool:1.2"}
OTHER = {**MAIN, "name": "other"}
PORTS = {"ports": [{"containerPort": 8080}]}
CPU = {"limits": {"cpu": "1"}}


def container(**fields: Any) -> dict[str, Any]:
    return job_with({"containers": [{**MAIN, **fields}]})


REJECTED_PODS: dict[str, dict[str, Any]] = {
    "a blank after the image": container(image="registry.example.com/tool:1.2 "),
    "a line break before the image": container(image="\nregistry.example.com/tool:1.2"),
    "a no-break space before the image": container(image="\u00a0tool:1.2"),
    "an init container's image": job_with(
        {"containers": [MAIN], "initContainers": [{**OTHER, "image": "tool:1\t"}]}
    ),
    "a node beside scheduling gates": job_with(
        {
            "containers": [MAIN],
            "nodeName": "node-1",
            "schedulingGates": [{"name": "example.com/gate"}],
        }
    ),
    "a finalizer without a domain": job_with(
        {"containers": [MAIN]}, metadata={"finalizers": ["cleanup"]}
    ),
    "an image volume without a reference": job_with(
        {"containers": [MAIN], "volumes": [{"name": "a", "image": {}}]}
    ),
    "the same port twice on the network of the node": job_with(
        {"hostNetwork": True, "containers": [{**MAIN, **PORTS}, {**OTHER, **PORTS}]}
    ),
    "a priority without its class": job_with({"containers": [MAIN], "priority": 1000}),
    "another priority than that of the class": job_with(
        {"containers": [MAIN], "priority": 7, "priorityClassName": "system-node-critical"}
    ),
    "no preemption without a class": job_with({"containers": [MAIN], "preemptionPolicy": "Never"}),
    "an overhead without a class": job_with({"containers": [MAIN], "overhead": {"cpu": "100m"}}),
    "limits of containers above the requests of the Pod": job_with(
        {
            "containers": [{**MAIN, "resources": CPU}, {**OTHER, "resources": CPU}],
            "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}},
        }
    ),
    "limits of containers that together exceed that of the Pod": job_with(
        {
            "containers": [{**MAIN, "resources": CPU}, {**OTHER, "resources": CPU}],
            "resources": {"limits": {"cpu": "1"}},
        }
    ),
}

ACCEPTED: dict[str, dict[str, Any]] = {
    "gates alone": job_with(
        {"containers": [MAIN], "schedulingGates": [{"name": "example.com/gate"}]}
    ),
    "a finalizer with a domain": job_with(
        {"containers": [MAIN]}, metadata={"finalizers": ["example.com/cleanup"]}
    ),
    "different ports on the network of the node": job_with(
        {
            "hostNetwork": True,
            "containers": [{**MAIN, **PORTS}, {**OTHER, "ports": [{"containerPort": 8081}]}],
        }
    ),
    "the priority of a Pod without class": job_with({"containers": [MAIN], "priority": 0}),
    "the priority of a class of the system": job_with(
        {
            "containers": [MAIN],
            "priority": 2_000_001_000,
            "priorityClassName": "system-node-critical",
        }
    ),
    "the preemption of a Pod without class": job_with(
        {"containers": [MAIN], "preemptionPolicy": "PreemptLowerPriority"}
    ),
    "requests of containers within those of the Pod": job_with(
        {
            "containers": [{**MAIN, "resources": CPU}, {**OTHER, "resources": CPU}],
            "resources": {"limits": {"cpu": "2"}},
        }
    ),
    "a reference that no kubelet can parse": container(image="App:1.2+build"),
    "a negative grace period, which counts as a second": job_with(
        {"containers": [MAIN], "terminationGracePeriodSeconds": -1}
    ),
}
