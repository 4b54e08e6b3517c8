"""All faults in one run: what the API server would report after the decoding errors."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.findings_after_repair import is_decoding_error
from jobsworth.evaluation.subject import Subject
from jobsworth.files.fixing.fix_verdict import reason_to_revert
from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from support.cli.command_runs import Validate
from support.law_examples import number_of_examples
from support.lint.manifests_with_findings import SOUND
from support.random_objects.random_jobs import random_job

TYPO = SOUND.replace("spec:\n  active", "spec:\n  backofLimit: 3\n  active", 1)
TWO_FAULTS = TYPO.replace("restartPolicy: Never", "restartPolicy: never")


def test_faults_behind_a_decoding_error_are_reported_and_marked(validate: Validate) -> None:
    done = validate("-o", "json", "a.yaml", files={"a.yaml": TWO_FAULTS})
    findings = done.loaded["results"][0]["findings"]
    assert [(each["code"], each.get("further")) for each in findings] == [
        ("JW001", None),
        ("JW005", True),
        ("JW005", True),  # restartPolicy: two causes, of which people see the narrower one
    ]
    text = validate("a.yaml").out
    assert text.count("[JW005]") == 1
    assert text.count("note: the API server stops at the errors above") == 1
    assert (
        "hidden by the API server until the errors above are fixed"
        in validate("-o", "concise", "a.yaml").out
    )


def test_faults_in_a_misspelled_field_are_reported_too(validate: Validate) -> None:
    """The rename of the field shows more decoding errors, and behind them more errors."""
    text = (
        TWO_FAULTS.replace("containers:", "container:")
        .replace("memory: 64Mi", "memory: 1GiB")
        .replace("          image:", "          imagePullPolicy: never\n          Image:")
    )
    done = validate("-o", "json", "a.yaml", files={"a.yaml": text})
    findings = done.loaded["results"][0]["findings"]
    (quantity,) = (each for each in findings if each["code"] == "JW002")
    assert "memory: 1GiB" in text.splitlines()[quantity["line"] - 1]
    assert [(each["code"], each.get("further")) for each in findings] == [
        ("JW001", None),
        ("JW001", None),
        ("JW005", True),
        ("JW005", True),
        ("JW005", True),
        ("JW001", True),
        ("JW002", True),
    ]


def test_lint_rules_speak_of_a_manifest_whose_typos_have_one_answer(validate: Validate) -> None:
    text = TYPO.replace(
        "image: registry.example.com/main:1.0", "image: registry.example.com/main:latest"
    )
    done = validate("-o", "json", "a.yaml", files={"a.yaml": text})
    assert [each["code"] for each in done.loaded["results"][0]["findings"]] == ["JW001", "JW501"]


def test_a_cpu_in_megacores_is_reported_beside_a_memory_of_two_meanings(validate: Validate) -> None:
    text = SOUND.replace("memory: 64Mi", "memory: 1GB").replace("cpu: 100m", "cpu: 500M")
    done = validate("-o", "json", "a.yaml", files={"a.yaml": text})
    findings = done.loaded["results"][0]["findings"]
    assert [(each["code"], each.get("further")) for each in findings] == [
        ("JW002", None),
        ("JW508", True),
    ]
    assert "cpu: 500M" in text.splitlines()[findings[1]["line"] - 1]
    assert findings[1]["fix"]["edits"][0]["value"] == "500m"


@pytest.mark.parametrize("limit", ["1Mi", "100Gi"])
def test_nothing_is_reported_about_a_quantity_whose_meaning_is_unknown(
    validate: Validate, limit: str
) -> None:
    """Neither is 1GB more than a limit, nor is a limit odd beside it, whatever 1GB means."""
    text = SOUND.replace("memory: 64Mi", "memory: 1GB").replace(
        "{requests:", f"{{limits: {{memory: {limit}}}, requests:"
    )
    done = validate("-o", "json", "--select", "JW0", "a.yaml", files={"a.yaml": text})
    assert [each["code"] for each in done.loaded["results"][0]["findings"]] == ["JW002"]


def test_what_a_deletion_causes_is_not_reported(validate: Validate) -> None:
    """Neither that containers are missing, nor that there is no deadline."""
    text = SOUND.replace("containers:", "kontainerliste:").replace("3600", "soon")
    done = validate("-o", "json", "--info", "a.yaml", files={"a.yaml": text})
    assert [each["code"] for each in done.loaded["results"][0]["findings"]] == ["JW002", "JW001"]


def test_the_caret_is_below_a_misspelled_key_whatever_its_value(validate: Validate) -> None:
    done = validate("a.yaml", files={"a.yaml": TYPO})
    assert "a.yaml:6:3: error" in done.out
    assert (
        "  6 |   backofLimit: 3\n    |   ^^^^^^^^^^^\n  fix: Rename it to backoffLimit (safe)"
        in done.out
    )
    assert "did you mean" not in done.out


TWO_MEANINGS = SOUND.replace("memory: 64Mi", "memory: 64GB").replace(
    "spec:\n  active",
    "spec:\n"
    "  podFailurePolicy:\n"
    "    rules:\n"
    "    - {action: FailJob, onExitCodes: {operator: In, values: [42, 1]}}\n"
    "  active",
    1,
)


def test_a_fix_behind_an_error_without_one_is_applied(validate: Validate) -> None:
    """What the summary counts as fixable, --fix fixes."""
    found = validate("a.yaml", files={"a.yaml": TWO_MEANINGS})
    assert "1 fixable with --fix" in found.err
    fixed = validate("--fix", "a.yaml")
    assert "fixed: a.yaml:8: JW004: Sort the exit codes" in fixed.err
    assert fixed.err.splitlines()[-1].startswith("1 fixed")
    assert Path("a.yaml").read_text() == TWO_MEANINGS.replace("[42, 1]", "[1, 42]")


@pytest.mark.parametrize(
    ("field", "fixed"),
    [
        ("  backoffLimit: soon", True),
        ("  suspend: {}", True),
        ("  template: soon", False),
    ],
)
def test_a_fix_is_applied_beside_an_error_at_an_unrelated_field(
    validate: Validate, field: str, fixed: bool
) -> None:
    """The value of the field is unknown, but the order of exit codes does not depend on it."""
    policy = TWO_MEANINGS.replace("memory: 64GB", "memory: 64Mi")
    text = policy.replace("spec:\n", f"spec:\n{field}\n", 1)
    if "template" in field:
        text = policy.replace("operator: In", "operator: [In]").replace("42, 1", "42, 0")
    validate("--fix", "a.yaml", files={"a.yaml": text})
    assert ("[1, 42]" in Path("a.yaml").read_text()) is fixed


def test_a_fix_that_sets_a_list_with_an_error_in_it_is_not_applied(validate: Validate) -> None:
    text = TWO_MEANINGS.replace("[42, 1]", "[42, soon, 1]")
    validate("--fix", "a.yaml", files={"a.yaml": text})
    assert "[42, soon, 1]" in Path("a.yaml").read_text()


def test_a_fix_behind_an_error_is_reverted_if_it_causes_another() -> None:
    """Among hidden findings nothing else hides, so another error is the doing of the fix."""
    fixed = LocatedFinding(found("JW004", "spec.a"), further=True)
    known, other = LocatedFinding(found("JW002", "spec.q")), found("JW004", "spec.b")
    before = Result(file="a.yaml", status="invalid", findings=[known, fixed])
    after = before.replace(findings=[known, LocatedFinding(other, further=True)])
    assert reason_to_revert([fixed], before, after) == "it would cause JW004 spec.b: spec.b"
    assert not reason_to_revert([fixed], before, before.replace(findings=[known]))


def found(code: str, field: str) -> Finding:
    return Finding(
        source="api", severity="error", code=code, field=field, reason=field, message=field
    )


EVALUATOR = Evaluator(ApiServer())


@settings(max_examples=number_of_examples(30), suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 100_000))
def test_an_unknown_field_hides_no_error_and_adds_none(seed: int) -> None:
    """The errors behind an unknown field are those of the object without it."""
    job = random_job(seed)
    spec = job.get("spec")
    if not isinstance(spec, dict):
        return

    def evaluated() -> Evaluation:
        copy = json.loads(json.dumps(job))
        return EVALUATOR.evaluate(Subject(copy, written=lambda path: None))

    def errors(found: Iterable[Finding]) -> set[tuple[str, str]]:
        return {(each.field, each.message) for each in found if each.severity == "error"}

    before = evaluated()
    spec["zzz"] = 3
    after = evaluated()
    assert errors(after.further) <= errors([*before.api, *before.further])
    if not any(is_decoding_error(each) for each in before.api):
        required = {
            (each.field, each.message) for each in before.api if each.reason == "FieldValueRequired"
        }
        assert errors(before.api) - required <= errors(after.further)
