"""Reading a JobScenario: its problems are named, and its schema is the one that is shipped."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from jobsworth.documents.schema_errors import problems
from jobsworth.runs.simulation.scenario_document import PATTERNS, scenario_schema
from jobsworth.runs.simulation.scenario_reader import BadScenario, read_scenario
from support.simulation.simulated_runs import scenario_document

ROOT = Path(__file__).parents[3]
FULL = scenario_document(
    {
        "indexes": "0-4,7-",
        "attempts": 1,
        "runs": "2",
        "from": "0s",
        "until": "10h",
        "probability": 0.5,
        "duration": {"weibull": {"scale": "10m", "shape": 0.7}},
        "exitCode": -1073741510,
        "reason": "Error",
        "container": "main",
    },
    disruptions=(
        {"cause": "EvictionAPI", "at": ["10m", "1h30m"], "pods": 3},
        {"cause": "NodeLost", "every": {"exponential": {"mean": "1h"}}, "nodeGoneAfter": "15m"},
        {"cause": "SpotReclaim", "after": {"observed": ["7m", "9m"]}, "gracePeriod": "25s"},
    ),
    capacity=[{"at": "0", "pods": 3}],
    rejections=[{"from": "0s", "until": "1m", "message": "no"}],
    changes=[{"at": "1h", "spec": {"suspend": True}}],
    controllerAway=[{"from": "1m", "until": "2m"}],
    start="2023-10-28",
    until="48h",
)


def problems_of(document: Any) -> list[tuple[str, str]]:
    with pytest.raises(BadScenario) as raised:
        read_scenario(document)
    return [(problem.field, problem.text) for problem in raised.value.problems]


def changed(path: str, value: Any) -> Any:
    document = copy.deepcopy(FULL)
    *steps, last = path.split(".")
    place: Any = document
    for step in steps:
        place = place[int(step) if step.isdigit() else step]
    place[int(last) if last.isdigit() else last] = value
    return document


def test_a_scenario_with_everything_is_read() -> None:
    found = read_scenario(FULL)
    assert (found.start, found.until) == (1_698_451_200, 48 * 3_600_000)
    assert [each.name for each in found.disruptions] == ["EvictionAPI", "NodeLost", "SpotReclaim"]
    assert found.disruptions[0].times == (600_000, 5_400_000)


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        (
            "kind",
            "JobScenarios",
            "kind",
            'unsupported value "JobScenarios" (it must be JobScenario)',
        ),
        (
            "spec.until",
            8,
            "spec.until",
            "must be a string, but is 8 (write a duration, such as 90s, 1h30m or 7d)",
        ),
        (
            "spec.until",
            0.5,
            "spec.until",
            "must be a string, but is 0.5 (write a duration, such as 90s, 1h30m or 7d)",
        ),
        ("spec.until", None, "spec.until", "must be a string, but is empty"),
        (
            "spec.until",
            "8 hours",
            "spec.until",
            '"8 hours" must be a duration, such as 90s, 1h30m or 7d',
        ),
        (
            "spec.until",
            "8h\n",
            "spec.until",
            '"8h\\n" must be a duration, such as 90s, 1h30m or 7d',
        ),
        (
            "spec.until",
            "8h" * 100,
            "spec.until",
            "must have at most 40 characters, but has 200",
        ),
        (
            "spec.pods.startup",
            5,
            "spec.pods.startup",
            "must be a string or a mapping, but is 5 (write a duration, such as 90s, 1h30m or 7d, or never)",
        ),
        (
            "spec.pods.startup",
            {"mean": "5s"},
            "spec.pods.startup.mean",
            "unknown field (this field belongs in spec.pods.startup.exponential or "
            "spec.pods.startup.normal)",
        ),
        (
            "spec.pods.startup",
            {"exponential": {"mean": "5s"}, "observed": ["5s"]},
            "spec.pods.startup",
            "must have at most 1 of the fields uniform, exponential, normal, logNormal, weibull, "
            "observed (remove the others)",
        ),
        (
            "spec.pods.cases.0.indexes",
            "first",
            "spec.pods.cases[0].indexes",
            '"first" must be a number or ranges, such as 3, 0-4,7 or 5-',
        ),
        (
            "spec.pods.cases.0.probability",
            "0.5",
            "spec.pods.cases[0].probability",
            'must be a number, but "0.5" is a string (remove the quotes)',
        ),
        (
            "spec.pods.cases.0.exitCode",
            1.0,
            "spec.pods.cases[0].exitCode",
            "must be a whole number, but is 1.0",
        ),
        (
            "spec.capacity",
            [{"at": "0", "pods": "x"}] * 1001,
            "spec.capacity",
            "must have at most 1000 entries, but has 1001",
        ),
        ("spec.capacity", "x", "spec.capacity", 'must be a list, but is "x"'),
        (
            "spec.pods.cases.0.exitcode",
            3,
            "spec.pods.cases[0].exitcode",
            'unknown field (did you mean "exitCode"?)',
        ),
        (
            "spec.pods.cases.0.probability",
            2,
            "spec.pods.cases[0].probability",
            "2 must be less than or equal to 1",
        ),
        (
            "spec.disruptions.0.cause",
            "EvictionApi",
            "spec.disruptions[0].cause",
            'unsupported value "EvictionApi" (did you mean "EvictionAPI"?)',
        ),
        (
            "spec.disruptions.0",
            {"cause": "Taint"},
            "spec.disruptions[0]",
            "has no time (set at (times of the scenario), every, or after (time that a Pod has run))",
        ),
        (
            "spec.disruptions.1.after",
            "1m",
            "spec.disruptions[1].after",
            "cannot be combined with every (write two disruptions)",
        ),
        (
            "spec.disruptions.0.nodeGoneAfter",
            "1m",
            "spec.disruptions[0].nodeGoneAfter",
            "is only for the cause NodeLost",
        ),
        ("spec.start", "2027-02-30", "spec.start", '"2027-02-30" is not a date of the calendar'),
        (
            "spec.pods.startup",
            {"uniform": {"min": "5s", "max": "1s"}},
            "spec.pods.startup.uniform.max",
            "must not be shorter than min",
        ),
    ],
)
def test_a_problem_is_named_with_its_field(path: str, value: Any, field: str, message: str) -> None:
    assert problems_of(changed(path, value)) == [(field, message)]


def test_all_problems_are_reported_at_once() -> None:
    document = changed("spec.untill", "8h")
    document["spec"]["pods"]["cases"][0]["exitCode"] = "1"
    assert [field for field, _ in problems_of(document)] == [
        "spec.pods.cases[0].exitCode",
        "spec.untill",
    ]


@pytest.mark.parametrize("document", [None, [], "text", {}, {"kind": "JobScenario"}])
def test_what_is_no_scenario_is_refused_without_an_exception_of_another_kind(
    document: Any,
) -> None:
    assert problems_of(document)


def test_a_field_of_the_spec_at_the_top_is_directed_to_the_spec() -> None:
    document = {**FULL, "until": "8h"}
    assert problems_of(document) == [("until", "unknown field (this field belongs in spec)")]


def test_a_field_that_is_called_like_an_option_is_directed_to_the_field() -> None:
    document = {**FULL, "spec": {"from": "2027-01-01"}}
    assert problems_of(document) == [
        ("spec.from", "unknown field (the field is spec.start; --from is its option)")
    ]


@pytest.mark.slow
def test_the_reader_agrees_with_another_library_on_broken_scenarios() -> None:
    validator = jsonschema_rs.Draft202012Validator(scenario_schema())
    chance = random.Random(5)
    agreed = {True: 0, False: 0}
    for _ in range(2000):
        document = broken(FULL, chance)
        valid = not list(problems(document, scenario_schema(), PATTERNS))
        assert valid == validator.is_valid(document), document
        agreed[valid] += 1
        with suppress(BadScenario):
            read_scenario(document)
    assert min(agreed.values()) > 100


def test_a_scenario_that_matches_the_schema_is_built_without_the_schema_library() -> None:
    program = (
        "import json, sys\n"
        "sys.modules['jsonschema'] = None\n"
        "from jobsworth.runs.simulation.scenario_reader import scenario_of\n"
        "print(scenario_of(json.load(sys.stdin)).until)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(FULL),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{48 * 3_600_000}\n", "")


def broken(value: Any, chance: random.Random) -> Any:
    """Return a copy in which one value, somewhere, is another."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        rest = {**value, name: broken(value[name], chance)}
        if chance.random() < 0.1:
            del rest[name]
        return rest
    if isinstance(value, list) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        return [*value[:place], broken(value[place], chance), *value[place + 1 :]]
    others: list[Any] = [
        value, value, value, None, 0, 1, -1, 0.5, True, "", "5s", "never", "0", "3-", "1,2", "x", [], {}, ["5s"],
        {"uniform": {"min": "1s", "max": "2s"}},
    ]  # fmt: skip
    return chance.choice(others)


def test_the_shipped_schema_is_that_of_now() -> None:
    shipped = json.loads((ROOT / "schemas/jobscenario.json").read_text(encoding="utf-8"))
    assert shipped == json.loads(json.dumps(scenario_schema())), (
        "run: jobsworth schema --directory schemas"
    )
    jsonschema.Draft202012Validator.check_schema(shipped)
