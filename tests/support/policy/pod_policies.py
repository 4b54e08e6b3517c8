"""Strategies of Pods, and of policies with defaults for them, which often set the same parts."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from support.policy.policy_requests import cron_job, document, job

WHEN = st.sampled_from(["ifUnset", "ifServerDefault"])
WHEN_OR_ALWAYS = st.sampled_from(["ifUnset", "ifServerDefault", "always"])
NAMES = st.sampled_from(["red", "blue"])
TOLERATIONS = st.lists(
    st.fixed_dictionaries(
        {"key": st.sampled_from(["gpu", "spot"]), "operator": st.just("Exists")},
        optional={
            "effect": st.sampled_from(["NoSchedule", "NoExecute"]),
        },
    )
    | st.just({"key": "gpu", "value": "yes"})
    | st.just({"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9}),
    min_size=1,
    max_size=2,
    unique_by=lambda one: (one["key"], one.get("operator", "Equal"), one.get("effect")),
)
REQUIRED = st.builds(
    lambda zone: {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]}
        ]
    },
    NAMES,
)
SPREAD = st.builds(
    lambda weight: [{"weight": weight, "podAffinityTerm": {"topologyKey": "zone"}}],
    st.integers(1, 2),
)
AFFINITIES = st.fixed_dictionaries(
    {},
    optional={
        "nodeAffinity": st.builds(
            lambda one: {"requiredDuringSchedulingIgnoredDuringExecution": one}, REQUIRED
        ),
        "podAntiAffinity": st.builds(
            lambda one: {"preferredDuringSchedulingIgnoredDuringExecution": one}, SPREAD
        ),
    },
).filter(bool)
POD_SECURITY = st.fixed_dictionaries(
    {},
    optional={
        "runAsNonRoot": st.booleans(),
        "runAsUser": st.integers(1, 2),
        "fsGroup": st.integers(1, 2),
        "seccompProfile": st.sampled_from([{"type": "RuntimeDefault"}, {"type": "Unconfined"}]),
    },
).filter(bool)
SECURITY = st.fixed_dictionaries(
    {},
    optional={
        "privileged": st.booleans(),
        "allowPrivilegeEscalation": st.booleans(),
        "readOnlyRootFilesystem": st.booleans(),
        "capabilities": st.sampled_from(
            [{"drop": ["ALL"]}, {"add": ["NET_ADMIN"], "drop": ["ALL"]}, {"add": ["CHOWN"]}]
        ),
    },
).filter(bool)
AMOUNTS = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(["100m", "1", "0.5"]),
        "memory": st.sampled_from(["64Mi", "1Gi"]),
    },
).filter(bool)
RESOURCES = st.one_of(
    st.builds(lambda one: {"requests": one}, AMOUNTS),
    st.builds(lambda one: {"limits": one}, AMOUNTS),
    st.just({"limits": {"nvidia.com/gpu": "1"}}),
    st.just({"limits": {"nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "2"}}),
    st.just({"requests": {"cpu": "500m"}, "limits": {"cpu": "2"}}),
)
VARIABLES = st.lists(
    st.one_of(
        st.builds(
            lambda name, value: {"name": name, "value": value},
            st.sampled_from(["A", "B"]),
            NAMES,
        ),
        st.just({"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda one: str(one["name"]),
)
LABELS = st.dictionaries(
    st.sampled_from(["team", "example.com/tier"]), NAMES, min_size=1, max_size=2
)

CONTAINERS = st.builds(
    lambda names, parts: [
        {"name": name, "image": "busybox:1.36", **part}
        for name, part in zip(names, parts, strict=False)
    ],
    st.sampled_from([["main"], ["main", "log"], ["work"]]),
    st.lists(
        st.fixed_dictionaries(
            {}, optional={"env": VARIABLES, "resources": RESOURCES, "securityContext": SECURITY}
        ),
        min_size=2,
        max_size=2,
    ),
)
PODS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"containers": CONTAINERS},
    optional={
        "initContainers": st.just([{"name": "init", "image": "busybox:1.36"}]),
        "nodeSelector": LABELS,
        "tolerations": TOLERATIONS,
        "affinity": AFFINITIES,
        "priorityClassName": NAMES,
        "serviceAccountName": NAMES,
        "terminationGracePeriodSeconds": st.sampled_from([5, 30]),
        "securityContext": POD_SECURITY,
    },
)
METADATA: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {}, optional={"labels": LABELS, "annotations": LABELS}
)


def _with_metadata(value: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    if metadata:
        value["spec"]["template"]["metadata"] = metadata
    return value


POD_JOBS = st.builds(lambda pod, metadata: _with_metadata(job(pod=pod), metadata), PODS, METADATA)
POD_OBJECTS = st.one_of(POD_JOBS, POD_JOBS, POD_JOBS.map(cron_job))


def pod_policies(
    when: st.SearchStrategy[str], most: int = 3
) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Lists of policies with defaults for Pods, whose conditions are some of these."""

    def default(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.builds(lambda value, when: {"value": value, "when": when}, values, when)

    by_key = st.dictionaries(
        st.sampled_from(["team", "example.com/tier"]), default(NAMES), min_size=1, max_size=2
    )
    container = st.fixed_dictionaries(
        {},
        optional={
            "resources": default(RESOURCES),
            "env": default(VARIABLES),
            "securityContext": default(SECURITY),
        },
    ).filter(bool)
    pod = st.fixed_dictionaries(
        {},
        optional={
            "labels": by_key,
            "annotations": by_key,
            "nodeSelector": by_key,
            "tolerations": default(TOLERATIONS),
            "affinity": default(AFFINITIES),
            "priorityClassName": default(NAMES),
            "serviceAccountName": default(NAMES),
            "terminationGracePeriodSeconds": default(st.sampled_from([5, 60])),
            "securityContext": default(POD_SECURITY),
            "containers": st.dictionaries(
                st.sampled_from(["*", "main", "l*"]), container, min_size=1, max_size=2
            ),
            "initContainers": st.dictionaries(st.just("*"), container, min_size=1),
        },
    ).filter(bool)
    return st.lists(pod, min_size=1, max_size=most).map(
        lambda pods: [
            document(f"p{number}", defaults={"pod": each}) for number, each in enumerate(pods)
        ]
    )
