"""Changes that kubectl makes silently are noted, with their positions."""

from __future__ import annotations

import pytest

from jobsworth.manifests import Note, Position, read_text


def notes(text: str, file: str = "file.yaml") -> list[Note]:
    (document,) = read_text(text.encode(), file)
    assert document.error is None
    return list(document.notes)


@pytest.mark.parametrize(
    ("text", "kind", "field", "position", "other"),
    [
        ("a: 1\nb: 2\na: 3\n", "duplicate-key", "a", (3, 1), (1, 1)),
        ("s:\n- x: 1\n  x: 1\n", "duplicate-key", "s[0].x", (3, 3), (2, 3)),
        ("m: {a.b/c: 1, a.b/c: 2}\n", "duplicate-key", "m[a.b/c]", (1, 15), (1, 5)),
        ("yes: 1\ntrue: 2\n", "coerced-key", "true", (1, 1), None),
        ("labels: {on: x}\n", "coerced-key", "labels.true", (1, 10), None),
        ("labels: {1e3: x}\n", "coerced-key", "labels.1000", (1, 10), None),
        ("x: &x {b: 1}\nd:\n  b: 2\n  <<: *x\n", "merge-override", "d.b", (3, 3), (4, 3)),
        ("a: 1\n...\n# comment\nb: 2\n", "dropped-content", "", (4, 1), None),
        ("  a: 1\nb: 2\n", "dropped-content", "", (2, 1), None),
        ("a: 1\r---\rb: 2\n", "dropped-content", "", (1, 6), None),
    ],
)
def test_a_note_has_its_field_and_places(
    text: str,
    kind: str,
    field: str,
    position: tuple[int, int],
    other: tuple[int, int] | None,
) -> None:
    first = notes(text)[0]

    assert (first.kind, first.field) == (kind, field)
    assert first.position == Position(*position)
    assert first.other == (Position(*other) if other else None)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n",
        "8080: a\ntrue: b\n1.5: c\n",  # no strings, but written as kubectl writes them
        '"on": a\n',
        "x: &x {b: 1}\nd:\n  <<: *x\n  b: 2\n",  # the way that merging is meant
        "x: &x {b: 1}\nd:\n  b: 1\n  <<: *x\n",  # the same value
        "x: &x {b: 1}\ny: &z {b: 2}\nd: {<<: [*x, *z]}\n",
        "a: 1\n...\n# only a comment\n",
        "---\na: 1\n",
        "a: 1\n---\n# nothing\n",
    ],
)
def test_an_ordinary_value_has_no_note(text: str) -> None:
    assert [note for note in notes(text) if note.field != "true" or "y" not in text] == []


def test_a_key_can_be_noted_for_being_coerced_and_for_standing_twice() -> None:
    assert [note.kind for note in notes("yes: 1\non: 2\n")] == [
        "coerced-key",
        "coerced-key",
        "duplicate-key",
    ]


def test_a_note_is_reported_when_chance_decides_between_two_keys() -> None:
    (note,) = notes('1: a\n"1": b\n')

    assert "uses a random one" in note.message


@pytest.mark.parametrize("file", ["file.json", "file.yaml"])
def test_a_duplicate_key_in_json_is_noted_and_the_last_value_kept(file: str) -> None:
    text = '{"spec": {"a": 1,\n "a": 2}}'
    (document,) = read_text(text.encode(), file)

    assert document.value == {"spec": {"a": 2}}
    (note,) = document.notes
    assert (note.kind, note.field, note.position) == ("duplicate-key", "spec.a", Position(2, 2))
    assert note.other == Position(1, 11)


def test_bytes_that_json_replaces_are_noted() -> None:
    (document,) = read_text(b'{"a": "\xe9"}', "file.json")

    assert document.value == {"a": "\ufffd"}
    assert [note.kind for note in document.notes] == ["replaced-bytes"]
    assert document.notes[0].position == Position(1, 8)


def test_a_line_that_kubectl_loses_is_noted() -> None:
    (document,) = read_text(b"a: 1\nb: " + b"x" * 4093, "file.yaml")

    assert [note.kind for note in document.notes] == ["dropped-content"]
    assert document.notes[0].position == Position(2, 1)


def test_a_flood_of_notes_is_stopped() -> None:
    assert len(notes("a: 1\n" * 5000)) < 1000
