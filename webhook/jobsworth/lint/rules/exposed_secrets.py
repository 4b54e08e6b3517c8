"""Rules for passwords and tokens that a manifest or a log shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jobsworth.findings.placeholders import stands_for_value
from jobsworth.lint import needs
from jobsworth.lint.container_start import literal_variables
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_text import expanded_part, statements
from kube_cel.formats.bounded_cache import bounded_cache

SECRET_WORDS = frozenset(("pwd", "secret", "token"))
SECRET_ENDS = (
    "access_key", "api_key", "apikey", "passphrase", "passwd", "password", "private_key", "secret_key",
)  # fmt: skip
"""The last words of names of secrets. A key alone may be that of a map or of a cache."""

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"]{0,100}:([^\s/@'\"]{1,100})@")
"""A URL with a user and a password."""

_REFERENCE = re.compile(
    r"(?:/|\./|>>vault:|ENC\[|projects/[^/]+/secrets/|[a-z][a-z0-9.+-]*://"
    r"|(?:arn|awssm|bao|env|file|gcpsm|keyvault|kms|secrets?|sm|sops|ssm|vault):)"
)
"""The beginning of a value that names the place of a secret: a path, or the reference of a tool that fetches
it, such as those of 1Password (op://), vals (ref+vault://), Vault, OpenBao and AWS (the ARN of a secret)."""

MIN_LENGTH = 4


@lint_rule(
    "JW516",
    "literal-secret",
    severity="warning",
    summary="A password or token stands in the manifest.",
    needs=needs.commands_or_variables,
    pods=True,
)
def literal_secret(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        names = {each.get("name", "") for each in container.get("env", ())}
        for index, name, value in literal_variables(container):
            if name.endswith("SECRET_KEY") and f"{name[:-3]}NAME" in names:
                continue  # the key of a Secret, whose name is beside it
            if (_names_secret(name) and _is_secret(value)) or (
                "@" in value and _has_password(value)
            ):
                yield _literal(f"{path}.env[{index}].value", name or "This variable")
    seen = set()
    for command in job.commands:
        given = [
            name
            for name, value in command.options
            if "$" not in name
            and _names_secret(name)
            and not name.endswith("secret")
            and _is_secret(value)
        ]
        if any("@" in word and _has_password(word) for word in command.words):
            given.append("a URL")
        if given and command.field not in seen:
            seen.add(command.field)
            shown = given[0] if given[0] == "a URL" else f"--{given[0].replace('_', '-')}"
            yield _literal(command.field, f"The value of {shown}")


def _literal(field: str, what: str) -> Diagnostic:
    return Diagnostic(
        field,
        f"{what} is a secret in plain text: every user who may read the Job, its Pods or the repository "
        "can use it. Move it into a Secret, and refer to it with secretKeyRef.",
    )


@bounded_cache
def _names_secret(name: str) -> bool:
    """Return True for the name of a variable or option that holds a secret, not the place of one."""
    lowered = name.lower().replace("-", "_")
    return lowered.rpartition("_")[2] in SECRET_WORDS or lowered.endswith(SECRET_ENDS)


def _is_secret(value: str) -> bool:
    if len(value) < MIN_LENGTH or value.isdecimal() or _REFERENCE.match(value):
        return False
    if value.endswith(("-secret", "-secrets", "-credentials", "-token", "-password")):
        return False  # the name of a Secret
    return not stands_for_value(value) and not any(map(str.isspace, value))


def _has_password(text: str) -> bool:
    found = _URL.search(text)
    return found is not None and not stands_for_value(found[1])


@lint_rule(
    "JW517",
    "traced-secret",
    severity="warning",
    summary="A script prints a variable from a Secret, by itself or with each of its commands.",
    confidence="certain",
    needs=needs.commands_or_variables,
    pods=True,
)
def traced_secret(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        secrets = [each["name"] for each in start.container.get("env", ()) if _from_secret(each)]
        printed = _printed(script.text) if secrets else set()
        for name in secrets:
            if name in printed and _names_secret(name):
                yield Diagnostic(
                    start.field,
                    f"The script prints {name}, which comes from a Secret: the log shows it. Remove this "
                    "command.",
                )
                break
            if script.xtrace and re.search(rf"\$\{{?{re.escape(name)}\b", script.text):
                yield Diagnostic(
                    start.field,
                    f"The script prints each command with its values (set -x), also that of {name}, "
                    "which comes from a Secret: the log shows it. Remove x from the options.",
                )
                break


_PRINTS = re.compile(r"\s*(?:(?:then|do|else|\{)\s+)?(?:echo|printf)\s[^|<>`)]*")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\b(?!:?\+)|(\w+))")
"""A variable whose value a text shows; ``${NAME:+set}`` shows another text."""


def _printed(text: str) -> set[str]:
    """Return the variables that a script prints, not into a file, a pipe or another command."""
    prints = filter(_PRINTS.fullmatch, statements(expanded_part(text)))
    return {found[1] or found[2] for each in prints for found in _VARIABLE.finditer(each)}


def _from_secret(variable: dict[str, Any]) -> bool:
    return "secretKeyRef" in variable.get("valueFrom", {}) and bool(variable.get("name"))
