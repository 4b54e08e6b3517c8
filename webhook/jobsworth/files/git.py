"""Queries to the git command: files changed since a commit, and their contents there."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_REGULAR_FILES = ("100644", "100755")

_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
"""Settings of a repository that would run programs, switched off: the repository may be under review."""


class Repository:
    """The repository around the current folder. Paths are relative to its top, with slashes.

    Raises:
        UsageError: git is not installed, there is no repository here, or git fails.
    """

    __slots__ = ("_no_filters", "top")

    def __init__(self) -> None:
        self.top = os.curdir
        self._no_filters: list[str] = []
        top = self._run("rev-parse", "--show-toplevel")
        self.top = os.path.realpath(os.fsdecode(top.rstrip(b"\r\n")))
        self._no_filters = self._filters_switched_off()

    def commit(self, ref: str) -> str:
        """Resolve a ref to a commit: a branch, a tag, a hash, ``HEAD~1``.

        Raises:
            UsageError: the repository has no such commit.
        """
        found = self._try("rev-parse", "--verify", f"{ref}^{{commit}}")
        # `^HEAD` excludes a commit, and git only warns where a reflog does not go back as far as HEAD@{99}.
        wrong = ref.startswith(("-", "^")) or b"only goes back" in found.stderr
        if found.returncode or wrong:
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
        return commit if found.returncode else found.stdout.decode().strip()

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

    def contents(self, ids: Sequence[str]) -> list[bytes]:
        """Return the contents of files by id; empty for one missing in a partial clone."""
        if not ids:
            return []
        answer = self._run("cat-file", "--batch", stdin="\n".join(ids).encode() + b"\n")
        found, start = [], 0
        for _ in ids:
            end = answer.index(b"\n", start)
            head = answer[start:end].split(b" ")
            start = end + 1
            if head[1] == b"missing":
                found.append(b"")
                continue
            length = int(head[2])
            found.append(answer[start : start + length])
            start += length + 1
        return found

    def _filters_switched_off(self) -> list[str]:
        """Return options that switch off the filters in the repository's own configuration.

        A file with such a filter counts as changed; the user's own filters, such as Git LFS, are kept.
        """
        pattern = r"^filter\..*\.(clean|process|required)$"
        answer = self._try("config", "--show-scope", "-z", "--name-only", "--get-regexp", pattern)
        words = answer.stdout.split(b"\0")
        pairs = zip(words[0::2], words[1::2], strict=False)
        names = [os.fsdecode(name) for scope, name in pairs if scope in (b"local", b"worktree")]
        if any("=" in name for name in names):
            raise UsageError(
                "--git-ref: this repository's configuration has a filter named with =; rename it"
            )
        values = ("false" if name.endswith(".required") else "" for name in names)
        return [
            word
            for name, value in zip(names, values, strict=True)
            for word in ("-c", f"{name}={value}")
        ]

    def _run(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        done = self._try(*arguments, stdin=stdin)
        if done.returncode:
            error = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
            if "not a git repository" in error:
                error = "this folder is not in a git repository; run jobsworth in the branch's repository"
            raise UsageError(f"--git-ref: {error}")
        return done.stdout

    def _try(
        self, *arguments: str, stdin: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        options = [*_NO_PROGRAMS, *self._no_filters, "--no-optional-locks", "-C", self.top]
        command = ["git", *options, *arguments]
        try:
            return subprocess.run(
                command,
                input=stdin,
                stdin=subprocess.DEVNULL if stdin is None else None,
                capture_output=True,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except FileNotFoundError:
            raise UsageError(
                "--git-ref requires the git command, which is not on the PATH; install git"
            ) from None
