"""A diagnosis as text: the sentence first, then what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.printable import printable
from jobsworth.reports.text_tables import aligned
from jobsworth.whatif.explanation.outcome_wording import requirement, rule_name
from jobsworth.whatif.replay.replay_wording import since
from jobsworth.whatif.why.pod_table import PodRow, pod_rows
from jobsworth.whatif.why.unknowns import unknowns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from jobsworth.whatif.why.diagnosis import Diagnosis

POD_HEADERS = PodRow("Pod", "index", "node", "created", "started", "ended", "how", "what followed")
MAX_EVENTS = 8


def job_lines(diagnosis: Diagnosis, rule_places: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines about a Job.

    Args:
        rule_places: by name of a rule of its failure policy, the file and line where it stands.
    """
    for number, section in enumerate(_sections(diagnosis, rule_places)):
        if number:
            yield ""
        yield from map(printable, section)


def _sections(diagnosis: Diagnosis, rule_places: Mapping[str, str]) -> Iterator[Iterable[str]]:
    yield [diagnosis.sentence]
    rows = list(pod_rows(diagnosis))
    if rows:
        yield ["Pods", *_indented(_without_empty([POD_HEADERS, *rows]))]
    rules = list(_rules(diagnosis, rule_places))
    if rules:
        yield ["Rules of podFailurePolicy", *_indented(_without_empty([("",) * 5, *rules])[1:])]
    for tail in diagnosis.snapshot.logs:
        heading = f"End of the log of Pod {tail.pod}, container {tail.container}"
        lines = tail.lines or (f"({tail.problem or 'it is empty'})",)
        yield [heading, *(f"  | {line}" for line in lines)]
    events = list(_events(diagnosis))
    if events:
        yield ["Events of the Job and its Pods", *_indented(events)]
    unknown = list(unknowns(diagnosis.snapshot))
    if unknown:
        yield ["Not known", *(f"  - {each}" for each in unknown)]
    if diagnosis.advice:
        yield ["What to change", *map(_advice, diagnosis.advice)]


def _advice(advice: tuple[str, str, str]) -> str:
    text, code, field = advice
    where = " ".join(filter(None, (code, field)))
    return f"  - {where}: {text}" if where else f"  - {text}"


def _rules(
    diagnosis: Diagnosis, places: Mapping[str, str]
) -> Iterator[tuple[str, str, str, str, str]]:
    policy = diagnosis.snapshot.recording.job.failure_policy
    for rule in () if policy is None else policy.rules:
        name = rule_name(rule.position, by_annotation=hasattr(rule, "reasons"))
        took = sum(len(each.pods) for each in diagnosis.groups if each.rule == name)
        yield name, places.get(name, ""), rule.action, f"if {requirement(rule)}", f"matched {took}"


def _events(diagnosis: Diagnosis) -> Iterator[tuple[str, str, str, str]]:
    snapshot = diagnosis.snapshot
    found = [*snapshot.recording.events]
    for events in snapshot.pod_events.values():
        found += [each for each in events if each.type == "Warning"]
    found.sort(key=lambda each: each.at or 0)
    for each in found[-MAX_EVENTS:]:
        often = f" (x{each.times})" if each.times > 1 else ""
        about = "Job" if each.kind == "Job" else f"Pod {each.name}"
        yield (
            since(snapshot.recording, each.at),
            about,
            each.reason + often,
            _shortened(each.message),
        )


def _shortened(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"


def _without_empty(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    return [tuple(row[column] for column in kept) for row in rows]


def _indented(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for line in aligned(rows):
        yield f"  {line}"
