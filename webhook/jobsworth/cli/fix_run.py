"""``jobsworth validate --fix`` and ``--diff``: print fixed manifests or diffs, and what was fixed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from jobsworth.cli.terminal import ColorChoice, wants_color
from jobsworth.files.fixing.fixer import Fixer
from jobsworth.files.fixing.line_diff import unified_lines
from jobsworth.findings.result import Result
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.printable import printable

_COLORS = (("---", "1"), ("+++", "1"), ("@@", "36"), ("-", "31"), ("+", "32"))
"""The terminal color of diff lines, by prefix."""


class FixRun:
    """Fixes the files of a run in place; prints the diff of each instead, or fixed standard input.

    Args:
        fixer: fixes files.
        diff: print each file's diff instead of writing it.
        color: color the diff.

    Attributes:
        diff_shown: True if a diff was printed.
    """

    def __init__(self, fixer: Fixer, *, diff: bool, color: ColorChoice) -> None:
        self._fixer = fixer
        self._diff = diff
        self._color: ColorChoice = color
        self.diff_shown = False

    def file(self, path: str) -> list[Result]:
        """Fix a file, and return the remaining findings of its documents, with the attempts."""
        if path != STDIN and not self._diff:
            return self._fixer.fix_in_place(path)
        fixed = self._fixer.fixed(path)
        if not self._diff:
            _print(fixed.data)
        elif fixed.data != fixed.before:
            self.diff_shown = True
            color = wants_color(sys.stdout, self._color)
            _print(
                b"".join(diff_lines(self._fixer.name(path), fixed.before, fixed.data, color=color))
            )
        return fixed.results

    def sentences(self, results: Iterable[Result]) -> Iterator[str]:
        """Yield what was fixed, what was not, and why."""
        would = "would be " if self._diff else ""
        left_alone = set()
        for result in results:
            why_not = printable(f"not fixed: {result.file}: {result.unfixable}")
            if result.unfixable and why_not not in left_alone and self._fixer.is_withheld(result):
                left_alone.add(why_not)
                yield why_not
            for attempt in result.attempts:
                yield ("" if attempt.reason else would) + attempt.sentence(result.file)


def _print(data: bytes) -> None:
    """Write a manifest's own bytes: print() would re-encode them and change line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def diff_lines(name: str, before: bytes, after: bytes, *, color: bool) -> Iterator[bytes]:
    r"""Return the lines of a unified diff of a file's bytes, readable by ``patch``.

    >>> for line in diff_lines("a.yaml", b"a: 1\nb: 2\n", b"a: 1\nb: 3", color=False):
    ...     print(line.decode(), end="")
    --- a.yaml
    +++ a.yaml
    @@ -1,2 +1,2 @@
     a: 1
    -b: 2
    +b: 3
    \ No newline at end of file
    """
    named = printable(name).encode()
    for line in unified_lines(named, _lines(before), _lines(after)):
        whole = line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        yield _painted(whole) if color else whole


def _lines(text: bytes) -> list[bytes]:
    """Split bytes into lines at line feeds only, and keep them."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1].removesuffix(b"\n")
    return lines if lines[-1] else lines[:-1]


def _painted(line: bytes) -> bytes:
    for mark, code in _COLORS:
        if line.startswith(mark.encode()):
            text = line.removesuffix(b"\n")
            return b"\x1b[" + code.encode() + b"m" + text + b"\x1b[0m\n"
    return line
