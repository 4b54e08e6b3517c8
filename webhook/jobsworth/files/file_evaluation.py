"""Read manifests, evaluate their objects, and locate each finding in the file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jobsworth.api.formats.names import readable_name
from jobsworth.evaluation.subject import Subject
from jobsworth.files.context.file_context import Surroundings
from jobsworth.files.existing_objects import NO_OBJECTS, describe
from jobsworth.files.located_findings import (
    add_violations,
    locate_findings,
    skip_kustomize_patch,
    skip_marked_patch,
    unreadable,
)
from jobsworth.findings.result import INVALID, SKIPPED, VALID, Result
from jobsworth.manifests import (
    ManifestError,
    might_contain_job,
    read_bytes,
    read_text,
)
from jobsworth.manifests.parsing.manifest_files import STDIN, shown_name
from jobsworth.record import Record
from jobsworth.validation.engine import is_known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from jobsworth.evaluation.evaluation import Evaluation
    from jobsworth.files.configuration.configurations import Configurations
    from jobsworth.files.configuration.resolved_settings import ResolvedSettings
    from jobsworth.files.existing_objects import OldObjects
    from jobsworth.files.origins import OriginFinder
    from jobsworth.files.rendering import Rendering
    from jobsworth.findings.finding import Finding
    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Status
    from jobsworth.lint.neighbors import Neighbors
    from jobsworth.lint.selection import Selection
    from jobsworth.manifests import Document
    from jobsworth.manifests.editing.scalar_text import ScalarTexts

    class DryRun(Protocol):
        """A dry run of documents in a cluster."""

        def add_to(
            self,
            evaluation: Evaluation,
            value: Any,
            lint: Callable[[dict[str, Any]], Sequence[Finding]],
        ) -> None:
            """Add the findings of the dry run of an object to its evaluation."""


IGNORE_MARK = b"jobsworth"
"""Every ignore comment or annotation contains these bytes."""

_ASTERISK, _AMPERSAND = b"*&"

_MANIFEST = b"manifest:"
"""The key of a manifest that is a text in an Argo Workflow."""

PLACEHOLDER_MARKS = "$_@%<{"
"""Each placeholder has one of these characters."""

RENDERED = "it is rendered: change its template"
"""The reason why fixes are withheld."""

NO_INPUT = (
    "nothing came on standard input: check that the command before it succeeds, or allow this with "
    "--allow-empty"
)


class EvaluationOptions(Record, kw_only=True):
    """Options of an evaluation of files.

    Attributes:
        validated_paths: the files and folders that the run validates; a Job can refer to the objects in them.
        tolerate_templates: skip files that are not manifests: see :mod:`jobsworth.files.context.mixed_files`.
        propose_changes: also compute the text changes of fixes.
        allow_empty: standard input may have no object.
        stdin_filename: the file that standard input stands for; empty if unknown.
        now: the time of updates, in seconds since 1970; None if there are none.
    """

    validated_paths: Sequence[str] = ()
    tolerate_templates: bool = False
    propose_changes: bool = False
    allow_empty: bool = False
    stdin_filename: str = ""
    now: float | None = None


NO_OPTIONS = EvaluationOptions()


class FileEvaluator:
    """Evaluates the objects in files.

    Args:
        configurations: give each file's API server, lint rules and policies.
        existing: the existing objects that documents update.
        options: options for all files.
        dry_runs: dry runs of the documents in a cluster; None for none.
    """

    def __init__(
        self,
        configurations: Configurations,
        existing: OldObjects = NO_OBJECTS,
        options: EvaluationOptions = NO_OPTIONS,
        dry_runs: DryRun | None = None,
    ) -> None:
        self._configurations = configurations
        self._existing = existing
        self._options = options
        self._dry_runs = dry_runs
        self._origins: OriginFinder | None = None
        self._surroundings = Surroundings(options.validated_paths, configurations.excludes)

    def file(self, path: str) -> list[Result]:
        """Read a file, and return the results of its documents, in order; or of the error in reading it.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        data = read_bytes(path, name=self.name(path))
        return [unreadable(data)] if isinstance(data, ManifestError) else self.text(path, data)

    def name(self, path: str) -> str:
        """Return the name of a file in results."""
        return shown_name(path, self._options.stdin_filename or None if path == STDIN else None)

    def text(self, path: str, data: bytes) -> list[Result]:
        """Return the results of the documents in the bytes of a file, in order.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        file, options = self.name(path), self._options
        if path == STDIN and not options.allow_empty and is_empty(data):
            return [unreadable(ManifestError(file, 1, 1, NO_INPUT))]
        if options.tolerate_templates and not might_contain_job(data):
            return [Result(file=file, document=0, status=SKIPPED, findings=[])]
        named = path != STDIN or options.stdin_filename
        settings = self._configurations.of(file if named else STDIN)
        documents = read_text(data, file)
        neighbors = self._surroundings.neighbors(file, data, documents)
        results = self._results(data, documents, settings, neighbors)
        if options.propose_changes:
            from jobsworth.files.proposed_edits import add_changes

            add_changes(data, documents, results)
        if not named:
            self._add_origins(documents, results)
        return results

    def documents(self, data: bytes, documents: Sequence[Document]) -> list[Result]:
        """Return the results of the documents of a program, in order.

        Args:
            data: the bytes of a file with them.

        Raises:
            UsageError: the configuration is wrong.
        """
        if not documents:
            return []
        file = documents[0].file
        neighbors = self._surroundings.neighbors(file, data, documents)
        return self._results(data, documents, self._configurations.of(file), neighbors)

    def rendered(self, rendering: Rendering) -> list[Result]:
        """Return the results of the documents of a chart or an overlay, in order.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        from jobsworth.files.origins import OriginFinder
        from jobsworth.lint.neighbors import Neighbors

        path = rendering.source.path
        settings = self._configurations.of(os.path.join(path, "manifest.yaml"))
        documents = read_text(rendering.data, path)
        templates = {id(document): rendering.template_of(document) for document in documents}
        neighbors = Neighbors.of([document.value for document in documents])
        results = self._results(rendering.data, documents, settings, neighbors)
        OriginFinder(lambda document: templates[id(document)]).add_to(documents, results)
        for result in results:
            result.withhold_fixes(RENDERED)
        return results

    def _results(
        self,
        data: bytes,
        documents: Sequence[Document],
        settings: ResolvedSettings,
        neighbors: Neighbors | None,
    ) -> list[Result]:
        """Return the results of documents, without what comments and annotations ignore."""
        options, texts = self._options, _ScalarTexts()
        results, evaluations = [], []
        for document in documents:
            result, evaluation = self._evaluated(document, settings, neighbors, texts)
            if options.tolerate_templates:
                from jobsworth.files.context.mixed_files import tolerate

                result = tolerate(result, document)
            _adjust(result, settings)
            results.append(result)
            evaluations.append(evaluation)
        if IGNORE_MARK in data:
            from jobsworth.files.ignore_comments import apply_ignores

            apply_ignores(documents, results, settings.selection)
        # Policies come last, so that no comment can ignore what the organization requires.
        for document, result, evaluation in zip(documents, results, evaluations, strict=True):
            if (
                evaluation is not None
                and evaluation.violations
                and result.status in (VALID, INVALID)
            ):
                add_violations(document, result, evaluation)
        return results

    def _add_origins(self, documents: Sequence[Document], results: Sequence[Result]) -> None:
        """Lead the results of standard input to the templates that rendered it, if any."""
        if self._origins is None:
            from jobsworth.files.origins import OriginFinder

            self._origins = OriginFinder()
        self._origins.add_to(documents, results)

    def _evaluated(
        self,
        document: Document,
        settings: ResolvedSettings,
        neighbors: Neighbors | None,
        texts: _ScalarTexts,
    ) -> tuple[Result, Evaluation | None]:
        """Evaluate a document; the evaluation is None for one that is unreadable or a patch."""
        if document.error is not None:
            return unreadable(document.error, document), None
        result = result_of(document, VALID)
        patch = None if result.kind is None else self._surroundings.kustomize_patch(document.file)
        if patch is not None and is_known(document.value):
            skip_kustomize_patch(document, result, patch)
            return result, None
        old = self._existing.old(document)
        subject = Subject(
            document.value,
            old=old,
            namespace=settings.namespace,
            file=document.file,
            beside=self._surroundings.chainsaw_tests(document.file),
            most_values=_most_values(document) if old is None else None,
            neighbors=neighbors,
            now=self._options.now,
            written=lambda field: texts.text(document, field),
        )
        evaluation = settings.evaluator.evaluate(subject)
        if self._dry_runs is not None:
            self._dry_runs.add_to(
                evaluation, document.value, lambda value: _lint(value, subject, settings)
            )
        locate_findings(document, result, evaluation)
        if not evaluation.known and _has_manifests(document):
            from jobsworth.files.embedded_manifests import add_embedded_jobs

            add_embedded_jobs(
                document,
                result,
                settings.kinds,
                lambda inner: self._evaluated(inner, settings, None, _ScalarTexts()),
            )
        return result, evaluation


def _lint(value: dict[str, Any], subject: Subject, settings: ResolvedSettings) -> Sequence[Finding]:
    """Return the lint findings in a changed form of a manifest."""
    changed = Subject(
        value, namespace=subject.namespace, file=subject.file, neighbors=subject.neighbors
    )
    return settings.evaluator.evaluate(changed).lint


def _has_manifests(document: Document) -> bool:
    return _MANIFEST in document.text and isinstance(document.value, dict)


def _adjust(result: Result, settings: ResolvedSettings) -> None:
    """Adjust a result to the settings, and to what its document turns out to be: a patch, a template."""
    result.fail_on = settings.fail_on
    result.selected = settings.selection.named
    if result.status == INVALID:
        skip_marked_patch(result)
        if any(map(_may_have_placeholder, result.findings)):
            from jobsworth.files.context.templates import hint_at_placeholders

            hint_at_placeholders(result)
    if not settings.selection.is_default:
        _choose(result, settings.selection)


class _ScalarTexts:
    """Returns the texts of scalars; imports what parses them only if a fix depends on one."""

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: ScalarTexts | None = None

    def text(self, document: Document, field: str) -> str | None:
        if self._texts is None:
            from jobsworth.manifests.editing.scalar_text import ScalarTexts

            self._texts = ScalarTexts()
        return self._texts.text(document, field)


def _most_values(document: Document) -> int | None:
    """Return the most values that a document can have by its length; None if it may have aliases.

    A schedule has stars, too, but no anchor.
    """
    text = document.text
    return None if _ASTERISK in text and _AMPERSAND in text else len(text)


def _choose(result: Result, selection: Selection) -> None:
    """Keep the selected findings, with their configured severity."""
    chosen = []
    for located in result.findings:
        finding = selection.adjusted(located.finding)
        if finding is not None:
            chosen.append(located if finding is located.finding else located.with_finding(finding))
    result.replace_findings(chosen)


def _may_have_placeholder(located: LocatedFinding) -> bool:
    """Return False for a finding whose value has no mark of a placeholder."""
    value = located.excerpt[(located.column or 1) - 1 :]
    return any(mark in value for mark in PLACEHOLDER_MARKS)


def result_of(document: Document, status: Status) -> Result:
    """Return the result for a document that could be read, without findings."""
    kind, namespace, name = describe(document.value)
    result = Result(
        file=document.file,
        document=document.index,
        item=document.item,
        kind=kind,
        namespace=namespace,
        name=name,
        status=status,
        findings=[],
    )
    if name is None and isinstance(document.value, dict):
        result.shown_name = readable_name(document.value.get("metadata"))
    return result


def is_empty(data: bytes) -> bool:
    """Return True for a text without an object: blank lines, comments and separators."""
    text = data.lstrip()
    if text and text[:1] not in b"#-":
        return False
    return all(not line.strip() or line.startswith((b"#", b"---")) for line in text.split(b"\n"))
