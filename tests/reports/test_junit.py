"""The JUnit report: well-formed, and what CI systems read from it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.reports import junit
from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

FILES = {
    "all.yaml": f"{INVALID}---\n{SHADOWED}---\n{SOUND}---\napiVersion: v1\nkind: Pod\n",
    "unreadable.yaml": "kind: Job\n\tx: y\n",
}


@pytest.fixture
def suites(validate: Validate) -> ElementTree.Element:
    return ElementTree.fromstring(validate("-o", "junit", ".", files=FILES).out)


def test_a_file_is_a_test_suite_and_a_document_a_test_case(suites: ElementTree.Element) -> None:
    assert suites.tag == "testsuites"
    assert [
        (suite.get("name"), [case.get("name") for case in suite.findall("testcase")])
        for suite in suites.findall("testsuite")
    ] == [
        ("all.yaml", ["Job invalid", "Job shadowed", "Job sound", "Pod (unnamed, document 3)"]),
        ("unreadable.yaml", ["document 0"]),
    ]


def test_the_numbers_add_up(suites: ElementTree.Element) -> None:
    def numbers(element: ElementTree.Element) -> list[int]:
        return [int(element.get(name, "")) for name in ("tests", "failures", "errors", "skipped")]

    assert numbers(suites) == [5, 1, 1, 1]
    assert [numbers(suite) for suite in suites] == [[4, 1, 0, 1], [1, 0, 1, 0]]


def test_an_invalid_document_is_a_failure(suites: ElementTree.Element) -> None:
    (failure,) = suites.iter("failure")
    assert failure.get("type") == "JW004 FieldValueInvalid"
    assert failure.get("message") == (
        "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"
    )
    assert (failure.text or "").startswith("all.yaml:6:25: error JW004 spec.backoffLimitPerIndex: ")


def test_one_mistake_is_one_failure(validate: Validate) -> None:
    text = SOUND.replace("Never", "Sometimes")
    out = validate("-o", "junit", "job.yaml", files={"job.yaml": text}).out
    (failure,) = ElementTree.fromstring(out).iter("failure")
    assert failure.get("message") == (
        'spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: '
        '"OnFailure", "Never"'
    )


def test_unreadable_files_are_errors_and_other_kinds_are_skipped(
    suites: ElementTree.Element,
) -> None:
    (error,) = suites.iter("error")
    assert error.get("type") == "JW090 unreadable"
    (skipped,) = suites.iter("skipped")
    assert skipped.get("message") == "not a Job or CronJob"


def test_a_warning_does_not_fail_a_test(suites: ElementTree.Element) -> None:
    (output,) = suites.iter("system-out")
    assert "warning JW101" in (output.text or "")


def test_any_text_is_well_formed() -> None:
    message = 'a < b & "c" ]]> \x1b[31m\x00 \ud800 é 💡\nnext\tline'
    finding = Finding(
        source="api", severity="error", code="JW004", field='a["b"]', reason="R", message=message
    )
    result = Result(
        file='<&">.yaml',
        document=0,
        kind="Job",
        status="invalid",
        findings=[LocatedFinding(finding)],
    )
    suites = ElementTree.fromstring(junit.render([result]))
    (failure,) = suites.iter("failure")
    assert failure.get("message") == (
        r'a["b"]: a < b & "c" ]]> \x1b[31m\x00 \ud800 é 💡\nnext\tline'
    )
