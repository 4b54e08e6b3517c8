"""Objects and JSON Patches, which only the mutations of a MutatingAdmissionPolicy make."""

from __future__ import annotations

from typing import Any

import pytest

from kube_cel.budget import Budget, OutOfBudget
from kube_cel.compiling import Returned, compile_expression
from kube_cel.refusals import Refused
from kube_cel.values import CelError, Struct

RELEASE = "1.36"


def value(expression: str, returns: Returned = "object", data: Any = None) -> Any:
    """The value of an expression, as a mutation has it."""
    return compile_expression(expression, RELEASE, returns=returns).value({"object": data})


def refused(expression: str, returns: Returned = "object") -> str:
    with pytest.raises(Refused) as raised:
        compile_expression(expression, RELEASE, returns=returns)
    return str(raised.value)


def test_an_object_has_the_fields_that_are_given() -> None:
    made = value("Object{spec: Object.spec{suspend: object.on, b: [1]}}", data={"on": True})
    inner = Struct("Object.spec", {"suspend": True, "b": [1]})
    assert made == Struct("Object", {"spec": inner})


def test_an_optional_field_is_left_out_without_a_value() -> None:
    made = value("Object{?a: optional.none(), ?b: optional.of(1), ?c: object.?c}", data={"c": 2})
    assert made == Struct("Object", {"b": 1, "c": 2})


def test_fields_are_read_and_compared() -> None:
    test = "{made} == Object{{a: 1}} && {made}.a == 1 && has({made}.a) && !has({made}.b)"
    test += " && {made}.?b.orValue(2) == 2 && {made} != Object{{a: 2}}"
    condition = test.format(made="Object{a: 1}")
    assert value(f"{condition} ? Object{{}} : Object{{wrong: true}}") == Struct("Object", {})


def test_a_json_patch_is_a_list_of_operations() -> None:
    path = "'/metadata/labels/' + jsonpatch.escapeKey('a.b/c~d')"
    (made,) = value(f"[JSONPatch{{op: 'add', path: {path}, value: 'x'}}]", "patches")
    assert made.fields == {"op": "add", "path": "/metadata/labels/a.b~1c~0d", "value": "x"}
    assert value("true ? [] : [JSONPatch{op: 'test'}]", "patches") == []


@pytest.mark.parametrize(
    ("expression", "returns", "message"),
    [
        ("Other{}", "object", "undeclared reference to 'Other' (in container '')"),
        ("Object{}.spec", "object", "must evaluate to Object but got dyn"),
        ("Object.spec{}", "object", "must evaluate to Object but got Object.spec"),
        ("[]", "patches", "must evaluate to list(JSONPatch) but got list(dyn)"),
        ("[Object{}]", "patches", "must evaluate to list(JSONPatch) but got list(Object)"),
        (
            "[JSONPatch{op: 1}]",
            "patches",
            "expected type of field 'op' is 'string' but provided type is 'int'",
        ),
        ("[JSONPatch{ope: 'add'}]", "patches", "undefined field 'ope'"),
        (
            "Object{?a: 1}",
            "object",
            "expected type 'optional_type(int)' but found 'int'",
        ),
        ("Object{}", "bool", "undeclared reference to 'Object' (in container '')"),
        ("jsonpatch.escapeKey('a')", "string", "undeclared reference to 'jsonpatch'"),
    ],
)
def test_what_a_release_refuses(expression: str, returns: Returned, message: str) -> None:
    assert refused(expression, returns).startswith(message)


def test_an_object_is_not_a_key_and_its_parts_count() -> None:
    with pytest.raises(CelError, match="unsupported key type: Object"):
        value("{dyn(Object{}): 1}.size() == 1 ? Object{} : Object{}")
    nested = "[1,2].map(i, [1,2].map(j, Object{a: object.l}))"
    compiled = compile_expression(
        f"{nested} == {nested} ? Object{{}} : Object{{}}", RELEASE, returns="object"
    )
    with pytest.raises(OutOfBudget):
        compiled.value({"object": {"l": [*range(1000)]}}, Budget(2000))
