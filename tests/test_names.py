"""A name in the code stands for one idea, so that a signature or a stack trace says which."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CODE = Path(__file__).parent.parent / "webhook/jobsworth"
OF_EVERY_PACKAGE = {"__init__", "__main__"}
COMMANDS = CODE / "cli/commands"

ANOTHER_WORD_FOR_EVALUATE = re.compile(r"judg", re.IGNORECASE)


@cache
def trees() -> dict[str, ast.Module]:
    return {
        str(path.relative_to(CODE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(CODE.rglob("*.py"))
    }


def names_in(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module gives: to classes, functions, parameters, variables and attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def shared(places: Iterator[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the names with more than one place."""
    found: dict[str, set[str]] = {}
    for name, place in places:
        found.setdefault(name, set()).add(place)
    return {name: where for name, where in found.items() if len(where) > 1}


def test_no_two_modules_have_the_same_base_name() -> None:
    paths = map(Path, trees())
    assert (
        shared((path.stem, str(path)) for path in paths if path.stem not in OF_EVERY_PACKAGE) == {}
    )


def test_no_module_has_the_base_name_of_a_package_that_it_is_not_the_center_of() -> None:
    packages = {path.parent.name for path in CODE.rglob("__init__.py")}
    modules = [path for path in CODE.rglob("*.py") if path.parent != COMMANDS]  # named by commands
    assert [
        str(path.relative_to(CODE))
        for path in modules
        if path.stem in packages and path.parent.name != path.stem
    ] == []


def test_no_two_public_classes_have_the_same_name() -> None:
    assert (
        shared(
            (node.name, path)
            for path, tree in trees().items()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        )
        == {}
    )


def test_the_code_evaluates_and_does_not_judge() -> None:
    assert [
        (path, name)
        for path, tree in trees().items()
        for name in [Path(path).stem, *names_in(tree)]
        if ANOTHER_WORD_FOR_EVALUATE.search(name)
    ] == []
