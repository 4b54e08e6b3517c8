"""A private git directory: the commits and refs of a repository, without its configuration and hooks.

The author of an unpacked archive also wrote its ``.git/config``. Git runs the programs and reads the files
that are named there, by keys that each release adds to, and no option makes git ignore it. So git gets a
directory of our own, whose entries are links to those of the repository, as in git's
``contrib/workdir/git-new-workdir``. Its configuration has only the settings that say how the repository is
stored. The configuration of the user and of the system applies as always.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from jobsworth.files.programs import run_program
from jobsworth.files.repository_root import REPOSITORY, is_within, root_around
from jobsworth.regular_files import MAX_CONFIGURATION_BYTES, read_regular_file
from jobsworth.usage_error import UsageError

Settings = list[tuple[str, str]]

NO_REPOSITORY = "this folder is not in a git repository; run jobsworth in the branch's repository"

_ENTRIES = ("info", "logs", "packed-refs", "refs", "reftable", "shallow")
"""What git reads of refs and history, besides HEAD and the like. Variables name objects and index."""

_GITDIR = "gitdir: "

_SPLIT_INDEX = "sharedindex."

_OUR_OWN = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""Variables of git's environment: nothing is fetched, written or asked for, and errors are in English."""

_KEPT = frozenset(
    (
        "core.autocrlf", "core.checkstat", "core.eol", "core.filemode", "core.ignorecase",
        "core.precomposeunicode", "core.sparsecheckout", "core.sparsecheckoutcone", "core.symlinks",
        "core.trustctime", "push.default", "remote.pushdefault",
    )
)  # fmt: skip
_KEPT_OF_EACH = frozenset(
    (
        ("branch", "merge"), ("branch", "pushremote"), ("branch", "remote"),
        ("remote", "fetch"), ("remote", "push"),
    )
)  # fmt: skip
"""Settings of each branch and remote, for refs such as ``@{upstream}``. None names a program or a file."""

_KEPT_VALUES = {
    "core.repositoryformatversion": ("0", "1"),
    "extensions.objectformat": ("sha1", "sha256"),
    "extensions.refstorage": ("files", "reftable"),
}
"""Settings of the format, with the values that git has: other values could name files."""


@dataclass(frozen=True, slots=True)
class GitFolders:
    """The folders of a repository.

    Attributes:
        top: the top of the working tree.
        own: the git directory of this working tree.
        common: the git directory that it shares with other working trees; mostly the same.
        settings: what the configuration says, without files that it includes.
    """

    top: str
    own: str
    common: str
    settings: Settings

    @property
    def is_partial(self) -> bool:
        """Return True for a partial clone."""
        return any(name.endswith((".promisor", ".partialclone")) for name, _ in self.settings)

    def holds(self, path: str) -> bool:
        """Return True for a path that leads to a place in the repository."""
        return any(is_within(path, folder) for folder in (self.top, self.own, self.common))


def git_folders(git: str) -> GitFolders:
    """Return the folders of the repository around the current folder, or of the one that ``GIT_DIR`` names.

    Args:
        git: the path of the git command.

    Raises:
        UsageError: there is none, or it leads to another one, or to files elsewhere.
        ProgramError: git cannot be run.
    """
    named = os.environ.get("GIT_DIR")
    if named:
        own = os.path.realpath(named)
        top = os.path.realpath(os.environ.get("GIT_WORK_TREE") or os.curdir)
        common = os.environ.get("GIT_COMMON_DIR") or _common(own)
        return GitFolders(top, own, common, _settings(own, common, git))
    found = root_around(os.path.join(os.curdir, REPOSITORY))
    if found is None or _is_above_a_ceiling(found):
        raise UsageError(f"--git-ref: {NO_REPOSITORY}")
    top = os.path.realpath(found)
    own = _own(top)
    common = _common(own)
    folders = GitFolders(top, own, common, _settings(own, common, git))
    if not _belongs(folders):
        _refuse(os.path.join(top, REPOSITORY), folders)
    for path in _read_by_git(folders):
        mode = os.lstat(path).st_mode
        regular = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
        if not (regular or (stat.S_ISLNK(mode) and folders.holds(path))):
            _refuse(path, folders)
    _check_alternates(os.path.join(common, "objects"), folders, set())
    return folders


def _is_above_a_ceiling(top: str) -> bool:
    """Return True for a folder above the current one in which the user wants no repository looked for."""
    here = os.path.realpath(os.curdir)
    ceilings = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    return any(
        is_within(here, ceiling) and is_within(ceiling, top) and os.path.realpath(ceiling) != here
        for ceiling in filter(os.path.isabs, ceilings)
    )


def _own(top: str) -> str:
    """Return the git directory of a working tree: ``.git``, or the folder that this file or link names."""
    entry = os.path.join(top, REPOSITORY)
    if os.path.isdir(entry):
        return os.path.realpath(entry)
    text = _text(entry)
    if not text.startswith(_GITDIR):
        raise UsageError(f"--git-ref: {NO_REPOSITORY}")
    return os.path.realpath(os.path.join(top, text.removeprefix(_GITDIR)))


def _common(own: str) -> str:
    return os.path.realpath(os.path.join(own, _text(os.path.join(own, "commondir"))))


def _belongs(folders: GitFolders) -> bool:
    """Return True for a git directory that is in the working tree, or that names it as its own.

    An archive cannot make another repository of this machine its own: that would have to name it.
    """
    top, own, common = folders.top, folders.own, folders.common
    if own != common:
        if os.path.dirname(own) != os.path.join(common, "worktrees"):
            return False
        linked = _text(os.path.join(own, "gitdir"))
        return bool(linked) and is_within(os.path.join(own, linked), os.path.join(top, REPOSITORY))
    if is_within(own, top):
        return True
    worktree = dict(folders.settings).get("core.worktree")
    return worktree is not None and os.path.realpath(os.path.join(own, worktree)) == top


def _read_by_git(folders: GitFolders) -> Iterator[str]:
    """Yield the paths of the git directories that git reads, but for loose objects.

    Git quotes lines of some files in its errors.
    """
    for folder in {folders.own, folders.common}:
        for name in _visible(folder):
            yield from _tree(os.path.join(folder, name))
    objects = os.path.join(folders.common, "objects")
    yield from filter(os.path.lexists, (objects, os.path.join(folders.own, "index")))
    for name in ("", "info", "pack"):
        yield from _children(os.path.join(objects, name))


def _tree(path: str) -> Iterator[str]:
    """Yield a path and all below it; links are not followed."""
    yield path
    if not os.path.islink(path):
        for child in _children(path):
            yield from _tree(child)


def _children(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:  # a file, or none
        return []


def _check_alternates(objects: str, folders: GitFolders, seen: set[str]) -> None:
    """Check that the objects of a repository borrow from folders in it only: ``git clone --reference``."""
    if objects in seen:
        return
    seen.add(objects)
    path = os.path.join(objects, "info", "alternates")
    for line in _text(path).splitlines():
        if not line or line.startswith("#"):
            continue
        other = os.path.realpath(os.path.join(objects, line))
        if line.startswith('"') or not folders.holds(other):
            variable = f"GIT_ALTERNATE_OBJECT_DIRECTORIES={other}"
            raise UsageError(
                f"--git-ref: {path} leads out of the repository, to {other}; if the objects there are "
                f"your own, remove the line and set {variable}"
            )
        _check_alternates(other, folders, seen)


def _refuse(path: str, folders: GitFolders) -> None:
    raise UsageError(
        f"--git-ref: {path} leads out of the repository, or is a special file; if the repository is yours, "
        f"set GIT_DIR={folders.own} and GIT_WORK_TREE={folders.top}"
    )


def _text(path: str) -> str:
    """Return the text of a small file without the end of its line; empty if it does not exist."""
    return os.fsdecode(_bytes(path)).rstrip("\r\n")


def _bytes(path: str) -> bytes:
    """Return the bytes of a file; empty if it does not exist. Links are not followed."""
    try:
        if os.path.islink(path):
            raise UsageError(f"--git-ref: {path} is a symbolic link and is not followed")
        return read_regular_file(path, MAX_CONFIGURATION_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"--git-ref: {path} cannot be read: {reason}") from error


def _settings(own: str, common: str, git: str) -> Settings:
    """Return the settings of a repository; later ones take precedence."""
    found = _parsed(_bytes(os.path.join(common, "config")), git)
    if dict(found).get("extensions.worktreeconfig", "").lower() in ("true", "yes", "on", "1"):
        found += _parsed(_bytes(os.path.join(own, "config.worktree")), git)
    return found


def _parsed(configuration: bytes, git: str) -> Settings:
    """Parse a configuration with git; the files that it includes are not read."""
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as empty:
        # A git directory that is none keeps git from reading the configuration of a repository around it.
        environment = {**os.environ, **_OUR_OWN, "GIT_DIR": empty}
        command = (git, "config", "--file", "-", "--no-includes", "--null", "--list")
        done = run_program(command, stdin=configuration, environment=environment)
    if done.code:
        raise UsageError(f"--git-ref: the repository's configuration: {done.error}")
    lines = (os.fsdecode(each).partition("\n") for each in done.stdout.split(b"\0") if each)
    return [(name, value if equal else "true") for name, equal, value in lines]


@contextmanager
def private_git_directory(folders: GitFolders) -> Iterator[dict[str, str]]:
    """Make a private git directory for some commands, and yield the environment in which git uses it.

    Args:
        folders: of the repository.
    """
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as parent:
        environment = {**os.environ, **_OUR_OWN, "GIT_WORK_TREE": folders.top}
        environment.setdefault("GIT_OBJECT_DIRECTORY", os.path.join(folders.common, "objects"))
        environment.setdefault("GIT_INDEX_FILE", os.path.join(folders.own, "index"))
        environment.pop("GIT_COMMON_DIR", None)
        common = environment["GIT_DIR"] = _copied(folders.common, os.path.join(parent, "common"))
        if folders.own != folders.common:
            own = environment["GIT_DIR"] = _copied(folders.own, os.path.join(parent, "own"))
            _write(os.path.join(own, "commondir"), os.fsencode(common))
        settings = "".join(map(_line, filter(_is_kept, folders.settings)))
        _write(os.path.join(common, "config"), os.fsencode(settings))
        yield environment


def _copied(folder: str, place: str) -> str:
    """Make the private copy of a git directory, and return its path."""
    os.mkdir(place)
    for name in _visible(folder):
        _show(os.path.join(folder, name), os.path.join(place, name))
    return place


def _visible(folder: str) -> list[str]:
    """Return the names of the entries of a git directory that git is to see."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [
        name
        for name in names
        if name in _ENTRIES or name.endswith("HEAD") or name.startswith(_SPLIT_INDEX)
    ]


def _show(path: str, place: str) -> None:
    """Link an entry of a git directory, or copy it: HEAD may not be a link, and Windows may refuse links."""
    copy: Callable[[str, str], object] = shutil.copytree if os.path.isdir(path) else shutil.copyfile
    if not path.endswith("HEAD"):
        try:
            os.symlink(path, place)
        except OSError:
            copy(path, place)
    else:
        _write(place, read_regular_file(path, MAX_CONFIGURATION_BYTES))


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _is_kept(setting: tuple[str, str]) -> bool:
    name, value = setting
    section, _, key = name.rpartition(".")
    section = section.partition(".")[0]
    return name in _KEPT or (section, key) in _KEPT_OF_EACH or value in _KEPT_VALUES.get(name, ())


def _line(setting: tuple[str, str]) -> str:
    """Return the lines of a configuration for a setting.

    >>> print(_line(("branch.a.b.remote", 'x"y')), end="")
    [branch "a.b"]
    remote = "x\\"y"
    """
    name, value = setting
    section, _, key = name.rpartition(".")
    section, _, part = section.partition(".")
    head = f"[{section} {_quoted(part)}]" if part else f"[{section}]"
    return f"{head}\n{key} = {_quoted(value)}\n"


def _quoted(text: str) -> str:
    for letter, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(letter, escape)
    return f'"{text}"'
