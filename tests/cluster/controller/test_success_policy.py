"""KEP-3998: success policies of Indexed Jobs."""

from __future__ import annotations

from cluster.controller.job_policies import success_policy
from cluster.controller.scenario import Scenario


def test_the_only_index_of_a_rule_succeeds(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True, parallelism=1, completions=1, success_policy=success_policy(indexes="0")
    )
    job.pod(index=0).succeeds()
    job.is_complete("SuccessPolicy", "Matched rules at index 0", succeeded=1, completed_indexes="0")
    scenario.counted(
        "jobs_finished_total",
        1,
        completion_mode="Indexed",
        result="succeeded",
        reason="SuccessPolicy",
    )


def test_without_a_policy_all_indexes_count(scenario: Scenario) -> None:
    job = scenario.job(indexed=True, parallelism=1, completions=1)
    job.pod(index=0).succeeds()
    job.is_complete("CompletionsReached", succeeded=1, completed_indexes="0")
    scenario.counted(
        "jobs_finished_total",
        1,
        completion_mode="Indexed",
        result="succeeded",
        reason="CompletionsReached",
    )


def test_a_rule_is_met_while_another_index_is_pending(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True, parallelism=2, completions=2, success_policy=success_policy(indexes="1")
    )
    job.pod(index=1).succeeds()
    job.is_complete("SuccessPolicy", succeeded=1, completed_indexes="1")


def test_a_success_rule_needs_its_count_of_succeeded_indexes(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True, parallelism=2, completions=2, success_policy=success_policy(count=1)
    )
    job.pod(index=1).succeeds()
    job.is_complete("SuccessPolicy", succeeded=1, completed_indexes="1")


def test_failure_policy_is_evaluated_before_success_policy(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True,
        parallelism=2,
        completions=2,
        backoff_limit_per_index=0,
        success_policy=success_policy(count=1),
    )
    job.reaches(active=2, failed_indexes="")
    job.pod(index=0).fails()
    job.reaches(active=1, active_indexes="1", failed=1, failed_indexes="0")
    job.pod(index=1).succeeds()
    job.has_failed(
        "FailedIndexes", succeeded=1, failed=1, completed_indexes="1", failed_indexes="0"
    )
