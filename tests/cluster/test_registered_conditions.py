"""The conditions of the registered webhooks on a real API server: each criterion of a policy decides as the policy does.

Nothing listens where the webhooks lead, so what must not pass without a webhook is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import wait_for
from cluster.programs import NEWEST, OLDER
from cluster.test_chart_installation import cron_job, job
from jobsworth.policy.request import CRON_JOB_CONTROLLERS
from jobsworth.registration import desired_webhooks, scope_of_denials
from support.policy.policy_requests import document, policies

if TYPE_CHECKING:
    from cluster.bed import TestBed

LIMITS = {"backoffLimit": {"maximum": 3}}
RULE = {
    "apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
    "resources": ["jobs", "cronjobs"], "scope": "Namespaced",
}  # fmt: skip
TEMPLATE: dict[str, Any] = {
    "name": "validate.jobsworth.dev",
    "admissionReviewVersions": ["v1"],
    "clientConfig": {"url": "https://127.0.0.1:9/validate"},
    "failurePolicy": "Fail",
    "sideEffects": "None",
    "rules": [RULE],
    "namespaceSelector": {"matchLabels": {"registered": "yes"}},
}


@pytest.fixture(scope="module", params=[NEWEST, OLDER])
def running(request: pytest.FixtureRequest) -> Iterator[TestBed]:
    with bed_or_skip(request.param) as bed:
        for name in ("team-a", "elsewhere"):
            bed.kubectl("create", "namespace", name)
            bed.kubectl("label", "namespace", name, "registered=yes", f"tier={name}")
        yield bed


def changed(name: str = "train", **metadata: Any) -> dict[str, Any]:
    thing = job(name)
    thing["metadata"].update(metadata)
    return thing


def generated(prefix: str) -> dict[str, Any]:
    thing = job()
    thing["metadata"] = {"generateName": prefix}
    return thing


OWNED = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "x", "uid": "u"}
LABELED = changed(labels={"gpu": "a100"})
CRITERIA: dict[str, tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]] = {
    "kinds": ({"kinds": ["Job"]}, [{}], [{"thing": cron_job()}]),
    "operations": ({"operations": ["CREATE"]}, [{}], []),
    "namespaces": (
        {"namespaces": ["team-*", "x"]},
        [{}],
        [{"namespace": "elsewhere"}],
    ),
    "namespaceSelector": (
        {"namespaceSelector": {"matchLabels": {"tier": "team-a"}}},
        [{}],
        [{"namespace": "elsewhere"}],
    ),
    "names": (
        {"names": ["tr[a-c]?n", "nightly-*"]},
        [{}, {"thing": generated("nightly-")}],
        [{"thing": changed("other")}, {"thing": generated("other-")}],
    ),
    "objectSelector": (
        {"objectSelector": {"matchLabels": {"gpu": "a100"}}},
        [{"thing": LABELED}],
        [{}, {"thing": changed(labels={"gpu": "none"})}, {"thing": changed(labels={"x": "y"})}],
    ),
    "owners": (
        {"owners": ["Cron*"]},
        [{"thing": changed(ownerReferences=[OWNED])}],
        [{}, {"thing": changed(ownerReferences=[{**OWNED, "kind": "JobSet"}])}],
    ),
    "users": ({"users": ["jane*"]}, [{"user": ("janet",)}], [{}, {"user": ("tom",)}]),
    "groups": (
        {"groups": ["ml", "research-*"]},
        [{"user": ("janet", "ml")}, {"user": ("janet", "research-1")}],
        [{}, {"user": ("janet", "web")}],
    ),
}  # fmt: skip


def refused(
    bed: TestBed,
    thing: dict[str, Any] | None = None,
    namespace: str = "team-a",
    user: tuple[str, ...] = (),
) -> bool:
    """Return True if a dry run is refused for want of the webhook."""
    options = [f"--as={name}" for name in user[:1]]
    options += [f"--as-group={group}" for group in (*user[1:], "system:masters") if user]
    done = bed.kubectl(
        "create", "--dry-run=server", "-n", namespace, "-f", "-", *options, check=False,
        input=json.dumps(thing or changed()),
    )  # fmt: skip
    assert done.returncode == 0 or 'failed calling webhook "validate' in done.stderr, done.stderr
    return done.returncode != 0


@pytest.fixture
def register(running: TestBed) -> Iterator[Any]:
    def register(**spec: Any) -> None:
        held = policies(document(limits=LIMITS, **spec))
        webhooks = desired_webhooks(
            TEMPLATE, scope_of_denials(held.policies), may_fail=True, queueing_controllers=["kueue"]
        )
        configuration = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "registered"},
            "webhooks": webhooks,
        }
        running.kubectl("create", "-f", "-", input=json.dumps(configuration))

    yield register
    running.kubectl("delete", "validatingwebhookconfiguration", "registered")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_criterion_decides_what_is_refused(
    running: TestBed, register: Any, criterion: str
) -> None:
    match, matching, others = CRITERIA[criterion]
    register(match=[match])
    wait_until_known(running, matching[0])
    assert [refused(running, **each) for each in matching] == [True] * len(matching)
    assert [refused(running, **each) for each in others] == [False] * len(others)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_criterion_decides_what_is_exempt(
    running: TestBed, register: Any, criterion: str
) -> None:
    exempt, exempted, others = CRITERIA[criterion]
    register(exempt=[exempt])
    if others:
        wait_until_known(running, others[0])
    assert [refused(running, **each) for each in exempted] == [False] * len(exempted)
    assert [refused(running, **each) for each in others] == [True] * len(others)


def test_a_job_of_a_cron_job_is_not_refused_where_its_policy_audits_it(
    running: TestBed, register: Any
) -> None:
    register()
    wait_until_known(running, {})
    owned = changed(ownerReferences=[OWNED])
    assert not refused(running, owned, user=(CRON_JOB_CONTROLLERS[0],))
    assert refused(running, owned, user=("janet",))
    assert refused(running, user=(CRON_JOB_CONTROLLERS[0],))


def wait_until_known(bed: TestBed, matching: dict[str, Any]) -> None:
    """The API server reads configurations a moment after they were written."""
    wait_for(lambda: refused(bed, **matching), "the registration to be known")
