"""JobSets: the verdict of JobSet, and the Jobs that it creates."""

from __future__ import annotations

from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding

POD = {"containers": [{"name": "work", "image": "registry.example/work:1"}]}
TEMPLATE = "spec.replicatedJobs[0].template.spec"


def job_set(*specs: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "train"},
        "spec": {
            "replicatedJobs": [
                {"name": f"role{index}", "replicas": 2, "template": {"spec": spec}}
                for index, spec in enumerate(specs)
            ],
            **parts,
        },
    }


def job_spec(**parts: Any) -> dict[str, Any]:
    return {"template": {"spec": POD}, "completions": 2, "parallelism": 2, **parts}


def evaluated(value: dict[str, Any], **parts: Any) -> Evaluation:
    return Evaluator(ApiServer("1.36")).evaluate(Subject(value, written=lambda _: None, **parts))


def errors(evaluation: Evaluation) -> list[Finding]:
    return [finding for finding in evaluation.findings if finding.severity == "error"]


def test_a_sound_job_set_has_no_errors() -> None:
    assert errors(evaluated(job_set(job_spec(), job_spec()))) == []


def test_the_job_that_cannot_be_created_is_an_error_of_the_template() -> None:
    spec = {"template": {"spec": POD}, "parallelism": 2}
    (finding,) = errors(evaluated(job_set(spec)))
    assert (finding.source, finding.field) == ("child", f"{TEMPLATE}.completions")
    assert finding.message.startswith(
        "The API server rejects the Job that JobSet creates: Required"
    )


def test_the_restart_policy_that_the_webhook_sets_counts() -> None:
    rules = [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}]
    (finding,) = errors(evaluated(job_set(job_spec(podFailurePolicy={"rules": rules}))))
    assert finding.field == f"{TEMPLATE}.template.spec.restartPolicy"
    assert 'only "Never" is supported' in finding.message


def test_an_unknown_field_is_reported_once_with_its_fix() -> None:
    evaluation = evaluated(job_set(job_spec(backofLimit=3)))
    (finding,) = errors(evaluation)
    assert (finding.source, finding.field) == ("api", f"{TEMPLATE}.backofLimit")
    assert finding.fix is not None
    assert finding.fix.edits[0].field == f"{TEMPLATE}.backofLimit"


def test_errors_of_the_job_are_reported_behind_those_of_the_job_set() -> None:
    evaluation = evaluated(job_set(job_spec(backofLimit=3, maxFailedIndexes=1)))
    further = [each for each in evaluation.further if each.severity == "error"]
    assert {finding.field for finding in further} == {f"{TEMPLATE}.backoffLimitPerIndex"}


def test_a_rule_of_the_webhook_is_a_finding_of_the_server() -> None:
    policy = {"operator": "All", "targetReplicatedJobs": ["other"]}
    (finding,) = errors(evaluated(job_set(job_spec(), successPolicy=policy)))
    assert finding.source == "api"


def test_an_update_of_the_templates_is_rejected() -> None:
    old = job_set(job_spec())
    (finding,) = errors(evaluated(job_set(job_spec(parallelism=1)), old=old))
    assert finding.field == "spec.replicatedJobs"


def test_defaults_of_all_jobs_are_reported_once() -> None:
    evaluation = evaluated(job_set(job_spec(), job_spec()))
    codes = [finding.code for finding in evaluation.findings]
    assert codes.count("JW201") == 1
    assert "JW204" not in codes


def test_a_ttl_of_a_job_makes_it_run_again() -> None:
    evaluation = evaluated(job_set(job_spec(ttlSecondsAfterFinished=60)))
    (finding,) = [each for each in evaluation.findings if each.code == "JW801"]
    assert finding.field == f"{TEMPLATE}.ttlSecondsAfterFinished"


def test_a_training_runtime_holds_the_spec_of_a_job_set() -> None:
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "torch"},
        "spec": {"template": {"spec": job_set(job_spec(backofLimit=3))["spec"]}},
    }
    (finding,) = errors(evaluated(runtime))
    assert finding.field == ("spec.template.spec.replicatedJobs[0].template.spec.backofLimit")


def test_odd_values_are_findings_and_no_internal_errors() -> None:
    for odd in (None, 3, "x", [], [3], {"a": 1}):
        value = job_set()
        value["spec"]["replicatedJobs"] = odd
        evaluated(value)
        value["spec"] = odd
        evaluated(value)
        value = job_set(job_spec())
        value["spec"]["replicatedJobs"][0]["template"] = odd
        evaluated(value)
        value["spec"]["failurePolicy"] = odd
        evaluated(value)
