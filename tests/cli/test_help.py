"""The help of the commands: options in groups, each in one line where possible."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.cli.click_application import COMMANDS, declared_command
from jobsworth.cli.help_text import COMMANDS_BY_PURPOSE, documentation_line
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
        "Fixes",
        "Reports",
        "Input",
        "Charts and overlays",
        "Rules, policies and configuration",
        "Baseline",
        "Updates",
        "Cluster",
        "API server",
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
        assert all(name in text for name in option.opts)
    assert "--help" in text
    assert text.splitlines()[-1].strip().endswith(".md")


@pytest.mark.parametrize("words", COMMANDS)
def test_the_help_of_a_command_fits_eighty_columns(words: str, command: Command) -> None:
    text = command(*words.split(), "--help").out
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_the_program_lists_each_command_once_with_a_whole_sentence(command: Command) -> None:
    listed = {name: text for each in COMMANDS_BY_PURPOSE.values() for name, text in each.items()}
    assert listed.keys() == {words.partition(" ")[0] for words in COMMANDS}
    text = command("--help").out
    for name, sentence in listed.items():
        assert re.search(rf"^  {name} +{re.escape(sentence)}$", text, re.MULTILINE)
        assert sentence.endswith(".")
        assert len(sentence) <= 60


@pytest.mark.parametrize("words", ["", *COMMANDS])
def test_no_identifier_is_broken_at_the_end_of_a_line(words: str, command: Command) -> None:
    lines = command(*words.split(), "--help").out.splitlines()
    assert not [line for line in lines if re.search(r"\w-$", line)]


@pytest.mark.parametrize("words", ["", *COMMANDS])
def test_the_page_that_help_names_exists(words: str) -> None:
    page = documentation_line(words).partition("/docs/")[2]
    assert (Path(__file__).parents[2] / "docs" / page).is_file()


def test_options_that_most_never_need_stand_last(command: Command) -> None:
    for words in ("serve", "why", "simulate", "explain"):
        headings = list(sections(command(words, "--help").out))
        assert headings[-1] == "API server", (words, headings)


def test_every_command_has_its_help_without_the_extras() -> None:
    code = (
        "import importlib, pkgutil, sys\n"
        "for name in sys.argv[1:]: sys.modules[name] = None\n"
        "import jobsworth.cli.commands as commands\n"
        "for each in pkgutil.iter_modules(commands.__path__, commands.__name__ + '.'):\n"
        "    importlib.import_module(each.name)\n"
    )
    extras = (
        "a2wsgi", "cryptography", "flask", "gunicorn", "httptools", "kubernetes", "prometheus_client",
        "pygls", "re2", "urllib3", "uvicorn", "uvicorn_worker",
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, *extras], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
