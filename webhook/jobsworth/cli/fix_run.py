"""``jobsworth validate --fix`` and ``--diff``: apply fixes in place, or print the diff."""

from __future__ import annotations

import os
import sys
from errno import EXDEV
from typing import TYPE_CHECKING

from jobsworth.cli import reporting
from jobsworth.cli.terminal import wants_color
from jobsworth.files.fixing.autofix_loop import autofix
from jobsworth.files.fixing.replace_file import replace_file
from jobsworth.files.located_findings import unreadable
from jobsworth.files.repository_root import is_within, root_around
from jobsworth.manifests import ManifestError, read_bytes
from jobsworth.manifests.parsing.manifest_files import STDIN, shown_name
from jobsworth.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from jobsworth.cli.reporting import ReportOptions
    from jobsworth.cli.terminal import ColorChoice, Progress
    from jobsworth.files.baseline import Baseline
    from jobsworth.files.file_evaluation import FileEvaluator
    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result
    from jobsworth.findings.summary import Omissions

_COLORS = (("---", "1"), ("+++", "1"), ("@@", "36"), ("-", "31"), ("+", "32"))
"""The terminal color of diff lines, by prefix."""


class Fixer:
    """Fixes files and validates the result; takes the place of a ``FileEvaluator`` in ``evaluate_all``.

    Args:
        evaluator: evaluates files before and after each fix.
        unsafe: apply unsafe fixes too.
        diff: print each file's diff instead of writing it.
        paths: the files and folders on the command line.
        infos: also apply the fixes of info findings, which are not shown otherwise.
        color: color the diff.
        baseline: the known findings, whose fixes are not applied.

    Attributes:
        shown: True if a diff was printed.
    """

    def __init__(
        self,
        evaluator: FileEvaluator,
        *,
        unsafe: bool,
        diff: bool,
        paths: Sequence[str],
        infos: bool = False,
        color: ColorChoice = "auto",
        baseline: Baseline | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._unsafe = unsafe
        self._diff = diff
        self._paths = paths
        self._infos = infos
        self._color: ColorChoice = color
        self._baseline = baseline
        self._out: TextIO | None = None
        self.shown = False

    def excludes(self, path: str) -> bool:
        """Return True for a file that a configuration excludes, and count it."""
        return self._evaluator.excludes(path)

    def file(self, path: str) -> list[Result]:
        """Fix a file, and return the remaining findings of its documents, with the attempts."""
        data = read_bytes(path)
        if isinstance(data, ManifestError):
            return [unreadable(data)]
        fixed_file = autofix(
            self._evaluator, path, data, unsafe=self._unsafe, reported=self._is_reported
        )
        if self._diff:
            if fixed_file.data != data:
                self.shown = True
                self._print_diff(shown_name(path), data, fixed_file.data)
        elif path == STDIN:
            self._print(fixed_file.data)
        elif fixed_file.data != data:
            try:
                self._check_is_within_reach(path)
                replace_file(path, fixed_file.data, before=data)
            except OSError as error:
                message = f"cannot write the fixes: {error.strerror or error}"
                failed = unreadable(ManifestError(shown_name(path), 1, 1, message))
                return [*self._evaluator.text(path, data), failed]
        return fixed_file.results

    def _is_reported(self, result: Result, located: LocatedFinding) -> bool:
        """Return True for a finding that the report shows: only its fix may be applied."""
        if not result.shows(located.finding, infos=self._infos):
            return False
        return self._baseline is None or not self._baseline.holds(result, located)

    def _check_is_within_reach(self, path: str) -> None:
        """Check that a file is in the repository, or else in a folder that the user chose.

        A symbolic link in files of unknown origin must not decide what is written to.

        Raises:
            OSError: the path leads elsewhere.
        """
        root = root_around(path)
        if root is not None:
            folders = [root]
        else:
            named = [each if os.path.isdir(each) else os.path.dirname(each) for each in self._paths]
            folders = [os.curdir, *(each or os.curdir for each in named)]
        if not any(is_within(path, folder) for folder in folders):
            target = os.path.realpath(path)
            raise OSError(
                EXDEV, f"it is a symbolic link to {target}, which is in none of the given folders"
            )

    def report(
        self,
        evaluated: Iterable[Result],
        options: ReportOptions,
        progress: Progress,
        paths: Sequence[str],
        omissions: Omissions | None = None,
    ) -> list[Result]:
        """Report remaining findings and applied fixes under some paths, and return all results.

        With ``diff``, print only the diff. When fixing standard input, write reports to standard error,
        because the fixed text goes to standard output.
        """
        from contextlib import redirect_stdout

        if self._diff:
            self._out = sys.stdout
            results = list(evaluated)
        elif STDIN in paths:
            self._out = sys.stdout
            with redirect_stdout(sys.stderr):
                results = reporting.report(evaluated, options, progress, omissions)
        else:
            results = reporting.report(evaluated, options, progress, omissions)
        progress.clear()
        if not options.quiet:
            for line in self._sentences(results):
                print(line, file=sys.stderr)
        return results

    def _sentences(self, results: Iterable[Result]) -> Iterator[str]:
        would = "would be " if self._diff else ""
        left_alone = set()
        for result in results:
            why_not = printable(f"not fixed: {result.file}: {result.unfixable}")
            withheld = any(fix.safe or self._unsafe for fix in result.withheld)
            if withheld and why_not not in left_alone:
                left_alone.add(why_not)
                yield why_not
            for attempt in result.attempts:
                yield ("" if attempt.reason else would) + attempt.sentence(result.file)

    def _print_diff(self, name: str, before: bytes, after: bytes) -> None:
        color = wants_color(sys.stdout, self._color)
        self._print(b"".join(diff_lines(name, before, after, color=color)))

    def _print(self, data: bytes) -> None:
        """Write a manifest's own bytes: print() would re-encode them and change line ends."""
        out = self._out or sys.stdout
        out.flush()
        out.buffer.write(data)
        out.flush()


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
    from jobsworth.files.fixing.line_diff import unified_lines

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
