"""Laws of fixing, over random Jobs and CronJobs in random layouts."""

from __future__ import annotations

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.findings.finding import Finding
from jobsworth.manifests import read_text
from support.law_examples import number_of_examples
from support.lint.applied_fixes import attempts, autofixed, file_evaluator, findings_left
from support.random_objects.random_jobs import random_job
from support.random_objects.random_texts import Writer

seeds = st.integers(0, 2**32)
MISSPELT = {
    "backoffLimit": "backoff_limit",
    "template": "Template",
    "Never": "never",
    "Failed": "failed",
}


def text_from(seed: int) -> str:
    """A Job as a user could have written it, perhaps with a mistake."""
    rng = random.Random(seed)
    text = Writer(rng).text(random_job(seed))
    for right, wrong in MISSPELT.items():
        if rng.random() < 0.2:
            text = re.sub(rf"\b{right}\b", wrong, text, count=1)
    return text


def errors(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def before(text: str, select: str) -> list[Finding]:
    results = file_evaluator(select=select).text("job.yaml", text.encode())
    return [located.finding for result in results for located in result.findings]


@given(seeds, st.booleans())
@settings(max_examples=number_of_examples(25), deadline=None)
def test_fixing_is_idempotent(seed: int, unsafe: bool) -> None:
    done = autofixed(text_from(seed), unsafe=unsafe, select="JW")
    again = autofixed(done.data.decode(), unsafe=unsafe, select="JW")
    assert again.data == done.data
    assert not [attempt for attempt in attempts(again) if not attempt.reason]


@given(seeds, st.booleans())
@settings(max_examples=number_of_examples(25), deadline=None)
def test_a_valid_manifest_stays_valid(seed: int, unsafe: bool) -> None:
    text = text_from(seed)
    done = autofixed(text, unsafe=unsafe, select="JW")
    if not errors(before(text, "JW")):
        assert not errors(findings_left(done))
    if not attempts(done):
        assert done.data.decode() == text


@given(seeds)
@settings(max_examples=number_of_examples(25), deadline=None)
def test_comments_that_are_lost_were_those_of_what_was_deleted(seed: int) -> None:
    text = text_from(seed)
    done = autofixed(text, select="JW")
    lost = set(re.findall(r"# comment \d+\.", text)) - set(
        re.findall(r"# comment \d+\.", done.data.decode())
    )
    if lost:
        made = [attempt.located.finding.fix for attempt in attempts(done) if not attempt.reason]
        actions = {edit.action for fix in made if fix is not None for edit in fix.edits}
        assert actions & {"delete", "set", "move"}


@given(seeds)
@settings(max_examples=number_of_examples(25), deadline=None)
def test_a_fixed_file_can_be_read_and_holds_the_same_objects(seed: int) -> None:
    text = f"{text_from(seed)}\n---\n{text_from(seed + 1)}"
    kinds = [_kind(each.value) for each in read_text(text.encode(), "job.yaml")]
    documents = read_text(autofixed(text, select="JW").data, "job.yaml")
    assert [each.error for each in documents] == [None, None]
    assert [_kind(each.value) for each in documents] == kinds


def _kind(value: object) -> object:
    assert isinstance(value, dict)
    return value["kind"]
