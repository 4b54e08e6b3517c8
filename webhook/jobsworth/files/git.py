"""Queries to the git command: files changed since a commit, and their contents there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Self

from jobsworth.files.git_directory import NO_REPOSITORY, git_folders, private_git_directory
from jobsworth.files.programs import Output, ProgramError, find_program, run_program
from jobsworth.regular_files import MAX_MANIFEST_BYTES
from jobsworth.usage_error import UsageError

_REGULAR_FILES = ("100644", "100755")

FETCH_CONTENTS = "git fetch --refetch --no-filter"

_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
"""Programs of the user's own configuration that answer no query here, switched off."""


class Repository:
    """The repository around the current folder. Paths are relative to its top, with slashes.

    A context manager. No program that the repository names is run, and nothing is fetched.

    Raises:
        UsageError: git is not installed, there is no repository here, or git fails.
    """

    __slots__ = ("_environment", "_git", "_is_partial", "_opened", "top")

    def __enter__(self) -> Self:
        git = find_program("git")
        if git is None:
            raise UsageError(
                "--git-ref requires the git command, which is not on the PATH; install git"
            )
        self._git = git
        self._opened = ExitStack()
        try:
            folders = git_folders(git)
            self._environment = self._opened.enter_context(private_git_directory(folders))
        except (OSError, ProgramError) as error:
            raise UsageError(f"--git-ref: {error}") from error
        self.top = folders.top
        self._is_partial = folders.is_partial
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def commit(self, ref: str) -> str:
        """Resolve a ref to a commit: a branch, a tag, a hash, ``HEAD~1``.

        Raises:
            UsageError: the repository has no such commit.
        """
        found = self._try("rev-parse", "--verify", f"{ref}^{{commit}}")
        # `^HEAD` excludes a commit, and git only warns where a reflog does not go back as far as HEAD@{99}.
        wrong = ref.startswith(("-", "^")) or b"only goes back" in found.stderr
        if found.code or wrong:
            raise UsageError(
                f'--git-ref: this repository has no commit "{ref}"; fetch it first '
                "(git fetch origin main), or use another ref"
            )
        return found.stdout.decode().strip()

    def merge_base(self, commit: str) -> str:
        """Return the merge base of HEAD and a commit; the commit itself without common history.

        A shallow clone has no history in common with what was fetched into it.
        """
        found = self._try("merge-base", commit, "HEAD")
        return commit if found.code else found.stdout.decode().strip()

    def changed_since(self, commit: str) -> dict[str, str]:
        """Return the tracked files in which the working tree differs from a commit.

        Returns:
            The id of each file's content in the commit by path; empty for a new file. A moved file is
            one deleted and one new file.
        """
        answer = self._run(
            "diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff",
            "--ignore-submodules=all", commit, "--",
        )  # fmt: skip
        # :100644 100755 <old> <new> M\0path\0
        parts = answer.split(b"\0")
        changes = {}
        for facts, path in zip(parts[0::2], parts[1::2], strict=False):
            old_mode, _, old_content = facts.decode().removeprefix(":").split(" ")[:3]
            changes[os.fsdecode(path)] = old_content if old_mode in _REGULAR_FILES else ""
        return changes

    def untracked(self) -> list[str]:
        """Return the untracked files, without ignored ones."""
        answer = self._run("ls-files", "--others", "--exclude-standard", "-z")
        return [os.fsdecode(path) for path in answer.split(b"\0") if path]

    def contents(self, ids: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
        """Yield files with their contents, without those that are larger than a manifest may be.

        Args:
            ids: the id of each file's content by path.

        Raises:
            UsageError: contents are not in this clone.
        """
        group: list[str] = []
        size = 0
        for path, more in self._sizes(ids).items():
            if group and size + more > MAX_MANIFEST_BYTES:
                yield from self._group(ids, group)
                group, size = [], 0
            group.append(path)
            size += more
        yield from self._group(ids, group)

    def _sizes(self, ids: Mapping[str, str]) -> dict[str, int]:
        """Return the sizes of contents by path, without those that are too large."""
        answers = self._batch("--batch-check", ids.values()).splitlines()
        sizes, missing = {}, []
        for path, answer in zip(ids, answers, strict=True):
            if answer.endswith(b" missing"):
                missing.append(path)
            elif (size := int(answer.rpartition(b" ")[2])) <= MAX_MANIFEST_BYTES:
                sizes[path] = size
        if missing:
            others = f" and {len(missing) - 1} others" if missing[1:] else ""
            raise UsageError(
                f"--git-ref: this clone lacks the earlier contents of {missing[0]}{others}, as a partial "
                f"clone does; fetch them first: {FETCH_CONTENTS}"
            )
        return sizes

    def _group(self, ids: Mapping[str, str], group: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        answer = self._batch("--batch", [ids[path] for path in group])
        start = 0
        for path in group:
            end = answer.index(b"\n", start)
            length = int(answer[start:end].rpartition(b" ")[2])
            yield path, answer[end + 1 : end + 1 + length]
            start = end + length + 2

    def _batch(self, option: str, ids: Iterable[str]) -> bytes:
        lines = "".join(f"{each}\n" for each in ids)
        return self._run("cat-file", option, stdin=lines.encode()) if lines else b""

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        done = self._try(*arguments, stdin=stdin)
        if done.code:
            error = done.error.removeprefix("fatal: ")
            if "not a git repository" in error:
                error = NO_REPOSITORY
            if self._is_partial:
                error += f"; a partial clone may lack what git needs, so fetch it first: {FETCH_CONTENTS}"
            raise UsageError(f"--git-ref: {error}")
        return done.stdout

    def _try(self, *arguments: str, stdin: bytes = b"") -> Output:
        command = (self._git, *_NO_PROGRAMS, "-C", self.top, *arguments)
        try:
            return run_program(command, stdin=stdin, environment=self._environment)
        except ProgramError as error:
            raise UsageError(f"--git-ref: {error}") from error
