"""The commands that the containers of a Job run, from command lines and from scripts in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.shells import base_name, launched, runs_shell
from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from jobsworth.lint.shell_script import ShellScript


class RunCommand(Record):
    """A command that a container runs.

    Attributes:
        path: the field path of the container.
        container: its value.
        field: the field path of the script with the command, or of the first word of the command line.
        words: the words, from the name of the program on.
        name: the name of the program without its folder.
        options: the name and value of each option, as :func:`option_values` reads them.
    """

    path: str
    container: dict[str, Any]
    field: str
    words: Sequence[str]
    name: str
    options: Sequence[tuple[str, str]]


def _run_command(
    path: str, container: dict[str, Any], field: str, words: Sequence[str]
) -> RunCommand:
    """Read a command once for all rules."""
    return RunCommand(
        path, container, field, words, base_name(words[0]), list(option_values(words))
    )


def run_commands(
    containers: Iterable[tuple[str, dict[str, Any]]],
    scripts: Iterable[tuple[str, str, ShellScript]],
) -> Iterator[RunCommand]:
    """Yield the commands of some containers.

    A container without ``command`` runs the entrypoint of its image: its arguments count as a command only if
    they start with the name of a program. A shell whose script cannot be read runs no known command.

    Args:
        containers: the field path and value of each.
        scripts: the scripts in their command lines: the field, the path of the container, and the script.
    """
    script_of = {path: (field, script) for field, path, script in scripts}
    for path, container in containers:
        if path in script_of:
            field, script = script_of[path]
            for command in script.commands:
                if command.words:
                    yield _run_command(path, container, field, command.words)
            continue
        part = "command" if container.get("command") else "args"
        words = [*container.get("command", ()), *container.get("args", ())]
        at = launched(words)
        if at < len(words) and not runs_shell(words) and not words[at].startswith("-"):
            yield _run_command(path, container, f"{path}.{part}[0]", words[at:])


def image_name(container: dict[str, Any]) -> str:
    """Return the last part of the name of an image, without tag and digest.

    >>> image_name({"image": "registry.example.com:5000/tools/kubectl:1.36@sha256:00"})
    'kubectl'
    """
    return base_name(container.get("image", "").partition("@")[0]).partition(":")[0]


def literal_variables(container: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Yield the index, name and value of each environment variable that has a value in the manifest."""
    for index, variable in enumerate(container.get("env", ())):
        value = variable.get("value", "")
        if value:
            yield index, variable.get("name", ""), value


def option_values(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the name, without hyphens and with underscores, and the value of each option.

    The value is in the same word, after ``=``, or in the next one; it is empty for an option without.

    >>> list(option_values(["run", "--num-gpus=4", "--out-dir", "/data", "-v"]))
    [('num_gpus', '4'), ('out_dir', '/data'), ('v', '')]
    """
    for index, word in enumerate(words):
        if not word.startswith("-") or word.strip("-") == "":
            continue
        name, equals, value = word.partition("=")
        if not equals and index + 1 < len(words) and not words[index + 1].startswith("-"):
            value = words[index + 1]
        yield name.lstrip("-").replace("-", "_").lower(), value


def mounted_at(container: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Return the volume mount whose folder holds an absolute path; None for the file system of the image."""
    found: dict[str, Any] | None = None
    for mount in container.get("volumeMounts", ()):
        folder = mount.get("mountPath", "").rstrip("/")
        inside = path == folder or path.startswith(f"{folder}/")
        if inside and (found is None or len(folder) >= len(found["mountPath"].rstrip("/"))):
            found = mount
    return found
