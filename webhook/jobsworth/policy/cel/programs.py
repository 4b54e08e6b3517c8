"""CEL programs: compiled once, bounded in cost, evaluated in an activation.

The cost of a program is bounded twice. At compile time, by its length and by the nesting depth of its loops.
At evaluation, by the estimated steps: a loop may iterate over the largest list or map of the object, so the
limit is that size to the power of the depth. Its memory is bounded by the characters that it may build: the
longest text as often as the expression may repeat it. Above :data:`MAX_STEPS` or :data:`MAX_BUILT_IN_ALL`
the expression is not evaluated, which counts as an error of the expression.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from jobsworth.findings.near_names import did_you_mean
from jobsworth.policy.cel.functions import (
    BUILDERS,
    MAX_BUILT,
    NAMESPACES,
    NATIVE,
    functions,
)
from jobsworth.policy.cel.tokens import ITEMS, ExpressionOutline, place_of_name, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from jobsworth.policy.cel.functions import Function


VARIABLES = ("object", "oldObject", "request")

MAX_CHARACTERS = 4096
MAX_NESTED_LOOPS = 3
MAX_STEPS = 1_000_000
"""The steps that an evaluation may take; a step takes about 0.4 µs, so less than half a second."""

MAX_BUILT_IN_ALL = 64 * 1024 * 1024
"""The characters that an evaluation may build."""

_STEP_CHARACTERS = 1024
"""The characters of a text that are searched in the time of one step."""

_TYPES = frozenset(
    ("int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type")
)
_ABSENT = {
    "namespaceObject": "policies cannot read the namespace: use match.namespaces or match.namespaceSelector",
    "params": "policies have no parameters: write the value into the expression",
    "authorizer": "policies cannot check permissions: use match.users and match.groups",
    "variables": "policies have no variables: write the whole expression",
    "optional": "optional values are not supported: write has(a.b) ? a.b : otherwise",
    "cel": "cel.bind is not supported: write the whole expression",
}
"""Variables of ValidatingAdmissionPolicy that are not supported, each with an alternative."""

_SYNTAX = {
    "unsupported syntax '.?'": "optional fields are not supported: write has(a.b) ? a.b : otherwise",
    "unsupported syntax '[?'": "optional items are not supported: write 'k' in a ? a['k'] : otherwise",
}

Tree = dict[str, "Tree"]
"""The members that are read of each variable, recursively; empty where the whole value is read."""


INSTALL_LIBRARY = "install jobsworth[policy]"
"""The hint on a missing library; the command line knows how this installation gets it."""


class BadExpression(ValueError):
    """An expression that cannot be compiled or is not allowed.

    Attributes:
        message: the problem.
        line, column: the position in the expression, counted from 1.
        hint: advice on how to fix it; may be empty.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint


class CannotEvaluate(Exception):
    """An expression has no value for this object; the message gives the cause."""


class Program:
    """A compiled expression.

    Attributes:
        source: the text of the expression.
        outline: the members that it reads, and the nesting depth of its loops.
        called: the functions that it calls beyond those built into CEL.
        builders: how often it calls a function of :data:`BUILDERS`.
        collects: it collects the results of a loop.
        growth: how many times longer than its longest operand a text or list may be that it concatenates
            with ``+``.
        literals: an upper bound of the items of a list in its text.
    """

    __slots__ = (
        "_program", "builders", "called", "collects", "growth", "literals", "outline", "source",
    )  # fmt: skip

    def __init__(self, source: str) -> None:
        """Compile an expression.

        Raises:
            BadExpression: it is too long or too deeply nested, is not valid CEL, or uses an unknown
                variable or function.
        """
        if len(source) > MAX_CHARACTERS:
            raise BadExpression(
                f"the expression has {len(source)} characters; the maximum is {MAX_CHARACTERS}"
            )
        self.source = source
        self.outline = ExpressionOutline(source)
        words = Counter(token.text for token in tokens(source) if token.kind in ("name", "sign"))
        self.builders = sum(words[name] for name in BUILDERS)
        self.collects = words["map"] > 0
        self.growth = _growth(words["+"], words["map"])
        self.literals = words[","] + 1
        if self.outline.depth > MAX_NESTED_LOOPS:
            raise BadExpression(
                f"loops (all, exists, map …) are nested {self.outline.depth} deep; "
                f"the maximum is {MAX_NESTED_LOOPS}"
            )
        self._program = _compiled(source)
        self._check_variables()
        self.called = self._checked_functions()

    def value(self, context: Any) -> Any:
        """Evaluate the expression in a context of the library.

        Raises:
            CannotEvaluate: it has no value in this context.
        """
        try:
            return self._program.execute(context)
        except Exception as error:
            raise CannotEvaluate(_error_text(error)) from None
        except BaseException as error:
            # A panic of the library is a BaseException, and must not end the process.
            if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
                raise
            raise CannotEvaluate("the CEL library failed") from None

    def _check_variables(self) -> None:
        known = {*VARIABLES, *_TYPES, *NAMESPACES, *self.outline.bound}
        for name in self._program.variables():
            if name not in known:
                line, column = place_of_name(self.source, name)
                hint = _ABSENT.get(name) or did_you_mean(name, known - _TYPES)
                raise BadExpression(f"unknown variable {name}", line, column, hint)

    def _checked_functions(self) -> frozenset[str]:
        # The library reports sets.contains as "contains", so accept every function of a namespace in use.
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
                raise BadExpression(f"unknown function {name}", line, column, hint)
        return frozenset(full for name, full in full_names.items() if name in found)


class Activations:
    """A factory of activations that knows what some programs read and call together.

    Args:
        programs: all programs that one activation may evaluate.
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
        """Return the variables of the programs, reduced to the members that they read.

        Args:
            variables: the values of ``object``, ``oldObject`` and ``request``.
        """
        seen = {name: _pruned(variables[name], tree) for name, tree in self._trees.items()}
        return Activation(seen, self._functions)


class Activation:
    """The variables and functions with which programs are evaluated."""

    __slots__ = ("_context", "_functions", "_sizes", "_variables")

    def __init__(self, variables: dict[str, Any], functions: dict[str, Function]) -> None:
        self._variables = variables
        self._functions = functions
        self._context: Any = None
        self._sizes: tuple[int, int] | None = None

    def value(self, program: Program) -> Any:
        """Evaluate a program.

        Raises:
            CannotEvaluate: it has no value for this object, or could take too many steps.
        """
        self._bound(program)
        if self._context is None:
            from cel import Context

            self._context = Context(self._variables, self._functions or None)
        return program.value(self._context)

    def truth(self, program: Program) -> bool:
        """Evaluate a program that must return a boolean.

        Raises:
            CannotEvaluate: it cannot be evaluated, or its value is not a boolean.
        """
        value = self.value(program)
        if not isinstance(value, bool):
            raise CannotEvaluate(f"the value must be true or false, not {value!r}")
        return value

    def text(self, program: Program) -> str:
        """Evaluate a program that must return a string.

        Raises:
            CannotEvaluate: it cannot be evaluated, or its value is not a string.
        """
        value = self.value(program)
        if not isinstance(value, str):
            raise CannotEvaluate(f"the value must be a string, not {value!r}")
        return value

    def _bound(self, program: Program) -> None:
        depth, builders, growth = program.outline.depth, program.builders, program.growth
        if not (depth or builders or growth > 1):
            return
        if self._sizes is None:
            self._sizes = _sizes(self._variables)
        largest, longest = self._sizes
        largest = max(largest, program.literals) * growth
        if "split" in program.called:
            largest = max(largest, longest)
        iterations = largest**depth
        steps = iterations * (1 + longest // _STEP_CHARACTERS)
        if steps > MAX_STEPS:
            raise CannotEvaluate(
                f"it could take {steps} steps for this object; the maximum is {MAX_STEPS}: "
                f"its loops are nested {depth} deep, and the largest list has {largest} items"
            )
        if not (builders or growth > 1):
            return
        longest = max(longest, len(program.source))
        if builders:
            longest = max(longest, min(MAX_BUILT, longest ** (builders + 1)))
        built = longest * growth * (iterations if program.collects else 1)
        if built > MAX_BUILT_IN_ALL:
            raise CannotEvaluate(
                f"it could build {built} characters for this object; the maximum is {MAX_BUILT_IN_ALL}: "
                f"the longest text has {longest} characters, and + may repeat it {growth} times"
            )


def _growth(plus: int, maps: int) -> int:
    """Return how many times longer than its longest operand a concatenation may be.

    Each ``map`` can concatenate what the one before it made, so their factors multiply; the product is
    largest if the ``+`` of an expression are spread over them evenly.

    >>> _growth(0, 3), _growth(2, 0), _growth(4, 1)
    (1, 3, 9)
    """
    each, rest = divmod(plus, maps + 1)
    return int((each + 2) ** rest * (each + 1) ** (maps + 1 - rest))


def _compiled(source: str) -> Any:
    try:
        from cel import compile as compiled
    except ImportError:
        raise BadExpression(
            "the CEL library, which evaluates expressions, is not installed",
            hint=INSTALL_LIBRARY,
        ) from None
    if not any(True for _ in tokens(source)):
        raise BadExpression("the expression is empty")
    try:
        return compiled(source)
    except ValueError as error:
        raise _syntax_error(source, str(error)) from None
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
            raise
        raise BadExpression("the CEL library cannot read this expression") from None


def _syntax_error(source: str, report: str) -> BadExpression:
    """Return the first error that the library reports: ``… ERROR: <input>:1:19: Syntax error: …``."""
    _, _, located = report.partition("ERROR: <input>:")
    line, _, rest = located.partition(":")
    column, _, message = rest.partition(": ")
    message = message.partition("\n")[0].strip().removeprefix("Syntax error: ")
    if not (line.isdigit() and column.isdigit() and message):
        return BadExpression("this is not a valid CEL expression")
    if "Recursion limit" in message:
        message = "brackets are nested too deeply"
    expecting = message.find(" expecting {")
    if expecting >= 0:
        message = message[:expecting]
    return BadExpression(message, max(1, int(line)), max(1, int(column)), _SYNTAX.get(message, ""))


def _error_text(error: Exception) -> str:
    """Return the library's message without its advice about Python."""
    if isinstance(error, KeyError):
        return f"no such key: {error.args[0]}"
    text = str(error)
    _, failed, own = text.partition("Python function call failed: ")
    if failed:
        text = own.partition(": ")[2] or own
    text = text.removesuffix(". Check function arguments and their types.")
    return text.partition(". ")[0]


def _grow(tree: Tree, chain: tuple[str, ...]) -> None:
    """Record that a member is read; an empty tree stands for the whole value and stays empty."""
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
    """Return the members that a tree names; passing a whole Job to the library takes 0.1 ms."""
    if tree and isinstance(value, list):
        items = tree.get(ITEMS)
        return [_pruned(item, items) for item in value] if items else value
    # A loop over a map iterates over its keys, with which the expression may read every value.
    if not tree or not isinstance(value, dict) or ITEMS in tree:
        return value
    found = {}
    for member, below in tree.items():
        if member in value:
            found[member] = _pruned(value[member], below)
        elif member.startswith("__") and member[2:-2] in value:
            # Kubernetes escapes the reserved words of CEL: metadata.__namespace__
            found[member] = _pruned(value[member[2:-2]], below)
    return found


def _sizes(value: Any) -> tuple[int, int]:
    """Return the size of the largest list or map, and the length of the longest text."""
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
