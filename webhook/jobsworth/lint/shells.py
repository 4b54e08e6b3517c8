"""The command lines that start a shell."""

from __future__ import annotations

SHELLS = ("sh", "bash", "ash", "dash", "ksh", "zsh")


def runs_shell(words: list[str]) -> bool:
    """Return True if a command line starts a shell."""
    return bool(words) and words[0].rpartition("/")[2] in SHELLS
