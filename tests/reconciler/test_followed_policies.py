"""The policies of a running reconciler: before the first Pod, when they change, and by namespace labels."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import jobs_path
from jobsworth.controller.settings import ControllerSettings
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.policy.reader import read
from jobsworth.reconciler.informers import stored
from jobsworth.reconciler.policy_review import ActivePolicies, PolicyReview
from support.api_server.fake_http_server import FakeHttpServer
from support.api_server.fake_job_api import Call, FakeJobApi
from support.controller.simulated_reconciler import RecordingSink, job
from support.polling import until

pytest.importorskip("kubernetes")
pytest.importorskip("prometheus_client")

from reconciler.test_application import Process

BY_TIER = {"namespaceSelector": {"matchLabels": {"tier": "batch"}}}


def active(**spec: Any) -> ActivePolicies:
    document = {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": "retries"},
        "spec": {"limits": {"backoffLimit": {"maximum": 3}}, "onAdmitted": "suspend", **spec},
    }
    evaluator = Evaluator(ApiServer("1.36"), policies=read([document]), api=False, lint=False)
    return ActivePolicies(evaluator)


class Source:
    """Policies that a test replaces.

    Attributes:
        next: becomes active with the next check.
    """

    def __init__(self, first: ActivePolicies | None) -> None:
        self.active: ActivePolicies | None = None
        self.next = first

    def check(self) -> bool:
        changed, self.active = self.next is not self.active, self.next
        return changed


@pytest.fixture
def api() -> FakeJobApi:
    return FakeJobApi(time.time)


@pytest.fixture
def server(api: FakeJobApi) -> Iterator[FakeHttpServer]:
    with FakeHttpServer(api) as server:
        yield server
        api.end_watches()


def running(server: FakeHttpServer, source: Source) -> Process:
    return Process(server, policies=source)


def suspended(api: FakeJobApi, namespace: str) -> bool:
    found = api.copy_of("jobs", namespace, "train")
    assert found is not None
    return bool(found["spec"]["suspend"])


def create(api: FakeJobApi, namespace: str) -> None:
    made = job(backoffLimit=9)
    made["metadata"]["namespace"] = namespace
    api.create(jobs_path(namespace), made)


@pytest.mark.slow
def test_a_job_is_held_before_its_first_pod_and_resumed_when_the_policy_changes(
    api: FakeJobApi, server: FakeHttpServer
) -> None:
    create(api, "default")
    source = Source(active())
    process = running(server, source)
    until(lambda: suspended(api, "default"))
    assert api.all("pods") == []
    source.next = active(limits={"backoffLimit": {"maximum": 10}})
    until(lambda: len(api.all("pods")) == 1)
    assert process.end() == 0


@pytest.mark.slow
def test_a_policy_by_namespace_labels_holds_jobs_where_they_match(
    api: FakeJobApi, server: FakeHttpServer
) -> None:
    for name, tier in (("batch", "batch"), ("web", "web")):
        api.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": {"tier": tier}}})
        create(api, name)
    process = running(server, Source(active(match=[BY_TIER])))
    until(lambda: suspended(api, "batch"))
    until(lambda: [pod["metadata"]["namespace"] for pod in api.all("pods")] == ["web"])
    assert process.end() == 0


@pytest.mark.slow
def test_labels_that_cannot_be_read_are_reported_and_stop_no_job(
    api: FakeJobApi, server: FakeHttpServer
) -> None:
    def forbid(call: Call) -> None:
        if call.resource == "namespaces":
            raise ApiError(403, "Forbidden", "no")

    api.before = forbid
    create(api, "default")
    process = running(server, Source(active(match=[BY_TIER])))
    until(lambda: len(api.all("pods")) == 1)
    assert any("the labels of namespace default are unknown" in line for line in process.log)
    assert process.end() == 0


@pytest.mark.slow
def test_a_reconciler_whose_policies_cannot_be_loaded_ends_before_the_first_pod(
    api: FakeJobApi, server: FakeHttpServer
) -> None:
    create(api, "default")
    process = running(server, Source(None))
    process.thread.join(10)
    assert process.code == 1
    assert "stopping: the policies cannot be loaded; fix the files of --policy" in process.log
    assert api.all("pods") == []


def test_a_job_is_evaluated_again_when_the_labels_of_its_namespace_change() -> None:
    sink, labels = RecordingSink(), {"tier": "web"}
    admitted = PolicyReview(sink, lambda namespace: dict(labels))
    admitted.activate(active(match=[BY_TIER]))
    made = job(backoffLimit=9)
    api = FakeJobApi(time.time)
    cached = stored(api.create(jobs_path("default"), made), ControllerSettings())
    assert admitted.review(cached, started=False).policies == ()
    labels["tier"] = "batch"
    assert admitted.review(cached, started=False).policies == ("retries",)
    assert sink.reasons() == ["PolicyViolation"]


def test_labels_are_read_only_for_policies_that_need_them() -> None:
    def unneeded(namespace: str) -> dict[str, str]:
        raise AssertionError

    admitted = PolicyReview(RecordingSink(), unneeded)
    admitted.activate(active())
    cached = stored(
        FakeJobApi(time.time).create(jobs_path("default"), job(backoffLimit=9)),
        ControllerSettings(),
    )
    assert admitted.review(cached, started=False).policies == ("retries",)
