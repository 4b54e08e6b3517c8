"""A replay as Markdown, for an issue or a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.reports.markdown_parts import bullets, escaped, table
from jobsworth.reports.replay_text import (
    COMPARED_HEADERS,
    POD_HEADERS,
    heading,
    shown_failures,
    shown_pods,
)
from jobsworth.whatif.replay.replay_wording import (
    changed_field,
    follows,
    limits,
    outcome,
    parting_words,
    pod_row,
    rules_used,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.replay.planner_replay import Replay
    from jobsworth.whatif.replay.policy_comparison import PolicyComparison
    from jobsworth.whatif.replay.recording import Recording

_RULE_HEADERS = ("rule", "action", "applies", "took")


def render(
    recording: Recording, replayed: Replay, comparison: PolicyComparison | None
) -> Iterator[str]:
    """Return the lines for a recorded Job, and for the same failures under another policy."""
    yield f"### {escaped(heading(recording))}"
    yield ""
    yield f"**{escaped(outcome(recording))}**"
    yield ""
    pods, left_out = shown_pods(recording, replayed)
    if pods:
        yield from table(POD_HEADERS, [pod_row(recording, replayed, pod) for pod in pods])
        yield from _left_out(left_out)
        yield ""
    rules = rules_used(replayed)
    if rules:
        yield from table(_RULE_HEADERS, rules)
        yield ""
    yield from bullets(f"{name}: {text}" for name, text in limits(recording, replayed))
    yield ""
    unknowns = list(unknown(recording, replayed))
    if unknowns:
        yield "Not known:"
        yield ""
        yield from bullets(unknowns)
        yield ""
    if comparison is not None:
        yield from _comparison(comparison)


def _comparison(comparison: PolicyComparison) -> Iterator[str]:
    yield f"#### {escaped(f'With the failure policy of {comparison.name}')}"
    yield ""
    yield from bullets(map(changed_field, comparison.changes))
    yield ""
    shown, left_out = shown_failures(comparison)
    if shown:
        yield from table(COMPARED_HEADERS, shown)
        yield from _left_out(left_out)
        yield ""
    parting = list(parting_words(comparison))
    if parting:
        yield "Where the two part:"
        yield ""
        yield from bullets(f"{name}: {text}" for name, text in parting)
        yield ""
    yield "What follows:"
    yield ""
    yield from bullets(follows(comparison))
    yield ""


def _left_out(number: int) -> Iterator[str]:
    if number:
        yield ""
        yield f"{number} more are left out."
