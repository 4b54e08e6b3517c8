"""The engine gives the recorded answers of real API servers: see README.md here."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.feature_gates import FEATURE_GATES
from jobsworth.validation.engine import Engine, engine_for
from support.api_server.gates import can_change
from support.api_server.recorded_answers import (
    DATA,
    Answered,
    Cases,
    Recording,
    Section,
    difference,
    differs_by_patch,
    keeps_users,
    recorded_releases,
    unlike_warnings,
)

SAMPLE = None if os.environ.get("JOBSWORTH_RECORDED") == "all" else 40
"""So many cases of each server are compared by default; the same ones in every run."""


@pytest.fixture(scope="module")
def cases() -> Cases:
    return Cases.read()


@pytest.fixture(
    scope="module",
    params=[pytest.param(each, marks=pytest.mark.slow) for each in recorded_releases()[:-3]]
    + recorded_releases()[-3:],
)
def recording(request: pytest.FixtureRequest) -> Recording:
    """What servers of one release answered."""
    return Recording.read(request.param)


def engine_of(recording: Recording, section: Section) -> Engine:
    name_of = ApiServer(recording.version).name_of
    gates = {name_of(gate): on for gate, on in section.gates.items() if gate in FEATURE_GATES}
    # The recorded servers ran without --allow-privileged.
    return engine_for(ApiServer(recording.version, gates, allow_privileged=False))


def sampled(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return all requests, or the same sample of them in every run."""
    if SAMPLE is None or len(requests) <= SAMPLE:
        return requests
    return random.Random(0).sample(requests, SAMPLE)


def differences(
    recording: Recording, section: Section, compared: list[tuple[dict[str, Any], Answered]]
) -> Iterator[tuple[str, str]]:
    engine = engine_of(recording, section)
    for case, answer in compared:
        old = recording.stored[case["of"]] if "of" in case else None
        apart = differs_by_patch(recording.version, old) or keeps_users(engine.server, answer)
        if answer.is_about_the_object and not apart:
            found = difference(engine, case["object"], answer, old)
            if found:
                yield case["id"], found


def test_with_default_gates_verdict_causes_and_defaults_are_the_servers(
    recording: Recording, cases: Cases
) -> None:
    section = recording.sections[0]
    asked = [case for case in cases.requests if case["id"] in section.answers]
    compared = [(case, section.answers[case["id"]]) for case in sampled(asked)]
    assert list(differences(recording, section, compared)) == []


def test_the_warnings_about_accepted_objects_are_the_servers(
    recording: Recording, cases: Cases
) -> None:
    if not recording.has_warnings:
        pytest.skip(f"the warnings of {recording.version} were not recorded")
    section = recording.sections[0]
    engine = engine_of(recording, section)
    accepted = [
        (case, answer)
        for case in cases.requests
        if (answer := section.answers.get(case["id"])) is not None and answer.code in (200, 201)
    ]
    warned = [each for each in accepted if each[1].warnings is not None]
    assert len(warned) > 250
    compared = (
        accepted if SAMPLE is None else [*random.Random(0).sample(warned, SAMPLE), *accepted[:50]]
    )
    found = {}
    for case, answer in compared:
        old = recording.stored[case["of"]] if "of" in case else None
        if not differs_by_patch(recording.version, old):
            found[case["id"]] = unlike_warnings(engine, case["object"], answer.warnings or (), old)
    assert {name: unlike for name, unlike in found.items() if unlike} == {}


def test_no_update_adds_the_tracking_annotation_until_1_27(recording: Recording) -> None:
    answers = recording.sections[0].answers
    if "tracked-added" not in answers:
        pytest.skip(f"{recording.version} was not asked")
    forbids = ApiServer(recording.version).minor <= 27
    accepted = {
        name: answer.code == 200 for name, answer in answers.items() if name.startswith("tracked-")
    }
    assert accepted == {
        "tracked-added": not forbids,
        "tracked-added-with-value": not forbids,
        "tracked-never": True,
        "tracked-kept": True,
        "tracked-changed": True,
        "tracked-removed": True,
    }


def test_with_each_gate_changed_they_are_the_servers(recording: Recording, cases: Cases) -> None:
    default = recording.sections[0].answers
    found = []
    for section in recording.sections[1:]:
        # Cases about the gate, and whatever else it changed.
        compared = [
            (case, section.answers.get(case["id"], default[case["id"]]))
            for case in cases.requests
            if case["id"] in section.answers or case.get("gate") == section.changed
        ]
        if SAMPLE is not None:
            compared = [each for each in compared if each[0]["id"] in section.answers][:8]
        found += [(str(section.gates), *each) for each in differences(recording, section, compared)]
    assert found == []


def test_every_gate_that_can_be_changed_was_changed(recording: Recording) -> None:
    server = ApiServer(recording.version)
    changeable = {gate for gate in FEATURE_GATES if can_change(server, gate)}
    assert changeable == {section.changed for section in recording.sections[1:]}


def test_the_recordings_stay_small() -> None:
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 3_200_000
