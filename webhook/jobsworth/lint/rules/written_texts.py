"""Rules for texts that are not what they look like in YAML, and for names that a template cannot set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import near
from jobsworth.lint import needs
from jobsworth.lint.command_line import SHELLS, base_name
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.wording import listing

MAX_LENGTH = 4_096
"""The maximum length of a text that is read; longer ones are scripts or documents."""

_ESCAPES = {"\a": "a", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v", "\0": "0"}
"""The characters that YAML makes of a backslash and a letter between double quotes."""
_CONTROL = re.compile("(?:^|=)[A-Za-z]:([\n\r\t])|[\a\b\f\v\0]|\r(?!\n)")
"""Matches a character that no text needs, or a drive and the line feed or tab (a group) after it."""
_BLANK_AFTER_BACKSLASH = re.compile(r"(?m)^(?!\s*#)[^'\n]*(?<!\\)\\[ \t]+$")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
_EFFECTS = {
    "livenessProbe": "the probe never restarts the container",
    "readinessProbe": "the container never becomes ready",
    "startupProbe": "the container never counts as started",
    "lifecycle.postStart": "the hook fails, and the container is killed",
    "lifecycle.preStop": "the hook does nothing",
}
"""The effect of a port that the kubelet does not find: it drops the result of a probe that it cannot run."""
_REFERENCE = re.compile(r"(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_]*)\)")


def _words(job: LintedJob) -> Iterator[tuple[str, str]]:
    """Yield the field and text of each word of a command that is not a script, and of each path."""
    scripts = {start.field for start, _ in job.scripts}
    for path, container in job.containers:
        for part in ("command", "args"):
            for index, text in enumerate(container.get(part, ())):
                field = f"{path}.{part}[{index}]"
                if field not in scripts:
                    yield field, text
        if "workingDir" in container:
            yield f"{path}.workingDir", container["workingDir"]
        for index, mount in enumerate(container.get("volumeMounts", ())):
            for part in ("mountPath", "subPath"):
                if part in mount:
                    yield f"{path}.volumeMounts[{index}].{part}", mount[part]


@lint_rule(
    "JW560",
    "control-character",
    severity="warning",
    summary="YAML makes a control character of a backslash between double quotes in a command or path.",
    fixable="unsafe",
    confidence="certain",
    pods=True,
    needs=needs.control_characters,
)
def control_character(job: LintedJob) -> Iterator[Diagnostic]:
    for field, text in _words(job):
        found = _CONTROL.search(text) if len(text) <= MAX_LENGTH else None
        character = found and (found[1] or found[0])
        if character not in _ESCAPES:
            continue
        meant = "".join(f"\\{_ESCAPES[each]}" if each in _ESCAPES else each for each in text)
        yield Diagnostic(
            field,
            "The text contains a control character: between double quotes YAML reads "
            f"\\{_ESCAPES[character]} as one character. Write it between single quotes, or double "
            "the backslash.",
            Fix("Write the backslashes as such", Edit("set", field, meant), safe=False),
        )


@lint_rule(
    "JW561",
    "trailing-line-feed",
    severity="warning",
    summary="A block scalar ends the value of a variable, word or path with a line feed.",
    fixable="unsafe",
    pods=True,
    needs=needs.control_characters,
)
def trailing_line_feed(job: LintedJob) -> Iterator[Diagnostic]:
    texts = [*_words(job)]
    for path, container in job.containers:
        for index, variable in enumerate(container.get("env", ())):
            texts.append((f"{path}.env[{index}].value", variable.get("value", "")))
    for field, text in texts:
        value = text.rstrip("\n")
        if value == text or not value or "\n" in value or len(text) > MAX_LENGTH:
            continue
        if " " in value and not field.endswith(".value"):
            continue  # a line for an interpreter
        yield Diagnostic(
            field,
            "The value ends with a line feed, which the block scalar adds: a program reads it as part of the "
            "value. Write the value on one line, or begin the block with |-.",
            Fix("Remove the line feed", Edit("set", field, value), safe=False),
        )


@lint_rule(
    "JW562",
    "blank-after-backslash",
    severity="warning",
    summary="Blanks after the backslash at the end of a line end the command of a script there.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.control_characters,
    pods=True,
)
def blank_after_backslash(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        found = None if "<<" in script.text else _BLANK_AFTER_BACKSLASH.search(script.text)
        if found is None:
            continue
        plain = _BLANK_AFTER_BACKSLASH.sub(lambda match: match[0].rstrip(), script.text)
        yield Diagnostic(
            start.field,
            "The backslash escapes the blank after it and not the line feed: the command ends here, and the "
            "next line is a command of its own. Remove the blanks.",
            Fix(
                "Remove the blanks after the backslash", Edit("set", start.field, plain), safe=False
            ),
            line=script.text.count("\n", 0, found.start()),
        )


@lint_rule(
    "JW563",
    "name-in-template",
    severity="info",
    summary="A name or namespace in the metadata of a template has no effect.",
    fixable="safe",
    confidence="certain",
    needs=needs.names_in_templates,
)
def name_in_template(job: LintedJob) -> Iterator[Diagnostic]:
    holders = [(f"{job.path}.template.metadata", job.template_metadata, "Pods")]
    if job.cron is not None:
        inner = job.written["spec"]["jobTemplate"].get("metadata", {})
        holders.insert(0, ("spec.jobTemplate.metadata", inner, "Jobs"))
    for path, metadata, created in holders:
        for part in ("name", "generateName", "namespace"):
            if metadata.get(part):
                field = f"{path}.{part}"
                deleted = path if len(metadata) == 1 else field
                yield Diagnostic(
                    field,
                    f"The {part} of a template has no effect: the controller names its {created}, and "
                    "creates them in the namespace of the object. Remove it.",
                    Fix(f"Remove {part}", Edit("delete", deleted), safe=True),
                )


@lint_rule(
    "JW564",
    "reference-in-hook",
    severity="warning",
    summary="The command of a lifecycle hook or probe refers to a variable by $(NAME), which stays as it is.",
    confidence="certain",
    pods=True,
    needs=needs.hooks_or_probes,
)
def reference_in_hook(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: https://github.com/kubernetes/kubernetes/issues/129502."""
    for path, container in job.containers:
        names = {each.get("name") for each in container.get("env", ())}
        for where, action in _actions(container):
            command = action.get("exec", {}).get("command", ())
            for index, text in enumerate(command):
                found = [name for name in _REFERENCE.findall(text) if name in names]
                if not found:
                    continue
                is_run_by_shell = base_name(command[0]) in SHELLS
                advice = "Write" if is_run_by_shell else "Run the command by a shell, and write"
                yield Diagnostic(
                    f"{path}.{where}.exec.command[{index}]",
                    f"The program gets the text $({found[0]}): the kubelet replaces it in command, args and "
                    f"env only, not in hooks and probes. {advice} ${found[0]}.",
                )
                break


def _actions(container: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    hooks = container.get("lifecycle", {})
    yield from ((f"lifecycle.{name}", hooks[name]) for name in _HOOKS if name in hooks)
    yield from ((name, container[name]) for name in _PROBES if name in container)


@lint_rule(
    "JW565",
    "mount-in-read-only",
    severity="warning",
    summary="A volume is mounted in a folder of an empty volume that is read-only: it cannot be made.",
    confidence="certain",
    pods=True,
    needs=needs.mounts_beside_empty_ones,
)
def mount_in_read_only(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: https://github.com/kubernetes/kubernetes/issues/121294."""
    empty = {each.get("name") for each in job.pod.get("volumes", ()) if "emptyDir" in each}
    written = {
        mount.get("name")
        for _, container in job.containers
        for mount in container.get("volumeMounts", ())
        if not mount.get("readOnly")
    }
    for path, container in job.containers:
        mounts = container.get("volumeMounts", ())
        closed = [
            mount.get("mountPath", "").rstrip("/")
            for mount in mounts
            if mount.get("readOnly") and mount.get("name") in empty - written
        ]
        for index, mount in enumerate(mounts):
            inner = mount.get("mountPath", "")
            outer = next((each for each in closed if inner.startswith(f"{each}/")), None)
            if outer and inner.rstrip("/") != outer:
                yield Diagnostic(
                    f"{path}.volumeMounts[{index}].mountPath",
                    f"No folder can be made for this mount in {outer}, an empty volume that is mounted with "
                    "readOnly: true: the container does not start. Mount it elsewhere, or remove readOnly.",
                )


@lint_rule(
    "JW566",
    "port-of-other-name",
    severity="warning",
    summary="A probe or lifecycle hook names a port that its container does not have.",
    fixable="unsafe",
    confidence="certain",
    pods=True,
    needs=needs.hooks_or_probes,
)
def port_of_other_name(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: ``ResolveContainerPort`` in ``pkg/probe/util.go``, Kubernetes 1.36."""
    for path, container in job.containers:
        names = {each["name"] for each in container.get("ports", ()) if each.get("name")}
        for where, action in _actions(container):
            # A hook with tcpSocket fails with each port.
            for kind in ("httpGet", "tcpSocket") if where in _PROBES else ("httpGet",):
                port = action.get(kind, {}).get("port")
                if not isinstance(port, str) or not port or port in names or port.isdecimal():
                    continue
                if "$" in port or "{" in port:
                    continue
                field = f"{path}.{where}.{kind}.port"
                meant = near(port, names)
                edit = None if meant is None else Edit("set", field, meant.name)
                has = f"has only {listing(sorted(names))}" if names else "gives no port a name"
                yield Diagnostic(
                    field,
                    f"The container has no port named {port[:63]}; it {has}: {_EFFECTS[where]}. Set the "
                    "name or number of one of its ports.",
                    None if edit is None else Fix(f"Set port: {edit.value}", edit, safe=False),
                )
