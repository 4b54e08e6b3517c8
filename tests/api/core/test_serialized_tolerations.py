"""Tolerations as JSON in an annotation."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.pod_metadata import BadTolerations, read_tolerations


@pytest.mark.parametrize(
    ("text", "tolerations"),
    [
        ("null", []),
        ("[]", []),
        ("[null]", [{}]),
        (
            '[{"key": "a", "TolerationSeconds": 0, "other": {}}]',
            [{"key": "a", "tolerationSeconds": 0}],
        ),
        ('[{"KEY": "a", "value": "", "effect": null}]', [{"key": "a"}]),
        ('[{"key": "a", "key": ""}]', [{}]),
    ],
)
def test_field_names_are_read_in_any_case(text: str, tolerations: list[dict[str, Any]]) -> None:
    assert read_tolerations(text) == tolerations


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('"a"', "string into Go value of type []core.Toleration"),
        ("[true]", "bool into Go value of type core.Toleration"),
        ('[{"key": 1}]', "number into Go struct field Toleration.Key of type string"),
        (
            '[{"operator": []}]',
            "array into Go struct field Toleration.Operator of type core.TolerationOperator",
        ),
        (
            '[{"effect": {}}]',
            "object into Go struct field Toleration.Effect of type core.TaintEffect",
        ),
        (
            '[{"tolerationSeconds": 1.5}]',
            "number 1.5 into Go struct field Toleration.TolerationSeconds of type int64",
        ),
        (
            '[{"tolerationSeconds": "1"}]',
            "string into Go struct field Toleration.TolerationSeconds of type int64",
        ),
        (
            '[{"tolerationSeconds": 9223372036854775808}]',
            "number 9223372036854775808 into Go struct field "
            "Toleration.TolerationSeconds of type int64",
        ),
    ],
)
def test_values_of_the_wrong_type_are_reported(text: str, what: str) -> None:
    with pytest.raises(BadTolerations) as caught:
        read_tolerations(text)
    assert str(caught.value) == f"json: cannot unmarshal {what}"


@pytest.mark.parametrize("text", ["[", "[{]", "NaN", "[Infinity]", "'a'", "[" * 100000])
def test_text_that_is_not_json_is_reported(text: str) -> None:
    with pytest.raises(BadTolerations, match=r"^not JSON"):
        read_tolerations(text)
