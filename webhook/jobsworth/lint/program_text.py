"""Programs in Python and JavaScript that a container gets as text, and what they do with a failure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from jobsworth.lint.command_line import JAVASCRIPTS
from jobsworth.lint.container_start import ContainerStart
from jobsworth.lint.linted_job import LintedJob
from jobsworth.record import Record

MAX_LENGTH = 32_768
"""The length of a program beyond which it is not read."""
_ENDS = ("_exit", "abort", "exit", "fail", "kill", "quit", "send_signal")
"""Names of functions that end a program with a code, or may do so."""
_REPORTS = re.compile(
    r"^(?:print\w*|log|debug|info|warn|warning|error|exception|critical|fatal|write|print_exc)$"
)
CODE_OPTIONS = ("-c", "-e", "-Command", "-command")
"""Options of interpreters before the text of a program."""
_BROAD = ("BaseException", "Exception")
_CATCH = re.compile(
    r"\.catch\(\s*(?:console\.\w+|\(?\w*\)?\s*=>\s*\{?\s*console\.\w+\([^{}]*\);?\s*\}?)\s*\)\s*;?\s*$"
)
_LEAVES = re.compile(r"process\.(?:exit|abort|exitCode)|\bthrow\b.*$")


class ProgramText(Record):
    """A program that a container gets as text.

    Attributes:
        start: the start of the container.
        field: the field with the text.
        line: its first line there, from 0.
        interpreter: the program that reads it.
        text: the program.
    """

    start: ContainerStart
    field: str
    line: int
    interpreter: str
    text: str


def program_texts(job: LintedJob) -> Iterator[ProgramText]:
    """Yield the programs of the containers."""
    for start in job.all_starts:
        if start.is_init:
            continue
        if start.mounted is not None and start.script is None:
            yield ProgramText(start, start.field, 0, start.mounted.interpreter, start.mounted.text)
        for command in start.commands:
            words = command.words
            at = next((index for index, word in enumerate(words) if word in CODE_OPTIONS), 0)
            if at and at + 1 < len(words):
                own = start.script is None
                number = start.line.at + at + 1
                field = f"{start.path}.{start.line.field(number)}" if own else command.field
                line = 0 if own else command.line
                yield ProgramText(start, field, line, command.name, words[at + 1])
            elif command.step is not None and command.step.input:
                line, text = command.line + 1, command.step.input
                yield ProgramText(start, command.field, line, command.name, text)


def hidden_failure(interpreter: str, text: str) -> int | None:
    """Return the line, from 0, at which a program catches all failures, to end with 0; None for others.

    >>> hidden_failure("python3", "try:\\n    work()\\nexcept Exception as e:\\n    print(e)\\n")
    2
    >>> hidden_failure("python3", "try:\\n    work()\\nexcept OSError as e:\\n    print(e)\\n")
    >>> hidden_failure("node", "main().catch(console.error);")
    0
    """
    if len(text) > MAX_LENGTH:
        return None
    if interpreter.startswith("python") and "except" in text:
        try:
            module = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return _of_python(module)
    if interpreter in JAVASCRIPTS and ".catch" in text:
        found = _CATCH.search(text)
        if found is not None and not _LEAVES.search(text):
            return text.count("\n", 0, found.start())
    return None


UNSEEN: dict[str, tuple[tuple[str, str, str], ...]] = {
    "python": (
        (
            r"\b(?:requests|httpx)\.(?:delete|patch|post|put)\(",
            r"raise_for_status|status_code|\.ok\b|\.json\(|is_success|is_error|\.text\b|\.content\b",
            "This raises no exception for an answer such as HTTP 500. Call raise_for_status()",
        ),
        (
            r"\.submit\(",
            r"\.result\(|\.exception\(|as_completed|add_done_callback|apache|spark|client\.submit",
            "An exception of a submitted call is kept in its future, at which nothing looks. Call result()",
        ),
        (
            r"\bProcess\(\s*target=",
            r"exitcode",
            "A process that fails only sets its exitcode, at which nothing looks. Test it after join()",
        ),
    ),
    "node": (
        (
            r"\.forEach\(\s*async\b",
            r"for await",
            "forEach does not wait for async functions, nor see that they fail. Await Promise.all() of map()",
        ),
        (
            r"\bfetch\([^;]{0,400}method:\s*['\"](?:DELETE|PATCH|POST|PUT)",
            r"\.ok\b|\.status\b|\.json\(|\.text\(",
            "fetch raises no exception for an answer such as HTTP 500. Test ok of the answer",
        ),
        (
            r"\bspawnSync\(",
            r"\.status\b|\.error\b|status\b",
            "spawnSync throws nothing for a program that fails. Test its status",
        ),
    ),
}
"""Uses of libraries whose failure is in a result: a pattern, one of what looks at it, and the advice."""


def unseen_failure(interpreter: str, text: str) -> tuple[int, str] | None:
    """Return the line, from 0, of a use whose failure a program does not see, and why; None for others.

    >>> unseen_failure("python3", "import requests\\nrequests.post(url)\\n")[0]
    1
    >>> unseen_failure("python3", "requests.post(url).raise_for_status()")
    """
    if len(text) > MAX_LENGTH:
        return None
    family = "python" if interpreter.startswith("python") else "node"
    known = family == "python" or interpreter in JAVASCRIPTS
    for use, looks, advice in UNSEEN[family] if known else ():
        found = re.search(use, text)
        if found is not None and not re.search(looks, text):
            return text.count("\n", 0, found.start()), advice
    return None


def _of_python(module: ast.Module) -> int | None:
    functions = {each.name: each for each in module.body if isinstance(each, ast.FunctionDef)}
    for body in _main_bodies(module.body, functions):
        for index, part in enumerate(body):
            statement = part.body[-1] if isinstance(part, ast.For) else part
            if not isinstance(statement, ast.Try) or _may_fail(body[index + 1 :]):
                continue
            if not any(
                isinstance(each, ast.Call) for part in statement.body for each in ast.walk(part)
            ):
                continue
            for handler in statement.handlers:
                if statement is not part and isinstance(handler.body[0], ast.Pass):
                    continue  # one failure of many does not matter to it
                if caught_and_reported(handler) and not _may_fail(statement.finalbody):
                    return handler.lineno - 1
    return None


def _main_bodies(
    body: list[ast.stmt], functions: dict[str, ast.FunctionDef]
) -> Iterator[list[ast.stmt]]:
    """Yield the statements of a module, those below ``if __name__``, and of a function called last."""
    yield body
    last = body[-1] if body else None
    if isinstance(last, ast.If) and "__name__" in ast.dump(last.test):
        yield last.body
        last = last.body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        name = getattr(last.value.func, "id", "")
        if name in functions:
            yield functions[name].body


def caught_and_reported(handler: ast.ExceptHandler) -> bool:
    """Return True for a handler that catches every failure, and goes on after it has reported it."""
    return _is_broad(handler) and _only_reports(handler.body)


def _is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is None or getattr(each, "id", "") in _BROAD for each in kinds)


def _only_reports(body: Sequence[ast.stmt]) -> bool:
    """Return True for statements that print or log, and do not end the program with a code."""
    for statement in body:
        if isinstance(statement, ast.Pass):
            continue
        if isinstance(statement, ast.Return):
            if statement.value is None or getattr(statement.value, "value", 1) is None:
                continue
            return False
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            return False
        function = statement.value.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if not _REPORTS.match(name):
            return False
    return True


def _may_fail(statements: Sequence[ast.stmt]) -> bool:
    """Return True if statements raise an exception by themselves, or end the program with a code."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Raise | ast.Assert):
                return True
            if isinstance(node, ast.Call):
                function = node.func
                name = (
                    function.attr
                    if isinstance(function, ast.Attribute)
                    else getattr(function, "id", "")
                )
                if name in _ENDS:
                    return True
    return False
