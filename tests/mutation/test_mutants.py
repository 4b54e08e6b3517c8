"""The mutants of a text: each is one small change that Python still accepts."""

from __future__ import annotations

import pytest

from mutation.check import Map
from mutation.mutants import is_valid, mutants_of


def mutated(source: str) -> list[str]:
    """Return the texts of all mutants of a module."""
    data = source.encode()
    return [mutant.applied(data).decode() for mutant in mutants_of("m.py", data)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a not in b", ["x = a in b"]),
        ("x = a is not None", ["x = a is None"]),
        ("x = (a) == (b)", ["x = (a) != (b)"]),
        ("x = a + b", ["x = a - b"]),
        ("x = a and b and c", ["x = a or b and c", "x = a and b or c"]),
        ("x = not a", ["x = a"]),
        ("x = 6", ["x = 7"]),
        ("x = True", ["x = False"]),
        ("x = 'é'", ["x = ('é' 'XX')"]),
        ("x = f'{a + 1}'", ["x = (f'{a + 1}' 'XX')"]),
        ("x = {a, b}", ["x = { b}", "x = {a, b}"][:1]),
        ("def f():\n    return a", ["def f():\n    return None"]),
        ("def f():\n    g(a)", ["def f():\n    pass"]),
        ("def f():\n    yield a", ["def f():\n    ..."]),
        ("x = [a for a in b if a]", ["x = [a for a in b if not (a)]"]),
        ("if a:\n    b = c", ["if not (a):\n    b = c"]),
    ],
)
def test_changes(source: str, expected: list[str]) -> None:
    assert mutated(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""What it is."""',
        'def f(a: "int") -> "int | None":\n    """Return it."""',
        "if TYPE_CHECKING:\n    X = 1",
        "@dataclass(frozen=True, slots=True)\nclass A:\n    a: int",
        "__slots__ = ('a', 'b')",
        "from a import b",
        "def f():\n    return None",
        "x = a  # 1 < 2",
    ],
)
def test_what_no_test_can_notice_is_left_out(source: str) -> None:
    assert mutated(source) == []


def test_a_mutant_knows_its_lines_and_whether_an_import_runs_them() -> None:
    outside, inside = mutants_of(
        "m.py", b"x = 1\n\n\ndef f(a):\n    return (a\n            < 2)\n"
    )[:2]
    assert (outside.line, outside.last_line, outside.in_function) == (1, 1, False)
    assert (inside.line, inside.last_line, inside.in_function) == (5, 6, True)


def test_a_mutant_knows_where_its_statement_begins() -> None:
    source = b"def f():\n    for a in (\n        1,\n        2,\n    ):\n        g(3)"
    assert {(each.line, each.statement) for each in mutants_of("m.py", source)} >= {
        (3, 2),
        (4, 2),
        (6, 6),
    }


def test_a_mutant_of_a_line_that_only_an_import_runs_meets_the_tests_of_its_package() -> None:
    (mutant,) = mutants_of("webhook/jobsworth/lint/m.py", b"def f():\n    return 1")[1:]
    seconds = {"tests/lint/test_a.py::test_b": 1.0, "tests/policy/test_c.py::test_d": 1.0}
    read = Map({"seconds": seconds, "lines": {mutant.path: {"1": [], "2": []}}})
    assert read.tests_of(mutant) == ["tests/lint/test_a.py::test_b"]


def test_a_mutant_that_python_cannot_compile_is_left_out() -> None:
    source = b"def f():\n    match a:\n        case 1:\n            b()"
    kept = [mutant.new for mutant in mutants_of("m.py", source) if is_valid(mutant, source)]
    assert kept == ["2", "pass"]
