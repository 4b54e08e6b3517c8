"""Patches of kustomizations: files that look like Jobs, but hold only what changes in one.

A ``kustomization.yaml`` names its patches under ``patches`` (``path``), ``patchesStrategicMerge`` and
``patchesJson6902``; a component does, too. kustomize reads no files outside of the kustomization's folder, so
that the kustomizations that may name a file are beside or above it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from jobsworth.files.repository_root import KUSTOMIZATIONS, folders_above

COMPONENT = "Component"


@dataclass(frozen=True, slots=True)
class KustomizePatch:
    """The kustomization that names a patch.

    Attributes:
        folder: its folder, as seen from the current one.
        component: True if it is a component, which only an overlay can render.
    """

    folder: str
    component: bool

    def note(self, kind: str, name: str) -> str:
        """Return why the patch of an object is not validated, and what to run instead."""
        what = f"patch of {kind} {name}" if name else f"patch of a {kind}"
        if self.component:
            return (
                f"this is a {what} in the kustomize component {self.folder}, not a manifest; render an "
                "overlay that uses it and validate the result "
                "(jobsworth validate --kustomize OVERLAY, or --render for all overlays)"
            )
        return (
            f"this is a kustomize {what}, not a manifest; render it and validate the result "
            f"(jobsworth validate --kustomize {self.folder}, or --render for all overlays)"
        )


DIRECTIVE_NOTE = (
    "this is a patch: it has {directive}. It is not validated; validate the object that it changes "
    "(jobsworth validate --kustomize OVERLAY, or --render for all overlays)"
)


def directive_in(fields: Iterable[str]) -> str:
    """Return the first field that is a patch directive; empty if none is.

    >>> directive_in(["spec.made_up", "spec.template.spec.containers[0].$patch"])
    '$patch'
    """
    from jobsworth.evaluation.fixes.fix_scope import PATCH_DIRECTIVES  # few files have any

    names = (field.rpartition(".")[2] for field in fields)
    return next((name for name in names if name.startswith(PATCH_DIRECTIVES)), "")


class Kustomizations:
    """Finds the kustomization that names a file as a patch; reads each only once."""

    __slots__ = ("_patches",)

    def __init__(self) -> None:
        self._patches: dict[str, dict[str, KustomizePatch]] = {}

    def patch(self, file: str) -> KustomizePatch | None:
        """Return the kustomization that names a file as a patch; None if none does."""
        path = os.path.abspath(file)
        for folder in folders_above(file):
            found = self._of(folder).get(path)
            if found is not None:
                return found
        return None

    def _of(self, folder: str) -> dict[str, KustomizePatch]:
        """Return the patches of a folder's kustomization by their absolute paths."""
        patches = self._patches.get(folder)
        if patches is None:
            patches = self._patches[folder] = patches_in(folder)
        return patches


def patches_in(folder: str) -> dict[str, KustomizePatch]:
    """Return the patches that the kustomization of a folder names, by their paths below the folder's."""
    for name in KUSTOMIZATIONS:
        file = os.path.join(folder, name)
        if os.path.isfile(file):
            return _patches_of(folder, file)
    return {}


def _patches_of(folder: str, file: str) -> dict[str, KustomizePatch]:
    from jobsworth.manifests import ManifestError, read_bytes, read_text
    from jobsworth.regular_files import MAX_CONFIGURATION_BYTES

    data = read_bytes(file, most=MAX_CONFIGURATION_BYTES)
    if isinstance(data, ManifestError):
        return {}
    found: dict[str, KustomizePatch] = {}
    for document in read_text(data, file):
        value = document.value
        if document.error is None and isinstance(value, dict):
            shown = min(folder, os.path.relpath(folder), key=len)
            patch = KustomizePatch(shown, value.get("kind") == COMPONENT)
            for path in _named(value):
                found[os.path.normpath(os.path.join(folder, path))] = patch
    return found


def _named(kustomization: dict[str, Any]) -> Iterator[str]:
    for key in ("patches", "patchesJson6902", "patchesStrategicMerge"):
        listed = kustomization.get(key)
        for entry in listed if isinstance(listed, list) else ():
            path = entry.get("path") if isinstance(entry, dict) else entry
            # An entry of patchesStrategicMerge may be the patch itself.
            if isinstance(path, str) and path and "\n" not in path:
                yield path
