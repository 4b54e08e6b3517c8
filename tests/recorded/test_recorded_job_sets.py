"""The verdict on JobSets, and the Jobs that are predicted, agree with recorded answers of JobSet 0.12.0."""

from __future__ import annotations

from functools import cache

import pytest

from support.api_server.job_set_answers import (
    JobSetCase,
    child_difference,
    difference,
    read_job_set_cases,
)

CREATES, UPDATES, JOBS = 300, 100, 90


@cache
def cases() -> list[JobSetCase]:
    return read_job_set_cases()


@pytest.mark.parametrize("kind", ["create", "update"])
def test_verdict_causes_and_defaults_are_those_of_the_server(kind: str) -> None:
    of_kind = [case for case in cases() if case.id.startswith(kind)]
    assert len(of_kind) == {"create": CREATES, "update": UPDATES}[kind]
    found = {case.id: difference(case.object, case.answer, case.old) for case in of_kind}
    assert {name: text for name, text in found.items() if text} == {}


def test_jobs_are_created_or_refused_as_predicted() -> None:
    compared = 0
    for case in cases():
        if case.created is not None:
            found, number = child_difference(case.object, case.created)
            assert not found, (case.id, found)
            compared += number
    assert compared >= JOBS
