"""A value of a wrong type hides no error that does not depend on it, and the report names what it hides."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.cli.command_processes import run

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: load}
spec:
  completionMode: indexed
  template:
    spec:
      restartPolicy: never
      containers:
      - name: main
        image: registry.example.com/load:1
        env:
        - {name: MODE, value: fast}
        volumeMounts:
        - {name: data, mountPath: /data}
      volumes:
      - {name: data, emptyDir: {}}
"""
ENUMERATIONS = {"spec.completionMode", "spec.template.spec.restartPolicy"}
"""The fields with errors in every Job here."""
POD = "spec.template.spec"


def reported(text: str) -> dict[str, Any]:
    """Return the result for a manifest, and hold the text report to it."""
    (result,) = json.loads(run("validate", "-o", "json", "-", stdin=text).stdout)["results"]
    assert isinstance(result, dict)
    noted = (
        "note: lint findings, and errors that depend on" in run("validate", "-", stdin=text).stdout
    )
    assert noted == ("hidden_by" in result)
    return result


def fields(result: dict[str, Any]) -> set[str]:
    return {each["field"] for each in result["findings"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "instead", "hiding"),
    [
        ("value: fast", "value: [a, b]", f"{POD}.containers[0].env[0].value"),
        ("- {name: MODE, value: fast}", "- [MODE]", f"{POD}.containers[0].env[0]"),
        ("- {name: data, emptyDir: {}}", "- [data]", f"{POD}.volumes[0]"),
        (
            "metadata: {name: load}",
            "metadata: {name: load, labels: {a: [b, c]}}",
            "metadata.labels[a]",
        ),
        ("  completionMode:", "  suspend: maybe\n  completionMode:", "spec.suspend"),
    ],
)
def test_a_value_of_a_wrong_type_hides_no_other_error_and_is_named(
    written: str, instead: str, hiding: str
) -> None:
    result = reported(JOB.replace(written, instead))
    assert fields(result) == {hiding, *ENUMERATIONS}
    assert result["hidden_by"] == [hiding]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "instead", "hiding"),
    [
        ("apiVersion: batch/v1", "apiVersion: batch/v1beta1", ["apiVersion"]),
        ("kind: Job", "kind: Jobb", ["kind"]),
        ("apiVersion: batch/v1", "ApiVersion: batch/v1", ["ApiVersion"]),
    ],
)
def test_a_wrong_kind_or_version_hides_all_other_findings_and_is_named(
    written: str, instead: str, hiding: list[str]
) -> None:
    result = reported(JOB.replace(written, instead))
    assert [each["code"] for each in result["findings"]] == ["JW320"]
    assert result["hidden_by"] == hiding


@pytest.mark.slow
def test_a_warning_about_the_version_of_another_kind_hides_nothing() -> None:
    result = reported(JOB.replace("batch/v1", "batch.k8s.io/v1"))
    assert [each["code"] for each in result["findings"]] == ["JW320"]
    assert "hidden_by" not in result


@pytest.mark.slow
def test_values_that_a_fix_replaces_hide_nothing() -> None:
    result = reported(JOB.replace("value: fast", "value: 1"))
    assert fields(result) >= ENUMERATIONS
    assert "hidden_by" not in result


@pytest.mark.slow
def test_what_stands_for_an_exit_code_of_a_wrong_type_is_no_duplicate() -> None:
    rule = "{action: Ignore, onExitCodes: {operator: NotIn, values: [many, 0, 7]}}"
    policy = f"  podFailurePolicy: {{rules: [{rule}]}}\n  template:"
    assert fields(reported(JOB.replace("  template:", policy, 1))) == {
        "spec.podFailurePolicy.rules[0].onExitCodes.values[0]",
        *ENUMERATIONS,
    }


def test_the_note_names_three_fields_in_their_order_and_counts_the_rest() -> None:
    text = JOB.replace(
        "- {name: MODE, value: fast}", "- [A]\n        - [B]\n        - [C]\n        - [D]"
    )
    shown = " ".join(run("validate", "-", stdin=text).stdout.split())
    env = f"{POD}.containers[0].env"
    assert (
        f"errors that depend on {env}[0], {env}[1], {env}[2] and 1 more, are reported once they are"
        in shown
    )
