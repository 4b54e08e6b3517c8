"""matchLabelKeys and mismatchLabelKeys."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.label_keys import check_label_keys, check_label_keys_without_merging
from kube_cel.formats.names import label_key

IN_BOTH = 'Invalid value: "app": exists in both matchLabelKeys and labelSelector'
NO_SELECTOR = "Forbidden: must not be specified when labelSelector is not set"
BAD_KEY = f'Invalid value: "-a": {label_key("-a")[0]}'
BY_LABEL = {"matchLabels": {"app": "db"}}
BY_EXPRESSION = {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
BY_BOTH = {**BY_LABEL, **BY_EXPRESSION}


@pytest.mark.parametrize(
    ("value", "merged", "unmerged"),
    [
        pytest.param({}, {}, {}, id="none"),
        pytest.param({"matchLabelKeys": ["a"], "labelSelector": {}}, {}, {}, id="sound"),
        pytest.param(
            {"matchLabelKeys": ["a"]},
            {"x.matchLabelKeys": NO_SELECTOR},
            {"x.matchLabelKeys": NO_SELECTOR},
            id="no selector",
        ),
        pytest.param(
            {"matchLabelKeys": ["a", "-a"], "labelSelector": {}},
            {"x.matchLabelKeys[1]": BAD_KEY},
            {"x.matchLabelKeys[1]": BAD_KEY},
            id="malformed",
        ),
        pytest.param(
            {"matchLabelKeys": ["app"], "labelSelector": BY_LABEL},
            {},
            {"x.matchLabelKeys[0]": IN_BOTH},
            id="selected once",
        ),
        pytest.param(
            {"matchLabelKeys": ["a", "app"], "labelSelector": BY_BOTH},
            {"x[1]": IN_BOTH},
            {"x.matchLabelKeys[1]": IN_BOTH},
            id="selected twice",
        ),
    ],
)
def test_keys_are_valid_and_not_selected_otherwise(
    value: dict[str, Any], merged: dict[str, str], unmerged: dict[str, str]
) -> None:
    assert {error.field: error.message for error in check_label_keys(value, "x")} == merged
    found = {error.field: error.message for error in check_label_keys_without_merging(value, "x")}
    assert found == unmerged


def test_no_key_has_to_match_and_to_differ() -> None:
    value = {"matchLabelKeys": ["b", "a"], "mismatchLabelKeys": ["a"], "labelSelector": {}}
    [error] = check_label_keys(value, "x")
    assert (error.field, error.message) == (
        "x.matchLabelKeys[1]",
        'Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
    )
