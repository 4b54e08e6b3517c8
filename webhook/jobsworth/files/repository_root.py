"""The repository around a file, and paths that lead out of it.

A repository under review must not decide which other files of this machine are read or printed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from jobsworth.manifests import ManifestError, find_manifests

REPOSITORY = ".git"
"""A folder with an entry of this name is the root of a repository, a worktree or a submodule."""


CONFIGURATION = ".jobsworth.yaml"
"""A folder with a configuration of this name is the root of a project that is in no repository."""

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The names of a kustomization, in the order in which kustomize looks for them."""


def folder_of(path: str) -> str:
    """Return ``os.path.dirname(path)``: remembered, since files come one folder after the other.

    >>> [folder_of(path) for path in ("a/b/c.yaml", "c.yaml", "/c.yaml", "a//c.yaml")]
    ['a/b', '', '/', 'a']
    """
    return os.path.dirname(path) if os.altsep else _folder(path[: path.rfind(os.sep) + 1])


_folder = lru_cache(os.path.dirname)


def root_around(path: str) -> str | None:
    """Return the root of the repository that a file is in; None outside of a repository."""
    folder = os.path.dirname(os.path.abspath(path))
    while not is_root(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def folders_above(path: str) -> Iterator[str]:
    """Yield the folder of a file and those above it, up to the root of its repository."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder or is_root(folder):
            return
        folder = parent


def path_in_project(path: str) -> str:
    """Return a file's path from the root of its project, whatever the user has named it.

    The root is that of the repository, else the nearest folder with a configuration, else the current folder;
    of a file outside of it, only the folder that it is in is known to belong to the project.
    """
    if path == "-" or path.startswith("<"):
        return path  # standard input
    folder, name = os.path.split(path)
    return os.path.join(_folder_in_project(os.path.abspath(folder), os.getcwd()), name)


@lru_cache(maxsize=1024)
def _folder_in_project(folder: str, current: str) -> str:
    above = [folder, *_parents(folder)]
    root = next((each for each in above if is_root(each)), None) or next(
        (each for each in above if os.path.exists(os.path.join(each, CONFIGURATION))), None
    )
    if root is None:
        root = current if current in above else os.path.dirname(folder)
    return "" if root == folder else os.path.relpath(folder, root)


def _parents(folder: str) -> Iterator[str]:
    parent = os.path.dirname(folder)
    while parent != folder:
        yield parent
        folder, parent = parent, os.path.dirname(parent)


def is_root(folder: str) -> bool:
    """Return True for the root folder of a repository."""
    return os.path.exists(os.path.join(folder, REPOSITORY))


def is_within(path: str, folder: str) -> bool:
    """Return True if a path is in a folder, or is that folder; links are followed."""
    real, real_folder = os.path.realpath(path), os.path.realpath(folder)
    return real == real_folder or real.startswith(os.path.join(real_folder, ""))


def manifests_in(
    paths: Iterable[str], *, enters: Callable[[str], bool] = lambda folder: False
) -> Iterator[str | ManifestError]:
    """Return the files that paths select, and an error for each link out of the repository that it is in.

    Args:
        paths: files, folders, ``-``.
        enters: returns True for a hidden folder to search.
    """
    return find_manifests(paths, follows=_Links().stay, enters=enters)


def stays_in_repository(path: str) -> bool:
    """Return True for a path that leads to a place in the repository that it is in, or that is in none."""
    return _Links().stay(path)


class _Links:
    """Distinguishes links that stay in their repository from those that leave it."""

    def __init__(self) -> None:
        self._real_folders: dict[str, str] = {}

    def stay(self, path: str) -> bool:
        """Return True for a path that leads to a place in its repository, or that is in none."""
        folder = os.path.dirname(os.path.abspath(path))
        real_folder = self._real_folders.get(folder)
        if real_folder is None:
            real_folder = self._real_folders[folder] = os.path.realpath(folder)
        if real_folder == folder and not os.path.islink(path):
            return True
        root = root_around(path)
        return root is None or is_within(path, root)
