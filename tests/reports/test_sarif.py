"""The SARIF report: valid by its official schema, with what code scanning needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.reports import sarif
from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

SCHEMA = json.loads((Path(__file__).parent / "data/sarif-schema-2.1.0.json").read_text())
CHECKER = jsonschema.Draft4Validator(SCHEMA)

MANY = {
    "a b/invalid.yaml": INVALID,
    "shadowed.yaml": SHADOWED,
    "sound.yaml": SOUND,
    "unreadable.yaml": "kind: Job\n\tx: y\n",
    "list.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pod"}]}),
    "unnamed.yaml": SOUND.replace("name: sound", "generateName: sound-").replace(
        "Never", "Sometimes"
    ),
}


@pytest.fixture
def log(validate: Validate) -> Any:
    return validate("--output", "sarif", ".", files=MANY).loaded


def results_of(log: Any) -> list[Any]:
    results: list[Any] = log["runs"][0]["results"]
    return results


def by_rule(log: Any, code: str) -> Any:
    (result,) = (result for result in results_of(log) if result["ruleId"] == code)
    return result


def test_the_report_is_valid_by_the_official_schema(log: Any) -> None:
    CHECKER.validate(log)
    assert {"JW004", "JW005", "JW090", "JW101"} <= {each["ruleId"] for each in results_of(log)}


def test_an_empty_report_is_valid_too(validate: Validate) -> None:
    log = validate("--output", "sarif", "sound.yaml", files={"sound.yaml": SOUND}).loaded
    CHECKER.validate(log)
    assert results_of(log) == []
    assert log["runs"][0]["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]


def test_one_mistake_is_one_result(validate: Validate) -> None:
    text = SOUND.replace("Never", "Sometimes")
    log = validate("--output", "sarif", "job.yaml", files={"job.yaml": text}).loaded
    assert [each["message"]["text"] for each in results_of(log)] == [
        'spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: '
        '"OnFailure", "Never"'
    ]


def test_an_unreadable_file_makes_the_run_unsuccessful(log: Any) -> None:
    assert log["runs"][0]["invocations"] == [{"executionSuccessful": False, "exitCode": 2}]


def test_a_result_points_at_its_rule(log: Any) -> None:
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    for result in results_of(log):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert len({rule["id"] for rule in rules}) == len(rules)


def test_a_rule_comes_with_its_page(log: Any) -> None:
    rules = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    shadowed = rules["JW101"]
    assert shadowed["name"] == "rule-shadowed"
    assert shadowed["defaultConfiguration"] == {"level": "warning"}
    assert shadowed["help"]["markdown"].startswith("# JW101 rule-shadowed")
    assert "Sources:" in shadowed["help"]["text"]
    assert shadowed["helpUri"].endswith("/docs/rules/JW101-rule-shadowed.md")
    assert rules["JW004"]["name"] == "FieldValueInvalid"
    assert rules["JW004"]["shortDescription"]["text"]


def test_a_result_has_a_region_and_the_object(log: Any) -> None:
    (location,) = by_rule(log, "JW004")["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b/invalid.yaml"},
        "region": {
            "startLine": 6,
            "startColumn": 25,
            "endLine": 6,
            "endColumn": 26,
            "snippet": {"text": "  backoffLimitPerIndex: 1"},
        },
    }
    (logical,) = location["logicalLocations"]
    assert logical["fullyQualifiedName"] == "Job/invalid#spec.backoffLimitPerIndex"


def test_a_fix_is_a_change_of_the_text(log: Any) -> None:
    (fix,) = by_rule(log, "JW101")["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "shadowed.yaml"}
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    lines = SHADOWED.splitlines(keepends=True)
    lines[region["startLine"] - 1 : region["endLine"] - 1] = [
        replacement["insertedContent"]["text"]
    ]
    fixed = "".join(lines)
    assert fixed != SHADOWED
    assert sorted(fixed.splitlines()) == sorted(SHADOWED.splitlines())
    assert fixed.index("values: [42]") < fixed.index("values: [41, 42]")


def test_a_finding_keeps_its_fingerprint_when_lines_are_added_above(validate: Validate) -> None:
    before = validate("-o", "sarif", "a.yaml", files={"a.yaml": SHADOWED}).loaded
    after = validate("-o", "sarif", "a.yaml", files={"a.yaml": f"# more\n\n{SHADOWED}"}).loaded
    (one,), (other,) = results_of(before), results_of(after)
    assert one["partialFingerprints"] == other["partialFingerprints"]
    assert one["locations"] != other["locations"]


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("./jobs/a.yaml", "jobs/a.yaml"),
        ("jobs/ü #1.yaml", "jobs/%C3%BC%20%231.yaml"),
        ("/elsewhere/a.yaml", "file:///elsewhere/a.yaml"),
        ("<stdin>", "stdin"),
    ],
)
def test_a_file_is_named_by_a_uri(file: str, uri: str) -> None:
    finding = Finding(
        source="other", severity="info", code="JW999", field="", reason="new", message="m", hint="h"
    )
    result = Result(file=file, document=0, status="valid", findings=[LocatedFinding(finding)])
    log = json.loads(sarif.render([result]))
    CHECKER.validate(log)
    (reported,) = results_of(log)
    assert reported["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": uri}}}]
    assert (reported["level"], reported["message"]) == ("note", {"text": "m (h)"})


def test_every_page_that_is_linked_is_there(log: Any) -> None:
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        page = rule.get("helpUri", "").partition("/blob/main/")[2]
        assert not page or (Path(__file__).parent.parent.parent / page).is_file()


SCRIPT = """\
          command: [sh, -c]
          args:
            - |
              echo started

              load --all
              echo done
"""


@pytest.mark.parametrize(
    "broken", ["", "  backofLimit: 1\n"], ids=["reported", "hidden by another"]
)
def test_a_finding_in_a_script_is_at_its_line_of_the_block(broken: str, validate: Validate) -> None:
    text = SOUND + SCRIPT + broken
    log = validate("--output", "sarif", "a.yaml", files={"a.yaml": text}).loaded
    region = by_rule(log, "JW222")["locations"][0]["physicalLocation"]["region"]
    line = text.splitlines().index("              load --all") + 1
    assert (region["startLine"], region["startColumn"]) == (line, 15)
    assert region["snippet"]["text"].strip() == "load --all"
