"""The trace of one failure: a reason for each rule, and the consequences as sentences."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.controller.pods import Termination
from jobsworth.runs.explanation.failure_outcome import failed_pod, match_of
from jobsworth.runs.explanation.rule_trace import RuleTrace, trace_pod
from support.explanation.failing_pods import explained, random_job
from support.lint.linted_jobs import SIDECAR, job, on_codes, on_condition, with_policy

DISRUPTED = "DisruptionTarget=True"


def traced(value: dict[str, Any], *ended: tuple[str, int], conditions: Any = ()) -> RuleTrace:
    read = explained(value)
    terminations = tuple(Termination(name, code, "Error") for name, code in ended)
    return trace_pod(read, failed_pod(read.job, terminations, tuple(conditions)))


@pytest.mark.parametrize(
    ("rule", "ended", "conditions", "because"),
    [
        (on_codes("FailJob", "In", 2, 3, 4), [("main", 1)], (), "exit code 1 is not in 2-4"),
        (on_codes("FailJob", "NotIn", 1), [("main", 1)], (), "exit code 1 is excluded by 1"),
        (
            on_codes("FailJob", "In", 1, of="proxy"),
            [("main", 1)],
            (),
            "it is about container proxy, and main failed",
        ),
        (
            on_codes("FailJob", "In", 3),
            [("main", 1), ("proxy", 2)],
            (),
            "exit code 1 is not in 3; exit code 2 is not in 3",
        ),
        (
            on_codes("FailJob", "NotIn", 0),
            [],
            (DISRUPTED,),
            "no container ended with an exit code other than 0",
        ),
        (
            on_condition("Ignore", "DisruptionTarget", "False"),
            [("main", 1)],
            (DISRUPTED,),
            f"the Pod does not have DisruptionTarget=False; it has {DISRUPTED}",
        ),
    ],
)
def test_a_rule_that_does_not_match_says_why(
    rule: dict[str, Any], ended: list[tuple[str, int]], conditions: Any, because: str
) -> None:
    value = with_policy(rule, pod={"initContainers": [SIDECAR]})
    (step,) = traced(value, *ended, conditions=conditions).steps
    assert (step.matches, step.because) == (False, because)


def test_rules_after_the_one_that_matches_are_not_evaluated() -> None:
    value = with_policy(
        on_condition("Ignore", "DisruptionTarget"),
        on_codes("FailJob", "In", 1),
        on_codes("Count", "In", 1),
    )
    steps = traced(value, ("main", 1)).steps
    assert [(step.name, step.matches) for step in steps] == [
        ("rules[0]", False),
        ("rules[1]", True),
        ("rules[2]", None),
    ]


@given(
    st.integers(0, 300),
    st.dictionaries(st.sampled_from(("app", "second", "init", "sidecar")), st.integers(1, 255)),
    st.sets(st.sampled_from((DISRUPTED, "DisruptionTarget=False", "Ready=False"))),
)
def test_the_step_that_matches_is_the_rule_that_the_controller_finds(
    seed: int, ended: dict[str, int], conditions: set[str]
) -> None:
    read = explained(random_job(seed))
    terminations = tuple(Termination(name, code, "Error") for name, code in ended.items())
    pod = failed_pod(read.job, terminations, tuple(conditions))
    found = [step.position for step in trace_pod(read, pod).steps if step.matches]
    match = match_of(read.job, pod)
    assert found == ([] if match.action is None else [match.position])


@pytest.mark.parametrize(
    ("value", "conditions", "sentence"),
    [
        (job(backoffLimit=0), (), "The Job fails at once: condition Failed, reason BackoffLimitExceeded."),
        (job(backoffLimit=2), (), "Failure 3 fails the Job: reason BackoffLimitExceeded, message: "),
        (job(), (), "A new Pod replaces it 10 s after its end"),
        (job(), (DISRUPTED,), "its replacement may run beside it"),
        (job(parallelism=0), (), "No Pod replaces it."),
        (job(activeDeadlineSeconds=90), (), "activeDeadlineSeconds fails the Job after 90 s"),
        (job(parallelism=2, backoffLimit=0), (), "Its other Pods are deleted."),
    ],
)  # fmt: skip
def test_the_consequences_are_sentences(value: Any, conditions: Any, sentence: str) -> None:
    assert sentence in " ".join(traced(value, ("main", 1), conditions=conditions).consequences)
