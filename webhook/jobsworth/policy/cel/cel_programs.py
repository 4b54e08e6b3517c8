"""CEL programs: compiled once, bounded in what they can cost, evaluated in an activation.

What a program may cost is bounded twice. When it is compiled: its length, and how deeply its loops
are nested. When it is asked: a loop can go over what the object has, so that the most steps it can
take are the size of the object's largest list or map to the power of the depth; above
:data:`MOST_STEPS` it is not evaluated, which counts as an error of the expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.near_names import did_you_mean
from jobsworth.policy.cel.cel_functions import NAMESPACES, NATIVE, functions
from jobsworth.policy.cel.cel_text import ITEMS, Outline, place_of_name, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from jobsworth.policy.cel.cel_functions import Function

VARIABLES = ("object", "oldObject", "request")

MOST_CHARACTERS = 4096
MOST_NESTED_LOOPS = 3
MOST_STEPS = 1_000_000
"""The steps that an evaluation may take: some 0.4 µs each, so less than half a second."""

_STEP_CHARACTERS = 1024
"""So much of a text can be searched in the time of a step."""

_TYPES = frozenset(
    ("int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type")
)
_ABSENT = {
    "namespaceObject": "a policy cannot look at the namespace: match it, with match.namespaces",
    "params": "a policy has no parameters: write the value into the expression",
    "authorizer": "a policy cannot ask what somebody may do: match users and groups",
    "variables": "a policy has no variables: write the expression out",
    "optional": "there are no optional values: write has(a.b) ? a.b : otherwise",
    "cel": "there is no cel.bind: write the expression out",
}
"""What expressions of a ValidatingAdmissionPolicy may read, and what to do instead."""

_SYNTAX = {
    "unsupported syntax '.?'": "there are no optional fields: write has(a.b) ? a.b : otherwise",
    "unsupported syntax '[?'": "there are no optional items: write 'k' in a ? a['k'] : otherwise",
}

Tree = dict[str, "Tree"]
"""Of a variable the members that are read, and theirs; where there are none, all of it."""


class BadExpression(ValueError):
    """An expression that cannot be used.

    Attributes:
        message: what is wrong.
        line, column: where in the expression, counted from 1.
        hint: what would be right; empty where nobody knows.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint


class CannotEvaluate(Exception):
    """An expression that has no value for this object; the message says why."""


class Program:
    """An expression, compiled.

    Attributes:
        source: as it is written.
        outline: what it reads, and how deeply its loops are nested.
        called: the functions that it calls and CEL does not have.
    """

    __slots__ = ("_program", "called", "outline", "source")

    def __init__(self, source: str) -> None:
        """Compile an expression.

        Raises:
            BadExpression: it is too long or too deeply nested, is no CEL, or reads or calls something
                that there is not.
        """
        if len(source) > MOST_CHARACTERS:
            raise BadExpression(
                f"an expression may have {MOST_CHARACTERS} characters, and this has {len(source)}"
            )
        self.source = source
        self.outline = Outline(source)
        if self.outline.depth > MOST_NESTED_LOOPS:
            raise BadExpression(
                f"loops (all, exists, map …) may be nested {MOST_NESTED_LOOPS} deep, "
                f"and here are {self.outline.depth} deep"
            )
        self._program = _compiled(source)
        self._check_variables()
        self.called = self._checked_functions()

    def value(self, context: Any) -> Any:
        """What the expression is worth in a context of the library.

        Raises:
            CannotEvaluate: it has no value there.
        """
        try:
            return self._program.execute(context)
        except Exception as error:
            raise CannotEvaluate(_said(error)) from None
        except BaseException as error:
            # The library's own failures (a panic) are no Exception, and not to end the process.
            if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
                raise
            raise CannotEvaluate("the CEL library failed") from None

    def _check_variables(self) -> None:
        known = {*VARIABLES, *_TYPES, *NAMESPACES, *self.outline.bound}
        for name in self._program.variables():
            if name not in known:
                line, column = place_of_name(self.source, name)
                hint = _ABSENT.get(name) or did_you_mean(name, known - _TYPES)
                raise BadExpression(f"there is no variable {name}", line, column, hint)

    def _checked_functions(self) -> frozenset[str]:
        # The library tells sets.contains by its last name only; so of a namespace that is named, all count.
        read = {name for name, _ in self.outline.reads}
        ours = [
            name
            for name in functions()
            if "." not in name or (name.partition(".")[0] in read & NAMESPACES)
        ]
        full_names = {name.rpartition(".")[2]: name for name in ours}
        known = {*full_names, *NATIVE}
        found = set(self._program.functions())
        for name in found:
            if name.isidentifier() and name not in known:
                line, column = place_of_name(self.source, name)
                hint = did_you_mean(name, known)
                raise BadExpression(f"there is no function {name}", line, column, hint)
        return frozenset(full for name, full in full_names.items() if name in found)


class Activations:
    """Makes activations for some programs: knows what they read and call, all together.

    Args:
        programs: all that may be asked in one activation.
    """

    __slots__ = ("_functions", "_trees", "loops")

    def __init__(self, programs: Iterable[Program]) -> None:
        self._trees: Tree = {}
        self.loops = 0
        called: set[str] = set()
        for program in programs:
            called |= program.called
            self.loops = max(self.loops, program.outline.depth)
            for name, members in program.outline.reads:
                if name in VARIABLES:
                    _grow(self._trees, (name, *members))
        known = functions() if called else {}
        self._functions: dict[str, Function] = {name: known[name] for name in called}

    def activation(self, variables: Mapping[str, Any]) -> Activation:
        """What expressions see: of each variable, what one of them reads.

        Args:
            variables: ``object``, ``oldObject`` and ``request``, as plain values.
        """
        seen = {name: _pruned(variables[name], tree) for name, tree in self._trees.items()}
        return Activation(seen, self._functions)


class Activation:
    """The variables and functions for the evaluation of any number of programs."""

    __slots__ = ("_context", "_functions", "_sizes", "_variables")

    def __init__(self, variables: dict[str, Any], functions: dict[str, Function]) -> None:
        self._variables = variables
        self._functions = functions
        self._context: Any = None
        self._sizes: tuple[int, int] | None = None

    def value(self, program: Program) -> Any:
        """What a program is worth.

        Raises:
            CannotEvaluate: it has no value here, or could take too many steps.
        """
        if program.outline.depth:
            self._bound(program.outline.depth)
        if self._context is None:
            from cel import Context

            self._context = Context(self._variables, self._functions or None)
        return program.value(self._context)

    def truth(self, program: Program) -> bool:
        """Whether a program is true.

        Raises:
            CannotEvaluate: as above, or it is no truth value.
        """
        value = self.value(program)
        if not isinstance(value, bool):
            raise CannotEvaluate(f"it must be true or false, and is {value!r}")
        return value

    def text(self, program: Program) -> str:
        """The text that a program makes.

        Raises:
            CannotEvaluate: as above, or it is no text.
        """
        value = self.value(program)
        if not isinstance(value, str):
            raise CannotEvaluate(f"it must be a text, and is {value!r}")
        return value

    def _bound(self, depth: int) -> None:
        if self._sizes is None:
            self._sizes = _sizes(self._variables)
        largest, longest = self._sizes
        steps = largest**depth * (1 + longest // _STEP_CHARACTERS)
        if steps > MOST_STEPS:
            raise CannotEvaluate(
                f"it could take {steps} steps for this object, and may take {MOST_STEPS}: "
                f"its loops are nested {depth} deep, and the largest list has {largest} items"
            )


def _compiled(source: str) -> Any:
    try:
        from cel import compile as compiled
    except ImportError:
        raise BadExpression(
            "expressions need the CEL library, which is not installed",
            hint="install jobsworth[policy]",
        ) from None
    if not any(True for _ in words(source)):
        raise BadExpression("the expression is empty")
    try:
        return compiled(source)
    except ValueError as error:
        raise _syntax_error(source, str(error)) from None
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
            raise
        raise BadExpression("the CEL library cannot read this expression") from None


def _syntax_error(source: str, said: str) -> BadExpression:
    """The first error that the library tells: ``… ERROR: <input>:1:19: Syntax error: …``."""
    _, _, told = said.partition("ERROR: <input>:")
    line, _, rest = told.partition(":")
    column, _, message = rest.partition(": ")
    message = message.partition("\n")[0].strip().removeprefix("Syntax error: ")
    if not (line.isdigit() and column.isdigit() and message):
        return BadExpression("this is no CEL expression")
    if "Recursion limit" in message:
        message = "its brackets are nested too deeply"
    expecting = message.find(" expecting {")
    if expecting >= 0:
        message = message[:expecting]
    return BadExpression(message, max(1, int(line)), max(1, int(column)), _SYNTAX.get(message, ""))


def _said(error: Exception) -> str:
    """The library's message, without its advice on how to use Python."""
    if isinstance(error, KeyError):
        return f"no such key: {error.args[0]}"
    text = str(error)
    _, failed, own = text.partition("Python function call failed: ")
    if failed:
        text = own.partition(": ")[2] or own
    text = text.removesuffix(". Check function arguments and their types.")
    return text.partition(". ")[0]


def _grow(tree: Tree, chain: tuple[str, ...]) -> None:
    """Note that a member is read; an empty tree means all of it, and stays so."""
    name, rest = chain[0], chain[1:]
    if name not in tree:
        tree[name] = _branch(rest)
    elif tree[name]:
        if rest:
            _grow(tree[name], rest)
        else:
            tree[name] = {}


def _branch(chain: tuple[str, ...]) -> Tree:
    tree: Tree = {}
    for member in reversed(chain):
        tree = {member: tree}
    return tree


def _pruned(value: Any, tree: Tree) -> Any:
    """Of a value what a tree names: to hand a whole Job to the library takes a tenth of a millisecond."""
    if tree and isinstance(value, list):
        items = tree.get(ITEMS)
        return [_pruned(item, items) for item in value] if items else value
    # A loop over a map goes over its keys, and whoever has one may ask for what is there.
    if not tree or not isinstance(value, dict) or ITEMS in tree:
        return value
    found = {}
    for member, below in tree.items():
        if member in value:
            found[member] = _pruned(value[member], below)
        elif member.startswith("__") and member[2:-2] in value:
            # As expressions in Kubernetes write what is a word of CEL: metadata.__namespace__
            found[member] = _pruned(value[member[2:-2]], below)
    return found


def _sizes(value: Any) -> tuple[int, int]:
    """The size of the largest list or map, and the length of the longest text."""
    largest = longest = 0
    rest = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            longest = max(longest, len(part))
        elif isinstance(part, dict):
            largest = max(largest, len(part))
            rest.extend(part.values())
        elif isinstance(part, list):
            largest = max(largest, len(part))
            rest.extend(part)
    return largest, longest
