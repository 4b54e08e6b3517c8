"""Rules for names within a Pod: variables that nothing sets or that change, volumes that nothing mounts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.rules.parallelism import INDEX_VARIABLE
from jobsworth.lint.script_text import expanded_part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from jobsworth.lint.linted_job import LintedJob

MOUNTED_BY_INJECTION = ("gke-gcsfuse-",)
"""Beginnings of the names of volumes that an injected sidecar mounts (Cloud Storage FUSE on GKE)."""

MAX_NAMES = 3
"""The maximum number of variables named in a message."""
MAX_VALUE_LENGTH = 32_768
"""The maximum length of a text in which references are looked for."""


_PROCESS_ID = re.compile(r"(?<!\$)\$\$(?![A-Za-z0-9_({$?#@*!-])")


def applies(job: LintedJob) -> bool:
    return True


@lint_rule(
    "JW506",
    "undefined-variable",
    severity="warning",
    summary="A command line or variable refers to a variable that the container does not set.",
    confidence="certain",
)
def undefined_variable(job: LintedJob) -> Iterator[Diagnostic]:
    scripts = {field for field, _, _ in job.scripts}
    for path, container in job.containers:
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
                yield from _unknown(field, value, known, later, constants=True)
            known.add(variable.get("name", ""))
        for part in ("command", "args"):
            for index, text in enumerate(container.get(part, ())):
                if "$(" in text:
                    field = f"{path}.{part}[{index}]"
                    yield from _unknown(field, text, known, constants=field in scripts)


def _unknown(
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
        for name in dict.fromkeys(_references(text[:MAX_VALUE_LENGTH]))
        if not (name in known or _is_set_for_all(name) or (constants and not name.isupper()))
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


def _references(text: str) -> Iterator[str]:
    """Yield the names in ``$(NAME)``; ``$$`` stands for a dollar sign."""
    at = text.find("$")
    while 0 <= at < len(text) - 1:
        if text[at + 1] == "(":
            end = text.find(")", at)
            if end < 0:
                return
            name = text[at + 2 : end]
            if name.isidentifier() and name.isascii():
                yield name
        at = text.find("$", at + 2)


def _is_set_for_all(name: str) -> bool:
    """Return True for a variable that the kubelet or the Job controller sets, such as those of Services."""
    return (
        name == INDEX_VARIABLE or "_SERVICE_" in name or name.endswith("_PORT") or "_PORT_" in name
    )


@lint_rule(
    "JW525",
    "halved-dollars",
    severity="warning",
    summary="The kubelet halves the $$ of a script, which gets a dollar sign in place of its process ID.",
    confidence="certain",
)
def halved_dollars(job: LintedJob) -> Iterator[Diagnostic]:
    """Report the shell's variable ``$$``; ``$$NAME`` is an escape that the shell gets as ``$NAME``."""
    for field, _, script in job.scripts:
        if "$$" in script.text and _PROCESS_ID.search(expanded_part(script.text)):
            yield Diagnostic(
                field,
                "The shell gets $ instead of its process ID: in command and args the kubelet makes $$ a "
                "single dollar sign. Write $$$$, or take the name of the Pod for what must be unique.",
            )


@lint_rule(
    "JW507",
    "unmounted-volume",
    severity="warning",
    summary="No container mounts a volume of the Pod.",
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
