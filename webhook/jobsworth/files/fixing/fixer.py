"""Fix files, in place or in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from errno import ESTALE, EXDEV

from jobsworth.files.baseline import Baseline
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.fixing.autofix_loop import FixedFile, autofix
from jobsworth.files.located_findings import unreadable
from jobsworth.files.repository_root import is_within, root_around
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.manifests import ManifestError, read_bytes
from jobsworth.manifests.parsing.manifest_files import shown_name
from jobsworth.regular_files import MAX_MANIFEST_BYTES, read_regular_file


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


def replace_file(path: str, data: bytes, before: bytes) -> None:
    """Replace a file's content atomically: readers see the old or the new bytes.

    The file keeps its owner, mode and extended attributes, and a symbolic link stays one. Of several
    hard links, only this one gets the new content.

    Args:
        path: of the file.
        data: the new content.
        before: the content that was fixed; if the file has other content by now, it is left alone.

    Raises:
        OSError: the file cannot be written, or was changed.
    """
    real = os.path.realpath(path)
    status = os.stat(real)
    if not (os.access(real, os.W_OK) and status.st_mode & 0o222):  # root may write any file
        raise PermissionError(None, "the file is read-only")
    beside = f"{real}.jobsworth-{os.urandom(8).hex()}"
    with open(beside, "xb") as file:  # an existing file is never opened, nor removed below
        try:
            if hasattr(os, "chown"):
                _keep_owner(beside, status)
            os.chmod(beside, status.st_mode & 0o7777)
            _copy_attributes(real, beside)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if os.stat(real).st_ino != status.st_ino or _content(real) != before:
                raise OSError(ESTALE, "the file was changed meanwhile; run jobsworth again")
            os.replace(beside, real)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside)
            raise


def check_is_within_reach(path: str, paths: Sequence[str]) -> None:
    """Check that a file is in its repository, or else in a folder that the user chose.

    A symbolic link in files of unknown origin must not decide what is written to.

    Args:
        path: of the file.
        paths: the files and folders that the user chose; outside a repository, nothing else is written.

    Raises:
        OSError: the path leads elsewhere.
    """
    root = root_around(path)
    if root is not None:
        folders = [root]
    else:
        named = [each if os.path.isdir(each) else os.path.dirname(each) for each in paths]
        folders = [os.curdir, *(each or os.curdir for each in named)]
    if not any(is_within(path, folder) for folder in folders):
        target = os.path.realpath(path)
        raise OSError(
            EXDEV, f"it is a symbolic link to {target}, which is in none of the given folders"
        )


def _content(path: str) -> bytes:
    return read_regular_file(path, MAX_MANIFEST_BYTES)


def _keep_owner(path: str, status: os.stat_result) -> None:
    """Give a new file the owner and group of another; raises PermissionError where that is not allowed."""
    own = os.stat(path)
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.chown(path, status.st_uid, status.st_gid)
        except PermissionError:
            raise PermissionError(None, "the file belongs to another user or group") from None


def _copy_attributes(source: str, target: str) -> None:
    """Copy extended attributes, where the system has them and allows it."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(source):
            with suppress(OSError):
                os.setxattr(target, name, os.getxattr(source, name))
