"""The table of messages: each text is filled from the groups of its own pattern."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded import messages
from jobsworth.runs.recorded.messages import MessageMeaning, meaning_of, meanings_of

ENTRIES = [(cause, each) for cause, entries in messages.MEANINGS.items() for each in entries]
NAMES = {"image", "job", "claims", "request"}


@pytest.mark.parametrize(("cause", "entry"), ENTRIES, ids=str)
def test_each_text_names_only_groups_of_its_pattern(cause: Cause, entry: MessageMeaning) -> None:
    groups = re.compile(entry.pattern).groups
    texts = (entry.advice, entry.waits_for, entry.ends, entry.command)
    named = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}
    assert {int(each) for each in named - NAMES} <= set(range(groups))


@pytest.mark.parametrize("cause", messages.MEANINGS, ids=str)
def test_the_meaning_of_any_message_comes_last(cause: Cause) -> None:
    assert all(each.pattern for each in messages.MEANINGS[cause][:-1])


def test_a_message_may_have_several_meanings_of_which_the_first_decides() -> None:
    message = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}"
    found = [each.fill(each.entry.command) for each in meanings_of(Cause.UNSCHEDULABLE, message)]
    assert found[0] == meaning_of(Cause.UNSCHEDULABLE, message).entry.command == "describe nodes"
    assert any("TAINTS" in each for each in found)


def test_a_message_that_is_not_known_leaves_the_words_of_the_cause() -> None:
    assert meaning_of(Cause.RUNNING, "anything").entry == MessageMeaning("")
    assert meaning_of(Cause.QUOTA, "").entry == MessageMeaning("")
