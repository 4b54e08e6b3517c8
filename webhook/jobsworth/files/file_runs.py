"""Find the files of a run, and evaluate them, in several processes if there are many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from jobsworth.files.configuration.configurations import OWN_FILE
from jobsworth.files.located_findings import unreadable
from jobsworth.files.repository_root import manifests_in
from jobsworth.findings.result import Result
from jobsworth.findings.summary import Omissions
from jobsworth.manifests import ManifestError
from jobsworth.manifests.parsing.manifest_files import STDIN

FoundFile = str | ManifestError

FILES_FOR_ONE_PROCESS = 64
"""Up to this many files, another process takes longer to start than it saves."""
FILES_AT_A_TIME = 32
"""The number of files that one of several processes takes at once."""


def files_in(
    paths: Sequence[str],
    excludes: Callable[[str], bool],
    omissions: Omissions,
    *,
    hidden: bool = False,
    stdin_filename: str = STDIN,
) -> list[FoundFile]:
    """Return every manifest under some paths once, and an error in place of each unreadable path.

    Args:
        paths: files, folders, ``-``.
        excludes: returns True for a file that is excluded.
        omissions: collects the files and folders that are not read.
        hidden: also search hidden folders.
        stdin_filename: the file that standard input stands for, which may be excluded.

    Raises:
        UsageError: a configuration is wrong.
    """

    def enters(folder: str) -> bool:
        if not hidden:
            omissions.hidden.append(folder)
        return hidden

    found: list[FoundFile] = []
    seen: set[str] = set()
    for file in manifests_in(paths, enters=enters):
        if not isinstance(file, ManifestError):
            same = os.path.normpath(file)
            if same in seen:
                continue
            seen.add(same)
            if file.endswith(OWN_FILE) and os.path.basename(file) == OWN_FILE:
                continue
            name = stdin_filename if file == STDIN else file
            if excludes(name):
                omissions.excluded.append(name)
                continue
        found.append(file)
    return found


def evaluate_files(
    evaluate: Callable[[str], list[Result]], found: Sequence[FoundFile], jobs: int
) -> Iterator[list[Result]]:
    """Yield the results of each file, in order, as soon as there are any.

    Args:
        evaluate: evaluates a file; picklable.
        found: the files, and errors in place of some.
        jobs: the maximum number of processes.

    Raises:
        UsageError: a configuration is wrong.
    """
    files = [file for file in found if not isinstance(file, ManifestError)]
    evaluated = _evaluated(evaluate, files, 1 if STDIN in files else jobs)
    for file in found:
        yield [unreadable(file)] if isinstance(file, ManifestError) else next(evaluated)


def _evaluated(
    evaluate: Callable[[str], list[Result]], files: Sequence[str], jobs: int
) -> Iterator[list[Result]]:
    """Return what a function returns for each file, in order."""
    processes = min(jobs, -(-len(files) // FILES_AT_A_TIME))
    if processes <= 1 or len(files) <= FILES_FOR_ONE_PROCESS:
        return map(evaluate, files)
    from jobsworth.files.worker_processes import in_order

    return in_order(evaluate, files, processes, files_at_a_time=FILES_AT_A_TIME)
