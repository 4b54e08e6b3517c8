"""Parts of a text that are edited alone: the result is that of an edit in the whole text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.findings.edits import CannotEdit, first_key
from jobsworth.findings.fix import Edit, Fix
from jobsworth.manifests import Document, read_text
from jobsworth.manifests.editing.apply_fixes import DocumentText, FileText
from support.random_objects.random_edits import edit_of
from support.random_objects.random_texts import random_json, random_yaml

seeds = st.integers(0, 2**32)


def patched(data: bytes, document: Document, edit: Edit, *, whole: bool) -> bytes | str:
    """The file with an edit, or the reason why it cannot be made."""
    file = FileText(data)
    text = file.text_of(document)
    try:
        if whole:
            text._sheet.root.anchored = True
        return file.with_changes(text.checked([text.patch(document, Fix("edit", edit, safe=True))]))
    except CannotEdit as error:
        return str(error)


@given(seeds, st.booleans())
@settings(deadline=None)
def test_an_edit_of_a_part_is_that_of_the_whole(seed: int, json: bool) -> None:
    text, value = random_json(seed) if json else random_yaml(seed)
    if value:
        data, edit = text.encode(), edit_of(value, seed)
        (document,) = read_text(data, "job.json" if json else "job.yaml")
        assert patched(data, document, edit, whole=False) == patched(
            data, document, edit, whole=True
        )


def part(text: str, *edits: Edit, file: str = "job.yaml") -> str:
    """The part of a text that a fix is applied to."""
    document, *_ = read_text(text.encode(), file)
    found: DocumentText = FileText(text.encode()).text_of(document)
    return found.patch(document, Fix("edit", *edits, safe=True)).old


LIST = """\
kind: Many
things:
  # the first
  - name: a
    labels:
      x: 1  # one
      y: 2
  - name: b
"""


@pytest.mark.parametrize(
    ("edits", "wanted"),
    [
        ([Edit("set", "things[0].labels.x", 3)], "      x: 1  # one\n"),
        ([Edit("set", "things[0].labels.z", 3)], "    labels:\n      x: 1  # one\n      y: 2\n"),
        ([Edit("set", "things[1].name", "c")], "  - name: b\n"),
        ([Edit("set", "things[1].name", "c"), Edit("set", "things[1].size", 1)], "  - name: b\n"),
        ([Edit("set", "things[1].name", "c"), Edit("set", "things[0].name", 1)], LIST[11:]),
        ([Edit("delete", "things[1]")], LIST[11:]),
        ([Edit("delete", "things[1].name")], LIST[11:]),
        ([Edit("set", "size", 1)], LIST),
    ],
)
def test_the_part_is_the_smallest_that_holds_what_changes(edits: list[Edit], wanted: str) -> None:
    assert part(LIST, *edits) == wanted


def test_a_part_of_json_is_a_value() -> None:
    text = '{"things": [\n  {"name": "a"},\n  {"name": "b"}\n]}\n'
    assert part(text, Edit("set", "things[1].name", "c"), file="job.json") == '{"name": "b"}'


@pytest.mark.parametrize(
    ("text", "field", "wanted"),
    [
        ("a: &x [1]\nb: *x\nc: 1\n", "c", "c: 1\n"),
        ("a: &x {b: 1}\nb:\n  <<: *x\n  c: 1\n", "b.b", None),
        ("a: &x {b: 1}\nb:\n  <<: *x\n  c: 1\n", "b.c", "  c: 1\n"),
        ("&x a: 1\nb:\n  *x : 2\nc: 1\n", "a", None),
    ],
)
def test_what_an_alias_shares_is_edited_in_the_whole_text(
    text: str, field: str, wanted: str | None
) -> None:
    assert part(text, Edit("set", field, 2)) == (wanted or text)


@pytest.mark.parametrize(
    ("text", "field"), [("a: &x [1]\nb: *x\n", "a[0]"), ("a: &x\n  b: 1\nb: *x\n", "a.b")]
)
def test_an_edit_of_a_part_that_changes_an_alias_is_refused(text: str, field: str) -> None:
    with pytest.raises(CannotEdit, match="something else"):
        part(text, Edit("set", field, 2))


@given(st.lists(st.text("ab.[]\"/", max_size=4), max_size=4), st.text("ab.[]\"/", min_size=1))  # fmt: skip
def test_a_path_begins_with_its_longest_key(keys: list[str], path: str) -> None:
    mapping: dict[str, Any] = dict.fromkeys(keys)
    found = first_key(mapping, path)
    if not path.startswith("["):
        bare = path.removeprefix(".")
        leading = [key for key in keys if bare.startswith(key) and bare[len(key) :][:1] in ".["]
        wanted = max(leading, key=len, default=None)
        assert found == (None if wanted is None else (wanted, bare[len(wanted) :]))
    elif found is not None:
        assert path in (f"[{found[0]}]{found[1]}", f'["{found[0]}"]{found[1]}')
