"""The files of an overlay in which a value of a rendered resource can be written: patches, kustomizations."""

from __future__ import annotations

import os

from jobsworth.files.context.kustomize import patches_in
from jobsworth.files.repository_root import KUSTOMIZATIONS, is_within, root_around
from jobsworth.files.source_folders import folders_named_in
from jobsworth.manifests import ManifestError


def patch_files(folder: str) -> list[str]:
    """Return the patches of an overlay and its bases, and the kustomizations, which have patches inside.

    Args:
        folder: the folder of the overlay, which does not lead out of its repository.
    """
    root = root_around(folder)
    found: dict[str, None] = {}
    folders, seen = [folder], set()
    while folders:
        current = folders.pop(0)
        real = os.path.realpath(current)
        if real in seen:
            continue
        seen.add(real)
        named = [kustomization_of(current), *map(os.path.relpath, patches_in(current))]
        found |= dict.fromkeys(
            file
            for file in named
            if os.path.isfile(file) and (root is None or is_within(file, root))
        )
        folders += [
            each.path for each in folders_named_in(current) if not isinstance(each, ManifestError)
        ]
    return list(found)


def kustomization_of(folder: str) -> str:
    """Return the kustomization of a folder."""
    files = [os.path.join(folder, name) for name in KUSTOMIZATIONS]
    return os.path.normpath(next(filter(os.path.isfile, files), files[0]))
