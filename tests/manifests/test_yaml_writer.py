"""YAML that is written is read again as the same values, whatever texts they hold."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.manifests import read_text
from jobsworth.manifests.editing.yaml_writer import to_yaml

BREAKS = st.sampled_from(
    ("\n", "\r", "\x85", "\u2028", "\u2029", "\ufeff", " ", "a", "# ", ": ", "---", "\t", "'", '"')
)
TEXTS = st.lists(BREAKS | st.characters(exclude_categories=["Cs"]), max_size=8).map("".join)


def read_again(text: str) -> list[object]:
    return [each.value for each in read_text(text.encode(), "a.yaml")]


@given(TEXTS, TEXTS)
def test_a_text_is_read_again_as_it_was(text: str, other: str) -> None:
    value = {"a": text, "b": [other, {"c": text}], "d": f"{text}\n{other}"}
    written = to_yaml([value])
    assert read_again(written) == [value]
    assert list(yaml.safe_load_all(written)) == [value]


@pytest.mark.parametrize("sign", ["\r", "\x85", "\u2028", "\u2029"])
def test_no_other_line_break_ends_a_comment_of_an_expression(sign: str) -> None:
    value = {"expression": f"(object.spec.parallelism < 2 // at most 2{sign}|| true\n) == true"}
    assert read_again(to_yaml([value])) == [value]
