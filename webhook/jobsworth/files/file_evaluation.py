"""Read manifests, evaluate their objects, and locate each finding in the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.subject import Subject
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.resolved_settings import ResolvedSettings
from jobsworth.files.context.file_context import Surroundings
from jobsworth.files.existing_objects import NO_OBJECTS, OldObjects, describe
from jobsworth.files.located_findings import (
    hidden_by_near_miss,
    skipped_as_patch,
    unless_marked_as_patch,
    unreadable,
    with_located,
    with_violations,
)
from jobsworth.files.steps import Steps, result_of_steps
from jobsworth.findings.finding import Finding, Threshold
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, INVALID, NO_CODES, SKIPPED, VALID, Result, Status
from jobsworth.lint.neighbors import Neighbors
from jobsworth.lint.selection import Selection
from jobsworth.manifests import (
    Document,
    ManifestError,
    might_contain_job,
    read_bytes,
    read_text,
)
from jobsworth.manifests.parsing.manifest_files import STDIN, shown_name
from jobsworth.record import Record
from jobsworth.validation.engine import is_known
from kube_cel.formats.names import readable_name

if TYPE_CHECKING:
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.files.origins import OriginFinder
    from jobsworth.files.rendering import Rendering
    from jobsworth.manifests.editing.editable_text import ScalarTexts


class DryRun(Protocol):
    """A dry run of documents in a cluster."""

    def added_to(
        self,
        evaluation: Evaluation,
        value: Any,
        lint: Callable[[dict[str, Any]], Sequence[Finding]],
    ) -> Evaluation:
        """Return the evaluation of an object with the findings of its dry run."""


IGNORE_MARK = b"jobsworth"
"""Every ignore comment or annotation contains these bytes."""

_ASTERISK, _AMPERSAND = b"*&"

_MANIFEST = b"manifest:"
"""The key of a manifest that is a text in an Argo Workflow."""

PLACEHOLDER_MARKS = "$_@%<{("
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
        only_failing: only what makes the run fail is reported.
        allow_empty: standard input may have no object.
        stdin_filename: the file that standard input stands for; empty if unknown.
        now: the time of updates, in seconds since 1970; None if there are none.
    """

    validated_paths: Sequence[str] = ()
    tolerate_templates: bool = False
    propose_changes: bool = False
    only_failing: bool = False
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
        return result_of_steps(self.text_in_steps(path, data))

    def text_in_steps(self, path: str, data: bytes) -> Steps[list[Result]]:
        """Return the same in steps of one document each."""
        file, options = self.name(path), self._options
        if path == STDIN and not options.allow_empty and is_empty(data):
            return [unreadable(ManifestError(file, 1, 1, NO_INPUT))]
        if options.tolerate_templates and not might_contain_job(data):
            return [Result(file=file, status=SKIPPED)]
        named = path != STDIN or options.stdin_filename
        settings = self._configurations.of(file if named else STDIN)
        documents = read_text(data, file)
        neighbors = self._surroundings.neighbors(file, data, documents)
        results = yield from self._results_in_steps(data, documents, settings, neighbors)
        if options.propose_changes:
            from jobsworth.files.proposed_edits import with_changes

            results = with_changes(data, documents, results)
        return results if named else self._with_origins(documents, results)

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
        from jobsworth.files.context.neighbor_files import repeated_keys
        from jobsworth.files.ignore_comments import SourceIgnores
        from jobsworth.files.origins import OriginFinder
        from jobsworth.lint.neighbors import Neighbors

        path = rendering.source.path
        settings = self._configurations.of(rendering.source.settings_path)
        documents = read_text(rendering.data, path)
        templates = {id(document): rendering.template_of(document) for document in documents}
        neighbors = Neighbors.of([document.value for document in documents], repeats=repeated_keys)
        results = self._results(rendering.data, documents, settings, neighbors)
        overlay = os.path.normpath(path) if rendering.source.kind == "overlay" else ""
        found = OriginFinder(
            lambda document: templates[id(document)],
            overlay,
            rendering.values,
            rendering.value_files,
        )
        ignores = SourceIgnores()
        return [
            ignores.without_ignored(result).without_fixes(RENDERED)
            for result in found.added_to(documents, results)
        ]

    def _results(
        self,
        data: bytes,
        documents: Sequence[Document],
        settings: ResolvedSettings,
        neighbors: Neighbors | None,
    ) -> list[Result]:
        return result_of_steps(self._results_in_steps(data, documents, settings, neighbors))

    def _results_in_steps(
        self,
        data: bytes,
        documents: Sequence[Document],
        settings: ResolvedSettings,
        neighbors: Neighbors | None,
    ) -> Steps[list[Result]]:
        """Return the results of documents. Violations of policies come last, so that nothing ignores them."""
        results, evaluations, texts = [], [], _ScalarTexts()
        for document in documents:
            result, evaluation = self._evaluated_document(document, settings, neighbors, texts)
            results.append(self._adjusted(result, document, settings))
            evaluations.append(evaluation)
            yield
        if IGNORE_MARK in data:
            from jobsworth.files.ignore_comments import without_ignored

            results = without_ignored(documents, results, settings.selection)
        return list(map(with_violations, results, documents, evaluations))

    def _evaluated_document(
        self,
        document: Document,
        settings: ResolvedSettings,
        neighbors: Neighbors | None,
        texts: _ScalarTexts,
    ) -> tuple[Result, Evaluation | None]:
        """Evaluate a document; the evaluation is None for one that is unreadable or a patch."""
        named = settings.selection.named
        if document.error is not None:
            failed = unreadable(document.error, document)
            return failed.replace(fail_on=settings.fail_on, selected=named), None
        result = result_of(document, VALID, fail_on=settings.fail_on, selected=named)
        patch = None if result.kind is None else self._surroundings.kustomize_patch(document.file)
        if patch is not None:
            if is_known(document.value):
                return skipped_as_patch(result, document, patch), None
            neighbors = None  # several patches of a file may change one object
        evaluation = self._evaluation_of(document, settings, neighbors, texts)
        result = with_located(result, document, evaluation)
        if not evaluation.known and _has_manifests(document):
            from jobsworth.files.embedded_manifests import with_embedded_jobs

            result = with_embedded_jobs(
                result,
                document,
                settings.kinds,
                lambda inner: self._evaluated_document(inner, settings, None, _ScalarTexts()),
            )
        return result, evaluation

    def _evaluation_of(
        self,
        document: Document,
        settings: ResolvedSettings,
        neighbors: Neighbors | None,
        texts: _ScalarTexts,
    ) -> Evaluation:
        old = self._existing.old(document)
        subject = Subject(
            document.value,
            old=old,
            namespace=settings.namespace,
            file=self._surroundings.project_path(document.file),
            beside=self._surroundings.chainsaw_tests(document.file),
            most_values=_most_values(document) if old is None else None,
            neighbors=neighbors,
            now=self._options.now,
            written=lambda field: texts.text(document, field),
        )
        evaluation = self._evaluator(document, settings).evaluate(subject)
        if self._dry_runs is None:
            return evaluation
        return self._dry_runs.added_to(
            evaluation, document.value, lambda value: _lint(value, subject, settings)
        )

    def _evaluator(self, document: Document, settings: ResolvedSettings) -> Evaluator:
        """Return the evaluator of a document, which may lint less if only what fails is reported.

        An object of which nothing but the verdict can make the run fail is a Job or CronJob without notes of
        the parser and comments that ignore findings.
        """
        plain = (
            self._options.only_failing
            and self._dry_runs is None
            and not document.notes
            and IGNORE_MARK not in document.text
            and is_known(document.value)
        )
        return settings.evaluator_of_failing if plain else settings.evaluator

    def _adjusted(self, result: Result, document: Document, settings: ResolvedSettings) -> Result:
        """Return a result as its document turns out to be, a template or a patch, and as settings select."""
        if self._options.tolerate_templates or self._is_of_chart(result):
            from jobsworth.files.context.mixed_files import tolerated

            result = tolerated(result, document)
        elif (
            result.status == ERROR
            and self._options.validated_paths
            and not self._is_named(document)
        ):
            from jobsworth.files.context.mixed_files import unless_foreign

            result = unless_foreign(result, document)
        if result.status == SKIPPED and result.findings and self._is_named(document):
            result = _without_version_rejected(result, document)
        if result.status == INVALID:
            result = unless_marked_as_patch(result)
        if result.status == INVALID and any(map(_may_have_placeholder, result.findings)):
            from jobsworth.files.context.text_hints import with_hints_at_placeholders

            result = with_hints_at_placeholders(result)
        return result if settings.selection.is_default else _selected(result, settings.selection)

    def _is_named(self, document: Document) -> bool:
        paths = self._options.validated_paths
        return document.file in paths or (STDIN in paths and document.file == self.name(STDIN))

    def _is_of_chart(self, result: Result) -> bool:
        """Return True for a file with errors that a run has found in a chart."""
        if result.status not in (ERROR, INVALID) or result.file in self._options.validated_paths:
            return False
        from jobsworth.files.charts import chart_around

        return chart_around(result.file) is not None

    def _with_origins(
        self, documents: Sequence[Document], results: Sequence[Result]
    ) -> list[Result]:
        """Lead the results of standard input to the templates that rendered it, if any."""
        if self._origins is None:
            from jobsworth.files.origins import OriginFinder

            self._origins = OriginFinder()
        return self._origins.added_to(documents, results)


def _without_version_rejected(result: Result, document: Document) -> Result:
    """Return a skipped Job without apiVersion as invalid: a named file is to be applied."""
    from jobsworth.lint.misidentified import NEAR_MISS

    if not isinstance(document.value, dict) or document.value.get("apiVersion"):
        return result
    rejected = result.with_findings(
        [
            each.with_finding(each.finding.with_severity("error"))
            if each.finding.code == NEAR_MISS.code
            else each
            for each in result.findings
        ]
    )
    return hidden_by_near_miss(rejected, [each.finding for each in rejected.findings])


def _lint(value: dict[str, Any], subject: Subject, settings: ResolvedSettings) -> Sequence[Finding]:
    """Return the lint findings in a changed form of a manifest."""
    changed = Subject(
        value, namespace=subject.namespace, file=subject.file, neighbors=subject.neighbors
    )
    return settings.evaluator.evaluate(changed).lint


def _has_manifests(document: Document) -> bool:
    return _MANIFEST in document.text and isinstance(document.value, dict)


class _ScalarTexts:
    """Returns the texts of scalars; imports what parses them only if a fix depends on one."""

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: ScalarTexts | None = None

    def text(self, document: Document, field: str) -> str | None:
        if self._texts is None:
            from jobsworth.manifests.editing.editable_text import ScalarTexts

            self._texts = ScalarTexts()
        return self._texts.text(document, field)


def _most_values(document: Document) -> int | None:
    """Return the most values that a document can have by its length; None if it may have aliases.

    A schedule has stars, too, but no anchor.
    """
    text = document.text
    return None if _ASTERISK in text and _AMPERSAND in text else len(text)


def _selected(result: Result, selection: Selection) -> Result:
    """Return a result with the selected findings only, each with its configured severity."""
    chosen = []
    for located in result.findings:
        finding = selection.adjusted(located.finding)
        if finding is not None:
            chosen.append(located if finding is located.finding else located.with_finding(finding))
    return result.with_findings(chosen)


def _may_have_placeholder(located: LocatedFinding) -> bool:
    """Return False for a finding whose value has no mark of a placeholder."""
    value = located.excerpt[(located.column or 1) - 1 :]
    return any(mark in value for mark in PLACEHOLDER_MARKS)


def result_of(
    document: Document,
    status: Status,
    *,
    fail_on: Threshold = "error",
    selected: frozenset[str] = NO_CODES,
) -> Result:
    """Return the result for a document that could be read, without findings."""
    kind, namespace, name = describe(document.value)
    generated = ""
    if name is None and isinstance(document.value, dict):
        generated = readable_name(document.value.get("metadata"))
    return Result(
        file=document.file,
        document=document.index,
        item=document.item,
        kind=kind,
        namespace=namespace,
        name=name,
        generated_name=generated,
        status=status,
        fail_on=fail_on,
        selected=selected,
    )


def is_empty(data: bytes) -> bool:
    """Return True for a text without an object: blank lines, comments and separators."""
    text = data.lstrip()
    if text and text[:1] not in b"#-":
        return False
    return all(not line.strip() or line.startswith((b"#", b"---")) for line in text.split(b"\n"))
