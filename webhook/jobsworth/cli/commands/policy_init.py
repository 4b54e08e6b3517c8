"""``jobsworth policy init``: write a policy to start from, with its test cases."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

import jobsworth.policy
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, option
from jobsworth.files.policies.profiles import PROFILES, ProfileName
from jobsworth.policy.document import NAME_PATTERN
from jobsworth.usage_error import InputError, UsageError

STARTER = "starter"
_FOLDER = Path(jobsworth.policy.__file__).parent
_ENDINGS = (".yaml", "_test.yaml")


class InitOptions(Options):
    """The options of ``jobsworth policy init``."""

    profile: ProfileName | None = option(
        "--profile",
        type=click.Choice(PROFILES),
        help="Start from a copy of this profile's policy: docs/profiles.md.",
    )
    directory: str = option(
        "--directory",
        default=os.curdir,
        metavar="DIR",
        help="Write the files to this folder, which is created.",
    )
    names: tuple[str, ...] = arguments("names", "NAME")


def run(options: InitOptions) -> int:
    """Write a policy and its test cases, and return the exit code.

    Raises:
        UsageError: the name is invalid or that of a profile, or a file exists or cannot be written.
    """
    if len(options.names) != 1:
        raise UsageError(f"give one name: got {', '.join(options.names)}")
    (name,) = options.names
    _check_name(name, options.profile)
    source = _FOLDER / ("profiles" if options.profile else STARTER)
    original = options.profile or STARTER
    folder = Path(options.directory)
    texts = {
        folder / f"{name}{ending}": _renamed(source / f"{original}{ending}", original, name)
        for ending in _ENDINGS
    }
    for path in texts:
        if os.path.lexists(path):
            raise InputError(f"{path} exists: choose another name, or remove it first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create {folder}: {error.strerror}") from None
    for path, content in texts.items():
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(content)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}") from None
    policy, cases = texts
    print(f"{policy}: the policy\n{cases}: its test cases\n")
    print(
        f"Edit them, then run:\n  jobsworth policy check {policy}\n  jobsworth policy test {cases}"
    )
    return 0


def _check_name(name: str, profile: str | None) -> None:
    if not re.fullmatch(NAME_PATTERN, name):
        raise UsageError(
            f'"{name}" cannot be the name of a policy: use lower case letters, digits and hyphens, '
            "at most 63, that begin and end with a letter or digit"
        )
    if name in PROFILES and name != profile:
        raise UsageError(
            f"a policy with the name {name} replaces that of the profile: choose another name, or start "
            f"from its copy with --profile {name}"
        )


def _renamed(file: Path, original: str, name: str) -> str:
    """Return the text of a document with the new name, also in the names of the files in comments."""
    content = file.read_text(encoding="utf-8")
    quoted = f'"{name}"'  # for YAML, names like 1e3 are numbers
    content = content.replace(f"\n  name: {original}", f"\n  name: {quoted}")
    return re.sub(rf"\b{original}(?=(_test)?\.yaml)", name, content)


COMMAND = Command(
    "policy init",
    help="""Write a policy to start from, NAME.yaml, and its test cases, NAME_test.yaml.

The policy is valid and its test cases pass. Existing files are not overwritten.""",
    epilog="""\b
Examples:
  jobsworth policy init team-ml
  jobsworth policy init baseline --profile baseline   # a copy, to change it
""",
    options=InitOptions,
    run=run,
)
