"""Jobs with failure-policy rules on termination reasons."""

from __future__ import annotations

import json
from typing import Any

from jobsworth.api.batch.termination_rules import ANNOTATION
from jobsworth.controller.jobs import read_job
from support.controller.job_syncs import SETTINGS, a_job, a_pod, an_indexed_job, sync


def annotated(action: str) -> dict[str, Any]:
    requirement = {"operator": "In", "values": ["OOMKilled"]}
    rule = {"action": action, "onTerminationReasons": requirement}
    return {"annotations": {ANNOTATION: json.dumps({"rules": [rule]})}}


def killed(index: int | None = None) -> dict[str, Any]:
    return a_pod("Failed", index, name="p", exit_code=137, reason="OOMKilled", failures=0)


def test_a_container_that_is_out_of_memory_can_fail_the_job() -> None:
    job = a_job(completions=1, podReplacementPolicy="Failed", metadata=annotated("FailJob"))
    done = sync(job, [killed()])
    done.shows(conditions=["FailureTarget", "Failed"], F=1)
    assert done.reason == "PodFailurePolicy"
    assert "terminated with reason OOMKilled" in done.message
    stopped = a_pod("Failed", exit_code=137)
    sync(job, [stopped]).shows(conditions=[], F=1, create=1)


def test_or_its_index() -> None:
    job = an_indexed_job(
        2, backoffLimitPerIndex=3, podReplacementPolicy="Failed", metadata=annotated("FailIndex")
    )
    sync(job, [killed(0)]).shows(FI="0", conditions=[], indexes=[1])


def test_it_is_evaluated_before_the_policy_of_the_spec() -> None:
    ignoring = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [137]}}
    job = a_job(
        completions=1, podFailurePolicy={"rules": [ignoring]}, metadata=annotated("FailJob")
    )
    sync(job, [killed()]).shows(conditions=["FailureTarget", "Failed"])


def test_a_job_with_errors_in_it_runs_without() -> None:
    job = a_job(completions=1, metadata=annotated("FailJob"))  # not podReplacementPolicy Failed
    read = read_job(job, SETTINGS)
    assert read.failure_policy is None
    assert "spec.podReplacementPolicy" in read.extension_errors[0]
    sync(job, [killed()]).shows(conditions=[], F=1, create=1)


def test_problems_are_reported_once_when_the_job_starts_or_later() -> None:
    good = a_job(completions=1, podReplacementPolicy="Failed", metadata=annotated("FailJob"))
    broken = a_job(completions=1, metadata=annotated("FailJob"))
    first = sync(good)
    assert first.events == []
    second = sync(broken, reported=first.reported)
    (event,) = second.events
    assert (event.type, event.reason) == ("Warning", "InvalidAnnotation")
    assert "spec.podReplacementPolicy" in event.message
    third = sync(broken, reported=second.reported)
    assert third.events == []
    fixed = sync(good, reported=third.reported)
    assert fixed.events == []
    (again,) = sync(broken, reported=fixed.reported).events
    assert again == event
