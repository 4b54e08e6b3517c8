"""The operations of the JSON patches of an overlay, and the places of what they set.

A JSON patch (RFC 6902) is a file of its own or a text in a kustomization. Its line has another form than the
line of the rendered manifest, so that only the path of an operation and its value lead to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jobsworth.files.located_findings import LITERAL_BLOCK
from jobsworth.findings.edits import locate
from jobsworth.manifests import Document, ManifestError, Position, read_bytes, read_text
from jobsworth.record import Record

SETTING = ("add", "replace")
"""The operations that have a value."""
LISTS = ("patches", "patchesJson6902")
"""The lists of a kustomization whose entries may have a JSON patch as a text."""
AT_END = "-"
"""The last part of a path that appends to a list."""

PositionOf = Callable[[str], Position]


class PatchOperation(Record):
    """An operation that sets a value.

    Attributes:
        file: the file that has it.
        value: what it sets.
        position: returns the position of a path in the value.
    """

    file: str
    value: Any
    position: PositionOf

    __hash__ = None  # type: ignore[assignment]


class JsonPatches:
    """The operations of the JSON patches in some files, which are read at the first question.

    Args:
        files: the kustomizations and patches of an overlay.
    """

    __slots__ = ("_by_path", "_files")

    def __init__(self, files: Iterable[str]) -> None:
        self._files = files
        self._by_path: dict[tuple[str, ...], list[PatchOperation]] | None = None

    def place(self, value: Any, field: str) -> tuple[str, Position] | None:
        """Return file and position of the only operation that has set the value of a field to what it is.

        Args:
            value: the rendered object.
            field: the path of a field in it.
        """
        if self._by_path is None:
            self._by_path = {}
            for path, operation in _operations(self._files):
                self._by_path.setdefault(path, []).append(operation)
        steps = locate(value, field).steps if self._by_path else ()
        path = tuple(map(str, steps))
        values = [value]
        for step in steps:
            values.append(values[-1][step])
        for length in range(len(path), 0, -1):
            set_here = self._by_path.get(path[:length], [])
            if isinstance(steps[length - 1], int):
                set_here = set_here + self._by_path.get((*path[: length - 1], AT_END), [])
            found = [each for each in set_here if _has(each.value, steps[length:], values[-1])]
            if len(found) == 1:
                rest = "".join(f"[{step}]" for step in steps[length:])
                return found[0].file, found[0].position(rest)
            if found:
                return None
        return None


def _has(value: Any, steps: Iterable[str | int], wanted: Any) -> bool:
    """Return True if a value has another one at a place."""
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return False
    return type(value) is type(wanted) and bool(value == wanted)


def _operations(files: Iterable[str]) -> Iterator[tuple[tuple[str, ...], PatchOperation]]:
    for file in files:
        data = read_bytes(file)
        for document in () if isinstance(data, ManifestError) else read_text(data, file):
            if document.error is not None:
                continue
            yield from _of_document(document, document.position)
            for name in LISTS:
                entries = document.value.get(name) if isinstance(document.value, dict) else None
                for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                    text = entry.get("patch") if isinstance(entry, dict) else None
                    if isinstance(text, str):
                        yield from _of_text(text, document, f"{name}[{index}].patch")


def _of_text(
    text: str, kustomization: Document, field: str
) -> Iterator[tuple[tuple[str, ...], PatchOperation]]:
    """Yield the operations of a patch that is a text in a kustomization."""
    for document in read_text(text.encode("utf-8", "replace"), kustomization.file):
        if document.error is None:
            yield from _of_document(document, _in_text(document, kustomization, field))


def _in_text(document: Document, kustomization: Document, field: str) -> PositionOf:
    """Return a function that returns the position in a kustomization of a path in a text that it has.

    The lines of a literal block are those of its text; of another text, only the place of the whole is known.
    """
    begin = kustomization.position(field)
    is_block = LITERAL_BLOCK.match(kustomization.source_line(begin.line)[begin.column - 1 :])

    def position(path: str) -> Position:
        if not is_block:
            return begin
        place = document.position(path)
        line = begin.line + place.line
        indentation = len(kustomization.source_line(line)) - len(document.source_line(place.line))
        return Position(line, place.column + indentation)

    return position


def _of_document(
    document: Document, position: PositionOf
) -> Iterator[tuple[tuple[str, ...], PatchOperation]]:
    operations = document.value if isinstance(document.value, list) else ()
    for index, each in enumerate(operations):
        if not isinstance(each, dict) or each.get("op") not in SETTING or "value" not in each:
            continue
        path = each.get("path")
        if isinstance(path, str):
            below = _below(position, f"[{index}].value")
            yield _steps(path), PatchOperation(document.file, each["value"], below)


def _below(position: PositionOf, path: str) -> PositionOf:
    return lambda rest: position(path + rest)


def _steps(pointer: str) -> tuple[str, ...]:
    """Return the parts of a JSON pointer (RFC 6901).

    >>> _steps("/metadata/annotations/a.b~1c")
    ('metadata', 'annotations', 'a.b/c')
    """
    return tuple(each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:])
