"""Warnings about expressions beside what kube-apiserver refuses: see tests/recorded."""

from __future__ import annotations

import pytest

from jobsworth.policy.cel.expressions import Expression, Expressions, unportable
from jobsworth.policy.cel.programs import BadExpression, Program, advice
from kube_cel.refusals import Refusal
from support.cel.recorded_expressions import RecordedExpression, recorded_expressions

RELEASES = [f"1.{minor}" for minor in range(30, 39)]
NO_ADVICE = Refusal(0, "UndeclaredVariable", "undeclared reference to 'unknown'", "unknown")


def program(source: str) -> Program | None:
    try:
        return Program(source)
    except BadExpression:
        return None


def conditions() -> list[RecordedExpression]:
    """Recorded conditions and messages that a JobPolicy accepts."""
    return [
        each
        for each in recorded_expressions()
        if each.returns != "any"
        and not any(name in each.expression for name in ("variables", "params", "authorizer"))
        and program(each.expression) is not None
    ]


@pytest.mark.parametrize(
    "each", conditions(), ids=lambda each: f"{each.returns}: {each.expression}"
)
def test_there_is_a_warning_for_each_release_that_refuses(each: RecordedExpression) -> None:
    compiled, always = program(each.expression), Program("false")
    assert compiled is not None
    if each.returns == "bool":
        held = Expression(program=compiled, message="", message_program=None, field="")
    else:
        held = Expression(program=always, message="", message_program=compiled, field="")
    found = [*unportable(Expressions((held,)), "spec.expressions", RELEASES)]
    assert {release for each in found for release in each.releases} == each.refused.keys()
    assert all(each.advice for each in found)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "math.least(1, 2) == 1",
            "Kubernetes 1.30 to 1.38 refuses it: undeclared reference to 'math'",
        ),
        (
            "isIP(object.metadata.name)",
            "Kubernetes 1.30 refuses it: undeclared reference to 'isIP'",
        ),
        ("isSemver('1.2.3')", "Kubernetes 1.30 to 1.33 refuses it"),
        ("lists.range(3) == [0, 1, 2]", "Kubernetes 1.30 to 1.34 refuses it"),
        ("size({'a': 1, 'b': 'x'}) == 2", "expected type 'int' but found 'string'"),
        ("quantity('1').sign() == 1", "write sign(quantity)"),
        ("(true ? 1 : 'a') == 1", "give both results one type"),
    ],
)
def test_the_first_problem_is_named_with_releases_and_advice(source: str, message: str) -> None:
    held = Expression(program=Program(source), message="", message_program=None, field="")
    found = [str(each) for each in unportable(Expressions((held,)), "spec.expressions", RELEASES)]
    assert any(message in each for each in found)


def test_releases_before_the_first_with_the_api_count_as_that() -> None:
    held = Expression(program=Program("isIP('a')"), message="", message_program=None, field="")
    (found,) = unportable(Expressions((held,)), "spec.expressions", ["1.25", "1.30"])
    assert found.releases == ("1.30",)


def test_what_nothing_replaces_has_no_advice() -> None:
    assert advice(NO_ADVICE, "bool") == ""
