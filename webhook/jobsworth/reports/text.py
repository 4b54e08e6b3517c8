"""The text report: each finding with its source line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from jobsworth.findings.finding_place import FindingPlace, place_of
from jobsworth.findings.located_finding import LocatedFinding, token_width
from jobsworth.findings.result import ERROR, Result
from jobsworth.printable import printable

if TYPE_CHECKING:
    from jobsworth.findings.summary import Omissions

_COLORS = {"error": "31;1", "warning": "33;1", "info": "36;1", "bold": "1", "dim": "2"}
_MAX_EXCERPT = 120
_NARROWEST = 40
"""The least width of text; in a narrower terminal, the terminal itself breaks the lines."""

HINT_OF_FIX = "did you mean"
"""A hint that begins with these words is what the fix says, too."""


def render(
    result: Result,
    *,
    color: bool,
    infos: bool = True,
    verbose: bool = False,
    width: int | None = None,
) -> Iterator[str]:
    """Return the lines for one result; none if it has no findings to show.

    Args:
        result: the findings of a document.
        color: use terminal colors.
        infos: show info findings, which require no action.
        verbose: also return a line for an object without findings.
        width: the columns of the terminal, at which text is wrapped; None for no limit.
    """
    paint = painted if color else _plain
    if verbose and result.status != ERROR:
        what = result.status if result.kind is None else f"{result.status}: {_subject(result)}"
        file = result.file if result.origin is None else result.origin.file
        yield f"{paint(printable(file), 'bold')}: {printable(what)}"
    further = shown = False
    for located in result.findings:
        finding = located.finding
        if not result.shows(finding, infos=infos):
            continue
        shown = True
        if located.further and not further:
            further = True
            note = (
                "the API server stops at the errors above; with those fixed, it would also report:"
            )
            yield f"{paint('note:', 'info')} {note}"
            yield ""
        place = place_of(result, located)
        head = paint(printable(str(place)), "bold")
        if place.rendered:
            head += f" ({place.rendered})"
        severity = paint(finding.severity, finding.severity)
        # Lint rules are also known by name; an API finding has its reason in the message.
        name = f" {finding.reason}" if finding.source == "lint" else ""
        code = _linked(paint(printable(f"[{finding.code}{name}]"), "dim"), finding.code, color)
        place_names_it = result.kind is None or result.in_cluster
        subject = "" if place_names_it else f"{_subject(result)}: "
        field = finding.written_field or "manifest"
        yield f"{head}: {severity}: {printable(subject + field)} {code}"
        yield from _wrapped("", printable(finding.short_message), width, paint)
        yield from _excerpt(located, place, paint, width)
        if finding.hint and not (finding.fix is not None and finding.hint.startswith(HINT_OF_FIX)):
            yield from _wrapped("hint:", printable(finding.hint), width, paint)
        if finding.fix is not None:
            safety = "safe" if finding.fix.safe else "unsafe"
            yield from _wrapped("fix:", f"{printable(finding.fix.title)} ({safety})", width, paint)
        yield ""
    if result.hidden_by and shown:  # a baseline may hold the errors that hide others
        yield from _wrapped_note(hidden_note(result.hidden_by), width, paint)
        yield ""


MAX_NAMED_FIELDS = 3


def hidden_note(fields: Sequence[str]) -> str:
    """Return the sentence about what is not reported because of fields with errors.

    >>> hidden_note(["spec.suspend"])
    'lint findings, and errors that depend on spec.suspend, are reported once it is corrected'
    """
    them = "it is" if len(fields) == 1 else "they are"
    named = list(fields[:MAX_NAMED_FIELDS])
    if len(fields) > MAX_NAMED_FIELDS:
        named.append(f"{len(fields) - MAX_NAMED_FIELDS} more")
    *most, last = named
    what = f"{', '.join(most)} and {last}" if most else last
    return f"lint findings, and errors that depend on {what}, are reported once {them} corrected"


def _wrapped_note(text: str, width: int | None, paint: Paint) -> Iterator[str]:
    for line in _wrapped("note:", printable(text), width, paint):
        yield line.removeprefix("  ")


def omitted_lines(omissions: Omissions) -> Iterator[str]:
    """Return a line for each folder and file that was not read."""
    for folder in omissions.hidden:
        yield printable(f"{folder}: hidden folder, not read (read with --hidden)")
    for file in omissions.excluded:
        yield printable(f"{file}: excluded")


def _linked(text: str, code: str, color: bool) -> str:
    """Return text with a link to the page of a code, for a terminal that has links (OSC 8)."""
    if not color:
        return text
    from jobsworth.lint.catalogue import page_address  # links are for terminals

    address = page_address(code)
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\" if address else text


def _wrapped(label: str, text: str, width: int | None, paint: Paint) -> Iterator[str]:
    """Return text below a finding, indented, and wrapped between words where the terminal ends."""
    first = f"{paint(label, 'info')} " if label else ""
    used = len(label) + 1 if label else 0
    if width is None or width < _NARROWEST or 2 + used + len(text) <= width:
        yield f"  {first}{text}"
        return
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        room = width - (4 if lines or label else 2) - (used if not lines else 0)
        if line and len(line) + 1 + len(word) > room:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    yield f"  {first}{lines[0]}"
    yield from (f"    {rest}" for rest in lines[1:])


def _subject(result: Result) -> str:
    name = result.shown_name or "(unnamed)"
    return (
        f"{result.kind} {result.namespace}/{name}" if result.namespace else f"{result.kind} {name}"
    )


def _excerpt(
    located: LocatedFinding, place: FindingPlace, paint: Paint, columns: int | None
) -> Iterator[str]:
    if located.line is None or located.column is None or not located.excerpt.strip():
        return
    number = str(place.line or located.line)
    margin = " " * len(number)
    text = located.excerpt.replace("\t", "→").rstrip(" \r")  # a tab looks like a space
    start = (place.column or located.column) - 1
    width = token_width(text, start)
    if not text.isprintable():  # each escape moves what stands behind it
        width = len(printable(text[start : start + width]))
        start = len(printable(text[:start]))
    text = printable(text)
    room = _MAX_EXCERPT
    if columns is not None:
        room = max(_NARROWEST, min(room, columns - len(number) - 5))
    shown, start = _window(text, start, width, room)
    yield f"  {paint(f'{number} |', 'dim')} {shown}"
    if start < len(shown):
        caret = "^" * max(1, min(width, len(shown) - start))
        yield f"  {paint(f'{margin} |', 'dim')} {' ' * start}{paint(caret, located.finding.severity)}"


def _window(text: str, start: int, width: int, room: int) -> tuple[str, int]:
    """Return the part of a long line around a token, and where the token begins in it.

    >>> _window("abcdefghij", 8, 1, 6)
    ('…fghij', 4)
    """
    if len(text) <= room:
        return text, start
    first = 0
    if start + min(width, room // 2) > room - 1:
        first = min(max(0, start - room // 3), len(text) - room)
    part = text[first : first + room]
    if first:
        part = "…" + part[1:]
    if first + room < len(text):
        part = part[:-1] + "…"
    return part, start - first


def _plain(text: str, style: str) -> str:
    return text


def painted(text: str, style: str) -> str:
    """Return a text in the colors of a severity, or bold or dim."""
    return f"\x1b[{_COLORS[style]}m{text}\x1b[0m"


Paint = Callable[[str, str], str]
