"""Scripts of ConfigMaps and Secrets beside a Job, which its containers run as files of their volumes.

The kernel reads the interpreter of a file that is started by itself from its first line, such as
``#!/bin/sh -e``, with one option at most. Source: execve(2), "Interpreter scripts".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from jobsworth.lint.command_line import (
    JAVASCRIPTS,
    POWERSHELLS,
    SHELLS,
    CommandLine,
    base_name,
)
from jobsworth.lint.container_start import ContainerStart, MountedScript, RunCommand, run_command
from jobsworth.lint.neighbors import Neighbor, Neighbors
from jobsworth.record import Record

SQL_FILES = (".sql", ".js", ".cql")
MAX_COMMANDS = 200
"""The number of commands of a script that may run another one."""


class MountedFile(Record):
    """A file of an object beside the Job, in a container.

    Attributes:
        text: its text.
        key: its key in the object.
        object: the ConfigMap or Secret.
    """

    text: str
    key: str
    object: Neighbor

    @property
    def origin(self) -> str:
        """The name of the file in a message."""
        return f"{self.key} in the {self.object.kind} {self.object.name}{self.object.place}"


def file_at(
    start: ContainerStart, neighbors: Neighbors, namespace: str, path: str
) -> MountedFile | None:
    """Return the file of an object beside a Job at an absolute path of a container; None for another one."""
    place = start.place(path)
    for kind, name, key in place.objects(path):
        for each in neighbors.reachable(kind, name, namespace) if name else ():
            if key in each.files:
                return MountedFile(each.files[key], key, each)
    return None


def texts_read(
    start: ContainerStart, neighbors: Neighbors | None, namespace: str, command: RunCommand
) -> Iterator[str]:
    """Yield what a client of a database reads: its words, its input, and files of objects beside the Job."""
    yield from command.words[1:]
    step = command.step
    if step is not None and step.input:
        yield step.input
    if neighbors is None:
        return
    for word in (*command.words[1:], *(step.reads if step is not None else ())):
        path = word.rpartition("=")[2]
        if path.startswith("/") and path.endswith(SQL_FILES):
            file = file_at(start, neighbors, namespace, path)
            if file is not None:
                yield file.text


def mounted_scripts(
    start: ContainerStart, neighbors: Neighbors, namespace: str
) -> Iterator[ContainerStart]:
    """Yield the scripts of objects beside a Job that a container runs, also those that such a script runs."""
    lines = [(f"{start.path}.{start.line.field(start.line.at)}", start.line.arguments)]
    if start.script is not None:
        field = start.field if start.mounted is None else start.mounted.field
        lines = [(field, command.words) for command in start.commands]
    for field, words in lines[:MAX_COMMANDS]:
        at = _file_in(words)
        if at < 0:
            continue
        path = posixpath.join(start.container.get("workingDir", "/"), words[at])
        file = file_at(start, neighbors, namespace, posixpath.normpath(path))
        if file is None:
            continue
        first, _, _ = file.text.partition("\n")
        declared = first[2:].split(None, 1) if first.startswith("#!") else []
        named = field if start.script else f"{start.path}.{start.line.field(start.line.at + at)}"
        yield _start_of(start, file, named, words[:at] or declared, words[at + 1 :])


def _start_of(
    start: ContainerStart,
    file: MountedFile,
    named: str,
    interpreter: Sequence[str],
    parameters: Sequence[str],
) -> ContainerStart:
    """Return a container as the start of a script of a volume that it runs.

    Its field is a name of the script, which :meth:`LintedJob.reported_at` replaces.
    """
    words = interpreter[1:] if interpreter[:1] == ["/usr/bin/env"] else interpreter
    name = next((base_name(word) for word in words if not word.startswith("-")), "")
    field = f"{named}#{file.object.kind}/{file.object.name}/{file.key}"
    script, commands = None, []
    if name in SHELLS:
        from jobsworth.lint.shell_script import ShellScript

        script = ShellScript(file.text, words[1:], parameters)
        commands = [
            run_command(start.path, start.container, field, each.words, each)
            for each in script.commands
            if each.words
        ]
    line = CommandLine([name], 0, 1, 0, -1, words[1:], starts_shell=False)
    mounted = MountedScript(named, file.origin, name, file.text)
    return ContainerStart(
        start.path, start.container, start.pod, line, field, script, commands, mounted
    )


def _file_in(words: Sequence[str]) -> int:
    """Return the index of the word that names the script of a command line; -1 without one.

    >>> _file_in(["sh", "-e", "/s/run"]), _file_in(["/s/run", "a"]), _file_in(["python", "-m", "http"])
    (2, 0, -1)
    """
    name = base_name(words[0]) if words else ""
    if name in POWERSHELLS:
        return next((at for at, word in enumerate(words) if word.lower().endswith(".ps1")), -1)
    if name in (*SHELLS, ".", "source", *JAVASCRIPTS) or name.startswith("python"):
        for index, word in enumerate(words[1:], 1):
            if word in ("-c", "-m", "-"):
                return -1
            if not word.startswith(("-", "+")):
                return index
        return -1
    return 0 if "/" in name or "/" in "".join(words[:1]) else -1
