"""Expressions of policies, as the API server accepts them."""

from __future__ import annotations

import pytest

from jobsworth.policy.export.expressions import NotExpressible, of_expression


def test_the_stored_object_stands_for_the_variable_only() -> None:
    source = "object.spec.object == 'object' && [1].exists(o, object.spec.a == o)  // object"
    violated = of_expression({"expression": source}, 33).violated
    stored = "oldObject.spec.object == 'object' && [1].exists(o, oldObject.spec.a == o)  // object"
    assert f"({stored}\n) == false" in str(violated)
    assert f"({source}\n) == true" in str(violated)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("math.greatest(1, 2) == 2", r"undeclared reference to 'math'.* \(write \[a, b\]\.max\(\)"),
        ("size([1, 'a']) == 2", "kube-apiserver 1.30 refuses the expression: "),
        ("[1].all(i, v, v > i)", "macros with two variables are in Kubernetes since 1.33"),
        ("[1].all(object, object > 0)", "a loop variable has the name object: rename it"),
    ],
)
def test_what_the_api_server_refuses_is_not_expressible(source: str, reason: str) -> None:
    with pytest.raises(NotExpressible, match=reason):
        of_expression({"expression": source}, 30)


def test_a_condition_of_unknown_type_is_compared() -> None:
    assert "(object.spec.suspend\n) == true" in str(
        of_expression({"expression": "object.spec.suspend"}, 30).violated
    )
