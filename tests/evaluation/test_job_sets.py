"""JobSets: the verdict of JobSet, and the Jobs that it creates."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import edited
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix

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


def codes(value: dict[str, Any]) -> list[str]:
    return [finding.code for finding in evaluated(value).lint]


NO_RETRIES = {"template": {"spec": {**POD, "restartPolicy": "Never"}}, "backoffLimit": 0}


def test_an_eviction_that_restarts_the_job_set_is_not_to_be_ignored() -> None:
    """One Pod of a gang would be replaced, and the others would wait for it in vain."""
    assert "JW104" in codes(job_set(NO_RETRIES))
    assert "JW104" in codes(job_set(NO_RETRIES, failurePolicy={"maxRestarts": 0}))
    assert "JW104" not in codes(job_set(NO_RETRIES, failurePolicy={"maxRestarts": 3}))
    rules = [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [137]}}]
    failing = {**NO_RETRIES, "podFailurePolicy": {"rules": rules}}
    assert "JW103" in codes(job_set(failing))
    assert "JW103" not in codes(job_set(failing, failurePolicy={"maxRestarts": 3}))


def test_the_limit_that_restarts_in_place_require_is_not_too_high() -> None:
    spec = job_spec(backoffLimit=2_147_483_647)
    assert "JW236" in codes(job_set(spec, failurePolicy={"maxRestarts": 3}))
    policy = {"maxRestarts": 3, "restartStrategy": "InPlaceRestart"}
    assert "JW236" not in codes(job_set(spec, failurePolicy=policy))


@pytest.mark.parametrize(
    ("policy", "reported"),
    [
        (None, True),
        ({"operator": "All"}, True),
        ({"operator": "All", "targetReplicatedJobs": ["role0"]}, False),
        ({"operator": "All", "targetReplicatedJobs": ["role1"]}, True),
        ({"operator": "Any"}, False),
        ({"operator": "Any", "targetReplicatedJobs": ["role0", "role1"]}, False),
        ({"operator": "Any", "targetReplicatedJobs": ["role1"]}, True),
    ],
)
def test_work_that_ends_with_another_job_of_the_set_may_be_endless(
    policy: Any, reported: bool
) -> None:
    container = {**POD["containers"][0], "command": ["sleep", "infinity"]}
    endless = job_spec(template={"spec": {"containers": [container]}})
    parts = {} if policy is None else {"successPolicy": policy}
    assert ("JW226" in codes(job_set(job_spec(), endless, **parts))) == reported


def test_defaults_are_written_out_only_where_a_client_applies_the_job_set() -> None:
    value = job_set(job_spec())
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "torch"},
        "spec": {"template": {"spec": value["spec"]}},
    }
    wrapped = {
        "apiVersion": "workload.codeflare.dev/v1beta2",
        "kind": "AppWrapper",
        "metadata": {"name": "torch"},
        "spec": {"components": [{"template": value}]},
    }
    assert "JW804" in codes(value)
    assert "JW804" not in codes(runtime)
    assert "JW804" not in codes(wrapped)


@pytest.mark.parametrize(
    ("parts", "field", "wanted", "safe"),
    [
        ({"successPolicy": {"operator": "any"}}, "spec.successPolicy.operator", "Any", True),
        (
            {"failurePolicy": {"rules": [{"name": "a", "action": "FailJobset"}]}},
            "spec.failurePolicy.rules[0].action",
            "FailJobSet",
            True,
        ),
        (
            {
                "failurePolicy": {
                    "rules": [
                        {
                            "name": "a",
                            "action": "FailJobSet",
                            "onJobFailureReasons": ["BackOffLimitExceeded"],
                        }
                    ]
                }
            },
            "spec.failurePolicy.rules[0].onJobFailureReasons[0]",
            "BackoffLimitExceeded",
            True,
        ),
        (
            {"successPolicy": {"operator": "All", "targetReplicatedJobs": ["rolle1"]}},
            "spec.successPolicy.targetReplicatedJobs[0]",
            "role1",
            False,
        ),
    ],
)
def test_a_misspelled_value_of_a_job_set_has_a_fix(
    parts: dict[str, Any], field: str, wanted: str, safe: bool
) -> None:
    (finding,) = errors(evaluated(job_set(job_spec(), job_spec(parallelism=1), **parts)))
    name = field.rpartition(".")[2]
    title = f"Set {wanted}" if name.endswith("]") else f"Set {name}: {wanted}"
    assert finding.fix == Fix(title, Edit("set", field, wanted), safe=safe)


def test_the_names_of_the_replicated_jobs_are_named() -> None:
    policy = {"operator": "All", "targetReplicatedJobs": ["other"]}
    (finding,) = errors(evaluated(job_set(job_spec(), job_spec(), successPolicy=policy)))
    assert finding.hint == "write one of role0, role1"


def test_a_number_in_quotes_is_fixed_in_a_job_set_too() -> None:
    value = job_set(job_spec())
    value["spec"]["replicatedJobs"][0]["replicas"] = "2"
    (finding,) = errors(evaluated(value))
    assert finding.fix is not None
    assert edited(value, *finding.fix.edits) == job_set(job_spec())


def test_a_misspelled_list_of_replicated_jobs_is_renamed() -> None:
    value = job_set(job_spec())
    value["spec"]["replicatedJob"] = value["spec"].pop("replicatedJobs")
    evaluation = evaluated(value)
    (finding,) = errors(evaluation)
    assert finding.hint == 'did you mean "replicatedJobs"?'
    assert finding.fix is not None
    assert edited(value, *finding.fix.edits) == job_set(job_spec())
    assert evaluation.further == []


def test_a_spec_without_its_template_is_moved_into_it_and_hides_no_error() -> None:
    value = job_set(job_spec(), job_spec())
    for job in value["spec"]["replicatedJobs"]:
        job["spec"] = job.pop("template")["spec"]
    evaluation = evaluated(value)
    fixes = [each.fix for each in errors(evaluation) if each.fix is not None]
    assert [fix.safe for fix in fixes] == [True, True]
    assert edited(value, *(edit for fix in fixes for edit in fix.edits)) == job_set(
        job_spec(), job_spec()
    )
    assert evaluation.further == []


def test_rules_that_the_server_has_not_checked_are_a_note_after_the_errors() -> None:
    value = job_set(job_spec(), successPolicy={"operator": "any"})
    evaluation = evaluated(value)
    *_, note = evaluation.api
    assert note.severity == "info"
    assert note.message.startswith("Once the errors are fixed, the API server also checks")
    assert note.place == "spec.successPolicy.operator"


def test_claims_of_a_job_set_are_volumes_of_its_jobs_also_beside_other_errors() -> None:
    mount = {"name": "scratch", "mountPath": "/scratch"}
    spec = job_spec(
        template={"spec": {"containers": [{**POD["containers"][0], "volumeMounts": [mount]}]}}
    )
    claim = {"metadata": {"name": "scratch"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    value = job_set(spec, volumeClaimPolicies=[{"templates": [claim]}], unknown=1)
    found = evaluated(value)
    assert not [each for each in (*found.findings, *found.further) if "Not found" in each.message]


@pytest.mark.parametrize(
    ("policy", "gate"),
    [
        ({"restartStrategy": "InPlaceRestart"}, "InPlaceRestart"),
        ({"rules": [{"name": "a", "action": "RestartJob"}]}, "RestartJob"),
    ],
)
def test_an_error_about_a_gate_says_that_it_is_off_by_default(
    policy: dict[str, Any], gate: str
) -> None:
    found = evaluated(job_set(job_spec(), failurePolicy=policy))
    hints = [each.hint for each in found.findings if each.code == "JW011"]
    assert hints == [
        f"JobSet's alpha feature gate {gate} is off by default: "
        f"set --feature-gates {gate}=true if your JobSet has it on"
    ]
    server = ApiServer("1.36", {gate: True})
    spec = job_spec(backoffLimit=2**31 - 1, podReplacementPolicy="Failed")
    subject = Subject(job_set(spec, failurePolicy=policy), written=lambda _: None)
    assert errors(Evaluator(server).evaluate(subject)) == []
