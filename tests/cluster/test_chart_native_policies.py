"""The chart with exported policies: nothing is reported twice, and a killed webhook leaves them enforced."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import Installation, wait_for
from cluster.programs import NEWEST, OLDER
from cluster.test_chart_installation import job
from jobsworth.policy.export.admission_policies import documents
from jobsworth.policy.export.exported_policy import exported_policy
from jobsworth.policy.reader import read
from support.policy.policy_requests import document

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from cluster.bed.connection import Answer

DENYING = {
    "limits": {"parallelism": {"maximum": 5}},
    "rules": {"moving-image": "deny"},
    "cronJobJobs": "enforce",
}
WARNING = {"limits": {"activeDeadlineSeconds": {"required": True}}, "enforcement": "warn"}
SPECS: dict[str, dict[str, Any]] = {"few-pods": DENYING, "deadlines": WARNING}


def values(specs: dict[str, dict[str, Any]] = SPECS) -> dict[str, Any]:
    """The values with some policies and their export."""
    hashes: dict[str, str] = {}
    objects: list[dict[str, Any]] = []
    for name, spec in SPECS.items():
        value = document(name, **spec)
        (policy,) = read([value]).policies
        exported = exported_policy(value, policy, 33)
        hashes[name] = exported.hash
        objects += documents(exported.admission_policies, hashes)
    return {
        "replicaCount": 1,
        "profile": "none",
        "policies": specs,
        "enforcement": {"native": {"policies": hashes, "objects": objects}},
    }


@pytest.fixture(scope="module", params=[NEWEST, OLDER])
def installed(request: pytest.FixtureRequest) -> Iterator[tuple[TestBed, Installation]]:
    with bed_or_skip(request.param) as bed, Installation(bed, values()) as installation:
        wait_for(
            lambda: "[JP002]" in message(create(bed, "default", parallelism=9)),
            "the exported policies to be active",
        )
        yield bed, installation


def create(bed: TestBed, namespace: str, image: str = "busybox:1.36", **spec: Any) -> Answer:
    """A dry run of a create."""
    thing = job("train")
    thing["spec"] |= {"activeDeadlineSeconds": 60, "ttlSecondsAfterFinished": 60, **spec}
    thing["spec"] = {key: part for key, part in thing["spec"].items() if part is not None}
    (container,) = thing["spec"]["template"]["spec"]["containers"]
    container["image"] = image
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs?dryRun=All"
    answer: Answer = bed.request("POST", path, thing)
    return answer


def message(answer: Answer) -> str:
    return "" if answer.code == 201 else str(answer.body["message"])


def test_a_denial_comes_from_the_api_server_alone(
    installed: tuple[TestBed, Installation],
) -> None:
    bed, _ = installed
    text = message(create(bed, "default", parallelism=9))
    assert text.count("[JP002]") == 1
    assert "ValidatingAdmissionPolicy 'few-pods.jobs.deny.jobsworth.dev'" in text
    assert "webhook" not in text


def test_what_is_not_exported_is_denied_by_the_webhook(
    installed: tuple[TestBed, Installation],
) -> None:
    text = message(create(installed[0], "default", image="busybox"))
    assert 'admission webhook "' in text
    assert "JW501" in text


def test_a_warning_is_given_once(installed: tuple[TestBed, Installation]) -> None:
    answer = create(installed[0], "default", activeDeadlineSeconds=None)
    assert answer.code == 201
    assert len([text for text in answer.warnings if "[JP004]" in text]) == 1


def test_a_changed_policy_is_enforced_by_the_webhook_until_it_is_exported_again(
    installed: tuple[TestBed, Installation],
) -> None:
    bed, installation = installed
    stricter = {**SPECS, "few-pods": {**DENYING, "limits": {"parallelism": {"maximum": 3}}}}
    installation.upgrade(values(stricter))
    try:
        wait_for(
            lambda: 'admission webhook "' in message(create(bed, "default", parallelism=4)),
            "the changed policy to be enforced",
        )
        logged = [line for line in installation.lines() if line.get("policies") == ["few-pods"]]
        assert any("stale" in line["message"] for line in logged)
    finally:
        installation.upgrade(values())
    wait_for(
        lambda: create(bed, "default", parallelism=4).code == 201, "the policy to be as before"
    )


def test_a_killed_webhook_leaves_what_is_exported_enforced(
    installed: tuple[TestBed, Installation],
) -> None:
    bed, installation = installed
    installation.signal("webhook", signal.SIGKILL)
    try:
        text = message(create(bed, "default", parallelism=9))
        assert "ValidatingAdmissionPolicy 'few-pods.jobs.deny.jobsworth.dev'" in text
        assert "[JP002]" in text
        bed.request(
            "DELETE",
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/jobsworth",
        )
        # Without any registration of the webhook, the same policy still denies.
        assert "[JP002]" in message(create(bed, "default", parallelism=9))
    finally:
        installation.start("webhook")
        installation.wait_until_ready()
