"""Characters that a reader cannot see, or takes for others: named in a hint, and removed by a fix."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding
from jobsworth.findings.odd_characters import named
from support.cli.command_runs import Validate
from support.lint.linted_jobs import cron_job, job
from support.lint.manifests_with_findings import SOUND


def finding_of(value: dict[str, Any], field: str) -> Finding:
    subject = Subject(value, written=lambda path: None)
    found = Evaluator(ApiServer(), lint=False).evaluate(subject)
    return next(each for each in (*found.api, *found.further) if each.field == field)


@pytest.mark.parametrize(
    ("value", "field", "hint", "fixed"),
    [
        ({"name": "a\u200bb"}, "metadata.name", "it contains U+200B (zero width space)", "ab"),
        ({"name": "a\u2013b"}, "metadata.name", "it contains U+2013 (en dash)", "a-b"),
        (
            {"name": "a", "labels": {"b": "\u00a0c"}},
            "metadata.labels",
            "it contains U+00A0 (no-break space)",
            "c",
        ),
        ({"name": "A\u200b"}, "metadata.name", "it contains U+200B (zero width space)", None),
        (
            {"name": "a", "labels": {"b\u2014c": "d"}},
            "metadata.labels",
            "the key contains U+2014 (em dash)",
            None,
        ),
        (
            {"name": "a", "na\u00adme": "b"},
            "metadata.na\u00adme",
            "the name contains U+00AD (soft hyphen)",
            None,
        ),
        (
            {"name": "a", "\u00a0 value": "b"},
            "metadata.\u00a0 value",
            "the name begins with U+00A0 (no-break space): indent the line by spaces",
            None,
        ),
    ],
)
def test_the_character_is_named(
    value: dict[str, Any], field: str, hint: str, fixed: str | None
) -> None:
    found = finding_of({**job(), "metadata": value}, field)
    assert found.hint == hint
    assert (None if found.fix is None else found.fix.edits[0].value) == fixed


@pytest.mark.parametrize(
    ("metadata", "field", "hint"),
    [
        ({"name": "My Job_"}, "metadata.name", 'it contains a capital letter, a space and "_"'),
        ({"name": "-a"}, "metadata.name", 'it starts with "-"'),
        ({"name": "a.b-"}, "metadata.name", 'it ends with "-"'),
        ({"name": "a" * 260}, "metadata.name", ""),
        ({"name": "a", "namespace": "a.b"}, "metadata.namespace", 'it contains "."'),
        ({"generateName": "a_b-"}, "metadata.generateName", 'it contains "_"'),
        ({"name": "a", "labels": {"team a": "b"}}, "metadata.labels", "the key contains a space"),
        ({"name": "a", "labels": {"team": "b c"}}, "metadata.labels", "it contains a space"),
        (
            {"name": "a", "annotations": {"/b": "c"}},
            "metadata.annotations",
            'the key starts with "/"',
        ),
    ],
)
def test_the_characters_are_named_for_which_a_name_is_rejected(
    metadata: dict[str, Any], field: str, hint: str
) -> None:
    assert finding_of({**job(), "metadata": metadata}, field).hint == hint


def test_characters_in_names_inside_of_a_pod_are_named() -> None:
    named_so = {"name": "Main_", "image": "a:1"}
    value = job({"containers": [named_so], "nodeSelector": {"a": "b c"}})
    found = finding_of(value, "spec.template.spec.containers[0].name")
    assert found.hint == 'it contains a capital letter and "_"'
    assert finding_of(value, "spec.template.spec.nodeSelector").hint == "it contains a space"
    template = job()
    template["spec"]["template"]["metadata"] = {"labels": {"a b": "c"}}
    found = finding_of(template, "spec.template.labels")
    assert (found.hint, found.written_field) == (
        "the key contains a space",
        "spec.template.metadata.labels",
    )


def test_quotes_that_belong_to_a_schedule_are_removed() -> None:
    for schedule in ("\u201c0 3 * * *\u201d", "'0 3 * * *'"):
        found = finding_of(cron_job(job(), schedule=schedule), "spec.schedule")
        assert found.fix is not None
        assert found.fix.safe
        assert found.fix.edits[0].value == "0 3 * * *"


def test_only_some_of_many_characters_are_named() -> None:
    assert named("\u00a0\u200b\u2013\u2014").endswith("(en dash), …")
    assert named("caf\u00e9 \u4e2d") == ""


def test_the_excerpt_shows_a_no_break_space_at_the_end(validate: Validate) -> None:
    text = SOUND.replace("restartPolicy: Never", "restartPolicy: Never\u00a0")
    done = validate("job.yaml", files={"job.yaml": text})
    assert "restartPolicy: Never\\xa0\n" in done.out
