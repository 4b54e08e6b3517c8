"""The README of the package."""

from __future__ import annotations

import re
from pathlib import Path

import kube_cel

README = Path(kube_cel.__file__).with_name("README.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    exec(example, names)
    assert "error" not in names


def test_every_module_is_in_the_table() -> None:
    named = set(re.findall(r"`(\w+)/?`", README.partition("| module |")[2]))
    folder = Path(kube_cel.__file__).parent
    modules = {
        path.stem
        for path in folder.iterdir()
        if path.suffix in ("", ".py") and path.stem[:2] != "__"
    }
    assert modules <= named
