"""Explanations of failure policies as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from jobsworth.api.api_server import title
from jobsworth.printable import printable
from jobsworth.reports.text_tables import aligned, wrapped_line
from jobsworth.runs.explanation.decision_rows import CodeRow, NamedRow, Results
from jobsworth.runs.explanation.explanation import (
    ExplainedObject,
    ExplainedRule,
    Explanation,
    FailureExplanation,
)
from jobsworth.runs.explanation.failure_outcome import Outcome
from jobsworth.runs.explanation.outcome_wording import (
    OTHERWISE,
    UNMATCHED,
    code_ranges,
    deciding_rule,
    effect,
)
from jobsworth.runs.explanation.rule_trace import RuleStep, RuleTrace

Cells = tuple[str, ...]

UNREACHED = "no rule can reach it"
MISSING = "no such container"
ANY_CONTAINER = "any"
NOT_NAMED = "-"
INDENTATION = "  "
_MAX_LINES = 8
_MAX_CONTAINERS = 4


def render(
    explanation: Explanation, *, only_table: bool = False, width: int | None = None
) -> Iterator[str]:
    """Return the lines for a Job: its facts and rules, and its failures by what follows them.

    Args:
        only_table: show the whole decision table instead.
        width: the columns of the terminal, at which cells are wrapped; None for no limit.
    """
    if explanation.before is not None:
        sections = _comparison(explanation, width)
    else:
        sections = _alone(explanation, width, only_table=only_table)
    yield printable(heading(explanation.object))
    for section in sections:
        yield from ("", *map(printable, section))
    yield ""


def render_failures(explanation: FailureExplanation, *, width: int | None = None) -> Iterator[str]:
    """Return the lines for single failures of a Job, wrapped at the columns of the terminal."""
    yield printable(heading(explanation.object))
    for trace in explanation.traces:
        yield ""
        yield from map(printable, _trace(trace, explanation.rules, width))
    yield ""


def heading(about: ExplainedObject) -> str:
    """Return the name and place of an object."""
    return f"{about.title} ({about.file}:{about.line}), {title(about.release)}"


def code_cells(row: CodeRow, every_container: int) -> Cells:
    """Return container, exit code, condition and reason of a row."""
    codes = code_ranges(row.codes)
    if row.without_code:
        codes = f"{codes} or none" if codes else "none"
    return (
        containers_named(row.containers, every_container),
        codes,
        row.condition,
        row.reason,
    )


def named_cells(row: NamedRow) -> Cells:
    """Return cause, container and exit codes of a row."""
    title = f"{row.codes[0]}: {row.title}" if row.cause is None else row.title
    codes = " or ".join(code_ranges([(code, code)]) for code in sorted(row.codes))
    return title, containers_named(row.containers, -1), codes or NOT_NAMED


def containers_named(names: Sequence[str], every: int) -> str:
    """Return container names as a cell: "any" for all."""
    if not names or len(names) == every:
        return ANY_CONTAINER
    if len(names) > _MAX_CONTAINERS:
        return f"{', '.join(names[:_MAX_CONTAINERS])} and {len(names) - _MAX_CONTAINERS} more"
    return ", ".join(names)


def rule_cell(outcome: Outcome | None, *, reachable: bool = True) -> str:
    """Return the rule that decides."""
    if outcome is None:
        return NOT_NAMED
    return deciding_rule(outcome) if reachable else UNREACHED


def effect_cell(outcome: Outcome | None) -> str:
    """Return the consequences of a failure."""
    return MISSING if outcome is None else effect(outcome)


def never_applies(rule: ExplainedRule) -> str:
    """Return why a rule never decides; empty if it does."""
    if rule.use is None or rule.use.decides:
        return ""
    if not rule.use.covered_by:
        return "never decides"
    earlier = ", ".join(f"rules[{index}]" for index in rule.use.covered_by)
    return (
        f"never decides: {earlier} {'matches' if len(rule.use.covered_by) == 1 else 'match'} first"
    )


def without_empty(headers: Cells, rows: Sequence[Cells], optional: Iterable[str]) -> list[Cells]:
    """Return a table with headers, without the optional columns that say nothing."""
    kept = [
        index
        for index, header in enumerate(headers)
        if header not in optional
        or any(row[index] not in ("", NOT_NAMED, ANY_CONTAINER) for row in rows)
    ]
    return [tuple(row[index] for index in kept) for row in (headers, *rows)]


OPTIONAL = ("container", "condition", "reason")
CODE_HEADERS = ("container", "exit code", "condition", "reason")
NAMED_HEADERS = ("cause", "container", "exit code")


def _alone(
    explanation: Explanation, width: int | None, *, only_table: bool
) -> Iterator[Iterable[str]]:
    if not only_table:
        facts = [(f"  {name}", value) for name, value in explanation.facts if name != UNMATCHED]
        yield aligned(facts, width)
        yield _rules(explanation.rules, width)
        yield _by_consequence(explanation, width)
        return
    every = len(explanation.job.containers)
    codes = [
        (*code_cells(row, every), rule_cell(row.outcomes[0]), effect_cell(row.outcomes[0]))
        for row in explanation.table.codes
    ]
    yield _section(
        "Exit codes and conditions", (*CODE_HEADERS, "rule", "what follows"), codes, width
    )
    named = _named_rows(explanation.table.named)
    yield _section(
        "Common exit codes and causes", (*NAMED_HEADERS, "rule", "what follows"), named, width
    )


def _by_consequence(explanation: Explanation, width: int | None) -> Iterator[str]:
    """Yield the failures that have the same consequence together."""
    groups: dict[str, list[str]] = {}
    every = len(explanation.job.containers)
    for row in explanation.table.codes:
        containers, codes, *more = code_cells(row, every)
        failure = f"exit code{'' if codes.isdecimal() else 's'} {codes}"
        if codes == "none":
            failure = "no exit code"
        failure += "" if containers == ANY_CONTAINER else f" of {containers}"
        failure += "".join(f" with {each}" for each in more if each)
        groups.setdefault(_consequence(row.outcomes[0]), []).append(failure)
    named = [row for row in explanation.table.named if row.cause is not None]
    titles = Counter(row.title for row in named)
    for named_row in named:
        title, containers, codes = named_cells(named_row)
        several = titles[title] > 1
        title += f" in {containers}" if containers != ANY_CONTAINER else ""
        title += f" with exit code {codes}" if several and codes != NOT_NAMED else ""
        outcome = named_row.outcomes[0]
        if not named_row.reachable and outcome is not None and outcome.kind == "failed":
            title += f" ({UNREACHED})"
        groups.setdefault(_consequence(outcome), []).append(title)
    yield "What follows a failure (--table has each exit code and cause)"
    for consequence, failures in groups.items():
        text = f"  {consequence}: {'; '.join(dict.fromkeys(failures))}"
        yield from wrapped_line(text, width, hanging=2)


def _consequence(outcome: Outcome | None) -> str:
    rule = rule_cell(outcome)
    by = "" if rule in (NOT_NAMED, OTHERWISE) else f", by {rule}"
    return f"{effect_cell(outcome)}{by}"


def _named_rows(rows: Sequence[NamedRow]) -> list[Cells]:
    return [
        (
            *named_cells(row),
            rule_cell(row.outcomes[0], reachable=row.reachable),
            effect_cell(row.outcomes[0]),
        )
        for row in rows
    ]


def _comparison(explanation: Explanation, width: int | None) -> Iterator[Iterable[str]]:
    if not explanation.changed:
        yield ["No change: every failure is handled as before."]
        return
    if explanation.updates:
        yield ["When the update is applied", *(f"  {each}" for each in explanation.updates)]
    facts = [
        (name, before or NOT_NAMED, after or NOT_NAMED)
        for name, before, after in explanation.changed_facts
    ]
    if facts:
        yield _section("Changed settings", ("", "before", "after"), facts, width)
    every = len(explanation.job.containers)
    for changed, word in ((True, "Changed"), (False, "Unchanged")):
        headers = ("before", "after") if changed else ("what follows",)
        codes = [
            (*code_cells(row, every), *_compared(row.outcomes, changed))
            for row in explanation.table.codes
            if row.changed == changed
        ]
        if codes:
            title = f"{word} exit codes and conditions"
            yield _section(title, (*CODE_HEADERS, *headers), codes, width)
        named = [
            (*named_cells(row), *_compared(row.outcomes, changed, reachable=row.reachable))
            for row in explanation.table.named
            if row.changed == changed
        ]
        if named:
            title = f"{word} common exit codes and causes"
            yield _section(title, (*NAMED_HEADERS, *headers), named, width)


def _compared(outcomes: Results, changed: bool, *, reachable: bool = True) -> Cells:
    cells = tuple(with_rule(outcome, reachable=reachable) for outcome in outcomes)
    return cells if changed else cells[-1:]  # rules are named as in the new version


def with_rule(outcome: Outcome | None, *, reachable: bool = True) -> str:
    """Return the rule that decides and the consequences in one cell."""
    rule = rule_cell(outcome, reachable=reachable)
    text = effect_cell(outcome)
    return text if rule == NOT_NAMED else f"{rule}: {text}"


def _rules(rules: Sequence[ExplainedRule], width: int | None) -> Iterator[str]:
    if not rules:
        yield "Rules: none (no failure policy)"
        return
    yield "Rules: the first that matches decides"
    rows = []
    for rule in rules:
        never = never_applies(rule)
        rows.append(
            (
                f"  {rule.name}",
                place(rule),
                rule.action,
                f"if {rule.requirement}{f' ({never})' if never else ''}",
            )
        )
    rows.append(("  no rule", "", "Count", "otherwise"))
    yield from aligned(rows, width)


def place(rule: ExplainedRule) -> str:
    """Return the lines of a rule: "line 15", "lines 15-19"."""
    if rule.lines is None:
        return "annotation"
    if rule.lines.first == rule.lines.last:
        return f"line {rule.lines.first}"
    return f"lines {rule.lines.first}-{rule.lines.last}"


def _trace(trace: RuleTrace, rules: Sequence[ExplainedRule], width: int | None) -> Iterator[str]:
    yield f"{trace.failure[:1].upper()}{trace.failure[1:]}"
    skipped: list[RuleStep] = []
    for step, rule in zip(trace.steps, rules, strict=False):
        if step.matches is None:
            skipped.append(step)
            continue
        verb = "matches" if step.matches else "does not match"
        text = f"  {rule.name} ({place(rule)}, {rule.action}) {verb}: {step.because}"
        yield from wrapped_line(text, width)
        if step.matches:
            yield from _excerpt(rule)
    if skipped:
        names = ", ".join(step.name for step in skipped)
        yield f"  {names}: not evaluated, because an earlier rule matches"
    if trace.outcome.kind == "failed" and all(not step.matches for step in trace.steps):
        yield (
            "  No rule matches: the failure counts."
            if trace.steps
            else "  There are no rules: the failure counts."
        )
    yield "What follows"
    for sentence in trace.consequences:
        yield from wrapped_line(f"  - {sentence}", width, hanging=2)
    if trace.causes:
        yield from _section(
            "What it may be, and what follows then",
            (*NAMED_HEADERS, "rule", "what follows"),
            _named_rows(trace.causes),
            width,
        )


def _excerpt(rule: ExplainedRule) -> Iterator[str]:
    if rule.lines is None:
        return
    shown = rule.lines.text[:_MAX_LINES]
    width = len(str(rule.lines.last))
    for number, text in enumerate(shown, rule.lines.first):
        yield f"    {number:>{width}} | {text}"
    if rule.lines.first + len(shown) <= rule.lines.last:
        yield f"    {'':>{width}} | …"


def _section(title: str, headers: Cells, rows: Sequence[Cells], width: int | None) -> Iterator[str]:
    yield title
    table = without_empty(headers, rows, OPTIONAL)
    for line in aligned(table, None if width is None else width - len(INDENTATION)):
        yield f"{INDENTATION}{line}"
