"""What a release does not accept has a kind and a name, so that no program needs the words."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.cel.programs import advice
from kube_cel import checker, compiling, constants
from kube_cel.compiling import compile_expression
from kube_cel.refusals import Refusal, Refused
from support.cel.recorded_expressions import recorded_expressions

RELEASE = "1.32"


@pytest.mark.parametrize(
    ("expression", "kind", "name", "at"),
    [
        ("1 +", "Syntax", "", 3),
        ("true" + " || true" * 13_000, "TooLong", "", None),
        ("objct == 1", "UndeclaredVariable", "objct", 0),
        ("nothing(1)", "UndeclaredFunction", "nothing", 7),
        ("object.nothing(1)", "UndeclaredFunction", "nothing", 14),
        ("request.nothing == 1", "UndefinedField", "nothing", 7),
        ("'a'.b == 1", "NoFieldSelection", "", 3),
        ("1.all(i, true)", "NotIterable", "", 0),
        ("1 == 'a'", "NoOverload", "_==_", 2),
        ("quantity('1').sign() == 1", "NoOverload", "sign", 18),
        ("size([1, 'a']) == 2", "TypeMismatch", "", 9),
        ("object.spec.a", "WrongResult", "dyn", None),
        ("1", "WrongResult", "int", None),
        ("duration('a') == duration('b')", "InvalidLiteral", "duration", 9),
        ("'%d %d'.format([1]) == ''", "InvalidFormat", "", 14),
        ("int('a') == 1", "FailingConstant", "int", 3),
    ],
)
def test_the_kind_the_name_and_the_place(
    expression: str, kind: str, name: str, at: int | None
) -> None:
    with pytest.raises(Refused) as raised:
        compile_expression(expression, RELEASE, returns="bool")
    first = raised.value.refusals[0]
    assert (first.kind, first.name, first.at) == (kind, name, at)


@pytest.mark.slow
def test_no_advice_depends_on_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def advised() -> list[str]:
        found = []
        for each in recorded_expressions():
            try:
                compile_expression(each.expression, RELEASE, returns=each.returns)
            except Refused as error:
                found.append(sorted(advice(one, each.returns) for one in error.refusals))
        return [text for texts in found for text in texts]

    before = advised()
    assert sum(map(bool, before)) > 100

    def silent(at: int | None, kind: Any, message: str, name: str = "") -> Refusal:
        return Refusal(at, kind, "", name)

    for module in (checker, compiling, constants):
        monkeypatch.setattr(module, "Refusal", silent)
    assert advised() == before
