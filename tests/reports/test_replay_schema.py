"""The JSON report of a replay is what its published schema says, and the schema describes each of its keys."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobsworth.controller import well_known_names
from jobsworth.reports.replay_json import render
from jobsworth.reports.replay_schema import replay_schema
from jobsworth.reports.report_schema_parts import POD_FAILURE_ACTIONS
from jobsworth.whatif.replay.planner_replay import replay
from jobsworth.whatif.replay.policy_comparison import compare_policies
from support.cli.command_processes import ROOT
from support.replay.recorded_jobs import created, event, pod, recorded_run, recording, stored
from support.reports.described_keys import undescribed
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    indexed,
    job,
    on_exit,
    run,
    scenario,
)

CHECKER = Draft202012Validator(replay_schema())
LUCK = scenario(
    {"probability": 0.5, "exitCode": 42, "duration": "2m"},
    disruptions=({"cause": "EvictionAPI", "at": "1m", "pods": 2},),
)
LIMITED = indexed(IGNORE_DISRUPTIONS, on_exit("FailIndex", 42), size=4, backoffLimitPerIndex=1)


def reports() -> list[dict[str, Any]]:
    simulated = recorded_run(LIMITED, run(LIMITED, LUCK, 3))
    partial = recording(
        stored(job(backoffLimit=6), failed=2),
        pod("train-b", 20, started=21),
        events=(created("train-a", 0), event("Killing", "Stopping", 8, "train-a", "Pod")),
    )
    found = []
    for given in (simulated, partial):
        replayed = replay(given)
        for other in (
            None,
            indexed(size=4, backoffLimitPerIndex=0)["spec"],
            indexed(on_exit("FailJob", 42), size=4)["spec"],
        ):
            if other is not None and given is partial:
                continue
            compared = None if other is None else compare_policies(given, replayed, "x", other)
            found.append(json.loads(render(given, replayed, compared)))
    return found


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "schemas/replay.json").read_text(encoding="utf-8")
    assert json.loads(published) == replay_schema()
    Draft202012Validator.check_schema(replay_schema())


@pytest.mark.parametrize("report", reports())
def test_every_report_is_valid(report: dict[str, Any]) -> None:
    CHECKER.validate(report)


@pytest.mark.parametrize("report", reports())
def test_each_key_is_described(report: dict[str, Any]) -> None:
    assert undescribed(report, replay_schema()) == []


def test_the_actions_are_those_of_the_api() -> None:
    names = well_known_names
    assert set(POD_FAILURE_ACTIONS) == {names.FAIL_JOB, names.FAIL_INDEX, names.IGNORE, names.COUNT}
