"""``jobsworth validate --fix`` and ``--diff``: files mended in place, or what that would change."""

from __future__ import annotations

import os
import sys

from jobsworth.cli import reporting
from jobsworth.cli.file_evaluation import unreadable
from jobsworth.cli.fixing.autofix_loop import mend
from jobsworth.manifests import ManifestError, read_bytes
from jobsworth.manifests.parsing.manifest_files import STDIN, shown_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from jobsworth.cli.file_evaluation import Judge
    from jobsworth.cli.progress import Progress
    from jobsworth.cli.reporting import ReportOptions
    from jobsworth.reports.result import Result

_COLOURS = (("---", "1"), ("+++", "1"), ("@@", "36"), ("-", "31"), ("+", "32"))
"""What the lines of a diff begin with, and how they are painted."""


class Fixer:
    """Mends files, and judges what is left; stands in a judge's place for ``judge_all``.

    Args:
        judge: says what is to be mended, and what is left.
        unsafe: whether unsafe fixes are made, too.
        diff: whether the change of each file is printed instead of made.

    Attributes:
        shown: whether there was a change to print.
    """

    def __init__(self, judge: Judge, *, unsafe: bool, diff: bool) -> None:
        self._judge = judge
        self._unsafe = unsafe
        self._diff = diff
        self._out: TextIO | None = None
        self.shown = False

    def excludes(self, path: str) -> bool:
        """Whether a configuration leaves a file out, which is counted."""
        return self._judge.excludes(path)

    def file(self, path: str) -> list[Result]:
        """Mend a file, and give what is left to be said of its documents, with the attempts."""
        data = read_bytes(path)
        if isinstance(data, ManifestError):
            return [unreadable(data)]
        mended = mend(self._judge, path, data, unsafe=self._unsafe)
        if self._diff:
            if mended.data != data:
                self.shown = True
                self._print_diff(shown_name(path), data, mended.data)
        elif path == STDIN:
            self._print(mended.data)
        elif mended.data != data:
            try:
                write_file(path, mended.data)
            except OSError as error:
                message = f"the fixes could not be written: {error.strerror or error}"
                failed = unreadable(ManifestError(shown_name(path), 1, 1, message))
                return [*self._judge.text(path, data), failed]
        return mended.results

    def report(
        self,
        judged: Iterable[Result],
        options: ReportOptions,
        progress: Progress,
        paths: Sequence[str],
    ) -> list[Result]:
        """Report what is left and what was mended under some paths, and give all results.

        With a diff, only that is printed; where standard input is mended, reports go to standard
        error, for its text goes to standard output.
        """
        from contextlib import redirect_stdout

        if self._diff:
            self._out = sys.stdout
            results = list(judged)
        elif STDIN in paths:
            self._out = sys.stdout
            with redirect_stdout(sys.stderr):
                results = reporting.report(judged, options, progress)
        else:
            results = reporting.report(judged, options, progress)
        progress.clear()
        if not options.quiet:
            for line in self._sentences(results):
                print(line, file=sys.stderr)
        return results

    def _sentences(self, results: Iterable[Result]) -> Iterator[str]:
        would = "would be " if self._diff else ""
        left_alone = set()
        for result in results:
            why_not = f"not fixed: {result.file}: {result.unfixable}"
            withheld = any(fix.safe or self._unsafe for fix in result.withheld)
            if withheld and why_not not in left_alone:
                left_alone.add(why_not)
                yield why_not
            for attempt in result.attempts:
                yield ("" if attempt.refused else would) + attempt.sentence(result.file)

    def _print_diff(self, name: str, before: bytes, after: bytes) -> None:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._print(b"".join(diff_lines(name, before, after, colour=colour)))

    def _print(self, data: bytes) -> None:
        """Write a manifest's own bytes: printing would encode them anew, and change line ends."""
        out = self._out or sys.stdout
        out.flush()
        out.buffer.write(data)
        out.flush()


def diff_lines(name: str, before: bytes, after: bytes, *, colour: bool) -> Iterator[bytes]:
    r"""The lines of a unified diff of a file's bytes, which ``patch`` takes.

    >>> for line in diff_lines("a.yaml", b"a: 1\nb: 2\n", b"a: 1\nb: 3", colour=False):
    ...     print(line.decode(), end="")
    --- a.yaml
    +++ a.yaml
    @@ -1,2 +1,2 @@
     a: 1
    -b: 2
    +b: 3
    \ No newline at end of file
    """
    from difflib import diff_bytes, unified_diff

    named = name.encode("utf-8", "surrogateescape")
    for line in diff_bytes(unified_diff, _lines(before), _lines(after), named, named):
        whole = line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        yield _painted(whole) if colour else whole


def _lines(text: bytes) -> list[bytes]:
    """Lines with their ends, which are line feeds only."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1].removesuffix(b"\n")
    return lines if lines[-1] else lines[:-1]


def _painted(line: bytes) -> bytes:
    for mark, code in _COLOURS:
        if line.startswith(mark.encode()):
            text = line.removesuffix(b"\n")
            return b"\x1b[" + code.encode() + b"m" + text + b"\x1b[0m\n"
    return line


def write_file(path: str, data: bytes) -> None:
    """Put other bytes into a file, all at once: whoever reads it sees the old or the new ones.

    The file keeps its mode, and a symbolic link stays one.

    Raises:
        OSError: the file cannot be written.
    """
    from contextlib import suppress

    real = os.path.realpath(path)
    if not os.access(real, os.W_OK):
        raise PermissionError(None, "the file is read-only")
    status = os.stat(real)
    beside = f"{real}.jobsworth-{os.getpid()}"
    try:
        with open(beside, "xb") as file:
            if hasattr(os, "chown"):
                with suppress(PermissionError):  # only an administrator gives files away
                    os.chown(beside, status.st_uid, status.st_gid)
            os.chmod(beside, status.st_mode & 0o7777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, real)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
