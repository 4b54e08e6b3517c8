"""The text report: each finding with its source line."""

from __future__ import annotations

from jobsworth.printable import printable
from jobsworth.reports.result import SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.reports.result import LocatedFinding, Result

_COLORS = {"error": "31;1", "warning": "33;1", "info": "36;1", "bold": "1", "dim": "2"}
_MAX_EXCERPT = 120


def render(result: Result, *, color: bool, infos: bool = True) -> Iterator[str]:
    """Return the lines for one result; none if it has no findings.

    Args:
        result: the findings of a document.
        color: use terminal colors.
        infos: show info findings, which require no action.
    """
    paint = _painted if color else _plain
    for located in result.findings:
        finding = located.finding
        # The reason why a document was skipped is always shown: it is not a finding about a Job.
        if finding.severity == "info" and not infos and result.status != SKIPPED:
            continue
        place = result.file
        if located.line is not None:
            place += f":{located.line}:{located.column}"
        head = paint(printable(place), "bold")
        severity = paint(finding.severity, finding.severity)
        # Lint rules are also known by name; an API finding has its reason in the message.
        name = f" {finding.reason}" if finding.source == "lint" else ""
        code = paint(printable(f"[{finding.code}{name}]"), "dim")
        place_names_it = result.kind is None or result.in_cluster
        subject = "" if place_names_it else f"{_subject(result)}: "
        field = finding.field or "manifest"
        yield f"{head}: {severity}: {printable(subject + field)} {code}"
        yield f"  {printable(finding.message)}"
        yield from _excerpt(located, paint)
        if finding.hint:
            yield f"  {paint('hint:', 'info')} {printable(finding.hint)}"
        if finding.fix is not None:
            safety = "safe" if finding.fix.safe else "unsafe"
            yield f"  {paint('fix:', 'info')} {printable(finding.fix.title)} ({safety})"
        yield ""


def _subject(result: Result) -> str:
    name = result.name or "(unnamed)"
    return (
        f"{result.kind} {result.namespace}/{name}" if result.namespace else f"{result.kind} {name}"
    )


def _excerpt(located: LocatedFinding, paint: Paint) -> Iterator[str]:
    if located.line is None or located.column is None or not located.excerpt.strip():
        return
    number = str(located.line)
    margin = " " * len(number)
    text = located.excerpt.replace("\t", " ").rstrip()
    start = located.column - 1
    width = token_width(text, start)
    if not text.isprintable():  # each escape moves what stands behind it
        width = len(printable(text[start : start + width]))
        start = len(printable(text[:start]))
    text = printable(text)
    shown = text if len(text) <= _MAX_EXCERPT else text[: _MAX_EXCERPT - 1] + "…"
    yield f"  {paint(f'{number} |', 'dim')} {shown}"
    if start < len(shown):
        caret = "^" * max(1, min(width, len(shown) - start))
        yield f"  {paint(f'{margin} |', 'dim')} {' ' * start}{paint(caret, located.finding.severity)}"


def token_width(text: str, start: int) -> int:
    """Return the width of the key or value that begins here."""
    rest = text[start:]
    if rest[:1] in ('"', "'"):
        end = rest.find(rest[0], 1)
        return end + 1 if end > 0 else len(rest)
    ends = [position for mark in (": ", " #", ", ", "}", "]") if (position := rest.find(mark)) > 0]
    width = min(ends, default=len(rest))
    return width - 1 if rest[:width].endswith(":") else width


def _plain(text: str, style: str) -> str:
    return text


def _painted(text: str, style: str) -> str:
    return f"\x1b[{_COLORS[style]}m{text}\x1b[0m"


if TYPE_CHECKING:
    from collections.abc import Callable

    Paint = Callable[[str, str], str]
