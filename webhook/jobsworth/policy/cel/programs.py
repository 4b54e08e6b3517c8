"""The programs of a policy's expressions: compiled when the policy is loaded, and evaluated in bounded time.

They may use every function of the newest known release of Kubernetes. What else a type checker finds wrong,
such as a list of mixed types, is no reason to reject a policy: :mod:`jobsworth.policy.cel.portability`
reports it for the releases that refuse it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.budget import MAX_STEPS, Budget, OutOfBudget, Steps
from jobsworth.cel.checking.checker import Checker
from jobsworth.cel.checking.environment import JOB_POLICY, environment
from jobsworth.cel.checking.structures import REQUEST
from jobsworth.cel.checking.types import DYN, Type
from jobsworth.cel.compiling import wrong_type
from jobsworth.cel.evaluation import Scope, compiled, run
from jobsworth.cel.functions.regular_expressions import MissingLibrary, matches
from jobsworth.cel.syntax.nodes import Call
from jobsworth.cel.syntax.parser import parse
from jobsworth.cel.syntax.syntax_error import CelSyntaxError
from jobsworth.cel.syntax.walk import walk
from jobsworth.cel.values import CelError, type_name
from jobsworth.findings.near_names import did_you_mean
from jobsworth.policy.cel.advice import advice
from jobsworth.policy.cel.positions import place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from jobsworth.cel.compiling import Returned

VARIABLES: Mapping[str, Type] = {"object": DYN, "oldObject": DYN, "request": Type(REQUEST)}

MAX_CHARACTERS = 4096
"""The longest expression of a policy."""

_UNDECLARED = "undeclared reference to '"
_UNDEFINED = "undefined field '"
_ABSENT = {
    "namespaceObject": "policies cannot read the namespace: use match.namespaces or match.namespaceSelector",
    "params": "policies have no parameters: write the value into the expression",
    "authorizer": "policies cannot check permissions: use match.users and match.groups",
    "variables": "policies have no variables: write the whole expression",
    "cel": "Kubernetes has no cel.bind: write the whole expression",
}
"""Variables of ValidatingAdmissionPolicy that policies do not have, each with an alternative."""

_SEARCHES = ("matches", "find", "findAll")

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
    """

    __slots__ = ("_evaluate", "source")

    def __init__(self, source: str, returns: Returned = "any") -> None:
        """Compile an expression.

        Args:
            source: the text.
            returns: the type that it must return. One whose type shows only in its evaluation is accepted.

        Raises:
            BadExpression: it is too long or too deeply nested, is not valid CEL, uses an unknown variable,
                field or function, or a library that is not installed; or it returns another type.
        """
        if len(source) > MAX_CHARACTERS:
            raise BadExpression(
                f"the expression has {len(source)} characters; the maximum is {MAX_CHARACTERS}"
            )
        self.source = source
        known = environment(JOB_POLICY)
        try:
            tree = parse(source, known.macros)
        except CelSyntaxError as error:
            raise _syntax_error(source, error) from None
        checker = Checker(known, VARIABLES)
        found = checker.type_of(tree)
        spaces = {name.partition(".")[0] for name in known.functions if "." in name}
        for at, message in sorted(checker.errors):
            if message.startswith((_UNDECLARED, _UNDEFINED)) and _quoted(message) not in spaces:
                raise _unknown(source, at, message, known.functions)
        if checker.errors and not all(_is_about_types(message) for _, message in checker.errors):
            raise _unknown(source, *min(checker.errors), known.functions)
        if (
            not checker.errors
            and returns != "any"
            and found.full_name not in (returns, DYN.full_name)
        ):
            message = wrong_type(found, returns)
            raise BadExpression(message, hint=advice(message))
        if any(isinstance(node, Call) and node.function in _SEARCHES for node in walk(tree)):
            _check_library()
        self._evaluate = compiled(tree)

    def value(self, variables: Mapping[str, Any], steps: Steps) -> Any:
        """Evaluate the expression.

        Args:
            variables: the variables.
            steps: what it may take, together with the other expressions of a request.

        Raises:
            CannotEvaluate: it has no value for these variables, or takes too long.
        """
        budget = Budget(min(MAX_STEPS, steps.left))
        most = budget.steps
        try:
            return run(self._evaluate, Scope(variables, budget))
        except OutOfBudget as error:
            if budget.steps < 0 and most < MAX_STEPS:
                raise CannotEvaluate(steps.exceeded) from None
            raise CannotEvaluate(f"it {error.limit}") from None
        except CelError as error:
            raise CannotEvaluate(str(error)) from None
        finally:
            steps.take(most - max(0, budget.steps))

    def truth(self, variables: Mapping[str, Any], steps: Steps) -> bool:
        """Evaluate an expression that must be true or false.

        Raises:
            CannotEvaluate: it cannot be evaluated, or its value is not a boolean.
        """
        value = self.value(variables, steps)
        if not isinstance(value, bool):
            raise CannotEvaluate(f"the value must be true or false, not {_shown(value)}")
        return value

    def text(self, variables: Mapping[str, Any], steps: Steps) -> str:
        """Evaluate an expression that must return a string.

        Raises:
            CannotEvaluate: it cannot be evaluated, or its value is not a string.
        """
        value = self.value(variables, steps)
        if not isinstance(value, str):
            raise CannotEvaluate(f"the value must be a string, not {_shown(value)}")
        return value


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, (str, int, float)) else f"a {type_name(value)}"


def _syntax_error(source: str, error: CelSyntaxError) -> BadExpression:
    if error.at == len(source) and not _has_tokens(source):
        return BadExpression("the expression is empty")
    line, column = place(source, error.at)
    return BadExpression(error.message.removeprefix("Syntax error: "), line, column)


def _has_tokens(source: str) -> bool:
    from jobsworth.cel.syntax.lexer import tokens

    return len(tokens(source)) > 1


def _unknown(source: str, at: int, message: str, functions: Mapping[str, object]) -> BadExpression:
    name = _quoted(message)
    what = "field"
    known: set[str] = set()
    if message.startswith(_UNDECLARED):
        # A function is reported at its bracket.
        called = source[at : at + 1] == "("
        what = "function" if called else "variable"
        known = {each.rpartition(".")[2] for each in functions} if called else set(VARIABLES)
        if called:
            at = source.rfind(name, 0, at)
    line, column = place(source, max(at, 0))
    hint = _ABSENT.get(name) or did_you_mean(name, known)
    return BadExpression(f"unknown {what} {name}", line, column, hint)


def _quoted(message: str) -> str:
    return message.split("'")[1]


def _is_about_types(message: str) -> bool:
    return not message.startswith((_UNDECLARED, _UNDEFINED))


def _check_library() -> None:
    try:
        matches("", "")
    except MissingLibrary:
        raise BadExpression(
            "the library that evaluates regular expressions is not installed",
            hint=INSTALL_LIBRARY,
        ) from None
