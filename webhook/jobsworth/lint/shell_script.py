"""The commands of a shell script in a container's command line, as far as rules on exit codes need them.

tree-sitter's grammar of bash parses the script; nothing is expanded. A script with a part that the grammar
does not know has no commands, so that no rule reports it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from jobsworth.lint.command_line import base_name, launched
from jobsworth.record import Record

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

HARMLESS = frozenset(
    (
        "", ":", "[", "[[", "((", "break", "cat", "cd", "command", "continue", "date", "declare",
        "echo", "env", "exit", "export", "false", "hash", "hostname", "id", "local", "ls", "printf",
        "mapfile", "printenv", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "sleep",
        "test", "trap", "true", "type", "umask", "uname", "unset", "wait", "which", "whoami",
    )
)  # fmt: skip
"""Commands whose failure is not a failure of the work."""

BUILTINS = frozenset(
    (
        "break", "cd", "continue", "declare", "eval", "exec", "exit", "export", "let", "local", "mapfile",
        "read", "readarray", "readonly", "return", "set", "shift", "source", "trap", "unset", "wait",
    )
)  # fmt: skip
"""Commands that are no programs."""

MAX_LENGTH = 8_192
"""The maximum length of a script that is read. Of 429 scripts in public Jobs one is longer. The parser takes
0.1 ms for a kilobyte of them, but up to half a second for 8 KiB of a hostile one."""

MAX_NESTING = 50
"""The maximum nesting of compound commands and substitutions that is read."""

MAX_SOURCES = 20
"""The number of commands before a command, in its pipe or for a variable, of which it keeps the output."""

_SIMPLE = (
    "command", "declaration_command", "test_command", "unset_command", "variable_assignment",
    "variable_assignments",
)  # fmt: skip
_COMPOUND = (
    "c_style_for_statement", "case_statement", "compound_statement", "for_statement",
    "function_definition", "if_statement", "subshell", "while_statement",
)  # fmt: skip
_LISTS = ("heredoc_redirect", "list", "negated_command", "pipeline", "redirected_statement")
"""Nodes of several commands with operators between them. The rest of the line after the ``<<EOF`` of a
here-document is in the node of the redirection."""
_CLAUSES = ("case_item", "do_group", "elif_clause", "else_clause")
_STATEMENTS = frozenset((*_SIMPLE, *_COMPOUND, *_LISTS))
_CONDITIONS = ("elif_clause", "if_statement", "while_statement")
"""Nodes that begin with a condition."""
_OPERATORS = {"&&": "&&", "||": "||", "|": "|", "|&": "|"}
_RESERVED = (
    "case",
    "do",
    "done",
    "elif",
    "else",
    "esac",
    "fi",
    "for",
    "if",
    "then",
    "until",
    "while",
)
_ENDLESS = re.compile(r"(while\s+(?:true|:|\[\s+1\s+\]|\(\(\s*1\s*\)\))|until\s+false)\s*[;\n]")
_ENDS_LOOP = re.compile(r"\b(?:break|exec|exit|kill|killall|pkill|return|timeout)\b")
_INTO_FILES = (">", ">>", ">|", "&>", "&>>")
_REPLACING = (">", ">|", "&>")
_STREAM = re.compile(r"['\"]?(?:/dev/|/proc/[^/]+/fd/)")
_SET_BY_NAME = ("getopts", "mapfile", "printf", "read", "readarray")
"""Commands that set the variables that they name."""
_NO_WORDS = ("file_redirect", "herestring_redirect", "process_substitution", "variable_assignment")
"""Parts of a command that are not words of it."""
_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_SUBSTITUTES = re.compile(rb"[$<>]\(|`|\$\{")
"""Matches the beginning of a substitution, in a text that may have one; ``${ ls; }`` is one of bash 5.3."""
_READ = re.compile(r"\$\{?(\w+)")
_BACKSLASH = re.compile(r"\\(\n?)(.?)", re.DOTALL)
_QUOTED = {"ansi_c_string": 2, "raw_string": 1, "string": 1}
"""The kinds of quoted words, with the length of the opening quote."""


class ShellCommand:
    """A simple command.

    Attributes:
        words: the words of the command without quotes; without launchers such as ``exec`` or ``timeout 60``,
            redirections and variable assignments.
        before: the operator before it: ``;`` (also for a line feed and a ``&``), ``&&``, ``||`` or ``|``.
        after: the operator after it, also ``&``.
        depth: the number of compound commands around it.
        checked: True in the condition of an ``if`` or a loop, after ``!``, and in ``$(…)``.
        background: True if it, or a list or compound command around it, is started in the background.
        assigns: True if the command runs a program only to set a variable.
        outputs: the files into which its output goes, without quotes.
        errors: those into which its standard error goes alone.
        replaces: those of ``outputs`` that lose what they had.
        input: the text of its here-document, or that an ``echo`` or ``cat`` before it pipes into it; empty
            for none.
        reads: the files that are its input.
        line: its line in the script, from 0.
        conditions: the conditions of the ``if`` clauses around it, as they are written; ``?``, of which
            nothing is known, for ``else`` and the other clauses.
        function: the name of the function around it; empty for none.
        inner: the lists of commands in its ``$(…)`` and ``<(…)``.
        fed_by: the commands whose output it gets: those of ``inner``, those before it in a pipe, and those by
            which the script has set the variables, or written the files, that it reads.
        replaced_by: a command after it that replaces its exit code before the script reads ``$?``, such as an
            assignment; empty if there is none.
    """

    __slots__ = (
        "after", "assigns", "background", "before", "checked", "conditions", "depth", "errors", "fed_by",
        "function", "inner", "input", "line", "outputs", "reads", "replaced_by", "replaces", "words",
    )  # fmt: skip

    def __init__(
        self,
        words: list[str],
        before: str,
        after: str,
        depth: int,
        *,
        checked: bool,
        background: bool,
        assigns: bool,
        outputs: Sequence[str],
        errors: Sequence[str],
        replaces: Sequence[str],
        input: str,
        line: int = 0,
        conditions: Sequence[str] = (),
        function: str = "",
        inner: Sequence[Statement] = (),
    ) -> None:
        self.words = words
        self.inner = inner
        self.fed_by: Sequence[ShellCommand] = ()
        self.line = line
        self.conditions = conditions
        self.function = function
        self.before = before
        self.after = after
        self.depth = depth
        self.checked = checked
        self.background = background
        self.assigns = assigns
        self.outputs = outputs
        self.errors = errors
        self.replaces = replaces
        self.input = input
        self.replaced_by = ""
        self.reads: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The name of the program, without its folder; empty if the command only assigns variables.

        A program with the name of a builtin command of the shell, such as ``/app/export``, keeps its folder.
        """
        name = base_name(self.words[0]) if self.words else ""
        return self.words[0] if name in BUILTINS and "/" in self.words[0] else name

    @property
    def waits(self) -> bool:
        """True if the shell waits for the end of the command, and the command is not a condition."""
        return not (self.checked or self.background or self.after in ("&", "|"))

    @property
    def works(self) -> bool:
        """True if a failure of the command is a failure of the work, and the script does not check it."""
        own = bool(self.words) and "/" in self.words[0] and "/bin/" not in self.words[0]
        return not self.checked and (self.assigns or own or self.name not in HARMLESS)


class Part(Record):
    """A command in a list such as ``a && ! b | c``.

    Attributes:
        before: the operator before it: ``;``, ``&&``, ``||`` or ``|``.
        inverted: True after ``!``, which belongs to the whole pipe.
        node: the command.
    """

    before: str
    inverted: bool
    node: ShellCommand | Compound


class Statement(Record):
    """A list of commands.

    Attributes:
        parts: its commands with their operators.
        background: True if the shell does not wait for it.
    """

    parts: Sequence[Part]
    background: bool


class Clause(Record):
    """A part of a compound command: what it asks before, and what it does then."""

    asked: Sequence[Statement]
    body: Sequence[Statement]


class Compound(Record):
    """A compound command.

    Attributes:
        kind: its first word, such as ``if``, ``until`` or ``(``; ``function`` for the definition of one.
        name: the name of the function.
        clauses: its clauses. An ``else`` asks nothing.
        listed: the lists of commands whose output a ``for`` goes through.
    """

    kind: str
    name: str
    clauses: Sequence[Clause]
    listed: Sequence[Statement] = ()


def commands_in(statements: Sequence[Statement]) -> Iterator[ShellCommand]:
    """Yield the simple commands in some lists of commands, also those in their ``$(…)``."""
    for statement in statements:
        for part in statement.parts:
            if isinstance(part.node, ShellCommand):
                yield from commands_in(part.node.inner)
                yield part.node
            else:
                yield from commands_in(part.node.listed)
                for clause in part.node.clauses:
                    yield from commands_in(clause.asked)
                    yield from commands_in(clause.body)


class ShellScript:
    """A script: its simple commands in the order of the text.

    Attributes:
        assigned: the variables that it sets, with the texts of their values; none for one that a loop or a
            ``read`` sets.
        text: the script.
        commands: its commands; empty if the script cannot be read.
        nounset: True if the shell exits when it reads a variable that is not set (``set -u``).
        last: the index of the first command of its last list, such as ``a && b || c``.
        statements: its lists of commands, as they contain each other.
        closed: True if the script ends with a compound command, such as a loop.
        errexit: True if the shell exits on the first failure (``set -e``).
        hidden: the variables that ``export``, ``local`` or the like sets by a command, whose exit code it
            replaces by its own (POSIX, export, "Exit Status").
        options: the options of the shell in the command line.
        parameters: the words after the script in the command line.
        pipefail: True if a pipe fails with any of its commands (``set -o pipefail``).
        endless_loops: the conditions of loops of the outermost level that nothing in them ends.
        waiting_loops: the texts of loops that sleep until something is there.
        xtrace: True if the shell prints the commands that it runs (``set -x``).
    """

    __slots__ = (
        "assigned", "closed", "commands", "endless_loops", "errexit", "hidden", "last", "nounset", "options",
        "parameters", "pipefail", "statements", "text", "waiting_loops", "xtrace",
    )  # fmt: skip

    def __init__(
        self, text: str, options: Sequence[str] = (), parameters: Sequence[str] = ()
    ) -> None:
        self.text = text
        self.options = options
        self.parameters = parameters
        self.errexit = self.nounset = self.pipefail = self.xtrace = False
        self._set(options)
        reader = _Reader()
        try:
            reader.read(text)
        except _Unreadable:
            reader = _Reader()
        self.assigned = reader.assigned
        self.hidden = reader.hidden
        self.commands = reader.commands
        self.statements = reader.statements
        self.last = reader.last
        self.closed = reader.closed
        self.endless_loops = reader.endless_loops
        self.waiting_loops = reader.waiting_loops
        for command in self.commands:
            if command.name == "set" and command.depth == 0:
                self._set(command.words[1:])

    def _set(self, options: Sequence[str]) -> None:
        found = shell_options(options)
        self.errexit = found.get("errexit", self.errexit)
        self.nounset = found.get("nounset", self.nounset)
        self.pipefail = found.get("pipefail", self.pipefail)
        self.xtrace = self.xtrace or found.get(
            "xtrace", False
        )  # from there on, the log shows values

    @property
    def final(self) -> ShellCommand | None:
        """The command whose exit code is that of the script; None if a compound command decides."""
        return self.commands[-1] if self.commands and not self.closed else None


_SHORT_OPTIONS = {"e": "errexit", "u": "nounset", "x": "xtrace"}


def shell_options(words: Sequence[str]) -> dict[str, bool]:
    """Return the options that the words of a shell or of ``set`` turn on or off.

    It reads up to the first word that is none; what follows are the positional parameters.

    >>> shell_options(["-eo", "pipefail", "+u"]), shell_options(["--", "-e"])
    ({'errexit': True, 'pipefail': True, 'nounset': False}, {})
    """
    found: dict[str, bool] = {}
    rest = iter(words)
    for option in rest:
        if option[:1] not in ("-", "+") or option in ("-", "--"):
            break
        if option.startswith("--"):
            continue
        on = option[0] == "-"
        found.update({name: on for short, name in _SHORT_OPTIONS.items() if short in option})
        if "o" in option.lower():  # -O names one of shopt
            found[next(rest, "")] = on
    return found


class _Unreadable(ValueError):
    """A script that the grammar does not know."""


@lru_cache(maxsize=1)
def _parser() -> Parser:
    if sys.platform == "emscripten":  # there is no build of the grammar for browsers
        raise _Unreadable
    import tree_sitter_bash  # most objects have no script
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    """Reads the commands of a script from its syntax tree; raises _Unreadable."""

    def __init__(self, outer: _Reader | None = None) -> None:
        self.assigned: dict[str, list[str]] = {}
        self.hidden: set[str] = set()
        self._makers: dict[str, list[ShellCommand]] = {} if outer is None else outer._makers
        self._writers: dict[str, list[ShellCommand]] = {} if outer is None else outer._writers
        self._piped: Sequence[ShellCommand] = ()
        self.commands: list[ShellCommand] = []
        self.statements: list[Statement] = []
        self.last = 0
        self.closed = False
        self.endless_loops: list[str] = []
        self.waiting_loops: list[str] = []
        self._unread: ShellCommand | None = None
        self._replacing = ""
        self._conditions: list[str] = []
        self._function = ""

    def read(self, text: str) -> None:
        """Read a script."""
        if len(text) > MAX_LENGTH:
            raise _Unreadable
        program = _parser().parse(text.encode("utf-8", "surrogatepass")).root_node
        if program.has_error:
            raise _Unreadable
        children = program.children
        for index, node in enumerate(children):
            if node.type in _STATEMENTS:
                start = len(self.commands)
                background = _ends_with_ampersand(children, index)
                self.statements.append(self._read_statement(node, background, depth=0))
                if len(self.commands) > start:
                    self.last = start
                self._follow_status(node, start)

    def _follow_status(self, node: Node, start: int) -> None:
        """Note a command of the outermost level whose exit code another one replaces before it is read."""
        if "$?" in _text(_first_read(node)):
            if self._unread is not None and self._replacing:
                self._unread.replaced_by = self._replacing
            self._unread, self._replacing = None, ""
            return
        done = self.commands[start:]
        text = _text(node)
        if node.type.startswith("variable_assignment") and not done:
            self._replacing = self._replacing or text.partition("=")[0] + "="
        elif node.type == "command" and done and done[0].name in ("echo", "printf"):
            self._replacing = self._replacing or done[0].name
        else:
            alone = node.type == "command" and len(done) == 1 and done[0].works
            self._unread, self._replacing = done[0] if alone else None, ""

    def _read_statement(
        self, node: Node, background: bool, *, depth: int, checked: bool = False
    ) -> Statement:
        """Read a list such as ``a | b && c``, and note if a compound command ends it."""
        parts = list(_parts(node))
        read: list[Part] = []
        piped, pipe = self._piped, len(self.commands)
        for index, (before, inverted, part) in enumerate(parts):
            is_last = index + 1 == len(parts)
            after = ("&" if background else ";") if is_last else parts[index + 1][0]
            start = len(self.commands)
            pipe = pipe if before == "|" else start
            self._piped = self.commands[max(pipe, start - MAX_SOURCES) : start] or piped
            if part.type in _SIMPLE or part.children[0].type == "((":
                command = self._take(
                    part,
                    depth,
                    checked=checked or inverted,
                    background=background,
                    listed=node.type in _LISTS,
                )
                source = read[-1].node if read and before == "|" else None
                if not command.input and isinstance(source, ShellCommand):
                    command.input = _printed(source)
                found: ShellCommand | Compound = command
            else:
                if depth == MAX_NESTING:
                    raise _Unreadable
                listed = self._read_loop_list(part, depth + 1)
                clauses = self._read_body(
                    part, depth + 1, checked=checked or inverted, background=background
                )
                found = _compound(part, clauses, listed)
                if part.type == "while_statement" and _waits(self.commands[start:], depth + 1):
                    self.waiting_loops.append(_text(part))
                if depth == 0 and not background and (condition := _endless_condition(part)):
                    self.endless_loops.append(condition)
            read.append(Part(before, inverted, found))
            if len(self.commands) > start:
                self.commands[start].before = before
                self.commands[-1].after = after
            self.closed = part.type in _COMPOUND and part.children[0].type != "(("
        self._piped = piped
        return Statement(read, background)

    def _substituted(self, nodes: Sequence[Node], depth: int) -> list[Statement]:
        """Read the commands in the substitutions of some nodes."""
        found: list[Statement] = []
        waiting = [each for each in reversed(nodes) if _SUBSTITUTES.search(each.text or b"")]
        while waiting:
            node = waiting.pop()
            if node.type not in _SUBSTITUTIONS:
                waiting += reversed(node.children)
                continue
            if depth >= MAX_NESTING:
                raise _Unreadable
            reader = _Reader(self)
            for each in node.children:
                if each.type in _STATEMENTS:
                    found.append(
                        reader._read_statement(
                            each, background=False, depth=depth + 1, checked=True
                        )
                    )
        return found

    def _read_loop_list(self, node: Node, depth: int) -> list[Statement]:
        """Read the commands whose output a loop goes through, which make its variable."""
        values = [each for each in node.children if each.type not in (*_STATEMENTS, *_CLAUSES)]
        if node.type != "for_statement":
            redirected = [each for each in _redirects(node) if _text(each.children[0]) == "<"]
            files = [_word(each.children[-1]) for each in redirected]
            written = [each for file in files for each in self._writers.get(file, ())]
            inner = commands_in(self._substituted(redirected, depth))
            self._piped = [*self._piped, *inner, *written]
            return []
        listed = self._substituted(values, depth)
        self._make(_text(node.children[1]), listed, " ".join(map(_text, values[2:])))
        return listed

    def _make(
        self, name: str, inner: Sequence[Statement], text: str, piped: Sequence[ShellCommand] = ()
    ) -> None:
        """Note the commands by whose output a variable is set."""
        self._makers[name] = [*self._makers.get(name, ()), *self._sources(inner, text), *piped][
            :MAX_SOURCES
        ]

    def _sources(self, inner: Sequence[Statement], text: str) -> list[ShellCommand]:
        read = [each for name in _READ.findall(text) for each in self._makers.get(name, ())]
        if not inner and not read:
            return []
        return list(dict.fromkeys([*commands_in(inner), *read]))[:MAX_SOURCES]

    def _read_body(
        self, node: Node, depth: int, *, checked: bool, background: bool
    ) -> list[Clause]:
        """Read the commands in a compound command, or in a clause of one."""
        condition = node.type in _CONDITIONS
        children = node.children
        outer = self._function, len(self._conditions)
        if node.type == "case_item":
            self._conditions.append("?")
        elif node.type in _CLAUSES and node.type != "do_group":
            self._conditions[-1:] = ["?"]  # what its if asks does not hold here
        elif node.type == "function_definition":
            self._function = _function_name(node)
        asked: list[Statement] = []
        body: list[Statement] = []
        clauses: list[Clause] = [Clause(asked, body)]
        for index, child in enumerate(children):
            if child.type == "variable_name":  # of a for
                self.assigned.setdefault(_text(child), [])
            if child.type == "then":
                condition = False
                if node.type == "if_statement":
                    self._conditions.append(" ".join(map(_text, children[1:index])))
            elif child.type in _CLAUSES:
                inner = self._read_body(child, depth, checked=checked, background=background)
                if child.type == "do_group":
                    body += inner[0].body
                else:
                    clauses += inner
            elif child.type in _STATEMENTS:
                own = _ends_with_ampersand(children, index)
                read = self._read_statement(
                    child, background or own, depth=depth, checked=checked or condition
                )
                (asked if condition else body).append(Statement(read.parts, own))
        self._function = outer[0]
        del self._conditions[outer[1] :]
        return clauses

    def _take(
        self, node: Node, depth: int, *, checked: bool, background: bool, listed: bool
    ) -> ShellCommand:
        """Read a simple command; a redirection may stand beside one that is listed with others."""
        words = _words(node)
        text = _text(node)
        assigns = not words and ("$(" in text or "`" in text)
        words = words[launched(words) :] or words
        redirects = [each for each in node.children if each.type == "file_redirect"]
        beside = list(_redirects(node))[len(redirects) :] if listed else []
        redirects += beside
        inner = self._substituted([node, *beside], depth)
        for each in (node, *node.children) if "=" in text else ():
            if each.type == "variable_assignment" and each.children[0].type == "variable_name":
                value = _text(each.children[-1]) if len(each.children) > 2 else ""
                name = _text(each.children[0])
                self.assigned.setdefault(name, []).append(value)
                self._make(name, inner, value)
                if node.type == "declaration_command" and ("$(" in value or "`" in value):
                    self.hidden.add(name)
        if words and words[0] in _SET_BY_NAME:
            for word in words[1:]:
                name = word.partition("=")[0]
                self.assigned.setdefault(name, [])
                self._make(name, inner, "", self._piped)
        command = ShellCommand(
            words,
            ";",
            ";",
            depth,
            checked=checked,
            background=background,
            assigns=assigns,
            outputs=_outputs(redirects, "1"),
            errors=_outputs(redirects, "2"),
            replaces=_outputs(redirects, "1", _REPLACING),
            input=_input(node, listed=listed),
            line=node.start_point[0],
            conditions=tuple(self._conditions),
            function=self._function,
            inner=inner,
        )
        command.reads = _outputs(redirects, "1", ("<",))
        files = [] if not self._writers else [*command.reads, *words[1:]]
        written = [each for file in files for each in self._writers.get(file, ())]
        command.fed_by = [*self._sources(inner, text), *self._piped, *written][:MAX_SOURCES]
        for file in command.outputs:
            known = () if file in command.replaces else self._writers.get(file, ())
            self._writers[file] = [*known, *command.fed_by, command][-MAX_SOURCES:]
        if words or assigns:
            self.commands.append(command)
        return command


def _compound(node: Node, clauses: Sequence[Clause], listed: Sequence[Statement]) -> Compound:
    is_function = node.type == "function_definition"
    kind = "function" if is_function else _text(node.children[0])
    return Compound(kind, _function_name(node) if is_function else "", clauses, listed)


def _function_name(node: Node) -> str:
    first, second = node.children[:2]
    return _text(second if _text(first) == "function" else first)


def _printed(command: ShellCommand) -> str:
    """Return the text that a command prints, as far as the script has it; empty for others."""
    if command.name in ("echo", "printf"):
        return " ".join(command.words[1:])
    return command.input if command.name == "cat" else ""


def _outputs(
    redirects: Sequence[Node], descriptor: str, operators: Sequence[str] = _INTO_FILES
) -> list[str]:
    """Return the files into which an output of a simple command is redirected, not devices and streams."""
    targets = [_output(each, descriptor, operators) for each in redirects]
    return [target for target in targets if target]


def _redirects(node: Node) -> Iterator[Node]:
    """Yield the redirections of a command.

    The redirection of a list or pipe stands beside the list, and belongs to its last command.
    """
    while True:
        yield from (child for child in node.children if child.type == "file_redirect")
        above = node.parent
        if above is None or above.type not in _LISTS:
            return
        commands = [each for each in above.children if each.type != "file_redirect"]
        if commands[-1] != node:
            return
        node = above


def _input(node: Node, *, listed: bool) -> str:
    """Return the text of the here-document or here-string of a simple command; empty without one."""
    for child in node.children:
        if child.type == "herestring_redirect":
            return _word(child.children[-1])
    above = node.parent if listed else None
    if above is None or above.type != "redirected_statement":
        return ""
    for child in above.children:
        if child.type == "heredoc_redirect":
            return next((_text(each) for each in child.children if each.type == "heredoc_body"), "")
    return ""


def _output(redirect: Node, descriptor: str, operators: Sequence[str]) -> str:
    """Return the file into which a redirection writes an output of a command; empty for none."""
    parts = redirect.children
    has_descriptor = _text(parts[0]).isdecimal()
    if (_text(parts[0]) if has_descriptor else "1") != descriptor:
        return ""
    parts = parts[has_descriptor:]
    if len(parts) < 2 or _text(parts[0]) not in operators or _STREAM.match(_text(parts[1])):
        return ""
    return _word(parts[1])


def _first_read(statement: Node) -> Node:
    """Return the part of a statement that the shell evaluates first."""
    node = statement
    while node.type in _LISTS or node.type in ("case_statement", "if_statement"):
        at = 1 if node.type.endswith("_statement") and node.type != "redirected_statement" else 0
        if len(node.children) <= at:
            break
        node = node.children[at]
    return node


def _ends_with_ampersand(nodes: Sequence[Node], index: int) -> bool:
    """Return True if a ``&`` follows a statement."""
    return index + 1 < len(nodes) and nodes[index + 1].type == "&"


def _waits(commands: Sequence[ShellCommand], depth: int) -> bool:
    """Return True for the commands of a loop that sleeps while its condition fails or holds.

    A loop over ``true`` is a service, one over ``read`` ends with its input, one over ``kill`` waits for a
    process of the script.
    """
    conditions = {
        command.name for command in commands if command.checked and command.depth == depth
    }
    if not conditions or not conditions.isdisjoint((":", "kill", "pgrep", "ps", "read", "true")):
        return False
    return any(command.name == "sleep" for command in commands)


def _endless_condition(node: Node) -> str:
    """Return the start of a loop that nothing in it ends, such as ``while true``; empty for others."""
    text = _text(node) if node.type == "while_statement" else ""
    if not (found := _ENDLESS.match(text)) or _ENDS_LOOP.search(text):
        return ""
    return " ".join(found[1].split())


def _parts(statement: Node) -> Iterator[tuple[str, bool, Node]]:
    """Yield the commands of a list or pipe: the operator before each, if it is inverted, and its node."""
    if statement.type not in _LISTS:
        yield ";", False, statement
        return
    operator, inverted = ";", False
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.type in _OPERATORS:
            operator = _OPERATORS[node.type]
            inverted = inverted and operator == "|"
        elif node.type == "!":
            inverted = True
        elif node.type in _LISTS:
            waiting += reversed(node.children)
        elif node.type in _STATEMENTS:
            yield operator, inverted, node


def _words(node: Node) -> list[str]:
    """Return the words of a simple command."""
    kind = node.type
    if kind.startswith("variable_assignment"):
        return []
    if kind != "command":
        first, *rest = map(_text, node.children)
        return [first, *rest]
    words = []
    for child in node.children:
        kind = child.type
        if kind == "command_name":
            if _text(child) in _RESERVED:
                raise _Unreadable
            words.append(_word(child.children[0]))
        elif kind not in _NO_WORDS:
            words.append(_word(child))
    return words


def _word(node: Node) -> str:
    """Return a word without its quotes and backslashes."""
    kind, text = node.type, _text(node)
    if kind in _QUOTED:
        return text[_QUOTED[kind] : -1]
    if kind == "concatenation":
        return "".join(map(_word, node.children))
    return _BACKSLASH.sub(r"\2", text) if kind == "word" and "\\" in text else text


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")
