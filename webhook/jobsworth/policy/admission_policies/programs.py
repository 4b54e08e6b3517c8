"""The expressions of a policy, compiled; and its variables, evaluated when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube_cel.budget import MAX_STEPS, Budget, Steps
from kube_cel.compiling import Returned, compile_expression
from kube_cel.evaluation import Composed, Evaluate, Scope, compiled, run
from kube_cel.nodes import Node
from kube_cel.refusals import Refused
from kube_cel.types import Type
from kube_cel.values import CelError, UnknownValue

POLICY_STEPS = 10 * MAX_STEPS
"""The steps of all validations of a policy together, as an API server limits their cost."""

MATCH_STEPS = POLICY_STEPS // 4
"""The steps of all match conditions of a policy together."""

REQUEST_STEPS = 10 * POLICY_STEPS
"""The steps of all policies, bindings and params for a request; an API server has no such limit."""


@dataclass(frozen=True, slots=True)
class Program:
    """An expression of a policy.

    Attributes:
        source: its text.
        tree: its syntax tree; None if the release does not accept it.
        type: of its value; None without a tree.
        refused: why the release does not accept it; empty if it does.
        refused_at: the offset of that in the text; None if it is about the whole.
        evaluate: evaluates it in a scope; None without a tree.
    """

    source: str
    tree: Node | None = None
    type: Type | None = None
    refused: str = ""
    refused_at: int | None = None
    evaluate: Evaluate | None = None

    @classmethod
    def compiled(
        cls,
        source: str,
        release: str,
        returns: Returned,
        *,
        params: bool,
        variables: Mapping[str, Type] | None,
        authorizer: bool = True,
    ) -> Program:
        """Compile an expression as a release accepts it in a new policy."""
        try:
            found = compile_expression(
                source,
                release,
                returns=returns,
                params=params,
                variables=variables,
                authorizer=authorizer,
            )
        except Refused as error:
            return cls(source, refused=str(error), refused_at=error.refusals[0].at)
        return cls(source, found.tree, found.type, evaluate=compiled(found.tree))

    def value(self, names: Mapping[str, Any], steps: Steps) -> Any:
        """Evaluate it.

        Raises:
            CelError: it has no value; with the API server's words.
            PolicyExhausted: the policy has used all its steps.
        """
        if self.evaluate is None:
            raise CelError(f"compilation error: {self.refused}")
        try:
            return self._evaluated(self.evaluate, names, steps)
        except (UnknownValue, PolicyExhausted):
            raise
        except CelError as error:
            raise CelError(f"expression '{self.source}' resulted in error: {error}") from None

    def _evaluated(self, evaluate: Evaluate, names: Mapping[str, Any], steps: Steps) -> Any:
        budget = Budget(min(MAX_STEPS, steps.left))
        before = budget.steps
        try:
            made = run(evaluate, Scope(names, budget))
        except CelError:
            # The variables that it reads have taken their steps already.
            steps.take(before - budget.steps)
            if steps.left < 0:
                raise PolicyExhausted from None
            raise
        steps.take(before - budget.steps)
        if steps.left < 0:
            raise PolicyExhausted
        return made


class PolicyExhausted(CelError):
    """A policy has used all its steps."""

    def __init__(self) -> None:
        super().__init__(
            "validation failed due to running out of cost budget, no further validation rules will be run"
        )


class Variables(Composed):
    """The variable ``variables``: each is evaluated when an expression reads it, and once.

    Args:
        programs: the variables by name.
        names: the other variables of the expressions.
        steps: what the policy may still use.
    """

    def __init__(
        self, programs: Mapping[str, Program], names: Mapping[str, Any], steps: Steps
    ) -> None:
        self._programs = programs
        self._names = {**names, "variables": self}
        self._steps = steps
        self._found: dict[str, Any] = {}

    def field(self, name: str) -> Any:
        """Return the value of a variable.

        Raises:
            CelError: there is none of this name, or it has no value.
        """
        if name not in self._programs:
            raise CelError(f"no such key: {name}")
        if name not in self._found:
            self._found[name] = self._evaluated(self._programs[name], name)
        found = self._found[name]
        if isinstance(found, CelError):
            raise found
        return found

    def _evaluated(self, program: Program, name: str) -> Any:
        if program.evaluate is None:
            return CelError(f'composited variable "{name}" fails to compile: {program.refused}')
        budget = Budget(min(MAX_STEPS, self._steps.left))
        before = budget.steps
        try:
            return program.evaluate(Scope(self._names, budget))
        except UnknownValue as error:
            return error
        except CelError as error:
            return CelError(f'composited variable "{name}" fails to evaluate: {error}')
        finally:
            self._steps.take(before - budget.steps)
