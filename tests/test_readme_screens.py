"""The README and pages of docs/ show the current output of their commands and of the Python example.

To update the commands after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/test_readme_screens.py``.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
SCREEN = re.compile(
    r"<!-- screen: (?P<command>.*?) -->\n(?P<text>.*?)<!-- end of screen -->", re.DOTALL
)
PYTHON = re.compile(r"^```pycon\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = (
    README,
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/start").glob("*.md")),
)
SCREENS = [
    pytest.param(
        page,
        match["command"],
        id=f"{page.stem}: {match['command']}",
        marks=pytest.mark.slow if match["command"].startswith("jobsworth simulate") else (),
    )
    for page in PAGES
    for match in SCREEN.finditer(page.read_text(encoding="utf-8"))
]


def printed(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "jobsworth"
    done = subprocess.run(
        [sys.executable, "-m", "jobsworth", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook"), "NO_COLOR": "1"},
    )
    return f"```console\n$ {command}\n{done.stdout}{done.stderr}```\n"


def test_the_first_command_of_the_readme_prints_its_first_screen() -> None:
    text = README.read_text(encoding="utf-8")
    block = text.partition("<!-- main-job -->\n```\n")[2].partition("\n```")[0]
    first = SCREEN.search(text)
    assert first is not None
    assert block.endswith(f"&& .venv/bin/{first['command']}")


def test_the_readme_can_be_read_in_minutes() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 110


def test_every_page_is_in_the_index() -> None:
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert {page for page in pages if f"]({page})" not in text} == set()


@pytest.mark.slow
@pytest.mark.parametrize(("page", "command"), SCREENS)
def test_a_screen_is_what_the_command_prints(page: Path, command: str) -> None:
    text = page.read_text(encoding="utf-8")
    (match,) = [found for found in SCREEN.finditer(text) if found["command"] == command]
    now = printed(command)
    if os.environ.get("JOBSWORTH_RENEW"):
        page.write_text(
            text[: match.start("text")] + now + text[match.end("text") :], encoding="utf-8"
        )
        return
    assert match["text"] == now


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "functions"),
    [
        ("docs/python.md", ("evaluate", "simulate")),
        ("docs/start/python.md", ("validate", "evaluate", "simulate", "testing")),
    ],
)
def test_the_python_examples_return_what_they_show(page: str, functions: tuple[str, ...]) -> None:
    examples = PYTHON.findall((ROOT / page).read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    for example, name in zip(examples, functions, strict=True):
        test = doctest.DocTestParser().get_doctest(example, names, page, page, 0)
        assert f"jobsworth.{name}" in example
        assert doctest.DocTestRunner().run(test, clear_globs=False) == doctest.TestResults(
            failed=0, attempted=len(test.examples)
        )
        names = test.globs
