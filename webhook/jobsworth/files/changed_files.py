"""Find the manifests that a branch changes, each with the existing object that it updates.

A file counts as changed if it differs from both the merge base and the ref, so that later commits of others
at the ref are not this branch's change. Its objects are validated as updates of those at the ref.

An object is matched in its own file, or in a file that it has moved from and that no longer has it. So two
overlays with a Job of the same name are not mistaken for each other. An invalid object at the ref was never
in a cluster, so its successor is validated as new.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.existing_objects import ExistingObjects, Identity, identity
from jobsworth.files.git import Repository
from jobsworth.manifests import might_contain_job, read_text
from jobsworth.manifests.parsing.manifest_files import EXTENSIONS, STDIN
from jobsworth.regular_files import MAX_MANIFEST_BYTES, read_regular_file
from jobsworth.usage_error import UsageError
from jobsworth.validation.engine import Engine, UnknownKind, engine_for


class Changes(NamedTuple):
    """What a branch changes.

    Attributes:
        manifests: the changed manifests relative to the current folder (a nonexistent path as given; no
            deleted files).
        existing: the objects at the ref.
        files: all changed files, also deleted ones, relative to the current folder.
        within: the files and folders that were searched.
    """

    manifests: list[str]
    existing: ExistingObjects
    files: list[str]
    within: Sequence[str]


def changes_since(ref: str, paths: Sequence[str], configurations: Configurations) -> Changes:
    """Return the manifests that the current branch changes, and the objects that they update.

    Args:
        ref: a branch, a tag or a commit.
        paths: files and folders to stay within; none for the whole repository.
        configurations: give each file's API server, and so which objects can exist in a cluster.

    Raises:
        UsageError: git fails, a path is outside the repository, or a configuration is invalid.
    """
    with Repository() as repository:
        return _changed(repository, ref, paths, configurations)


def _changed(
    repository: Repository, ref: str, paths: Sequence[str], configurations: Configurations
) -> Changes:
    commit = repository.commit(ref)
    content_ids = repository.changed_since(commit)
    changed = set(content_ids)
    base = repository.merge_base(commit)
    if base != commit:
        changed &= repository.changed_since(base).keys()
    changed.update(repository.untracked())
    names = {file: _name_here(repository, file) for file in sorted(changed)}
    found: dict[str, None] = {}
    searched = paths or [_name_here(repository, "")]
    for path in searched:
        within = _within(repository, path)
        meant = [name for file, name in names.items() if _means(within, file)]
        found |= dict.fromkeys(name for name in meant if os.path.lexists(name))
        if not meant and not os.path.lexists(path):
            found[path] = None
    existing = _objects_at_ref(repository, content_ids, configurations)
    return Changes(list(found), existing, list(names.values()), searched)


def _name_here(repository: Repository, file: str) -> str:
    """Return a file's path relative to the current folder."""
    return os.path.relpath(os.path.join(repository.top, file), os.path.realpath(os.curdir))


def _within(repository: Repository, path: str) -> str:
    """Return a path as git names it; empty for the top of the repository."""
    if path == STDIN:
        raise UsageError("--git-ref compares files and cannot be used with - (standard input)")
    # Git tracks a symbolic link itself, so only its folder is resolved.
    folder, name = (path, "") if os.path.isdir(path) else os.path.split(os.path.abspath(path))
    relative = os.path.relpath(os.path.join(os.path.realpath(folder), name), repository.top)
    if relative.partition(os.sep)[0] == os.pardir:
        raise UsageError(f"--git-ref: {path} is not in the repository {repository.top}")
    return "" if relative == os.curdir else relative.replace(os.sep, "/")


def _means(within: str, file: str) -> bool:
    """Return True if a path is the file, or a folder in which the file is found."""
    if file == within:
        return True
    prefix = f"{within}/" if within else ""
    folders = file.removeprefix(prefix).split("/")[:-1]
    return (
        file.startswith(prefix)
        and file.lower().endswith(EXTENSIONS)
        and not any(folder.startswith(".") for folder in folders)
    )


def _objects_at_ref(
    repository: Repository, content_ids: dict[str, str], configurations: Configurations
) -> ExistingObjects:
    """Read the objects at the ref of the changed files; all other files still have their objects."""
    before = {file: content for file, content in content_ids.items() if content}
    in_file: dict[tuple[str, Identity], Any] = {}
    moved: dict[Identity, list[Any]] = {}
    for file, content in repository.contents(before):
        objects = _objects(content, file)
        if not objects:
            continue
        name = _name_here(repository, file)
        engine = engine_for(configurations.of(name).server)
        remaining = _objects(_now(name), file)
        for key, value in objects.items():
            if not _is_valid(value, engine):
                continue
            in_file[name, key] = value
            if key not in remaining:
                moved.setdefault(key, []).append(value)
    # If two different objects of one name have moved, the match is ambiguous.
    anywhere = {
        key: values[0] for key, values in moved.items() if all(each == values[0] for each in values)
    }
    return ExistingObjects(anywhere, in_file, frozenset(moved.keys() - anywhere.keys()))


def _now(name: str) -> bytes:
    try:
        return read_regular_file(name, MAX_MANIFEST_BYTES)
    except OSError:
        return b""  # deleted


def _objects(content: bytes, file: str) -> dict[Identity, Any]:
    if not might_contain_job(content):
        return {}
    values = [document.value for document in read_text(content, file) if document.error is None]
    return {key: value for value in values if (key := identity(value)) is not None}


def _is_valid(value: Any, engine: Engine) -> bool:
    try:
        return not any(finding.severity == "error" for finding in engine.validate(value))
    except UnknownKind:
        return False
