"""A Job that is deleted and created again with its name, while a call for the earlier one is under way.

In Kubernetes 1.36 the new Job can inherit the expectations of the earlier one, and then gets no Pod for five
minutes (issue 142142).
"""

from __future__ import annotations

import pytest

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from support.api_server.fake_job_api import Call
from support.controller.simulated_reconciler import NAMESPACE, SimulatedReconciler

LOST = ApiError(UNREACHABLE, "", "connection reset")
SOON = 15  # seconds: much less than the 300 of an expectation


def replace_during(
    simulation: SimulatedReconciler, method: str, resource: str, *, lost: bool
) -> None:
    """Replace the Job while the next call of a kind is under way; its answer may be lost, too."""

    def replace(call: Call) -> None:
        name = f"{call.resource}/{call.subresource}" if call.subresource else call.resource
        if (call.method, name) != (method, resource):
            return
        simulation.api.before = lambda call: None
        simulation.delete()
        simulation.create(parallelism=2, completions=2)
        simulation.deliver()
        if lost:
            simulation.api.after = lose

    def lose(call: Call) -> None:
        simulation.api.after = lambda call: None
        raise LOST

    simulation.api.before = replace


@pytest.mark.parametrize("lost", [False, True], ids=["answered", "lost"])
@pytest.mark.parametrize(
    ("method", "resource"),
    [("POST", "pods"), ("PUT", "jobs/status"), ("PATCH", "pods"), ("DELETE", "pods")],
)
def test_the_new_job_inherits_nothing(method: str, resource: str, lost: bool) -> None:
    simulation = SimulatedReconciler()
    earlier = simulation.create(parallelism=2, completions=2)["metadata"]["uid"]
    if (method, resource) == ("PATCH", "pods"):
        simulation.run(2)
        simulation.end(simulation.running()[0])
    if (method, resource) == ("DELETE", "pods"):
        simulation.run(2)
        simulation.patch(parallelism=1)
    replace_during(simulation, method, resource, lost=lost)
    simulation.run(SOON)
    assert simulation.job()["metadata"]["uid"] != earlier
    simulation.api.collect_garbage()
    simulation.run(SOON)
    uid = simulation.job()["metadata"]["uid"]
    owners = [pod["metadata"]["ownerReferences"][0]["uid"] for pod in simulation.running()]
    assert owners == [uid, uid]
    assert simulation.status()["active"] == 2
    for pod in simulation.running():
        simulation.end(pod)
    simulation.run(SOON)
    assert simulation.status()["succeeded"] == 2
    assert "Complete" in simulation.conditions()
    assert simulation.tracked() == []
    assert len(simulation.reconciler.expectations) == 0


def test_the_pods_of_the_earlier_job_are_released_though_it_takes_several_attempts() -> None:
    """In Kubernetes 1.36.1 the failed removal of such a finalizer is not tried again (issue 141346)."""
    simulation = SimulatedReconciler()
    simulation.create(parallelism=2, completions=2)
    simulation.run(2)
    for pod in simulation.running():
        simulation.end(pod)
        path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}"
        simulation.api.request("DELETE", path, {"gracePeriodSeconds": 0})
    simulation.delete()
    simulation.reject(
        "PATCH", "pods", ApiError(504, "Timeout", "request did not complete"), times=6
    )
    simulation.run(1)
    assert len(simulation.tracked()) == 2
    simulation.run(60)
    assert simulation.pods() == []
