"""Metadata of Jobs and CronJobs."""

from __future__ import annotations

from typing import Any

import pytest

from kube_cel.formats.names import dns_subdomain, label_key
from support.validation.engine_errors import Errors, errors_of, invalid, job_with

NOT_OWNED = "name is neither a standard finalizer name nor is it fully qualified"
BOTH = "finalizer orphan and foregroundDeletion cannot be both set"


def job(finalizers: list[str]) -> dict[str, Any]:
    """A Job with these finalizers."""
    made = job_with()
    made["metadata"]["finalizers"] = finalizers
    return made


@pytest.mark.parametrize(
    ("finalizers", "errors"),
    [
        (["example.com/cleanup", "kubernetes"], set()),
        (["orphan"], set()),
        (["cleanup"], {("metadata.finalizers[0]", invalid("cleanup", NOT_OWNED))}),
        (
            ["orphan", "-"],
            {
                ("metadata.finalizers", invalid("-", label_key("-")[0])),
                ("metadata.finalizers[1]", invalid("-", NOT_OWNED)),
            },
        ),
        (
            ["orphan", "foregroundDeletion"],
            {("metadata.finalizers", f'Invalid value: ["orphan","foregroundDeletion"]: {BOTH}')},
        ),
    ],
)
def test_finalizers_name_who_takes_them_away(finalizers: list[str], errors: Errors) -> None:
    assert errors_of(job(finalizers)) == errors
    assert errors_of(job(finalizers), job(finalizers)) == errors


def test_finalizers_of_cron_jobs_are_validated_on_update_too() -> None:
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "sample", "finalizers": ["x/y/z"]},
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": job_with()["spec"]}},
    }
    assert errors_of(cron_job, cron_job) == {
        ("metadata.finalizers", invalid("x/y/z", label_key("x/y/z")[0]))
    }


def test_on_update_the_beginning_of_a_name_must_fit_into_a_url_too() -> None:
    stored, changed = job([]), job([])
    changed["metadata"]["generateName"] = "50%"
    reported = {("metadata.generateName", invalid("50%", dns_subdomain("50%")[0]))}
    assert errors_of(changed, stored) == {
        *reported,
        ("metadata.generateName", invalid("50%", "may not contain '%'")),
    }


def test_an_owner_named_twice_counts_once() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "1", "controller": True}
    owned = job_with()
    owned["metadata"]["ownerReferences"] = [owner, owner]
    assert errors_of(owned) == set()
    owned["metadata"]["ownerReferences"] = [owner, {**owner, "name": "b"}]
    [(field, message)] = errors_of(owned)
    assert field == "metadata.ownerReferences"
    assert message.endswith('Found "true" in references for Pod/a and Pod/b')
