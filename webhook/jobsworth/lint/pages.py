"""What people read about a rule: its page, and the index of all pages, as Markdown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jobsworth.lint.catalogue import Entry
    from jobsworth.lint.rule import Rule

FAMILIES = {
    "JW1": "Failure policies",
    "JW2": "Jobs",
    "JW3": "The text of a manifest",
    "JW4": "CronJobs",
    "JW5": "Pods",
    "JW9": "Ignores",
}
"""What the rules are about whose codes begin so."""

_FIXES = {
    "": "none",
    "safe": "safe, with `--fix`: the Job does what it did before",
    "unsafe": "unsafe, with `--fix --unsafe`: the Job may do something else than before",
}

_INTRODUCTION = """\
# Rules

Each finding of `jobsworth validate` has a code. `jobsworth rule JW101` prints the page of a rule, and
`jobsworth rule` lists them all. These pages are made by `jobsworth rule --directory docs/rules`.

A finding is kept back by a comment on its line, `# jobsworth: ignore[JW101] reason`, by the annotation
`jobsworth.dev/ignore`, or by the configuration, where codes, names and beginnings of codes (`JW1`) can
stand. What is off by default is reported when it is selected.
"""


def file_name(rule: Rule) -> str:
    """The name of the file that has the page: ``JW101-rule-shadowed.md``."""
    return f"{rule.code}-{rule.name}.md"


def page(rule: Rule) -> str:
    """The page of a rule: what it reports, why that hurts, a bad and a good example, sources."""
    sources = "".join(f"- {source}\n" for source in rule.sources)
    return f"""\
# {rule.code} {rule.name}

{rule.summary}

- Severity: {rule.severity}
- Fix: {_FIXES[rule.fixable]}
- Reported by default: {"yes" if rule.on else f"no, select it: `--select default,{rule.code}`"}

## Why

{rule.why}

## Bad

{_example(rule.bad)}
## Good

{_example(rule.good)}
## Sources

{sources}
## To ignore it

`# jobsworth: ignore[{rule.code}] reason` on the line of the finding, or before the first key of a
document for all of it.
"""


def _example(text: str) -> str:
    language = "json" if text.startswith("{") else "yaml"
    return f"```{language}\n{printable(text)}```\n"


def printable(text: str) -> str:
    """An example as it can be printed: a byte that is not UTF-8 is spelled out.

    >>> printable("M\\udcfcller")
    'M\\\\xfcller'
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def short_page(entry: Entry) -> str:
    """What is known of a code that has no rule, such as ``JW004``."""
    if entry.verdict and entry.code < "JW09":
        remark = "This is the verdict of the API server, in its own words: it cannot be ignored.\n"
    else:
        remark = "It is found without a rule that could be asked by itself.\n"
    return f"# {entry.code} {entry.name}\n\n{entry.summary}\n\n- Severity: {entry.severity}\n\n{remark}"


def table(entries: Sequence[Entry]) -> str:
    """Codes as aligned lines: code, name, severity, fix, summary."""
    rows = [("code", "name", "severity", "fix", "summary")]
    for entry in entries:
        summary = entry.summary if entry.on else f"{entry.summary} (off by default)"
        rows.append((entry.code, entry.name, entry.severity, entry.fixable or "-", summary))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = (
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]])
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines)


def index(rules: Sequence[Rule], others: Iterable[Entry]) -> str:
    """The page that leads to those of the rules, and names the codes that have none."""
    parts = [_INTRODUCTION]
    for beginning, title in FAMILIES.items():
        family = [rule for rule in rules if rule.code.startswith(beginning)]
        if family:
            rows = [
                _row(
                    f"[{rule.code}]({file_name(rule)})",
                    rule.name,
                    rule.severity if rule.on else f"{rule.severity}, off by default",
                    rule.fixable,
                    rule.summary,
                )
                for rule in family
            ]
            parts.append(_section(title, rows))
    without = [
        _row(entry.code, entry.name, entry.severity, entry.fixable, entry.summary)
        for entry in others
    ]
    parts.append(_section("Codes without a page", without))
    return "\n".join(parts)


def _section(title: str, rows: Sequence[str]) -> str:
    head = "| code | name | severity | fix | reported when |\n| --- | --- | --- | --- | --- |\n"
    return f"## {title}\n\n{head}{''.join(rows)}"


def _row(*cells: str) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |\n"
