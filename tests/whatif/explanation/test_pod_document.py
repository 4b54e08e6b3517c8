"""A Pod from a file is checked before the planner reads it, so that no file raises an exception."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import OURS
from jobsworth.whatif.explanation.pod_document import pod_problem
from jobsworth.whatif.explanation.rule_trace import trace_pod
from support.explanation.failing_pods import explained, random_job


def a_pod(**parts: Any) -> dict[str, Any]:
    return {"kind": "Pod", "metadata": {"name": "train-1"}, **parts}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "not a Pod (kind: Pod)"),
        ({"kind": "Job"}, "not a Pod (kind: Pod)"),
        ({"kind": "Pod"}, "metadata must be an object"),
        (a_pod(spec=[]), "spec must be an object"),
        (a_pod(status={"conditions": {}}), "status.conditions must be a list"),
        (a_pod(status={"conditions": [None]}), "status.conditions[0] must not be null"),
        (
            a_pod(status={"containerStatuses": [{"state": {"terminated": {"exitCode": "1"}}}]}),
            "status.containerStatuses[0].state.terminated.exitCode must be a whole number",
        ),
        (
            a_pod(status={"containerStatuses": [{"restartCount": True}]}),
            "status.containerStatuses[0].restartCount must be a whole number",
        ),
        (a_pod(status=None, spec={"anything": 3}), None),
    ],
)
def test_the_first_wrong_field_is_named(value: Any, problem: str | None) -> None:
    assert pod_problem(value) == problem


leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
names = st.sampled_from(
    [
        "name",
        "annotations",
        "finalizers",
        "ownerReferences",
        "controller",
        "deletionTimestamp",
        "creationTimestamp",
        "phase",
        "conditions",
        "type",
        "status",
        "containerStatuses",
        "initContainerStatuses",
        "state",
        "terminated",
        "exitCode",
        "reason",
        "finishedAt",
        "restartCount",
        "lastTransitionTime",
        "deletionGracePeriodSeconds",
        "nodeName",
        "initContainers",
    ]
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(names, values), st.dictionaries(names, values), st.dictionaries(names, values)
)
def test_what_passes_the_check_is_explained(
    metadata: dict[str, Any], spec: dict[str, Any], status: dict[str, Any]
) -> None:
    value = {"kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
    if pod_problem(value) is None:
        assert trace_pod(explained(random_job(3)), read_pod(value, OURS)).consequences
