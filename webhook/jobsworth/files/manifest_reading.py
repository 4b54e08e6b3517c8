"""Read the documents of manifests that a command takes beside, or instead of, those to validate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from jobsworth.files.existing_objects import Identity, identity
from jobsworth.files.located_findings import unreadable
from jobsworth.files.repository_root import manifests_in
from jobsworth.findings.result import Result
from jobsworth.manifests import Document, ManifestError, expand_lists, read_file
from jobsworth.usage_error import InputError


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


def read_stored(
    paths: Sequence[str], problem_of: Callable[[dict[str, Any]], str | None]
) -> Iterator[tuple[Document, dict[str, Any]]]:
    """Yield the objects in some files, such as ``kubectl get -o yaml`` prints them.

    Args:
        problem_of: returns why an object cannot be read; None if it can.

    Raises:
        InputError: a file or an object cannot be read.
    """
    for document in read_documents(paths):
        if isinstance(document, ManifestError):
            raise InputError(str(document))
        if not isinstance(document.value, dict):
            continue
        value = cast("dict[str, Any]", document.value)
        problem = problem_of(value)
        if problem is not None:
            raise InputError(f"{document.file}:{document.position('').line}: {problem}")
        yield document, value


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
