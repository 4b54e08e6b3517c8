"""What a branch changes: its manifests, each with the object that it is an update of.

Changed is a file that differs both from where the branch began and from what stands at the ref now: what
others did there meanwhile is not this branch's change. Its objects are updates of those at the ref.

An object is found again in its own file, or in another from which it has moved: one in which it stands no
more. So two overlays may have a Job of one name each, and are not taken for changes of one another. What
stands at the ref and is no valid object there was never in a cluster: its successor is judged as new.
"""

from __future__ import annotations

import os

from jobsworth.cli.command import UsageError
from jobsworth.cli.existing_objects import Existing, identity
from jobsworth.cli.inputs.git import Repository
from jobsworth.manifests import may_hold_job, read_text
from jobsworth.manifests.parsing.manifest_files import EXTENSIONS, STDIN
from jobsworth.validation.engine import UnknownKind, engine_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.cli.configuration.resolved_settings import Configurations
    from jobsworth.cli.existing_objects import Identity
    from jobsworth.validation.engine import Engine


def changed_manifests(
    ref: str, paths: Sequence[str], configurations: Configurations
) -> tuple[list[str], Existing]:
    """The manifests that the branch here changes, and what they are updates of.

    Args:
        ref: what git is asked for: a branch, a tag, a commit.
        paths: files and folders to stay within; none for the whole repository.
        configurations: tell which API server a file is for, and so what can have been in a cluster.

    Returns:
        The files, relative to the current folder, and a path that leads nowhere as it is; deleted files
        are left out. And the objects at the ref.

    Raises:
        UsageError: git cannot tell; a path is out of the repository; a configuration is wrong.
    """
    repository = Repository()
    commit = repository.commit(ref)
    standing = repository.changed_since(commit)
    changed = set(standing)
    base = repository.merge_base(commit)
    if base != commit:
        changed &= repository.changed_since(base).keys()
    changed.update(repository.untracked())
    names = {file: _name_here(repository, file) for file in sorted(changed)}
    found: dict[str, None] = {}
    for path in paths or [repository.top]:
        within = _within(repository, path)
        meant = [name for file, name in names.items() if _means(within, file)]
        found |= dict.fromkeys(name for name in meant if os.path.lexists(name))
        if not meant and not os.path.lexists(path):
            found[path] = None
    return list(found), _standing(repository, standing, configurations)


def _name_here(repository: Repository, file: str) -> str:
    """A file's path from the current folder."""
    return os.path.relpath(os.path.join(repository.top, file), os.path.realpath(os.curdir))


def _within(repository: Repository, path: str) -> str:
    """A path as git names it; empty for the top of the repository."""
    if path == STDIN:
        raise UsageError("--git-ref compares files: it cannot be used with - (standard input)")
    # A file that is a symbolic link is itself what git knows, so only its folder is resolved.
    folder, name = (path, "") if os.path.isdir(path) else os.path.split(os.path.abspath(path))
    relative = os.path.relpath(os.path.join(os.path.realpath(folder), name), repository.top)
    if relative.partition(os.sep)[0] == os.pardir:
        raise UsageError(f"--git-ref: {path} is not in the repository {repository.top}")
    return "" if relative == os.curdir else relative.replace(os.sep, "/")


def _means(within: str, file: str) -> bool:
    """Whether a path means a file: itself, or as a folder that is searched for manifests."""
    if file == within:
        return True
    prefix = f"{within}/" if within else ""
    folders = file.removeprefix(prefix).split("/")[:-1]
    return (
        file.startswith(prefix)
        and file.lower().endswith(EXTENSIONS)
        and not any(folder.startswith(".") for folder in folders)
    )


def _standing(
    repository: Repository, standing: dict[str, str], configurations: Configurations
) -> Existing:
    """The objects at the ref of the files that differ: any other file still has all of its own."""
    files = [file for file, content in standing.items() if content]
    contents = repository.contents([standing[file] for file in files])
    in_file: dict[tuple[str, Identity], Any] = {}
    moved: dict[Identity, list[Any]] = {}
    for file, content in zip(files, contents, strict=True):
        objects = _objects(content, file)
        if not objects:
            continue
        name = _name_here(repository, file)
        engine = engine_for(configurations.of(name).server)
        left = _objects(_now(name), file)
        for key, value in objects.items():
            if not _could_stand(value, engine):
                continue
            in_file[name, key] = value
            if key not in left:
                moved.setdefault(key, []).append(value)
    # Two of one name have moved: which is which, nobody can tell.
    anywhere = {key: values[0] for key, values in moved.items() if len(values) == 1}
    return Existing(anywhere, in_file)


def _now(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError:
        return b""  # deleted


def _objects(content: bytes, file: str) -> dict[Identity, Any]:
    if not may_hold_job(content):
        return {}
    values = [document.value for document in read_text(content, file) if document.error is None]
    return {key: value for value in values if (key := identity(value)) is not None}


def _could_stand(value: Any, engine: Engine) -> bool:
    try:
        return not any(finding.severity == "error" for finding in engine.validate(value))
    except UnknownKind:
        return False
