"""Evaluate all files under some paths, in several processes if there are many, or from the cache."""

from __future__ import annotations

import os

from jobsworth.cli.configuration.resolved_settings import OWN_FILE
from jobsworth.cli.inputs.repository_root import manifests_in
from jobsworth.manifests import ManifestError
from jobsworth.reports.result import Omissions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol

    from jobsworth.cli.caching.result_cache import ResultCache
    from jobsworth.cli.worker_processes import Evaluate, Evaluated
    from jobsworth.reports.result import Result

    class EvaluatesFiles(Protocol):
        """Evaluates files, optionally after fixing them."""

        def excludes(self, path: str) -> bool: ...

        def files(self, paths: Iterable[str]) -> list[list[Result]]: ...

    Report = Callable[[int, int], None]

FILES_FOR_ONE_PROCESS = 64
"""Up to this many files, another process takes longer to start than it saves, and so does the cache."""
FILES_AT_A_TIME = 32
FEWEST_AT_A_TIME = 4
"""The size of the last batches of a run with several processes."""


def evaluate_all(
    evaluator: EvaluatesFiles,
    paths: Sequence[str],
    jobs: int,
    progress: Report,
    *,
    hidden: bool = False,
    omissions: Omissions | None = None,
    cached: Callable[[], ResultCache] | None = None,
) -> Iterator[Result]:
    """Evaluate every manifest under some paths.

    Args:
        evaluator: evaluates each file.
        paths: files, folders, ``-``.
        jobs: the maximum number of processes.
        progress: called with the number of files done and of all files.
        hidden: also search hidden folders.
        omissions: collects the files and folders that are not read.
        cached: opens the cache of results, for runs over many files; None to evaluate every file.

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
    if "-" in found:
        jobs, cached = 1, None
    if cached is not None and len(found) > FILES_FOR_ONE_PROCESS:
        yield from _from_cache(cached(), found, jobs, progress)
        return
    files = [file for file in found if not isinstance(file, ManifestError)]
    evaluated = _evaluated(UnkeyedFiles(evaluator).evaluate, files, jobs, progress)
    for file in found:
        yield from _refused(file) if isinstance(file, ManifestError) else next(evaluated)[1]


def _refused(error: ManifestError) -> list[Result]:
    from jobsworth.cli.located_findings import unreadable

    return [unreadable(error)]


class UnkeyedFiles:
    """Evaluates files whose results are not kept; stands in for ``KeyedFiles`` of the cache."""

    __slots__ = ("_evaluator",)

    def __init__(self, evaluator: EvaluatesFiles) -> None:
        self._evaluator = evaluator

    def evaluate(self, paths: Iterable[str]) -> list[Evaluated]:
        """Evaluate files; the digests are empty."""
        return [(b"", results) for results in self._evaluator.files(paths)]


def _from_cache(
    cache: ResultCache, found: Sequence[str | ManifestError], jobs: int, progress: Report
) -> Iterator[Result]:
    """Yield the results of all files; those that the cache lacks are evaluated, and added to it."""
    known = [
        _refused(file) if isinstance(file, ManifestError) else cache.stored(file) for file in found
    ]
    missing = [
        file
        for file, results in zip(found, known, strict=True)
        if results is None and not isinstance(file, ManifestError)
    ]
    evaluated = _evaluated(cache.files.evaluate, missing, jobs, progress)
    unchanged = iter(known)
    for file in found:
        results = next(unchanged)
        if results is None:
            digest, results = next(evaluated)
            cache.add(str(file), digest, results)
        yield from results
    cache.save()


def _evaluated(
    evaluate: Evaluate, files: Sequence[str], jobs: int, progress: Report
) -> Iterator[Evaluated]:
    """Yield what a function returns for each file, in order."""
    processes = min(jobs, -(-len(files) // FILES_AT_A_TIME))
    if processes <= 1 or len(files) <= FILES_FOR_ONE_PROCESS:
        starts = range(0, len(files), FILES_AT_A_TIME)
        batches = (files[start : start + FILES_AT_A_TIME] for start in starts)
        yield from _counted(map(evaluate, batches), len(files), progress)
        return
    from jobsworth.cli.worker_processes import in_order

    evaluated = in_order(evaluate, list(_batches(files, processes)), processes)
    yield from _counted(evaluated, len(files), progress)


def _batches(files: Sequence[str], processes: int) -> Iterator[Sequence[str]]:
    """Yield files that are evaluated together: fewer towards the end, so that all processes end together."""
    start = 0
    while start < len(files):
        share = (len(files) - start) // (2 * processes)
        size = max(FEWEST_AT_A_TIME, min(share, FILES_AT_A_TIME))
        yield files[start : start + size]
        start += size


def _counted(
    batches: Iterable[list[Evaluated]], total: int, progress: Report
) -> Iterator[Evaluated]:
    done = 0
    for batch in batches:
        yield from batch
        done += len(batch)
        progress(done, total)
