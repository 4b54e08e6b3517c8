"""Command lines that start a shell or another program: ``timeout 60 sh -c ...``, ``tini -- bash -ec ...``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

SHELLS = ("sh", "bash", "ash", "dash", "ksh", "zsh")


class Launcher(Record):
    """A program that runs the program that its arguments name.

    Attributes:
        valued: its options whose value is the next word.
        operands: the number of words, such as the duration of ``timeout``, before the name of the program.
    """

    valued: Sequence[str] = ()
    operands: int = 0


LAUNCHERS = {
    "busybox": Launcher(),
    "catatonit": Launcher(),
    "chrt": Launcher(operands=1),
    "doas": Launcher(valued=("-C", "-u")),
    "dumb-init": Launcher(valued=("-r", "--rewrite")),
    "env": Launcher(valued=("-C", "--chdir", "-u", "--unset")),
    "exec": Launcher(valued=("-a",)),
    "gosu": Launcher(operands=1),
    "ionice": Launcher(valued=("-c", "-n", "-p")),
    "nice": Launcher(valued=("-n", "--adjustment")),
    "nohup": Launcher(),
    "setpriv": Launcher(),
    "setsid": Launcher(),
    "stdbuf": Launcher(valued=("-i", "-o", "-e")),
    "su-exec": Launcher(operands=1),
    "sudo": Launcher(valued=("-C", "-g", "-h", "-p", "-u", "-U")),
    "time": Launcher(valued=("-f", "-o")),
    "timeout": Launcher(valued=("-k", "--kill-after", "-s", "--signal"), operands=1),
    "tini": Launcher(valued=("-e", "-p")),
}
"""Programs that run another one, whose exit code they return."""


def base_name(word: str) -> str:
    """Return the name of a program without its folder."""
    return word.rpartition("/")[2]


def launched(words: Sequence[str]) -> int:
    """Return the index of the program that a command line runs in the end; its length for none.

    >>> launched(["timeout", "-k", "5", "60", "env", "A=b", "sh", "-c", "work"])
    6
    >>> launched(["tini", "--", "work"]), launched(["work", "env"]), launched(["nice"])
    (2, 0, 1)
    """
    at = 0
    while at < len(words):
        name = base_name(words[at])
        launcher = LAUNCHERS.get(name)
        if launcher is None:
            return at
        at += 1
        while at < len(words) and words[at].startswith("-") and words[at] != "-":
            if words[at] == "--":
                at += 1
                break
            at += 2 if words[at] in launcher.valued else 1
        if name in ("env", "sudo"):
            while at < len(words) and "=" in words[at]:
                at += 1
        at += launcher.operands
    return len(words)


def is_limited(words: Sequence[str]) -> bool:
    """Return True if a command line ends by ``timeout``, however long its program runs."""
    return any(base_name(word) == "timeout" for word in words[: launched(words)])


def runs_shell(words: Sequence[str]) -> bool:
    """Return True if a command line starts a shell."""
    at = launched(words)
    return at < len(words) and base_name(words[at]) in SHELLS
