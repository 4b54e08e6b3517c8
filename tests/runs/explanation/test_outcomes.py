"""The outcomes of failures are those of the planner: limits, indexes, delays, restarts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.plan import Memory, plan
from jobsworth.controller.pods import ACTIVE, TERMINATING, Termination
from jobsworth.controller.settings import OURS
from jobsworth.manifests import read_file
from jobsworth.runs.explanation.decision_table import decision_table, rule_uses
from jobsworth.runs.explanation.failure_outcome import (
    NOW,
    FailedIndexLimit,
    JobFailure,
    Outcome,
    Outcomes,
    backoff_delays,
    failed_index_limits,
    failed_pod,
)
from jobsworth.runs.explanation.outcome_wording import effect, job_facts
from support.explanation.failing_pods import CONTAINERS, explained, failures, random_job
from support.lint.linted_jobs import INIT, SIDECAR, job, on_codes, on_condition, with_policy

LIMIT = "BackoffLimitExceeded"


def outcome_of(value: dict[str, Any], code: int = 1, *conditions: str) -> Outcome:
    read = explained(value)
    ended = (Termination("main", code, "Error"),)
    return Outcomes(read.job).of(failed_pod(read.job, ended, conditions))


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (None, "counted, failure 7 fails the Job; new Pod after 10 s"),
        (0, f"the Job fails ({LIMIT})"),
        (1, "counted, failure 2 fails the Job; new Pod after 10 s"),
        (2**31 - 1, "counted; new Pod after 10 s"),
    ],
)
def test_the_backoff_limit_is_found_by_the_planner(limit: int | None, text: str) -> None:
    spec = {} if limit is None else {"backoffLimit": limit}
    assert effect(outcome_of(job(**spec))) == text


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (on_codes("FailJob", "In", 1), "the Job fails (PodFailurePolicy)"),
        (on_codes("Ignore", "In", 1), "ignored; new Pod after 10 s"),
        (on_codes("Count", "In", 1), "counted, failure 7 fails the Job; new Pod after 10 s"),
        (on_codes("FailJob", "In", 2), "counted, failure 7 fails the Job; new Pod after 10 s"),
    ],
)
def test_each_action_has_its_consequences(rule: dict[str, Any], text: str) -> None:
    assert effect(outcome_of(with_policy(rule))) == text


def indexed(completions: int, per_index: int, **spec: Any) -> dict[str, Any]:
    return job(
        completionMode="Indexed",
        completions=completions,
        parallelism=completions,
        backoffLimitPerIndex=per_index,
        **spec,
    )


AT_THE_END = FailedIndexLimit(1, "FailedIndexes", at_once=False)


def at_once(count: int) -> FailedIndexLimit:
    return FailedIndexLimit(count, "MaxFailedIndexesExceeded", at_once=True)


@pytest.mark.parametrize(
    ("value", "text", "limits"),
    [
        (
            indexed(10, 2),
            "counted, failure 3 of an index fails the index, and the Job once no index is left; new Pod after 10 s",
            (AT_THE_END,),
        ),
        (
            indexed(10, 0, maxFailedIndexes=4),
            "the index fails, and the Job once no index is left",
            (AT_THE_END, at_once(5)),
        ),
        (
            indexed(10, 0, maxFailedIndexes=10),
            "the index fails, and the Job once no index is left",
            (AT_THE_END,),
        ),
        (indexed(10, 0, maxFailedIndexes=0), "the Job fails (MaxFailedIndexesExceeded)", (at_once(1),)),
        (
            indexed(10, 2, maxFailedIndexes=0),
            "counted, failure 3 of an index fails the index and the Job; new Pod after 10 s",
            (at_once(1),),
        ),
        (indexed(1, 0), "the Job fails (FailedIndexes)", (AT_THE_END,)),
        (
            indexed(9, 0, backoffLimit=4),
            "the index fails, and the Job once no index is left; failure 5 fails the Job",
            (AT_THE_END,),
        ),
        (
            indexed(10, 2, backoffLimit=4),
            "counted, failure 3 of an index fails the index, and the Job once no index is left; "
            "failure 5 fails the Job; new Pod after 10 s",
            (AT_THE_END,),
        ),
    ],
)  # fmt: skip
def test_limits_per_index(
    value: dict[str, Any], text: str, limits: tuple[FailedIndexLimit, ...]
) -> None:
    assert effect(outcome_of(value)) == text
    assert failed_index_limits(explained(value).job) == limits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (indexed(10, 0), "any fails the Job once no index is left to run (FailedIndexes)"),
        (
            indexed(10, 0, maxFailedIndexes=4),
            "any fails the Job once no index is left to run (FailedIndexes); "
            "5 fail it at once (MaxFailedIndexesExceeded)",
        ),
        (indexed(10, 2, maxFailedIndexes=0), "the first fails the Job at once (MaxFailedIndexesExceeded)"),
        (
            indexed(10, 0, successPolicy={"rules": [{"succeededCount": 5}]}),
            "any fails the Job once no index is left to run (FailedIndexes), unless the success policy "
            "is met before",
        ),
    ],
)  # fmt: skip
def test_both_ends_by_failed_indexes_are_listed(value: dict[str, Any], text: str) -> None:
    assert dict(job_facts(explained(value)))["failed indexes"] == text


def test_a_job_of_many_indexes_is_explained_too() -> None:
    value = indexed(100_000, 3)
    assert failed_index_limits(explained(value).job) == (AT_THE_END,)


def test_an_in_place_restart_is_no_failure_of_the_pod() -> None:
    value = job({"restartPolicy": "OnFailure"}, backoffLimit=3)
    (row,) = decision_table([explained(value)]).codes
    assert row.codes == ((1, 255),)
    assert row.outcomes == (
        Outcome(
            "restarted",
            counted=True,
            job_failure=JobFailure(3, LIMIT, "Job has reached the specified backoff limit"),
        ),
    )


def test_restart_rules_of_a_container_precede_the_failure_policy() -> None:
    container = {
        "name": "main",
        "image": "busybox:1.36",
        "restartPolicy": "Never",
        "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}],
    }  # fmt: skip
    value = with_policy(on_codes("FailJob", "NotIn", 0), pod={"containers": [container]})
    table = decision_table([explained(value)])
    row = table.find("main", 42)
    assert row is not None
    assert row.codes == ((42, 42),)
    assert (
        effect(row.outcomes[0] or Outcome("failed")) == "restarted in the same Pod, without limit"
    )


def test_a_terminating_pod_counts_at_once_unless_only_failed_pods_are_replaced() -> None:
    for policy, kind in (("TerminatingOrFailed", "failed"), ("Failed", "terminating")):
        read = explained(job(podReplacementPolicy=policy)).job
        assert Outcomes(read).of(failed_pod(read, phase="Running", state=TERMINATING)).kind == kind


def test_a_pending_pod_has_not_failed() -> None:
    read = explained(job()).job
    assert Outcomes(read).of(failed_pod(read, phase="Pending", state=ACTIVE)).kind == "pending"


def test_a_suspended_job_is_explained_as_if_resumed() -> None:
    assert effect(outcome_of(job(suspend=True))).startswith("counted, failure 7")


@given(st.integers(0, 400))
def test_the_planner_creates_the_replacement_after_the_delay_and_not_before(seed: int) -> None:
    read = explained(random_job(seed))
    pod = failed_pod(read.job, (Termination("app", 1, "Error"),))
    outcome = Outcomes(read.job).of(pod)
    if outcome.delay is None:
        return
    early = plan(read.job, (pod,), Memory(), NOW + outcome.delay - 1, OURS).creations
    late = plan(read.job, (pod,), Memory(), NOW + outcome.delay, OURS).creations
    assert 0 not in [creation.index or 0 for creation in early]
    assert 0 in [creation.index or 0 for creation in late]


def test_the_delay_doubles_up_to_ten_minutes() -> None:
    assert backoff_delays(explained(job()).settings) == [10, 20, 40, 80, 160, 320, 600]


def test_up_to_1_26_the_first_failed_pod_is_replaced_at_once() -> None:
    read = replace(explained(job()), server=ApiServer("1.26"))
    assert backoff_delays(read.settings) == [0, 10, 20, 40, 80, 160, 320, 360][:8]
    outcome = Outcomes(read.job, read.settings).of(failed_pod(read.job))
    assert effect(outcome) == "counted, failure 7 fails the Job; new Pod at once"


def test_a_table_covers_every_code_once() -> None:
    for seed in range(20):
        read = explained(random_job(seed))
        table = decision_table([read])
        for container, code, condition in failures(read):
            rows = [
                row
                for row in table.codes
                if container in row.containers and row.condition == condition and row.includes(code)
            ]
            assert len(rows) == (0 if code == 0 else 1)


def test_rules_that_never_decide_are_marked() -> None:
    value = with_policy(
        on_codes("FailJob", "In", 1, 2),
        on_codes("Count", "In", 2),
        on_condition("Ignore", "DisruptionTarget"),
    )
    read = explained(value)
    uses = rule_uses(read, decision_table([read]))
    assert [use.decides for use in uses] == [True, False, True]
    assert uses[1].covered_by == (0,)


def test_containers_that_no_rule_distinguishes_share_their_rows() -> None:
    pod = {"initContainers": [INIT, SIDECAR]}
    table = decision_table([explained(with_policy(on_codes("FailJob", "In", 3), pod=pod))])
    assert [row.containers for row in table.codes] == [("main", "download", "proxy")] * 2


def test_a_table_of_two_jobs_distinguishes_what_either_does() -> None:
    before = explained(with_policy(on_codes("FailJob", "In", 3)))
    after = explained(with_policy(on_codes("FailJob", "In", 4)))
    table = decision_table([before, after])
    assert [(row.codes, row.changed) for row in table.codes] == [
        (((1, 2), (5, 255)), False),
        (((3, 3),), True),
        (((4, 4),), True),
    ]


def test_a_rule_that_moves_is_no_change() -> None:
    before = explained(with_policy(on_codes("FailJob", "In", 3)))
    after = explained(with_policy(on_codes("Count", "In", 300), on_codes("FailJob", "In", 3)))
    assert not decision_table([before, after]).changed


def test_the_random_jobs_have_the_containers_that_the_rules_name() -> None:
    read = explained(random_job(1))
    assert {container.name for container in read.containers} == set(CONTAINERS)


def test_on_windows_a_code_is_any_number() -> None:
    pod = {"nodeSelector": {"kubernetes.io/os": "windows"}}
    value = with_policy(on_codes("FailJob", "In", -1073741819, 3), pod=pod)
    table = decision_table([explained(value)])
    assert [row.codes for row in table.codes] == [
        ((-1073741819, -1073741819), (3, 3)),
        ((2**31, 2**31),),
    ]


def annotated(manager: str | None) -> dict[str, Any]:
    value = with_policy(on_condition("Ignore", "DisruptionTarget"))
    value["metadata"]["annotations"] = {
        "jobsworth.dev/pod-failure-policy": '{"rules": [{"action": "FailJob", "onTerminationReasons": '
        '{"operator": "In", "values": ["OOMKilled"]}}]}'
    }
    if manager is not None:
        value["spec"]["managedBy"] = manager
    return value


def test_rules_on_reasons_apply_only_with_our_controller() -> None:
    ours = decision_table([explained(annotated("jobsworth.dev/job-controller"))])
    row = ours.find("main", 137, reason="OOMKilled")
    assert row is not None
    assert row.outcomes[0] is not None
    assert (row.outcomes[0].action, row.outcomes[0].by_annotation) == ("FailJob", True)
    (oom,) = [row for row in ours.named if row.cause is not None and row.cause.name == "OOMKilled"]
    assert oom.outcomes == row.outcomes
    upstream = explained(annotated(None))
    assert upstream.ignored_extension
    assert decision_table([upstream]).find("main", 137, reason="OOMKilled") is None


STORIES = Path(__file__).parents[3] / "examples" / "scenarios"


def story(number: int) -> dict[str, Any]:
    """Return the Job of a user story of KEP-3329."""
    value = read_file(str(STORIES / f"kep-3329-story-{number}.yaml"))[0].value
    assert isinstance(value, dict)
    return value


def effects_of_causes(value: dict[str, Any]) -> dict[str, list[str]]:
    """Return the consequences of each cause, by its name."""
    found: dict[str, list[str]] = {}
    for row in decision_table([explained(value)]).named:
        if row.cause is not None and row.outcomes[0] is not None:
            found.setdefault(row.cause.name, []).append(effect(row.outcomes[0]))
    return found


def test_story_2_counts_exceeded_limits_and_ignores_disruptions() -> None:
    """KEP-3329, story 2: no unnecessary retries of Pods that exceed memory or ephemeral-storage limits."""
    effects = effects_of_causes(story(2))
    counted = ["counted, failure 4 fails the Job; new Pod after 10 s"]
    ignored = ["ignored; new Pod after 10 s"]
    assert [effects[each] for each in ("OOMKilled", "StorageLimit", "PodDeadline")] == [counted] * 3
    assert [effects[each] for each in ("CriticalPod", "NodePressure")] == [ignored] * 2


def test_story_3_fails_the_job_for_exceeded_limits_and_counts_disruptions() -> None:
    """KEP-3329, story 3: exceeded limits are user errors, disruptions count towards the backoff limit."""
    effects = effects_of_causes(story(3))
    fails = ["the Job fails (PodFailurePolicy)"]
    counted = ["counted, failure 4 fails the Job; new Pod after 10 s"]
    assert [effects[each] for each in ("OOMKilled", "StorageLimit", "PodDeadline")] == [fails] * 3
    assert [effects[each] for each in ("CriticalPod", "NodePressure")] == [counted] * 2


@pytest.mark.parametrize(
    ("pod", "title", "codes"),
    [
        ({}, "memory limit exceeded (OOMKilled)", (137,)),
        ({"os": {"name": "windows"}}, "memory limit exceeded (Windows)", (1,)),
    ],
)
def test_an_exceeded_memory_limit_ends_with(
    pod: dict[str, Any], title: str, codes: tuple[int, ...]
) -> None:
    value = with_policy(on_codes("FailJob", "In", *codes), pod=pod)
    (oom,) = [
        row
        for row in decision_table([explained(value)]).named
        if row.cause is not None and row.cause.name == "OOMKilled"
    ]
    assert (oom.title, oom.codes) == (title, codes)
    assert oom.outcomes[0] is not None
    assert oom.outcomes[0].action == "FailJob"
