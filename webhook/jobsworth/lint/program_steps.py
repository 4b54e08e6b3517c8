"""Programs in Python and PowerShell as the shell scripts that start the same programs in the same order.

Rules on what follows a failure ask the model of scripts about them. What is not translated does nothing.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Sequence

from jobsworth.lint.command_line import POWERSHELLS
from jobsworth.lint.program_text import MAX_LENGTH, caught_and_reported
from jobsworth.lint.shell_script import ShellScript
from jobsworth.record import Record

RUNS = ("Popen", "call", "run")
"""Functions of subprocess that return the exit code, or an object that has it."""
CHECKED_RUNS = ("check_call", "check_output")
"""Those that raise an exception for another code than 0."""
FILES = {
    "copy": "cp", "copy2": "cp", "copyfile": "cp", "copytree": "cp -r", "move": "mv", "remove": "rm",
    "rename": "mv", "replace": "mv", "rmtree": "rm -r", "unlink": "rm",
}  # fmt: skip
"""Functions of os and shutil, with the command that does the same."""
CMDLETS = {
    "compress-archive": "zip", "copy-item": "cp -r", "invoke-webrequest": "curl", "iwr": "curl",
    "move-item": "mv", "remove-item": "rm -r",
}  # fmt: skip
"""Cmdlets of PowerShell, with the command that does the same."""
STOPS = " || exit 1"
MAX_BLOCK = 40
"""The number of statements in which the catch of a try is looked for."""
_LOOKING = "returncode|check_returncode|wait|poll|communicate"
"""Attributes by which a program learns how another one has ended."""
_PARAMETER = re.compile(
    r"\s-(?:Destination\w*|Path|LiteralPath|Uri|Force|Recurse|ErrorAction\s+\w+)\b", re.I
)
_LOOKS = re.compile(r"^(?:el)?if\b.*(?:\$LASTEXITCODE|\$\?)", re.I)


class Steps(Record):
    """A program as a script.

    Attributes:
        script: the script.
        lines: the line of the program, from 0, for each line of the script.
        advice: how the program ends for a failure.
    """

    script: ShellScript
    lines: Sequence[int]
    advice: str


def steps_of(interpreter: str, text: str) -> Steps | None:
    """Return a program as a script; None for one that starts no programs, or that cannot be read.

    >>> steps_of("python3", "import os\\nos.system('a b')\\n").script.commands[0].words
    ['a', 'b']
    """
    written: list[tuple[str, int]] = []
    if len(text) > MAX_LENGTH:
        return None
    if interpreter.startswith("python") and ("subprocess" in text or "os.system" in text):
        try:
            written = list(_Python(text).block(ast.parse(text).body))
            written.append((":", 0))  # it ends with 0, whatever the last program returns
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        advice = "Pass check=True to subprocess.run, which then raises an exception."
    elif interpreter in POWERSHELLS:
        written = list(_of_powershell(text))
        advice = "Set $ErrorActionPreference = 'Stop' and $PSNativeCommandUseErrorActionPreference = $true."
    if not written:
        return None
    lines = [line for part, line in written for _ in range(part.count("\n") + 1)]
    return Steps(ShellScript("\n".join(part for part, _ in written)), lines, advice)


class _Python:
    def __init__(self, text: str) -> None:
        self._text = text
        self._functions: set[str] = set()

    def block(self, statements: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
        """Yield the lines of a script for statements, with their lines in the program."""
        for each in statements:
            yield from self._statement(each, each.lineno - 1)

    def _statement(self, each: ast.stmt, line: int) -> Iterator[tuple[str, int]]:
        if isinstance(each, ast.FunctionDef):
            self._functions.add(each.name)
            yield from self._around(f"{each.name}() {{", each.body, "}", line)
        elif isinstance(each, ast.Try):
            caught = any(map(caught_and_reported, each.handlers))
            yield from self._around("(", each.body, f"){' || true' if caught else STOPS}", line)
            yield from self.block([*each.orelse, *each.finalbody])
        elif isinstance(each, ast.If) and "__name__" not in ast.dump(each.test):
            yield from self._calls(each.test, line)
            yield "if [ -n unknown ]; then :", line
            yield from self.block(each.body)
            yield "else :", line
            yield from self.block(each.orelse)
            yield "fi", line
        elif isinstance(each, ast.For | ast.While):
            name = getattr(getattr(each, "target", None), "id", "_")
            yield from self._around(f"for {name} in a; do", each.body, "done", line)
        elif isinstance(each, ast.If | ast.With):
            yield from self.block(each.body)
        elif isinstance(each, ast.Raise):
            yield "exit 1", line
        elif isinstance(each, ast.Return):
            yield from self._calls(each, line)
            yield "return", line
        elif not isinstance(each, ast.ClassDef | ast.AsyncFunctionDef):
            yield from self._calls(each, line)

    def _around(
        self, start: str, body: Sequence[ast.stmt], end: str, line: int
    ) -> Iterator[tuple[str, int]]:
        yield start, line
        yield ":", line
        yield from self.block(body)
        yield end, line

    def _calls(self, node: ast.AST, line: int) -> Iterator[tuple[str, int]]:
        """Yield the programs that an expression starts, or the variable that it sets."""
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.JoinedStr):
            if isinstance(node.targets[0], ast.Name):
                yield f"{node.targets[0].id}={_word(node.value)}", line
            return
        for each in ast.walk(node):
            if isinstance(each, ast.Call):
                command = self._command(node, each)
                if command:
                    yield command, line

    def _command(self, statement: ast.AST, call: ast.Call) -> str:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name in self._functions:
            return name
        owner = getattr(getattr(call.func, "value", None), "id", "")
        if owner == "sys" and name == "exit":
            return "exit 1" if call.args else "exit 0"
        if name == "unlink" and owner not in ("", "os"):
            return f'rm "${owner}"{STOPS}'
        if owner in ("os", "shutil") and name in FILES and call.args:
            return f"{FILES[name]} {' '.join(map(_word, call.args[:2]))}{STOPS}"
        started = name in (*RUNS, *CHECKED_RUNS) and owner in ("subprocess", "")
        if not call.args or not (started or (owner, name) == ("os", "system")):
            return ""
        command = _command_line(call.args[0])
        checked = name in CHECKED_RUNS or any(
            each.arg == "check" and getattr(each.value, "value", True) for each in call.keywords
        )
        noticed = checked or self._looks(statement, call)
        return f"( {command} ){STOPS if noticed else ''}" if command else ""

    def _looks(self, statement: ast.AST, call: ast.Call) -> bool:
        """Return True if a program may read the exit code of a call."""
        if isinstance(statement, ast.Expr):
            return statement.value is not call
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = re.escape(statement.targets[0].id)
            looks = rf"\b{name}\.(?:{_LOOKING})|(?:if|assert|not|return)\s+{name}\b"
            return statement.value is call and bool(re.search(looks, self._text))
        return True


def _command_line(node: ast.expr) -> str:
    if isinstance(node, ast.List | ast.Tuple):
        return " ".join(map(_word, node.elts))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return _text(node) if isinstance(node, ast.JoinedStr) else ""


def _word(node: ast.expr) -> str:
    """Return an expression as a word of a shell: ``$name`` for what is not a constant."""
    if isinstance(node, ast.Constant):
        return shlex.quote(str(node.value))
    return f'"{_text(node)}"' if isinstance(node, ast.JoinedStr) else f'"${_name(node)}"'


def _name(node: ast.expr) -> str:
    """Return the variable that gives an expression its value, also by ``str`` or as an attribute."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else "unknown"


def _text(node: ast.JoinedStr) -> str:
    found = ""
    for part in node.values:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        found += str(inner.value) if isinstance(inner, ast.Constant) else f"${{{_name(inner)}}}"
    return found


def _of_powershell(text: str) -> Iterator[tuple[str, int]]:
    """Yield the lines of a script for one of PowerShell; a block ends in a line of its own."""
    stops = re.search(r"\$ErrorActionPreference\s*=\s*[\"']?Stop", text, re.I) is not None
    natives = stops and "PSNativeCommandUseErrorActionPreference" in text
    statements = [
        (part.strip(), number)
        for number, line in enumerate(text.splitlines())
        for part in _parts(line)
        if part.strip() and not part.strip().startswith(("#", "$Error", "$PSNative", "Write-"))
    ]
    ends: list[str] = []
    for index, (written, number) in enumerate(statements):
        statement = written
        if statement.startswith("}") and ends:
            rest = statement[1:].strip().lower()
            if rest.startswith("else"):
                yield "else :", number
                continue
            yield ends.pop(), number
            statement = statement[1:].strip()
        start = _start_of_block(statement, statements[index : index + MAX_BLOCK])
        if start:
            yield f"{start[0]} :" if start[0].endswith(("do", "then")) else start[0], number
            ends.append(start[1])
        elif statement and not _LOOKS.match(statement):
            looked = index + 1 < len(statements) and _LOOKS.match(statements[index + 1][0])
            yield _of_cmdlet(statement, stops=stops, natives=natives, looked=bool(looked)), number


def _parts(line: str) -> list[str]:
    """Split a line at its semicolons, but not at those within braces or parentheses.

    >>> _parts("a; if (b) { c; d }; e")
    ['a', ' if (b) { c; d }', ' e']
    """
    parts: list[str] = []
    end, brace, parenthesis = len(line), "", ""
    for at in range(len(line) - 1, -1, -1):
        character = line[at]
        if character in "{}":
            brace = character
        elif character in "()":
            parenthesis = character
        elif character == ";" and brace != "}" and parenthesis != ")":
            parts.append(line[at + 1 : end])
            end = at
    return [line[:end], *reversed(parts)]


def _start_of_block(statement: str, following: Sequence[tuple[str, int]]) -> tuple[str, str] | None:
    """Return the start and end of a compound command for the first line of a block; None for another line."""
    if not statement.endswith("{"):
        return None
    loop = re.match(r"foreach\s*\(\s*\$(\w+)", statement, re.I)
    if loop or re.match(r"(?:for|while|do|switch)\b|.*\|\s*(?:ForEach-Object|%)", statement, re.I):
        return f"for {loop[1] if loop else 'item'} in a; do", "done"
    if re.match(r"try\b", statement, re.I):
        rest = "\n".join(each for each, _ in following)
        ends = re.search(
            r"catch[^{]{0,200}\{[^}]{0,500}(?:\bthrow\b|\bexit\s+[1-9$])", rest[:2_000], re.I
        )
        return "(", f"){STOPS if ends else ' || true'}"
    if re.match(r"(?:catch|finally)\b", statement, re.I):
        return "if [ -n unknown ]; then", "fi"
    function = re.match(r"function\s+([\w-]+)", statement, re.I)
    return (f"{function[1]}() {{", "}") if function else ('if [ -n "$(condition)" ]; then', "fi")


def _of_cmdlet(statement: str, *, stops: bool, natives: bool, looked: bool) -> str:
    words = statement.removeprefix("& ").replace("$env:", "$").split(None, 1)
    rest = re.sub(r"\$\(?(\w+)(?:\.\w+)+\)?", r"$\1", words[1] if len(words) > 1 else "")
    rest = re.sub(r"\|\s*Out-Null.*", "", rest.replace("$_", "$item"), flags=re.I)
    command = CMDLETS.get(words[0].lower(), "")
    if command:
        own = re.search(r"-ErrorAction\s+Stop", rest, re.I)
        rest = _PARAMETER.sub("", f" {rest}").replace("-OutFile", "-o").replace("*.*", "*")
        natives = bool(stops or own)
    return f"{command or words[0]} {rest}{STOPS if looked or natives else ''}"
