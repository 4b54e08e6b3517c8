"""The options of a command as a command line gives them."""

from __future__ import annotations

from typing import TypeVar

import click

from jobsworth.cli.options import Options, parameters

Group = TypeVar("Group", bound=Options)


def parsed(options: type[Group], *arguments: str) -> Group:
    """The options that some arguments give."""
    command = click.Command("test", params=[parameter for _, parameter in parameters(options)])
    return options(**command.make_context("test", [*arguments]).params)
