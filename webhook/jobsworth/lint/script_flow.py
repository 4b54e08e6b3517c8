"""The flow of a script: which later command runs if one fails, and which values its variables have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

from jobsworth.lint.container_start import ContainerStart, literal_variables
from jobsworth.lint.effects import written_by
from jobsworth.lint.shell_script import (
    HARMLESS,
    Compound,
    Part,
    ShellCommand,
    ShellScript,
    Statement,
    shell_options,
)
from jobsworth.record import Record

LOOKING_UP = ("egrep", "fgrep", "grep")
"""Programs that look for a name in a list, and find none in an empty one."""
TESTS = ("[", "[[", "((", "test")
MAX_COMMANDS = 200
"""The number of commands of a script that are compared with each other."""
MAX_STEPS = 2_000
"""The number of commands that an imagined run takes; nothing is known about a longer one."""
_REQUIRED = re.compile(r"\$\{(\w+):?\?[^}]*\}")
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_COMPARED = re.compile(r"(-eq|-ne|-gt|==?|!=)\s*[\"']?0\b|^\S+\s+(\$\w+)\s+(?:\)\))$")
_FALSE_FOR_FAILURE = ("-eq", "=", "==")


class Aftermath(Record):
    """What a script does after one of its commands has failed, if all others succeed.

    Attributes:
        reached: the commands that may run then.
        succeeds: True if the script exits with 0 in every case.
    """

    reached: frozenset[ShellCommand]
    succeeds: bool


def after_failure(script: ShellScript, step: ShellCommand, *, errexit: bool = False) -> Aftermath:
    """Return what a script does after the failure of a command.

    It follows functions, conditions, subshells, pipes, traps, and ``set -e`` where the shell looks at it
    (POSIX, set, -e). Where a script may look at what the command has left, such as its file, it counts as
    ending.

    Args:
        errexit: reads the script as if it began with ``set -e``.
    """
    run = _Run(script, step)
    try:
        run.whole(errexit=errexit)
    except _TooLong:
        return Aftermath(frozenset(), succeeds=False)
    return Aftermath(frozenset(run.reached), succeeds=run.codes == {0})


def trapped(script: ShellScript, signal: str, before: int) -> ShellScript | None:
    """Return the commands of the trap for a signal that a script sets before a line; None without one."""
    found = None
    for command in script.commands if "trap" in script.text else ():
        if command.name == "trap" and command.line <= before and signal in command.words[2:]:
            found = command.words[1]
    return None if found in (None, "", "-") else _parsed(str(found))


@lru_cache(maxsize=64)
def _parsed(text: str) -> ShellScript:
    return ShellScript(text)


class _TooLong(Exception):
    """A run that takes more than MAX_STEPS commands."""


class _State(Record):
    """A state of a shell: has the command failed, the exit code of the last command (0 or 1), ``set -e``."""

    failed: bool
    code: int
    errexit: bool


_States = set[_State]


class _Run:
    """The imagined runs of a script in which one command fails each time, and all others succeed."""

    def __init__(self, script: ShellScript, failing: ShellCommand) -> None:
        self.reached: set[ShellCommand] = set()
        self.codes: set[int] = set()
        self._script = script
        self._failing = failing
        self._left = MAX_STEPS
        self._functions = dict(_functions(script.statements))
        self._saved = [name for name, texts in script.assigned.items() if "$?" in texts]
        self._files = [*failing.outputs, *written_by(failing.words)]
        self._calls: list[str] = []
        self._exits: list[_States] = []  # of the subshells
        self._returns: list[_States] = []
        self._breaks: list[_States] = []

    def whole(self, *, errexit: bool) -> None:
        errexit = shell_options(self._script.options).get("errexit", errexit)
        start = {_State(failed=False, code=0, errexit=errexit)}
        for end in self._all(self._script.statements, False, start):
            self._exit(end, end.code)

    def _all(self, statements: Sequence[Statement], checked: bool, states: _States) -> _States:
        """Run lists of commands; ``checked`` ones in a place where ``set -e`` does nothing."""
        for each in statements:
            if each.background:
                done = self._apart(partial(self._list, each, checked), states)
                states = {state.replace(code=0) for state in done}
            else:
                states = self._list(each, checked, states)
        return states

    def _apart(self, run: Callable[[_States], _States], states: _States) -> _States:
        """Run a subshell."""
        ends: _States = set()
        for state in states:
            self._exits.append(set())
            inner = run({state})
            ends |= {each.replace(errexit=state.errexit) for each in inner | self._exits.pop()}
        return ends

    def _list(self, statement: Statement, checked: bool, states: _States) -> _States:
        pipes: list[list[Part]] = []
        for part in statement.parts:
            if part.before == "|" and pipes:
                pipes[-1].append(part)
            else:
                pipes.append([part])
        for index, pipe in enumerate(pipes):
            first = pipe[0]
            runs = states
            if index and first.before in ("&&", "||"):
                runs = {each for each in states if each.code == (first.before == "||")}
            looks = checked or first.inverted or index + 1 < len(pipes)
            done = self._pipe([part.node for part in pipe], looks, runs)
            if first.inverted:
                done = {each.replace(code=1 - each.code) for each in done}
            elif not looks and (len(pipe) > 1 or _ends_by_errexit(first.node)):
                done = {each for each in done if not each.code or self._goes_on(each)}
            states = (states - runs) | done
        return states

    def _goes_on(self, state: _State) -> bool:
        """Return True if a shell goes on after a failure that nothing looks at."""
        trap = trapped(self._script, "ERR", self._failing.line)
        if trap is not None and state.failed:
            self._exits.append(set())
            self._all(trap.statements, True, {state})
            for end in self._exits.pop():
                self._exit(end, end.code)
                return False
        if state.errexit:
            self._exit(state, 1)
        return not state.errexit

    def _pipe(
        self, nodes: Sequence[ShellCommand | Compound], checked: bool, states: _States
    ) -> _States:
        if len(nodes) == 1:
            return self._node(nodes[0], checked, states)
        found: _States = set()
        for state in states:
            ends = {state.replace(code=0)}
            for index, node in enumerate(nodes):
                decides = self._script.pipefail or index + 1 == len(nodes)
                after: _States = set()
                for end in ends:
                    # With pipefail, what stands in the same pipe is not a later step.
                    failed = state.failed or (end.failed and not self._script.pipefail)
                    own = {_State(failed, 0, state.errexit)}
                    for done in self._apart(partial(self._node, node, checked), own):
                        code = int(bool(end.code or (done.code and decides)))
                        after.add(_State(end.failed or done.failed, code, state.errexit))
                ends = after
            found |= ends
        return found

    def _node(self, node: ShellCommand | Compound, checked: bool, states: _States) -> _States:
        if isinstance(node, ShellCommand):
            found: _States = set()
            for state in states:
                found |= self._command(node, state, checked)
            return found
        if node.kind == "function":
            return states
        if node.kind == "(":
            return self._apart(partial(self._all, node.clauses[0].body, checked), states)
        if node.kind in ("for", "select", "until", "while"):
            return self._loop(node, checked, states)
        if node.kind == "{":
            return self._all(node.clauses[0].body, checked, states)
        ends: _States = set(states) if node.kind == "case" else set()
        for clause in node.clauses:
            runs = states
            if clause.asked:
                asked = self._all(clause.asked, True, states)
                runs = {each for each in asked if not each.code}
                states = asked - runs
            elif node.kind == "if":
                states = set()
            ends |= self._all(clause.body, checked, runs)
        return ends | {each.replace(code=0) for each in states}

    def _loop(self, node: Compound, checked: bool, states: _States) -> _States:
        """Run a loop once, and ask its condition twice. Without a list, a ``for`` does not run its body."""
        self._breaks.append(set())
        ends: _States = set()
        if node.listed:
            runs: _States = set()
            for state in states:
                for end in self._apart(partial(self._all, node.listed, True), {state}):
                    (runs if end.failed == state.failed else ends).add(end.replace(code=0))
            states = runs
        for _ in range(2):
            asked = self._all(node.clauses[0].asked, True, states)
            leaves = int(node.kind != "until")
            if node.clauses[0].asked:
                ends |= {each.replace(code=0) for each in asked if each.code == leaves}
                asked = {each for each in asked if each.code != leaves}
            states = self._all(node.clauses[0].body, checked, asked)
            if not node.clauses[0].asked:
                ends |= {each.replace(code=0) for each in states}  # the next turn succeeds
                break
        return ends | self._breaks.pop()

    def _command(self, command: ShellCommand, state: _State, checked: bool) -> _States:
        self._left -= 1
        if self._left < 0:
            raise _TooLong
        if command is self._failing:
            return {state.replace(failed=True, code=1)}
        if not command.inner:
            return self._run(command, state, checked)
        ends = self._apart(partial(self._all, command.inner, checked), {state})
        if not command.words:
            return ends
        found: _States = set()
        for end in ends:
            # Another program may notice that an argument is missing.
            if end.failed == state.failed or command.name in HARMLESS:
                found |= self._run(command, end, checked)
        return found

    def _run(self, command: ShellCommand, state: _State, checked: bool) -> _States:
        if state.failed:
            self.reached.add(command)
        name, words = command.name, command.words
        if name in self._functions:
            return self._call(name, state, checked)
        if name in ("exit", "return") or (name == "kill" and "$$" in words):
            code = self._code(words[1:], state) if name != "kill" else 1
            if name == "return" and self._returns:
                self._returns[-1].add(state.replace(code=code))
            else:
                self._exit(state, code)
            return set()
        if name in ("break", "continue") and self._breaks:
            self._breaks[-1].add(state.replace(code=0))
            return set()
        if name in TESTS:
            return self._test(" ".join(words), state)
        if name == "set":
            on = shell_options(words[1:]).get("errexit", state.errexit)
            return {state.replace(code=0, errexit=on)}
        if name == "wait" and len(words) > 1 and self._failing.background:
            return {state.replace(code=int(state.failed))}
        reads = any(file in words for file in self._files)
        if state.failed and checked and name in LOOKING_UP:
            found_nothing = reads or self._failing in command.fed_by
            return {state.replace(code=int(found_nothing))}
        if state.failed and checked and reads:
            return set()  # it may notice
        return {state.replace(code=int(name == "false"))}

    def _call(self, name: str, state: _State, checked: bool) -> _States:
        if name in self._calls:
            return {state.replace(code=0)}
        self._calls.append(name)
        self._returns.append(set())
        ends = self._all(self._functions[name], checked, {state})
        self._calls.pop()
        return ends | self._returns.pop()

    def _code(self, words: Sequence[str], state: _State) -> int:
        """Return the exit code of ``exit`` and ``return`` with these words, 1 for any but 0."""
        if not words or words[0] == "$?":
            return state.code
        return int(words[0] != "0") if "$" not in words[0] else int(state.failed)

    def _test(self, text: str, state: _State) -> _States:
        """Return the states after a test; none if it may notice the failure."""
        both = {state.replace(code=0), state.replace(code=1)}
        names = [found[1] or found[2] for found in VARIABLE.finditer(text)]
        if not state.failed:
            return both
        if "$?" in text or any(name in self._saved for name in names):
            compared = _COMPARED.search(text)
            if compared is None or not compared[1]:
                return set()
            bad = state.code if "$?" in text else 1
            return {state.replace(code=bad if compared[1] in _FALSE_FOR_FAILURE else 1 - bad)}
        computed = any(_is_computed(self._script.assigned.get(name, ())) for name in names)
        if computed or "$(" in text or "`" in text or any(each in text for each in self._files):
            return set()
        return both

    def _exit(self, state: _State, code: int) -> None:
        if self._exits:
            self._exits[-1].add(state.replace(code=code))
            return
        trap = trapped(self._script, "EXIT", self._failing.line)
        if trap is not None and state.failed:
            self._exits.append(set())
            self._all(trap.statements, True, {state.replace(code=code)})
            code = next((end.code for end in self._exits.pop()), code)
        if state.failed:
            self.codes.add(code)


def _functions(statements: Sequence[Statement]) -> Iterator[tuple[str, Sequence[Statement]]]:
    for statement in statements:
        for part in statement.parts:
            if isinstance(part.node, Compound):
                for clause in part.node.clauses:
                    if part.node.kind == "function":
                        yield part.node.name, clause.body
                    yield from _functions(clause.body)


def _ends_by_errexit(node: ShellCommand | Compound) -> bool:
    """Return True unless what has failed in a compound command was looked at there."""
    return isinstance(node, ShellCommand) or node.kind == "("


def _is_computed(texts: Sequence[str]) -> bool:
    """Return True for the values of a variable that a script sets by a command, or in several places."""
    return len(texts) > 1 or any("$(" in text or "`" in text for text in texts)


def is_looked_at(script: ShellScript, name: str) -> bool:
    """Return True if a script looks whether a variable is empty, or ends for an empty one."""
    quoted = re.escape(name)
    tests = r"(?:\[\[|\[|\btest|\bcase)\s+(?:!\s+)?(?:-z\s+|-n\s+(?=\"))?[\"']?"
    return bool(re.search(rf"\$\{{{quoted}:?[?=-]|{tests}\$\{{?{quoted}\b", script.text))


def constants(
    start: ContainerStart, script: ShellScript, *, computed: bool = False
) -> dict[str, str]:
    """Return the variables of a script that have one constant value, with their values.

    Args:
        computed: also those whose value has parts that a command or another variable gives.
    """
    values = {name: value for _, name, value in literal_variables(start.container)}
    for name, texts in script.assigned.items():
        constant = len(texts) == 1 and "$" not in texts[0] and "`" not in texts[0]
        if constant or (computed and len(texts) == 1):
            values[name] = texts[0].strip("'\"")
    return values


_EQUALITY = re.compile(
    r"\[\[?\s+[\"']?\$\{?(\w+)(?::-[^}]*)?\}?[\"']?\s+(==?|!=)\s+[\"']?([\w.-]*)[\"']?\s+\]"
)


def is_enabled(start: ContainerStart, script: ShellScript, command: ShellCommand) -> bool | None:
    """Return True if a script always runs a command, or the values of its variables ask for it.

    The result is False if they exclude it, and None if it depends on something else. A command in a function
    has the words of its calls as ``$1`` and so on.
    """
    values = constants(start, script)
    calls = [each for each in script.commands if command.function and each.name == command.function]
    if not command.function:
        answers = [_holds(values, command)]
    else:
        answers = [
            _holds(_with_parameters(values, script, call.words), command)
            if _holds(values, call)
            else _holds(values, call)
            for call in calls
        ]
    return True if True in answers else None if None in answers else False


def _with_parameters(
    values: Mapping[str, str], script: ShellScript, call: Sequence[str]
) -> dict[str, str]:
    given = {str(number): word for number, word in enumerate(call)}
    found = {**values, **given}
    for name, texts in script.assigned.items():
        if call and len(texts) == 1 and texts[0].strip('"').lstrip("${").rstrip("}") in given:
            found[name] = resolved(given, texts[0].strip('"'))
    return found


def _holds(values: Mapping[str, str], command: ShellCommand) -> bool | None:
    sure = True
    for condition in command.conditions:
        tests = list(_EQUALITY.finditer(condition)) if "||" not in condition else []
        known = [
            (values[test[1]] == test[3]) is (test[2] != "!=") for test in tests if test[1] in values
        ]
        if not all(known):
            return False
        sure = sure and bool(known) and "! " not in condition
    return True if sure else None


def resolved(values: Mapping[str, str], text: str) -> str:
    """Return a text with the values of variables.

    >>> resolved({"A": "/data"}, "$A/${B}"), resolved({}, "/a/${B:?}")
    ('/data/${B}', '/a/${B}')
    """
    text = _REQUIRED.sub(r"${\1}", text)
    return VARIABLE.sub(lambda found: values.get(found[1] or found[2], found[0]), text)
