"""The time to check and to apply policies grows linearly with their labels and annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jobsworth.policy.consistency import inconsistencies
from jobsworth.policy.document import MAX_ENTRIES
from jobsworth.policy.policy_set import PolicySet
from support.policy.policy_requests import SERVER, document, job, policies, requested
from support.scaling.cost_growth import FACTOR, MAX_GROWTH, Action, superlinear_calls, time_growth

MAX_ANNOTATION_BYTES = 256 * 1024
"""The most bytes of an object's annotations that an API server accepts."""
ROOM = 40_960
"""The bytes that are left for further annotations of an almost full object."""


def almost_full() -> dict[str, Any]:
    full = job()
    full["metadata"]["annotations"] = {"example.com/data": "x" * (MAX_ANNOTATION_BYTES - ROOM)}
    return full


def _values(count: int, length: int = 10) -> dict[str, Any]:
    return {f"example.com/key-{number}": {"value": "x" * length} for number in range(count)}


def annotations(count: int) -> PolicySet:
    return policies(defaults={"annotations": _values(count)})


def labels(count: int) -> PolicySet:
    return policies(defaults={"labels": _values(count)})


def of_two_policies(count: int) -> PolicySet:
    defaults = {"annotations": _values(count)}
    return policies(document("one", defaults=defaults), document("other", defaults=defaults))


def beside_a_rejected_default(count: int) -> PolicySet:
    """Annotations with a failure policy that makes the object invalid, so that each default is validated."""
    exits = {"containerName": "absent", "operator": "In", "values": [1]}
    rules = {"rulesAfter": [{"action": "FailJob", "onExitCodes": exits}]}
    return policies(defaults={"annotations": _values(count), "podFailurePolicy": rules})


def too_long_together(count: int) -> PolicySet:
    return policies(defaults={"annotations": _values(count, 4_000)})


def denied_by_an_expression_each(count: int) -> PolicySet:
    rejected = [
        {
            "expression": "false",
            "message": "no",
            "field": f"metadata.annotations[{key}]",
        }
        for key in _values(count)
    ]
    return policies(defaults={"annotations": _values(count)}, expressions=rejected)


SETS = [
    annotations,
    labels,
    of_two_policies,
    beside_a_rejected_default,
    too_long_together,
    denied_by_an_expression_each,
]
Made = Callable[[int], PolicySet]


def check(made: Made) -> Callable[[int], Action]:
    def sized(count: int) -> Action:
        checked = made(count)
        return lambda: list(inconsistencies(checked, SERVER))

    return sized


def apply(made: Made) -> Callable[[int], Action]:
    def sized(count: int) -> Action:
        applied, request = made(count), requested(almost_full())
        return lambda: applied.default(request, SERVER)

    return sized


@pytest.mark.slow
@pytest.mark.parametrize("made", SETS)
@pytest.mark.parametrize("action", [check, apply])
def test_many_defaults_call_no_function_more_than_linearly_often(
    action: Callable[[Made], Callable[[int], Action]], made: Made
) -> None:
    assert superlinear_calls(action(made)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("made", [annotations, labels, of_two_policies, beside_a_rejected_default])
@pytest.mark.parametrize("action", [check, apply])
def test_the_cpu_time_of_many_defaults_grows_linearly(
    action: Callable[[Made], Callable[[int], Action]], made: Made
) -> None:
    assert time_growth(action(made), MAX_ENTRIES // FACTOR) <= MAX_GROWTH


def test_the_annotations_that_fit_are_set_and_the_others_rejected() -> None:
    mutation = too_long_together(12).default(requested(almost_full()), SERVER)
    names = [f"metadata.annotations[example.com/key-{number}]" for number in range(12)]
    assert [each.field for each in mutation.applied] == names[:10]
    assert [each.field for each in mutation.rejected] == names[10:]
    assert "Too long: may not be more than 262144 bytes" in mutation.rejected[0].reason
    assert len(mutation.object["metadata"]["annotations"]) == 11
