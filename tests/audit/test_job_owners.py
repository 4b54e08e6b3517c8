"""Findings about Jobs that another object created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.audit.job_owners import JobOwner, OwnersFindings, owner_of
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.selection import Selection

if TYPE_CHECKING:
    from jobsworth.evaluation.policy_result import Reported

Object = dict[str, Any]


def job(name: str, kind: str = "JobSet", owner: str = "train", **spec: Any) -> Object:
    version = {"JobSet": "jobset.x-k8s.io/v1alpha2", "ScaledJob": "keda.sh/v1alpha1"}
    reference = {
        "apiVersion": version.get(kind, "argoproj.io/v1alpha1"),
        "kind": kind,
        "name": owner,
        "uid": f"uid-{owner}",
        "controller": True,
    }
    labels = (
        {"jobset.sigs.k8s.io/replicatedjob-name": name.split("-")[1]} if kind == "JobSet" else {}
    )
    container = {"name": "main", "image": "registry.example.com/train:1.4"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "ml",
            "uid": name,
            "labels": labels,
            "ownerReferences": [reference],
        },
        "spec": {"template": template, "completionMode": "Foo", **spec},
    }


def found(owners: OwnersFindings, stored: Object) -> list[Reported] | None:
    selection = Selection()
    evaluation = Evaluator(ApiServer(), selection).evaluate(Subject(stored, "stored"))
    return owners.of(stored, evaluation.reported(selection))


def errors(reported: list[Reported] | None) -> list[tuple[str, str]]:
    return [(each.field, each.hint) for _, each in reported or () if each.severity == "error"]


def test_a_finding_names_the_owner_and_the_field_to_change() -> None:
    ((field, hint),) = errors(found(OwnersFindings(), job("train-workers-0")))
    assert field == "spec.completionMode"
    assert hint.endswith(
        "Change it in JobSet train, which creates the Job: "
        'spec.replicatedJobs["workers"].template.spec.completionMode'
    )


def test_the_field_of_a_scaled_job_is_in_its_job_target_ref() -> None:
    ((_, hint),) = errors(found(OwnersFindings(), job("queue-x7", "ScaledJob", "queue")))
    assert hint.endswith(
        "Change it in ScaledJob queue, which creates the Job: spec.jobTargetRef.completionMode"
    )


def test_of_an_owner_of_an_unknown_kind_only_kind_and_name_are_known() -> None:
    ((_, hint),) = errors(found(OwnersFindings(), job("etl-1", "Workflow", "etl")))
    assert hint.endswith("Change it in Workflow etl, which creates the Job")


def test_jobs_of_one_owner_and_template_are_reported_once() -> None:
    owners = OwnersFindings()
    assert errors(found(owners, job("train-workers-0")))
    assert found(owners, job("train-workers-1")) is None
    assert errors(found(owners, job("train-driver-0")))
    assert errors(found(owners, job("other-workers-0", owner="other")))
    assert owners.repeated == 1


def test_a_job_with_a_finding_of_its_own_is_reported_with_that_alone() -> None:
    owners = OwnersFindings()
    found(owners, job("train-workers-0"))
    ((field, _),) = errors(found(owners, job("train-workers-1", backoffLimit=-1)))
    assert field == "spec.backoffLimit"


def test_a_ttl_is_not_asked_for_in_a_job_of_a_job_set() -> None:
    reported = found(OwnersFindings(), job("train-workers-0"))
    assert "JW204" not in {each.code for _, each in reported or ()}


def test_a_job_of_its_own_and_one_of_a_cron_job_have_no_such_owner() -> None:
    alone = job("train-workers-0")
    alone["metadata"]["ownerReferences"] = []
    assert owner_of(alone) is None
    assert owner_of(job("nightly-1", "CronJob", "nightly")) is None


@pytest.mark.parametrize(
    "references", [None, 3, [3], [{"controller": True}], [{"controller": True, "kind": 3}]]
)
def test_odd_references_name_no_owner(references: Any) -> None:
    odd = job("train-workers-0")
    odd["metadata"]["ownerReferences"] = references
    assert owner_of(odd) is None


def test_the_submitter_of_a_ray_job_is_changed_in_its_pod_template() -> None:
    owner = JobOwner("ray.io/v1", "RayJob", "ray", "1")
    assert owner.place("spec.template.spec.containers[0].image").startswith(
        "spec.submitterPodTemplate.spec.containers[0].image"
    )
