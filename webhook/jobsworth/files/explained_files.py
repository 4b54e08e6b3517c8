"""The Jobs and CronJobs to explain, the objects to compare them with, and failed Pods, from files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from jobsworth.files.existing_objects import ExistingObjects
from jobsworth.files.file_evaluation import result_of
from jobsworth.files.repository_root import manifests_in
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import INVALID
from jobsworth.manifests import ManifestError, expand_lists, read_file
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import UnknownKind, engine_for, kind_of
from jobsworth.whatif.explanation.explained_job import explained_job
from jobsworth.whatif.explanation.explanation import ExplainedObject, SourceLines
from jobsworth.whatif.explanation.pod_document import pod_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.files.configuration.configurations import Configurations
    from jobsworth.findings.result import Result
    from jobsworth.manifests import Document
    from jobsworth.whatif.explanation.explained_job import ExplainedJob

_MAX_LINES = 12


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


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document that was read to be explained.

    Attributes:
        job: the Job or CronJob; None if it is unreadable, or the API server rejects it.
        result: the findings of the API server; None if it is unreadable.
        error: why it is unreadable.
    """

    job: ReadJob | None
    result: Result | None
    error: ManifestError | None = None


def documents_in(configurations: Configurations, paths: Sequence[str]) -> Iterator[ReadDocument]:
    """Read the Jobs and CronJobs under some paths, and what is unreadable there.

    Raises:
        UsageError: a configuration is wrong.
    """
    for path in manifests_in(paths):
        if isinstance(path, ManifestError):
            yield ReadDocument(None, None, path)
            continue
        server = configurations.of(path).server
        for document in expand_lists(read_file(path)):
            if document.error is not None:
                yield ReadDocument(None, None, document.error)
                continue
            try:
                yield _read(document, server)
            except UnknownKind:
                continue


def _read(document: Document, server: ApiServer) -> ReadDocument:
    """Return a Job.

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
    if any(finding.severity == "error" for finding in findings):
        return ReadDocument(None, result)
    cron_job = _cron_job(value)
    created = engine.created_job(engine.decode_object(value))
    job = explained_job(created, cron_job)
    inner = "jobTemplate.spec." if cron_job else ""
    about = ExplainedObject(
        result.kind or "",
        result.namespace or "",
        result.name or "",
        result.shown_name,
        document.file,
        document.position("").line,
        server.release,
    )
    read = ReadJob(document, server, job, about, f"spec.{inner}podFailurePolicy.rules")
    return ReadDocument(read, result)


def objects_of(jobs: Iterable[ReadJob]) -> ExistingObjects:
    """Return Jobs and CronJobs as the objects that others of the same name are compared with."""
    return ExistingObjects(
        {
            (
                each.about.kind,
                each.about.namespace or "default",
                each.about.name,
            ): each.document.value
            for each in jobs
        }
    )


def earlier_version(
    read: ReadJob, existing: ExistingObjects | None, *, alone: bool
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
    created = engine.created_job(engine.decode_object(value))
    return explained_job(created, _cron_job(value))


def _cron_job(value: object) -> dict[str, Any] | None:
    """Return a valid object if it is a CronJob, and None for a Job."""
    return None if kind_of(value).name == "Job" else cast("dict[str, Any]", value)


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of a value and of all that is in it."""
    yield path
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{path}[{index}]")


def pods_in(path: str) -> list[dict[str, Any]]:
    """Read the Pods of a file.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    found = []
    for document in expand_lists(read_file(path)):
        if document.error is not None:
            raise InputError(str(document.error))
        problem = pod_problem(document.value)
        if problem is not None:
            place = document.position("")
            raise InputError(f"{document.file}:{place.line}: {problem}")
        found.append(cast("dict[str, Any]", document.value))
    if not found:
        raise InputError(f"{path} holds no Pod")
    return found
