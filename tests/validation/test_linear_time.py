"""The engine takes a time and a memory that grow linearly with each list and map of the Job type.

A loop in a loop is a way to keep an admission webhook busy for minutes with one object of 3 MB. What is
tested here with a few items, ``benchmarks/linear.py`` measures with objects of that size.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer, UnknownGate
from jobsworth.api.feature_gates import FEATURE_GATES
from jobsworth.api.kinds import Job
from jobsworth.validation.engine import engine_for
from support.law_examples import some_of
from support.scaling.cost_growth import (
    MAX_GROWTH,
    Action,
    memory_growth,
    superlinear_calls,
    time_growth,
)
from support.scaling.cross_referencing_jobs import CROSSED, controllers_of_many_names
from support.scaling.large_objects import SHAPES, Place, changed, declared_places, grown, places


def _with_every_gate(release: str) -> ApiServer:
    gates = {}
    for name in FEATURE_GATES:
        try:
            ApiServer(release, {name: True})
        except UnknownGate:
            continue
        gates[name] = True
    return ApiServer(release, gates, allow_privileged=True)


NEWEST = _with_every_gate("1.37")
SERVERS = (NEWEST, ApiServer("1.36"), ApiServer("1.32"), ApiServer("1.31"))
"""A stored object is looked through where a gate is off, or a release more strict than the one before."""

EVERY_PLACE = pytest.mark.parametrize("place", declared_places(), ids=lambda place: place.path)
PLACES = pytest.mark.parametrize(
    "place", some_of(declared_places(), every=6), ids=lambda place: place.path
)
EVERY_CROSSING = pytest.mark.parametrize("made", CROSSED.values(), ids=CROSSED)
EVERY_SERVER = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.release)


def creating(place: Place, shape: str, server: ApiServer = NEWEST) -> Callable[[int], Action]:
    def sized(count: int) -> Action:
        new = grown(place, shape, count)
        return lambda: engine_for(server).validate(new)

    return sized


def updating(place: Place, shape: str, server: ApiServer = NEWEST) -> Callable[[int], Action]:
    def sized(count: int) -> Action:
        new = grown(place, shape, count)
        old = changed(new, place)
        return lambda: engine_for(server).validate(new, old)

    return sized


def validation_of(made: Callable[[int], Any], server: ApiServer) -> Callable[[int], Action]:
    def sized(count: int) -> Action:
        new, old = made(count)
        return lambda: engine_for(server).validate(new, old)

    return sized


@PLACES
def test_a_create_calls_no_function_more_than_linearly_often(place: Place) -> None:
    found = {shape: superlinear_calls(creating(place, shape)) for shape in SHAPES}
    assert {shape: calls for shape, calls in found.items() if calls} == {}


@PLACES
def test_an_update_calls_no_function_more_than_linearly_often(place: Place) -> None:
    found = {
        (shape, server.release): superlinear_calls(updating(place, shape, server))
        for server in (NEWEST, SERVERS[-1])
        for shape in ("distinct", "rich", "malformed")
    }
    assert {case: calls for case, calls in found.items() if calls} == {}


@pytest.mark.slow
@EVERY_PLACE
def test_the_cpu_time_of_an_update_grows_linearly(place: Place) -> None:
    assert time_growth(updating(place, "distinct"), 300) <= MAX_GROWTH


@EVERY_SERVER
@EVERY_CROSSING
def test_lists_that_name_each_other_call_no_function_more_than_linearly_often(
    made: Callable[[int], Any], server: ApiServer
) -> None:
    assert superlinear_calls(validation_of(made, server)) == {}


@pytest.mark.slow
@EVERY_CROSSING
def test_the_cpu_time_of_lists_that_name_each_other_grows_linearly(
    made: Callable[[int], Any],
) -> None:
    assert time_growth(validation_of(made, NEWEST), 150) <= MAX_GROWTH


@pytest.mark.slow
@EVERY_CROSSING
def test_the_memory_of_lists_that_name_each_other_grows_linearly(
    made: Callable[[int], Any],
) -> None:
    assert memory_growth(validation_of(made, NEWEST), 50) <= MAX_GROWTH


def test_each_list_and_map_of_a_job_is_grown() -> None:
    paths = [place.path for place in places(Job)]
    assert {
        "metadata.ownerReferences",
        "spec.podFailurePolicy.rules.onExitCodes.values",
        "spec.template.spec.volumes.projected.sources",
        "spec.template.spec.ephemeralContainers.resources.limits",
    } <= {*paths}
    assert len(paths) == len({*paths})


@pytest.mark.slow
def test_a_scan_of_a_list_for_each_item_is_detected() -> None:
    def sized(count: int) -> Action:
        names = [f"n{number}" for number in range(count)]
        return lambda: [name for name in names if f"{name}x" in names]

    assert time_growth(sized, 100) > MAX_GROWTH


def test_the_message_about_each_further_controller_prints_all_owners() -> None:
    job, _ = controllers_of_many_names(3)
    found = [each.message for each in engine_for(NEWEST).validate(job)]
    owner = '{"apiVersion":"batch/v1","kind":"CronJob","name":"%s","uid":"%s","controller":true}'
    owners = ",".join(owner % (f"n{number}", f"u{number}") for number in range(3))
    assert found == [
        f"Invalid value: [{owners}]: Only one reference can have Controller set to true. "
        f'Found "true" in references for CronJob/n0 and CronJob/{name}'
        for name in ("n1", "n2")
    ]


def test_the_text_of_the_owners_is_the_same_when_the_object_is_validated_again() -> None:
    job, _ = controllers_of_many_names(3)
    engine = engine_for(NEWEST)
    found = [*engine.validate(job), *engine.validate(copy.deepcopy(job))]
    assert len({id(each.parts[0]) for each in found}) == 1
