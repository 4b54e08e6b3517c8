"""The help of the commands: options in groups, each in one line where possible."""

from __future__ import annotations

import pytest

from jobsworth.cli.click_application import COMMANDS, declared_command
from support.cli.command_runs import Command


def sections(text: str) -> dict[str, list[str]]:
    """Return the options below each heading."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in text.splitlines():
        if line and not line.startswith(" ") and line.endswith(":"):
            heading = line[:-1]
        elif line.startswith("  -"):
            found.setdefault(heading, []).append(line.split()[0].rstrip(","))
    return found


def test_the_options_of_validate_are_in_groups(command: Command) -> None:
    found = sections(command("validate", "--help").out)
    assert list(found) == [
        "API server",
        "Updates",
        "Cluster",
        "Input",
        "Charts and overlays",
        "Fixes",
        "Rules, policies and configuration",
        "Reports",
        "Baseline",
        "Other options",
    ]
    assert found["Fixes"] == ["--fix", "--unsafe", "--diff"]
    assert found["Other options"] == ["-j", "-h"]


def test_a_command_without_groups_has_one_section(command: Command) -> None:
    assert list(sections(command("rule", "--help").out)) == ["Options"]


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_of_a_command_is_in_its_help(words: str, command: Command) -> None:
    text = command(*words.split(), "--help").out
    for option in declared_command(words).options:
        assert option.name in text
    assert "--help" in text
