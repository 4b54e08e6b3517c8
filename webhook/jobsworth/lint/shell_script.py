"""The commands of a shell script in a container's command line, as far as rules on exit codes need them.

The reader knows quotes, substitutions, here-documents, lists, pipes and compound commands. It expands
nothing. A script that it cannot follow has no commands, so that no rule reports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.shells import runs_shell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PREFIXES = frozenset(("exec", "time", "nohup", "env", "sudo"))
"""Words before the name of the program that a command runs."""

HARMLESS = frozenset(
    (
        "", ":", "[", "[[", "((", "break", "cat", "cd", "command", "continue", "date", "declare",
        "echo", "exit", "export", "false", "for", "hash", "hostname", "id", "local", "ls", "printf",
        "pwd", "readonly", "return", "set", "shift", "sleep", "test", "trap", "true", "type",
        "umask", "uname", "unset", "wait", "which", "whoami",
    )
)  # fmt: skip
"""Commands whose failure is no failure of the work."""

MAX_LENGTH = 65_536
"""The maximum length of a script that is read; longer ones are no command lines that users write."""

MAX_NESTING = 50
"""The maximum nesting of compound commands and substitutions that is read."""

_CLOSING = {
    "if": "fi",
    "while": "done",
    "until": "done",
    "for": "done",
    "select": "done",
    "case": "esac",
    "{": "}",
}
"""The word that ends a compound command, by the word that begins it."""

_CONDITIONS = ("if", "elif", "while", "until")
_BODIES = ("then", "do", "else")
_WORD_ENDS = " \t\n;&|()<>"
_MARK = "\0"
_MARKS = dict.fromkeys(map(ord, " \t\n;&|()<>'\"\\$`#"), _MARK)
"""Replaces the characters at which a word may end: the search for a mark is faster than a loop."""


class ShellCommand:
    """A simple command.

    Attributes:
        words: the words of the command, without redirections and variable assignments; quotes removed.
        before: the operator before it: ``;`` (also for a line feed and a ``&``), ``&&``, ``||`` or ``|``.
        after: the operator after it, also ``&``.
        depth: the number of compound commands around it.
        checked: True in the condition of an ``if`` or a loop, and after ``!``.
        assigns: True if the command runs a program only to set a variable.
    """

    __slots__ = ("after", "assigns", "before", "checked", "depth", "words")

    def __init__(
        self, words: list[str], before: str, depth: int, *, checked: bool, assigns: bool
    ) -> None:
        self.words = words
        self.before = before
        self.after = ";"
        self.depth = depth
        self.checked = checked
        self.assigns = assigns

    @property
    def name(self) -> str:
        """The name of the program, without its folder; empty if the command only assigns variables."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    @property
    def works(self) -> bool:
        """True if a failure of the command is a failure of the work, and the script does not check it."""
        return not self.checked and (self.assigns or self.name not in HARMLESS)


class ShellScript:
    """A script: its simple commands in the order of the text.

    Attributes:
        text: the script.
        commands: its commands; empty if the script cannot be read.
        last: the index of the first command of its last list, such as ``a && b || c``.
        closed: True if the script ends with a compound command, such as a loop.
        errexit: True if the shell exits on the first failure (``set -e``).
        pipefail: True if a pipe fails with any of its commands (``set -o pipefail``).
    """

    __slots__ = ("closed", "commands", "errexit", "last", "pipefail", "text")

    def __init__(self, text: str, options: Sequence[str] = ()) -> None:
        self.text = text
        self.errexit = self.pipefail = False
        self._set(options)
        reader = _Reader(text if len(text) <= MAX_LENGTH else "")
        try:
            reader.read()
        except _Unreadable:
            reader = _Reader("")
        self.commands = reader.commands
        self.last = reader.last
        self.closed = reader.closed
        for command in self.commands:
            if command.name == "set" and command.depth == 0:
                self._set(command.words[1:])

    def _set(self, options: Sequence[str]) -> None:
        """Read options up to the first word that is none; what follows are the positional parameters."""
        words = iter(options)
        for option in words:
            if option[:1] not in ("-", "+") or option in ("-", "--"):
                return
            if option.startswith("--"):
                continue
            on = option[0] == "-"
            named = next(words, "") if "o" in option.lower() else ""  # -O names one of shopt
            if "e" in option or named == "errexit":
                self.errexit = on
            if named == "pipefail":
                self.pipefail = on

    @property
    def final(self) -> ShellCommand | None:
        """The command whose exit code is that of the script; None if a compound command decides."""
        return self.commands[-1] if self.commands and not self.closed else None


def script_of(container: dict[str, Any]) -> tuple[str, ShellScript] | None:
    """Return the script of a container that runs ``sh -c script``, with its field; None for another.

    >>> field, script = script_of({"command": ["/bin/sh", "-ec"], "args": ["a | b; exit 0"]})
    >>> field, script.errexit, [command.words for command in script.commands]
    ('args[0]', True, [['a'], ['b'], ['exit', '0']])
    """
    command = container.get("command", [])
    words = [*command, *container.get("args", [])]
    if not runs_shell(words):
        return None
    for index, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            at = index + 1
            if at == len(words):
                return None
            field = f"command[{at}]" if at < len(command) else f"args[{at - len(command)}]"
            return field, ShellScript(words[at], words[1:at])
        if not word.startswith("-") and words[index - 1][-1:] not in ("o", "O"):
            return None
    return None


class _Unreadable(ValueError):
    """A script that the reader cannot follow."""


class _Reader:
    """Reads the commands of a script, character by character; raises _Unreadable."""

    def __init__(self, text: str) -> None:
        self.commands: list[ShellCommand] = []
        self.last = 0
        self.closed = False
        self._text = text
        self._marked = text.translate(_MARKS)
        self._at = 0
        self._words: list[str] = []
        self._assigns = False
        self._inverted = False
        self._operator = ";"
        self._open: list[str] = []
        self._conditions: list[bool] = []
        self._heredocs: list[tuple[str, bool]] = []
        self._skips_word = False
        self._begins_list = True
        self._just_closed = False
        self._pattern = False

    def read(self) -> None:
        """Read the script."""
        text, marked, size = self._text, self._marked, len(self._text)
        while (at := self._at) < size:
            character = text[at]
            if character in " \t":
                while at < size and text[at] in " \t":
                    at += 1
                self._at = at
            elif character == "\n":
                self._end_command(";")
                self._at += 1
                self._skip_heredocs()
            elif character == "#":
                self._at = self._line_end()
            elif self._pattern:
                self._skip_pattern()
            elif marked[at] != _MARK:
                end = marked.find(_MARK, at)
                if end >= 0 and text[end] in _WORD_ENDS:
                    self._at = end
                    self._take(text[at:end], quoted=False)
                else:
                    self._read_word()
            elif text.startswith("\\\n", at):
                self._at += 2
            elif character in ";&|":
                self._read_operator()
            elif character in "<>":
                self._read_redirection()
            elif character == "(":
                self._open_parenthesis()
            elif character == ")":
                self._at += 1
                self._close(")")
            else:
                self._read_word()
        self._end_command(";")
        if self._open:
            raise _Unreadable

    def _line_end(self) -> int:
        end = self._text.find("\n", self._at)
        return end if end >= 0 else len(self._text)

    def _read_operator(self) -> None:
        text, at = self._text, self._at
        two = text[at : at + 2]
        if two == "&>":
            self._at += 1
            self._read_redirection()
        elif two == ";;":
            self._at += 2
            self._end_command(";")
            self._pattern = self._open[-1:] == ["esac"]
        elif two in ("&&", "||", "|&"):
            self._at += 2
            self._end_command("|" if two == "|&" else two)
        else:
            self._at += 1
            self._end_command(text[at])

    def _read_redirection(self) -> None:
        text, at = self._text, self._at
        if self._words and self._words[-1].isdecimal() and text[at - 1].isdecimal():
            self._words.pop()  # the number of a file descriptor
        if text.startswith("<<", at) and not text.startswith("<<<", at):
            self._read_heredoc(at + 2)
            return
        while at < len(text) and text[at] in "<>&|":
            at += 1
        if text.startswith("(", at):
            self._at = self._after_parentheses(at)
        else:
            closes = text.startswith("-", at)
            self._at = at + closes
            self._skips_word = not closes

    def _read_heredoc(self, at: int) -> None:
        text = self._text
        indented = text.startswith("-", at)
        at += indented
        while text[at : at + 1] in (" ", "\t"):
            at += 1
        end = at
        while end < len(text) and text[end] not in " \t\n;&|<>()":
            end += 1
        name = text[at:end]
        for quote in "'\"\\":
            name = name.replace(quote, "")
        self._heredocs.append((name, indented))
        self._at = end

    def _skip_heredocs(self) -> None:
        for name, indented in self._heredocs:
            while self._at < len(self._text):
                end = self._line_end()
                line = self._text[self._at : end]
                self._at = min(end + 1, len(self._text))
                if (line.lstrip("\t") if indented else line) == name:
                    break
        self._heredocs.clear()

    def _skip_pattern(self) -> None:
        """Skip a pattern of a ``case``, which ends with a parenthesis."""
        self._pattern = False
        if not self._text.startswith("esac", self._at):
            end = self._text.find(")", self._at)
            if end < 0:
                raise _Unreadable
            self._at = end + 1

    def _open_parenthesis(self) -> None:
        text = self._text
        if text.startswith("((", self._at):
            self._at = self._after_parentheses(self._at)
            self._words.append("((")
        elif self._words:
            # The parentheses of a function definition.
            end = self._after_parentheses(self._at)
            if text[self._at + 1 : end - 1].strip() or len(self._words) > 1:
                raise _Unreadable
            self._at = end
            self._words = []
        else:
            self._at += 1
            self._begin(")", condition=False)

    def _read_word(self) -> None:
        text, parts, quoted = self._text, [], False
        at = self._at
        while at < len(text):
            end = self._marked.find(_MARK, at)
            end = end if end >= 0 else len(text)
            if end > at:
                parts.append(text[at:end])
                at = end
                continue
            character = text[at]
            if character in _WORD_ENDS:
                break
            if character == "\\":
                end = at + 2
                parts.append("" if text[at + 1 : end] == "\n" else text[at + 1 : end])
            elif character in "'\"`":
                end, quoted = self._after_quote(at), True
                parts.append(text[at:end] if character == "`" else text[at + 1 : end - 1])
            else:
                end = at + 1
                if text.startswith("$(", at):
                    end = self._after_parentheses(at + 1)
                elif text.startswith("${", at):
                    end = text.find("}", at) + 1 or len(text)
                parts.append(text[at:end])
            at = end
        self._at = at
        self._take("".join(parts), quoted=quoted)

    def _after_quote(self, at: int, nesting: int = 0) -> int:
        """Return the index after a quoted text."""
        text, quote = self._text, self._text[at]
        at += 1
        if quote == "'":
            at = text.find(quote, at) + 1
            if not at:
                raise _Unreadable
            return at
        while 0 <= (at := self._marked.find(_MARK, at)) < len(text):
            character = text[at]
            if character == quote:
                return at + 1
            if character == "\\":
                at += 2
            elif quote == '"' and text.startswith("$(", at):
                at = self._after_parentheses(at + 1, nesting + 1)
            else:
                at += 1
        raise _Unreadable

    def _after_parentheses(self, at: int, nesting: int = 0) -> int:
        """Return the index after the parenthesis that closes the one at an index."""
        text, depth = self._text, 0
        if nesting > MAX_NESTING:
            raise _Unreadable
        while 0 <= (at := self._marked.find(_MARK, at)) < len(text):
            character = text[at]
            if character in "'\"`":
                at = self._after_quote(at, nesting + 1)
                continue
            depth += (character == "(") - (character == ")")
            at += 2 if character == "\\" else 1
            if depth == 0:
                return at
        raise _Unreadable

    def _take(self, word: str, *, quoted: bool) -> None:
        """Take a word of a command."""
        if self._skips_word:
            self._skips_word = False
        elif self._words:
            if word == "in" and self._words[0] == "case":
                self._words, self._pattern = [], True
            else:
                self._words.append(word)
        elif quoted and not word.partition("=")[1]:
            self._words.append(word)
        elif word in _CLOSING:
            self._begin(_CLOSING[word], condition=word in _CONDITIONS)
            if word in ("for", "select", "case"):
                self._words.append("case" if word == "case" else "for")
        elif word in _CLOSING.values():
            self._close(word)
        elif word in _BODIES or word == "elif":
            if not self._conditions:
                raise _Unreadable
            self._conditions[-1] = word == "elif"
        elif word == "!":
            self._inverted = True
        elif word == "function":
            self._skips_word = True
        elif _is_assignment(word):
            self._assigns = self._assigns or "$(" in word or "`" in word
        elif word not in PREFIXES:
            self._words.append(word)
            if word == "[[":
                end = self._text.find("]]", self._at)
                self._at = end + 2 if end >= 0 else len(self._text)

    def _begin(self, closing: str, *, condition: bool) -> None:
        if len(self._open) > MAX_NESTING:
            raise _Unreadable
        self._begin_list()
        self._open.append(closing)
        self._conditions.append(condition)

    def _close(self, closing: str) -> None:
        self._end_command(";")
        if self._open[-1:] != [closing]:
            raise _Unreadable
        self._open.pop()
        self._conditions.pop()
        self._just_closed = True
        self.closed = not self._open

    def _begin_list(self) -> None:
        if not self._open and self._begins_list:
            self.last = len(self.commands)
            self._begins_list = False

    def _end_command(self, operator: str) -> None:
        if self._words or self._assigns:
            self._begin_list()
            self.commands.append(
                ShellCommand(
                    self._words,
                    self._operator,
                    len(self._open),
                    checked=self._inverted or True in self._conditions,
                    assigns=self._assigns and not self._words,
                )
            )
            self.closed = False
        elif not self._just_closed:
            return  # an empty line
        ends_list = operator in (";", "&")
        if self.commands:
            self.commands[-1].after = operator
        self._operator = ";" if ends_list else operator
        if ends_list and not self._open:
            self._begins_list = True
        self._words = []
        self._assigns = self._inverted = self._just_closed = False


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.removesuffix("+").isidentifier()
