"""KEP-3715: Indexed Jobs whose completions and parallelism change together."""

from __future__ import annotations

import pytest

from cluster.controller.job import Job
from cluster.controller.scenario import Scenario


@pytest.fixture
def job(scenario: Scenario) -> Job:
    """Three indexes, all running."""
    job = scenario.job(indexed=True, parallelism=3, completions=3)
    job.reaches(active=3, active_indexes="0-2")
    return job


def resize(job: Job, size: int) -> None:
    job.changes(parallelism=size, completions=size)


def test_it_grows(job: Job) -> None:
    resize(job, 4)
    for index in range(4):
        job.pod(index).succeeds()
    job.is_complete(succeeded=4, completed_indexes="0-3")


def test_it_shrinks_and_keeps_its_failures(job: Job) -> None:
    job.pod(index=1).succeeds()
    job.pod(index=2).fails()
    job.reaches(active=2, active_indexes="0,2", succeeded=1, failed=1, completed_indexes="1")
    resize(job, 1)
    job.pod(index=0).succeeds()
    job.is_complete(succeeded=1, failed=1, completed_indexes="0")


def test_an_index_that_left_and_came_back_runs_again(job: Job) -> None:
    job.pod(index=2).succeeds()
    job.reaches(active=2, succeeded=1, completed_indexes="2")
    resize(job, 2)
    job.reaches(active=2, active_indexes="0,1")
    resize(job, 3)
    for index in range(3):
        job.pod(index).succeeds()
    job.is_complete(succeeded=3, completed_indexes="0-2")


def test_it_shrinks_to_nothing(job: Job) -> None:
    resize(job, 0)
    job.is_complete()
