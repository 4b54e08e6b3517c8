"""The folders that a chart or an overlay is rendered from, and what leads out of the repository in them.

helm follows every symbolic link in a chart. kustomize reads only files in the folder of a kustomization, but
takes any folder of the machine for a base.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from jobsworth.files.repository_root import KUSTOMIZATIONS, is_within, root_around
from jobsworth.manifests import ManifestError, read_file

_FIELDS = ("resources", "bases", "components", "generators", "transformers", "validators")
"""The fields of a kustomization that may name a folder; kustomize also takes ``Bases``."""


@dataclass(frozen=True, slots=True)
class NamedFolder:
    """A folder that a kustomization names.

    Attributes:
        path: the folder.
        file, line, column: where it is named.
    """

    path: str
    file: str
    line: int
    column: int


def folders_named_in(folder: str) -> Iterator[NamedFolder | ManifestError]:
    """Yield the folders that the kustomization of a folder names, and its error if it cannot be read."""
    for name in KUSTOMIZATIONS:
        file = os.path.join(folder, name)
        for document in read_file(file) if os.path.isfile(file) else ():
            if document.error is not None:
                yield document.error
            value = document.value if isinstance(document.value, dict) else {}
            for field, named in value.items():
                if not isinstance(field, str) or field.casefold() not in _FIELDS:
                    continue
                for index, each in enumerate(named if isinstance(named, list) else ()):
                    if not isinstance(each, str) or "\0" in each:
                        continue
                    # kustomize takes `a/../b` for `b`, also if there is no `a`.
                    path = os.path.normpath(os.path.join(folder, each))
                    if os.path.isdir(path):
                        place = document.position(f"{field}[{index}]")
                        yield NamedFolder(path, file, place.line, place.column)


def leads_out_of_repository(kind: str, path: str) -> ManifestError | None:
    """Return an error if rendering a chart or an overlay would read files outside of its repository.

    Args:
        kind: ``chart`` or ``overlay``.
        path: the folder, or a packed chart.
    """
    root = root_around(path)
    if root is None:
        return None
    if not is_within(path, root):
        return _link(path)
    return _chart(path, root) if kind == "chart" else _overlay(path, root)


def each_once(folders: list[str]) -> Iterator[str]:
    """Take folders off a list that grows meanwhile, and yield each once, by its real path."""
    seen = set()
    while folders:
        folder = folders.pop()
        real = os.path.realpath(folder)
        if real not in seen:
            seen.add(real)
            yield folder


def _chart(path: str, root: str) -> ManifestError | None:
    folders = [path]
    for folder in each_once(folders):
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:  # helm reports it, or it is a packed chart
            continue
        for entry in entries:
            if entry.is_symlink() and not is_within(entry.path, root):
                return _link(entry.path)
            if entry.is_dir():
                folders.append(entry.path)
    return None


def _overlay(path: str, root: str) -> ManifestError | None:
    folders = [path]
    for folder in each_once(folders):
        for name in KUSTOMIZATIONS:
            file = os.path.join(folder, name)
            if os.path.islink(file) and not is_within(file, root):
                return _link(file)
        for named in folders_named_in(folder):
            if isinstance(named, ManifestError):
                return named
            if not is_within(named.path, root):
                message = (
                    f"{named.path} is out of the repository, so nothing is rendered with it: put a copy into "
                    "the repository, or name the address of another one"
                )
                return ManifestError(named.file, named.line, named.column, message)
            folders.append(named.path)
    return None


def _link(path: str) -> ManifestError:
    message = (
        "this is a symbolic link out of the repository, so nothing is rendered with it: replace it by a copy "
        "of what it leads to"
    )
    return ManifestError(path, 1, 1, message)
