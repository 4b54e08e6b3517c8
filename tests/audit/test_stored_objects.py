"""Findings about stored objects, and the parts of them that are not reported."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobsworth.api.api_server import ApiServer
from jobsworth.audit.audited_objects import cron_job_of, is_over
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.selection import Selection
from jobsworth.provenance.generated_fields import strip_generated
from jobsworth.provenance.server_defaults import strip_defaults
from jobsworth.validation.engine import engine_for
from support.api_server.stored_objects import cron_manifest, ended, manifest, owned, stored

EXAMPLES = Path(__file__).parent.parent.parent / "examples/valid"
SERVER = ApiServer("1.36")


def codes(found: dict[str, Any], release: str = "1.36", stored_by: str = "1.36") -> list[str]:
    evaluator = Evaluator(ApiServer(release), stored_by=ApiServer(stored_by))
    return [finding.code for _, finding in reported(evaluator, found)]


def reported(
    evaluator: Evaluator, found: dict[str, Any], selection: Selection | None = None
) -> Any:
    return evaluator.evaluate(Subject(found, "stored")).reported(selection or Selection())


def examples() -> list[Any]:
    return [
        pytest.param(document, id=file.stem)
        for file in sorted(EXAMPLES.glob("*.yaml"))
        for document in yaml.safe_load_all(file.read_text(encoding="utf-8"))
        if document["kind"] in ("Job", "CronJob")
    ]


@pytest.mark.parametrize("written", examples())
def test_fields_that_a_server_adds_are_not_reported(written: dict[str, Any]) -> None:
    evaluator = Evaluator(SERVER)
    found = {(finding.code, finding.field) for _, finding in reported(evaluator, stored(written))}
    ours = {(each.code, each.field) for each in evaluator.evaluate(Subject(written)).lint}
    assert not any(code.startswith("JW0") or code == "JW216" for code, _ in found)
    assert found <= ours


@pytest.mark.parametrize(
    ("because", "spec", "expected"),
    [
        ("nothing is wrong", {}, []),
        ("a default stands there that nobody need have written", {"backoffLimit": 6}, []),
        ("the Pods may hang", {"activeDeadlineSeconds": None}, ["JW201"]),
        (
            "the API refuses a limit per index without indexes",
            {"backoffLimitPerIndex": 1},
            ["JW004"],
        ),
        ("that, and our rules", {"backoffLimitPerIndex": 1, "suspend": True}, ["JW004", "JW219"]),
    ],
)
def test_a_job_is_validated_as_it_was_written(
    because: str, spec: dict[str, Any], expected: list[str]
) -> None:
    assert codes(stored(manifest(**spec))) == expected, because


def test_history_limits_that_the_server_filled_in_were_not_written() -> None:
    assert "JW415" not in codes(stored(cron_manifest()))


def test_history_limits_that_differ_were_written() -> None:
    assert "JW415" in codes(stored(cron_manifest(successfulJobsHistoryLimit=5)))


def test_a_default_of_a_newer_release_is_not_held_against_an_older_one() -> None:
    found = stored(manifest(), release="1.36")
    assert "podReplacementPolicy" in found["spec"]
    assert codes(found, release="1.25", stored_by="1.36") == []


def test_a_field_that_a_user_wrote_is_validated_against_an_older_release() -> None:
    found = stored(manifest(podReplacementPolicy="Failed"), release="1.36")
    assert codes(found, release="1.25", stored_by="1.36") == ["JW001"]


def test_an_annotation_ignores_lint_rules_but_no_errors() -> None:
    written = manifest(activeDeadlineSeconds=None, backoffLimitPerIndex=1)
    written["metadata"]["annotations"] = {"jobsworth.dev/ignore": "JW201"}
    assert codes(stored(written)) == ["JW004"]


def test_the_selection_holds() -> None:
    selection = Selection(select=frozenset(["JW204"]))
    evaluator = Evaluator(SERVER, selection)
    found = stored(manifest(activeDeadlineSeconds=None, ttlSecondsAfterFinished=None))
    assert [finding.code for _, finding in reported(evaluator, found, selection)] == ["JW204"]


def test_validation_changes_nothing() -> None:
    for found in (stored(manifest(activeDeadlineSeconds=None)), stored(cron_manifest())):
        before = copy.deepcopy(found)
        codes(found)
        assert found == before


def test_a_manual_selector_is_kept() -> None:
    written = manifest(manualSelector=True, selector={"matchLabels": {"app": "train"}})
    template = {**written["spec"]["template"], "metadata": {"labels": {"app": "train"}}}
    written["spec"]["template"] = template
    kept = strip_generated(stored(written))
    assert kept["spec"]["selector"] == {"matchLabels": {"app": "train"}}
    assert codes(stored(written)) == []


def test_labels_that_users_wrote_are_kept() -> None:
    written = manifest()
    written["metadata"]["labels"] = {"team": "ranking"}
    assert strip_generated(stored(written))["metadata"] == {
        "name": "train",
        "namespace": "default",
        "labels": {"team": "ranking"},
    }


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ({"completions": 5}, {"completions": 5}),
        ({"completions": 5, "parallelism": 2}, {"completions": 5, "parallelism": 2}),
        ({"backoffLimit": 0, "suspend": True}, {"backoffLimit": 0, "suspend": True}),
        ({"backoffLimit": 6, "suspend": False}, {}),
        ({"completionMode": "Indexed", "completions": 1}, {"completionMode": "Indexed"}),
    ],
)
def test_values_that_the_server_would_fill_in_are_taken_off(
    spec: dict[str, Any], left: dict[str, Any]
) -> None:
    engine = engine_for(SERVER)
    bare = strip_defaults(engine.default(manifest(**spec)), SERVER)
    kept = {*manifest()["spec"], *left}
    assert set(bare["spec"]) == kept
    assert {name: bare["spec"][name] for name in left} == left
    assert engine.default(bare) == engine.default(manifest(**spec))


@pytest.mark.parametrize(
    ("found", "over"),
    [
        (stored(manifest()), False),
        (stored(manifest(), status=ended("Complete")), True),
        (stored(manifest(), status=ended("Failed")), True),
        (stored(manifest(), status=ended("Suspended")), False),
        (stored(manifest(), status={"conditions": [{"type": "Failed", "status": "False"}]}), False),
        (stored(manifest(), deletionTimestamp="2025-11-03T09:00:00Z"), True),
        (stored(cron_manifest()), False),
        (stored(cron_manifest(), deletionTimestamp="2025-11-03T09:00:00Z"), True),
    ],
)
def test_an_object_is_over_when_nothing_of_it_will_run(found: dict[str, Any], over: bool) -> None:
    assert is_over(found) is over


def test_a_job_names_the_cron_job_that_made_it() -> None:
    cron_job = stored(cron_manifest())
    assert cron_job_of(owned(stored(manifest()), cron_job)) == cron_job["metadata"]["uid"]
    assert cron_job_of(stored(manifest())) is None


def test_a_default_that_was_written_stays_written_where_another_server_stored_it() -> None:
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    value = manifest(podFailurePolicy={"rules": [rule]}, podReplacementPolicy="Failed")
    assert "JW123" not in codes(stored(value))
    evaluator = Evaluator(ApiServer("1.36", allow_privileged=True), stored_by=ApiServer("1.36"))
    assert "JW123" not in [finding.code for _, finding in reported(evaluator, stored(value))]


@pytest.mark.parametrize("kind", ["Job", "CronJob"])
@pytest.mark.parametrize("spec", [None, {}, {"template": None}, {"jobTemplate": {"spec": None}}])
def test_an_object_without_parts_that_a_server_always_writes_is_validated_too(
    kind: str, spec: Any
) -> None:
    value = {"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": "a"}, "spec": spec}
    evaluator = Evaluator(ApiServer("1.37"), stored_by=SERVER)
    assert any(finding.severity == "error" for _, finding in reported(evaluator, value))
