"""Read the documents of manifests that a command takes beside, or instead of, those to validate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.files.existing_objects import identity
from jobsworth.files.located_findings import unreadable
from jobsworth.files.repository_root import manifests_in
from jobsworth.manifests import ManifestError, expand_lists, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from jobsworth.files.existing_objects import Identity
    from jobsworth.findings.result import Result
    from jobsworth.manifests import Document


def read_documents(paths: Sequence[str]) -> Iterator[Document | ManifestError]:
    """Yield the documents under some paths, Lists by item, and an error in place of each unreadable one."""
    for document in _documents(paths):
        if isinstance(document, ManifestError) or document.error is None:
            yield document
        else:
            yield document.error


def _documents(paths: Sequence[str]) -> Iterator[Document | ManifestError]:
    for file in manifests_in(paths):
        if isinstance(file, ManifestError):
            yield file
        else:
            yield from expand_lists(read_file(file))


def read_existing(path: str) -> tuple[dict[Identity, Any], list[Result]]:
    """Read the objects in a file or folder by kind, namespace and name, and collect read errors."""
    objects: dict[Identity, Any] = {}
    failures = []
    for document in _documents([path]):
        if isinstance(document, ManifestError):
            failures.append(unreadable(document))
        elif document.error is not None:
            failures.append(unreadable(document.error, document))
        else:
            key = identity(document.value)
            if key is not None:
                objects[key] = document.value
    return objects, failures
