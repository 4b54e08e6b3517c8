"""The files around a manifest on which its results depend.

A kustomization may name the manifest as a patch, a Chainsaw test beside it may apply or assert it, and Jobs
in it may refer to objects in other files of its folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from jobsworth.files.repository_root import (
    KUSTOMIZATIONS,
    folder_of,
    folders_above,
    path_in_project,
)
from jobsworth.lint.neighbors import Neighbors
from jobsworth.manifests import Document, might_contain_job
from jobsworth.manifests.parsing.manifest_files import STDIN, TEXT, shown_name

if TYPE_CHECKING:
    from jobsworth.files.context.kustomize import Kustomizations, KustomizePatch
    from jobsworth.files.context.neighbor_files import NeighborFiles

_NO_FILES = (shown_name(STDIN), TEXT)


class Surroundings:
    """Finds the files around manifests; looks into each folder only once.

    Args:
        validated_paths: the files and folders that the run validates.
        excludes: returns True for a file that is excluded.
    """

    def __init__(self, validated_paths: Sequence[str], excludes: Callable[[str], bool]) -> None:
        self._validated_paths = validated_paths
        self._excludes = excludes
        self._neighbor_files: NeighborFiles | None = None
        self._kustomizations: Kustomizations | None = None
        self._kustomized: dict[str, bool] = {}
        self._chainsaw_tests: dict[str | None, ChainsawTests] = {}

    def neighbors(self, file: str, data: bytes, documents: Sequence[Document]) -> Neighbors | None:
        """Return the objects beside the Jobs of a file; None if there are none, or no Job.

        Args:
            file: the file, as results name it.
            data: its content.
            documents: the documents in it.
        """
        if not might_contain_job(data):
            return None
        values = [document.value for document in documents]
        if len(values) < 2 and self._is_alone(file):
            return None
        if self._validated_paths and file not in _NO_FILES:
            return self._folders().of(file, values)
        if len(values) < 2:
            return None
        from jobsworth.files.context.neighbor_files import repeated_keys
        from jobsworth.lint.neighbors import Neighbors

        return Neighbors.of(values, repeats=repeated_keys)

    def _folders(self) -> NeighborFiles:
        if self._neighbor_files is None:
            from jobsworth.files.context.neighbor_files import NeighborFiles, ValidatedFiles

            self._neighbor_files = NeighborFiles(
                ValidatedFiles(self._validated_paths, self._excludes)
            )
        return self._neighbor_files

    def _is_alone(self, file: str) -> bool:
        """Return True for the only file of a run, if no kustomization generates objects beside it."""
        alone = len(self._validated_paths) == 1 and self._validated_paths[0] == file
        return alone and not self._is_kustomized(file)

    def _is_kustomized(self, file: str) -> bool:
        """Return True if the folder of a file, or one above it, has a kustomization; most have none."""
        folder = folder_of(file)
        kustomized = self._kustomized.get(folder)
        if kustomized is None:
            kustomized = self._kustomized[folder] = any(
                os.path.isfile(os.path.join(above, name))
                for above in folders_above(file)
                for name in KUSTOMIZATIONS
            )
        return kustomized

    def kustomize_patch(self, file: str) -> KustomizePatch | None:
        """Return the kustomization that names a file as a patch; None if none does."""
        if file in _NO_FILES or not self._is_kustomized(file):
            return None
        if self._kustomizations is None:
            from jobsworth.files.context.kustomize import Kustomizations

            self._kustomizations = Kustomizations()
        return self._kustomizations.patch(file)

    def project_path(self, file: str) -> str:
        """Return a file's path from the root of its project; the name of a text."""
        return file if file in _NO_FILES else path_in_project(file)

    def chainsaw_tests(self, file: str) -> ChainsawTests:
        """Return the Chainsaw tests in a file's folder."""
        folder = None if file in _NO_FILES else folder_of(file)
        found = self._chainsaw_tests.get(folder)
        if found is None:
            found = self._chainsaw_tests[folder] = ChainsawTests(folder)
        return found


class ChainsawTests:
    """The names of the Chainsaw tests in a folder; looked up only if a fix depends on them, and once.

    Args:
        folder: the folder; None for standard input and texts.
    """

    __slots__ = ("_folder", "_names")

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._names: list[str] | None = None

    def __iter__(self) -> Iterator[str]:
        if self._names is None:
            from jobsworth.evaluation.fixes.fix_scope import CHAINSAW_TESTS

            folder = self._folder
            self._names = [
                name
                for name in CHAINSAW_TESTS
                if folder is not None and os.path.exists(os.path.join(folder, name))
            ]
        return iter(self._names)
