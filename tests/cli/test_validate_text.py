"""The public function for text: the findings of ``jobsworth validate``, with their positions."""

from __future__ import annotations

import pytest

import jobsworth
from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"


def test_each_finding_has_its_position_and_fix() -> None:
    (located,) = (
        each for each in jobsworth.validate_text(INVALID) if each.finding.severity == "error"
    )
    assert (located.line, located.column) == (6, 25)
    assert located.excerpt == "  backoffLimitPerIndex: 1"
    assert located.finding.code == "JW004"
    assert located.finding.fix is not None
    assert located.finding.fix.title == "Set completionMode: Indexed"


@pytest.mark.parametrize(
    "text", [SOUND, INVALID, SHADOWED, f"{SOUND}---\n{SERVICE}---\n{SHADOWED}"]
)
def test_the_findings_are_those_of_the_command(text: str, validate: Validate) -> None:
    loaded = validate("-o", "json", "a.yaml", files={"a.yaml": text}).loaded
    printed = [
        (each["code"], each["line"], each["column"], each["field"])
        for result in loaded["results"]
        for each in result["findings"]
    ]
    found = [
        (each.finding.code, each.line, each.column, each.finding.field)
        for each in jobsworth.validate_text(text.encode())
    ]
    assert found == printed


def test_a_text_that_cannot_be_parsed_has_a_finding() -> None:
    (located,) = jobsworth.validate_text("x: [\n")
    assert (located.finding.code, located.line, located.column) == ("JW090", 1, 4)


def test_a_text_without_a_job_has_none() -> None:
    assert jobsworth.validate_text(SERVICE) == []


def test_a_comment_ignores_a_rule() -> None:
    text = SHADOWED.replace("    rules:", "    rules:  # jobsworth: ignore[JW101] example")
    codes = {
        each.finding.code
        for each in jobsworth.validate_text(f"# jobsworth: ignore[JW101] x\n{text}")
    }
    assert "JW101" not in codes


def test_the_release_and_its_gates_are_those_of_the_other_functions() -> None:
    privileged = SOUND.replace("image:", "securityContext: {privileged: true}\n          image:")
    rejected = jobsworth.validate_text(privileged, allow_privileged=False)
    assert [each.finding.code for each in rejected][:1] == ["JW007"]
    allowed = jobsworth.validate_text(privileged)
    assert all(each.finding.severity != "error" for each in allowed)
    with pytest.raises(jobsworth.UnknownRelease):
        jobsworth.validate_text(SOUND, kubernetes_version="9.9")
    with pytest.raises(jobsworth.UnknownGate):
        jobsworth.validate_text(SOUND, feature_gates={"NoSuchGate": True})
    with pytest.raises(TypeError, match="kubernetes_version must be a str"):
        jobsworth.validate_text(SOUND, kubernetes_version=1.34)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="text must be a str or bytes, not dict"):
        jobsworth.validate_text({"kind": "Job"})  # type: ignore[arg-type]


IN_SCRIPT = """\
apiVersion: batch/v1
kind: Job
metadata: {name: wait}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example/tool:1
        command:
        - sh
        - -c
        - SCRIPT
          set -e

            while ! nc -z db 5432; do
            sleep 1
          done
"""


@pytest.mark.parametrize(
    ("style", "place"),
    [("|", (17, 13)), ("|-", (17, 13)), ("|2-  # the script", (17, 13)), (">", (14, 11))],
)
def test_a_finding_in_a_script_is_at_the_line_of_a_literal_block(
    style: str, place: tuple[int, int]
) -> None:
    text = IN_SCRIPT.replace("SCRIPT", style.replace("2", ""))
    (located,) = (each for each in jobsworth.validate_text(text) if each.finding.code == "JW252")
    assert (located.line, located.column) == place


def test_a_time_zone_is_dropped_by_a_release_whose_gate_is_off() -> None:
    text = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: night}
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Berlin
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: "registry.example/tool:1"}]
"""

    def dropped(gates: dict[str, bool]) -> list[str]:
        found = jobsworth.validate_text(text, kubernetes_version="1.26", feature_gates=gates)
        return [each.finding.field for each in found if each.finding.code == "JW020"]

    assert dropped({"CronJobTimeZone": False}) == ["spec.timeZone"]
    assert dropped({}) == []


@pytest.mark.parametrize("text", ["job.yaml", "", "# a comment", "---", "kind: Job", SERVICE])
def test_a_text_without_an_object_is_reported_as_by_the_command(
    text: str, validate: Validate
) -> None:
    """A path that is passed by mistake must not look valid."""
    loaded = validate("-o", "json", "a.yaml", files={"a.yaml": text}).loaded
    codes = [each["code"] for result in loaded["results"] for each in result["findings"]]
    assert [each.finding.code for each in jobsworth.validate_text(text)] == codes
    assert codes == ([] if "kind" in text else ["JW097"])
