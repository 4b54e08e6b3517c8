"""Evaluate all files under some paths, in several processes if there are many."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jobsworth.files.configuration.resolved_settings import OWN_FILE
from jobsworth.files.repository_root import manifests_in
from jobsworth.findings.summary import Omissions
from jobsworth.manifests import ManifestError
from jobsworth.manifests.parsing.manifest_files import STDIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol

    from jobsworth.findings.result import Result

    class EvaluatesFiles(Protocol):
        """Evaluates files, optionally after fixing them."""

        def excludes(self, path: str) -> bool: ...

        def file(self, path: str) -> list[Result]: ...

    Report = Callable[[int, int], None]

FILES_FOR_ONE_PROCESS = 64
"""Up to this many files, another process takes longer to start than it saves."""
FILES_AT_A_TIME = 32
"""The number of files that one of several processes takes at once."""


def evaluate_all(
    evaluator: EvaluatesFiles,
    paths: Sequence[str],
    jobs: int,
    progress: Report,
    *,
    hidden: bool = False,
    omissions: Omissions | None = None,
) -> Iterator[Result]:
    """Evaluate every manifest under some paths.

    Args:
        evaluator: evaluates each file.
        paths: files, folders, ``-``.
        jobs: the maximum number of processes.
        progress: called with the number of files done and of all files.
        hidden: also search hidden folders.
        omissions: collects the files and folders that are not read.

    Raises:
        UsageError: a configuration is wrong.
    """
    omitted = omissions or Omissions()

    def enters(folder: str) -> bool:
        if not hidden:
            omitted.hidden.append(folder)
        return hidden

    found: list[str | ManifestError] = []
    for file in manifests_in(paths, enters=enters):
        if not isinstance(file, ManifestError):
            if file.endswith(OWN_FILE) and os.path.basename(file) == OWN_FILE:
                continue
            if evaluator.excludes(file):
                omitted.excluded.append(file)
                continue
        found.append(file)
    files = [file for file in found if not isinstance(file, ManifestError)]
    evaluated = _evaluated(evaluator.file, files, 1 if STDIN in files else jobs)
    for done, file in enumerate(found, 1):
        yield from _refused(file) if isinstance(file, ManifestError) else next(evaluated)
        progress(done, len(found))


def _refused(error: ManifestError) -> list[Result]:
    from jobsworth.files.located_findings import unreadable

    return [unreadable(error)]


def _evaluated(
    evaluate: Callable[[str], list[Result]], files: Sequence[str], jobs: int
) -> Iterator[list[Result]]:
    """Return what a function returns for each file, in order."""
    processes = min(jobs, -(-len(files) // FILES_AT_A_TIME))
    if processes <= 1 or len(files) <= FILES_FOR_ONE_PROCESS:
        return map(evaluate, files)
    from jobsworth.files.worker_processes import in_order

    return in_order(evaluate, files, processes, files_at_a_time=FILES_AT_A_TIME)
