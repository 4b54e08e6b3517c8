"""Objects that follow each other without a separator: kubectl keeps the last one only."""

from __future__ import annotations

import pytest

from jobsworth.manifests import read_text

A = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {}\n"
B = A.replace("name: a", "name: b")


def notes(text: str) -> list[tuple[str, int, str]]:
    (document,) = read_text(text.encode(), "job.yaml")
    return [(note.field, note.position.line, note.message) for note in document.notes]


@pytest.mark.parametrize(
    ("text", "field", "line"),
    [
        (A + B, "apiVersion", 5),
        (A + "# the second\n" + B, "apiVersion", 6),
        (A + "kind: Job\napiVersion: batch/v1\nspec: {}\n", "kind", 5),
        (A + "apiVersion: v1\nkind: ConfigMap\ndata: {}\n", "apiVersion", 5),
    ],
)
def test_a_missing_separator_is_one_note(text: str, field: str, line: int) -> None:
    message = (
        f"a separator `---` is missing before line {line}, where the next object begins: kubectl ignores the "
        "Job a above; insert `---`"
    )
    assert notes(text) == [(field, line, message)]


def test_each_lost_object_is_named() -> None:
    found = notes(A + B + A)
    assert [(line, "Job a" in text, "Job b" in text) for _, line, text in found] == [
        (5, True, False),
        (9, False, True),
    ]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (A + "kind: Job\n", ["kind"]),
        (A + "spec: {}\n", ["spec"]),
        ("kind: Job\nkind: Job\napiVersion: batch/v1\n", ["kind"]),
        (A + "metadata: {}\nspec: {}\n", ["metadata", "spec"]),
        ("a:\n  kind: b\n  spec: c\n  kind: d\n  spec: e\n", ["a.kind", "a.spec"]),
    ],
)
def test_other_repeated_keys_are_noted_each(text: str, fields: list[str]) -> None:
    found = notes(text)
    assert [field for field, _, _ in found] == fields
    assert all("duplicate key" in message for _, _, message in found)
