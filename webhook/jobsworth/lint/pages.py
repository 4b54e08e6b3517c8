"""The page of a rule, and the index of all pages, as Markdown.

The prose of a page is a file of the folder ``rule_pages``, in sections "Why", "Bad", "Good" and "Sources".
It is read only to be shown: a run that reports findings of a rule does without.
"""

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


class Explanation:
    """The prose about a rule.

    Attributes:
        why: why the condition hurts, as one or more paragraphs.
        bad: a manifest that the rule reports; a byte that is not UTF-8 is spelled out (``\\xfc``).
        good: the same manifest, fixed.
        sources: KEP and section, documentation page, issue or source file that the rule rests on.
    """

    __slots__ = ("bad", "good", "sources", "why")

    def __init__(self, text: str) -> None:
        self.why = _section_of(text, "Why")
        self.bad = _without_fence(_section_of(text, "Bad"))
        self.good = _without_fence(_section_of(text, "Good"))
        self.sources = [line[2:] for line in _section_of(text, "Sources").splitlines()]


def explanation(rule: Rule) -> Explanation:
    """Read the prose about a rule."""
    return Explanation(_text(rule))


def file_name(rule: Rule) -> str:
    """Return the name of a rule's file, here and among the pages: ``JW101-rule-shadowed.md``."""
    return f"{rule.code}-{rule.name}.md"


def page(rule: Rule) -> str:
    """Return the page of a rule: what it reports, why that hurts, a bad and a good example, sources."""
    return f"""\
# {rule.code} {rule.name}

{rule.summary}

- Severity: {rule.severity}
- Fix: {_FIXES[rule.fixable]}
- Reported by default: {"yes" if rule.on else f"no, select it: `--select default,{rule.code}`"}

{_text(rule)}
## To ignore it

`# jobsworth: ignore[{rule.code}] reason` on the line of the finding, or before the first key of a
document for all of it.
"""


def _text(rule: Rule) -> str:
    from importlib.resources import files

    return (files(__package__) / "rule_pages" / file_name(rule)).read_text(encoding="utf-8")


def _section_of(text: str, title: str) -> str:
    return text.partition(f"## {title}\n\n")[2].partition("\n\n## ")[0].rstrip("\n")


def _without_fence(section: str) -> str:
    """Return an example without the lines that mark it as code."""
    return section.partition("\n")[2].removesuffix("```")


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
