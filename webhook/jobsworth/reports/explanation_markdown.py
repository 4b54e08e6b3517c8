"""Explanations of failure policies as Markdown, such as for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.api.api_server import title
from jobsworth.reports.explanation_text import (
    CODE_HEADERS,
    NAMED_HEADERS,
    OPTIONAL,
    code_cells,
    effect_cell,
    named_cells,
    never_applies,
    place,
    rule_cell,
    with_rule,
    without_empty,
)
from jobsworth.reports.sections import bullets, escaped, table
from jobsworth.runs.explanation.decision_rows import CodeRow, NamedRow
from jobsworth.runs.explanation.explanation import (
    ExplainedObject,
    Explanation,
    FailureExplanation,
)

Cells = tuple[str, ...]


def render(explanation: Explanation, *, only_table: bool = False) -> Iterator[str]:
    """Return the lines for a Job, or for the difference to an earlier version of it."""
    yield f"### {_title(explanation.object)}"
    yield ""
    if explanation.before is not None:
        yield from _comparison(explanation)
        return
    if not only_table:
        yield from bullets([f"{name}: {value}" for name, value in explanation.facts])
        yield ""
        rules = [
            (rule.name, place(rule), rule.action, f"if {rule.requirement}", never_applies(rule))
            for rule in explanation.rules
        ]
        if rules:
            yield from table(("rule", "lines", "action", "applies", ""), rules)
            yield ""
    yield from _codes(explanation, explanation.table.codes)
    yield from _named(explanation.table.named)


def render_failures(explanation: FailureExplanation) -> Iterator[str]:
    """Return the lines for single failures of a Job."""
    yield f"### {_title(explanation.object)}"
    for trace in explanation.traces:
        yield ""
        yield f"**{escaped(trace.failure)}**"
        yield ""
        steps = [
            (
                step.name,
                step.action,
                "not evaluated" if step.matches is None else "yes" if step.matches else "no",
                step.because,
            )
            for step in trace.steps
        ]
        if steps:
            yield from table(("rule", "action", "matches", "because"), steps)
            yield ""
        yield from bullets(trace.consequences)
        if trace.causes:
            yield ""
            yield "What it may be, and what follows then:"
            yield ""
            yield from _named(trace.causes)
    yield ""


def _comparison(explanation: Explanation) -> Iterator[str]:
    if not explanation.changed:
        yield "No change: every failure is handled as before."
        yield ""
        return
    if explanation.updates:
        yield "**When the update is applied**"
        yield ""
        yield from bullets(explanation.updates)
        yield ""
    facts = explanation.changed_facts
    if facts:
        yield from table(
            ("setting", "before", "after"),
            [(name, before or "-", after or "-") for name, before, after in facts],
        )
        yield ""
    codes, named = explanation.table.codes, explanation.table.named
    yield from _named([row for row in named if row.changed])
    yield from _codes(explanation, [row for row in codes if row.changed])
    same_codes = [row for row in codes if not row.changed]
    same_named = [row for row in named if not row.changed]
    if same_codes or same_named:
        yield "<details><summary>Unchanged</summary>"
        yield ""
        yield from _named(same_named)
        yield from _codes(explanation, same_codes)
        yield "</details>"
        yield ""


def _codes(explanation: Explanation, rows: Sequence[CodeRow]) -> Iterator[str]:
    if not rows:
        return
    every = len(explanation.job.containers)
    headers = _outcome_headers(explanation.table.codes, rows)
    cells = [(*code_cells(row, every), *_outcome_cells(row)) for row in rows]
    yield from _table_without_empty((*CODE_HEADERS, *headers), cells)
    yield ""


def _named(rows: Sequence[NamedRow]) -> Iterator[str]:
    if not rows:
        return
    cells = [(*named_cells(row), *_outcome_cells(row, reachable=row.reachable)) for row in rows]
    yield from _table_without_empty((*NAMED_HEADERS, *_outcome_headers(rows, rows)), cells)
    yield ""


def _outcome_headers(
    every: Sequence[CodeRow] | Sequence[NamedRow], rows: Sequence[CodeRow] | Sequence[NamedRow]
) -> Cells:
    return ("before", "after") if rows[0].changed else ("rule", "what follows")


def _outcome_cells(row: CodeRow | NamedRow, *, reachable: bool = True) -> Cells:
    if row.changed:
        return tuple(with_rule(outcome, reachable=reachable) for outcome in row.outcomes)
    last = row.outcomes[-1]
    return rule_cell(last, reachable=reachable), effect_cell(last)


def _title(about: ExplainedObject) -> str:
    return escaped(f"{about.title} ({about.file}:{about.line}), {title(about.release)}")


def _table_without_empty(headers: Cells, rows: Sequence[Cells]) -> Iterator[str]:
    first, *rest = without_empty(headers, rows, OPTIONAL)
    return table(first, rest)
