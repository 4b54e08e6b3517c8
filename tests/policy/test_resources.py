"""Limits on the resources that one Job may request."""

from __future__ import annotations

from typing import Any

import pytest

from support.policy.policy_requests import cron_job, job, policy_messages


def container(name: str = "main", **resources: Any) -> dict[str, Any]:
    return {"name": name, "image": "busybox:1.36", "resources": resources}


def requesting(parallelism: int = 1, completions: int | None = None, **pod: Any) -> Any:
    counts: dict[str, Any] = {"parallelism": parallelism}
    if completions is not None:
        counts["completions"] = completions
    return job(pod, **counts)


CPU_4 = {"requests": {"cpu": "4"}}


@pytest.mark.parametrize(
    ("made", "amount"),
    [
        (requesting(2, containers=[container(**CPU_4)]), None),
        (requesting(3, containers=[container(**CPU_4)]), "12"),
        (requesting(3, 2, containers=[container(**CPU_4)]), None),
        (requesting(100, 3, containers=[container(**CPU_4)]), "12"),
        (requesting(8, containers=[container(requests={"cpu": "1500m"})]), "12"),
        (requesting(8, containers=[container(requests={"cpu": "1001m"})]), "8008m"),
        (requesting(3, containers=[container(limits={"cpu": "4"})]), "12"),
        (requesting(3, containers=[container(requests={"cpu": 1}, limits={"cpu": 4})]), None),
        (
            requesting(2, containers=[container(**CPU_4), container("log", requests={"cpu": "1"})]),
            "10",
        ),
        (
            requesting(
                2, initContainers=[container("load", requests={"cpu": 6})], containers=[container()]
            ),
            "12",
        ),
        (
            requesting(
                2,
                initContainers=[
                    {**container("log", requests={"cpu": 1}), "restartPolicy": "Always"}
                ],
                containers=[container(**CPU_4)],
            ),
            "10",
        ),
        (requesting(0, containers=[container(requests={"cpu": 1000})]), None),
        (requesting(1000, containers=[container()]), None),
        (requesting(2, containers=[container()], resources={"requests": {"cpu": "5"}}), "10"),
        (requesting(2, containers=[container(**CPU_4)], overhead={"cpu": "250m"}), "8500m"),
    ],
)
def test_requests_of_all_pods_at_the_same_time(made: Any, amount: str | None) -> None:
    found = policy_messages(made, limits={"resources": {"requests": {"cpu": {"maximum": 8}}}})
    if amount is None:
        assert found == []
    else:
        (text,) = found
        assert text.startswith(f'spec.parallelism: Invalid value: "{amount}": requests of cpu by ')
        assert text.endswith("each, must be less than or equal to 8 together [JP020]")


@pytest.mark.parametrize(
    ("maximum", "each", "kept"),
    [
        ("64Gi", "16Gi", True),
        ("64Gi", "17Gi", False),
        ("64G", "16Gi", False),
        (10**11, "16Gi", True),
    ],
)
def test_quantities_are_compared_as_quantities(maximum: Any, each: str, kept: bool) -> None:
    made = requesting(4, containers=[container(limits={"memory": each})])
    limits = {"resources": {"limits": {"memory": {"maximum": maximum}}}}
    assert (policy_messages(made, limits=limits) == []) == kept


def test_one_pod_that_requests_too_much_is_reported_without_parallelism() -> None:
    made = requesting(containers=[container(limits={"nvidia.com/gpu": 9})])
    limits = {"resources": {"limits": {"nvidia.com/gpu": {"maximum": 8, "message": "Ask us."}}}}
    assert policy_messages(made, limits=limits) == [
        'spec.template.spec: Invalid value: "9": limits of nvidia.com/gpu must be less than or equal '
        "to 8 [JP020] Ask us."
    ]


def test_a_container_without_requests() -> None:
    made = requesting(
        initContainers=[container("load")], containers=[container(limits={"memory": "1Gi"})]
    )
    limits = {"resources": {"requests": {"memory": {"required": True}}}}
    assert policy_messages(cron_job(made), limits=limits) == [
        "spec.jobTemplate.spec.template.spec.initContainers[0].resources.requests[memory]: "
        "Required value: must be set, because a policy limits the resources of a Job [JP021]"
    ]
    whole = requesting(containers=[container()], resources={"requests": {"memory": "1Gi"}})
    assert policy_messages(whole, limits=limits) == [], "the Pod says it for all of its containers"


@pytest.mark.parametrize("name", ["cpu", "memory", "ephemeral-storage"])
@pytest.mark.parametrize("amount", ["0", 0, None, "0Gi", "0e9", "0.0", "-0"])
class TestZero:
    """The kubelet sets no limit for an amount of 0."""

    def test_is_unset_where_a_policy_requires_an_amount(self, name: str, amount: Any) -> None:
        for side in ("requests", "limits"):
            parts = {"resources": {side: {name: {"required": True, "maximum": "8Gi"}}}}
            made = requesting(containers=[container(**{side: {name: amount}})])
            (found,) = policy_messages(made, limits=parts)
            assert found.startswith(f"spec.template.spec.containers[0].resources.{side}[{name}]: ")
            assert "must be set" in found

    def test_as_a_limit_is_above_every_maximum(self, name: str, amount: Any) -> None:
        parts = {"resources": {"limits": {name: {"maximum": "8Gi"}}}}
        made = requesting(
            initContainers=[container("load", limits={name: amount})], containers=[container()]
        )
        (found,) = policy_messages(made, limits=parts)
        assert found.startswith(f"spec.template.spec.initContainers[0].resources.limits[{name}]: ")
        assert "must be greater than 0" in found

    def test_of_a_pod_is_not_the_limit_of_its_containers(self, name: str, amount: Any) -> None:
        parts = {"resources": {"limits": {name: {"required": True, "maximum": "8Gi"}}}}
        made = requesting(containers=[container()], resources={"limits": {name: amount}})
        assert "must be set" in policy_messages(made, limits=parts)[0]

    def test_is_a_request_like_any_other_below_a_maximum(self, name: str, amount: Any) -> None:
        parts = {"resources": {"requests": {name: {"maximum": "8Gi"}}}}
        made = requesting(containers=[container(requests={name: amount})])
        assert policy_messages(made, limits=parts) == []


def test_zero_devices_are_zero() -> None:
    parts = {"resources": {"limits": {"nvidia.com/gpu": {"required": True, "maximum": 8}}}}
    made = requesting(containers=[container(limits={"nvidia.com/gpu": 0})])
    assert policy_messages(made, limits=parts) == []
