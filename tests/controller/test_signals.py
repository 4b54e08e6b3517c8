"""The events of the controller, word by word: users filter by their reasons and read their messages.

To renew them after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/controller/test_signals.py``.
"""

from __future__ import annotations

from pathlib import Path

from jobsworth.controller import signals
from support.recorded_text import expect_recorded


def test_each_event_has_the_recorded_words() -> None:
    events = (
        signals.pod_created("etl-0"),
        signals.pod_deleted("etl-0"),
        signals.creation_failed("exceeded quota"),
        signals.deletion_failed("not allowed"),
        signals.no_rule_can_match("etl-0"),
        signals.rule_matched(
            "Container main for pod etl-0 failed with exit code 3", "It is ignored"
        ),
        signals.restarted_too_often("etl-0", 7),
        signals.termination_overdue("etl-0", "node-1", "12:00:00"),
        signals.termination_overdue("etl-0", "", "12:00:00"),
        signals.extension_ignored("no JSON"),
    )
    expect_recorded(
        Path(__file__).parent / "data/events.txt",
        (f"{event.type} {event.reason} {event.message}" for event in events),
    )
