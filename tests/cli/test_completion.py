"""Completion in the shell: the words that a value may be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.cli.command_runs import Command

Completed = Callable[[str], list[str]]


@pytest.fixture
def completed(command: Command, monkeypatch: pytest.MonkeyPatch) -> Completed:
    def completed(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("_JOBSWORTH_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        return command().out.splitlines()

    return completed


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("jobsworth val", ["plain,validate"]),
        ("jobsworth rule JW10", ["plain,JW101", "plain,JW102"]),
        ("jobsworth rule rule-sh", ["plain,rule-shadowed"]),
        ("jobsworth validate --select JW10", ["plain,JW101"]),
        ("jobsworth validate --select JW2,JW10", ["plain,JW2,JW101"]),
        ("jobsworth validate --ignore no-", ["plain,no-deadline"]),
        ("jobsworth validate --output sa", ["plain,sarif"]),
        ("jobsworth audit --output ta", ["plain,table"]),
        ("jobsworth validate --kubernetes-version 1.3", ["plain,1.31", "plain,1.36"]),
        ("jobsworth explain --feature-gates JobManaged", ["plain,JobManagedBy="]),
        ("jobsworth explain --feature-gates JobManagedBy=", ["plain,JobManagedBy=true"]),
        ("jobsworth default --feature-gates A=true,JobManaged", ["plain,A=true,JobManagedBy="]),
        ("jobsworth validate --output sarif=rep", ["file,rep"]),
        ("jobsworth validate man", ["file,man"]),
        ("jobsworth explain man", ["file,man"]),
        ("jobsworth schedule man", ["file,man"]),
        ("jobsworth validate --baseline kn", ["file,kn"]),
        ("jobsworth rule --directory do", ["dir,do"]),
    ],
)
def test_values_are_completed(line: str, some: list[str], completed: Completed) -> None:
    found = completed(line)
    assert not set(some) - set(found)


@pytest.mark.parametrize(
    "line",
    [
        "jobsworth validate --output ta",  # a format of the audit
        "jobsworth schedule --days x",
        "jobsworth validate --kubernetes-version 9",
        "jobsworth lint x",
    ],
)
def test_nothing_else_is_offered(line: str, completed: Completed) -> None:
    assert "".join(completed(line)) == ""
