"""The decision table agrees with the planner about every exit code, container and condition.

By default for a few generated policies: ``JOBSWORTH_EXPLAIN_POLICIES=1000 pytest tests/runs/explanation`` for as
many as CI runs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jobsworth.manifests import expand_lists, read_file
from support.explanation.failing_pods import ENGINE, differences, random_job

EXAMPLES = Path(__file__).parents[3] / "examples"
COUNT = int(os.environ.get("JOBSWORTH_EXPLAIN_POLICIES", "1"))


def jobs_of_examples() -> list[Any]:
    """Return the valid Jobs and CronJobs of examples/ that have a failure policy."""
    found = []
    for path in sorted(EXAMPLES.rglob("*.*")):
        if path.suffix not in (".yaml", ".json"):
            continue
        for number, document in enumerate(expand_lists(read_file(str(path)))):
            value = document.value
            if "podFailurePolicy" in str(value) and not ENGINE.validate(value):
                found.append(pytest.param(value, id=f"{path.stem}-{number}"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("value", jobs_of_examples())
def test_the_table_of_an_example_is_what_the_planner_does(value: Any) -> None:
    assert differences(value) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(COUNT))
def test_the_table_of_a_random_policy_is_what_the_planner_does(seed: int) -> None:
    value = random_job(seed)
    assert ENGINE.validate(value) == []
    assert differences(value) == []
