"""What a container finds when it starts: its command line and script, variables, paths, user and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jobsworth.lint.command_line import CommandLine, base_name, command_line
from jobsworth.lint.shell_script import ShellCommand, ShellScript
from jobsworth.lint.usual_images import Family, family_of
from jobsworth.record import Record

MAX_SCRIPT_LENGTHS = 32_768
"""The length of all scripts in an object after which no further one is read."""

READ_ONLY_VOLUMES = ("configMap", "downwardAPI", "projected", "secret")
"""Volumes that no container can write."""
FILES_OF_OBJECTS = ("configMap", "projected", "secret")
KEPT_VOLUMES = (
    "persistentVolumeClaim",
    "hostPath",
    "nfs",
    "csi",
    "cephfs",
    "glusterfs",
    "azureFile",
    "iscsi",
)
"""Volumes whose files are there after the end of the Pod."""
SET_BY_RUNTIME = ("HOME", "HOSTNAME", "PATH")
"""Variables that every container has, and that the kubelet does not know."""
INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
"""The variable with the completion index, which the Job controller sets in Indexed Jobs."""

_EMPTY: Mapping[str, Any] = {}


class Place(Record):
    """Where a path of a container lies.

    Attributes:
        mount: the volume mount; empty for the file system of the image.
        volume: the volume; empty for the file system of the image, and for one that the Pod lacks.
        read_only: the reason why the container cannot write there, as a clause; empty if it can.
        lost: True if a file there is gone with the Pod, or with the container.
    """

    mount: Mapping[str, Any]
    volume: Mapping[str, Any]
    read_only: str
    lost: bool

    @property
    def of_image(self) -> bool:
        """True for the file system of the image."""
        return not self.mount

    @property
    def kept(self) -> bool:
        """True if other Pods find the files there."""
        return any(kind in self.volume for kind in KEPT_VOLUMES)

    def file(self, path: str) -> str:
        """Return the path of a file within the volume."""
        rest = path.removeprefix(self.mount.get("mountPath", "").rstrip("/"))
        return f"{self.mount.get('subPath', '')}{rest}".strip("/")

    def objects(self, path: str) -> Iterator[tuple[str, str, str]]:
        """Yield the kind and name of each object that may have a file of the volume, and its key there."""
        file = self.file(path)
        for source in self.volume.get("projected", {}).get("sources", [self.volume]):
            for field, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
                if field not in source:
                    continue
                found = source[field]
                name = found.get("secretName") or found.get("name", "")
                items = found.get("items")
                if not items:
                    yield kind, name, file
                for item in items or ():
                    if item.get("path") == file:
                        yield kind, name, item.get("key", "")

    def __str__(self) -> str:
        return "the file system of the container" if self.of_image else "an emptyDir"


class RunCommand(Record):
    """A command that a container runs.

    Attributes:
        path: the field path of the container.
        container: its value.
        field: the field path of the script with the command, or of the first word of the command line.
        words: the words, from the name of the program on.
        name: the name of the program without its folder.
        options: the name and value of each option, as :func:`option_values` reads them.
        step: the command in its script; None outside of a script.
    """

    path: str
    container: dict[str, Any]
    field: str
    words: Sequence[str]
    name: str
    options: Sequence[tuple[str, str]]
    step: ShellCommand | None = None

    @property
    def line(self) -> int:
        """Its line in the script, from 0."""
        return self.step.line if self.step is not None else 0


class MountedScript(Record):
    """A script that a container runs from a volume of an object beside the Job.

    Attributes:
        field: the field path of the word, or of the script, that names it.
        origin: its key and object, in a message.
        interpreter: the program that reads it, without its folder; empty for a file without ``#!``.
        text: the script.
    """

    field: str
    origin: str
    interpreter: str
    text: str


class ContainerStart(Record):
    """The start of a container.

    Attributes:
        path: the field path of the container.
        container: its value.
        pod: the PodSpec.
        line: its command line.
        field: the field path of its script; else that of the first word of its command line.
        script: the script that a shell reads; None without one.
        commands: the commands that it runs, from its script or command line. A container without ``command``
            runs the entrypoint of its image: its arguments count as a command only if the entrypoint is
            known, or if they start with the name of a program.
        mounted: the file of a volume that the container runs, for the start of such a script.
    """

    path: str
    container: dict[str, Any]
    pod: dict[str, Any]
    line: CommandLine
    field: str
    script: ShellScript | None
    commands: Sequence[RunCommand]
    mounted: MountedScript | None = None

    @property
    def is_init(self) -> bool:
        """True for an init container, also for a sidecar."""
        return ".initContainers[" in self.path

    def place(self, path: str) -> Place:
        """Return where an absolute path lies."""
        mount = _mounted_at(self.container, path)
        if mount is None:
            own = self.container.get("securityContext", {}).get("readOnlyRootFilesystem") is True
            why = "readOnlyRootFilesystem is true, and no volume is mounted there" if own else ""
            return Place(_EMPTY, _EMPTY, why, lost=True)
        name = mount.get("name", "")
        volumes: Iterable[dict[str, Any]] = self.pod.get("volumes", ())
        volume = next((each for each in volumes if each.get("name") == name), _EMPTY)
        why = ""
        if mount.get("readOnly"):
            why = f"the volume {name} is mounted with readOnly: true"
        else:
            kind = next((kind for kind in READ_ONLY_VOLUMES if kind in volume), "")
            why = f"a volume of a {kind} is read-only" if kind else ""
        return Place(mount, volume, why, lost="emptyDir" in volume)

    def mode(self, path: str) -> tuple[int, str] | None:
        """Return the mode of a file of a ConfigMap or Secret, and the field that sets it; None for others."""
        place = self.place(path)
        source = next(
            (place.volume[kind] for kind in FILES_OF_OBJECTS if kind in place.volume), None
        )
        if source is None:
            return None
        file = place.file(path)
        for each in source.get("sources", [source]):
            for part in (each, each.get("configMap", {}), each.get("secret", {})):
                for item in part.get("items", ()):
                    if item.get("path") == file and "mode" in item:
                        return item["mode"], "the mode of its item"
        return source["defaultMode"], "defaultMode"

    def _context(self, key: str) -> Any:
        own = self.container.get("securityContext", {})
        return own.get(key, self.pod.get("securityContext", {}).get(key))

    @property
    def user(self) -> int | None:
        """The user ID of the processes; None if the image decides."""
        user: int | None = self._context("runAsUser")
        return user

    @property
    def group(self) -> int | None:
        """The group ID of the processes; None if the image decides."""
        group: int | None = self._context("runAsGroup")
        return group

    @property
    def is_not_root(self) -> bool:
        """True if the manifest says that the processes run as another user than root."""
        return bool(self.user) or (self.user is None and self._context("runAsNonRoot") is True)

    @property
    def group_of_volumes(self) -> int | None:
        """The group that the kubelet gives to the files of volumes (fsGroup); None without one."""
        group: int | None = self.pod.get("securityContext", {}).get("fsGroup")
        return group

    @property
    def home(self) -> str:
        """The home folder of the user, as far as the manifest tells: that of root without a user."""
        set_here = (value for _, name, value in literal_variables(self.container) if name == "HOME")
        return next(set_here, "/" if self.user else "/root").rstrip("/")

    @property
    def family(self) -> Family | None:
        """The family of the image; None if it is unknown."""
        return family_of(self.container.get("image", ""))

    @property
    def has_busybox(self) -> bool:
        """True if the usual programs of the image are those of busybox."""
        return self.family is not None and self.family.dialect == "ash"

    def source_of_variable(self, name: str) -> str:
        """Return the source of a variable; empty if nothing sets it.

        It is ``value``, ``empty``, ``reference`` (to another object), ``optional`` (a reference to an object
        that may be absent) or ``unknown``: a container with ``envFrom`` may get any variable.
        """
        for variable in reversed(self.container.get("env", ())):
            if variable.get("name") == name:
                source = variable.get("valueFrom", {})
                if any(
                    source[key].get("optional") for key in source if isinstance(source[key], dict)
                ):
                    return "optional"
                if source:
                    return "reference"
                return "value" if variable.get("value") else "empty"
        if "envFrom" in self.container or name in SET_BY_RUNTIME or is_set_for_all(name):
            return "unknown"
        return ""


def is_set_for_all(name: str) -> bool:
    """Return True for a variable that the kubelet or the Job controller sets, such as those of Services."""
    return (
        name == INDEX_VARIABLE or "_SERVICE_" in name or name.endswith("_PORT") or "_PORT_" in name
    )


def container_starts(
    containers: Iterable[tuple[str, dict[str, Any]]], pod: dict[str, Any]
) -> Iterator[ContainerStart]:
    """Yield the start of each container.

    Args:
        containers: the field path and value of each.
        pod: the PodSpec.
    """
    length = 0
    for path, container in containers:
        line = command_line(container)
        script, commands = None, []
        field = f"{path}.{'command' if line.written else 'args'}[0]"
        if line.script >= 0 and length <= MAX_SCRIPT_LENGTHS:
            text, parameters = line.words[line.script], line.words[line.script + 1 :]
            script = ShellScript(text, line.options, parameters)
            length += len(text)
            field = f"{path}.{line.field(line.script)}"
            commands = [
                run_command(path, container, field, each.words, each)
                for each in script.commands
                if each.words
            ]
        elif line.program and not line.starts_shell and not line.arguments[0].startswith("-"):
            commands = [run_command(path, container, field, line.arguments)]
        yield ContainerStart(path, container, pod, line, field, script, commands)


def run_command(
    path: str,
    container: dict[str, Any],
    field: str,
    words: Sequence[str],
    step: ShellCommand | None = None,
) -> RunCommand:
    """Read a command once for all rules."""
    name = base_name(words[0])
    return RunCommand(path, container, field, words, name, list(option_values(words)), step)


def image_name(container: Mapping[str, Any]) -> str:
    """Return the last part of the name of an image, without tag and digest.

    >>> image_name({"image": "registry.example.com:5000/tools/kubectl:1.36@sha256:00"})
    'kubectl'
    """
    return base_name(container.get("image", "").partition("@")[0]).partition(":")[0]


def literal_variables(container: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
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


def _mounted_at(container: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    """Return the volume mount whose folder holds an absolute path; None for the file system of the image."""
    found: dict[str, Any] | None = None
    for mount in container.get("volumeMounts", ()):
        folder = mount.get("mountPath", "").rstrip("/")
        inside = path == folder or path.startswith(f"{folder}/")
        if inside and (found is None or len(folder) >= len(found["mountPath"].rstrip("/"))):
            found = mount
    return found
