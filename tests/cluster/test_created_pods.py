"""What is reported about the Pods that a Job would create is what the API server does with them."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("cryptography", reason="run pip install '.[cluster]'")

from cluster.dry_run_server import Server
from cluster.random_manifests import Generator
from cluster.warning_cases import warned
from jobsworth.controller.actions import Creation
from jobsworth.controller.jobs import read_job
from jobsworth.controller.pod_body import pod_body
from jobsworth.controller.settings import ControllerSettings
from jobsworth.evaluation.child_findings import REJECTED, child_findings
from jobsworth.validation.engine import engine_for
from support.evaluation.jobs_of_rejected_pods import ACCEPTED, REJECTED_PODS

if TYPE_CHECKING:
    from cluster.bed import TestBed

Json = dict[str, Any]

SERVICE_ACCOUNT = {"serviceAccountName": "default"}
"""The admission plugin that the bed does without sets it."""
OF_THE_CLUSTER = ("priorityClassName", "runtimeClassName")
"""Fields that name objects that a Pod needs, which the bed does not have."""


def pod_of(stored: Json) -> Json:
    """Return the Pod that a controller creates from a Job as the server stores it."""
    job = read_job(stored, ControllerSettings())
    index = 0 if job.completion_mode == "Indexed" else None
    body = pod_body(job, Creation(index=index))
    return {**body, "spec": {**SERVICE_ACCOUNT, **body["spec"]}}


def answers(server: Server, bed: TestBed, job: Json) -> tuple[bool, Json] | None:
    """Return whether the Pod of a Job is accepted, and the answer; None if the Job itself is rejected."""
    stored = server.create(job)
    if stored.code != 201:
        return None
    path = "/api/v1/namespaces/default/pods?dryRun=All"
    answer = bed.request("POST", path, pod_of(stored.body))
    return answer.code == 201, answer.body


def rejections(server: Server, job: Json) -> list[tuple[str, str]]:
    engine = engine_for(server.api_server)
    found = child_findings(engine, engine.decode_object(job))
    return [(each.field, each.message) for each in found if each.reason == REJECTED]


@pytest.mark.parametrize("name", [*REJECTED_PODS, *ACCEPTED])
def test_each_case_is_decided_as_by_the_server(bed: TestBed, name: str) -> None:
    server = Server(bed.connection)
    job = (REJECTED_PODS | ACCEPTED)[name]
    found = answers(server, bed, job)
    assert found is not None, "the server rejects the Job itself"
    accepted, answer = found
    ours = rejections(server, job)
    assert accepted is (not ours), (answer, ours)
    if not accepted:
        (_, message), *_ = ours
        detail = message.partition("rejects its Pods: ")[2].partition(": ")[2]
        assert detail in answer["message"]


def random_jobs(server: Server, count: int, seed: int = 7) -> Iterator[Json]:
    generator, rng = Generator(server.openapi()), random.Random(seed)
    for number in range(count):
        if number % 3 == 0:
            yield risky(rng)
            continue
        job = generator.object(number) if number % 3 == 1 else warned(rng)
        if job["kind"] == "CronJob":
            continue
        job = copy.deepcopy(job)
        part: Any = job
        for step in ("spec", "template", "spec"):
            part = part.get(step) if isinstance(part, dict) else None
        if isinstance(part, dict):
            for field in OF_THE_CLUSTER:
                part.pop(field, None)
            if rng.random() < 0.9:
                part.pop("overhead", None)
        yield job


AMOUNTS = {
    "cpu": ("500m", "1", "2"),
    "memory": ("1Gi", "2Gi"),
    "hugepages-2Mi": ("2Mi", "4Mi"),
}
IMAGES = (*["tool:1"] * 20, "tool:1 ", "\n tool:1", "tool :1", "tool:1\u2003")


def risky(rng: random.Random) -> Json:
    """Return a Job with what decides about its Pods: resources of the Pod, ports of the node, images."""

    def resources() -> Json:
        kinds = rng.choice((("limits",), ("requests",), ("limits", "requests"), ()))
        return {
            kind: {name: rng.choice(AMOUNTS[name]) for name in rng.sample([*AMOUNTS], k=2)}
            for kind in kinds
        }

    def container(name: str) -> Json:
        ports = [{"containerPort": rng.randint(80, 83)} for _ in range(rng.randint(0, 2))]
        image = rng.choice(IMAGES)
        return {"name": name, "image": image, "ports": ports, "resources": resources()}

    sidecar = {**container("proxy"), "restartPolicy": "Always"}
    pod = {
        "restartPolicy": "Never",
        "hostNetwork": rng.random() < 0.3,
        "containers": [container("main"), container("other")],
        "initContainers": rng.choice(
            ([], [container("first")], [sidecar], [sidecar, container("first")])
        ),
    }
    if rng.random() < 0.7:
        pod["resources"] = resources()
    finalizers = rng.choice((*[[]] * 8, ["example.com/a"], ["a"]))
    template = {"metadata": {"finalizers": finalizers}, "spec": pod}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "risky"},
        "spec": {"template": template},
    }


def test_random_jobs_are_decided_as_by_the_server(bed: TestBed) -> None:
    server = Server(bed.connection)
    seen: Counter[bool] = Counter()
    differences = []
    for job in random_jobs(server, 1200):
        found = answers(server, bed, job)
        if found is None:
            continue
        accepted, answer = found
        seen[accepted] += 1
        ours = rejections(server, job)
        if accepted is not (not ours):
            differences.append((answer.get("message", "accepted"), ours))
    assert differences == []
    assert seen[True] > 100
    assert seen[False] > 20
