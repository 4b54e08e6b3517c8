"""Fixes for values of another shape: a map, text or number where a list belongs, a list where a map belongs.

They come from other formats, such as that of Docker Compose, and from templates of empty values. A fix is
safe if the shape has one meaning; a hint names the expected shape where it has several.
"""

from __future__ import annotations

from typing import Any

from jobsworth.api.declare import ListOf, MapOf, Scalar, String, Struct
from jobsworth.evaluation.fixes.rejected_object import RejectedObject
from jobsworth.findings.edits import is_item
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.command_line import shell_call

Type = Scalar | Struct | ListOf | MapOf | None

MAIN_FIELDS = {
    "ConfigMapEnvSource": "name",
    "ConfigMapProjection": "name",
    "ConfigMapVolumeSource": "name",
    "ContainerPort": "containerPort",
    "HostPathVolumeSource": "path",
    "LocalObjectReference": "name",
    "ObjectFieldSelector": "fieldPath",
    "PersistentVolumeClaimVolumeSource": "claimName",
    "PodSchedulingGate": "name",
    "SecretEnvSource": "name",
    "SecretProjection": "name",
    "SecretVolumeSource": "secretName",
}
"""The field of a type that a single text or number in its place means."""

EXAMPLES = {
    "Container": "- name: main",
    "ContainerPort": "- containerPort: 8080",
    "EnvFromSource": "- configMapRef: {name: settings}",
    "EnvVar": "- {name: MODE, value: fast}",
    "HostAlias": "- {ip: 10.0.0.1, hostnames: [db]}",
    "LocalObjectReference": "- name: registry",
    "PodSchedulingGate": "- name: example.com/quota",
    "SecretKeySelector": "{name: credentials, key: password}",
    "ConfigMapKeySelector": "{name: settings, key: mode}",
    "ExecAction": "{command: [cat, /tmp/ready]}",
    "HTTPGetAction": "{path: /healthz, port: 8080}",
    "Toleration": "- {key: spot, operator: Exists}",
    "Volume": "- {name: data, emptyDir: {}}",
    "VolumeMount": "- {name: data, mountPath: /data}",
}
"""A value of a type, as an item of a list if most fields have one."""

SHELL_CHARACTERS = frozenset("|&;<>()$`\"'\\*?~#\n")
"""Characters that mean something to a shell: a command line with one is not a plain list of words."""

MAX_ITEMS = 20
"""The length of a list up to which its items get fixes: each fix reads the list again."""

EXIT_CODES = ".onExitCodes.values["
NAMES_OF_CODES = {
    1: ("error",),
    130: ("int",),
    134: ("abrt",),
    137: ("kill", "oom", "oomkilled"),
    139: ("segv",),
    143: ("term",),
}
"""The ends of a container by its exit code: the reason in its status, or the signal (128 and its number)."""
MAX_RANGE = 255
"""The largest exit code on Linux, and so the longest range of exit codes."""


def fix_shape(rejected: RejectedObject, wanted: Type) -> Fix | None:
    """Return the fix for a value of another shape than its field has; None without a single answer.

    Args:
        rejected: the error of the wrong type.
        wanted: the declared type of the field.
    """
    field = rejected.finding.field
    value = rejected.at(field)
    if is_item(field):
        items = rejected.at(field.rpartition("[")[0])
        if isinstance(items, list) and len(items) > MAX_ITEMS:
            return None
    if isinstance(wanted, ListOf):
        return _as_list(rejected, field, value, wanted.item)
    if isinstance(wanted, Struct):
        return _as_struct(field, value, wanted)
    if isinstance(wanted, MapOf):
        return _as_map(rejected, field, value)
    if isinstance(wanted, Scalar):
        return _as_scalar(rejected, field, value, wanted)
    return None


def shape_hint(rejected: RejectedObject, wanted: Type) -> str:
    """Return an example of the expected shape; empty for a scalar."""
    value = rejected.at(rejected.finding.field)
    if isinstance(wanted, ListOf) and isinstance(wanted.item, Struct):
        example = EXAMPLES.get(wanted.item.name)
        return "" if example is None else f"write a list, such as `{example}`"
    if isinstance(wanted, ListOf):
        return f"write a list, such as `{'[a, b]' if wanted.item is String else '[1, 2]'}`"
    if isinstance(wanted, Struct):
        example = EXAMPLES.get(wanted.name, "").removeprefix("- ")
        return f"write an object, such as `{example}`" if example else ""
    if isinstance(wanted, MapOf):
        return "write an object of names and values, such as `{a: b}`"
    if EXIT_CODES in rejected.finding.field and isinstance(value, str):
        return _exit_code_hint(value)
    if isinstance(value, dict):
        return "YAML reads text with a colon and a space as an object; put text in quotes"
    return ""


def _exit_code_hint(text: str) -> str:
    end = text.lower().removeprefix("sig")
    for code, names in NAMES_OF_CODES.items():
        if end in names:
            return f"an exit code is a number: that of {text} is mostly {code}"
    return "an exit code is a number from 1 to 255"


def _as_list(rejected: RejectedObject, field: str, value: Any, item: Any) -> Fix | None:
    if value == {}:
        return Fix("Write the empty list []", Edit("set", field, []), safe=True)
    if not isinstance(item, Struct):
        return _as_words(rejected, field, value) if item is String else None
    if isinstance(value, dict):
        items = _named_items(rejected, field, value, item)
        if items is not None:
            return Fix(
                "Write a list, with an item for each name", Edit("set", field, items), safe=True
            )
        if value.keys() <= item.fields.keys():
            return Fix("Write it as the item of a list", Edit("set", field, [value]), safe=True)
        return None
    single = _from_scalar(value, item)
    if single is None:
        return None
    return Fix(f"Write the list [{_flow(single)}]", Edit("set", field, [single]), safe=True)


def _named_items(
    rejected: RejectedObject, field: str, value: dict[str, Any], item: Struct
) -> list[Any] | None:
    """Return the items of a list for a map of names, such as ``env: {MODE: fast}``; None for another map."""
    if "name" not in item.fields or item.fields.keys() & value.keys():
        return None
    items = []
    for name, part in value.items():
        if isinstance(part, dict):
            if part and not item.fields.keys() & part.keys():
                return None
            items.append(
                {"name": name, **{key: each for key, each in part.items() if key != "name"}}
            )
        elif isinstance(part, list) or "value" not in item.fields:
            return None
        elif part is None:
            items.append({"name": name})
        else:
            text = part if isinstance(part, str) else rejected.written(f"{field}.{name}")
            if text is None:
                return None
            items.append({"name": name, "value": text})
    return items


def _from_scalar(value: Any, struct: Struct) -> dict[str, Any] | None:
    """Return the object that a text or number means, such as ``MODE=fast`` for a variable; None for none."""
    if isinstance(value, bool) or value is None or value == "" or isinstance(value, dict | list):
        return None
    main = MAIN_FIELDS.get(struct.name, "")
    if main == "containerPort":
        digits = str(value)
        known = digits.isascii() and digits.isdecimal() and 0 < len(digits) <= len("65535")
        return {main: int(digits)} if known else None
    if not isinstance(value, str):
        return None
    if struct.name == "EnvVar":
        name, equals, text = value.partition("=")
        return {"name": name, "value": text} if equals and name.isidentifier() else None
    if struct.name == "VolumeMount":
        name, colon, path = value.partition(":")
        plain = name.replace("-", "").isalnum() and path.startswith("/") and ":" not in path
        return {"name": name, "mountPath": path} if colon and plain else None
    return {main: value} if main and not set(value) & set(" \t\n,") else None


def _as_words(rejected: RejectedObject, field: str, value: Any) -> Fix | None:
    """Return the fix for a command line that is one text."""
    if not isinstance(value, str) or not value.strip():
        return None
    holder, _, name = field.rpartition(".")
    if name not in ("command", "args"):
        return None
    if name == "args":  # may be one argument or several
        runs_text = _runs_text(rejected.at(f"{holder}.command"))
        edit = Edit("set", field, [value])
        return Fix("Wrap the text in a list", edit, safe=True) if runs_text else None
    if not set(value) & SHELL_CHARACTERS:
        words = value.split()
        title = f"Write the words as a list: [{', '.join(words)}]"
        return Fix(title, Edit("set", field, words), safe=False)
    words = ["/bin/sh", "-c", value]
    title = "Run the text in a shell: [/bin/sh, -c, …]"
    return Fix(title, Edit("set", field, words), safe=False)


def _runs_text(command: Any) -> bool:
    """Return True for a command such as ``[sh, -c]`` or ``[python, -c]``, whose next argument is a script."""
    if not isinstance(command, list) or not command:
        return False
    words = [word for word in command if isinstance(word, str)]
    if len(words) < len(command):
        return False
    call = shell_call(words)
    last = words[-1]
    return call.at == len(words) if call is not None else last[:1] == "-" and last[-1:] == "c"


def _as_struct(field: str, value: Any, struct: Struct) -> Fix | None:
    if value == [] or (value in ("", True) and struct.name == "EmptyDirVolumeSource"):
        return Fix("Write the empty object {}", Edit("set", field, {}), safe=True)
    name = _list_within(value, struct)
    if name:
        return Fix(f"Put the list under {name}:", Edit("set", field, {name: value}), safe=True)
    merged = _merged(value)
    if merged is not None and merged.keys() <= struct.fields.keys():
        return Fix("Remove the dashes of the list", Edit("set", field, merged), safe=True)
    found = _from_scalar(value, struct)
    if found is None:
        return None
    return Fix(f"Write {_flow(found)}", Edit("set", field, found), safe=True)


def _list_within(value: Any, struct: Struct) -> str:
    """Return the only list of a type that can have these items, such as ``rules``; empty for none."""
    if not isinstance(value, list) or not all(isinstance(part, dict) and part for part in value):
        return ""
    keys = {key for part in value for key in part}
    lists = [
        name
        for name, each in struct.fields.items()
        if isinstance(each.type, ListOf)
        and isinstance(each.type.item, Struct)
        and keys <= each.type.item.fields.keys()
    ]
    return lists[0] if len(lists) == 1 and not keys & struct.fields.keys() else ""


def _as_map(rejected: RejectedObject, field: str, value: Any) -> Fix | None:
    if value == []:
        return Fix("Write the empty object {}", Edit("set", field, {}), safe=True)
    merged = _merged(value)
    if merged is not None:
        return Fix("Remove the dashes of the list", Edit("set", field, merged), safe=True)
    parts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    entries: dict[str, str] = {}
    for part in parts:
        name, equals, text = part.partition("=") if isinstance(part, str) else ("", "", "")
        if not equals or not name or set(part) & set(" \t\n,") or "=" in text or name in entries:
            return None
        entries[name] = text
    if not entries:
        return None
    return Fix(f"Write {_flow(entries)}", Edit("set", field, entries), safe=True)


def _merged(value: Any) -> dict[str, Any] | None:
    """Return the entries of all objects in a list as one object; None if they are not objects, or repeat."""
    if not isinstance(value, list) or not value:
        return None
    merged: dict[str, Any] = {}
    for part in value:
        if not isinstance(part, dict) or not part or part.keys() & merged.keys():
            return None
        merged.update(part)
    return merged


def _as_scalar(rejected: RejectedObject, field: str, value: Any, wanted: Scalar) -> Fix | None:
    fits = isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict | list)
    if fits and (isinstance(value[0], str) or wanted is not String):
        return Fix("Remove the list around the value", Edit("set", field, value[0]), safe=True)
    if isinstance(value, dict) and len(value) == 1 and wanted is String and is_item(field):
        (name, part), *_ = value.items()
        text = part if isinstance(part, str) else rejected.written(f"{field}.{name}")
        if text is not None and not isinstance(part, dict | list) and part is not None:
            return Fix("Put the text in quotes", Edit("set", field, f"{name}: {text}"), safe=True)
    if isinstance(value, str) and EXIT_CODES in field:
        return _without_ranges(rejected, field)
    return None


def _without_ranges(rejected: RejectedObject, field: str) -> Fix | None:
    """Return the fix that writes out the ranges in a list of exit codes, such as ``[1-3, 7]``."""
    path = field.rpartition("[")[0]
    codes: set[int] = set()
    listed = rejected.at(path)
    for part in listed if isinstance(listed, list) else ():
        first, hyphen, last = part.partition("-") if isinstance(part, str) else (part, "", "")
        if type(first) is int:
            codes.add(first)
        elif hyphen and _is_code(first) and _is_code(last) and int(first) <= int(last):
            codes.update(range(int(first), int(last) + 1))
        else:
            return None
    title = "Write out the range: a list of exit codes has no ranges"
    return Fix(title, Edit("set", path, sorted(codes)), safe=True)


def _is_code(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 3 and int(text) <= MAX_RANGE


def _flow(value: dict[str, Any]) -> str:
    parts = ", ".join(f"{key}: {_as_written(part)}" for key, part in value.items())
    return f"{{{parts}}}"


def _as_written(part: Any) -> str:
    """Return a value as a manifest shows it; text that begins with a letter or slash needs no quotes."""
    plain = not isinstance(part, str) or part[:1].isalpha() or part[:1] == "/"
    return str(part) if plain else f'"{part}"'
