"""Each cause has one name; one that keeps a Job from its work also says what would end that."""

from __future__ import annotations

import json

import pytest

from jobsworth.runs.cause import MISSED_RUN_WORDS, Cause
from jobsworth.runs.failure_causes import CAUSES, DISRUPTIONS
from jobsworth.runs.health.stuck_jobs import STUCK


@pytest.mark.parametrize("cause", [each for each in Cause if each.heals is not None])
def test_an_obstacle_says_what_is_missing_and_what_ends_it(cause: Cause) -> None:
    assert cause.waits_for
    assert cause.ends


def test_a_cause_is_its_name_in_python_and_in_json() -> None:
    assert Cause.IMAGE_PULL == "ImagePull"
    assert f"{Cause.IMAGE_PULL}" == "ImagePull"
    assert json.dumps({"cause": Cause.OOM}) == '{"cause": "OOMKilled"}'


def test_a_disruption_of_a_scenario_has_the_name_of_its_cause_or_is_a_variant_of_one() -> None:
    variants = {
        name: disruption.failure.name
        for name, disruption in DISRUPTIONS.items()
        if name != disruption.failure.name
    }
    assert variants == {
        "SoftEviction": Cause.NODE_PRESSURE,
        "SpotReclaim": Cause.NODE_SHUTDOWN,
        "NodeExpiry": Cause.DELETION,
    }


def test_no_wait_that_is_intended_makes_a_job_stuck() -> None:
    assert not STUCK & {Cause.SUSPENDED, Cause.RUNNING, Cause.INITIALIZING, Cause.NO_PARALLELISM}
    assert {Cause.IMAGE_PULL, Cause.QUOTA, Cause.TERMINATING, Cause.PENDING} <= STUCK


def test_the_causes_of_failures_and_of_missed_runs_differ() -> None:
    assert not {each.name for each in CAUSES} & {*MISSED_RUN_WORDS}
