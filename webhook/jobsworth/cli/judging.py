"""Files in, results out: reads manifests, asks the engine, and finds the place of each finding."""

from __future__ import annotations

from jobsworth.api.finding import Finding
from jobsworth.manifests import ManifestError, expand_lists, find_manifests, read_file
from jobsworth.reports.result import ERROR, INVALID, SKIPPED, VALID, Located, Result
from jobsworth.validation.engine import UnknownKind, engine_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from jobsworth.api.server import ApiServer
    from jobsworth.manifests import Document, Note, Position

    Identity = tuple[str, str, str]

UNREADABLE = "JW090"
NOTE_CODES = {
    "duplicate-key": "JW301",
    "merge-override": "JW302",
    "coerced-key": "JW303",
    "dropped-content": "JW304",
    "replaced-bytes": "JW305",
}

FILES_FOR_ONE_PROCESS = 64
"""Up to so many files, starting another process takes longer than it saves."""
FILES_AT_A_TIME = 32


class Judge:
    """Judges files for one API server.

    Args:
        server: whose verdict is asked for.
        against: the objects that stand there already, by kind, namespace and name.
    """

    def __init__(self, server: ApiServer, against: dict[Identity, Any] | None = None) -> None:
        self._engine = engine_for(server)
        self._against = against or {}

    def file(self, path: str) -> list[Result]:
        """What is found in the documents of a file, in their order."""
        return [self._document(document) for document in expand_lists(read_file(path))]

    def _document(self, document: Document) -> Result:
        if document.error is not None:
            return unreadable(document.error, document)
        value = document.value
        kind, namespace, name = describe(value)
        located = []
        try:
            old = self._against.get((kind or "", namespace or "default", name or ""))
            found = self._engine.validate(value, old)
            status = INVALID if any(finding.severity == "error" for finding in found) else VALID
            located = [_locate(finding, document.position(finding.field), document) for finding in found]
            located += [_locate(_noted(note), note.position, document) for note in document.notes]
            located.sort(key=lambda place: (place.line or 0, place.column or 0))
        except UnknownKind:
            status = SKIPPED
        return Result(
            file=document.file,
            document=document.index,
            item=document.item,
            kind=kind,
            namespace=namespace,
            name=name,
            status=status,
            findings=located,
        )


def describe(value: Any) -> tuple[str | None, str | None, str | None]:
    """The kind, namespace and name of an object, each None where it is not known."""
    if not isinstance(value, dict):
        return None, None, None
    meta = value.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    parts = (value.get("kind"), meta.get("namespace"), meta.get("name"))
    kind, namespace, name = (part if isinstance(part, str) else None for part in parts)
    return kind, namespace, name


def _locate(finding: Finding, place: Position, document: Document) -> Located:
    return Located(finding, place.line, place.column, document.source_line(place.line))


def _noted(note: Note) -> Finding:
    return Finding(
        source="lint",
        severity="warning",
        code=NOTE_CODES[note.kind],
        field=note.field,
        reason=note.kind,
        message=note.message,
    )


def unreadable(error: ManifestError, document: Document | None = None) -> Result:
    """The result for a whole file, or a document of it, that cannot be read."""
    finding = Finding(
        source="lint",
        severity="error",
        code=UNREADABLE,
        field="",
        reason="Unreadable",
        message=error.message,
    )
    excerpt = document.source_line(error.line) if document is not None else ""
    return Result(
        file=error.file,
        document=document.index if document is not None else 0,
        status=ERROR,
        findings=[Located(finding, error.line, error.column, excerpt)],
    )


def read_documents(paths: Sequence[str]) -> Iterator[Document | ManifestError]:
    """Every document under some paths, the items of lists singly, and what could not be read."""
    for file in find_manifests(paths):
        if isinstance(file, ManifestError):
            yield file
        else:
            yield from expand_lists(read_file(file))


def read_existing(path: str) -> tuple[dict[Identity, Any], list[Result]]:
    """The objects in a file or folder by kind, namespace and name, and what could not be read."""
    objects: dict[Identity, Any] = {}
    failures = []
    for document in read_documents([path]):
        if isinstance(document, ManifestError):
            failures.append(unreadable(document))
        elif document.error is not None:
            failures.append(unreadable(document.error, document))
        else:
            kind, namespace, name = describe(document.value)
            if kind and name:
                objects[kind, namespace or "default", name] = document.value
    return objects, failures


def judge_all(
    judge: Judge, paths: Sequence[str], jobs: int, progress: Callable[[int, int], None]
) -> Iterator[Result]:
    """Judge every manifest under some paths, spread over processes where there are many.

    Args:
        judge: judges one file.
        paths: files, folders, ``-``.
        jobs: the greatest number of processes.
        progress: called with the number of files done and of all files.
    """
    found = list(find_manifests(paths))
    if jobs == 1 or len(found) <= FILES_FOR_ONE_PROCESS or "-" in found:
        batches = ([_judge_one(judge, file)] for file in found)
        yield from _counted(batches, len(found), progress)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, initializer=_adopt, initargs=(judge,)) as pool:
        batches = pool.map(_judge_some, _batches(found))
        yield from _counted(batches, len(found), progress)


def _counted(
    batches: Iterator[list[list[Result]]], total: int, progress: Callable[[int, int], None]
) -> Iterator[Result]:
    done = 0
    for batch in batches:
        for results in batch:
            yield from results
            done += 1
        progress(done, total)


def _batches(found: list[str | ManifestError]) -> Iterator[list[str | ManifestError]]:
    for start in range(0, len(found), FILES_AT_A_TIME):
        yield found[start : start + FILES_AT_A_TIME]


def _judge_one(judge: Judge, file: str | ManifestError) -> list[Result]:
    return [unreadable(file)] if isinstance(file, ManifestError) else judge.file(file)


_adopted: list[Judge] = []


def _adopt(judge: Judge) -> None:
    """Keep the judge in a worker process: what it has compiled serves every batch."""
    _adopted.append(judge)


def _judge_some(files: list[str | ManifestError]) -> list[list[Result]]:
    return [_judge_one(_adopted[0], file) for file in files]
