"""The paths of a command line that lead to nothing to validate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from jobsworth.files.configuration.resolved_settings import ResolvedSettings
from jobsworth.files.repository_root import KUSTOMIZATIONS
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, INVALID, SKIPPED, VALID, Result
from jobsworth.findings.summary import Omissions
from jobsworth.lint.manifest_rules import NO_OBJECT
from jobsworth.manifests.parsing.manifest_files import STDIN, shown_name

_WITHOUT_OBJECT = (
    "this {what} has no Kubernetes object: check the path, or allow this with --allow-empty"
)
_TEXT_WITHOUT_OBJECT = (
    "this text has no Kubernetes object: pass the text of a manifest, not the path of its file"
)
_WITHOUT_JOB = "no Job or CronJob {where}: check {what}, or omit --fail-on-empty"


class NamedPaths:
    """Reports each named file and folder without an object; on request, each path without a Job.

    Args:
        paths: the files and folders, and ``-``.
        settings_of: returns the settings of a path.
        requires_job: a path without a Job or CronJob is an error.
        stdin_filename: the file that standard input stands for.
    """

    def __init__(
        self,
        paths: Iterable[str],
        settings_of: Callable[[str], ResolvedSettings],
        *,
        requires_job: bool = False,
        stdin_filename: str | None = None,
    ) -> None:
        self._settings_of = settings_of
        self._requires_job = requires_job
        self._stdin_filename = stdin_filename
        self._folders: dict[str, str] = {}
        self._files: set[str] = set()
        for path in paths:
            if path != STDIN and os.path.isdir(path):
                self._folders[os.path.normpath(path)] = path
            elif path != STDIN or requires_job:
                self._files.add(os.path.normpath(path))

    def completed(self, file: str, results: list[Result]) -> list[Result]:
        """Return the results of a file; with a finding if it is named and they have no object.

        Args:
            file: the file.
            results: those of its documents.
        """
        path = os.path.normpath(file)
        if self._is_kustomization(path) or any(map(self._counts, results)):
            self._keep_folders_without(path)
            return results
        found = self._empty(file, "file") if path in self._files else None
        if found is None:
            return results
        if not results or found.status == ERROR:
            return [found]
        first, *others = results
        both = [*first.findings, *found.findings]
        return [first.replace(findings=both, fail_on=found.fail_on), *others]

    def folders_without_object(self, omissions: Omissions) -> Iterator[Result]:
        """Return a result for each named folder without an object, when all files are read.

        Args:
            omissions: the files that a configuration excludes, which are objects unless a Job is required.
        """
        if not self._requires_job:
            for file in omissions.excluded:
                self._keep_folders_without(os.path.normpath(file))
        for folder in self._folders.values():
            found = self._empty(folder, "folder")
            if found is not None:
                yield found

    def _counts(self, result: Result) -> bool:
        """Return True for a result that makes its file one with an object, or is reported itself."""
        return _is_reported(result) or (result.kind is not None and not self._requires_job)

    def _is_kustomization(self, path: str) -> bool:
        """Return True for a file whose kind may be omitted."""
        return os.path.basename(path) in KUSTOMIZATIONS and not self._requires_job

    def _keep_folders_without(self, path: str) -> None:
        """Forget the named folders that a file is in."""
        if self._folders:
            self._folders = {
                folder: named
                for folder, named in self._folders.items()
                if not _is_below(path, folder)
            }

    def _empty(self, path: str, what: str) -> Result | None:
        """Return the result of a path without an object; None if its rule is not selected."""
        settings = self._settings_of(path)
        if self._requires_job:
            where = "on standard input" if path == STDIN else f"in this {what}"
            checked = "the command before it" if path == STDIN else "the path"
            message = _WITHOUT_JOB.format(where=where, what=checked)
            finding = NO_OBJECT.finding("", message, severity="error")
        else:
            chosen = settings.selection.adjusted(
                NO_OBJECT.finding("", _WITHOUT_OBJECT.format(what=what))
            )
            if chosen is None:
                return None
            finding = chosen
        return Result(
            file=shown_name(path, self._stdin_filename if path == STDIN else None),
            status=ERROR if self._requires_job else SKIPPED,
            findings=[LocatedFinding(finding)],
            fail_on=settings.fail_on,
        )


def has_object(results: Iterable[Result]) -> bool:
    """Return True if a text has an object, or an error in reading it."""
    return any(_is_reported(result) or result.kind is not None for result in results)


def text_without_object() -> LocatedFinding:
    """Return the finding of a text without an object that a program passes."""
    return LocatedFinding(NO_OBJECT.finding("", _TEXT_WITHOUT_OBJECT))


def _is_reported(result: Result) -> bool:
    return result.status in (INVALID, ERROR, VALID)


def _is_below(path: str, folder: str) -> bool:
    if folder == os.curdir:
        return not (os.path.isabs(path) or path.split(os.sep, maxsplit=1)[0] == os.pardir)
    return path == folder or path.startswith(os.path.join(folder, ""))
