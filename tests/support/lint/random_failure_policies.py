"""Random failure policies, and the outcome of a Pod under them, evaluated as the Job controller does.

It uses no sets of facts: it evaluates each rule in turn for each Pod.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

CONTAINERS = ("app", "init", "sidecar")
CONDITIONS = ("DisruptionTarget=True", "DisruptionTarget=False", "Ready=False")

Rule = dict[str, Any]

# Few numbers, so that sets meet; the ends of the range, and what lies beyond.
codes = st.lists(
    st.sampled_from((0, 1, 2, 3, 42, 127, 128, 137, 143, 254, 255, 256, -1)),
    unique=True,
    min_size=1,
    max_size=5,
).map(sorted)
# Drawn by what is missing, which takes a tenth of the time.
long_lists = st.sets(st.integers(0, 255), min_size=1, max_size=56).map(
    lambda missing: sorted(set(range(256)) - missing)
)
requirements = st.fixed_dictionaries(
    {"operator": st.sampled_from(("In", "NotIn")), "values": codes | long_lists},
    optional={"containerName": st.sampled_from(CONTAINERS)},
)
patterns = st.lists(
    st.sampled_from(CONDITIONS).map(
        lambda text: dict(zip(("type", "status"), text.split("="), strict=True))
    ),
    min_size=1,
    max_size=2,
)
rules = st.one_of(
    st.fixed_dictionaries({"onExitCodes": requirements}),
    st.fixed_dictionaries({"onPodConditions": patterns}),
)
policies = st.lists(rules, min_size=1, max_size=6)


def matches(rule: Rule, ended: dict[str, int], conditions: set[str]) -> bool:
    """Return True if a rule matches a Pod, as the Job controller decides.

    Args:
        rule: of a failure policy.
        ended: the exit codes of the containers that have ended.
        conditions: the conditions of the Pod, as ``type=status``.
    """
    requirement = rule.get("onExitCodes")
    if requirement is None:
        return any(
            f"{one['type']}={one['status']}" in conditions for one in rule["onPodConditions"]
        )
    for container, code in ended.items():
        if requirement.get("containerName", container) != container or code == 0:
            continue
        if (code in requirement["values"]) == (requirement["operator"] == "In"):
            return True
    return False


def first_match(policy: list[Rule], ended: dict[str, int], conditions: set[str]) -> int | None:
    return next((i for i, rule in enumerate(policy) if matches(rule, ended, conditions)), None)
