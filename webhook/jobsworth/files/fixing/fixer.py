"""Fix files, in place or in memory."""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.files.baseline import Baseline
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.fixing.autofix_loop import FixedFile, autofix
from jobsworth.files.fixing.replace_file import check_is_within_reach, replace_file
from jobsworth.files.located_findings import unreadable
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.manifests import ManifestError, read_bytes
from jobsworth.manifests.parsing.manifest_files import shown_name


class Fixer:
    """Applies the fixes of reported findings.

    Args:
        evaluator: evaluates files before and after each fix.
        unsafe: apply unsafe fixes too.
        infos: also apply the fixes of info findings, which are not shown otherwise.
        baseline: the known findings, whose fixes are not applied.
        paths: the files and folders that the user chose; outside a repository, nothing else is written.
    """

    def __init__(
        self,
        evaluator: FileEvaluator,
        *,
        unsafe: bool,
        infos: bool = False,
        baseline: Baseline | None = None,
        paths: Sequence[str] = (),
    ) -> None:
        self._evaluator = evaluator
        self._unsafe = unsafe
        self._infos = infos
        self._baseline = baseline
        self._paths = paths

    def fixed(self, path: str) -> FixedFile:
        """Return a file's bytes after fixes, with the remaining findings and the attempts."""
        data = read_bytes(path, name=self._evaluator.name(path))
        if isinstance(data, ManifestError):
            return FixedFile(b"", b"", [unreadable(data)])
        return autofix(self._evaluator, path, data, unsafe=self._unsafe, reported=self._is_reported)

    def fix_in_place(self, path: str) -> list[Result]:
        """Fix a file, and return the remaining findings of its documents, with the attempts."""
        fixed = self.fixed(path)
        if fixed.data == fixed.before:
            return fixed.results
        try:
            check_is_within_reach(path, self._paths)
            replace_file(path, fixed.data, before=fixed.before)
        except OSError as error:
            message = f"cannot write the fixes: {error.strerror or error}"
            failed = unreadable(ManifestError(shown_name(path), 1, 1, message))
            return [*self._evaluator.text(path, fixed.before), failed]
        return fixed.results

    def name(self, path: str) -> str:
        """Return the name of a file in results."""
        return self._evaluator.name(path)

    def is_withheld(self, result: Result) -> bool:
        """Return True if fixes of an object would be applied, were it not for a reason that it names."""
        return any(fix.safe or self._unsafe for fix in result.withheld)

    def _is_reported(self, result: Result, located: LocatedFinding) -> bool:
        """Return True for a finding that the report shows: only its fix may be applied."""
        if not result.shows(located.finding, infos=self._infos):
            return False
        return self._baseline is None or not self._baseline.holds(result, located)
