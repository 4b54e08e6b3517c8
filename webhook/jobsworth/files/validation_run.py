"""A run over files, charts and overlays: every result in order, without what a baseline knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from jobsworth.files.charts import UnrenderedTemplates
from jobsworth.files.configuration.configurations import OWN_FILE, Configurations
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.located_findings import unreadable
from jobsworth.files.named_paths import NamedPaths
from jobsworth.files.repository_root import manifests_in
from jobsworth.findings.result import Result
from jobsworth.findings.summary import Omissions
from jobsworth.lint.manifest_rules import PATCH
from jobsworth.manifests import ManifestError
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.record import Record

if TYPE_CHECKING:
    from jobsworth.files.baseline import Baseline
    from jobsworth.files.rendering import RenderOptions, Source

Progress = Callable[[int, int], None]

FoundFile = str | ManifestError

FILES_FOR_ONE_PROCESS = 64
"""Up to this many files, another process takes longer to start than it saves."""
FILES_AT_A_TIME = 32
"""The number of files that one of several processes takes at once."""


class ValidatedPaths(Record, kw_only=True):
    """The paths of a run.

    Attributes:
        paths: the files and folders, and ``-`` for standard input.
        required: those of them that must have an object.
        requires_job: they must have a Job or CronJob.
        hidden: also search hidden folders.
        stdin_filename: the file that standard input stands for; None if unknown.
    """

    paths: Sequence[str] = ()
    required: Sequence[str] = ()
    requires_job: bool = False
    hidden: bool = False
    stdin_filename: str | None = None


class ValidationRun:
    """Validates the files of some paths, then charts and overlays.

    Args:
        evaluator: evaluates what is rendered.
        configurations: those of the evaluator.
        paths: the files and folders.
        evaluate: evaluates a file, or fixes it; the method of the evaluator by default.
        processes: the maximum number of processes that evaluate files.
        sources: the charts and overlays to render.
        renders: they include those in the folders of the paths.
        rendering: the values of the charts.
        baseline: known findings, which are not reported; None for none.

    Attributes:
        omissions: what was not read so far.
    """

    def __init__(
        self,
        evaluator: FileEvaluator,
        configurations: Configurations,
        paths: ValidatedPaths,
        *,
        evaluate: Callable[[str], list[Result]] | None = None,
        processes: int = 1,
        sources: Sequence[Source] = (),
        renders: bool = False,
        rendering: RenderOptions | None = None,
        baseline: Baseline | None = None,
    ) -> None:
        self.omissions = Omissions()
        self._evaluator = evaluator
        self._configurations = configurations
        self._paths = paths
        self._evaluate = evaluate or evaluator.file
        self._processes = processes
        self._sources = sources
        self._renders = renders
        self._rendering = rendering
        self._baseline = baseline

    def results(self, progress: Progress) -> Iterator[Result]:
        """Yield the results of all documents, as soon as there are any.

        Args:
            progress: called with the number of evaluated files, and the number of all.

        Raises:
            UsageError: a configuration is wrong.
        """
        reported: list[Result] = []
        shown: list[Result] = []
        for found in self._found(reported, shown, progress):
            for result in found:
                kept = result if self._baseline is None else self._baseline.without_known(result)
                reported.append(result)
                shown.append(kept)
                yield kept

    def _found(
        self, reported: Sequence[Result], shown: Sequence[Result], progress: Progress
    ) -> Iterator[Iterable[Result]]:
        files = self._files()
        named = NamedPaths(
            self._paths.required,
            self._configurations.of,
            requires_job=self._paths.requires_job,
            stdin_filename=self._paths.stdin_filename,
        )
        evaluated = evaluate_files(self._evaluate, files, self._processes)
        templates = UnrenderedTemplates(self._paths.paths)
        for done, (file, results) in enumerate(zip(files, evaluated, strict=True), start=1):
            if isinstance(file, str):
                completed = named.completed(file, self._without_rendered_patches(results))
                yield templates.without_templates(file, completed)
            else:
                yield results
            progress(done, len(files))
        for note in templates.notes(renders=self._renders):
            yield named.completed(note.file, [note])
        for source in self._sources:
            yield named.completed(source.path, self._rendered(source, reported, shown))
        yield named.folders_without_object(self.omissions)

    def _files(self) -> list[FoundFile]:
        omissions, configurations = self.omissions, self._configurations
        files = files_in(
            self._paths.paths,
            configurations.excludes,
            omissions,
            hidden=self._paths.hidden,
            stdin_filename=self._paths.stdin_filename or STDIN,
        )
        baseline = self._baseline
        if baseline is not None:
            files = [
                file
                for file in files
                if isinstance(file, ManifestError) or not baseline.is_file(file)
            ]
        for excluded in omissions.excluded:
            if configuration := configurations.excluded_below_root(excluded):
                counts = omissions.excluded_below_root
                counts[configuration] = counts.get(configuration, 0) + 1
        if self._sources:
            from jobsworth.files.rendering import not_in_charts

            files = not_in_charts(files, self._sources)
        folders = [path for path in self._paths.paths if path != STDIN and os.path.isdir(path)]
        if folders:
            configurations.find_unmatched(
                folders,
                omissions.excluded,
                [
                    *(file for file in files if not isinstance(file, ManifestError)),
                    *(source.settings_path for source in self._sources),
                ],
                hidden=self._paths.hidden,
            )
        return files

    def _without_rendered_patches(self, results: list[Result]) -> list[Result]:
        """Return results without the notes on patches, if overlays are rendered with them."""
        if not any(source.kind == "overlay" for source in self._sources):
            return results
        return [
            result.with_findings(
                [each for each in result.findings if each.finding.code != PATCH.code]
            )
            for result in results
        ]

    def _rendered(
        self, source: Source, reported: Sequence[Result], shown: Sequence[Result]
    ) -> list[Result]:
        """Render a chart or an overlay, and return the results of its documents, or of the error.

        Args:
            source: the chart or overlay.
            reported: the results so far.
            shown: the same without what a baseline has.
        """
        from dataclasses import replace

        from jobsworth.files.located_findings import unreadable
        from jobsworth.files.rendering import RenderOptions, renderings, without_repeated

        options = self._rendering or RenderOptions()
        settings = self._configurations.of(source.settings_path)

        options = replace(options, kubernetes_version=settings.evaluator.server.release)
        found: list[Result] = []
        for rendering in renderings(source, options):
            if isinstance(rendering, Result):
                found.append(rendering)
            elif isinstance(rendering, ManifestError):
                found.append(unreadable(rendering))
            else:
                results = self._evaluator.rendered(rendering)
                known = {(each.kind, each.namespace, each.name) for each in found}
                found += (
                    each
                    for each in without_repeated(results, [*reported, *found], [*shown, *found])
                    if each.findings or (each.kind, each.namespace, each.name) not in known
                )
        return found


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
