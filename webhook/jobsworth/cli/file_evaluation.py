"""Read manifests, evaluate their objects, and locate each finding in the file."""

from __future__ import annotations

from jobsworth.cli.existing_objects import ExistingObjects, describe
from jobsworth.cli.inputs.surroundings import Surroundings
from jobsworth.deferred_module import DeferredModule
from jobsworth.evaluation.evaluation import TOO_LARGE
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import is_at_least
from jobsworth.manifests import (
    ManifestError,
    may_hold_job,
    read_bytes,
    read_text,
)
from jobsworth.manifests.parsing.manifest_files import STDIN, shown_name
from jobsworth.reports.result import (
    ERROR,
    INVALID,
    SKIPPED,
    VALID,
    LocatedFinding,
    Result,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jobsworth.cli import located_findings
    from jobsworth.cli.configuration.resolved_settings import Configurations, ResolvedSettings
    from jobsworth.evaluation.evaluation import Evaluation
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.findings import long_messages
    from jobsworth.lint.neighbors import Neighbors
    from jobsworth.lint.selection import Selection
    from jobsworth.manifests import Document
    from jobsworth.manifests.editing.scalar_text import ScalarTexts
    from jobsworth.reports.result import Status
else:
    located_findings = DeferredModule("jobsworth.cli.located_findings")
    long_messages = DeferredModule("jobsworth.findings.long_messages")

IGNORE_MARK = b"jobsworth"
"""Every ignore comment or annotation contains these bytes."""

_ASTERISK, _AMPERSAND = b"*&"

PLACEHOLDER_MARKS = "$_@%<{"
"""Each placeholder has one of these characters."""

MOST_BYTES_TOGETHER = 1 << 17
"""The size of the files, or documents, that are evaluated together and so are in memory at the same time."""

MOST_DOCUMENTS_TOGETHER = 32
"""The maximum number of documents in a stage of their evaluation; more gain nothing."""

NO_INPUT = (
    "nothing came on standard input: check that the command before it succeeds, or allow this with "
    "--allow-empty"
)


class FileEvaluator:
    """Evaluates the objects in files.

    Args:
        configurations: give each file's API server, lint rules and policies.
        against: the existing objects that documents update.
        mixed: tolerate files that are not manifests: see :mod:`jobsworth.cli.inputs.tolerant`.
        changes: also compute the text changes of fixes.
        only_invalid: report only objects that make the run fail, so that other findings need no position.
        infos: report info findings; False if they are only counted, so that they need no position.
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
        only_invalid: bool = False,
        infos: bool = True,
        allow_empty: bool = False,
        together: Sequence[str] = (),
    ) -> None:
        self._configurations = configurations
        self._against = against or ExistingObjects({})
        self._mixed = mixed
        self._changes = changes
        self._only_invalid = only_invalid
        self._infos = infos
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
        return self.files((path,))[0]

    def text(self, path: str, data: bytes) -> list[Result]:
        """Return the results of a file's documents, read from these bytes.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        return self.texts(((path, data),))[0]

    def files(self, paths: Iterable[str]) -> list[list[Result]]:
        """Return the results of each file.

        Raises:
            UsageError: a configuration above one of them is wrong.
        """
        return self.texts((path, read_bytes(path)) for path in paths)

    def texts(self, texts: Iterable[tuple[str, bytes | ManifestError]]) -> list[list[Result]]:
        """Return the results of each file, read from these bytes, or of the error in reading it.

        Several files are evaluated together, stage by stage: see ``Evaluator.evaluate_manifests``.

        Raises:
            UsageError: a configuration above one of them is wrong.
        """
        results: list[list[Result]] = []
        begun: list[_BegunFile] = []
        size = 0
        for path, data in texts:
            begun.append(self._begun(path, data))
            size += len(begun[-1].data)
            if size > MOST_BYTES_TOGETHER:
                results += self._finished(begun)
                begun, size = [], 0
        return results + self._finished(begun)

    def passed_over(self, path: str, data: bytes) -> list[Result] | None:
        """Return the results of a file that is not parsed, because it has no Job; None for another.

        This takes less time than to look them up in a cache.
        """
        if not self._mixed or may_hold_job(data):
            return None
        return [Result(file=shown_name(path), document=0, status=SKIPPED, findings=[])]

    def _begun(self, path: str, data: bytes | ManifestError) -> _BegunFile:
        """Read the documents of a file."""
        if path == STDIN and not self._allow_empty and isinstance(data, bytes) and is_empty(data):
            data = ManifestError(shown_name(path), 1, 1, NO_INPUT)
        if isinstance(data, ManifestError):
            from jobsworth.cli.located_findings import unreadable

            return _BegunFile(b"", results=[unreadable(data)])
        skipped = self.passed_over(path, data)
        if skipped is not None:
            return _BegunFile(data, results=skipped)
        settings = self._configurations.of(path)
        return _BegunFile(data, read_text(data, shown_name(path)), shown_name(path), settings)

    def _finished(self, files: Sequence[_BegunFile]) -> list[list[Result]]:
        """Evaluate the documents of some files, and return the results of each file."""
        waiting: dict[Evaluator, list[tuple[_BegunDocument, Subject]]] = {}
        for file in files:
            if file.settings is not None:
                file.parts = self._parts(file, file.settings)
                subjects = [(each, each.subject) for each in file.parts if each.subject is not None]
                if subjects:
                    waiting.setdefault(file.settings.evaluator, []).extend(subjects)
        for evaluator, all_parts in waiting.items():
            for parts in _batches(all_parts):
                evaluations = evaluator.evaluate_manifests([subject for _, subject in parts])
                for (part, _), evaluation in zip(parts, evaluations, strict=True):
                    part.evaluation = evaluation
        for file in files:
            for part in file.parts:
                if part.evaluation is not None and file.settings is not None:
                    self._report(part, part.evaluation, file.settings)
        return [
            file.results if file.settings is None else self._results(file, file.settings)
            for file in files
        ]

    def _results(self, file: _BegunFile, settings: ResolvedSettings) -> list[Result]:
        """Return the results of a file whose documents have theirs: with what concerns the file."""
        data, documents, parts = file.data, file.documents, file.parts
        results = [part.result for part in parts]
        if self._mixed:
            from jobsworth.cli.inputs.tolerant import tolerate

            results = list(map(tolerate, results, documents))
        for result in results:
            result.fail_on = settings.fail_on
            result.selected = settings.selection.named
            if result.status == INVALID:
                from jobsworth.cli.located_findings import skip_marked_patch

                skip_marked_patch(result)
                if any(map(_may_have_placeholder, result.findings)):
                    from jobsworth.cli.inputs.unrendered import hint_at_placeholders

                    hint_at_placeholders(result)
        if not settings.selection.is_default:
            _choose(results, settings.selection)
        if file.marked:
            from jobsworth.cli.manifest_ignores import apply_ignores

            apply_ignores(documents, results, settings.selection)
        if settings.policies is not None:
            # Policies come last, so that no comment can ignore what the organization requires.
            for part, result in zip(parts, results, strict=True):
                evaluation = part.evaluation
                if evaluation is None or result.status not in (VALID, INVALID):
                    continue
                if evaluation.violations:
                    from jobsworth.cli.located_findings import add_violations

                    add_violations(part.document, result, evaluation)
        if self._changes:
            from jobsworth.cli.proposed_edits import add_changes

            add_changes(data, documents, results)
        return results

    def _parts(self, file: _BegunFile, settings: ResolvedSettings) -> list[_BegunDocument]:
        texts = _ScalarTexts()
        neighbors = self._surroundings.neighbors(file.name, file.data, file.documents)
        return [
            self._part(file, document, settings, texts, neighbors) for document in file.documents
        ]

    def _part(
        self,
        file: _BegunFile,
        document: Document,
        settings: ResolvedSettings,
        texts: _ScalarTexts,
        neighbors: Neighbors | None,
    ) -> _BegunDocument:
        """Return a document with its subject, or with its result if it is not evaluated."""
        if document.error is not None:
            from jobsworth.cli.located_findings import unreadable

            return _BegunDocument(document, unreadable(document.error, document))
        result = result_of(document, VALID)
        if result.kind is not None:
            patch = self._surroundings.kustomize_patch(document.file)
            if patch is not None:
                from jobsworth.validation.engine import is_known

                if is_known(document.value):
                    from jobsworth.cli.located_findings import skip_kustomize_patch

                    skip_kustomize_patch(document, result, patch)
                    return _BegunDocument(document, result)
        old = self._against.old(document)

        def written(field: str) -> str | None:
            return texts.text(document, field)

        subject = Subject(
            document.value,
            old=old,
            namespace=settings.namespace,
            file=document.file,
            beside=self._surroundings.chainsaw_tests(document.file),
            most_values=_most_values(document) if old is None else None,
            neighbors=neighbors,
            written=written,
            # No rule reports an error unless a configuration makes its findings errors.
            only_errors=(
                self._only_invalid
                and settings.selection.is_default
                and settings.fail_on in ("error", "never")
                and not file.marked
            ),
            counts_infos=self._counts_infos(file, settings),
        )
        return _BegunDocument(document, result, subject)

    def _counts_infos(self, file: _BegunFile, settings: ResolvedSettings) -> bool:
        """Return True if info findings are only counted, and nothing can hide one."""
        return (
            not self._infos
            and settings.selection.is_default
            and settings.fail_on != "info"
            and settings.policies is None
            and not file.marked
        )

    def _report(
        self, part: _BegunDocument, evaluation: Evaluation, settings: ResolvedSettings
    ) -> None:
        """Complete the result of a document from its evaluation."""
        document, result = part.document, part.result
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
                from jobsworth.cli.located_findings import contained_jobs_in

                found = contained_jobs_in(document)
        if not (found or evaluation.further or document.notes):
            return
        if (
            self._only_invalid
            and settings.selection.is_default
            and not any(is_at_least(finding.severity, settings.fail_on) for finding in found)
        ):
            return
        assert part.subject is not None
        if part.subject.counts_infos and result.status != SKIPPED:
            shown = [finding for finding in found if finding.severity != "info"]
            result.infos = len(found) - len(shown)
            if not (shown or evaluation.further or document.notes):
                return
            found = shown
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


class _BegunFile:
    """A file in the course of its evaluation.

    Attributes:
        data: its text.
        documents: the documents in it.
        name: its name in results.
        marked: True if it may have comments or annotations that ignore findings.
        settings: its settings; None if none of its documents is evaluated.
        results: the results, if none of its documents is evaluated.
        parts: the documents in the course of their evaluation, once that has begun.
    """

    __slots__ = ("data", "documents", "marked", "name", "parts", "results", "settings")

    def __init__(
        self,
        data: bytes,
        documents: Sequence[Document] = (),
        name: str = "",
        settings: ResolvedSettings | None = None,
        results: Sequence[Result] = (),
    ) -> None:
        self.data = data
        self.documents = documents
        self.name = name
        self.marked = settings is not None and IGNORE_MARK in data
        self.settings = settings
        self.results = list(results)
        self.parts: Sequence[_BegunDocument] = ()


class _BegunDocument:
    """A document in the course of its evaluation.

    Attributes:
        document: the document.
        result: its result, which lacks the findings of an evaluation until that has taken place.
        subject: what is evaluated; None for a document that is not.
        evaluation: the evaluation, once it has taken place.
    """

    __slots__ = ("document", "evaluation", "result", "subject")

    def __init__(self, document: Document, result: Result, subject: Subject | None = None) -> None:
        self.document = document
        self.result = result
        self.subject = subject
        self.evaluation: Evaluation | None = None


def _batches(
    parts: Iterable[tuple[_BegunDocument, Subject]],
) -> Iterator[list[tuple[_BegunDocument, Subject]]]:
    """Yield the documents to evaluate together: the decoded objects of a large file take much memory."""
    batch: list[tuple[_BegunDocument, Subject]] = []
    size = 0
    for each in parts:
        batch.append(each)
        size += len(each[0].document.text)
        if len(batch) == MOST_DOCUMENTS_TOGETHER or size > MOST_BYTES_TOGETHER:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


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
