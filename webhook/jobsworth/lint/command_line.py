"""The command line of a container, such as ``timeout 60 sh -c ...``: its program, and who reads each word.

The kubelet replaces ``$(NAME)`` in each word by the variable and ``$$`` by a dollar sign, and starts the
first word with the others as its arguments. No shell reads them, unless the command line starts one.
Source: "Define a Command and Arguments for a Container" in the documentation of Kubernetes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jobsworth.lint.usual_images import entrypoint
from jobsworth.record import Record

_DOLLAR = re.compile(
    r"\$(?:(?P<escape>\$)|\((?P<reference>[A-Za-z_]\w*)\)|(?P<variable>\w+)|\{(?P<braced>\w+)\})",
    re.ASCII,
)
SHELLS = ("sh", "bash", "ash", "dash", "ksh", "zsh")
JAVASCRIPTS = ("bun", "node", "nodejs", "tsx")
POWERSHELLS = ("powershell", "pwsh")
"""Programs that read JavaScript and PowerShell."""
VALUED_OPTIONS = ("--init-file", "--rcfile")
"""Long options of bash whose value is the next word; so is that of ``o`` and ``O`` among short ones."""


class Dollar(Record):
    """A dollar sign in a word of a command line, as the kubelet reads it.

    Attributes:
        kind: ``reference`` for ``$(NAME)``, which the kubelet replaces by a variable of the container;
            ``escape`` for ``$$``, of which it leaves one; ``variable`` for ``$NAME``, and ``braced`` for
            ``${NAME}``, which it leaves to the program.
        name: the name of the variable; a dollar sign for an escape.
        text: all of it.
        at: its place in the word.
    """

    kind: str
    name: str
    text: str
    at: int


def dollars(text: str) -> Iterator[Dollar]:
    """Yield the dollar signs of a word that mean something.

    >>> [(each.kind, each.name) for each in dollars("$(A) $$(B) ${C} $D $(date)")]
    [('reference', 'A'), ('escape', '$'), ('braced', 'C'), ('variable', 'D'), ('reference', 'date')]
    """
    for found in _DOLLAR.finditer(text):
        kind = str(found.lastgroup)
        yield Dollar(kind, found[kind], found[0], found.start())


class ShellCall(Record):
    """A command line that starts a shell with ``-c``.

    Attributes:
        options: the options of the shell, with their values.
        at: the index of the script in the command line; its length if the script is missing.
    """

    options: Sequence[str]
    at: int


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


def shell_call(words: Sequence[str]) -> ShellCall | None:
    """Return the script that a shell gets in a command line; None if it starts no shell with ``-c``.

    A shell reads all its options first, also those after ``-c``; the first word that is none is the script.
    Source: POSIX.1-2024, sh, and the behavior of dash, bash and busybox.

    >>> shell_call(["sh", "-c", "-x", "work"]).at, shell_call(["bash", "-o", "pipefail", "-ec", "work"]).at
    (3, 4)
    >>> shell_call(["sh", "run.sh", "-c", "a"]) is None, shell_call(["python", "-c", "a"]) is None
    (True, True)
    """
    shell = launched(words)
    if shell == len(words) or base_name(words[shell]) not in SHELLS:
        return None
    at, gets_script = shell + 1, False
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] not in ("-", "--"):
        option = words[at]
        at += 1
        if option.startswith("--"):
            at += option in VALUED_OPTIONS
        else:
            gets_script = gets_script or (option[0] == "-" and "c" in option)
            at += option.lower().count("o")
    at = min(at, len(words))
    options = words[shell + 1 : at]
    if words[at : at + 1] in (["-"], ["--"]):
        at += 1
    return ShellCall(options, at) if gets_script else None


class CommandLine(Record):
    """The command line of a container.

    Attributes:
        words: its words, after those of the entrypoint of a usual image if ``command`` is absent.
        implied: the number of words that the image adds.
        written: the number of words in ``command``; 0 without one.
        at: the index of the program that the command line runs in the end; the number of words for none.
        script: the index of the script that a shell reads; -1 without a shell, or without a script.
        options: the options of that shell.
        starts_shell: True if the program is a shell.
    """

    words: Sequence[str]
    implied: int
    written: int
    at: int
    script: int
    options: Sequence[str]
    starts_shell: bool

    @property
    def program(self) -> str:
        """The name of the program, without its folder; empty for none."""
        return base_name(self.words[self.at]) if self.at < len(self.words) else ""

    @property
    def arguments(self) -> Sequence[str]:
        """The words from the program on."""
        return self.words[self.at :]

    @property
    def limited(self) -> bool:
        """True if ``timeout`` ends the command line, however long its program runs."""
        return any(base_name(word) == "timeout" for word in self.words[: self.at])

    def field(self, index: int) -> str:
        """Return the field of a word in the container: ``command[1]`` or ``args[0]``."""
        if index < self.written:
            return f"command[{index}]"
        return f"args[{max(index - self.written - self.implied, 0)}]"


def command_line(container: Mapping[str, Any]) -> CommandLine:
    """Read the command line of a container.

    >>> line = command_line({"command": ["/bin/sh", "-ec"], "args": ["a | b; exit 0"]})
    >>> line.program, line.script, line.field(line.script), line.options
    ('sh', 2, 'args[0]', ['-ec'])
    >>> line = command_line({"image": "restic/restic:0.18.0", "args": ["backup", "/data"]})
    >>> line.words, line.field(1)
    (['restic', 'backup', '/data'], 'args[0]')
    """
    command, arguments = container.get("command", ()), container.get("args", ())
    implied = () if command or not arguments else entrypoint(container.get("image", ""))
    first = base_name(arguments[0]) if arguments else ""
    if first in SHELLS or first in LAUNCHERS or first in implied:
        implied = ()  # the script that such images start runs a program that its first argument names
    words = [*implied, *command, *arguments]
    at = launched(words)
    starts_shell = at < len(words) and base_name(words[at]) in SHELLS
    call = shell_call(words) if starts_shell else None
    script = -1 if call is None or call.at >= len(words) else call.at
    options = () if call is None else call.options
    return CommandLine(words, len(implied), len(command), at, script, options, starts_shell)
