"""The Jobs and CronJobs to explain, and the objects to compare them with, from files."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.files.existing_objects import ExistingObjects
from jobsworth.files.file_evaluation import result_of
from jobsworth.files.repository_root import manifests_in
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import INVALID
from jobsworth.manifests import ManifestError, expand_lists, read_file
from jobsworth.printable import printable
from jobsworth.validation.engine import UnknownKind, engine_for, kind_of
from jobsworth.whatif.explanation.explained_job import explained_job
from jobsworth.whatif.explanation.explanation import ExplainedObject, SourceLines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.files.configuration.configurations import Configurations
    from jobsworth.manifests import Document
    from jobsworth.whatif.explanation.explained_job import ExplainedJob

EXIT_DONE, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2

_MAX_LINES = 12


@dataclass(slots=True)
class ExplainedFiles:
    """The files of a run, and its exit code so far."""

    configurations: Configurations
    code: int = EXIT_DONE

    def fail(self, code: int, *lines: str) -> None:
        """Report a problem, and note its exit code."""
        for line in lines:
            print(line, file=sys.stderr)
        self.code = max(self.code, code)


@dataclass(frozen=True, slots=True)
class ReadJob:
    """A valid Job or CronJob that was read."""

    document: Document
    server: ApiServer
    job: ExplainedJob
    about: ExplainedObject
    rules_path: str

    def lines(self, index: int) -> SourceLines | None:
        """Return the lines of a rule of the failure policy."""
        path = f"{self.rules_path}[{index}]"
        first = self.document.position(path).line
        rule = self.job.rules[index]
        last = max(self.document.position(f"{path}{leaf}").line for leaf in _leaves(rule))
        shown = range(first, min(last, first + _MAX_LINES) + 1)
        return SourceLines(first, last, tuple(map(self.document.source_line, shown)))


def compared_files(
    running: ExplainedFiles, paths: Sequence[str], against: str | None, git_ref: str | None
) -> tuple[Sequence[str], ExistingObjects | None]:
    """Return the files to explain, and the objects to compare them with.

    Args:
        against: a file or folder with the objects; None without one.
        git_ref: the commit with the objects; None without one.
    """
    if git_ref is not None:
        from jobsworth.files.changed_files import changed_manifests

        return changed_manifests(git_ref, paths, running.configurations)
    if against is None:
        return paths, None
    old = {_key(each): each.document.value for each in jobs_in(running, [against])}
    return paths, ExistingObjects(old)


def _key(read: ReadJob) -> tuple[str, str, str]:
    return read.about.kind, read.about.namespace or "default", read.about.name


def earlier_version(
    running: ExplainedFiles, read: ReadJob, existing: ExistingObjects | None, *, alone: bool
) -> ExplainedJob | None:
    """Return the Job to compare with: that of the same name, or the other of two files with one Job each."""
    if existing is None:
        return None
    value = existing.old(read.document)
    if value is None and alone and len(existing.anywhere) == 1 and not existing.in_file:
        (value,) = existing.anywhere.values()
    if value is None:
        return None
    engine = engine_for(read.server)
    return explained_job(engine.created_job(engine.decode_object(value)))


def jobs_in(running: ExplainedFiles, paths: Sequence[str]) -> Iterator[ReadJob]:
    """Read the valid Jobs and CronJobs under some paths; report the others."""
    for path in manifests_in(paths):
        if isinstance(path, ManifestError):
            running.fail(EXIT_UNREADABLE, printable(f"error: {path}"))
            continue
        server = running.configurations.of(path).server
        for document in expand_lists(read_file(path)):
            if document.error is not None:
                running.fail(EXIT_UNREADABLE, printable(f"error: {document.error}"))
                continue
            try:
                read = _read(running, document, server)
            except UnknownKind:
                continue
            if read is not None:
                yield read


def _read(running: ExplainedFiles, document: Document, server: ApiServer) -> ReadJob | None:
    """Return a Job, or None after its errors were reported.

    Raises:
        UnknownKind: the object is neither a Job nor a CronJob.
    """
    engine, value = engine_for(server), document.value
    findings = engine.validate(value)
    result = result_of(document, INVALID)
    result.findings = [
        LocatedFinding(finding, place.line, place.column, document.source_line(place.line))
        for finding in findings
        for place in (document.position(finding.field),)
    ]
    if findings:
        from jobsworth.reports.text import render

        color = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        running.fail(EXIT_DONE, *render(result, color=color))
    if any(finding.severity == "error" for finding in findings):
        running.fail(
            EXIT_INVALID,
            printable(f"{document.file}: not explained, because the API server rejects it"),
        )
        return None
    cron_job = kind_of(value).name != "Job"
    created = engine.created_job(engine.decode_object(value))
    job = explained_job(created, (result.name or "") if cron_job else "")
    inner = "jobTemplate.spec." if cron_job else ""
    return ReadJob(
        document,
        server,
        job,
        ExplainedObject(
            result.kind or "",
            result.namespace or "",
            result.name or "",
            document.file,
            document.position("").line,
            server.release,
        ),
        f"spec.{inner}podFailurePolicy.rules",
    )


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of a value and of all that is in it."""
    yield path
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{path}[{index}]")
