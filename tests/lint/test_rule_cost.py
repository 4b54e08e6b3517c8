"""Lint rules take a time that grows linearly with each list and map of the Job type."""

from __future__ import annotations

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.lint.linted_job import MAX_RULES
from jobsworth.lint.linter import Linter
from jobsworth.validation.engine import engine_for
from support.lint.linted_jobs import job, on_codes, with_policy
from support.scaling.cost_growth import Action, superlinear_calls
from support.scaling.large_objects import Place, declared_places, grown

ENGINE = engine_for(ApiServer("1.36"))
LINTER = Linter(lambda rule: True)


@pytest.mark.parametrize("place", declared_places(), ids=lambda place: place.path)
def test_no_function_is_called_more_than_linearly_often(place: Place) -> None:
    def sized(count: int) -> Action:
        value = grown(place, "rich", count)
        return lambda: LINTER.lint(ENGINE.decode_object(value), ENGINE)

    assert superlinear_calls(sized) == {}


@pytest.mark.parametrize(
    ("count", "shadowed"), [(MAX_RULES, MAX_RULES - 1), (MAX_RULES + 1, 0)], ids=["few", "many"]
)
def test_a_failure_policy_with_more_rules_than_allowed_is_only_a_validation_error(
    count: int, shadowed: int
) -> None:
    value = with_policy(*[on_codes("FailJob", "In", 42)] * count)
    assert [finding.code for finding in LINTER.lint(ENGINE.decode_object(value), ENGINE)].count(
        "JW101"
    ) == shadowed
    rejected = [finding.reason for finding in ENGINE.validate(value)]
    assert rejected == ([] if shadowed else ["FieldValueTooMany"])


@pytest.mark.parametrize(("count", "idle"), [(MAX_RULES, MAX_RULES - 1), (MAX_RULES + 1, 0)])
def test_a_success_policy_with_more_rules_than_allowed_is_only_a_validation_error(
    count: int, idle: int
) -> None:
    rules = [{"succeededCount": 2}] * count
    value = job(completionMode="Indexed", completions=9, successPolicy={"rules": rules})
    about = [
        each
        for each in LINTER.lint(ENGINE.decode_object(value), ENGINE)
        if "successPolicy.rules" in each.field
    ]
    assert len(about) == idle
