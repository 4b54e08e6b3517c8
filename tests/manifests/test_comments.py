"""Comments with a mark: which there are, and where they stand."""

from __future__ import annotations

import pytest

from jobsworth.manifests import read_text
from jobsworth.manifests.parsing.comments import Comment, marked_comments

MARK = "tool:"


def comments(text: str, file: str = "a.yaml") -> list[tuple[int, int, str, bool]]:
    documents = read_text(text.encode(), file)
    return [
        (comment.line, comment.column, comment.text, comment.heads)
        for _, found in marked_comments(documents, MARK)
        for comment in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1 # tool: x\n", [(1, 6, "x", False)]),
        ("a: 1 #tool:x\n", [(1, 6, "x", False)]),
        ("# tool: x\na: 1\n", [(1, 1, "x", True)]),
        ("  # tool: x\na: 1\n", [(1, 3, "x", True)]),
        ("a: 1\n# tool: x\n", [(2, 1, "x", False)]),
        ("a: 1\n# tool: x\nb: 2 # tool: y\n", [(2, 1, "x", False), (3, 6, "y", False)]),
        ("a: 1 # other # tool: x\n", [(1, 14, "x", False)]),
        ("a: é # tool: é\n", [(1, 6, "é", False)]),
        ("a: [1, # tool: x\n  2]\n", [(1, 8, "x", False)]),
        ("--- # tool: x\na: 1\n", [(1, 5, "x", True)]),
        ("# tool: x\n---\na: 1\n", [(1, 1, "x", True)]),
        ("a: 1\n---\n# tool: x\nb: 1\n", [(3, 1, "x", True)]),
        ("a: 1\n--- # tool: x\nb: 1\n", [(2, 5, "x", True)]),
        ("a: |  # tool: x\n  # tool: y\n", [(1, 7, "x", False)]),
        ("a: |\n  b\n# tool: x\n", [(3, 1, "x", False)]),
        ("a: b\n  c # tool: x\n", [(2, 5, "x", False)]),
        ('a: "b # tool: x"\n', []),
        ('a: "b\n  # tool: x\n  c"\n', []),
        ("a: 'b # tool: x' # tool: y\n", [(1, 18, "y", False)]),
        ("a: b#tool: x\n", []),
        ("a: b tool: x\n".replace("b tool: x", "tool"), []),
        ("a: 1 # a tool: x\n", []),
        ("a: &x 1\nb: &x 2 # tool: x\n", [(2, 9, "x", False)]),
        ("a: [1 # tool: x\n", []),
        ("# tool: x\n", []),
        ("", []),
    ],
)
def test_a_comment_is_found_where_it_is_one(
    text: str, expected: list[tuple[int, int, str, bool]]
) -> None:
    assert comments(text) == expected


def test_json_has_no_comments() -> None:
    assert comments('{"a": "# tool: x"}', "a.json") == []
    assert comments('{"a": "# tool: x"}') == []


def test_comments_that_kubectl_reads_as_yaml() -> None:
    assert comments('{"a": 1, # tool: x\n}') == [(1, 10, "x", False)]


def test_items_of_a_list_share_their_comments() -> None:
    text = "# tool: x\napiVersion: v1\nkind: List\nitems:\n- kind: A\n- kind: B # tool: y\n"
    ((documents, found),) = marked_comments(read_text(text.encode(), "a.yaml"), MARK)
    assert [document.item for document in documents] == [0, 1]
    assert found == [Comment(1, 1, "x", heads=True), Comment(6, 11, "y", heads=False)]


def test_a_document_that_cannot_be_read_does_not_stop_the_next() -> None:
    assert comments("a: b: c # tool: x\n---\na: 1 # tool: y\n") == [(3, 6, "y", False)]
