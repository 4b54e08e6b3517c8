"""The commit of the installed code, for ``jobsworth --version``: read from files, without calling git.

It is known after ``pip install git+https://…@REF``, in an archive of the repository, and in a clone. An
installation from a local folder does not record it, and then there is none.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
ARCHIVED = "commit.txt"
"""A file in which ``git archive``, and so the archives of GitHub, write the commit (``export-subst``)."""

SHORT = 12
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REFERENCE = re.compile(r"refs/[\w./-]+")


def installed_commit() -> str:
    """Return a clause that names the commit, such as ``commit 0123456789ab``; empty if it is unknown."""
    for commit, clause in (
        (_recorded_commit(), "commit"),
        (_commit(_text(PACKAGE / ARCHIVED)), "commit"),
        (checked_out_commit(PACKAGE.parent.parent), "clone at commit"),
    ):
        if commit:
            return f"{clause} {commit[:SHORT]}"
    return ""


def _recorded_commit() -> str:
    """Return the commit that the installer recorded (``direct_url.json``: PEP 610)."""
    try:
        recorded = json.loads(distribution("jobsworth").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError, OSError):
        return ""
    source = recorded.get("vcs_info") if isinstance(recorded, dict) else None
    return _commit(source.get("commit_id")) if isinstance(source, dict) else ""


def checked_out_commit(clone: Path) -> str:
    """Return the commit that is checked out in a clone or a worktree of this project; empty for others.

    Args:
        clone: its root; files in it may have been changed since.
    """
    if clone / "webhook" / "jobsworth" != PACKAGE:
        return ""
    folder = clone / ".git"
    if folder.is_file():  # a worktree
        folder = clone / _text(folder).removeprefix("gitdir:").strip()
    head = _text(folder / "HEAD").strip()
    if not head.startswith("ref:"):
        return _commit(head)
    reference = head.removeprefix("ref:").strip()
    if not _REFERENCE.fullmatch(reference) or ".." in reference:
        return ""
    shared = folder / (_text(folder / "commondir").strip() or ".")
    loose = _commit(_text(shared / reference))
    if loose:
        return loose
    for line in _text(shared / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == reference:
            return _commit(commit)
    return ""


def _commit(text: object) -> str:
    """Return a commit's hash; empty for other text, such as that of a file before it is archived."""
    if not isinstance(text, str):
        return ""
    return text.strip() if _COMMIT.fullmatch(text.strip()) else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
