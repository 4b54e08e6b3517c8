"""Rules for names within a Pod: variables that nothing sets or that change, volumes that nothing mounts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from jobsworth.findings.near_names import near
from jobsworth.lint import needs
from jobsworth.lint.command_line import dollars
from jobsworth.lint.container_start import (
    INDEX_VARIABLE,
    SET_BY_RUNTIME,
    ContainerStart,
    is_set_for_all,
)
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import CONFIG_MAP, SECRET
from jobsworth.lint.script_text import expanded_part, line_of

MOUNTED_BY_INJECTION = ("gke-gcsfuse-",)
"""Beginnings of the names of volumes that an injected sidecar mounts (Cloud Storage FUSE on GKE)."""

MAX_NAMES = 3
"""The maximum number of variables named in a message."""
MAX_VALUE_LENGTH = 32_768
"""The maximum length of a text in which references are looked for."""


_SQL_QUOTING = re.compile(
    r"\b(?:do|as|return)\s+\$\$(?![$A-Za-z0-9_({])|(?<!\$)\$\$\s*(?:language\b|begin\b|declare\b)",
    re.I,
)
"""Matches the dollar quoting of PostgreSQL: ``DO $$ BEGIN … END $$;``."""
_AFTER_ESCAPE = re.compile(r"[A-Za-z0-9_({$?#@*!-]")
"""What stands behind a dollar sign that is escaped for the kubelet."""


_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
"""A comment of a shell script on a line of its own."""


@lint_rule(
    "JW506",
    "undefined-variable",
    severity="warning",
    summary="A command line or variable refers to a variable that the container does not set.",
    confidence="certain",
    needs=needs.a_text("$("),
    pods=True,
)
def undefined_variable(job: LintedJob) -> Iterator[Diagnostic]:
    scripts = {start.field for start, _ in job.scripts}
    for path, container in job.containers:
        yield from _index_in_variables(job, path, container)
        if "envFrom" in container or not container.get("env"):
            continue  # without any variable, the manifest is probably a template or to be patched
        known: set[str] = set()
        names = {variable.get("name", "") for variable in container["env"]}
        for index, variable in enumerate(container.get("env", ())):
            value = variable.get("value", "")
            if "$(" in value:
                field = f"{path}.env[{index}].value"
                own = variable.get("name", "")
                later = () if f"$({own})" in value else names
                yield from _unknown(job, field, value, known, later, constants=True)
            known.add(variable.get("name", ""))
        for part in ("command", "args"):
            for index, text in enumerate(container.get(part, ())):
                if "$(" in text:
                    field = f"{path}.{part}[{index}]"
                    is_script = field in scripts
                    read = _COMMENT.sub("", text) if is_script else text
                    yield from _unknown(job, field, read, known, constants=is_script)


def _index_in_variables(
    job: LintedJob, path: str, container: dict[str, Any]
) -> Iterator[Diagnostic]:
    """Report the completion index in the value of a variable: the Job controller adds it behind the others.

    Source: https://github.com/kubernetes/kubernetes/issues/121523.
    """
    if not job.indexed:
        return
    for index, variable in enumerate(container.get("env", ())):
        if variable.get("name") == INDEX_VARIABLE:
            return
        if f"$({INDEX_VARIABLE})" in variable.get("value", ""):
            yield Diagnostic(
                f"{path}.env[{index}].value",
                f"The container gets the text $({INDEX_VARIABLE}): the Job controller adds this variable "
                "behind all others, and a value refers only to those before it. Use it in command or args, "
                "or set a variable of your own from the annotation "
                "batch.kubernetes.io/job-completion-index first.",
            )


def _unknown(
    job: LintedJob,
    field: str,
    text: str,
    known: Collection[str],
    later: Collection[str] = (),
    *,
    constants: bool,
) -> Iterator[Diagnostic]:
    """Report the unknown variables of a text.

    With ``constants``, only names in capitals are variables: a shell runs the others as commands.
    """
    names = [
        name
        for name in dict.fromkeys(
            each.name for each in dollars(text[:MAX_VALUE_LENGTH]) if each.kind == "reference"
        )
        if not (
            name in known
            or is_set_for_all(name)
            or job.operator_sets(name)
            or (constants and not name.isupper())
        )
    ]
    if not names:
        return
    first = names[0]
    shown = " and ".join(f"$({name})" for name in names[:MAX_NAMES])
    which = (
        f"variable {first} is"
        if len(names) == 1
        else f"variables {' and '.join(names[:MAX_NAMES])} are"
    )
    if later and all(name in later for name in names):
        advice = (
            f"{'It is' if len(names) == 1 else 'They are'} set after it: move this variable below"
        )
    else:
        advice = f"Set the variable{'s' * (len(names) > 1)}"
    yield Diagnostic(
        field,
        f"The container gets the text {shown}, because no {which} set before it in env. {advice}, or write "
        f"$$({first}) for this text.",
    )


_SHELL_VARIABLE = re.compile(r"(?<![\\$])\$(?:([A-Z][A-Z0-9_]{2,})|\{([A-Z][A-Z0-9_]{2,})\})")
_ECHOED = re.compile(r"\becho[ \t]+([A-Za-z_]\w*)=\$\(")


@lint_rule(
    "JW543",
    "unset-variable",
    severity="warning",
    summary="A script reads a variable that nothing sets: a similar one is set, or the Job is not Indexed.",
    confidence="likely",
    needs=needs.scripts,
    pods=True,
)
def unset_variable(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        if any(each.name in (".", "source", "eval") for each in script.commands):
            continue
        text = expanded_part(script.text[:MAX_VALUE_LENGTH])
        echoed = _ECHOED.search(text)
        if echoed and echoed[1] not in script.assigned and f"${echoed[1]}" in text:
            yield Diagnostic(
                start.field,
                f"`echo {echoed[1]}=` prints the value and sets no variable: {echoed[1]} is empty where the "
                "script reads it. Remove echo.",
                line=line_of(script.text, f"echo {echoed[1]}="),
            )
            continue
        if _reads_absent_index(job, start, text):
            yield Diagnostic(
                start.field,
                f"Nothing sets {INDEX_VARIABLE}, which the script reads: the Job is not Indexed, so all "
                "of its Pods do the same work. Set completionMode: Indexed.",
                line=line_of(script.text, INDEX_VARIABLE),
            )
            continue
        names = {each.get("name", "") for each in start.container.get("env", ())}
        offered = _offered(job, start)
        names |= offered or set()
        if not names or not script.commands:
            continue  # without any variable, the manifest is probably a template or to be patched
        for found in _SHELL_VARIABLE.finditer(text):
            name = found[1] or found[2]
            if name in script.assigned or name in names or job.operator_sets(name):
                continue
            if start.source_of_variable(name) and (
                offered is None or (name in SET_BY_RUNTIME or is_set_for_all(name))
            ):
                continue
            similar = _similar(name, names) or (
                next((each for each in names if _is_part(each, name)), "") if script.nounset else ""
            )
            similar = similar or _of_the_same_family(name, offered or ())
            if similar:
                effect = "the script ends there (set -u)" if script.nounset else "it is empty"
                yield Diagnostic(
                    start.field,
                    f"Nothing sets {name}, which the script reads: {effect}. The container has {similar}.",
                    line=line_of(script.text, found[0]),
                )
                break


FAMILIES_OF_CLOUDS = ("AWS", "AZURE", "GOOGLE")
"""Beginnings of variables that webhooks of clouds add to Pods."""


def _reads_absent_index(job: LintedJob, start: ContainerStart, text: str) -> bool:
    """Return True if a script reads the index of its Pod, and several Pods have none."""
    several = max(job.spec.get("completions") or 1, job.spec.get("parallelism") or 1) > 1
    if job.indexed or not several or f"${{{INDEX_VARIABLE}" not in text.replace("$J", "${J"):
        return False
    own = {each.get("name", "") for each in start.container.get("env", ())}
    return INDEX_VARIABLE not in own and not job.operator_sets(INDEX_VARIABLE)


def _offered(job: LintedJob, start: ContainerStart) -> set[str] | None:
    """Return the variables that ``envFrom`` sets; None if one of its objects is not beside the Job."""
    if job.neighbors is None:
        return None
    names: set[str] = set()
    for source in start.container.get("envFrom", ()):
        for field, kind in (("configMapRef", CONFIG_MAP), ("secretRef", SECRET)):
            if field not in source:
                continue
            found = job.neighbors.reachable(kind, source[field].get("name", ""), job.namespace)
            if not found:
                return None
            for each in found:
                if each.keys is None:
                    return None
                names |= {f"{source.get('prefix', '')}{key}" for key in each.keys}
    return names


def _of_the_same_family(name: str, names: Collection[str]) -> str:
    """Return a name with the same first words; empty without one.

    >>> _of_the_same_family("MEDIA_PREFIX", ["MEDIA_PATH"]), _of_the_same_family("PATH", ["PATH_B"])
    ('MEDIA_PATH', '')
    """
    first, _, rest = name.rpartition("_")
    if first.startswith(FAMILIES_OF_CLOUDS):
        return ""
    return next(
        (each for each in sorted(names) if rest and first and each.startswith(f"{first}_")), ""
    )


def _similar(name: str, names: Collection[str]) -> str:
    found = near(name, names)
    return found.name if found is not None and found.sure else ""


def _is_part(name: str, other: str) -> bool:
    """Return True if the words of a name are some of those of another one."""
    words, others = set(name.split("_")), set(other.split("_"))
    return words < others or others < words


@lint_rule(
    "JW525",
    "halved-dollars",
    severity="warning",
    summary="The kubelet halves the $$ of a script: the process ID of the shell, or the quoting of SQL.",
    confidence="certain",
    needs=needs.a_text("$$"),
    pods=True,
)
def halved_dollars(job: LintedJob) -> Iterator[Diagnostic]:
    """Report the shell's variable ``$$``; ``$$NAME`` is an escape that the shell gets as ``$NAME``."""
    scripts = {start.field for start, _ in job.scripts}
    for path, container in job.containers:
        for part in ("command", "args"):
            for index, text in enumerate(container.get(part, ())):
                field = f"{path}.{part}[{index}]"
                quoting = _SQL_QUOTING.search(text) if "$$" in text else None
                if quoting is not None:
                    yield Diagnostic(
                        field,
                        "The kubelet makes each $$ of command and args a single $: the $$ that quotes SQL "
                        f"becomes `{_one_dollar(quoting[0])}`, a syntax error. Write $$$$, or a tag such as "
                        "$do$.",
                        line=text.count("\n", 0, quoting.start()),
                    )
                elif field in scripts and _reads_process_id(expanded_part(text)):
                    yield Diagnostic(
                        field,
                        "The shell gets $ instead of its process ID: in command and args the kubelet makes "
                        "$$ a single dollar sign. Write $$$$, or take the name of the Pod for what must be "
                        "unique.",
                        line=line_of(text, "$$"),
                    )


def _reads_process_id(text: str) -> bool:
    """Return True for a script with the variable ``$$``; ``$$$$`` is how to write it."""
    return any(
        each.kind == "escape"
        and not _AFTER_ESCAPE.match(text, each.at + 2)
        and text[: each.at][-1:] != "$"
        for each in dollars(text)
    )


def _one_dollar(text: str) -> str:
    return " ".join(text.replace("$$", "$").split())


@lint_rule(
    "JW507",
    "unmounted-volume",
    severity="warning",
    summary="No container mounts a volume of the Pod.",
    pods=True,
)
def unmounted_volume(job: LintedJob) -> Iterator[Diagnostic]:
    volumes = job.pod.get("volumes", ())
    if not volumes:
        return
    mounted = {
        mount.get("name")
        for _, container in job.containers
        for part in ("volumeMounts", "volumeDevices")
        for mount in container.get(part, ())
    }
    for index, volume in enumerate(volumes):
        name: Any = volume.get("name", "")
        if name not in mounted and not name.startswith(MOUNTED_BY_INJECTION):
            yield Diagnostic(
                f"{job.pod_path}.volumes[{index}]",
                f"No container mounts the volume {name}, so programs do not find its files. Add it to the "
                "volumeMounts of a container, or remove it.",
            )
