"""The answer about each published situation names its cause and what helps; ``pytest -s`` prints them."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.runs.why.summary import MAX_WORDS, summary_of
from support.why.recorded_failures import diagnosed
from support.why.situations import situations

SITUATIONS = situations()


def test_there_are_thirty_situations_of_four_kinds() -> None:
    assert len({each["name"] for each in SITUATIONS}) == len(SITUATIONS) >= 30
    assert all(each["source"].startswith("https://") for each in SITUATIONS)


@pytest.mark.parametrize("given", SITUATIONS, ids=lambda each: each["name"].replace(" ", "-"))
def test_the_answer_names_the_cause_and_what_helps(given: dict[str, Any]) -> None:
    found = diagnosed(given)
    advice = "\n".join(f"{each.field} {each.text}" for each in found.advice)
    short = summary_of(found)
    print(
        f"\n{given['name']}\n    {short.headline}\n    {short.fix} {short.command}\n    {found.cause}: {found.sentence}\n    {advice}"
    )
    assert len(summary_of(found).headline.split()) <= MAX_WORDS
    assert found.cause == given["cause"]
    assert [words for words in given["words"] if words not in found.sentence] == []
    assert [words for words in given.get("not_words", ()) if words in found.sentence] == []
    assert [words for words in given.get("advice", ()) if words not in advice] == []
    assert [words for words in given.get("not_advice", ()) if words in advice] == []
