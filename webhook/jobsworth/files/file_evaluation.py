"""Read manifests, evaluate their objects, and locate each finding in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.evaluation.evaluation import TOO_LARGE
from jobsworth.evaluation.subject import Subject
from jobsworth.files.context.file_context import Surroundings
from jobsworth.files.existing_objects import ExistingObjects, describe
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, INVALID, SKIPPED, VALID, Result
from jobsworth.manifests import (
    ManifestError,
    may_hold_job,
    read_bytes,
    read_text,
)
from jobsworth.manifests.parsing.manifest_files import STDIN, shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.evaluation.evaluation import Evaluation
    from jobsworth.files.configuration.resolved_settings import Configurations, ResolvedSettings
    from jobsworth.findings.result import Status
    from jobsworth.lint.neighbors import Neighbors
    from jobsworth.lint.selection import Selection
    from jobsworth.manifests import Document
    from jobsworth.manifests.editing.scalar_text import ScalarTexts

IGNORE_MARK = b"jobsworth"
"""Every ignore comment or annotation contains these bytes."""

_ASTERISK, _AMPERSAND = b"*&"

PLACEHOLDER_MARKS = "$_@%<{"
"""Each placeholder has one of these characters."""

NO_INPUT = (
    "nothing came on standard input: check that the command before it succeeds, or allow this with "
    "--allow-empty"
)


class FileEvaluator:
    """Evaluates the objects in files.

    Args:
        configurations: give each file's API server, lint rules and policies.
        against: the existing objects that documents update.
        mixed: tolerate files that are not manifests: see :mod:`jobsworth.files.context.mixed_files`.
        changes: also compute the text changes of fixes.
        only_failing: only objects that make the run fail are reported: the others are not linted.
        allow_empty: standard input may have no object.
        together: the files and folders that the run validates; a Job can refer to the objects in them.
    """

    def __init__(
        self,
        configurations: Configurations,
        against: ExistingObjects | None = None,
        *,
        mixed: bool = False,
        changes: bool = False,
        only_failing: bool = False,
        allow_empty: bool = False,
        together: Sequence[str] = (),
    ) -> None:
        self._configurations = configurations
        self._against = against or ExistingObjects({})
        self._mixed = mixed
        self._changes = changes
        self._only_failing = only_failing
        self._allow_empty = allow_empty
        self._surroundings = Surroundings(together, configurations.excludes)

    def excludes(self, path: str) -> bool:
        """Return True for a file that a configuration or the command line excludes.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        return self._configurations.excludes(path)

    def file(self, path: str) -> list[Result]:
        """Return the results of a file's documents, in order.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        return self.text(path, read_bytes(path))

    def text(self, path: str, data: bytes | ManifestError) -> list[Result]:
        """Return the results of a file's documents, read from these bytes, or of the error in reading it.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        if path == STDIN and not self._allow_empty and isinstance(data, bytes) and is_empty(data):
            data = ManifestError(shown_name(path), 1, 1, NO_INPUT)
        if isinstance(data, ManifestError):
            from jobsworth.files.located_findings import unreadable

            return [unreadable(data)]
        name = shown_name(path)
        if self._mixed and not may_hold_job(data):
            return [Result(file=name, document=0, status=SKIPPED, findings=[])]
        settings = self._configurations.of(path)
        documents = read_text(data, name)
        neighbors = self._surroundings.neighbors(name, data, documents)
        texts = _ScalarTexts()
        marked = IGNORE_MARK in data
        quick = self._only_failing and settings.lint_fails_no_run and not marked
        results, evaluations = [], []
        for document in documents:
            result, evaluation = self._evaluated(document, settings, texts, neighbors, quick=quick)
            results.append(result)
            evaluations.append(evaluation)
        if self._mixed:
            from jobsworth.files.context.mixed_files import tolerate

            results = list(map(tolerate, results, documents))
        for result in results:
            result.fail_on = settings.fail_on
            result.selected = settings.selection.named
            if result.status == INVALID:
                from jobsworth.files.located_findings import skip_marked_patch

                skip_marked_patch(result)
                if any(map(_may_have_placeholder, result.findings)):
                    from jobsworth.files.context.templates import hint_at_placeholders

                    hint_at_placeholders(result)
        if not settings.selection.is_default:
            _choose(results, settings.selection)
        if marked:
            from jobsworth.files.ignore_comments import apply_ignores

            apply_ignores(documents, results, settings.selection)
        # Policies come last, so that no comment can ignore what the organization requires.
        for document, result, evaluation in zip(documents, results, evaluations, strict=True):
            if (
                evaluation is not None
                and evaluation.violations
                and result.status in (VALID, INVALID)
            ):
                from jobsworth.files.located_findings import add_violations

                add_violations(document, result, evaluation)
        if self._changes:
            from jobsworth.files.proposed_edits import add_changes

            add_changes(data, documents, results)
        return results

    def _evaluated(
        self,
        document: Document,
        settings: ResolvedSettings,
        texts: _ScalarTexts,
        neighbors: Neighbors | None,
        *,
        quick: bool,
    ) -> tuple[Result, Evaluation | None]:
        """Evaluate a document; the evaluation is None for one that is only reported.

        With ``quick``, an object that the API server accepts is not linted.
        """
        if document.error is not None:
            from jobsworth.files.located_findings import unreadable

            return unreadable(document.error, document), None
        result = result_of(document, VALID)
        if result.kind is not None:
            patch = self._surroundings.kustomize_patch(document.file)
            if patch is not None:
                from jobsworth.validation.engine import is_known

                if is_known(document.value):
                    from jobsworth.files.located_findings import skip_kustomize_patch

                    skip_kustomize_patch(document, result, patch)
                    return result, None
        old = self._against.old(document)
        subject = Subject(
            document.value,
            old=old,
            namespace=settings.namespace,
            file=document.file,
            beside=self._surroundings.chainsaw_tests(document.file),
            most_values=_most_values(document) if old is None else None,
            neighbors=neighbors,
            written=lambda field: texts.text(document, field),
        )
        if quick:
            evaluation = settings.evaluator_without_lint.evaluate(subject)
            quick = not any(finding.severity == "error" for finding in evaluation.api)
        if not quick:
            evaluation = settings.evaluator.evaluate(subject)
        _report(document, result, evaluation)
        return result, evaluation


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


def _report(document: Document, result: Result, evaluation: Evaluation) -> None:
    """Complete the result of a document from its evaluation."""
    from jobsworth.files import located_findings
    from jobsworth.findings import long_messages

    found = [*evaluation.api, *evaluation.lint]
    result.withheld = evaluation.withheld
    result.unfixable = evaluation.withheld_reason
    if TOO_LARGE in evaluation.unreadable:
        result.status = ERROR
    if not evaluation.known:
        result.status = SKIPPED
        if not found and b"batch/" not in document.text and b"obSet" not in document.text:
            return
        if not found:
            from jobsworth.files.located_findings import contained_jobs_in

            found = contained_jobs_in(document)
    if not (found or evaluation.further or document.notes):
        return
    result.replace_findings(
        [
            *(
                located_findings.located_in(document, finding)
                for finding in long_messages.shortened(found)
            ),
            *(
                located_findings.further_in(document, finding, evaluation)
                for finding in long_messages.shortened([*evaluation.further])
            ),
            *(located_findings.noted(document, note) for note in document.notes),
        ]
    )


def _most_values(document: Document) -> int | None:
    """Return the most values that a document can have by its length; None if it may have aliases.

    A schedule has stars, too, but no anchor.
    """
    text = document.text
    return None if _ASTERISK in text and _AMPERSAND in text else len(text)


def _choose(results: Sequence[Result], selection: Selection) -> None:
    """Keep the selected findings, with their configured severity."""
    for result in results:
        chosen = []
        for located in result.findings:
            finding = selection.adjusted(located.finding)
            if finding is not None:
                chosen.append(
                    located if finding is located.finding else located.with_finding(finding)
                )
        result.replace_findings(chosen)


def _may_have_placeholder(located: LocatedFinding) -> bool:
    """Return False for a finding whose value has no mark of a placeholder."""
    value = located.excerpt[(located.column or 1) - 1 :]
    return any(mark in value for mark in PLACEHOLDER_MARKS)


def result_of(document: Document, status: Status) -> Result:
    """Return the result for a document that could be read, without findings."""
    kind, namespace, name = describe(document.value)
    return Result(
        file=document.file,
        document=document.index,
        item=document.item,
        kind=kind,
        namespace=namespace,
        name=name,
        status=status,
        findings=[],
    )


def is_empty(data: bytes) -> bool:
    """Return True for a text without an object: blank lines, comments and separators."""
    text = data.lstrip()
    if text and text[:1] not in b"#-":
        return False
    return all(not line.strip() or line.startswith((b"#", b"---")) for line in text.split(b"\n"))
