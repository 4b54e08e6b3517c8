"""A simulated Job is diagnosed like one of a cluster: the cause is what the scenario inflicted."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTIONS
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.run_forms import simulated_recording
from support.simulation.simulated_runs import job, on_exit, run, scenario

LOST = {"NodeLost": Cause.TAINT}
"""What is left of a Pod of a lost node is the deletion by the taint manager."""


def diagnosed(manifest: dict[str, Any], *cases: dict[str, Any], **spec: Any) -> Diagnosis:
    record = run(manifest, scenario(*cases, **spec))
    return diagnose(simulated_recording(record, record.job))


@pytest.mark.parametrize("name", DISRUPTIONS)
def test_a_disruption_is_the_cause_that_the_scenario_names(name: str) -> None:
    found = diagnosed(job(backoffLimit=0), disruptions=({"cause": name, "at": "1m"},))
    assert found.outcome == "Failed"
    assert found.cause == LOST.get(name, DISRUPTIONS[name].failure.name), found.sentence


@pytest.mark.parametrize(
    ("case", "cause"),
    [
        ({"exitCode": 1}, Cause.EXIT_CODE),
        ({"exitCode": 137, "reason": "OOMKilled"}, Cause.OOM),
        ({"cause": "ImagePull"}, Cause.IMAGE_PULL),
        ({"cause": "MissingConfig"}, Cause.MISSING_CONFIG),
        ({"cause": "Unschedulable"}, Cause.UNSCHEDULABLE),
    ],
)
def test_the_course_of_its_pods_is_the_cause(case: dict[str, Any], cause: Cause) -> None:
    found = diagnosed(job(backoffLimit=0), case)
    assert found.cause == cause, found.sentence


def test_the_rule_that_fails_the_job_is_named() -> None:
    found = diagnosed(job(on_exit("FailJob", 42)), {"exitCode": 42})
    assert "and rules[0] (FailJob) matches exit code 42 of container" in found.sentence


def test_rejected_pods_are_the_cause_of_a_wait() -> None:
    rejected = [{"from": "0s", "until": "999h", "message": "exceeded quota: pods"}]
    found = diagnosed(job(), rejections=rejected, until="1h")
    assert (found.outcome, found.cause) == ("Unfinished", Cause.QUOTA)


def test_a_job_that_completes_needs_no_advice() -> None:
    found = diagnosed(job())
    assert (found.outcome, found.cause, found.advice) == ("Complete", Cause.COMPLETE, ())
