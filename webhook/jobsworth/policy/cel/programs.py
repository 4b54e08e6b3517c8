"""The programs of a policy's expressions: compiled when the policy is loaded, and evaluated in bounded time.

They may use every function of the newest known release of Kubernetes. What else a type checker finds wrong,
such as a list of mixed types, is not a reason to reject a policy: :mod:`jobsworth.policy.cel.expressions`
reports it for the releases that refuse it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.findings.near_names import did_you_mean
from kube_cel.budget import MAX_STEPS, Budget, OutOfBudget, Steps
from kube_cel.checker import Checker
from kube_cel.compiling import Returned, wrong_result
from kube_cel.environment import JOB_POLICY, REQUEST, environment
from kube_cel.evaluation import Scope, compiled, run
from kube_cel.functions.strings import MissingLibrary, matches
from kube_cel.lexer import CelSyntaxError
from kube_cel.nodes import Call, walk
from kube_cel.parser import parse
from kube_cel.refusals import UNDECLARED, Kind, Refusal, in_order, place
from kube_cel.types import DYN, Type
from kube_cel.values import CelError, NestedTooDeeply, NoSuchKey, UnknownValue, type_name

CRON_JOB_VARIABLES: Mapping[str, Type] = {"cronJob": DYN, "oldCronJob": DYN}
"""The variables that a ValidatingAdmissionPolicy does not have."""

VARIABLES: Mapping[str, Type] = {
    "object": DYN,
    "oldObject": DYN,
    "request": Type(REQUEST),
    **CRON_JOB_VARIABLES,
}

MAX_CHARACTERS = 4096
"""The longest expression of a policy."""

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
    """An expression has no value for this object; the message gives the cause.

    Attributes:
        missing: the part of the object that the expression reads and that does not exist; None if the cause
            is another one.
    """

    def __init__(self, message: str, missing: NoSuchKey | None = None) -> None:
        super().__init__(message)
        self.missing = missing


class NotKnown(CannotEvaluate):
    """An expression depends on a value that is not known here, such as the user of a manifest."""


class Program:
    """A compiled expression.

    Attributes:
        source: the text of the expression.
    """

    __slots__ = ("_evaluate", "source", "tree")

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
        undeclared = [each for each in in_order(checker.errors) if each.kind in UNDECLARED]
        for each in undeclared:
            # The name of a library is undeclared, too, if it does not have the function.
            if each.name not in spaces or each is undeclared[-1]:
                raise _unknown(source, each, known.functions)
        if (
            not checker.errors
            and returns != "any"
            and found.full_name not in (returns, DYN.full_name)
        ):
            wrong = wrong_result(found, returns)
            raise BadExpression(wrong.message, hint=advice(wrong, returns))
        if any(isinstance(node, Call) and node.function in _SEARCHES for node in walk(tree)):
            _check_library()
        self.tree = tree
        self._evaluate = compiled(tree)

    def value(self, variables: Mapping[str, Any], steps: Steps) -> Any:
        """Evaluate the expression.

        Args:
            variables: the variables.
            steps: what it may take, together with the other expressions of a request.

        Raises:
            CannotEvaluate: it has no value for these variables, or takes too long.
            NotKnown: its value depends on a variable that is not known.
        """
        budget = Budget(min(MAX_STEPS, steps.left))
        most = budget.steps
        try:
            return run(self._evaluate, Scope(variables, budget))
        except OutOfBudget as error:
            if budget.steps < 0 and most < MAX_STEPS:
                raise CannotEvaluate(steps.exceeded) from None
            raise CannotEvaluate(f"it {error.limit}") from None
        except NestedTooDeeply as error:
            raise CannotEvaluate(str(error)) from None
        except UnknownValue as error:
            raise NotKnown(str(error)) from None
        except CelError as error:
            missing = error if isinstance(error, NoSuchKey) else None
            raise CannotEvaluate(str(error), missing) from None
        finally:
            steps.take(most - max(0, budget.steps))

    def truth(self, variables: Mapping[str, Any], steps: Steps) -> bool:
        """Evaluate an expression that must be true or false.

        Raises:
            CannotEvaluate: it cannot be evaluated, or its value is not a boolean.
        """
        value = self.value(variables, steps)
        if not isinstance(value, bool):
            raise CannotEvaluate(f"the value must be true or false, not {_with_type(value)}")
        return value

    def text(self, variables: Mapping[str, Any], steps: Steps) -> str:
        """Evaluate an expression that must return a string.

        Raises:
            CannotEvaluate: it cannot be evaluated, or its value is not a string.
        """
        value = self.value(variables, steps)
        if not isinstance(value, str):
            raise CannotEvaluate(f"the value must be a string, not {_with_type(value)}")
        return value


def _with_type(value: Any) -> str:
    return repr(value) if isinstance(value, (str, int, float)) else f"a {type_name(value)}"


def _syntax_error(source: str, error: CelSyntaxError) -> BadExpression:
    if error.at == len(source) and not _has_tokens(source):
        return BadExpression("the expression is empty")
    line, column = place(source, error.at)
    return BadExpression(error.problem, line, column)


def _has_tokens(source: str) -> bool:
    from kube_cel.lexer import tokens

    return len(tokens(source)) > 1


def _unknown(source: str, refusal: Refusal, functions: Mapping[str, object]) -> BadExpression:
    name, at = refusal.name, refusal.at or 0
    what, known = "field", set[str]()
    if refusal.kind == "UndeclaredFunction":
        what, known = "function", {each.rpartition(".")[2] for each in functions}
        at = source.rfind(name, 0, at)  # which is its bracket
    elif refusal.kind == "UndeclaredVariable":
        what, known = "variable", set(VARIABLES)
    line, column = place(source, max(at, 0))
    hint = _ABSENT.get(name) or did_you_mean(name, known)
    return BadExpression(f"unknown {what} {name}", line, column, hint)


def _check_library() -> None:
    try:
        matches("", "")
    except MissingLibrary:
        raise BadExpression(
            "the library that evaluates regular expressions is not installed",
            hint=INSTALL_LIBRARY,
        ) from None


_OF_DYNAMIC: Mapping[Returned, str] = {
    "bool": "compare it: write (…) == true",
    "string": "write string(…)",
}
_OF_RESULT: Mapping[Returned, str] = {
    "bool": "write a condition that is true or false",
    "string": "write string(…), or a text",
}
_EXTREMES = "write [a, b].max() or [a, b].min()"
_ROUNDING = "write x < 0 ? -x : x, or int(x)"
_ADDRESSES = "Kubernetes has them since 1.31"
_LISTS = "Kubernetes has it since 1.35"
_ONE_VARIABLE = "macros with two variables are in Kubernetes since 1.33: use one variable"
_OTHER_MACROS = (
    "macros with two variables are in Kubernetes since 1.33: write map, filter or exists_one"
)
_ENDS = "write list[0], or list[size(list) - 1]"
_SIGN = "write sign(quantity)"
_OF_NAME: Mapping[str, str] = {
    "math": "write [a, b].max(), [a, b].min(), x < 0 ? -x : x, or int(x)",
    **dict.fromkeys(("greatest", "least"), _EXTREMES),
    **dict.fromkeys(("abs", "ceil", "floor", "round"), _ROUNDING),
    **dict.fromkeys(("ip", "cidr", "isIP", "isCIDR"), _ADDRESSES),
    **dict.fromkeys(("semver", "isSemver"), "Kubernetes has them since 1.34"),
    **dict.fromkeys(
        ("lists", "range", "distinct", "sort", "sortBy", "flatten", "slice", "reverse"), _LISTS
    ),
    "format": "Kubernetes has named formats since 1.32",
    **dict.fromkeys(("all", "exists", "exists_one"), _ONE_VARIABLE),
    **dict.fromkeys(
        ("transformList", "transformMap", "transformMapEntry", "existsOne"), _OTHER_MACROS
    ),
    "sign": _SIGN,
    **dict.fromkeys(("first", "last"), _ENDS),
}
"""By the name that nothing declares."""

_CONVERT = "convert one side: string(…), int(…)"
_OF_OVERLOAD: Mapping[str, str] = {
    "sign": _SIGN,
    "_?_:_": "give both results one type, or write dyn(…) around both",
    **dict.fromkeys(("_==_", "_!=_"), _CONVERT),
}
"""By the function or operator that has no variant for the types of its arguments."""

_OF_KIND: Mapping[Kind, str] = {
    "NoOverload": "convert the arguments: string(…), int(…), double(…)",
    "TypeMismatch": "give all items one type, or write dyn(…) around each",
    "InvalidLiteral": "correct the text",
}


def advice(refusal: Refusal, returns: Returned) -> str:
    """Return what to write instead of an expression that an API server refuses; empty if nothing replaces it.

    Args:
        refusal: the reason.
        returns: the type that the expression must return.
    """
    if refusal.kind == "WrongResult":
        return (_OF_DYNAMIC if refusal.name == "dyn" else _OF_RESULT).get(returns, "")
    if refusal.kind in ("UndeclaredVariable", "UndeclaredFunction"):
        return _OF_NAME.get(refusal.name, "")
    if refusal.kind == "NoOverload" and refusal.name in _OF_OVERLOAD:
        return _OF_OVERLOAD[refusal.name]
    return _OF_KIND.get(refusal.kind, "")
