"""A value of another type than its field's is named as what it is."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import errors_of, job_with


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("3", "a string"),
        (True, "a boolean"),
        ({}, "an object"),
        ([], "an array"),
    ],
)
def test_a_number_of_another_type_is_named(value: Any, named: str) -> None:
    job = job_with()
    job["spec"]["parallelism"] = value
    ((field, message),) = errors_of(job)
    assert field == "spec.parallelism"
    assert message.endswith(f"must be an integer (int32), not {named}")
