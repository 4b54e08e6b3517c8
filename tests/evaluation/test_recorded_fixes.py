"""The errors, hints and fixes for common mistakes in a Job and a CronJob, as a table to read.

To renew the table after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/evaluation/test_recorded_fixes.py``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declared_types import structs_below
from jobsworth.api.kinds import Job
from jobsworth.evaluation.fixes.api_fixes import with_fixes
from jobsworth.evaluation.fixes.misplaced_fields import fix_unknown_field
from jobsworth.evaluation.fixes.zone_suggestions import _CITIES_OF_ZONES, suggest_zone
from jobsworth.findings.edits import CannotEdit, at, edited, locate
from jobsworth.findings.fix import Edit
from jobsworth.validation.engine import engine_for
from support.evaluation.mistakes import CRON_JOB, JOB, ZONES, mistakes_in
from support.lint.shown_findings import shown, shown_fix
from support.recorded_text import expect_recorded

RECORDED = Path(__file__).parent / "data"
SERVER = ApiServer("1.36")


def findings(value: dict[str, Any]) -> Iterator[str]:
    def written(path: str) -> str | None:
        try:
            return str(at(value, locate(value, path).steps)).lower()
        except CannotEdit:
            return None

    for finding in with_fixes(engine_for(SERVER).validate(value), value, SERVER, written):
        for line in shown(finding):
            yield f"    {finding.code} {line}" if line[0] != " " else f"    {line}"


@pytest.mark.parametrize("value", [JOB, CRON_JOB], ids=["Job", "CronJob"])
def test_common_mistakes_have_the_recorded_errors_and_fixes(value: dict[str, Any]) -> None:
    assert list(findings(value)) == []
    lines = (
        line
        for mistake, changed in mistakes_in(value)
        if (found := list(findings(changed)))
        for line in (mistake, *found)
    )
    expect_recorded(RECORDED / f"mistakes_in_a_{value['kind']}.txt", lines)


def test_fields_that_stand_elsewhere_have_the_recorded_fixes() -> None:
    places = ("", "spec.", "spec.template.spec.", "spec.template.spec.containers[0].")
    names = sorted({name for struct in structs_below(Job) for name in struct.fields})
    lines = []
    for number, name in enumerate(names):
        path = places[number % len(places)] + name
        value = edited(JOB, Edit("set", path, 1)) if path not in JOB else JOB
        fix = fix_unknown_field(Job, path, value, SERVER)
        lines.append(f"{path}: {'no fix' if fix is None else next(shown_fix(fix))}")
    expect_recorded(RECORDED / "misplaced_fields.txt", lines)


def test_names_that_are_no_zones_mean_the_recorded_zones() -> None:
    cities = [city for each in _CITIES_OF_ZONES.values() for city in each.split()]
    names = [*ZONES, *cities, *(f"Europe/{city.lower()}" for city in cities[::7])]
    zones = ("America/New_York", "Asia/Kolkata", "Australia/Sydney", "Europe/Berlin")
    expect_recorded(
        RECORDED / "meant_zones.txt", (f"{name}: {suggest_zone(name, zones)}" for name in names)
    )


def test_the_restart_policies_of_containers_are_moved_or_not_as_recorded() -> None:
    never, always, odd = (
        {"restartPolicy": "Never"},
        {"restartPolicy": "Always"},
        {"restartPolicy": "no"},
    )
    lines = []
    for number, containers in enumerate(
        (
            None,
            {},
            [],
            [None],
            [{}],
            ["main"],
            [never],
            [always],
            [odd],
            [never, never],
            [never, always],
            [never, {}],
            [never, None],
            [{**never, "restartPolicyRules": []}],
            [never, never, never],
        )
    ):
        value = copy.deepcopy(JOB)
        pod = value["spec"]["template"]["spec"]
        del pod["restartPolicy"]
        pod["containers"] = containers
        lines.append(f"{number}: {json.dumps(containers)}")
        lines += [line for line in findings(value) if "estart" in line or "edit" in line]
    expect_recorded(RECORDED / "restart_policies.txt", lines)
