"""A replay as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller.times import write_time
from jobsworth.printable import printable
from jobsworth.reports.text_tables import aligned
from jobsworth.whatif.replay.replay_wording import (
    changed_field,
    compared_words,
    follows,
    how_it_ended,
    limits,
    outcome,
    parting_words,
    pod_row,
    rules_used,
    since,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jobsworth.whatif.replay.planner_replay import Replay
    from jobsworth.whatif.replay.policy_comparison import PolicyComparison
    from jobsworth.whatif.replay.recording import RecordedPod, Recording

POD_HEADERS = (
    "Pod", "index", "created", "started", "ended", "how it ended", "rule", "what followed",
)  # fmt: skip
COMPARED_HEADERS = ("Pod", "at", "how it ended", "recorded", "with it")
MAX_PODS = 60


def render(
    recording: Recording,
    replayed: Replay,
    chart: Iterable[str],
    comparison: PolicyComparison | None,
) -> Iterator[str]:
    """Return the lines for a recorded Job, and for the same failures under another policy.

    Args:
        chart: the lines of a chart of the Pods.
    """
    for number, section in enumerate(_sections(recording, replayed, chart, comparison)):
        if number:
            yield ""
        yield from map(printable, section)


def _sections(
    recording: Recording,
    replayed: Replay,
    chart: Iterable[str],
    comparison: PolicyComparison | None,
) -> Iterator[Iterable[str]]:
    yield [heading(recording), outcome(recording)]
    pods, left_out = shown_pods(recording, replayed)
    if pods:
        rows = [POD_HEADERS, *(pod_row(recording, replayed, pod) for pod in pods)]
        yield ["Pods", *_indented(_without_empty(rows)), *_left_out(left_out)]
        yield _indented_lines(chart)
    rules = rules_used(replayed)
    if rules:
        yield ["Rules", *_indented(rules)]
    yield ["What counted", *_indented(list(limits(recording, replayed)))]
    unknowns = list(unknown(recording, replayed))
    if unknowns:
        yield ["Not known", *(f"  - {each}" for each in unknowns)]
    if comparison is not None:
        yield from _comparison(comparison)


def _comparison(comparison: PolicyComparison) -> Iterator[Iterable[str]]:
    changes = [f"  {changed_field(change)}" for change in comparison.changes]
    yield [
        f"With the failure policy of {comparison.name}",
        *(changes or ["  the same failure policy"]),
    ]
    rules = rules_used(comparison.other)
    if rules:
        yield ["Its rules", *_indented(rules)]
    shown, left_out = shown_failures(comparison)
    if shown:
        yield ["Failures", *_indented([COMPARED_HEADERS, *shown]), *_left_out(left_out)]
    parting = list(parting_words(comparison))
    if parting:
        yield ["Where the two part", *_indented(parting)]
    yield ["What follows", *(f"  - {each}" for each in follows(comparison))]


def heading(recording: Recording) -> str:
    """Return the name, place and time of a recorded Job."""
    job = recording.job
    place = f"{recording.file}:{recording.line}" if recording.line else recording.file
    return f"Job {job.key.removeprefix('/')} ({place}), created {write_time(recording.created)}"


def shown_pods(recording: Recording, replayed: Replay) -> tuple[list[RecordedPod], int]:
    """Return the Pods to list, failed ones first if there are too many, and the number of the others."""
    pods = list(recording.pods)
    if len(pods) <= MAX_PODS:
        return pods, 0
    failed = {id(each.pod) for each in replayed.failures}
    kept = {id(pod) for pod in sorted(pods, key=lambda pod: id(pod) not in failed)[:MAX_PODS]}
    return [pod for pod in pods if id(pod) in kept], len(pods) - MAX_PODS


def shown_failures(comparison: PolicyComparison) -> tuple[list[tuple[str, ...]], int]:
    """Return the rows of the failures under both policies, and the number of those left out."""
    recording = comparison.recording
    rows: list[tuple[str, ...]] = [
        (
            each.pod.name,
            since(recording, each.at),
            how_it_ended(recording, each.pod),
            *compared_words(comparison, each),
        )
        for each in comparison.failures[:MAX_PODS]
    ]
    return rows, len(comparison.failures) - len(rows)


def _left_out(number: int) -> list[str]:
    return [f"  … {number} more; --output json has all"] if number else []


def _without_empty(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return a table with headers without the columns that are empty in every row."""
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    return [tuple(row[column] for column in kept) for row in rows]


def _indented(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    return _indented_lines(aligned(rows))


def _indented_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"
