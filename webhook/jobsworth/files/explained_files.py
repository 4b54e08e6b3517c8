"""The Jobs and CronJobs to explain, the objects to compare them with, and failed Pods, from files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from jobsworth.api.api_server import ApiServer
from jobsworth.api.jobset.failure_policy import read_failure_policy
from jobsworth.api.jobset.names import REPLICATED_JOB
from jobsworth.api.jobset.versions import is_job_set
from jobsworth.api.stored import stored_problem
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.existing_objects import ExistingObjects
from jobsworth.files.file_evaluation import result_of
from jobsworth.files.located_findings import is_about_key
from jobsworth.files.repository_root import manifests_in
from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import INVALID, Result
from jobsworth.kinds.child import Child
from jobsworth.kinds.children import created_jobs
from jobsworth.kinds.job_set_children import children as job_set_children
from jobsworth.lint.edit import CODES
from jobsworth.lint.misidentified import near_miss
from jobsworth.lint.selection import Selection
from jobsworth.manifests import Document, ManifestError, expand_lists, read_file
from jobsworth.provenance.generated_fields import as_created
from jobsworth.runs.explanation.explained_job import ExplainedJob, ExplainedJobSet, explained_job
from jobsworth.runs.explanation.explanation import ExplainedObject, SourceLines
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import UnknownKind, engine_for, kind_of
from jobsworth.validation.job_sets import verdict

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
        yield from explained_documents(read_file(path), configurations.of(path).server)


def explained_documents(documents: Iterable[Document], server: ApiServer) -> Iterator[ReadDocument]:
    """Read the Jobs and CronJobs in documents, also in Lists, and what is unreadable or misspelt there."""
    for document in expand_lists(documents):
        if document.error is not None:
            yield ReadDocument(None, None, document.error)
            continue
        try:
            yield from read_document(document, server)
        except UnknownKind:
            finding = near_miss(document.value)
            if finding is not None and finding.severity == "error":
                yield ReadDocument(None, _result(document, [finding]))


@dataclass(frozen=True, slots=True)
class _Part:
    """A Job or CronJob: a document, or what an operator creates from it.

    Attributes:
        name: of the part; empty for the document.
        child: the origin of its fields; None for the document.
        job_set: the JobSet that creates it; None without one.
    """

    value: Any
    name: str = ""
    child: Child | None = None
    job_set: ExplainedJobSet | None = None

    def origin(self, path: str) -> str:
        """Return the field path in the document."""
        return path if self.child is None else self.child.origin(path) or ""

    def explained(self, server: ApiServer) -> ExplainedJob:
        """Return the valid Job."""
        engine, value = engine_for(server), self.value
        job = explained_job(engine.created_job(engine.decode_object(value)), _cron_job(value))
        return replace(job, job_set=self.job_set, server=server)


def _parts(value: Any, server: ApiServer) -> tuple[list[_Part], list[Finding]]:
    """Return the Jobs and CronJobs of an object, and the errors that keep it from having any."""
    if is_job_set(value):
        return _of_job_set(value, server, None)
    created = created_jobs(value)
    parts, errors = [], []
    for child in created:
        if is_job_set(child.value):
            inner, found = _of_job_set(child.value, server, child)
            parts += inner
            errors += found
        else:
            parts.append(_Part(child.value, child.what, child))
    return (parts, errors) if created else ([_Part(as_created(value))], [])


def _of_job_set(
    value: dict[str, Any], server: ApiServer, parent: Child | None
) -> tuple[list[_Part], list[Finding]]:
    decided = verdict(value, server=server)
    errors = [finding for finding in decided.findings if finding.severity == "error"]
    if errors or decided.defaulted is None:
        if parent is not None:
            errors = [each.changed(field=parent.origin(each.field) or "") for each in errors]
        return [], errors
    spec = decided.defaulted["spec"]
    policy = read_failure_policy(spec)
    number = sum(each.get("replicas", 1) for each in spec.get("replicatedJobs") or ())
    parts = []
    for child in job_set_children(decided.defaulted):
        name = child.value["metadata"]["labels"][REPLICATED_JOB]
        job_set = ExplainedJobSet(policy, name, number)
        own = child if parent is None else child.within(parent)
        parts.append(_Part(child.value, f"ReplicatedJob {name}", own, job_set))
    return parts, []


def read_document(document: Document, server: ApiServer) -> Iterator[ReadDocument]:
    """Yield the Jobs of a document.

    Raises:
        UnknownKind: it has none.
    """
    parts, errors = _parts(document.value, server)
    if errors:
        yield ReadDocument(None, _result(document, errors))
    for part in parts:
        yield _read_part(document, part, server)


def _read_part(document: Document, part: _Part, server: ApiServer) -> ReadDocument:
    findings = engine_for(server).validate(part.value)
    if part.child is not None:
        findings = [each.changed(field=part.origin(each.field)) for each in findings]
    result = _result(document, findings)
    if any(finding.severity == "error" for finding in findings):
        return ReadDocument(None, result)
    inner = "" if _cron_job(part.value) is None else "jobTemplate.spec."
    about = ExplainedObject(
        result.kind or "",
        result.namespace or "",
        result.name or "",
        result.shown_name,
        document.file,
        document.position("").line,
        server.release,
        part.name,
    )
    rules = part.origin(f"spec.{inner}podFailurePolicy.rules")
    return ReadDocument(ReadJob(document, server, part.explained(server), about, rules), result)


def _result(document: Document, findings: Sequence[Finding]) -> Result:
    places = [
        LocatedFinding(finding, place.line, place.column, document.source_line(place.line))
        for finding in findings
        for place in (document.position(finding.field, key=is_about_key(finding)),)
    ]
    return result_of(document, INVALID).replace(findings=places)


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


def earlier_object(read: ReadJob, existing: ExistingObjects | None, *, alone: bool) -> Any:
    """Return the object to compare with: that of the same name, or the other of two files with one Job each.

    None without one.
    """
    if existing is None:
        return None
    value = existing.old(read.document)
    if value is None and alone and len(existing.anywhere) == 1 and not existing.in_file:
        (value,) = existing.anywhere.values()
    return value


def runs_of_update(read: ReadJob, old: Any, now: float) -> tuple[str, ...]:
    """Return the runs that the update of a CronJob starts although their time has passed, or leaves out.

    Args:
        old: the CronJob before the update; None without one.
        now: the time of the update, in seconds since 1970.
    """
    if old is None or read.about.kind != "CronJob":
        return ()
    evaluator = Evaluator(read.server, Selection(select=CODES), api=False)
    found = evaluator.evaluate(Subject(read.document.value, old=old, now=now)).lint
    return tuple(finding.message for finding in found if finding.code in CODES)


def earlier_version(read: ReadJob, value: Any) -> ExplainedJob | None:
    """Return the Job of an object to compare with; None without one.

    Args:
        value: the object; None without one.
    """
    if value is None:
        return None
    parts, _ = _parts(value, read.server)
    same = next((part for part in parts if part.name == read.about.part), None)
    return None if same is None else same.explained(read.server)


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
        value = document.value
        problem: str | None = "not a Pod (kind: Pod)"
        if isinstance(value, dict) and value.get("kind") == "Pod":
            problem = stored_problem("Pod", value)
        if problem is not None:
            place = document.position("")
            raise InputError(f"{document.file}:{place.line}: {problem}")
        found.append(cast("dict[str, Any]", document.value))
    if not found:
        raise InputError(f"{path} holds no Pod")
    return found
