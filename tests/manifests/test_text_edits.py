"""Edits in the text of a manifest change nothing else."""

from __future__ import annotations

import re
from collections import Counter
from textwrap import dedent
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jobsworth.findings.edits import CannotEdit, edited, identical
from jobsworth.findings.fix import Edit, Fix
from jobsworth.manifests import Document, read_text
from jobsworth.manifests.editing.apply_fixes import fixed
from jobsworth.manifests.editing.editable_text import EditableText, ScalarTexts
from support.random_objects.random_edits import edit_of
from support.random_objects.random_texts import random_json, random_yaml

seeds = st.integers(0, 2**32)


def fix_in(text: str | bytes, *edits: Edit, file: str = "job.yaml", number: int = 0) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return fixed(data, read_text(data, file)[number], Fix("mend it", *edits, safe=True))


def changed(text: str, *edits: Edit, file: str = "job.yaml", number: int = 0) -> str:
    return fix_in(text, *edits, file=file, number=number).decode()


def only(data: bytes, file: str = "job.yaml") -> Document:
    (document,) = read_text(data, file)
    assert document.error is None
    return document


def check(before: str, edit: Edit, after: str, file: str = "job.yaml") -> None:
    """Check that the text becomes the other, also with Windows line ends, and that the value follows."""
    before, after = dedent(before), dedent(after)
    assert changed(before, edit, file=file) == after
    windows = fix_in(before.replace("\n", "\r\n"), edit, file=file)
    assert windows.decode() == after.replace("\n", "\r\n")
    value = edited(only(before.encode(), file).value, edit)
    assert identical(only(after.encode(), file).value, value)


RULES = """\
    spec:
      # what failures mean
      rules:
        # bugs
        - action: FailJob  # at once
          values: [42]

        # drains
        - action: Ignore
          conditions:
            - type: DisruptionTarget
              # deeper

        - {action: Count}
      # the rest
      other: 1
"""


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("a: 1 # one\n", Edit("set", "a", 2), "a: 2 # one\n"),
        ("a: |-  # one\n  x\nb: 1\n", Edit("set", "a", 2), "a: 2  # one\nb: 1\n"),
        ("a: &x >2 # one #\n   x\n", Edit("set", "a", "z"), "a: &x z # one #\n"),
        ("a: | # one", Edit("set", "a", "z"), "a: z # one"),
        ("a: x\n", Edit("set", "a", "yes"), 'a: "yes"\n'),
        ("a: 'x'\n", Edit("set", "a", "yes"), "a: 'yes'\n"),
        ('a: "x"\n', Edit("set", "a", "y z"), 'a: "y z"\n'),
        ("a: yes\n", Edit("set", "a", "yes"), 'a: "yes"\n'),
        ("b: 'x'\na: yes\n", Edit("set", "a", "yes"), "b: 'x'\na: 'yes'\n"),
        ('a: "1"\n', Edit("set", "a", 1), "a: 1\n"),
        ("a: x\n", Edit("set", "a", "0 6 * * 0"), "a: 0 6 * * 0\n"),
        ("a: x\n", Edit("set", "a", "* * * * *"), 'a: "* * * * *"\n'),
        ("a: x\n", Edit("set", "a", "a: b"), 'a: "a: b"\n'),
        ("a: x\n", Edit("set", "a", "two\nlines"), 'a: "two\\nlines"\n'),
        ("a: x\n", Edit("set", "a", None), "a: null\n"),
        ("a: x\n", Edit("set", "a", []), "a: []\n"),
        ("a:\nb: 1\n", Edit("set", "a", 1), "a: 1\nb: 1\n"),
        ("a:  # why\nb: 1\n", Edit("set", "a", 1), "a: 1  # why\nb: 1\n"),
        ("a: !!str 1\n", Edit("set", "a", 1), "a: 1\n"),
        ("a: |\n  x\n  y\nb: 1\n", Edit("set", "a", "z"), "a: z\nb: 1\n"),
        ("a:\n  - 1  # one\n  - 2\nb: 1\n", Edit("set", "a", []), "a: []\nb: 1\n"),
        ("a: {b: 1}\n", Edit("set", "a.b", "x, y"), 'a: {b: "x, y"}\n'),
        ("a: [1, 2]\n", Edit("set", "a[1]", 3), "a: [1, 3]\n"),
        ("a: 1\n", Edit("set", "a", {"b": {"c": 1}}), "a:\n  b:\n    c: 1\n"),
    ],
)  # fmt: skip
def test_a_value_is_replaced(before: str, edit: Edit, after: str) -> None:
    check(before, edit, after)


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("a: 1\n", Edit("set", "b", 2), "a: 1\nb: 2\n"),
        ("a:\n  b: 1 # one\n", Edit("set", "a.c", 2), "a:\n  b: 1 # one\n  c: 2\n"),
        ("a:\n    b: 1\n", Edit("set", "c.d", 2), "a:\n    b: 1\nc:\n    d: 2\n"),
        ("- a: 1\n", Edit("set", "[0].b", 2), "- a: 1\n  b: 2\n"),
        ("-   a: 1\n", Edit("set", "[0].b", 2), "-   a: 1\n    b: 2\n"),
        ("a:\n  b: 1\n  template:\n    x: 1\n", Edit("set", "a.c", 2), "a:\n  b: 1\n  c: 2\n  template:\n    x: 1\n"),
        ("spec:\n  # all\n  template:\n    x: 1\n", Edit("set", "spec.c", 2), "spec:\n  c: 2\n  # all\n  template:\n    x: 1\n"),
        ("a:\n  rules:\n    - x\nb: 1\n", Edit("set", "a.c", 2), "a:\n  rules:\n    - x\n  c: 2\nb: 1\n"),
        ("a:\nb: 1\n", Edit("set", "a.c", 2), "a:\n  c: 2\nb: 1\n"),
        ("a: {}\n", Edit("set", "a.c", 2), "a: {c: 2}\n"),
        ("a: { b: 1 }\n", Edit("set", "a.c", 2), "a: { b: 1, c: 2 }\n"),
        ("a: {b: 1}\n", Edit("set", "a.c.d", [1, "x"]), "a: {b: 1, c: {d: [1, x]}}\n"),
        ("a: {\n  b: 1 # one\n}\n", Edit("set", "a.c", 2), "a: {\n  b: 1, # one\n  c: 2\n}\n"),
        ("a: {\n  b: 1,\n}\n", Edit("set", "a.c", 2), "a: {\n  b: 1,\n  c: 2,\n}\n"),
        ("a: 1\n", Edit("set", "b", [{"x": 1}]), "a: 1\nb:\n  - x: 1\n"),
        ("a: 1\nc:\n- 1\n", Edit("set", "b", [{"x": 1}]), "a: 1\nb:\n- x: 1\nc:\n- 1\n"),
        ("a: 1\n", Edit("set", "a.b/c", "on"), "a: 1\na.b/c: \"on\"\n"),
        ("a: 1\n", Edit("set", "[on]", 1), 'a: 1\n"on": 1\n'),
        ("a: |\n  x\n\nb: 1\n", Edit("set", "c", 2), "a: |\n  x\n\nb: 1\nc: 2\n"),
    ],
)  # fmt: skip
def test_a_missing_field_is_made_beside_its_siblings(before: str, edit: Edit, after: str) -> None:
    if edit.field == "a.b/c":
        edit = Edit("set", "[a.b/c]", edit.value)
    check(before, edit, after)


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("a: 1\nb: 2\nc: 3\n", Edit("delete", "b"), "a: 1\nc: 3\n"),
        ("a: 1\n# about b\n# more\nb: 2 # two\n  # deeper\nc: 3\n", Edit("delete", "b"), "a: 1\nc: 3\n"),
        ("a: 1\n# a section\n\nb: 2\nc: 3\n", Edit("delete", "b"), "a: 1\n# a section\n\nc: 3\n"),
        ("a: 1\n\nb: 2\n\nc: 3\n", Edit("delete", "b"), "a: 1\n\nc: 3\n"),
        ("a: 1\n\nb: 2\n", Edit("delete", "b"), "a: 1\n"),
        ("- a: 1 # one\n  # about b\n  b: 2\n", Edit("delete", "[0].a"), "# about b\n- b: 2\n"),
        ("x:\n  a: 1\nb: 2\n", Edit("delete", "x.a"), "x: {}\nb: 2\n"),
        ("x:\n  - a\nb: 2\n", Edit("delete", "x[0]"), "b: 2\n"),
        ("p:\n  x:\n    - a\nb: 2\n", Edit("delete", "p.x[0]"), "p:\n  x: []\nb: 2\n"),
        ("a: [1, 2, 3]\n", Edit("delete", "a[0]"), "a: [2, 3]\n"),
        ("a: [1, 2, 3]\n", Edit("delete", "a[1]"), "a: [1, 3]\n"),
        ("a: [1, 2, 3]\n", Edit("delete", "a[2]"), "a: [1, 2]\n"),
        ("a: {b: 1, c: 2}\n", Edit("delete", "a.c"), "a: {b: 1}\n"),
        ("a: {b: 1}\n", Edit("delete", "a.b"), "a: {}\n"),
        ("a: [\n  1, # one\n  # about 2\n  2, # two\n  3 # three\n]\n", Edit("delete", "a[1]"), "a: [\n  1, # one\n  3 # three\n]\n"),
        ("a: [\n  1, # one\n  2 # two\n]\n", Edit("delete", "a[1]"), "a: [\n  1 # one\n]\n"),
        ("a: |\n  x\n\nb: 2\n", Edit("delete", "a"), "b: 2\n"),
        ("a:\n- 1\n# - 2\nb: 2\n", Edit("delete", "a"), "b: 2\n"),
        ("a:\n- 1\n# - 2\nb: 2\n", Edit("delete", "b"), "a:\n- 1\n# - 2\n"),
        ("a:\n  x: 1\n#   y: 2\n# about b\nb: 2\n", Edit("delete", "a"), "# about b\nb: 2\n"),
        ("a:\n  x: 1\n# about b\nb: 2\n", Edit("delete", "a"), "# about b\nb: 2\n"),
        ("a:\n  - 1\n# - about b\nb: 2\n", Edit("delete", "a"), "# - about b\nb: 2\n"),
        ("a: 1\n#   about b\nb: 2\n", Edit("delete", "a"), "#   about b\nb: 2\n"),
        ("a:\n- x: 1\n# - x: 2\n- x: 3\n", Edit("delete", "a[1]"), "a:\n- x: 1\n"),
    ],
)  # fmt: skip
def test_a_deleted_field_takes_its_comments_along(before: str, edit: Edit, after: str) -> None:
    check(before, edit, after)


def test_an_item_moves_with_its_comments_and_blank_lines_stay() -> None:
    check(
        RULES,
        Edit("move", "spec.rules[1]", "spec.rules[0]"),
        """\
        spec:
          # what failures mean
          rules:
            # drains
            - action: Ignore
              conditions:
                - type: DisruptionTarget
                  # deeper

            # bugs
            - action: FailJob  # at once
              values: [42]

            - {action: Count}
          # the rest
          other: 1
        """,
    )


def test_an_item_is_deleted_with_its_comments() -> None:
    check(
        RULES,
        Edit("delete", "spec.rules[1]"),
        """\
        spec:
          # what failures mean
          rules:
            # bugs
            - action: FailJob  # at once
              values: [42]

            - {action: Count}
          # the rest
          other: 1
        """,
    )


def test_a_new_item_is_written_as_the_others_are() -> None:
    new = {"action": "Ignore", "conditions": [{"type": "DisruptionTarget"}]}
    check(
        "rules:\n- action: A\n\n- action: B\n",
        Edit("insert", "rules[1]", new),
        "rules:\n- action: A\n\n- action: Ignore\n  conditions:\n  - type: DisruptionTarget\n\n- action: B\n",
    )
    check(
        "rules:\n  - {action: A}\n",
        Edit("insert", "rules[1]", new),
        "rules:\n  - {action: A}\n  - {action: Ignore, conditions: [{type: DisruptionTarget}]}\n",
    )
    check("rules: [1]\n", Edit("insert", "rules[0]", 0), "rules: [0, 1]\n")
    check("rules: []\n", Edit("insert", "rules[0]", new), (
        "rules:\n  - action: Ignore\n    conditions:\n      - type: DisruptionTarget\n"
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("v: [42, 3, 3]  # odd\n", "v: [3, 42]  # odd\n"),
        ("v: [ 42,3 , 3 ]\n", "v: [ 3,42 ]\n"),
        ("v:\n  - 42  # out of memory\n  # twice\n  - 3\n  - 3\n", "v:\n  # twice\n  - 3\n  - 42  # out of memory\n"),
        ("v:\n- 0x2A\n- 3\n", "v:\n- 3\n- 0x2A\n"),
        ("v: [\n  42, # out of memory\n  3  # retry\n]\n", "v: [\n  3,  # retry\n  42 # out of memory\n]\n"),
    ],
)  # fmt: skip
def test_a_list_that_is_set_keeps_the_text_and_the_comments_of_items_that_stay(
    before: str, after: str
) -> None:
    check(before, Edit("set", "v", [3, 42]), after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("v: # all\n# one\n- 1  # a\n\n- 0x2\nw: 1\n", "v: # all\n  rules:\n  # one\n  - 1  # a\n\n  - 0x2\nw: 1\n"),
        ("v:\n    - 1\n    - 2", "v:\n  rules:\n      - 1\n      - 2"),
        ("v: [1, 2]\n", "v: {rules: [1, 2]}\n"),
    ],
)  # fmt: skip
def test_a_list_that_is_put_below_a_key_keeps_its_text_and_its_comments(
    before: str, after: str
) -> None:
    check(before, Edit("set", "v", {"rules": [1, 2]}), after)


def test_a_list_in_the_line_of_a_dash_is_put_below_a_key() -> None:
    check("v:\n- - 1\n  - 2\n", Edit("set", "v[0]", {"a": [1, 2]}), "v:\n- a: [1, 2]\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "spec:\n  # who\n  account: x  # why\n  template:\n    spec:\n      containers: []\n",
            "spec:\n  template:\n    spec:\n      # who\n      account: x  # why\n      containers: []\n",
        ),
        (
            "spec:\n  account: x\n  template: {}\n",
            "spec:\n  template: {spec: {account: x}}\n",
        ),
        (
            "spec:\n  account:\n    a: |\n      text\n    b: [1,\n      2]\n  template:\n",
            "spec:\n  template:\n    spec:\n      account:\n        a: |\n          text\n        b: [1,\n          2]\n",
        ),
        (
            "spec: {account: x, template: {spec: {}}}\n",
            "spec: {template: {spec: {account: x}}}\n",
        ),
        (
            "- spec:\n    account: {a: 1} # one\n    template:\n      spec:\n        name: n\n",
            "- spec:\n    template:\n      spec:\n        name: n\n        account: {a: 1} # one\n",
        ),
        (
            "spec: {\n  # who\n  account: x,  # why\n  template: {\n    spec: {\n      a: 1  # b\n    }\n  }\n}\n",
            "spec: {\n  template: {\n    spec: {\n      a: 1,  # b\n      # who\n      # why\n      account: x\n    }\n  }\n}\n",
        ),
        (
            "spec: {\n  a: 1,\n  # who\n  account: x,  # why\n  template: {spec: {}}\n}\n",
            "spec: {\n  a: 1,\n  template: {spec: {account: x}}\n}\n",
        ),
    ],
)
def test_a_field_moves_to_another_parent_with_its_comments(before: str, after: str) -> None:
    at = "[0]." if before.startswith("-") else ""
    if "template: {}" in before:
        assert changed(before, Edit("move", "spec.account", "spec.template.spec.account")) in (
            after,
            "spec:\n  template:\n    spec:\n      account: x\n",
        )
        return
    check(before, Edit("move", f"{at}spec.account", f"{at}spec.template.spec.account"), after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{\n    a: 1,\n    # who\n    b: x  # why\n  }\n", "{\n    a: 1\n  }\n"),
        ("{\n    # who\n    b: x,  # why\n    a: 1\n  }\n", "{\n    a: 1\n  }\n"),
        ("{\n    # who\n    b: x  # why\n  }\n", "{}\n"),
        ("{\n    # who\n    b: x,  # why\n  }\n", "{}\n"),
    ],
)
def test_a_field_leaves_its_brackets_with_the_comments_on_its_own_lines(
    before: str, after: str
) -> None:
    check(
        f"from: {before}to:\n  c: 1\n",
        Edit("move", "from.b", "to.b"),
        f"from: {after}to:\n  c: 1\n  # who\n  b: x  # why\n",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{b: x,  # why\n    a: 1}\n", "{\n    a: 1}\n"),
        ("{b: x  # why\n    }\n", "{}\n"),
        ("{a: 1, b: x,  # why\n    c: 2}\n", "{a: 1,\n    c: 2}\n"),
    ],
)
def test_a_field_that_begins_no_line_takes_the_comment_behind_it(before: str, after: str) -> None:
    check(
        f"from: {before}to:\n  c: 1\n",
        Edit("move", "from.b", "to.b"),
        f"from: {after}to:\n  c: 1\n  b: x  # why\n",
    )


def test_a_comment_behind_the_last_field_of_a_line_stays_for_the_others() -> None:
    before = "from: {a: 1, b: x  # both\n  }\nto:\n  c: 1\n"
    check(
        before,
        Edit("move", "from.b", "to.b"),
        "from: {a: 1  # both\n  }\nto:\n  c: 1\n  b: x\n",
    )


def test_comments_beside_other_fields_stay_when_a_field_leaves_their_line() -> None:
    before = "from: {a: 1, b: x}  # both\nto:\n  c: 1\n"
    check(before, Edit("move", "from.b", "to.b"), "from: {a: 1}  # both\nto:\n  c: 1\n  b: x\n")


def test_an_item_moves_to_another_list_with_its_comments() -> None:
    before = """\
        spec:
          containers:
            - name: main
            # waits
            - name: proxy  # ends never
              args: [a]
        """
    check(
        before,
        Edit("move", "spec.containers[1]", "spec.initContainers[0]"),
        """\
        spec:
          initContainers:
            # waits
            - name: proxy  # ends never
              args: [a]
          containers:
            - name: main
        """,
    )


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("a:\n  b: 1 # one\n", Edit("rename", "a", "A"), "A:\n  b: 1 # one\n"),
        ('"a": 1\n', Edit("rename", "a", "A"), '"A": 1\n'),
        ("{a: 1}\n", Edit("rename", "a", "on"), '{"on": 1}\n'),
        ("- a: 1\n", Edit("rename", "[0].a", "A"), "- A: 1\n"),
    ],
)
def test_a_key_is_renamed_where_it_stands(before: str, edit: Edit, after: str) -> None:
    check(before, edit, after)


JSON = """\
{
  "spec": {
    "account": "x",
    "rules": [
      {
        "a": 1
      },
      {
        "b": 2
      }
    ],
    "template": {
      "spec": {}
    }
  }
}
"""


@pytest.mark.parametrize("file", ["job.json", "job.yaml"])
@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Edit("set", "spec.account", "y"), '"x"', '"y"'),
        (Edit("set", "spec.new", ["a"]), '      "spec": {}\n    }\n', '      "spec": {}\n    },\n    "new": ["a"]\n'),
        (Edit("delete", "spec.account"), '    "account": "x",\n', ""),
        (Edit("delete", "spec.template"), '    ],\n    "template": {\n      "spec": {}\n    }\n', "    ]\n"),
        (Edit("rename", "spec.account", "user"), '"account"', '"user"'),
        (Edit("move", "spec.rules[1]", "spec.rules[0]"), '"a": 1\n      },\n      {\n        "b": 2', '"b": 2\n      },\n      {\n        "a": 1'),
        (Edit("delete", "spec.rules[0]"), '      {\n        "a": 1\n      },\n', ""),
        (Edit("set", "spec.template.spec.a", True), '"spec": {}', '"spec": {"a": true}'),
    ],
)  # fmt: skip
def test_json_stays_json(edit: Edit, old: str, new: str, file: str) -> None:
    assert old in JSON
    check(JSON, edit, JSON.replace(old, new), file=file)


def test_compact_json_stays_compact() -> None:
    done = changed('{"a":1,"b":[3,1]}', Edit("set", "c", {"d": [1]}), Edit("set", "b", [1, 3]))
    assert done == '{"a":1,"b":[1,3],"c":{"d":[1]}}'


def test_json_with_escapes_of_half_characters_can_be_edited() -> None:
    text = '{"a": "\\ud83d\\ude00 \\/ \\\\ud83d", "b": 1}'
    assert changed(text, Edit("set", "b", 2), file="job.json") == text.replace("1}", "2}")


def test_other_documents_stay_byte_for_byte() -> None:
    first = b"\xef\xbb\xbf# one\r\na: 1\r\n"
    broken = b"---\na: [\nb: \xff\r\n"
    last = b"--- # three\na:   1 \t# odd\nb: ''\r\n...\nno: more"
    middle = b"---\n# two\na: 1\r\nc:\n- 1"
    data = first + middle + b"\n" + broken + last
    done = fix_in(data, Edit("set", "a", 2), Edit("set", "c", [1, 2]), number=1)
    assert done == first + b"---\n# two\na: 2\r\nc:\n- 1\n- 2\n" + broken + last


def test_a_byte_order_mark_stays() -> None:
    assert fix_in(b"\xef\xbb\xbfa: 1\n", Edit("set", "a", 2)) == b"\xef\xbb\xbfa: 2\n"
    assert (
        fix_in(b'\xef\xbb\xbf{"a": 1}', Edit("set", "a", 2), file="job.json")
        == b'\xef\xbb\xbf{"a": 2}'
    )


def test_a_missing_line_feed_at_the_end_stays_missing() -> None:
    assert changed("a: 1", Edit("set", "b", 2)) == "a: 1\nb: 2"
    assert changed("a: 1\nb: 2", Edit("delete", "b")) == "a: 1"
    assert changed("a:\n- 1\n- 2", Edit("move", "a[1]", "a[0]")) == "a:\n- 2\n- 1"


def test_the_items_of_a_list_are_edited_by_their_own_paths() -> None:
    text = dedent("""\
        apiVersion: v1
        kind: List
        items:
          - apiVersion: batch/v1
            kind: Job
            spec: {a: 1}  # first
          - apiVersion: batch/v1
            kind: Job
            spec: {a: 1}  # second
        """)
    done = changed(text, Edit("move", "spec.a", "spec.b.a"), number=1)
    assert done == text.replace("{a: 1}  # second", "{b: {a: 1}}  # second")


def test_an_item_of_a_job_list_may_lack_its_kind() -> None:
    text = "apiVersion: batch/v1\nkind: JobList\nitems:\n- spec:\n    a: yes\n"
    assert changed(text, Edit("set", "spec.a", "yes")) == text.replace("yes", '"yes"')


def test_yaml_behind_json_is_edited_in_its_place() -> None:
    text = '{"a": 1}\n---\nb: 2 # two\n'
    assert changed(text, Edit("set", "b", 3), number=1) == '{"a": 1}\n---\nb: 3 # two\n'
    assert changed(text, Edit("set", "a", 3)) == '{"a": 3}\n---\nb: 2 # two\n'


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("a: &x {b: 1}\nc: *x\n", Edit("set", "c.b", 2)),
        ("a: &x {b: 1}\nc: *x\n", Edit("set", "a.b", 2)),
        ("a: &x 1\nc: *x\n", Edit("set", "a", 2)),
        ("a: &x [1]\nc: *x\n", Edit("delete", "a")),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n", Edit("delete", "c.b")),
        ("a: 1\na: 2\nb: 1\n", Edit("delete", "a")),
        ("? a\n: 1\n? b\n: 2\n", Edit("delete", "a")),
        ("b: 1\n", Edit("delete", "b")),
    ],
)
def test_an_edit_that_would_change_something_else_is_rejected(text: str, edit: Edit) -> None:
    with pytest.raises(CannotEdit):
        changed(text, edit)


@pytest.mark.parametrize(
    ("text", "edit", "after"),
    [
        ("a: &x {b: 1}\nc: *x\n", Edit("set", "c", 2), "a: &x {b: 1}\nc: 2\n"),
        ("a: &x 1\nb: 2\n", Edit("set", "a", 3), "a: &x 3\nb: 2\n"),
        ("x: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n", Edit("set", "c.b", 2), "x: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n  b: 2\n"),
        ("a: 1\na: 2\n", Edit("set", "a", 3), "a: 1\na: 3\n"),
        ("a:\t1\t# tab\n", Edit("set", "a", 2), "a:\t2\t# tab\n"),
        ("y: 1\n", Edit("set", "[true]", 2), "y: 2\n"),
        ("a:\n- - 1\n  - 2\n", Edit("delete", "a[0][1]"), "a:\n- - 1\n"),
        ("a:\n- - 1\n  - 2\n", Edit("delete", "a[0][0]"), "a:\n- - 2\n"),
        ("a: 'it''s' # x\nb: 1\n", Edit("delete", "a"), "b: 1\n"),
    ],
)  # fmt: skip
def test_odd_yaml_can_be_edited_where_that_is_clear(text: str, edit: Edit, after: str) -> None:
    assert changed(text, edit) == after


def test_a_scalar_is_given_as_it_is_written() -> None:
    document = only(b"a: {b: yes, c: '1', d: 0o17, e: !!bool on, f: [1_000]}\nitems: 1\n")
    fields = ("a.b", "a.c", "a.d", "a.e", "a.f[0]", "a.f", "a.g")
    assert [ScalarTexts().text(document, field) for field in fields] == [
        "yes", "1", "0o17", "on", "1_000", None, None,
    ]  # fmt: skip
    listed = read_text(
        b"apiVersion: v1\nkind: List\nitems: [{kind: Job, spec: {a: on}}]\n", "x.yaml"
    )
    assert ScalarTexts().text(listed[0], "spec.a") == "on"


@given(
    st.dictionaries(
        st.text("ab.", min_size=1, max_size=3), st.booleans() | st.integers() | st.text()
    )
)
def test_the_outline_of_ordinary_yaml_has_the_texts_of_its_spans(labels: dict[str, Any]) -> None:
    document = only(yaml.safe_dump({"a": labels}).encode())
    sheet = EditableText(document.text.decode(), json=False)
    for key in labels:
        assert ScalarTexts().text(document, f"a[{key}]") == sheet.find(("a", key)).span.text


COMMENT = re.compile(r"# comment \d+\.|# heading")


def law(text: str, value: Any, seed: int, file: str) -> None:
    document = only(text.encode(), file)
    assert identical(document.value, value)
    edit = edit_of(value, seed)
    try:
        wanted = edited(value, edit)
    except CannotEdit:
        return
    if wanted == {}:
        with pytest.raises(CannotEdit, match="the whole document cannot be replaced"):
            fix_in(text, edit, file=file)
        return
    done = fix_in(text, edit, file=file)
    assert identical(only(done, file).value, wanted)
    before, after = Counter(COMMENT.findall(text)), Counter(COMMENT.findall(done.decode()))
    assert not after - before
    if edit.action in ("rename", "insert"):
        assert after == before
    assert text.endswith("\n") == done.decode().endswith("\n")
    if "\r" in text and "\n" in done.decode():
        assert not re.search(r"[^\r]\n", done.decode())


@given(seeds)
@settings(deadline=None)
@example(1515)
@example(7100)
def test_the_text_says_what_the_edit_makes_of_the_value(seed: int) -> None:
    text, value = random_yaml(seed)
    if value:
        law(text, value, seed, "job.yaml")


@given(seeds)
@settings(deadline=None)
def test_json_says_what_the_edit_makes_of_the_value(seed: int) -> None:
    text, value = random_json(seed)
    if value:
        law(text, value, seed, "job.json")


@given(seeds)
@settings(deadline=None)
def test_lines_that_an_edit_has_nothing_to_do_with_stay(seed: int) -> None:
    text, value = random_yaml(seed)
    key, _ = sorted(value.items())[-1]
    done = changed(text, Edit("rename", f"[{key}]", "renamed"))
    differing = [
        (one, other)
        for one, other in zip(text.split("\n"), done.split("\n"), strict=True)
        if one != other
    ]
    assert len(differing) == 1


@given(seeds)
@settings(deadline=None)
def test_adding_and_deleting_again_leaves_the_text_as_it_was(seed: int) -> None:
    text, _ = random_yaml(seed)
    added = changed(text, Edit("set", "renamed", {"a": [{"b": 1}]}))
    assert changed(added, Edit("delete", "renamed")) == text
