"""A diagnosis as sections: the sentence first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jobsworth.controller.times import write_time
from jobsworth.reports.sections import Fact, Section
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.pod_facts import short
from jobsworth.runs.replay.policy_comparison import PolicyComparison
from jobsworth.runs.rule_wording import requirement
from jobsworth.runs.why.answer import Answer
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.failure_groups import matched_rules
from jobsworth.runs.why.owners.cron_job_diagnosis import CronJobDiagnosis
from jobsworth.runs.why.owners.job_set_diagnosis import JobSetDiagnosis
from jobsworth.runs.why.pod_causes import ENDING_REASONS
from jobsworth.runs.why.pod_table import pod_rows
from jobsworth.runs.why.saved_objects import AnyDiagnosis
from jobsworth.runs.why.summary import Summary, summary_of
from jobsworth.wording import count

POD_HEADERS = ("Pod", "index", "node", "created", "started", "ended", "how", "what followed")
EVENT_HEADERS = ("at", "about", "reason", "message")
COMPARED_HEADERS = ("Pod", "at", "how it ended", "recorded", "with it")
MAX_EVENTS, MAX_OWNER_EVENTS, MAX_ROWS = 8, 5, 10
MAX_FAILURES = 60
_GRAVEST_FIRST = ("error", "warning", "")
MAX_MESSAGE = 200
"""Characters of the message of an Event."""


def all_why_sections(answers: Sequence[Answer]) -> Iterator[Section]:
    """Yield the sections of all answers, the gravest first.

    The namespaces are beside the names if there are several.
    """
    several = len({_namespace(each.diagnosis) for each in answers}) > 1
    for answer in sorted(answers, key=lambda each: _GRAVEST_FIRST.index(_style(each.diagnosis))):
        first, *others = why_sections(answer)
        found = answer.diagnosis
        namespace, name = _namespace(found), _name(found)
        if several:
            title = first.title.replace(f" {name} ", f" {namespace or 'default'}/{name} ", 1)
            first = replace(first, title=title)
        yield first
        yield from others


def _namespace(found: AnyDiagnosis) -> str:
    return found.recording.job.namespace if isinstance(found, Diagnosis) else found.namespace


def _name(found: AnyDiagnosis) -> str:
    return found.recording.job.name if isinstance(found, Diagnosis) else found.name


def why_sections(answer: Answer) -> Iterator[Section]:
    """Yield the sections about a Job, CronJob or JobSet."""
    found = answer.diagnosis
    if not isinstance(found, Diagnosis):
        yield from _owner_sections(found)
    job = answer.job
    if job is not None:
        yield from _job_sections(job, answer)
    if answer.comparison is not None:
        yield from _comparison_sections(answer.comparison)


def page_sections(answer: Answer) -> Iterator[Section]:
    """Yield the sections that a page of the recorded run has beside its chart: the rest of the comparison."""
    missing = answer.unknown()
    if missing:
        yield Section("Not known", items=missing)
    if answer.comparison is not None:
        yield from _comparison_sections(answer.comparison)


def _owner_sections(found: CronJobDiagnosis | JobSetDiagnosis) -> Iterator[Section]:
    yield from _summary_sections(found.summary, found)
    of_cron_job = isinstance(found, CronJobDiagnosis)
    rows = _runs(found) if isinstance(found, CronJobDiagnosis) else _children(found)
    if rows:
        more = len(rows) - MAX_ROWS
        yield Section(
            "Last runs" if of_cron_job else "Jobs",
            rows[:MAX_ROWS],
            (
                "Job",
                "run" if of_cron_job else "ReplicatedJob",
                "state",
                "ended" if of_cron_job else "",
            ),
            bare=True,
            lines=[f"… {more} more"] if more > 0 else (),
        )
    if isinstance(found, CronJobDiagnosis) and found.events:
        events = sorted(found.events, key=lambda each: each.at or 0)[-MAX_OWNER_EVENTS:]
        rows = [
            ("-" if each.at is None else write_time(each.at), each.reason, each.message)
            for each in events
        ]
        yield Section("Events of the CronJob", rows, ("at", "reason", "message"), bare=True)


def _job_sections(diagnosis: Diagnosis, answer: Answer) -> Iterator[Section]:
    recording, replayed = diagnosis.recording, answer.replayed
    counted: list[tuple[str, ...]] = []
    said = "" if diagnosis.waiting is None else diagnosis.waiting.details
    if answer.diagnosis is diagnosis:
        yield from _summary_sections(summary_of(diagnosis), diagnosis)
    missing = answer.unknown()
    if replayed is None:
        yield from _table("Pods", list(pod_rows(diagnosis, said)), POD_HEADERS)
    else:
        from jobsworth.reports.timelines.pod_chart import chart_lines
        from jobsworth.runs.why.decisions import limits
        from jobsworth.runs.why.pod_table import decided_rows
        from jobsworth.runs.why.run_forms import recorded_timeline

        record = recorded_timeline(recording, replayed)
        rows = decided_rows(diagnosis, replayed, said)
        yield from _table("Pods", rows, POD_HEADERS)
        if rows:
            yield Section("", lines=list(chart_lines(record.job, record.end)))
        counted = list(limits(recording, replayed))
    rules = [
        (
            name,
            answer.rule_places.get(name, ""),
            rule.action,
            f"if {requirement(rule)}",
            f"matched {matched}",
        )
        for name, rule, matched in matched_rules(recording.job, diagnosis.groups)
    ]
    headers = ("rule", "place", "action", "applies", "matched")
    yield from _table("Rules of podFailurePolicy", rules, headers, bare=True)
    yield from _table("What counted", counted, ("limit", "what counted"), bare=True)
    for tail in recording.logs:
        heading = f"End of the log of Pod {tail.pod}, container {tail.container}"
        lines = tail.lines or (f"({tail.problem or 'it is empty'})",)
        yield Section(heading, lines=[f"| {line}" for line in lines])
    events = list(_events(diagnosis))
    yield from _table("Events of the Job and its Pods", events, EVENT_HEADERS, bare=True)
    if missing:
        yield Section("Not known", items=missing)


def answer_section(found: Diagnosis) -> Section:
    """Return the short answer about a Job: the first line, the cause, the fix, and what comes next."""
    return next(_summary_sections(summary_of(found), found))


def _summary_sections(summary: Summary, found: AnyDiagnosis) -> Iterator[Section]:
    facts = [
        Fact("Cause", "; ".join(summary.causes)),
        Fact("Fix", summary.fix, summary.command),
        Fact("Next", summary.following),
    ]
    yield Section(
        summary.headline,
        facts=[each for each in facts if each.text or each.command],
        style=_style(found),
    )
    if summary.advice:
        yield Section("What to change", items=[each.words for each in summary.advice])


def _style(found: AnyDiagnosis) -> str:
    """Return the color of an answer: red for a failure or missed run, yellow for an obstacle."""
    if isinstance(found, CronJobDiagnosis) and found.missed is not None:
        return "error"
    job = found if isinstance(found, Diagnosis) else found.job
    if job is None or job.outcome == "Complete":
        return ""
    if job.outcome == "Failed":
        return "error"
    waits = job.waiting is not None and job.waiting.cause.heals is not None
    return "warning" if waits or job.doomed or job.cause == Cause.CRASH_LOOP else ""


def _comparison_sections(comparison: PolicyComparison) -> Iterator[Section]:
    from jobsworth.runs.why.comparison_words import (
        changed_field,
        compared_words,
        consequences,
        divergence,
    )
    from jobsworth.runs.why.pod_table import how_it_ended

    recording = comparison.recording
    changes = [changed_field(change) for change in comparison.changes]
    yield Section(
        f"With the failure policy of {comparison.name}",
        items=changes or ["the same failure policy"],
    )
    rows = [
        (
            each.pod.name,
            recording.since(each.at),
            how_it_ended(recording, each.pod),
            *compared_words(comparison, each),
        )
        for each in comparison.failures[:MAX_FAILURES]
    ]
    left_out = len(comparison.failures) - len(rows)
    if rows:
        more = [f"… {left_out} more; --output json has all"] if left_out else ()
        yield Section("Failures", rows, COMPARED_HEADERS, lines=more)
    first = list(divergence(comparison))
    yield from _table("Where the policies diverge", first, ("", "what they do"), bare=True)
    yield Section("What follows", items=list(consequences(comparison)))


def _table(
    title: str, rows: Sequence[tuple[str, ...]], headers: tuple[str, ...], *, bare: bool = False
) -> Iterator[Section]:
    if rows:
        yield Section(title, rows, headers, bare=bare)


def _events(diagnosis: Diagnosis) -> Iterator[tuple[str, ...]]:
    recording = diagnosis.recording
    of_pods = [
        each
        for events in recording.pod_events.values()
        for each in events
        if each.type == "Warning" or each.reason in ENDING_REASONS
    ]
    found = [*recording.events, *dict.fromkeys(of_pods)]  # Pods may share a claim
    found.sort(key=lambda each: each.at or 0)
    for each in found[-MAX_EVENTS:]:
        often = f" (x{each.times})" if each.times > 1 else ""
        about = "Job" if each.kind == "Job" else f"{each.kind} {each.name}"
        yield recording.since(each.at), about, each.reason + often, short(each.message, MAX_MESSAGE)


def _runs(found: CronJobDiagnosis) -> list[tuple[str, ...]]:
    return [
        (
            each.name,
            each.title,
            each.state.lower() + (f" ({each.reason})" if each.reason else ""),
            "" if each.ended is None else f"ended {write_time(each.ended)}",
        )
        for each in found.runs
    ]


def _children(found: JobSetDiagnosis) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for each in sorted(found.jobs, key=lambda job: (job.failed_at is None, job.complete, job.name)):
        state = "active"
        if each.failed_at is not None:
            state = f"failed {write_time(each.failed_at)}"
        elif each.complete:
            state = "complete"
        elif each.suspended:
            state = "suspended"
        stalled = f"{count(each.stalled, 'active Pod')} not ready" if each.stalled else ""
        rows.append((each.name, each.replicated_job, state, stalled))
    return rows
