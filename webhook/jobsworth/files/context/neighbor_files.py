"""The objects in the files of a folder, to which the Jobs of another file there can refer.

Only files that the same run validates count, so that a file that is validated alone has no neighbors. A
folder is read when a Job is in it; only what rules need of its objects is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from jobsworth.files.repository_root import KUSTOMIZATIONS, folder_of, manifests_in
from jobsworth.lint.neighbors import (
    CONFIG_MAP,
    KINDS,
    SECRET,
    WRITERS,
    Neighbor,
    Neighbors,
    neighbor,
    texts_in,
    writing_texts,
)
from jobsworth.manifests import ManifestError, has_escapes, read_bytes, read_text
from jobsworth.manifests.parsing.manifest_files import EXTENSIONS, STDIN
from jobsworth.record import Record
from jobsworth.regular_files import MAX_CONFIGURATION_BYTES, MIB

T = TypeVar("T")

MAX_FILES = 1_000
MAX_BYTES = 16 * MIB
"""A folder with more manifests, or more bytes of objects, is taken as one without objects."""
MAX_FOLDERS = 8
"""The maximum number of folders that are remembered; files are validated folder by folder."""

_KINDS = frozenset(kind.encode() for kind in (*KINDS, "Certificate", "List", "OnePasswordItem"))
_WRITERS = tuple(writer.encode() for writer in WRITERS)
_SECRETS = b"Secret"
"""A file counts if one of these is a kind in it, or one that ends in Secret, such as ExternalSecret."""
_BEFORE_KIND = b" \t\"':"
_MAX_KIND_LENGTH = 40

COMPONENT = "Component"
CHANGES = (
    "components", "helmCharts", "patches", "patchesJson6902", "patchesStrategicMerge", "replacements",
    "transformers", "vars",
)  # fmt: skip
"""Keys of a kustomization that may change references, or the objects that they name."""


class ValidatedFiles:
    """The files that a run validates, by folder.

    Args:
        paths: files, folders and ``-``, as on the command line.
        excludes: returns True for a file that is excluded.
    """

    __slots__ = ("_excludes", "_folders", "_named")

    def __init__(self, paths: Iterable[str], excludes: Callable[[str], bool]) -> None:
        self._excludes = excludes
        self._folders: list[str] = []
        self._named: dict[str, list[str]] = {}
        for path in paths:
            absolute = os.path.abspath(path)
            if path == STDIN:
                continue
            if os.path.isdir(path):
                self._folders.append(os.path.join(absolute, ""))
            else:
                self._named.setdefault(os.path.dirname(absolute), []).append(path)

    def in_folder_of(self, file: str) -> list[str]:
        """Return the manifests in the folder of a file that the run validates, in order."""
        folder = os.path.dirname(file)
        absolute = os.path.abspath(folder)
        within = os.path.join(absolute, "")
        found = self._named.get(absolute, [])
        if any(within.startswith(each) for each in self._folders):
            named = {os.path.basename(each) for each in found}
            found = found + [
                each for each in _manifests_of(folder) if os.path.basename(each) not in named
            ]
        if len(found) > MAX_FILES:
            return []
        return [each for each in found if _stays(each) and not self._excludes(each)]


def _manifests_of(folder: str) -> list[str]:
    """Return the files of a folder that may be manifests, in order."""
    try:
        names = sorted(os.listdir(folder or os.curdir))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.lower().endswith(EXTENSIONS)]


def _stays(file: str) -> bool:
    """Return True for a file that is not a symbolic link out of its repository."""
    if not os.path.islink(file):
        return True
    return not any(isinstance(each, ManifestError) for each in manifests_in([file]))


class NeighborFiles:
    """The neighbors of files, read folder by folder.

    Args:
        validated: the files that the run validates.
    """

    __slots__ = ("_folders", "_validated")

    def __init__(self, validated: ValidatedFiles) -> None:
        self._validated = validated
        self._folders: dict[str, _Folder] = {}

    def of(self, file: str, values: Sequence[Any]) -> Neighbors:
        """Return the neighbors of the Jobs in a file.

        Args:
            file: the file, as the user named it.
            values: the objects of the file, which may differ from what is stored.
        """

        def objects() -> Iterator[Neighbor]:
            folder = self._folder(file)
            yield from folder.own(values)
            yield from folder.objects_beside(file)

        def texts() -> Iterator[str]:
            for value in values:
                yield from texts_in(value)
            yield from self._folder(file).texts_beside(file)

        def scripts() -> Iterator[str]:
            for value in values:
                yield from writing_texts(value)
            yield from self._folder(file).scripts_beside(file)

        return Neighbors(objects, texts, scripts, values, repeated_keys)

    def _folder(self, file: str) -> _Folder:
        path = folder_of(file)
        found = self._folders.get(path)
        if found is None:
            while len(self._folders) >= MAX_FOLDERS:
                del self._folders[next(iter(self._folders))]
            found = self._folders[path] = _Folder(path, self._validated.in_folder_of(file))
        return found


class _Folder:
    """The objects in the files of a folder."""

    __slots__ = ("_files", "_kustomization", "_objects", "_scripts", "_texts")

    def __init__(self, path: str, files: Sequence[str]) -> None:
        self._files = files if len(files) > 1 else ()
        self._kustomization = _kustomization_in(path)
        self._objects: dict[str, list[Neighbor]] | None = None
        self._texts: dict[str, list[str]] | None = None
        self._scripts: dict[str, list[str]] | None = None

    def own(self, values: Iterable[Any]) -> Iterator[Neighbor]:
        """Return the neighbors in the file of a Job, whose values are given, and generated ones."""
        if not self._kustomization.changes:
            yield from self._found_in(values)
            yield from self._kustomization.generated

    def objects_beside(self, file: str) -> Iterator[Neighbor]:
        """Return the objects in the other files of the folder."""
        if self._kustomization.changes:
            return
        if self._objects is None:
            self._objects = self._of_each(lambda values, file: list(self._found_in(values, file)))
        for other, objects in self._objects.items():
            if other != file:
                yield from objects

    def texts_beside(self, file: str) -> Iterator[str]:
        """Return the texts of the objects of other kinds in the other files of the folder."""
        if self._texts is None:
            self._texts = self._of_each(
                lambda values, file: [text for value in values for text in texts_in(value)]
            )
        for other, texts in self._texts.items():
            if other != file:
                yield from texts

    def scripts_beside(self, file: str) -> Iterator[str]:
        """Return the command lines and scripts in the other files of the folder that change objects."""
        if self._scripts is None:
            self._scripts = self._of_each(
                lambda values, file: [text for value in values for text in writing_texts(value)],
                may_hold=_may_hold_writer,
            )
        for other, texts in self._scripts.items():
            if other != file:
                yield from texts

    def _of_each(
        self,
        found_in: Callable[[list[Any], str], list[T]],
        may_hold: Callable[[bytes], bool] | None = None,
    ) -> dict[str, list[T]]:
        """Return what is found in each file that may have it; empty if the files are too large."""
        found, size = {}, 0
        for file, data in self._read(may_hold or _may_hold_neighbor):
            size += len(data)
            if size > MAX_BYTES:
                return {}
            found[file] = found_in(_values_in(data, file), file)
        return found

    def _read(self, may_hold: Callable[[bytes], bool]) -> Iterator[tuple[str, bytes]]:
        """Yield the files that may have what is looked for, with their content."""
        for file in self._files:
            data = read_bytes(file)
            if not isinstance(data, ManifestError) and may_hold(data):
                yield file, data

    def _found_in(self, values: Iterable[Any], file: str = "") -> Iterator[Neighbor]:
        """Yield the objects in a file, with the namespace that the kustomization gives them."""
        for value in values:
            found = neighbor(value, file)
            if found is not None:
                same = self._kustomization.sets_namespace
                yield found.replace(namespace="") if same else found


class _Kustomization(Record):
    """The effects of a kustomization on the objects of its folder.

    Attributes:
        changes: it may change references, or objects that are referred to.
        sets_namespace: it puts all objects into one namespace.
        generated: the ConfigMaps and Secrets that it generates; their keys are unknown.
    """

    changes: bool = False
    sets_namespace: bool = False
    generated: tuple[Neighbor, ...] = ()


_NO_KUSTOMIZATION = _Kustomization()


def _kustomization_in(folder: str) -> _Kustomization:
    for name in KUSTOMIZATIONS:
        file = os.path.join(folder, name)
        if not os.path.isfile(file):
            continue
        data = read_bytes(file, most=MAX_CONFIGURATION_BYTES)
        for value in () if isinstance(data, ManifestError) else _values_in(data, file):
            if isinstance(value, dict):
                changes = value.get("kind") == COMPONENT or any(value.get(key) for key in CHANGES)
                generated = tuple(_generated(value, file))
                return _Kustomization(changes, bool(value.get("namespace")), generated)
    return _NO_KUSTOMIZATION


def _generated(kustomization: dict[str, Any], file: str) -> Iterator[Neighbor]:
    for key, kind in (("configMapGenerator", CONFIG_MAP), ("secretGenerator", SECRET)):
        entries = kustomization.get(key)
        for entry in entries if isinstance(entries, list) else ():
            name = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(name, str):
                yield Neighbor(kind, "", name, file)


def _values_in(data: bytes, file: str) -> list[Any]:
    return [each.value for each in read_text(data, file) if each.error is None]


def _may_hold_neighbor(data: bytes) -> bool:
    """Return False for a file without an object that counts.

    >>> _may_hold_neighbor(b"kind: ConfigMap"), _may_hold_neighbor(b"kind: Job # of a ConfigMap")
    (True, False)
    """
    at = data.find(b"kind")
    while at >= 0:
        at += len(b"kind")
        words = data[at : at + _MAX_KIND_LENGTH].lstrip(_BEFORE_KIND).split(None, 1)
        kind = words[0].rstrip(b"\"',}") if words else b""
        if kind in _KINDS or kind.endswith(_SECRETS) or b"," in kind:
            return True
        at = data.find(b"kind", at)
    return has_escapes(data)


def _may_hold_writer(data: bytes) -> bool:
    return any(writer in data for writer in _WRITERS)


def repeated_keys(name: str, text: str) -> list[tuple[str, int, int]]:
    """Return the keys that a text of YAML or JSON has twice in one mapping, each with its two lines.

    >>> repeated_keys("a.yaml", "a: 1\\nb: 2\\na: 3\\n")
    [('a', 1, 3)]
    """
    return [
        (note.field.rpartition(".")[2], note.other.line, note.position.line)
        for document in read_text(text.encode("utf-8", "replace"), name)
        if document.error is None
        for note in document.notes
        if note.kind == "duplicate-key" and note.other is not None
    ]
