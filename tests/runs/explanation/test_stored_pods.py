"""A stored object that passes the lenient check breaks nothing that reads it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.stored import stored_problem
from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import OURS
from jobsworth.runs.explanation.rule_trace import trace_pod
from support.explanation.failing_pods import explained, random_job

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
    if stored_problem("Pod", value) is None:
        assert trace_pod(explained(random_job(3)), read_pod(value, OURS)).consequences
