"""The worked examples in docs/develop, carried out as a contributor would: every file, every command.

A block of code goes to the file that the line above it names, in one of these ways::

    At the end of `path`:
    A new file, `path`:
    In `path`:               a diff, whose lines without + occur once in the file

Blocks of commands are run in the order of the page, and print what is shown; of ``pytest`` nothing is
shown, it has to pass. To renew what is shown: ``JOBSWORTH_RENEW=1 pytest tests/test_contributing.py``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from jobsworth.lint.linted_job import LintedJob

ROOT = Path(__file__).parent.parent
PAGES = {
    "a lint rule": ROOT / "docs/develop/adding-a-rule.md",
    "a field": ROOT / "docs/develop/adding-a-field.md",
    "a key and a limit": ROOT / "docs/develop/adding-a-key-or-limit.md",
}
COPIED = ("CHANGELOG.md", "docs", "examples", "pyproject.toml", "schemas", "tests", "webhook")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "cluster", "oracle", "*.xz")
BLOCK = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>\w+)\n(?P<text>.*?)\n(?P=indent)(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
PLACE = re.compile(r"(?P<how>At the end of|A new file,|In) `(?P<path>[^`]+)`:$")
A_MEMBER = re.compile(r"`job\.(\w+)(\(\))?`")

Block = re.Match[str]


def text_of(block: Block) -> str:
    return textwrap.dedent(block["text"]) + "\n"


def write(block: Block, folder: Path) -> None:
    """Write a block into the file that the line above it names."""
    above = block.string[: block.start()].rstrip().rpartition("\n")[2]
    place = PLACE.search(above)
    assert place is not None, f"no file is named above the block: {above}"
    path, text = folder / place["path"], text_of(block)
    if place["how"] == "A new file,":
        assert not path.exists(), f"{place['path']} exists: choose another name on the page"
        path.write_text(text, encoding="utf-8")
        return
    before = path.read_text(encoding="utf-8")
    if place["how"] == "At the end of":
        path.write_text(f"{before}\n\n{text}", encoding="utf-8")
        return
    assert block["language"] == "diff"
    lines = block["text"].splitlines(keepends=True)
    margin = len(block["indent"])
    old = "".join(line[margin + 1 :] for line in lines if line[margin] != "+")
    new = "".join(line[margin + 1 :] for line in lines if line[margin] != "-")
    assert before.count(old.rstrip("\n")) == 1, (
        f"renew the diff on the page: its old lines must occur once in {place['path']}"
    )
    path.write_text(before.replace(old.rstrip("\n"), new.rstrip("\n")), encoding="utf-8")


def screen(commands: list[str], folder: Path) -> str:
    """Run commands, and return them with what they print, as the page shows it."""
    shown = []
    variables = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    variables |= {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(folder / "webhook"),
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",  # findings before the summary, as in a terminal
    }
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        passes = "pytest " in command
        assert done.returncode == 0 or not passes, done.stdout
        shown += [f"$ {command}\n", "" if passes else done.stdout]
    return "".join(shown)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, with ``jobsworth`` and ``pytest`` that run what it holds."""
    folder = tmp_path_factory.mktemp("contribution")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=LEFT_OUT)
        else:
            shutil.copy(source, folder)
    (folder / "bin").mkdir()
    for program in ("jobsworth", "pytest"):
        script = folder / "bin" / program
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m {program} "$@"\n')
        script.chmod(0o755)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_an_example_does_what_it_shows(page: Path, folder: Path) -> None:
    screens = {}
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["language"] == "console":
            commands = [line[2:] for line in text_of(block).splitlines() if line[:2] == "$ "]
            assert commands
            screens[text_of(block)] = screen(commands, folder)
        else:
            write(block, folder)
    assert len(screens) >= 2
    if os.environ.get("JOBSWORTH_RENEW"):
        text = page.read_text(encoding="utf-8")
        for before, now in screens.items():
            text = text.replace(textwrap.indent(before, "   "), textwrap.indent(now, "   "))
        page.write_text(text, encoding="utf-8")
        return
    for shown, now in screens.items():
        assert shown == now, "run: JOBSWORTH_RENEW=1 pytest tests/test_contributing.py"


def test_the_members_of_a_linted_job_that_the_page_names_exist() -> None:
    named = A_MEMBER.findall(PAGES["a lint rule"].read_text(encoding="utf-8"))
    assert "containers" in dict(named)
    for name, call in named:
        set_at_first = name in LintedJob.__init__.__code__.co_names
        assert callable(getattr(LintedJob, name, None)) == bool(call), name
        assert set_at_first or hasattr(LintedJob, name), name


def test_contributing_can_be_read_in_minutes() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_tests_that_contributing_names_include_slow_ones() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"`(pytest [^`]*test_contributing\.py[^`]*)`", text)
    assert "-m 'slow or not slow'" in command
