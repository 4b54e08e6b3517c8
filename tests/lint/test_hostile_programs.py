"""Programs and statements in other languages are read in a time that grows linearly with their length."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobsworth.lint.program_steps import steps_of
from jobsworth.lint.program_text import unseen_failure
from support.lint.linted_jobs import fields, job
from support.scaling.cost_growth import MAX_GROWTH, Action, time_growth

POWERSHELL: dict[str, Callable[[int], str]] = {
    "semicolons": lambda count: ";" * count,
    "blocks in each other": lambda count: "try {\n" * (count // 6),
    "catch without a block": lambda count: "try {\n" * 50 + "catch" * (count // 5),
    "words": lambda count: "$a.b" * (count // 4),
}
STATEMENTS: dict[str, Callable[[int], str]] = {
    "parentheses": lambda count: f"DELETE FROM a WHERE {'(' * (count // 2)}{')' * (count // 2)}",
    "operators": lambda count: f"DELETE FROM a WHERE {'AND ' * (count // 4)}",
    "lines": lambda count: "\n" * count,
    "truncations": lambda count: "TRUNCATE a " * (count // 11),
}


@pytest.mark.slow
@pytest.mark.parametrize("made", POWERSHELL.values(), ids=POWERSHELL)
def test_powershell(made: Callable[[int], str]) -> None:
    def sized(count: int) -> Action:
        text = made(count)
        return lambda: steps_of("pwsh", text)

    assert time_growth(sized, 2_000) <= MAX_GROWTH


@pytest.mark.slow
def test_javascript() -> None:
    def sized(count: int) -> Action:
        text = "fetch(" * (count // 6)
        return lambda: unseen_failure("node", text)

    assert time_growth(sized, 2_000) <= MAX_GROWTH


@pytest.mark.slow
@pytest.mark.parametrize("made", STATEMENTS.values(), ids=STATEMENTS)
def test_sql(made: Callable[[int], str]) -> None:
    def sized(count: int) -> Action:
        value = job({"containers": [{"name": "main", "command": ["psql", "-c", made(count)]}]})
        return lambda: (fields("JW222", value), fields("JW270", value))

    assert time_growth(sized, 2_000) <= MAX_GROWTH


SCRIPTS: dict[str, Callable[[int], str]] = {
    "switches": lambda count: "set -e\n" + "kubectl scale --replicas=0\nwork\n" * (count // 30),
    "words of a switch": lambda count: "kubectl" + " scale" * (count // 6),
    "spaces behind a redirection": lambda count: "pg_dump >" + " " * count,
    "comments": lambda count: "; #" + " a" * (count // 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("made", SCRIPTS.values(), ids=SCRIPTS)
def test_shell(made: Callable[[int], str]) -> None:
    def sized(count: int) -> Action:
        command = ["bash", "-c", made(count)]
        value = job({"containers": [{"name": "main", "command": command}]})
        return lambda: [fields(code, value) for code in ("JW278", "JW533", "JW545", "JW551")]

    assert time_growth(sized, 500) <= MAX_GROWTH
