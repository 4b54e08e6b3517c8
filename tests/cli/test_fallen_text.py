"""Lines of a script that became fields, because they are indented less than their block scalar."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.manifests.parsing.block_scalars import fallen_fields
from support.cli.command_processes import GOOD, run
from support.scaling.cost_growth import Action, superlinear_calls

SCRIPT = "          args:\n          - |\n            cat <<END > settings\n"
"""The first lines of a script, in a container whose keys are in column 11."""


def unknown(script: str) -> dict[str, Any]:
    """Return the hints and fixes of the unknown fields, by their names."""
    text = GOOD.partition("  activeDeadlineSeconds")[0] + script
    (result,) = json.loads(run("validate", "-o", "json", "-", stdin=text).stdout)["results"]
    return {each["field"]: each for each in result["findings"] if each["code"] == "JW001"}


def test_the_fields_of_a_here_document_are_to_be_indented_with_it() -> None:
    found = unknown(f"{SCRIPT}level: debug\noutput: a\n            END\n")
    assert [each["hint"] for each in found.values()] == [
        "this line is indented less than the text that began with `|` in line 14, so it ends that text; "
        "indent it by 12, and so every line up to `END`"
    ] * 2


def test_a_field_that_ends_a_text_may_belong_to_it() -> None:
    (found,) = unknown(
        "          args:\n          - |\n            set -e\n          echo: start\n"
    ).values()
    assert (
        found["hint"]
        == "if it belongs to the text that began with `|` in line 14, indent this line by 2"
    )


@pytest.mark.parametrize("name", ["imagePulPolicy", "backoffLimit"])
def test_a_misspelled_or_misplaced_field_after_a_text_keeps_its_hint(name: str) -> None:
    (found,) = unknown(
        f"          args:\n          - |\n            set -e\n          {name}: 1\n"
    ).values()
    assert "it belongs to the text" not in found.get("hint", "")


@pytest.mark.parametrize(
    "line", ["a: |\n  cat <<{0}\n b: 1\n", "a: |\n  b\nc: 1\n", "a: |\n  cat <<E\nE\n"]
)
def test_the_search_is_linear(line: str) -> None:
    def searched(count: int) -> Action:
        text = "".join(line.format(f"E{number}") for number in range(count))
        return lambda: fallen_fields(text)

    assert superlinear_calls(searched) == {}
