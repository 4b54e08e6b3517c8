"""Fixes and hints are found by the rule that reports an error, never by the text of its message."""

from __future__ import annotations

import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.declared_types import structs_below
from jobsworth.api.field_errors import FieldError
from jobsworth.api.kinds import Job
from jobsworth.api.meta.object_meta import LABEL_VALUE
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.fixes import api_fixes, api_hints
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import CannotEdit, at, locate
from jobsworth.findings.finding import Finding
from jobsworth.manifests import read_text
from jobsworth.validation import suggestions, verdict_findings
from support import fixable_manifests
from support.evaluation.mistakes import CRON_JOB, JOB, mistakes_in
from support.lint.fixable_objects import REJECTED

EXAMPLES = Path(__file__).parents[2] / "examples" / "invalid"

Advice = Counter[tuple[str, str, str, str, str]]


def without_words(text: str) -> str:
    """A text that is different for each message, and has none of its words."""
    return "#" + hashlib.sha256(text.encode()).hexdigest().translate(
        str.maketrans("0123456789abcdef", "ghjkmpqrvwxyzGHJ")
    )


@pytest.fixture
def no_messages(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Replaces the messages of all findings of the API server."""

    def replaced(*, message: str | tuple[str, ...], **parts: Any) -> Finding:
        text = message if isinstance(message, str) else "".join(message)
        return Finding(message=without_words(text), **parts)

    monkeypatch.setattr(FieldError, "message", property(lambda e: without_words("".join(e.parts))))
    monkeypatch.setattr(verdict_findings, "Finding", replaced)
    monkeypatch.setattr(suggestions, "Finding", replaced)
    return monkeypatch


def findings(value: dict[str, Any], old: dict[str, Any] | None = None) -> list[Finding]:
    """The findings of the API server, also of those after a repair."""

    def written(path: str) -> str | None:
        try:
            return str(at(value, locate(value, path).steps)).lower()
        except CannotEdit:
            return None

    evaluator = Evaluator(ApiServer("1.36", allow_privileged=False), lint=False)
    evaluation = evaluator.evaluate(Subject(value, old=old, written=written))
    return [*evaluation.api, *evaluation.further]


def advice(value: dict[str, Any], old: dict[str, Any] | None = None) -> Advice:
    """The findings of the API server that have a fix or a hint."""
    return Counter(
        (each.code, each.field, each.rule, each.hint, str(each.fix))
        for each in findings(value, old)
        if each.fix is not None or each.hint
    )


def objects() -> Iterator[dict[str, Any]]:
    for file in sorted(EXAMPLES.rglob("*.yaml")):
        yield from (document.value for document in read_text(file.read_bytes(), file.name))
    for manifest in fixable_manifests.MANIFESTS.values():
        yield from (document.value for document in read_text(manifest(2).encode(), "job.yaml"))
    yield from REJECTED.values()
    for whole in (JOB, CRON_JOB):
        yield from (changed for _, changed in mistakes_in(whole))


def updates() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for field, value in (("completionMode", "NonIndexed"), ("backoffLimitPerIndex", 2)):
        new = copy.deepcopy(JOB)
        new["spec"][field] = value
        yield new, JOB


@pytest.mark.slow
def test_no_fix_and_no_hint_depends_on_a_message(no_messages: pytest.MonkeyPatch) -> None:
    values = [*objects()]
    without = [*map(advice, values)]
    no_messages.undo()
    # More may have a fix than with messages: one that names a deleted field withholds its finding.
    lost = [
        (value, expected - found)
        for value, found in zip(values, without, strict=True)
        if (expected := advice(value)) - found
    ]
    assert lost == []
    assert sum(map(len, without)) > 500


def test_no_hint_for_an_update_depends_on_a_message(no_messages: pytest.MonkeyPatch) -> None:
    without = [advice(new, old) for new, old in updates()]
    no_messages.undo()
    assert without == [advice(new, old) for new, old in updates()]
    assert all("immutable" in {rule for _, _, rule, _, _ in each} for each in without)


@pytest.mark.slow
def test_every_error_has_the_key_of_its_rule() -> None:
    errors = [each for value in objects() for each in findings(value) if each.severity == "error"]
    assert [error for error in errors if not error.rule] == []
    assert len({error.rule for error in errors}) > 50


def test_every_key_of_a_fix_or_hint_belongs_to_a_rule() -> None:
    structs = [*structs_below(Job), *structs_below(CronJob)]
    declared = {rule.key for struct in structs for rule in struct.rules}
    for suffix in ("bounds", "enum", "required"):
        declared |= {f"{name}.{suffix}" for struct in structs for name in struct.fields}
    declared.add(LABEL_VALUE)
    named = {*api_fixes.FIXERS, *api_hints.HINTS, *verdict_findings.HINTS}
    assert {key for key in named if "." in key and key not in declared} == set()
