"""Each item of a List is a document."""

from __future__ import annotations

import pytest

from jobsworth.manifests import Document, Position, expand_lists, read_text

JOB_LIST = """\
apiVersion: batch/v1
kind: JobList
items:
- metadata: {name: one}
  spec:
    suspend: true
- apiVersion: v1
  kind: ConfigMap
- kind: CronJob
"""


def read(text: str, file: str = "file.yaml") -> list[Document]:
    return read_text(text.encode(), file)


def test_items_without_a_kind_get_the_list_s() -> None:
    values = [document.value for document in read(JOB_LIST)]

    assert values == [
        {
            "metadata": {"name": "one"},
            "spec": {"suspend": True},
            "apiVersion": "batch/v1",
            "kind": "Job",
        },
        {"apiVersion": "v1", "kind": "ConfigMap"},
        {"kind": "CronJob"},
    ]


def test_items_are_numbered_and_share_the_document_s_index() -> None:
    documents = read("a: 1\n---\n" + JOB_LIST + "---\nb: 2\n")

    assert [(document.index, document.item) for document in documents] == [
        (0, None),
        (1, 0),
        (1, 1),
        (1, 2),
        (2, None),
    ]


@pytest.mark.parametrize(
    ("field", "position"),
    [
        ("", (4, 3)),
        ("metadata.name", (4, 20)),
        ("spec", (5, 3)),
        ("spec.suspend", (6, 14)),
        ("spec.template", (5, 3)),
        ("kind", (4, 3)),
        ("missing", (4, 3)),
    ],
)
def test_positions_in_an_item_are_right(field: str, position: tuple[int, int]) -> None:
    assert read(JOB_LIST)[0].position(field) == Position(*position)


@pytest.mark.parametrize("file", ["file.yaml", "file.json"])
def test_a_list_in_json_is_expanded(file: str) -> None:
    text = '{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Job"}, {"a":\n 3}]}'
    documents = read(text, file)

    assert [document.value for document in documents] == [{"kind": "Job"}, {"a": 3}]
    assert documents[1].position("a") == Position(2, 2)


def test_items_of_a_plain_list_keep_what_they_have() -> None:
    documents = read("apiVersion: v1\nkind: List\nitems:\n- a: 1\n")

    assert [document.value for document in documents] == [{"a": 1}]


def test_a_list_in_a_list_is_expanded() -> None:
    inner = "  - kind: Job\n  - kind: CronJob\n"
    text = f"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n{inner}"
    documents = read(text)

    assert [document.value for document in documents] == [{"kind": "Job"}, {"kind": "CronJob"}]
    assert [document.item for document in documents] == [0, 1]
    assert documents[1].position("kind") == Position(8, 11)


@pytest.mark.parametrize(
    "text",
    [
        "kind: List\nitems: []\n",
        "apiVersion: v1\nkind: Listing\nitems: []\n",
        "apiVersion: v1\nkind: List\nitems: {}\n",
        "apiVersion: v1\nkind: List\n",
        "apiVersion: v1\nitems: []\n",
        "[1, 2]\n",
    ],
)
def test_objects_that_only_resemble_a_list_are_left_alone(text: str) -> None:
    (document,) = read(text)

    assert document.item is None


def test_an_empty_list_is_no_document() -> None:
    assert read("apiVersion: v1\nkind: List\nitems: []\n") == []


def test_an_item_that_is_no_object_is_an_error_and_the_others_are_read() -> None:
    documents = read("apiVersion: v1\nkind: List\nitems:\n- 1\n- kind: Job\n")

    assert documents[0].error is not None
    assert (documents[0].error.line, documents[0].error.column) == (4, 3)
    assert documents[1].value == {"kind": "Job"}


def test_notes_go_to_the_item_that_they_are_about() -> None:
    text = "apiVersion: v1\nkind: Lis\nkind: List\nitems:\n- a: 1\n- b: 1\n  c: {on: 2}\n"
    first, second = read(text)

    assert [note.field for note in first.notes] == ["kind"]
    assert [(note.kind, note.field) for note in second.notes] == [("coerced-key", "c.true")]


def test_expanding_again_changes_nothing() -> None:
    documents = read(JOB_LIST)

    assert expand_lists(documents) == documents
