"""The fix of a name keeps its words, and proposes only a name that the API server accepts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.fixes.api_fixes import with_fixes
from jobsworth.findings.edits import edited
from jobsworth.findings.fix import Fix
from jobsworth.validation.engine import engine_for
from support.lint.linted_jobs import cron_job, job, with_metadata

ENGINE = engine_for(ApiServer("1.36"))


def fixes(value: dict[str, Any]) -> list[Fix]:
    findings = with_fixes(ENGINE.validate(value), value, ENGINE.server, lambda _: None)
    return [each.fix for each in findings if each.fix is not None]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("hello-world-job -5", "hello-world-job-5"),
        ("job - 1", "job-1"),
        ("job- 1", "job-1"),
        ("-job", "job"),
        ("job_", "job"),
        ("job-", "job"),
        (".job.", "job"),
        ("job/x", "job-x"),
        ("Job Name (v2)", "job-name-v2"),
        ("load: daily", "load-daily"),
        ("a--b_c", "a--b-c"),
        ("db_migrate", "db-migrate"),
        ("Data.Load", "data-load"),
    ],
)
def test_a_name_is_written_with_hyphens_between_its_words(name: str, wanted: str) -> None:
    for value in (job(), cron_job(job())):
        found = fixes(with_metadata(value, name=name))
        assert {fix.title for fix in found} == {f"Set name: {wanted}"}
        assert not any(fix.safe for fix in found)


def test_the_beginning_of_a_generated_name_keeps_its_last_hyphen() -> None:
    value = job()
    value["metadata"] = {"generateName": "Load_Daily-"}
    (fix,) = fixes(value)
    assert fix.title == "Set generateName: load-daily-"


@pytest.mark.parametrize(
    "name",
    [
        "job-${ENV}",
        "{{ .Release.Name }}-job",
        "<name>",
        "%NAME%",
        "täglich",
        "---",
        "_",
        "a" * 64 + "_",
        "job\nname",
    ],
)
def test_a_name_that_is_a_placeholder_or_has_other_characters_gets_no_fix(name: str) -> None:
    assert fixes(with_metadata(job(), name=name)) == []


def test_a_name_that_stays_too_long_gets_no_fix() -> None:
    assert fixes(with_metadata(cron_job(job()), name="a" * 52 + "_b")) == []
    assert fixes(with_metadata(job(), name="a" * 52 + "_b")) != []
    indexed = job(completionMode="Indexed", completions=1000)
    assert fixes(with_metadata(indexed, name="a" * 58 + "_b")) == []
    assert fixes(with_metadata(indexed, name="a" * 57 + "_b")) != []


@given(st.text("aZ09-_. /()", min_size=1, max_size=12))
def test_a_name_with_its_fix_is_valid(name: str) -> None:
    value = with_metadata(job(), name=name)
    for fix in fixes(value)[:1]:
        assert ENGINE.validate(edited(value, *fix.edits)) == []
