"""The pages of messages: each example yields the message of its page, and each fix solves it.

To renew the pages after an intended change: ``PYTHONPATH=webhook python docs/site/message_pages.py``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import jobsworth
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.batch.job import Job
from jobsworth.api.declare import ListOf, Pointer, Struct
from jobsworth.controller import well_known_names
from jobsworth.evaluation.fixes.api_fixes import FIXERS
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once
from support.documentation import site_module

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/messages"
pages = site_module("message_pages")
rejections = site_module("rejections")
reasons = site_module("reasons")

REJECTIONS = {each.page: each for family in rejections.families() for each in family.rejections}
REASONS = {each.page: each for family in reasons.families() for each in family.reasons}
BLOCK = re.compile(r"```(yaml|text|diff)\n(.*?)```", re.DOTALL)
ALPHA = {
    "JobSchedulingConfiguration.claim_names", "JobSpec.scheduling", "WorkloadPodGroupDisruptionMode.mode",
    "WorkloadPodGroupResourceClaim.claim", "WorkloadPodGroupSchedulingPolicy.policy",
}  # fmt: skip
"""Rules of fields whose gate is off by default in every release."""
PREVIEW = {"Job.delegation", "JobTemplateSpec.delegation"}
"""Rules of a release that is not out yet: no user has met their messages."""

each_rejection = pytest.mark.parametrize("name", REJECTIONS)
each_reason = pytest.mark.parametrize("name", REASONS)


def blocks(name: str, kind: str) -> list[str]:
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return [content for found, content in BLOCK.findall(text) if found == kind]


@pytest.mark.slow
def test_the_committed_pages_are_those_of_now() -> None:
    made = pages.files()
    assert {path.name for path in FOLDER.iterdir()} == set(made)
    stale = [
        name for name, text in made.items() if (FOLDER / name).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "renew them: PYTHONPATH=webhook python docs/site/message_pages.py"


@each_rejection
def test_the_manifest_of_a_page_yields_its_message(name: str) -> None:
    rejection = REJECTIONS[name]
    *stored, manifest = map(yaml.safe_load, blocks(name, "yaml"))
    if "# … and so on" in blocks(name, "yaml")[-1]:
        manifest = rejection.example
    found = jobsworth.validate(manifest, old=stored[0] if stored else None, **rejection.server)
    messages = [each.message for each in found if each.severity == "error"]
    printed, reported = blocks(name, "text")[:2]
    assert reported.removesuffix("\n") in messages
    if not rejection.kubectl:
        assert all(f"{each.field}: {each.message}" in printed for each in found)


@each_rejection
def test_the_fix_of_a_page_makes_its_example_valid(name: str) -> None:
    rejection = REJECTIONS[name]
    solved, _ = rejection.solved()
    if not solved:
        assert rejection.solution
        return
    found = jobsworth.validate(yaml.safe_load(solved), old=rejection.old, **rejection.server)
    assert [each for each in found if each.severity == "error"] == []


@each_rejection
def test_an_example_without_its_change_is_valid(name: str) -> None:
    rejection = REJECTIONS[name]
    smallest = rejections.smallest(rejection.kind)
    assert jobsworth.validate(rejection.old or smallest) == []


@each_reason
def test_the_scenario_of_a_page_yields_its_reason_and_message(name: str) -> None:
    (example,) = blocks(name, "yaml")
    manifest, scenario = yaml.safe_load_all(example)
    completed = jobsworth.default(manifest)
    completed["metadata"]["namespace"] = "default"
    record = run_once(completed, read_scenario(scenario), 1)
    occurred = REASONS[name].occurrences(record)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert occurred
    assert all(f"| {each.where} | `{each.message}` |" in text for each in occurred)


def test_each_rule_about_a_job_and_each_error_with_a_fix_has_a_page() -> None:
    explained = {each.rule for each in REJECTIONS.values()}
    assert _rules_of(Job) | _rules_of(CronJob) <= explained | ALPHA | PREVIEW
    assert set(FIXERS) <= explained


def _rules_of(kind: Struct) -> set[str]:
    """Return the rules that Kubernetes has for Jobs and CronJobs only."""
    seen: dict[str, Struct] = {}
    left: list[Struct] = [kind]
    while left:
        struct = left.pop()
        seen[struct.name] = struct
        for field in struct.fields.values():
            inner: Any = field.type
            inner = inner.target if isinstance(inner, Pointer) else inner
            inner = inner.item if isinstance(inner, ListOf) else inner
            if isinstance(inner, Struct) and inner.name not in seen:
                left.append(inner)
    return {
        rule.key
        for struct in seen.values()
        for rule in struct.rules
        if rule.check.__module__.startswith("jobsworth.api.batch")
    }


def test_each_reason_of_a_condition_of_a_job_has_a_page() -> None:
    of_conditions = {
        value[0]
        for name, value in vars(well_known_names).items()
        if isinstance(value, tuple) and len(value) == 2 and name == _constant(value[0])
    }
    assert len(of_conditions) >= 6
    assert of_conditions | {
        well_known_names.POD_FAILURE_POLICY,
        well_known_names.SUCCESS_POLICY,
    } <= set(REASONS)


def _constant(reason: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", reason).upper()


def test_every_page_is_in_the_index() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w-]+)\.md\) \|", index))
    assert linked == {*REJECTIONS, *REASONS}
    assert len(linked) > 100
