"""Evaluation, webhook, defaults, fixes and reports take a time that grows linearly with each list, map and string.

tests/validation/test_linear.py states the same law for the engine. Here each place is grown in one shape, and some
strings with one text, another one for the next place; ``python benchmarks/linear_calls.py`` tries all of them.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from jobsworth.admission.answer_limits import MAX_PATCH_BYTES
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.kinds import Job
from jobsworth.evaluation.budget import REQUEST, size
from support.law_examples import some_of
from support.scaling.cost_growth import MAX_GROWTH, Action, superlinear_calls, time_growth
from support.scaling.counted_comparisons import counted
from support.scaling.cross_referencing_jobs import CROSSED
from support.scaling.hostile_requests import Objects, bodies, large, long
from support.scaling.large_objects import SHAPES, Place, declared_places
from support.scaling.long_strings import TEXTS, StringPlace, declared_string_places, string_places
from support.scaling.product_actions import ACTIONS, reviewed

MAX_ANSWER = 300_000
CHARACTERS_PER_ITEM = 20
EVERY = 6
"""One string in so many is tried: few of them are parsed, and those are named below."""
EVALUATE, REPORT, *OTHERS = ACTIONS

PLACES = some_of([*zip(declared_places(), itertools.cycle(SHAPES))], every=32)
"""Lists and maps, each with the shape in which it is grown."""

STRINGS = some_of([*zip(declared_string_places(), itertools.cycle(TEXTS))], every=32)
"""Strings, each with the text that it becomes."""

PARSED = (
    ("spec.schedule", "steps"),
    ("spec.schedule", "numbers"),
    ("spec.timeZone", "folders"),
    ("spec.jobTemplate.spec.successPolicy.rules.succeededIndexes", "numbers"),
    ("spec.jobTemplate.spec.successPolicy.rules.succeededIndexes", "digits"),
    ("spec.maxFailedIndexes", "digits"),
    ("spec.template.spec.containers.image", "folders"),
    ("spec.template.spec.containers.image", "labels"),
    ("spec.template.spec.containers.resources.limits[example.com/k]", "digits"),
    ("spec.template.spec.volumes.emptyDir.sizeLimit", "digits"),
    ("metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]", "last applied"),
    ("metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]", "objects"),
    ("metadata.annotations[jobsworth.dev/ignore]", "ones"),
    ("metadata.annotations[jobsworth.dev/pod-failure-policy]", "brackets"),
    ("spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/tolerations]", "objects"),
    ("metadata.labels[]", "labels"),
)
"""Strings that are parsed, with a text for their parser."""


def _name(value: object) -> str | None:
    return value.path if isinstance(value, Place | StringPlace) else None


def _superlinear(made: Callable[[int], Objects], turn: int = 0) -> dict[str, Any]:
    """Return the superlinear calls of evaluation and reports, and of one of the other actions, by turns."""
    names = [EVALUATE, REPORT, OTHERS[turn % len(OTHERS)]]
    found = {}
    for name in names:
        action = ACTIONS[name]
        calls = superlinear_calls(lambda count, action=action: action(made(count)), again=20)
        if calls:
            found[name] = calls
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("place", "shape"), PLACES, ids=_name)
def test_a_long_list_or_map_calls_no_function_more_than_linearly_often(
    place: Place, shape: str
) -> None:
    turn = PLACES.index((place, shape))
    assert _superlinear(lambda count: large(place, shape, count), turn) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("place", "text"), STRINGS[::EVERY], ids=_name)
def test_a_long_string_calls_no_function_more_than_linearly_often(
    place: StringPlace, text: str
) -> None:
    made = TEXTS[text]
    turn = STRINGS.index((place, text)) // EVERY
    assert _superlinear(lambda count: long(place, made(CHARACTERS_PER_ITEM * count)), turn) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", CROSSED)
def test_lists_that_name_each_other_call_no_function_more_than_linearly_often(name: str) -> None:
    def made(count: int) -> Objects:
        new, old = CROSSED[name](count)
        return new, old or new

    assert _superlinear(made) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("path", "text"), PARSED)
def test_the_cpu_time_of_a_parsed_string_grows_linearly(path: str, text: str) -> None:
    place = _string_place(path)

    def sized(count: int) -> Action:
        objects = long(place, TEXTS[text](count))
        return lambda: [ACTIONS[name](objects)() for name in ("evaluate", "validate a create")]

    assert time_growth(sized, 20_000) <= MAX_GROWTH


def _string_place(path: str) -> StringPlace:
    return next(
        place for root in (Job, CronJob) for place in string_places(root) if place.path == path
    )


@pytest.mark.slow
@pytest.mark.parametrize(("place", "shape"), PLACES, ids=_name)
def test_an_answer_about_a_large_object_is_bounded(place: Place, shape: str) -> None:
    _check_answers(_within_budget(lambda count: large(place, shape, count)))


@pytest.mark.parametrize(("place", "text"), STRINGS[:: 2 * EVERY], ids=_name)
def test_an_answer_about_a_long_string_is_bounded(place: StringPlace, text: str) -> None:
    _check_answers(long(place, TEXTS[text](100_000)))


def _within_budget(made: Callable[[int], Objects]) -> Objects:
    values = REQUEST.values // 30
    each = max(1, size(made(20)[0], values) // 20)
    return made(values // each)


def _check_answers(objects: Objects) -> None:
    for (_, endpoint), body in bodies(objects).items():
        answer = reviewed()(endpoint, body)
        assert reviewed().error == ""
        assert len(answer) < MAX_ANSWER
        assert isinstance(json.loads(answer)["response"]["allowed"], bool)


def test_the_largest_patch_fits_into_the_largest_answer() -> None:
    assert MAX_PATCH_BYTES * 4 / 3 < MAX_ANSWER


def test_each_string_of_a_job_is_grown() -> None:
    paths = {place.path for place in declared_string_places()}
    assert {
        "spec.schedule",
        "spec.successPolicy.rules.succeededIndexes",
        "spec.template.spec.containers.image",
        "spec.template.spec.volumes.emptyDir.sizeLimit",
        "metadata.labels[]",
    } <= paths


def test_what_looks_for_each_string_in_a_list_is_found() -> None:
    def sized(count: int) -> Action:
        names = counted([f"n{number}" for number in range(count)])
        return lambda: [name for name in names if f"{name}x" in names]

    assert {name.rpartition(" ")[2] for name in superlinear_calls(sized)} == {"__eq__"}
