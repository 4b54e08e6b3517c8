"""Advice on how to install an extra, for the door through which this installation came.

``pip install`` cannot help a user of pre-commit or uvx, whose environments are made by those tools.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

PRE_COMMIT = "PRE_COMMIT"
"""The environment variable that pre-commit sets for its hooks."""

PIP = "run pip install 'jobsworth[{extra}]', or '.[{extra}]' in a clone"
HOOK = "add additional_dependencies: ['.[{extra}]'] to the hook in .pre-commit-config.yaml"
DOORS = (
    ("/uv/archive-", "run uvx --from 'jobsworth[{extra}]' jobsworth"),
    ("/uv/builds-", "run uvx --from 'jobsworth[{extra}]' jobsworth"),
    ("/uv/tools/", "run uv tool install 'jobsworth[{extra}]'"),
    ("/pipx/", "run pipx install --force 'jobsworth[{extra}]'"),
)
"""A part of the path of an environment that a tool makes, and what installs an extra with that tool."""


def how_to_install(
    extra: str, *, prefix: str | None = None, environment: Mapping[str, str] = os.environ
) -> str:
    """Return the advice, in the imperative.

    >>> how_to_install("policy", prefix="/usr", environment={})
    "run pip install 'jobsworth[policy]', or '.[policy]' in a clone"

    Args:
        extra: the name of the extra.
        prefix: the folder of the Python environment; by default that of this process.
        environment: the environment variables.
    """
    if environment.get(PRE_COMMIT):
        return HOOK.format(extra=extra)
    path = (sys.prefix if prefix is None else prefix).replace("\\", "/") + "/"
    advice = next((advice for part, advice in DOORS if part in path), PIP)
    return advice.format(extra=extra)


def missing_extra(what: str, extra: str, package: str | None = None) -> str:
    """Return the message: what requires which packages, and how to install them.

    Args:
        what: the feature, in the plural.
        extra: the name of the extra.
        package: the missing package, if known.
    """
    needs = f"the package {package}" if package else f"the packages of the extra {extra}"
    return f"{what} require {needs}: {how_to_install(extra)}"
