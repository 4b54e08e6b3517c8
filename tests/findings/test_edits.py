"""Effects of edits on a value."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from jobsworth.findings.edits import CannotEdit, edited, identical, locate
from jobsworth.findings.fix import Edit

JOB: dict[str, Any] = {
    "metadata": {"labels": {"a.b/c": "x", "a": "y"}},
    "spec": {"rules": [{"action": "A"}, {"action": "B"}, {"action": "C"}], "template": None},
}


def spec(**changes: Any) -> dict[str, Any]:
    return {"metadata": JOB["metadata"], "spec": {**JOB["spec"], **changes}}


A, B, C = JOB["spec"]["rules"]


@pytest.mark.parametrize(
    ("path", "steps", "missing"),
    [
        ("spec.rules[1].action", ("spec", "rules", 1, "action"), ()),
        ("metadata.labels[a.b/c]", ("metadata", "labels", "a.b/c"), ()),
        ('metadata.labels["a.b/c"]', ("metadata", "labels", "a.b/c"), ()),
        ("metadata.labels.a.b/c", ("metadata", "labels", "a.b/c"), ()),
        ("metadata.labels.a", ("metadata", "labels", "a"), ()),
        ("metadata.labels[new.key/x]", ("metadata", "labels"), ("new.key/x",)),
        ("spec.rules[3]", ("spec", "rules"), (3,)),
        ("spec.rulez", ("spec",), ("rulez",)),
        ("spec.template.spec.containers[0]", ("spec", "template"), ("spec", "containers", 0)),
        ("spec.rules.action", ("spec", "rules"), ("action",)),
        ("", (), ()),
    ],
)
def test_a_path_leads_as_far_as_the_value_goes(
    path: str, steps: tuple[Any, ...], missing: tuple[Any, ...]
) -> None:
    place = locate(JOB, path)
    assert (place.steps, place.missing) == (steps, missing)


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (Edit("set", "spec.rules[0].action", "Z"), spec(rules=[{"action": "Z"}, B, C])),
        (Edit("set", "spec.suspend", True), spec(suspend=True)),
        (Edit("set", "spec.template.spec.a", 1), spec(template={"spec": {"a": 1}})),
        (Edit("set", "spec.list[0].a", 1), spec(list=[{"a": 1}])),
        (Edit("set", "spec.rules[3]", A), spec(rules=[A, B, C, A])),
        (Edit("insert", "spec.rules[0]", C), spec(rules=[C, A, B, C])),
        (Edit("insert", "spec.rules[3]", C), spec(rules=[A, B, C, C])),
        (Edit("insert", "spec.template[0]", 1), spec(template=[1])),
        (Edit("insert", "spec.more[0]", 1), spec(more=[1])),
        (Edit("delete", "spec.rules[1]"), spec(rules=[A, C])),
        (Edit("delete", "spec.template"), {**JOB, "spec": {"rules": [A, B, C]}}),
        (Edit("rename", "spec.template", "Template"), {**JOB, "spec": {"rules": [A, B, C], "Template": None}}),
        (Edit("move", "spec.rules[2]", "spec.rules[0]"), spec(rules=[C, A, B])),
        (Edit("move", "spec.rules[0]", "spec.rules[2]"), spec(rules=[B, C, A])),
        (Edit("move", "spec.rules[0]", "spec.more[0]"), spec(rules=[B, C], more=[A])),
        (
            Edit("move", "spec.rules", "spec.template.rules"),
            {**JOB, "spec": {"template": {"rules": [A, B, C]}}},
        ),
    ],
)  # fmt: skip
def test_an_edit_changes_its_path(edit: Edit, wanted: dict[str, Any]) -> None:
    before = copy.deepcopy(JOB)
    assert edited(JOB, edit) == wanted
    assert before == JOB


def test_edits_are_made_in_their_order() -> None:
    done = edited(JOB, Edit("delete", "spec.rules[0]"), Edit("set", "spec.rules[0].action", "Z"))
    assert done["spec"]["rules"] == [{"action": "Z"}, C]


def test_a_list_that_loses_its_last_item_goes_with_its_key() -> None:
    assert edited({"a": [1], "b": 2}, Edit("delete", "a[0]")) == {"b": 2}


def test_a_list_that_stands_alone_stays_empty() -> None:
    assert edited({"policy": {"rules": [1]}}, Edit("delete", "policy.rules[0]")) == {
        "policy": {"rules": []}
    }
    assert edited([[1]], Edit("delete", "[0][0]")) == [[]]


def test_a_mapping_that_loses_its_last_key_stays_empty() -> None:
    assert edited({"a": {"b": 1}}, Edit("delete", "a.b")) == {"a": {}}


@pytest.mark.parametrize(
    "edit",
    [
        Edit("delete", "spec.missing"),
        Edit("delete", ""),
        Edit("set", "", {}),
        Edit("set", "spec.rules[7]", 1),
        Edit("set", "spec.rules[0].action.deeper", 1),
        Edit("insert", "spec.rules[7]", 1),
        Edit("insert", "spec.template", 1),
        Edit("rename", "spec.rules", "template"),
        Edit("rename", "spec.rules[0]", "x"),
        Edit("move", "spec.missing", "spec.there"),
        Edit("move", "spec.rules", "spec.template"),
        Edit("move", "spec", "spec.inner"),
        Edit("move", "spec.template", "spec.rules[5]"),
    ],
    ids=repr,
)
def test_an_edit_that_cannot_be_made_is_rejected(edit: Edit) -> None:
    with pytest.raises(CannotEdit):
        edited(JOB, edit)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0, False), (1, 1.0), ({"a": 1}, {"a": 1, "b": 2}), ([1], [1, 2]), ("1", 1)],
)
def test_values_equal_in_python_can_be_different_json(one: Any, other: Any) -> None:
    assert not identical(one, other)
    assert identical(one, copy.deepcopy(one))
